"""What evaluate makes of predictions and references before a metric sees them: rows of plain str.

There they go through a table of `datasets` on disk, which is what takes the time. These rows are the same without it.
The first row says whether references are lists (``nested``) or one str each, and is looked at closely; in later rows
whatever is no str becomes one, and None stays None.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from clipgram._describe import describe

Texts = list[Any]  # of str, or None
_STR = {str}
_WANTED = "wanted a list of str as predictions, and a list of str, or of lists of str, as references"


def usual_rows(predictions: Any, references: Any) -> tuple[list[str], list[list[str]]] | None:
    """The rows of lists that are as they should be, and None for anything else.

    Parameters
    ----------
    predictions, references
        As a user passes them.

    Returns
    -------
    list of str, list of list of str
    """
    if type(predictions) is not list or type(references) is not list or len(predictions) != len(references):
        return None
    if len(predictions) == 1:
        # Single pairs are what loops pass.
        row = references[0]
        if type(row) is str:
            row = [row]
            references = [row]
        if type(predictions[0]) is not str or type(row) is not list or not row:
            return None
        for text in row:
            if type(text) is not str:
                return None
            if not text.isascii():
                text.encode()
        if not predictions[0].isascii():
            predictions[0].encode()
        return predictions, references
    if not predictions or set(map(type, predictions)) != _STR:
        return None
    kinds = set(map(type, references))
    if kinds == _STR:
        references = [[reference] for reference in references]
    elif kinds != {list} or not all(references):
        return None
    flat = list(chain.from_iterable(references))
    if set(map(type, flat)) != _STR:
        return None
    check_utf8(chain(predictions, flat))
    return predictions, references


def check_utf8(texts: Any) -> None:
    """Raise the UnicodeEncodeError of a lone surrogate, which evaluate's table cannot hold."""
    for text in texts:
        if text is not None and not text.isascii():
            text.encode()


def batch_rows(predictions: Any, references: Any, nested: bool | None) -> tuple[Texts, list[Any], bool]:
    """Rows of a batch in any form.

    Parameters
    ----------
    predictions, references
        As a user passes them.
    nested : bool or None
        Whether earlier rows have lists of references; None if this is the first batch.

    Returns
    -------
    predictions : list of str or None
    references : list of list of str or None, or list of str or None
    nested : bool
    """
    if nested is None:
        nested = form_of(predictions[0], references[0])
    elif len(predictions) and not isinstance(predictions[0], str):
        raise ValueError(f"predictions[0] is {describe(predictions[0])}; {_WANTED}")
    elif len(references):
        _check_first(references[0], nested)
    if len(predictions) != len(references):
        raise ValueError(f"there are {len(predictions)} predictions and {len(references)} references")
    texts = list(map(_text, predictions))
    convert: Callable[[Any], Any] = _texts if nested else _text
    rows = list(map(convert, references))
    check_utf8(chain(texts, chain.from_iterable(row or () for row in rows) if nested else rows))
    return texts, rows, nested


def form_of(prediction: Any, reference: Any) -> bool:
    """Whether a first row has a list of references; a ValueError if it is no row at all."""
    if isinstance(prediction, str):
        if isinstance(reference, str):
            return False
        try:
            _check_first(reference, True)
        except ValueError:
            pass
        else:
            return True
    raise ValueError(f"a prediction is {describe(prediction)} and its references {describe(reference)}; {_WANTED}")


def one_row(prediction: Any, reference: Any, nested: bool | None) -> tuple[str, Any, bool]:
    """One row, as ``batch_rows`` makes them; each that comes alone is looked at closely."""
    if nested is None:
        nested = form_of(prediction, reference)
    else:
        if not isinstance(prediction, str):
            raise ValueError(f"a prediction is {describe(prediction)}; {_WANTED}")
        _check_first(reference, nested)
    texts, rows, _ = batch_rows([prediction], [reference], nested)
    return texts[0], rows[0], nested


def _check_first(reference: Any, nested: bool) -> None:
    """Look at the references of a first row, or at the first of them that is not None."""
    if nested:
        if reference is None:
            return
        if isinstance(reference, str):
            raise ValueError(f"a reference is {describe(reference)}, where earlier ones are lists; {_WANTED}")
        try:
            if not len(reference):
                return
        except TypeError:
            raise ValueError(f"the references of a prediction are {describe(reference)}; {_WANTED}") from None
        reference = next((item for item in reference if item is not None), None)
        if isinstance(reference, list):
            return
    if not isinstance(reference, str):
        raise ValueError(f"a reference is {describe(reference)}; {_WANTED}")


def _text(thing: Any) -> str | None:
    return None if thing is None else str(thing)


def _texts(row: Any) -> Texts | None:
    if row is None:
        return None
    try:
        len(row)
    except TypeError:
        raise ValueError(f"the references of a prediction are {describe(row)}; {_WANTED}") from None
    return list(map(_text, row))
