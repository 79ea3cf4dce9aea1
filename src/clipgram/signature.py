"""How a score was made, as one line."""

from __future__ import annotations

VERSION: str = "0.1.0"


def signature(metric: str, items: dict[str, str]) -> str:
    """Build a signature: the program, ``nrefs:{}`` for the number of references, what the metric adds, the version.

    Parameters
    ----------
    metric : str
        Stands behind the program's name.
    items : dict
        Keys and values of the metric's own options, in order. The keys that sacreBLEU has are its own.

    Examples
    --------
    >>> with_references(signature("bleu", {"case": "mixed", "tok": "13a"}), 2).rpartition("|")[0]
    'clipgram:bleu|nrefs:2|case:mixed|tok:13a'
    """
    parts = {"clipgram": metric, "nrefs": PLACE, **items, "version": VERSION}
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def with_references(signature: str, n_references: int | None) -> str:
    """Put the number of references in its place; None where that varies."""
    return signature.replace(PLACE, "var" if n_references is None else str(n_references), 1)


def without_references(signature: str) -> str:
    """A signature that says nothing of references, for a metric that has not scored yet."""
    return signature.replace(f"|nrefs:{PLACE}", "", 1)


PLACE = "{}"
