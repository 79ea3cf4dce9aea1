"""How a score was made, as one line."""

from __future__ import annotations

VERSION = "0.1.0"


def signature(metric: str, n_references: int | None, items: dict[str, str]) -> str:
    """Build a signature: the program, the number of references, what the metric adds, the version.

    Parameters
    ----------
    metric : str
        Stands behind the program's name.
    n_references : int or None
        References a segment; None where that varies.
    items : dict
        Keys and values of the metric's own options, in order. The keys that sacreBLEU has are its own.

    Examples
    --------
    >>> signature("bleu", 2, {"case": "mixed", "tok": "13a"}).rpartition("|")[0]
    'clipgram:bleu|nrefs:2|case:mixed|tok:13a'
    """
    parts = {"clipgram": metric, "nrefs": "var" if n_references is None else str(n_references), **items}
    return "|".join(f"{key}:{value}" for key, value in {**parts, "version": VERSION}.items())
