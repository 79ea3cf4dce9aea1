"""Tables of several systems, as sacreBLEU has them made by the package tabulate: a grid of lines, or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ESCAPE = re.compile("\x1b\\[[0-9;]*m")
_LATEX = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "^": r"\^{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "\\": r"\textbackslash{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
}


def grid(head: Sequence[str], columns: Sequence[Sequence[str]], digits: int) -> str:
    """A table in box-drawing characters. Cells may have several lines and colours.

    Parameters
    ----------
    head : sequence of str
        The columns' names.
    columns : sequence of sequences of str
        The first is set to the right, the others in the middle.
    digits : int
        What a column of decimal numbers is rounded to.

    Returns
    -------
    str

    Examples
    --------
    >>> print(grid(["System", "BLEU"], [["a", "b"], ["30.1", "29.5\\n(p = 0.02)*"]], 1))
    ╒══════════╤═════════════╕
    │   System │    BLEU     │
    ╞══════════╪═════════════╡
    │        a │    30.1     │
    ├──────────┼─────────────┤
    │        b │    29.5     │
    │          │ (p = 0.02)* │
    ╘══════════╧═════════════╛
    """
    widths, rows = _laid_out(head, columns, digits)

    def line(left: str, fill: str, cross: str, right: str) -> str:
        return left + cross.join(fill * (width + 2) for width in widths) + right

    def row(cells: Sequence[Sequence[str]]) -> list[str]:
        height = max(map(len, cells))
        padded = [[*cell, *[" " * width] * (height - len(cell))] for cell, width in zip(cells, widths, strict=True)]
        return ["│" + "│".join(f" {part} " for part in parts) + "│" for parts in zip(*padded, strict=True)]

    lines = [line("╒", "═", "╤", "╕"), *row(rows[0])]
    for i, cells in enumerate(rows[1:]):
        lines.append(line("├", "─", "┼", "┤") if i else line("╞", "═", "╪", "╡"))
        lines.extend(row(cells))
    return "\n".join([*lines, line("╘", "═", "╧", "╛")])


def latex(head: Sequence[str], columns: Sequence[Sequence[str]], digits: int) -> str:
    """The same as a LaTeX tabular with the rules of booktabs.

    Examples
    --------
    >>> print(latex(["System", "BLEU"], [["a_1", "b"], ["30.1", "29.5"]], 1))
    \\begin{tabular}{rc}
    \\toprule
       System &  BLEU  \\\\
    \\midrule
          a\\_1 &  30.1  \\\\
            b &  29.5  \\\\
    \\bottomrule
    \\end{tabular}
    """
    _, rows = _laid_out(head, columns, digits)

    def line(cells: Sequence[Sequence[str]]) -> str:
        texts = ["".join(_LATEX.get(character, character) for character in "\n".join(cell)) for cell in cells]
        return "&".join(f" {text} " for text in texts) + r"\\"

    first, *others = map(line, rows)
    begin = [r"\begin{tabular}{r" + "c" * (len(head) - 1) + "}", r"\toprule", first, r"\midrule"]
    return "\n".join([*begin, *others, r"\bottomrule", r"\end{tabular}"])


def _laid_out(
    head: Sequence[str], columns: Sequence[Sequence[str]], digits: int
) -> tuple[list[int], list[list[list[str]]]]:
    """The width of each column, and row by row the lines of each cell, as wide as its column."""
    widths, cells = [], []
    for i, (name, column) in enumerate(zip(head, columns, strict=True)):
        lines = [cell.split("\n") for cell in [name, *_rounded([cell.strip() for cell in column], digits)]]
        width = max([_width(name) + 2, *(_width(line) for cell in lines for line in cell)])
        cells.append([[_padded(line, width, ">" if i == 0 else "^") for line in cell] for cell in lines])
        widths.append(width)
    return widths, [list(row) for row in zip(*cells, strict=True)]


def _width(text: str) -> int:
    return len(_ESCAPE.sub("", text))


def _padded(text: str, width: int, side: str) -> str:
    return format(text, f"{side}{width + len(text) - _width(text)}")


def _rounded(column: list[str], digits: int) -> list[str]:
    """A column in which every cell is a number, and some number is no whole one, rounded."""
    plain = [_ESCAPE.sub("", cell) for cell in column]
    if not all(map(_is_number, plain)) or all(map(_is_whole, plain)):
        return column
    return [
        cell.replace(text, f"{float(text):.{digits}f}") if text not in ("True", "False") else cell
        for cell, text in zip(column, plain, strict=True)
    ]


def _is_whole(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return text in ("True", "False")
    return True


def _is_number(text: str) -> bool:
    try:
        number = float(text)
    except ValueError:
        return text in ("True", "False")
    # What is only too large for a float is text.
    return abs(number) < float("inf") or text.lower() in ("inf", "-inf", "nan")
