"""From rows of text to the dicts of evaluate's metrics.

Where the order of floating-point operations shows in the last digit, it is that of the peers; ``sum`` is the builtin,
which is more exact from Python 3.12.
"""

from __future__ import annotations

import logging
import math
import operator
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from clipgram._describe import describe
from clipgram.compat._corpus_counts import Sums, Tokens, count_segment, match_texts, match_tokens, sum_texts, sum_tokens
from clipgram.segments import Matched
from clipgram.tokenizers import Tokenizer, get_tokenizer, tokenize

_13A = get_tokenizer("13a")


class Tokenizer13a:
    """The default tokenizer of ``bleu`` and ``google_bleu``: 13a of a text whose end is left as it is.

    Examples
    --------
    >>> Tokenizer13a()("It costs 3.5%.")
    ['It', 'costs', '3.5', '%', '.']
    """

    def __call__(self, line: str) -> list[str]:
        if not isinstance(line, str):
            raise AttributeError(f"a text is {describe(line)}, which has no method of a str")
        return list(tokenize(whole(line)))


TOKENIZER_13A = Tokenizer13a()


def whole(text: str) -> str:
    r"""A text of which the native 13a cuts no whitespace off the end: "a-\n" is then one token, a, and not a-.

    13a deletes <skipped>, but after the end was cut.
    """
    return text + "<skipped>" if text[-1:].isspace() else text


def bleu(
    plain: bool,
    predictions: list[Any],
    references: list[Any],
    /,
    tokenizer: Any = TOKENIZER_13A,
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """The scores of ``bleu``.

    Parameters
    ----------
    plain : bool
        True if it is known that all rows are str, and that each has a reference.
    predictions : list of str or None
    references : list of list of str or None, or of None
    tokenizer, max_order, smooth
        As in evaluate.

    Returns
    -------
    dict
    """
    if type(tokenizer) is Tokenizer13a and (plain or _are_plain(predictions, references)):
        order = operator.index(max_order)
        sums = None if order < 1 else sum_texts(*_whole_rows(predictions, references), _13A, order, "shortest")
    else:
        rows = [[tokenizer(text) for text in row] for row in references]
        made = [tokenizer(text) for text in predictions]
        order = operator.index(max_order)
        hyps: list[Any] = []
        refs: list[Any] = []
        as_list: Callable[[Any], list[Any]] = _sequence if order > 0 else lambda tokens: [None] * len(tokens)
        for row, tokens in zip(rows, made, strict=True):
            if not row:
                for earlier in (*hyps, *chain.from_iterable(refs)):
                    set(earlier)  # tokens that cannot be counted would have been met first
                raise ValueError("a prediction has no reference, and so no shortest one")
            refs.append(list(map(as_list, row)))
            hyps.append(as_list(tokens))
        sums = None if order < 1 else sum_tokens(hyps, refs, order, "shortest")
    if sums is None:
        raise ValueError(f"max_order is {max_order!r}; wanted 1 or more")
    return _bleu_of(sums, order, smooth)


def _bleu_of(sums: Sums, order: int, smooth: bool) -> dict[str, Any]:
    length, reference_length, matches, totals = sums
    if smooth:
        precisions = [(m + 1.0) / (t + 1.0) for m, t in zip(matches, totals, strict=True)]
    elif totals[-1]:
        precisions = list(map(operator.truediv, matches, totals))
    else:
        precisions = [m / t if t else 0.0 for m, t in zip(matches, totals, strict=True)]
    mean = 0.0
    if 0.0 not in precisions:
        mean = math.exp(sum(map((1.0 / order).__mul__, map(math.log, precisions))))
    ratio = length / reference_length
    penalty = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    return {
        "bleu": mean * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": length,
        "reference_length": reference_length,
    }


def google_bleu(
    plain: bool,
    predictions: list[Any],
    references: list[Any],
    /,
    tokenizer: Any = TOKENIZER_13A,
    min_len: int = 1,
    max_len: int = 4,
) -> dict[str, float]:
    """The score of ``google_bleu``; the parameters are as for ``bleu``."""
    usual = type(min_len) is int and type(max_len) is int and 1 <= min_len <= max_len
    if usual and type(tokenizer) is Tokenizer13a and (plain or _are_plain(predictions, references)):
        texts, text_rows = _whole_rows(predictions, references)
        one = count_segment(texts, text_rows, _13A, max_len, True)
        if one is not None:
            matches, larger = _gleu_of_one(*one, min_len, max_len)
        else:
            matches, larger = _gleu_of(match_texts(texts, text_rows, _13A, max_len, True), min_len, max_len)
        return {"google_bleu": matches / larger if larger else 0.0}
    rows = [[tokenizer(text) for text in row] for row in references]
    made = [tokenizer(text) for text in predictions]
    hyps = [list(tokens) for tokens in made]
    refs = [[list(tokens) for tokens in row] for row in rows]
    counts = _gleu_of_tokens(hyps, refs, min_len, max_len) if usual else None
    if counts is None:
        pairs = [_gleu_of_grams(tokens, row, min_len, max_len) for tokens, row in zip(hyps, refs, strict=True)]
        counts = sum(matches for matches, _ in pairs), sum(larger for _, larger in pairs)
    matches, larger = counts
    return {"google_bleu": matches / larger if larger else 0.0}


def _gleu_of_one(
    length: int, reference_lengths: tuple[int, ...], matches: tuple[int, ...], low: int, high: int
) -> tuple[int, int]:
    """Matches, and the larger number of n-grams, with the reference of the best ratio."""
    own = _ngrams(length, low, high)
    candidates = []
    for i, reference_length in enumerate(reference_lengths):
        larger = max(own, _ngrams(reference_length, low, high))
        if larger:
            candidates.append((sum(matches[i * high + low - 1 : (i + 1) * high]), larger))
    return max(candidates, key=_ratio, default=(0, 0))


def _ratio(counts: tuple[int, int]) -> float:
    return counts[0] / counts[1]


def _ngrams(length: int, low: int, high: int) -> int:
    """How many n-grams a sequence of this length has."""
    high = min(high, length)
    return (high - low + 1) * (2 * length - low - high + 2) // 2 if high >= low else 0


def _gleu_of(matched: Matched, low: int, high: int) -> tuple[int, int]:
    if not len(matched.lengths):
        return 0, 0
    orders = np.arange(low - 1, high)
    own = matched.spread(np.maximum(matched.lengths[:, None] - orders, 0).sum(axis=1))
    larger = np.maximum(own, np.maximum(matched.reference_lengths[:, None] - orders, 0).sum(axis=1))
    matches = matched.matches[:, low - 1 :].sum(axis=1)
    if len(matches) > len(matched.lengths):
        # A reference without an n-gram, where the prediction has none either, is no candidate.
        ratio = np.where(larger > 0, matches / np.maximum(larger, 1), -1.0)
        best = np.flatnonzero(ratio == matched.spread(np.maximum.reduceat(ratio, matched.starts)))
        segments = matched.spread(np.arange(len(matched.lengths)))[best]
        first = best[np.r_[True, segments[1:] != segments[:-1]]]
        matches, larger = matches[first], larger[first]
    return int(matches.sum()), int(larger.sum())


def _gleu_of_tokens(hyps: list[Tokens], refs: list[list[Tokens]], low: int, high: int) -> tuple[int, int] | None:
    """The same for tokens, or None if some are no keys of a dict, which matters only where n-grams are made of them."""
    # A prediction without a reference counts for nothing.
    kept = [i for i, row in enumerate(refs) if row]
    try:
        for i, row in enumerate(refs):
            if not row:
                set(hyps[i])
        matched = match_tokens([hyps[i] for i in kept], [refs[i] for i in kept], high, True)
    except TypeError:
        return None
    return _gleu_of(matched, low, high)


def _gleu_of_grams(tokens: Tokens, references: list[Tokens], min_len: Any, max_len: Any) -> tuple[int, int]:
    """The same for lengths of n-grams that the core does not have, as NLTK understands them."""
    grams = Counter(_every_gram(tokens, min_len, max_len))
    candidates = []
    for reference in references:
        reference_grams = Counter(_every_gram(reference, min_len, max_len))
        larger = max(grams.total(), reference_grams.total())
        if larger:
            candidates.append(((grams & reference_grams).total(), larger))
    return max(candidates, key=_ratio, default=(0, 0))


# NLTK does not make the n-grams of all lengths of a sequence that is longer.
_LONGEST_WITHOUT_LIMIT = 256


def _every_gram(tokens: Tokens, min_len: Any, max_len: Any) -> Iterator[tuple[Hashable, ...]]:
    """The n-grams that begin at each token, from ``min_len`` to ``max_len``.

    As in NLTK, a ``max_len`` of -1 or None is no limit, 0 as ``min_len`` gives an empty n-gram a token, and what is
    negative counts from the end of what could begin there.
    """
    if max_len == -1:
        max_len = len(tokens)
        if max_len > _LONGEST_WITHOUT_LIMIT:
            raise ValueError(f"max_len is -1, no limit, for {max_len} tokens; wanted a number, or fewer tokens")
    widest = len(list(islice(tokens, max_len)))  # a ValueError if it is no number from 0
    for start in range(len(tokens) if widest else 0):
        window = tokens[start : start + widest]
        for n in range(min_len, len(window) + 1):
            yield tuple(window[:n])


_SMOOTHING: dict[str, float | None] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
_MODELS = {
    "spm": "sacrebleu_tokenizer_spm.model",
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}
_TOKENIZERS = ("none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab", *_MODELS)
_ORDER = 4
_LOG_OF_ZERO = -9999999999
_LOGGER = logging.getLogger("sacrebleu")


def sacrebleu(
    plain: bool,
    predictions: list[Any],
    references: list[Any],
    /,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = False,
) -> dict[str, Any]:
    """The scores of ``sacrebleu``.

    Parameters
    ----------
    plain, predictions, references
        As for ``bleu``.
    smooth_method, smooth_value, force, lowercase, tokenize, use_effective_order
        As in evaluate.

    Returns
    -------
    dict
    """
    n_references = len(references[0])
    if len(references) > 1 and any(len(row) != n_references for row in references):
        raise ValueError(f"sacrebleu wants equally many references for each prediction, here {n_references}")
    if smooth_method not in _SMOOTHING:
        raise AssertionError(f"smooth_method is {smooth_method!r}; wanted one of {', '.join(_SMOOTHING)}")
    tokenizer = _sacrebleu_tokenizer(tokenize or "13a")
    if not n_references:
        raise IndexError("there are no references")
    missing = 0
    if not plain and not _are_plain(predictions, references):
        predictions, references, missing = _without_missing(predictions, references)
    if not force and len(predictions) >= 100 and sum([text.endswith(" .") for text in predictions]) >= 100:
        _LOGGER.warning("100 or more predictions end in a period that stands alone.")
        _LOGGER.warning("If they are tokenized, scores are lower than those of detokenized text.")
        _LOGGER.warning("Where they are not, or it does not matter, force=True stops these messages.")
    if lowercase:
        predictions, references = _each_text(str.lower, predictions, references)
    if tokenizer.rules is None:
        predictions, references = _each_text(str.rstrip, predictions, references)
    sums = (
        sum_texts(predictions, references, tokenizer, _ORDER, "closest")
        if predictions
        else Sums(0, 0, [0] * 4, [0] * 4)
    )
    length, reference_length = sums.length, sums.reference_length - missing
    score, precisions, penalty = _sacrebleu_of(
        sums.matches, sums.totals, length, reference_length, smooth_method, smooth_value, use_effective_order
    )
    return {
        "score": score,
        "counts": sums.matches,
        "totals": sums.totals,
        "precisions": precisions,
        "bp": penalty,
        "sys_len": length,
        "ref_len": reference_length,
    }


def _sacrebleu_of(
    matches: list[Any],
    totals: list[Any],
    length: int,
    reference_length: int,
    smooth_method: str,
    smooth_value: float | None,
    effective_order: bool,
) -> tuple[float, list[float], float]:
    """Score, precisions and brevity penalty; add-k changes the matches and totals that are passed."""
    value: Any = _SMOOTHING[smooth_method] if smooth_value is None else smooth_value
    penalty = 1.0
    if length < reference_length:
        penalty = math.exp(1 - reference_length / length) if length > 0 else 0.0
    precisions = [0.0] * _ORDER
    if not any(matches):
        return 0.0, precisions, penalty
    halvings, orders = 1.0, _ORDER
    for i in range(_ORDER):
        if i and smooth_method == "add-k":
            matches[i] += value
            totals[i] += value
        if totals[i] == 0:
            break
        if effective_order:
            orders = i + 1
        if matches[i]:
            precisions[i] = 100.0 * matches[i] / totals[i]
        elif smooth_method == "exp":
            halvings *= 2
            precisions[i] = 100.0 / (halvings * totals[i])
        elif smooth_method == "floor":
            precisions[i] = 100.0 * value / totals[i]
    logarithms = [math.log(p) if p != 0.0 else _LOG_OF_ZERO for p in precisions[:orders]]
    return penalty * math.exp(sum(logarithms) / orders), precisions, penalty


def _sacrebleu_tokenizer(name: str) -> Tokenizer:
    if name not in _TOKENIZERS:
        raise KeyError(name)
    if name in _MODELS:
        if name == "spm":
            _LOGGER.warning("The tokenizer 'spm' is 'flores101'.")
        home = os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu"
        model = Path(home, "models", _MODELS[name])
        if not model.is_file():
            raise FileNotFoundError(
                f"tokenize is {name!r}, whose model would be {model}; nothing is downloaded here, "
                "but sacrebleu puts it there when it first uses it"
            )
        return get_tokenizer(f"spm:{model}")
    try:
        return _by_name(name)
    except ImportError as error:
        raise RuntimeError(str(error)) from None


_by_name = cache(get_tokenizer)  # an analyser takes a while to load


def _without_missing(predictions: list[Any], references: list[Any]) -> tuple[list[str], list[list[str]], int]:
    """Rows without the references that are None, and how many rows had no other.

    sacreBLEU takes -1 for the length of no reference, and stumbles over it if the prediction has any token.
    """
    if None in predictions:
        raise TypeError(f"predictions[{predictions.index(None)}] is None; wanted a str")
    rows = [[text for text in row if text is not None] for row in references]
    kept = [i for i, row in enumerate(rows) if row]
    for text, row in zip(predictions, rows, strict=True):
        if not row and text.strip():
            raise TypeError("a prediction has no reference that is not None")
    return [predictions[i] for i in kept], [rows[i] for i in kept], len(rows) - len(kept)


def _each_text(function: Any, predictions: list[str], references: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    return list(map(function, predictions)), [list(map(function, row)) for row in references]


def _are_plain(predictions: list[Any], references: list[Any]) -> bool:
    """Whether all are str, and each prediction has a reference."""
    return all(references) and set(map(type, chain(predictions, chain.from_iterable(references)))) == {str}


def _whole_rows(predictions: list[str], references: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    for row in (predictions, *references):
        for text in row:
            if text[-1:].isspace():
                return _each_text(whole, predictions, references)
    return predictions, references


def _sequence(tokens: Any) -> Tokens:
    """What a tokenizer made, as a list, if it has a length and can be cut as ``bleu`` cuts it."""
    if type(tokens) is list:
        return tokens
    return [token for i in range(len(tokens)) for token in tuple(tokens[i : i + 1])]
