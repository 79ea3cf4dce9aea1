"""Classes of characters that tokenizers name, as ranges of code points in hexadecimal."""

# What str.split() takes for whitespace.
SPACE = "9-d 1c-20 85 a0 1680 2000-200a 2028-2029 202f 205f 3000"

# What sacreBLEU's tokenizer zh makes a token of each; two of its ranges end early (2a6d, not 2a6df), as there.
CJK = (
    "2001-2a6d 2e80-2eff 2f00-2fdf 2ff0-303f 3100-312f 31a0-31bf 31c0-31ef 3200-33ff 3400-4db5 4e00-9fbb f900-fa2d "
    "fa30-fa6a fa70-fad9 fe10-fe1f fe30-fe4f ff00-ffef"
)


def code_points(ranges: str) -> list[range]:
    """The code points of ranges as they are written here.

    Examples
    --------
    >>> code_points("9-d 85")
    [range(9, 14), range(133, 134)]
    """
    found = []
    for item in ranges.split():
        first, _, last = item.partition("-")
        found.append(range(int(first, 16), int(last or first, 16) + 1))
    return found
