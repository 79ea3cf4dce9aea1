"""``evaluate.load`` for a program in which evaluate was patched: the drop-ins by name, everything else as ever."""

from __future__ import annotations

from typing import Any

from evaluate.loading import load as _load

from clipgram.compat import evaluate

_NAMES = ("bleu", "google_bleu", "sacrebleu")


def load(path: str, *args: Any, **kwargs: Any) -> Any:
    """Load a metric: one of the drop-ins if that is what is asked for without further options."""
    if path in _NAMES and not args and not kwargs:
        return evaluate.load(path)
    return _load(path, *args, **kwargs)
