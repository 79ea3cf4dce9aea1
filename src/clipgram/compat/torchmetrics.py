"""torchmetrics' BLEUScore and SacreBLEUScore, and their functional forms: same tensors to the last bit.

    from clipgram.compat.torchmetrics import BLEUScore, SacreBLEUScore, bleu_score, sacre_bleu_score

stand for the names in ``torchmetrics.text`` and ``torchmetrics.functional.text``. The metrics are torchmetrics
``Metric`` objects: they can be reset, moved, pickled, added up, and reduced over processes. This module needs torch and
torchmetrics.

Equal to torchmetrics 1.9.0. What is odd there is odd here:

- Of two equally close reference lengths, the one listed first counts.
- An order without a match makes the score 0, smoothed or not; otherwise ``smooth=True`` adds 1 to every order but
  unigrams.
- A line that is false (None, "", an empty list) has no tokens. A str where a list is wanted is a list of its
  characters, except that ``bleu_score`` takes it for one line.
- The metrics drop what one of the two lists has more than the other; the functions raise ValueError.
- ``lowercase`` comes after the tokenizer, so "&AMP;" stays an entity, and lines are not stripped before the tokenizer.

What is not the same:

- Counts are int64. There they are float32, and stand still at 16,777,216.
- After an error in ``update`` a metric is as before. There, segments before the bad one are counted.
- The tokenizer intl does not need the package regex.
"""

# No `from __future__ import annotations`: torch.jit.script reads the annotations of states.
from collections.abc import Iterable, Sequence
from typing import Any

from clipgram.compat._torchmetrics_lines import AVAILABLE_TOKENIZERS, LineTokenizer, count_lines

try:
    import torch
    from torch import Tensor
    from torchmetrics import Metric
except ModuleNotFoundError as error:
    raise ImportError(f"clipgram.compat.torchmetrics needs {error.name}: pip install torch torchmetrics") from None

__all__ = ["AVAILABLE_TOKENIZERS", "BLEUScore", "SacreBLEUScore", "bleu_score", "sacre_bleu_score"]

_STATES = ("preds_len", "target_len", "numerator", "denominator")


class BLEUScore(Metric):
    """BLEU of lines that are split at whitespace.

    Parameters
    ----------
    n_gram : int
        The longest n-gram.
    smooth : bool
        Add 1 to matches and totals of the orders from 2, if none is without a match.
    weights : sequence of float, optional
        What each order counts for, by default all the same.
    **kwargs
        Those of ``torchmetrics.Metric``.

    Examples
    --------
    >>> bleu = BLEUScore()
    >>> bleu(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
    tensor(0.7598)
    >>> bleu.numerator
    tensor([5, 4, 3, 2])
    """

    is_differentiable: bool = False
    higher_is_better: bool = True
    full_state_update: bool = True
    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0

    preds_len: Tensor
    target_len: Tensor
    numerator: Tensor
    denominator: Tensor

    def __init__(
        self, n_gram: int = 4, smooth: bool = False, weights: Sequence[float] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.n_gram = n_gram
        self.smooth = smooth
        self.weights = _checked_weights(weights, n_gram)
        self.tokenizer = LineTokenizer("none")
        self.add_state("preds_len", torch.tensor(0), dist_reduce_fx="sum")
        self.add_state("target_len", torch.tensor(0), dist_reduce_fx="sum")
        self.add_state("numerator", torch.zeros(n_gram, dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("denominator", torch.zeros(n_gram, dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, preds: Sequence[str], target: Sequence[Sequence[str]]) -> None:
        """Count lines.

        Parameters
        ----------
        preds : sequence of str
        target : sequence of sequence of str
            The references of each line.
        """
        sums = count_lines(preds, target, self.tokenizer, self.n_gram)
        device = self.numerator.device
        self.preds_len = self.preds_len + sums.length
        self.target_len = self.target_len + sums.reference_length
        self.numerator = self.numerator + torch.tensor(sums.matches, dtype=torch.int64, device=device)
        self.denominator = self.denominator + torch.tensor(sums.totals, dtype=torch.int64, device=device)

    def compute(self) -> Tensor:
        """The score of what was counted, a tensor from 0 to 1."""
        states = (self.preds_len, self.target_len, self.numerator, self.denominator)
        return _score(*states, self.dtype, self.n_gram, self.weights, self.smooth)

    def plot(self, val: Tensor | Sequence[Tensor] | None = None, ax: Any = None) -> Any:
        """Plot one value or several; see ``torchmetrics.Metric.plot``."""
        return self._plot(val, ax)

    def _apply(self, fn: Any, exclude_state: Sequence[str] = "") -> Any:
        # Counts go where the metric goes, but stay counts whatever dtype is asked for.
        super()._apply(fn, exclude_state=[*exclude_state, *_STATES])
        for name in _STATES:
            if name not in exclude_state:
                setattr(self, name, _as_counts(getattr(self, name), fn))
                self._defaults[name] = _as_counts(self._defaults[name], fn)
        return self

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        # A checkpoint of torchmetrics' own metric holds float32.
        super()._load_from_state_dict(*args, **kwargs)
        for name in _STATES:
            setattr(self, name, getattr(self, name).to(torch.int64))


class SacreBLEUScore(BLEUScore):
    """BLEU of lines that are tokenized as in sacreBLEU.

    Parameters
    ----------
    n_gram, smooth, weights, **kwargs
        As for ``BLEUScore``.
    tokenize : {"none", "13a", "zh", "intl", "char", "ja-mecab", "ko-mecab", "flores101", "flores200"}
        How lines become tokens.
    lowercase : bool
        Lowercase the tokens.

    Examples
    --------
    >>> sacre_bleu = SacreBLEUScore()
    >>> sacre_bleu(["The cat's on the mat."], [["The cat's on a mat.", "The cat's on the mat!"]])
    tensor(0.8409)
    """

    is_differentiable: bool = False
    higher_is_better: bool = True
    full_state_update: bool = True
    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        tokenize: str = "13a",
        lowercase: bool = False,
        weights: Sequence[float] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(n_gram=n_gram, smooth=smooth, weights=weights, **kwargs)
        self.tokenizer = LineTokenizer(tokenize, lowercase)


def bleu_score(
    preds: str | Sequence[str],
    target: Sequence[str | Sequence[str]],
    n_gram: int = 4,
    smooth: bool = False,
    weights: Sequence[float] | None = None,
) -> Tensor:
    """BLEU of lines that are split at whitespace.

    Parameters
    ----------
    preds : str or sequence of str
    target : sequence of str or of sequence of str
        The references of each line.
    n_gram, smooth, weights
        As for ``BLEUScore``.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> bleu_score(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
    tensor(0.7598)
    """
    lines = [preds] if isinstance(preds, str) else preds
    rows = [[references] if isinstance(references, str) else references for references in target]
    return _score_lines(lines, rows, LineTokenizer("none"), n_gram, smooth, weights)


def sacre_bleu_score(
    preds: Sequence[str],
    target: Sequence[Sequence[str]],
    n_gram: int = 4,
    smooth: bool = False,
    tokenize: str = "13a",
    lowercase: bool = False,
    weights: Sequence[float] | None = None,
) -> Tensor:
    """BLEU of lines that are tokenized as in sacreBLEU.

    Parameters
    ----------
    preds : sequence of str
    target : sequence of sequence of str
        The references of each line.
    n_gram, smooth, tokenize, lowercase, weights
        As for ``SacreBLEUScore``.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> sacre_bleu_score(["The cat's on the mat."], [["The cat's on a mat.", "The cat's on the mat!"]])
    tensor(0.8409)
    """
    # A tokenizer that is not there is found out at the first line that is no empty one.
    return _score_lines(preds, target, LineTokenizer(tokenize, lowercase, checked=False), n_gram, smooth, weights)


def _score_lines(
    preds: Sequence[str],
    target: Sequence[Iterable[str]],
    tokenizer: LineTokenizer,
    n_gram: int,
    smooth: bool,
    weights: Sequence[float] | None,
) -> Tensor:
    if len(preds) != len(target):
        raise ValueError(f"there are {len(preds)} lines in preds and {len(target)} entries in target")
    weights = _checked_weights(weights, n_gram)
    states = torch.zeros(n_gram, dtype=torch.int64)
    sums = count_lines(preds, target, tokenizer, len(states))
    matches, totals = torch.tensor(sums.matches, dtype=torch.int64), torch.tensor(sums.totals, dtype=torch.int64)
    lengths = torch.tensor(sums.length), torch.tensor(sums.reference_length)
    return _score(*lengths, matches, totals, torch.get_default_dtype(), n_gram, weights, smooth)


def _as_counts(counts: Tensor, fn: Any) -> Tensor:
    made = fn(counts)
    return made if made.dtype == torch.int64 else counts.to(made.device)


def _checked_weights(weights: Sequence[float] | None, n_gram: int) -> Sequence[float]:
    if weights is None:
        return [1.0 / n_gram] * n_gram
    if len(weights) != n_gram:
        raise ValueError(f"there are {len(weights)} weights; wanted {n_gram}, one an order")
    return weights


def _score(
    preds_len: Tensor,
    target_len: Tensor,
    numerator: Tensor,
    denominator: Tensor,
    dtype: torch.dtype,
    n_gram: int,
    weights: Sequence[float],
    smooth: bool,
) -> Tensor:
    """BLEU of counts, from here on in floating point: the same operations of the same types as in torchmetrics."""
    device = numerator.device
    if min(numerator.tolist()) == 0:
        return torch.tensor(0.0, device=device)
    matches, totals = numerator.to(dtype), denominator.to(dtype)
    if smooth:
        one = torch.ones(n_gram, device=device)
        precisions = (matches + one) / (totals + one)
        precisions[0] = matches[0] / totals[0]
    else:
        precisions = matches / totals
    mean = (torch.tensor(weights, device=device) * precisions.log()).sum().exp()
    if preds_len > target_len:
        return torch.tensor(1.0, device=device) * mean
    return (1 - target_len.to(dtype) / preds_len.to(dtype)).exp() * mean
