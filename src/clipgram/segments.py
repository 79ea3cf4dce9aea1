"""The door: hypotheses and references as a user passes them, checked and turned into token IDs.

A segment is a text, to be tokenized, or a sequence of tokens: all ints or all str. An entry of the references is one
segment or a list of them. What comes out is trusted by everything behind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

import numpy as np

from clipgram._arrays import as_array, as_list, id_array
from clipgram._describe import describe
from clipgram.batch import TokenBatch, join_ids, offsets_of
from clipgram.tokenizers import Tokenizer

SEGMENT = "a str or a sequence of tokens"


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

    @property
    def n_references(self) -> np.ndarray:
        """The number of references of each segment, int64 array [B]."""
        return np.diff(self.group_offsets)[self.groups]


def collect(hypotheses: Any, references: Any, tokenizer: Tokenizer, ref_index: Any = None) -> Segments:
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


def collect_one(hypothesis: Any, references: Any, tokenizer: Tokenizer) -> Segments:
    """Take one segment: ``references`` is one reference, or a list of them and of None for missing ones."""
    return _collect([hypothesis], [references], tokenizer, None, lambda i: "hypothesis", lambda i: "references")


def _collect(
    hyps: Any,
    refs: Any,
    tokenizer: Tokenizer,
    ref_index: Any,
    hyp_place: Callable[[int], str],
    ref_place: Callable[[int], str],
) -> Segments:
    text = _is_text(hyps, hyp_place)
    if not text and not isinstance(hyps, TokenBatch):
        hyps = [_tokens(hyp, hyp_place(i)) for i, hyp in enumerate(hyps)]
    if isinstance(refs, TokenBatch):
        if text:
            raise TypeError("the hypotheses are text and the references a TokenBatch; one call takes one kind")
        flat: Any = refs
        places = [(i, None) for i in range(len(refs))]
        sizes, groups = np.ones(len(refs), np.int64), np.arange(len(refs))
    else:
        flat, places, sizes, groups = _flatten(refs, text, ref_index is None, ref_place)
    if ref_index is not None:
        groups = _check_ref_index(ref_index, len(hyps), len(refs))

    def flat_place(r: int) -> str:
        i, j = places[r]
        return ref_place(i) if j is None else f"{ref_place(i)}[{j}]"

    hyp_batch, ref_batch = _encode(hyps, flat, tokenizer if text else None, hyp_place, flat_place)
    return Segments(hyp_batch, ref_batch, offsets_of(sizes), np.asarray(groups, np.int64))


def _batch(things: Any, name: str, wanted: str, hint: str) -> Any:
    if isinstance(things, TokenBatch):
        return things
    return as_list(things, name, wanted + (hint if isinstance(things, str) else ""))


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


def _is_text(hyps: Sequence[Any], place: Callable[[int], str]) -> bool:
    """Whether the hypotheses are text: all of them or none."""
    if isinstance(hyps, TokenBatch):
        return False
    text = bool(hyps) and isinstance(hyps[0], str)
    for i, hyp in enumerate(hyps):
        if isinstance(hyp, str) != text:
            raise TypeError(f"{place(i)} is {describe(hyp)} and {place(0)} {describe(hyps[0])}; one call takes one kind")
    return text


def _flatten(
    refs: list[Any], text: bool, share: bool, place: Callable[[int], str]
) -> tuple[list[Any], list[tuple[int, int | None]], list[int], list[int]]:
    """All references in one list, their places, the number in each group, and the group of each entry."""
    flat: list[Any] = []
    places: list[tuple[int, int | None]] = []
    sizes: list[int] = []
    groups: list[int] = []
    bare_empty = None
    for i, entry in enumerate(refs):
        if share and i and _is_same(entry, refs[i - 1]):
            groups.append(groups[-1])
            continue
        bare, found = _references_of(entry, text, place(i))
        if bare and not len(found[0]):
            bare_empty = i if bare_empty is None else bare_empty
        present = [(j, reference) for j, reference in enumerate(found) if reference is not None]
        if not present:
            raise ValueError(f"{place(i)} has no reference; each hypothesis needs at least one that is not None")
        for j, reference in present:
            if isinstance(reference, str) != text:
                name = place(i) if bare else f"{place(i)}[{j}]"
                kind = "a text" if text else "a sequence of tokens"
                raise TypeError(f"{name} is {describe(reference)}; the hypothesis is {kind}, and one call takes one kind")
            flat.append(reference)
            places.append((i, None if bare else j))
        groups.append(len(sizes))
        sizes.append(len(present))
    nested = any(j is not None for _, j in places)
    if nested and bare_empty is not None and not text:
        raise ValueError(f"{place(bare_empty)} has no reference; among lists of references an empty one is [[]]")
    return flat, places, sizes, groups


def _is_same(entry: Any, before: Any) -> bool:
    return entry is before or (isinstance(entry, str) and isinstance(before, str) and entry == before)


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


def _encode(
    hyps: Any,
    refs: Any,
    tokenizer: Tokenizer | None,
    hyp_place: Callable[[int], str],
    ref_place: Callable[[int], str],
) -> tuple[TokenBatch, TokenBatch]:
    """Hypotheses and references as batches of one dtype."""
    if tokenizer is not None:
        hyps = [_tokenize(text, tokenizer, hyp_place(i)) for i, text in enumerate(hyps)]
        refs = [_tokenize(text, tokenizer, ref_place(i)) for i, text in enumerate(refs)]
    elif not isinstance(refs, TokenBatch):
        refs = [_tokens(ref, ref_place(i)) for i, ref in enumerate(refs)]
    if _has_strings(hyps) or _has_strings(refs):
        ids: defaultdict[str, int] = defaultdict(count().__next__)
        hyp_batch, ref_batch = _intern(hyps, ids, hyp_place), _intern(refs, ids, ref_place)
    else:
        hyp_batch = hyps if isinstance(hyps, TokenBatch) else join_ids(hyps, hyp_place)
        ref_batch = refs if isinstance(refs, TokenBatch) else join_ids(refs, ref_place)
    dtype = np.promote_types(hyp_batch.values.dtype, ref_batch.values.dtype)
    return hyp_batch.astype(dtype), ref_batch.astype(dtype)


def _tokenize(text: str, tokenizer: Tokenizer, name: str) -> Any:
    tokens = tokenizer(text)
    if isinstance(tokens, str) or tokens is None:
        raise TypeError(f"the tokenizer made {describe(tokens)} of {name}; wanted a sequence of tokens")
    return _tokens(tokens, f"what the tokenizer made of {name}")


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


def _intern(sequences: Any, ids: defaultdict[str, int], place: Callable[[int], str]) -> TokenBatch:
    """Give equal strings equal IDs."""
    if isinstance(sequences, TokenBatch):
        raise TypeError("some tokens are str and some are IDs; one call takes one kind")
    known = len(ids)
    lengths = [len(tokens) for tokens in sequences]
    try:
        values = np.fromiter(map(ids.__getitem__, chain.from_iterable(sequences)), np.int32, sum(lengths))
        strange = any(not isinstance(token, str) for token in list(ids)[known:])
    except TypeError:  # not hashable
        strange = True
    if strange:
        for i, tokens in enumerate(sequences):
            for j, token in enumerate(tokens):
                if not isinstance(token, str):
                    raise TypeError(f"{place(i)}[{j}] is {describe(token)}; tokens are all ints or all str")
    return TokenBatch._trusted(values, offsets_of(lengths))
