"""Putting the drop-ins into the installed libraries, for programs whose imports cannot be changed."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Self

# For each library: where a name is defined, the drop-in that has the same name, and the names.
_PLACES: dict[str, tuple[tuple[str, str, tuple[str, ...]], ...]] = {
    "nltk": (
        (
            "nltk.translate.bleu_score",
            "clipgram.compat.nltk.translate.bleu_score",
            ("sentence_bleu", "corpus_bleu", "modified_precision", "closest_ref_length", "brevity_penalty", "SmoothingFunction"),
        ),
        ("nltk.translate.gleu_score", "clipgram.compat.nltk.translate.gleu_score", ("sentence_gleu", "corpus_gleu")),
    ),
    "sacrebleu": (
        ("sacrebleu.compat", "clipgram.compat.sacrebleu", ("corpus_bleu", "raw_corpus_bleu", "sentence_bleu")),
        ("sacrebleu.metrics.bleu", "clipgram.compat.sacrebleu.metrics", ("BLEU", "BLEUScore")),
    ),
    "evaluate": (("evaluate.loading", "clipgram.compat._loading", ("load",)),),
    "torchmetrics": (
        ("torchmetrics.text.bleu", "clipgram.compat.torchmetrics", ("BLEUScore",)),
        ("torchmetrics.text.sacre_bleu", "clipgram.compat.torchmetrics", ("SacreBLEUScore",)),
        ("torchmetrics.functional.text.bleu", "clipgram.compat.torchmetrics", ("bleu_score",)),
        ("torchmetrics.functional.text.sacre_bleu", "clipgram.compat.torchmetrics", ("sacre_bleu_score",)),
    ),
}


class Patch:
    """What ``patch`` has replaced. ``undo`` puts it back, and so does the end of a ``with`` block."""

    def __init__(self) -> None:
        self._replaced: list[tuple[dict[str, Any], str, Any]] = []
        self.names: list[str] = []

    def undo(self) -> None:
        """Put back what was there before. A second time does nothing."""
        while self._replaced:
            names, name, original = self._replaced.pop()
            names[name] = original

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.undo()

    def __repr__(self) -> str:
        return f"<Patch of {', '.join(self.names) if self._replaced else 'nothing any more'}>"

    def _replace(self, library: str, originals: dict[int, Any], replacements: dict[int, Any]) -> None:
        """Replace objects wherever the library's loaded modules, or a table in one of them, have them by name."""
        for module in _modules_of(library):
            tables = [value for name, value in vars(module).items() if type(value) is dict and name.isupper()]
            for names in (vars(module), *tables):
                for name, value in list(names.items()):
                    if id(value) in originals and originals[id(value)] is value:
                        self._replaced.append((names, name, value))
                        names[name] = replacements[id(value)]


def _modules_of(library: str) -> Iterable[ModuleType]:
    return [module for name, module in list(sys.modules.items()) if module is not None and name.split(".")[0] == library]


def patch(*libraries: str) -> Patch:
    """Replace the functions inside installed libraries by the drop-ins, for the program that runs.

    A program that comes after this and imports the library as ever gets the same numbers, faster. Names that other
    modules have imported from the library before are theirs, and stay what they are.

    Parameters
    ----------
    *libraries : {"nltk", "sacrebleu", "evaluate", "torchmetrics"}
        Which to patch; those that are not imported yet are imported for that. By default NLTK and sacreBLEU, as far as
        they are installed, and the other two if the program has imported them already.

    Returns
    -------
    Patch
        Its ``undo`` puts everything back, as does the end of a ``with`` block; ``names`` are the names replaced.

    Raises
    ------
    ValueError
        If there is no drop-in for a library.
    ImportError
        If a library that is named is not installed; or if none is named, and neither NLTK nor sacreBLEU is.

    Examples
    --------
    >>> import sacrebleu
    >>> with patch("sacrebleu") as patched:
    ...     print(patched.names)
    ...     print(sacrebleu.corpus_bleu(["the cat sat"], [["the cat sat down"]], use_effective_order=True).score)
    ['corpus_bleu', 'raw_corpus_bleu', 'sentence_bleu', 'BLEU', 'BLEUScore']
    71.65313105737896
    """
    for library in libraries:
        if library not in _PLACES:
            raise ValueError(f"{library!r} has no drop-in; there are {', '.join(_PLACES)}")
    if not libraries:
        libraries = tuple(
            library
            for library in _PLACES
            if library in sys.modules or (library in ("nltk", "sacrebleu") and find_spec(library) is not None)
        )
        if not libraries:
            raise ImportError("neither nltk nor sacrebleu is installed: there is nothing to patch")
    patched = Patch()
    try:
        for library in libraries:
            originals: dict[int, Any] = {}
            replacements: dict[int, Any] = {}
            for place, drop_in, names in _PLACES[library]:
                peer, ours = import_module(place), import_module(drop_in)
                for name in names:
                    original = getattr(peer, name)
                    if original is getattr(ours, name):
                        continue  # patched already
                    originals[id(original)] = original
                    replacements[id(original)] = getattr(ours, name)
                    patched.names.append(name)
            patched._replace(library, originals, replacements)
    except BaseException:
        patched.undo()
        raise
    return patched
