"""References: whatever form they come in, as one flat sequence in groups; and those that are prepared once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from clipgram._arrays import TOKENS, as_array, as_list, id_array
from clipgram._backend import lists
from clipgram._describe import describe
from clipgram.batch import TokenBatch, as_batch, join_ids, offsets_of
from clipgram.tokenizers import AnyTokenizer, Form, Tokenizer, get_tokenizer

SEGMENT = "a str or a sequence of tokens"
Place = Callable[[int], str]


class References:
    """References that are scored against more than once, prepared once.

    A metric takes them wherever it takes references, most often with ``ref_index``, which says for each hypothesis to
    which entry it belongs; ``references[i]`` is one entry by itself, for ``sentence_score``.

    They are checked and flattened here, and then not again. How much that saves depends on what they are. Token IDs
    become one array, which is ready for the core: much, above all if each call needs only some of the entries. Text
    for a tokenizer that is no part of the core (a callable, another library's) is tokenized here: much again. Text for
    one that is (``13a``, ``none``, ...) is only lowercased and normalized, if that is wanted: little otherwise, because
    the core reads text as fast as it could read kept tokens.

    Parameters
    ----------
    references : list, TokenBatch, or any form that a metric takes
        ``references[i]`` is one reference or a list of references, where None stands for one that is missing.
    tokenize : str, callable, another library's tokenizer, or None
        For text, and as for the metric that will score it. None: lists of str are tokens, and there is no text. It
        does not matter for token IDs.
    lowercase, normalize
        As for the metric. Where there is no text they do not matter.

    Raises
    ------
    TypeError, ValueError
        If something is not of that form. A metric raises a ValueError where its own tokenizer is another one.

    Notes
    -----
    Text whose tokenizer makes IDs may be compared with hypotheses that are IDs: give the model's tokenizer here, and
    the IDs that the model made to the metric.

    Examples
    --------
    >>> from clipgram import BLEU
    >>> references = References([[[11, 5, 8, 9], [11, 5]], [[2, 7, 7, 1]]])
    >>> references
    References(2 entries, 3 references, 10 tokens)
    >>> BLEU().sentence_scores([[11, 5, 8, 9], [11, 5, 7], [2, 7]], references, ref_index=[0, 0, 1]).tolist()
    [1.0, 0.5503212081491045, 0.36787944117144233]
    >>> BLEU().sentence_score([2, 7, 7, 1], references[1]).score
    1.0
    """

    __slots__ = ("_flat", "_group_offsets", "_groups", "_tokenizer")
    _flat: TokenBatch | list[Any]
    _group_offsets: np.ndarray
    _groups: np.ndarray
    _tokenizer: Tokenizer | None

    def __init__(
        self,
        references: Any,
        *,
        tokenize: AnyTokenizer | None = "13a",
        lowercase: bool = False,
        normalize: Form | None = None,
    ) -> None:
        refs = entries(references)
        if isinstance(refs, References):
            raise TypeError("references are prepared already")
        text = _are_text(refs, tokenize)
        flat, self._group_offsets, self._groups, place = flatten(refs, text, "references[{}]".format)
        self._tokenizer = get_tokenizer(tokenize, lowercase, normalize) if text else None
        if self._tokenizer is not None:
            if self._holds_text:
                self._flat = list(map(self._tokenizer.prepare, flat))
                return
            flat = tokenized(flat, self._tokenizer, place)
        self._flat = as_ids(flat, place)
        if not isinstance(self._flat, TokenBatch):
            check_strings(self._flat, place)
            self._flat = list(map(list, self._flat))

    def __len__(self) -> int:
        return len(self._groups)

    def __getitem__(self, i: int) -> References:
        """One entry by itself, as for ``sentence_score``."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"entry {i} of {len(self)}")
        first, last = self._group_offsets[self._groups[i] :][:2].tolist()
        one: References = object.__new__(References)
        if isinstance(self._flat, TokenBatch):
            offsets = self._flat.offsets[first : last + 1]
            one._flat = TokenBatch._trusted(self._flat.values[offsets[0] : offsets[-1]], offsets - offsets[0])
        else:
            one._flat = self._flat[first:last]
        one._group_offsets, one._groups = np.array([0, last - first], np.int64), np.zeros(1, np.int64)
        one._tokenizer = self._tokenizer
        return one

    def __repr__(self) -> str:
        if isinstance(self._flat, TokenBatch):
            what = f"{len(self._flat.values)} tokens"
        elif self._tokenizer is not None and self._tokenizer.rules is not None:
            what = f"text for the tokenizer {self._tokenizer.name}"
        else:
            what = f"{sum(map(len, self._flat))} tokens"
        return f"References({len(self)} entries, {len(self._flat)} references, {what})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._flat, self._group_offsets, self._groups, self._tokenizer)

    @property
    def _holds_text(self) -> bool:
        return self._tokenizer is not None and self._tokenizer.rules is not None

    def _for(self, text: bool, tokenizer: Tokenizer) -> tuple[Any, np.ndarray, np.ndarray]:
        """What ``flatten`` returns, if these references go with hypotheses of that kind under that tokenizer."""
        mine = self._tokenizer
        if text and mine is None:
            raise TypeError(
                "the hypotheses are text and the references were prepared as tokens; one call takes one kind"
            )
        if not text and self._holds_text:
            raise TypeError(
                "the hypotheses are tokens and the references were prepared as text; one call takes one kind"
            )
        if text and mine is not None and not mine.agrees_with(tokenizer):
            raise ValueError(
                f"the references were prepared for {mine.described} and the metric's tokenizer is "
                f"{tokenizer.described}; give References the options of the metric"
            )
        return self._flat, self._group_offsets, self._groups


    def _in_lists(self, text: bool, tokenizer: Tokenizer) -> list[Any] | None:
        """The only entry as the core takes the references of a single segment; None if they must go another way."""
        if len(self) != 1 or text != self._holds_text:
            return None
        if isinstance(self._flat, TokenBatch):
            return [ids.tolist() for ids in self._flat]
        mine = self._tokenizer
        return self._flat if not text or mine is None or mine.agrees_with(tokenizer) else None


def _restore(flat: Any, group_offsets: np.ndarray, groups: np.ndarray, tokenizer: Tokenizer | None) -> References:
    """References that were pickled."""
    references: References = object.__new__(References)
    references._flat, references._group_offsets, references._groups = flat, group_offsets, groups
    references._tokenizer = tokenizer
    return references


def entries(references: Any) -> TokenBatch | References | list[Any]:
    """References as something with a length, an entry for each hypothesis or each index."""
    if isinstance(references, (TokenBatch, References)):
        return references
    batch = as_batch(references, "references")
    if batch is not None:
        return batch
    # A copy, as in segments.collect.
    return list(as_list(references, "references", "a list with one entry a hypothesis"))


def _are_text(refs: TokenBatch | list[Any], tokenize: AnyTokenizer | None) -> bool:
    """Whether references are text, as far as the first of them tells."""
    if isinstance(refs, TokenBatch):
        return False
    for i, entry in enumerate(refs):
        if isinstance(entry, str):
            if tokenize is None:
                raise TypeError(f"references[{i}] is {describe(entry)}; wanted tokens, as tokenize is None")
            return True
        if entry is None or not isinstance(entry, (list, tuple)):
            if entry is not None:
                return False
            continue
        for reference in entry:
            if reference is not None:
                return isinstance(reference, str) and tokenize is not None
    return False


def flatten(refs: Any, text: bool, place: Place) -> tuple[Any, np.ndarray, np.ndarray, Place]:
    """All references in one sequence, where each group begins in it, the group of each entry, and their places."""
    n = len(refs)
    if isinstance(refs, TokenBatch):
        if text:
            raise TypeError("the hypotheses are text and the references a TokenBatch; one call takes one kind")
        return refs, np.arange(n + 1, dtype=np.int64), np.arange(n, dtype=np.int64), place
    # The usual forms of text by a quick look.
    if text and isinstance(refs[0], str) and lists.all_str(refs):
        return refs, np.arange(n + 1, dtype=np.int64), np.arange(n, dtype=np.int64), place
    if text:
        joined, groups, kept = lists.flatten(refs), np.arange(n, dtype=np.int64), refs
    else:
        kept, groups = _without_repeats(refs)
        joined = lists.flatten_tokens(kept) if kept else None
    if joined is not None:
        flat, sizes = joined
        first = np.searchsorted(groups, np.arange(len(kept)))
        return flat, offsets_of(sizes), groups, _place_in_lists(kept, flat, sizes, lambda i: place(int(first[i])))
    return _flatten_any(refs, text, place)


def _without_repeats(refs: list[Any]) -> tuple[list[Any], np.ndarray]:
    """The entries without those that are the same object as the one before, and which of them each entry is."""
    new = np.ones(len(refs), bool)
    new[1:] = np.fromiter(map(operator.is_not, refs[1:], refs), bool, max(len(refs) - 1, 0))
    kept = refs if new.all() else [entry for entry, is_new in zip(refs, new.tolist(), strict=True) if is_new]
    return kept, np.cumsum(new, dtype=np.int64) - 1


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
        if array is not None and array.dtype != object and array.ndim:
            if array.ndim > 2:
                raise ValueError(f"{name} is {describe(array)}; wanted one dimension, or two for a reference a row")
            return (True, [array]) if array.ndim == 1 else (False, list(array))
        if not isinstance(entry, (list, tuple, str)) and is_token(entry):
            hint = "; a list of one reference is [[ID, ...]]" if name.endswith("]") else ""
            raise TypeError(f"{name} is {describe(entry)}; wanted {wanted}{hint}")
    items = as_list(entry, name, wanted)
    if not text and (not items or is_token(items[0])):
        return True, [items]
    return False, items


def is_token(thing: Any) -> bool:
    """Whether something is one token, a str or an integer, and not a sequence of them."""
    return isinstance(thing, str) or (hasattr(thing, "__index__") and not np.ndim(thing))


def tokenized(texts: Sequence[str], tokenizer: Tokenizer, place: Place) -> list[Any]:
    """What a tokenizer that is not the core's makes of texts."""
    made = tokenizer.tokens_of(texts)
    if len(made) != len(texts):
        raise ValueError(f"the tokenizer made {len(made)} sequences of tokens of {len(texts)} texts")
    for i, tokens in enumerate(made):
        if isinstance(tokens, str) or tokens is None:
            raise TypeError(f"the tokenizer made {describe(tokens)} of {place(i)}; wanted a sequence of tokens")
    return [tokens_of(tokens, f"what the tokenizer made of {place(i)}") for i, tokens in enumerate(made)]


def tokens_of(segment: Any, name: str) -> Any:
    """One sequence of tokens as a list, a tuple or an array."""
    if type(segment) in (list, tuple):
        return segment
    array = as_array(segment, name)
    if array is None:
        return as_list(segment, name, SEGMENT)
    if array.dtype.kind == "U":
        return array.tolist()
    return id_array(array, name)


def as_ids(sequences: Any, place: Place) -> Any:
    """Sequences of tokens as a batch; or as lists and tuples, if one of them begins with a str."""
    if isinstance(sequences, TokenBatch):
        return sequences
    joined = lists.flatten_ids(sequences)
    if joined is not None:
        return TokenBatch._trusted(*joined)
    if not set(map(type, sequences)) <= {list, tuple}:
        sequences = [tokens_of(tokens, place(i)) for i, tokens in enumerate(sequences)]
    if any(isinstance(tokens[0], str) for tokens in sequences if len(tokens)):
        return sequences
    return join_ids(sequences, place, TOKENS)


def check_strings(sequences: Any, place: Place) -> None:
    """See to it that all tokens are str, where some are."""
    if isinstance(sequences, TokenBatch):
        if len(sequences.values):
            raise TypeError("some tokens are str and some are IDs; one call takes one kind")
        return
    for i, tokens in enumerate(sequences):
        for j, token in enumerate(tokens):
            if not isinstance(token, str):
                raise TypeError(f"{place(i)}[{j}] is {describe(token)}; {TOKENS}")
