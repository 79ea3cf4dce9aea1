"""The door: hypotheses and references as a user passes them, checked, and ready to become token IDs.

A segment is a text, to be tokenized, or a sequence of tokens: all ints or all str. An entry of the references is one
segment or a list of them. What comes out is trusted by everything behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clipgram._arrays import as_array, as_list, id_array
from clipgram._backend import lists, ngrams, objects, text
from clipgram._describe import describe
from clipgram.batch import TokenBatch, as_batch, offsets_of
from clipgram.references import SEGMENT, Place, References, as_ids, check_strings, entries, flatten, is_token, tokenized
from clipgram.tokenizers import Tokenizer

# What the core's functions take first.
Arguments = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True)
class Matched:
    """What scores of segments are made of.

    Attributes
    ----------
    lengths, n_references : int64 arrays [B]
        Tokens of each hypothesis, and how many references it has.
    reference_lengths : int64 array [P]
        Tokens of all references of the first hypothesis, then of all of the second, and so on.
    matches : int64 array [B or P, max_order]
        One row a hypothesis, or one a hypothesis and reference of it.
    """

    lengths: np.ndarray
    n_references: np.ndarray
    reference_lengths: np.ndarray
    matches: np.ndarray

    @property
    def starts(self) -> np.ndarray:
        """The first reference of each hypothesis among all of them, int64 array [B]."""
        return np.cumsum(self.n_references) - self.n_references

    def spread(self, of_hypotheses: np.ndarray) -> np.ndarray:
        """What belongs to each hypothesis, once for each of its references: an array [P]."""
        if len(self.reference_lengths) == len(self.lengths):
            return of_hypotheses
        return np.repeat(of_hypotheses, self.n_references)


@dataclass(frozen=True, slots=True)
class Segments:
    """Hypotheses and references as IDs of one dtype, and which belong together.

    Attributes
    ----------
    hypotheses, references : TokenBatch
    group_offsets : int64 array [G + 1]
        Group ``g`` is the references ``group_offsets[g]`` to ``group_offsets[g + 1] - 1``, at least one.
    groups : int64 array [B]
        The group of each hypothesis. Neighbours that share their references have the same.
    n_ids : int
        If it is not 0, all IDs are from 0 to ``n_ids - 1``, and 0 is in no reference.
    """

    hypotheses: TokenBatch
    references: TokenBatch
    group_offsets: np.ndarray
    groups: np.ndarray
    n_ids: int = 0

    def __len__(self) -> int:
        return len(self.groups)

    def match(self, start: int, stop: int, max_order: int, per_reference: bool) -> Matched:
        """Count the matches of the segments from ``start`` to before ``stop``."""
        matches = ngrams.count_matches(*self._part(start, stop), max_order, per_reference, n_ids=self.n_ids)
        lengths = np.diff(self.hypotheses.offsets[start : stop + 1])
        return Matched(lengths, *self._reference_lengths(start, stop), matches)

    def match_prefixes(self, start: int, stop: int, max_order: int, per_reference: bool) -> Matched:
        """Count the matches of all prefixes of the segments from ``start`` to before ``stop``, shorter ones first."""
        matches = ngrams.match_prefixes(*self._part(start, stop), max_order, per_reference, n_ids=self.n_ids).T
        lengths = np.diff(self.hypotheses.offsets[start : stop + 1])
        n_references, reference_lengths = self._reference_lengths(start, stop)
        ends = np.cumsum(lengths)
        ramp = np.arange(1, lengths.sum() + 1, dtype=np.int64)
        ramp -= np.repeat(ends - lengths, lengths)
        times = np.repeat(n_references, lengths)
        if len(reference_lengths) == len(lengths):
            return Matched(ramp, times, np.repeat(reference_lengths, lengths), matches)
        # For each prefix its references: which one of the hypothesis', and where the matches with it are.
        first = np.repeat(np.cumsum(n_references) - n_references, lengths)
        which = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        if per_reference:
            before = lengths * n_references
            base = np.repeat(np.cumsum(before) - before, lengths) + ramp - 1
            matches = matches[np.repeat(base, times) + which * np.repeat(np.repeat(lengths, lengths), times)]
        return Matched(ramp, times, reference_lengths[np.repeat(first, times) + which], matches)

    def _part(self, start: int, stop: int) -> Arguments:
        return (
            self.hypotheses.values,
            self.hypotheses.offsets[start : stop + 1],
            self.references.values,
            self.references.offsets,
            self.group_offsets,
            self.groups[start:stop],
        )

    def _reference_lengths(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """How many references each hypothesis has, and their lengths, as in ``Matched``."""
        groups = self.groups[start:stop]
        n_references = np.diff(self.group_offsets)[groups]
        reference = groups
        if len(self.references) != len(self.group_offsets) - 1:
            reference = np.arange(n_references.sum())
            reference += np.repeat(self.group_offsets[groups] - (np.cumsum(n_references) - n_references), n_references)
        return n_references, self.references.lengths[reference]


@dataclass(frozen=True, slots=True)
class Strings:
    """Segments that are str or lists of str, as they came. They become IDs while they are counted.

    Attributes
    ----------
    hypotheses, references : list
        Texts, or lists of tokens that are str.
    group_offsets, groups : int64 arrays
        As in ``Segments``.
    rules : str or None
        The core's name for the tokenizer of texts; None for lists of tokens.
    explain : callable
        Finds what is no str, and raises an error that names its place.
    """

    hypotheses: list[Any]
    references: list[Any]
    group_offsets: np.ndarray
    groups: np.ndarray
    rules: str | None
    explain: Callable[[], None]

    def __len__(self) -> int:
        return len(self.groups)

    def match(self, start: int, stop: int, max_order: int, per_reference: bool) -> Matched:
        """As ``Segments.match``."""
        hyps, groups = self.hypotheses[start:stop], self.groups[start:stop]
        low, high = (int(groups.min()), int(groups.max()) + 1) if len(groups) else (0, 0)
        group_offsets = self.group_offsets[low : high + 1]
        refs = self.references[group_offsets[0] : group_offsets[-1]]
        which = group_offsets - group_offsets[0], groups - low
        _check_sizes(hyps, refs, *which)
        try:
            made = text.count(hyps, refs, *which, self.rules, max_order, per_reference)
        except TypeError:
            self.explain()
            raise
        return Matched(made[0], np.diff(group_offsets)[which[1]], made[1], made[2])

    def encoded(self) -> Segments:
        """All segments as IDs."""
        hyps, refs = list(self.hypotheses), list(self.references)
        _check_sizes(hyps, refs, self.group_offsets, self.groups)
        try:
            made = text.encode(hyps, refs, self.group_offsets, self.groups, self.rules)
        except TypeError:
            self.explain()
            raise
        hypotheses, references = TokenBatch._trusted(*made[:2]), TokenBatch._trusted(*made[2:4])
        return Segments(hypotheses, references, *made[4:])


def _check_sizes(hyps: list[Any], refs: list[Any], group_offsets: np.ndarray, groups: np.ndarray) -> None:
    """The core reads as far as the offsets say, and lists that came from elsewhere may have changed since."""
    if len(hyps) != len(groups) or len(refs) != group_offsets[-1]:
        raise RuntimeError("a list changed its length while it was read")


def collect(hypotheses: Any, references: Any, tokenizer: Tokenizer, ref_index: Any = None) -> Segments | Strings:
    """Take a batch of segments.

    Parameters
    ----------
    hypotheses : TokenBatch or iterable of segments
    references : TokenBatch or iterable
        ``references[i]`` is one segment, or a list of segments and of None for missing ones.
    tokenizer : Tokenizer
        For text.
    ref_index : integer array [B], optional
        Hypothesis ``i`` belongs to ``references[ref_index[i]]`` instead of ``references[i]``.
    """
    hyps = _segments(hypotheses, "hypotheses", "; for one segment there is sentence_score")
    refs: Any = entries(references)
    if ref_index is None:
        _check_lengths(hyps, refs)
    return _collect(hyps, refs, tokenizer, ref_index, "hypotheses[{}]".format, "references[{}]".format)


def collect_one(hypothesis: Any, references: Any, tokenizer: Tokenizer) -> Segments | Strings:
    """Take one segment: ``references`` is one reference, or a list of them and of None for missing ones."""
    if not isinstance(references, References):
        references = [references]
    elif len(references) != 1:
        raise ValueError(f"references has {len(references)} entries; wanted one, such as references[0]")
    _refuse_several(hypothesis)
    return _collect([hypothesis], references, tokenizer, None, lambda i: "hypothesis", lambda i: "references")


def _refuse_several(hypothesis: Any) -> None:
    """See to it that what should be one segment is not a batch, nor NLTK's first argument, which is the references."""
    if isinstance(hypothesis, TokenBatch) or getattr(hypothesis, "ndim", 1) == 2:
        array = None if isinstance(hypothesis, TokenBatch) else as_array(hypothesis, "hypothesis")
        what = describe(hypothesis if array is None else array)
        raise ValueError(f"hypothesis is {what}; wanted one dimension; for a batch there is sentence_scores")
    if isinstance(hypothesis, (list, tuple)) and hypothesis and isinstance(hypothesis[0], (list, tuple)):
        raise TypeError(
            f"hypothesis[0] is {describe(hypothesis[0])}; wanted a token: the hypothesis comes first, and is one "
            "segment; for a batch there is sentence_scores"
        )


def collect_sides(hypotheses: Any, references: Any, tokenizer: Tokenizer) -> tuple[TokenBatch, int]:
    """Take segments to be compared each with each.

    Parameters
    ----------
    hypotheses : TokenBatch or iterable of segments
    references : the same, or None
    tokenizer : Tokenizer

    Returns
    -------
    TokenBatch, int
        The hypotheses, and behind them the references if there are any; and how many are hypotheses.
    """
    names = ["hypotheses", "references"][: 1 if references is None else 2]
    sides = [_segments(side, name) for side, name in zip((hypotheses, references), names, strict=False)]
    n = len(sides[0])

    def place(i: int) -> str:
        return f"hypotheses[{i}]" if i < n else f"references[{i - n}]"

    if all(isinstance(side, TokenBatch) for side in sides):
        dtype = np.result_type(*[side.values for side in sides])
        values = np.concatenate([side.values.astype(dtype, copy=False) for side in sides])
        return TokenBatch._trusted(values, offsets_of(np.concatenate([side.lengths for side in sides]))), n
    flat = [segment for side in sides for segment in side]
    if _is_text(flat, place):
        if tokenizer.rules is not None:
            return _numbered(list(map(tokenizer.prepare, flat)), tokenizer.rules), n
        flat = tokenized(flat, tokenizer, place)
    tokens = as_ids(flat, place)
    if isinstance(tokens, TokenBatch):
        return tokens, n
    check_strings(tokens, place)
    return _numbered(tokens, None), n


def _numbered(segments: list[Any], rules: str | None) -> TokenBatch:
    """Texts or lists of str as IDs that all of them share: read as the references of one hypothesis."""
    made = text.encode([""] if rules else [[]], segments, np.array([0, len(segments)], np.int64), np.zeros(1, np.int64), rules)
    return TokenBatch._trusted(*made[2:4])


def collect_objects(hypotheses: Any, references: Any) -> Segments | None:
    """Take tokens of any kind, which only drop-ins do; equal ones are equal keys of a dict.

    Parameters
    ----------
    hypotheses : list or tuple
        Of lists, tuples, or str, which are sequences of characters.
    references : list or tuple
        As many lists or tuples of such, none of them empty.

    Returns
    -------
    Segments, or None if the arguments are anything else.
    """
    named = objects.name_objects(hypotheses, references)
    if named is None:
        return None
    hyp_ids, hyp_offsets, ref_ids, ref_offsets, group_offsets, groups, n_ids = named
    hyps, refs = TokenBatch._trusted(hyp_ids, hyp_offsets), TokenBatch._trusted(ref_ids, ref_offsets)
    return Segments(hyps, refs, group_offsets, groups, n_ids)


def _collect(
    hyps: Any, refs: Any, tokenizer: Tokenizer, ref_index: Any, hyp_place: Place, ref_place: Place
) -> Segments | Strings:
    are_text = _is_text(hyps, hyp_place)
    hyp_ids = None if are_text else as_ids(hyps, hyp_place)
    prepared = isinstance(refs, References)
    if prepared:
        are_text = are_text if len(hyps) else refs._holds_text
        flat, group_offsets, groups = refs._for(are_text, tokenizer)
        flat_place = ref_place
    else:
        refs = refs if len(hyps) else []  # of what kind they are, only a hypothesis could tell
        flat, group_offsets, groups, flat_place = flatten(refs, are_text, ref_place)
    if ref_index is not None:
        groups = groups[_check_ref_index(ref_index, len(hyps), len(refs))]
    if are_text and tokenizer.rules is not None:
        if not tokenizer.takes_text_as_it_is:
            hyps = list(map(tokenizer.prepare, hyps))
            flat = flat if prepared else list(map(tokenizer.prepare, flat))
        return Strings(hyps, flat, group_offsets, groups, tokenizer.rules, lambda: None)
    if are_text:
        hyps = tokenized(hyps, tokenizer, hyp_place)
        hyp_ids = as_ids(hyps, hyp_place)
        flat = flat if prepared else tokenized(flat, tokenizer, flat_place)
    ref_ids = as_ids(flat, flat_place)
    if isinstance(hyp_ids, TokenBatch) and isinstance(ref_ids, TokenBatch):
        return Segments(*_of_one_dtype(hyp_ids, ref_ids), group_offsets, groups)

    def explain() -> None:
        check_strings(hyps, hyp_place)
        check_strings(flat, flat_place)

    hyp_tokens, ref_tokens = _as_strings(hyp_ids, explain), _as_strings(ref_ids, explain)
    return Strings(hyp_tokens, ref_tokens, group_offsets, groups, None, explain)


def _of_one_dtype(hyps: TokenBatch, refs: TokenBatch) -> tuple[TokenBatch, TokenBatch]:
    """Both with IDs of one dtype: that of the hypotheses, which are mostly more, if the references' IDs fit in it."""
    values = refs.values
    narrowed = hyps.values.dtype == np.int32 and values.dtype == np.int64 and len(values) > 0
    if narrowed and (values.min() < -(2**31) or values.max() >= 2**31):
        return hyps.astype(np.int64), refs
    return hyps, refs.astype(hyps.values.dtype)


def _as_strings(sequences: Any, explain: Callable[[], None]) -> list[Any]:
    """Lists or tuples of str as they are; sequences without a token may be of either kind."""
    if not isinstance(sequences, TokenBatch):
        return sequences
    if len(sequences.values):
        explain()
    return [[]] * len(sequences)


def _segments(things: Any, name: str, hint: str = "") -> Any:
    batch = as_batch(things, name)
    if batch is not None:
        return batch
    # A copy: another thread may change the list while it is gone through, more than once and by the core.
    made = list(as_list(things, name, "a list of segments" + hint))
    if made and not isinstance(made[0], str) and is_token(made[0]):
        if getattr(things, "ndim", 0) == 1:
            raise ValueError(
                f"{name} is a one-dimensional array of shape {tuple(things.shape)}, one segment; "
                f"wanted a list of segments or a matrix{hint}"
            )
        raise TypeError(f"{name}[0] is {describe(made[0])}; wanted {SEGMENT}{hint}")
    return made


def _check_lengths(hyps: Sequence[Any], refs: Sequence[Any]) -> None:
    if len(hyps) == len(refs):
        return
    message = f"hypotheses has {len(hyps)} entries and references {len(refs)}; references[i] belongs to hypotheses[i]"
    if len(refs) and all(isinstance(entry, (list, tuple)) and len(entry) == len(hyps) for entry in refs):
        message += (
            f". This looks like sacreBLEU's streams, {len(refs)} of {len(hyps)} references each: "
            "list(zip(*references)) makes one entry a hypothesis of them"
        )
    elif len(refs) == 1:
        message += f". If all share one reference, repeat it or give ref_index=[0] * {len(hyps)}"
    raise ValueError(message)


def _check_ref_index(ref_index: Any, n_hyps: int, n_refs: int) -> np.ndarray:
    index = id_array(ref_index, "ref_index", "indices are integers").astype(np.int64)
    if len(index) != n_hyps:
        raise ValueError(f"ref_index has {len(index)} entries for {n_hyps} hypotheses")
    wrong = np.flatnonzero((index < 0) | (index >= n_refs))
    if len(wrong):
        raise ValueError(f"ref_index[{wrong[0]}] is {index[wrong[0]]}; references has {n_refs} entries")
    return index


def _is_text(hyps: Any, place: Place) -> bool:
    """Whether the hypotheses are text: all of them or none."""
    if isinstance(hyps, TokenBatch):
        return False
    text = bool(hyps) and isinstance(hyps[0], str)
    if text and lists.all_str(hyps):
        return True
    for i, hyp in enumerate(hyps):
        if isinstance(hyp, str) != text:
            raise TypeError(f"{place(i)} is {describe(hyp)} and {place(0)} {describe(hyps[0])}; one call takes one kind")
    return text
