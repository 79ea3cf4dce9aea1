"""The door: hypotheses and references as a user passes them, checked, and ready to become token IDs.

A segment is a text, to be tokenized, or a sequence of tokens: all ints or all str. An entry of the references is one
segment or a list of them. What comes out is trusted by everything behind.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clipgram._arrays import as_array, as_list, id_array
from clipgram._backend import lists, ngrams, text
from clipgram._describe import describe
from clipgram.batch import TokenBatch, join_ids, offsets_of
from clipgram.tokenizers import Tokenizer

SEGMENT = "a str or a sequence of tokens"
Place = Callable[[int], str]


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
    """

    hypotheses: TokenBatch
    references: TokenBatch
    group_offsets: np.ndarray
    groups: np.ndarray

    def __len__(self) -> int:
        return len(self.groups)

    def match(self, start: int, stop: int, max_order: int, per_reference: bool) -> Matched:
        """Count the matches of the segments from ``start`` to before ``stop``."""
        groups = self.groups[start:stop]
        offsets = self.hypotheses.offsets[start : stop + 1]
        n_references = np.diff(self.group_offsets)[groups]
        reference = groups
        if len(self.references) != len(self.group_offsets) - 1:
            reference = np.arange(n_references.sum())
            reference += np.repeat(self.group_offsets[groups] - (np.cumsum(n_references) - n_references), n_references)
        matches = ngrams.count_matches(
            self.hypotheses.values,
            offsets,
            self.references.values,
            self.references.offsets,
            self.group_offsets,
            groups,
            max_order,
            per_reference,
        )
        return Matched(np.diff(offsets), n_references, self.references.lengths[reference], matches)


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
        try:
            made = text.count(hyps, refs, *which, self.rules, max_order, per_reference)
        except TypeError:
            self.explain()
            raise
        return Matched(made[0], np.diff(group_offsets)[which[1]], made[1], made[2])


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
    hyps = _batch(hypotheses, "hypotheses", "a list of segments", "; for one segment there is sentence_score")
    refs = _batch(references, "references", "a list with one entry a hypothesis", "")
    if ref_index is None:
        _check_lengths(hyps, refs)
    return _collect(hyps, refs, tokenizer, ref_index, "hypotheses[{}]".format, "references[{}]".format)


def collect_one(hypothesis: Any, references: Any, tokenizer: Tokenizer) -> Segments | Strings:
    """Take one segment: ``references`` is one reference, or a list of them and of None for missing ones."""
    return _collect([hypothesis], [references], tokenizer, None, lambda i: "hypothesis", lambda i: "references")


def _collect(
    hyps: Any, refs: Any, tokenizer: Tokenizer, ref_index: Any, hyp_place: Place, ref_place: Place
) -> Segments | Strings:
    are_text = _is_text(hyps, hyp_place)
    if not are_text and not isinstance(hyps, TokenBatch) and not set(map(type, hyps)) <= {list, tuple}:
        hyps = [_tokens(hyp, hyp_place(i)) for i, hyp in enumerate(hyps)]
    flat, group_offsets, groups, flat_place = _flatten(refs, are_text, ref_place)
    if ref_index is not None:
        groups = _check_ref_index(ref_index, len(hyps), len(refs))
    if are_text:
        if tokenizer.rules is not None:
            if not tokenizer.takes_text_as_it_is:
                hyps, flat = list(map(tokenizer.prepare, hyps)), list(map(tokenizer.prepare, flat))
            return Strings(hyps, flat, group_offsets, groups, tokenizer.rules, lambda: None)
        hyps = _tokenized(hyps, tokenizer, hyp_place)
        flat = _tokenized(flat, tokenizer, flat_place)
    elif not isinstance(flat, TokenBatch) and not set(map(type, flat)) <= {list, tuple}:
        flat = [_tokens(ref, flat_place(i)) for i, ref in enumerate(flat)]
    if _has_strings(hyps) or _has_strings(flat):

        def explain() -> None:
            _check_strings(hyps, hyp_place)
            _check_strings(flat, flat_place)

        if isinstance(hyps, TokenBatch) or isinstance(flat, TokenBatch):
            explain()
        return Strings(hyps, flat, group_offsets, groups, None, explain)
    hyp_batch = hyps if isinstance(hyps, TokenBatch) else join_ids(hyps, hyp_place)
    ref_batch = flat if isinstance(flat, TokenBatch) else join_ids(flat, flat_place)
    dtype = np.promote_types(hyp_batch.values.dtype, ref_batch.values.dtype)
    return Segments(hyp_batch.astype(dtype), ref_batch.astype(dtype), group_offsets, groups)


def _batch(things: Any, name: str, wanted: str, hint: str) -> Any:
    if isinstance(things, TokenBatch):
        return things
    # A copy: another thread may change the list while it is gone through, more than once and by the core.
    return list(as_list(things, name, wanted + (hint if isinstance(things, str) else "")))


def _check_lengths(hyps: Sequence[Any], refs: Sequence[Any]) -> None:
    if len(hyps) == len(refs):
        return
    message = f"hypotheses has {len(hyps)} entries and references {len(refs)}; references[i] belongs to hypotheses[i]"
    if len(refs) and all(isinstance(entry, (list, tuple)) and len(entry) == len(hyps) for entry in refs):
        message += (
            f". This looks like sacreBLEU's streams, {len(refs)} of {len(hyps)} references each: "
            "list(zip(*references)) makes one entry a hypothesis of them"
        )
    raise ValueError(message)


def _check_ref_index(ref_index: Any, n_hyps: int, n_refs: int) -> np.ndarray:
    index = id_array(ref_index, "ref_index").astype(np.int64)
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


def _flatten(refs: Any, text: bool, place: Place) -> tuple[Any, np.ndarray, np.ndarray, Place]:
    """All references in one sequence, where each group begins in it, the group of each entry, and their places."""
    n = len(refs)
    if isinstance(refs, TokenBatch):
        if text:
            raise TypeError("the hypotheses are text and the references a TokenBatch; one call takes one kind")
        return refs, np.arange(n + 1), np.arange(n), place
    # The usual forms of text by a quick look.
    if text and isinstance(refs[0], str) and lists.all_str(refs):
        return refs, np.arange(n + 1), np.arange(n), place
    joined = lists.flatten(refs) if text else lists.flatten_tokens(refs) if refs else None
    if joined is not None:
        flat, sizes = joined
        groups = np.arange(n) if text else _shared_groups(refs)
        return flat, offsets_of(sizes), groups, _place_in_lists(refs, flat, sizes, place)
    return _flatten_any(refs, text, place)


def _shared_groups(refs: list[Any]) -> np.ndarray:
    """The group of each entry: that of the one before if it is the same object."""
    same = np.fromiter(map(operator.is_, refs[1:], refs), bool, len(refs) - 1)
    return np.maximum.accumulate(np.where(np.r_[False, same], 0, np.arange(len(refs))))


def _place_in_lists(refs: list[Any], flat: list[Any], sizes: Sequence[int], place: Place) -> Place:
    def of_flat(r: int) -> str:
        ends = np.cumsum(sizes)
        i = int(np.searchsorted(ends, r, side="right"))
        return place(i) if refs[i] is flat[r] else f"{place(i)}[{r - int(ends[i]) + sizes[i]}]"

    return of_flat


def _flatten_any(refs: list[Any], text: bool, place: Place) -> tuple[list[Any], np.ndarray, np.ndarray, Place]:
    flat: list[Any] = []
    places: list[str] = []
    sizes: list[int] = []
    groups: list[int] = []
    bare_empty, nested = None, False
    for i, entry in enumerate(refs):
        if i and entry is refs[i - 1]:
            groups.append(groups[-1])
            continue
        bare, found = _references_of(entry, text, place(i))
        nested = nested or not bare
        if bare and not text and bare_empty is None and not len(found[0]):
            bare_empty = i
        before = len(flat)
        for j, reference in enumerate(found):
            if reference is None:
                continue
            name = place(i) if bare else f"{place(i)}[{j}]"
            if isinstance(reference, str) != text:
                kind = "a text" if text else "a sequence of tokens"
                raise TypeError(f"{name} is {describe(reference)}; the hypothesis is {kind}, and one call takes one kind")
            flat.append(reference)
            places.append(name)
        if len(flat) == before:
            raise ValueError(f"{place(i)} has no reference; each hypothesis needs at least one that is not None")
        groups.append(len(sizes))
        sizes.append(len(flat) - before)
    if nested and bare_empty is not None:
        raise ValueError(f"{place(bare_empty)} has no reference; among lists of references an empty one is [[]]")
    return flat, offsets_of(sizes), np.array(groups, np.int64), places.__getitem__


def _references_of(entry: Any, text: bool, name: str) -> tuple[bool, Sequence[Any]]:
    """The references of an entry, and whether the entry is one reference by itself."""
    wanted = f"one reference or a list of them, a reference being {'a str' if text else 'a sequence of tokens'}"
    if isinstance(entry, str) and text:
        return True, [entry]
    if entry is None:
        return False, []
    if isinstance(entry, TokenBatch):
        return False, list(entry)
    if not text:
        array = as_array(entry, name)
        if array is not None and array.dtype != object:
            if array.ndim not in (1, 2):
                raise ValueError(f"{name} is {describe(array)}; wanted one dimension, or two for a reference a row")
            return (True, [array]) if array.ndim == 1 else (False, list(array))
    items = as_list(entry, name, wanted)
    if not text and (not items or _is_token(items[0])):
        return True, [items]
    return False, items


def _is_token(thing: Any) -> bool:
    return isinstance(thing, str) or (hasattr(thing, "__index__") and not np.ndim(thing))


def _tokenized(texts: Sequence[str], tokenizer: Tokenizer, place: Place) -> list[Any]:
    """What a tokenizer that is not the core's makes of texts."""
    made = tokenizer.tokens_of(texts)
    if len(made) != len(texts):
        raise ValueError(f"the tokenizer made {len(made)} sequences of tokens of {len(texts)} texts")
    for i, tokens in enumerate(made):
        if isinstance(tokens, str) or tokens is None:
            raise TypeError(f"the tokenizer made {describe(tokens)} of {place(i)}; wanted a sequence of tokens")
    return [_tokens(tokens, f"what the tokenizer made of {place(i)}") for i, tokens in enumerate(made)]


def _tokens(segment: Any, name: str) -> Any:
    """One sequence of tokens as a list, a tuple or an array."""
    if type(segment) in (list, tuple):
        return segment
    array = as_array(segment, name)
    if array is None:
        return as_list(segment, name, SEGMENT)
    if array.dtype.kind == "U":
        return array.tolist()
    return id_array(array, name)


def _has_strings(sequences: Any) -> bool:
    if isinstance(sequences, TokenBatch):
        return False
    return any(isinstance(tokens[0], str) for tokens in sequences if len(tokens))


def _check_strings(sequences: Any, place: Place) -> None:
    """See to it that all tokens are str, where some are."""
    if isinstance(sequences, TokenBatch):
        raise TypeError("some tokens are str and some are IDs; one call takes one kind")
    for i, tokens in enumerate(sequences):
        for j, token in enumerate(tokens):
            if not isinstance(token, str):
                raise TypeError(f"{place(i)}[{j}] is {describe(token)}; tokens are all ints or all str")
