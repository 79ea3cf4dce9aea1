"""From text to token IDs in pure Python: the twin of the compiled ``clipgram._text``.

Same functions, same results, another algorithm: the tokenizers as sacreBLEU states them, one substitution after the
other, and a dict to give tokens IDs.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from clipgram import _lists_py, _ngrams_py
from clipgram._categories import NUMBER, PUNCTUATION, SYMBOL
from clipgram._characters import CJK, code_points

Encoded = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]
Counted = tuple[int, tuple[int, ...], tuple[int, ...]]


def encode(
    hypotheses: Sequence[Any],
    references: Sequence[Any],
    group_offsets: np.ndarray,
    groups: np.ndarray,
    rules: str | None,
) -> Encoded:
    """Tokenize texts by rules, and give the tokens IDs.

    Equal tokens have equal IDs within a hypothesis and its references: in the references they count from 1 in the
    order of their first appearance; a hypothesis token that none of them has is 0.

    Parameters
    ----------
    hypotheses : list of str, or list of lists or tuples of str [B]
        Texts, or tokens. Not to be changed by another thread meanwhile, nor the references.
    references : list of the same [R]
    group_offsets : int64 array [G + 1]
        Group ``g`` is the references ``group_offsets[g]`` to ``group_offsets[g + 1] - 1``.
    groups : int64 array [B]
        The group of each hypothesis.
    rules : str or None
        The tokenizer: none, 13a, 13a-raw, zh, char, intl or edge; None for tokens.

    Returns
    -------
    hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups : arrays
        What ``count_matches`` takes, IDs as int32. The references are those of each run of neighbours with equal
        ones, which makes a new group.
    n_ids : int
        All IDs are below it.
    """
    if rules is None:  # lists that no hypothesis is compared with are not looked at
        starts = group_offsets.tolist()
        used = {r for group in set(groups.tolist()) for r in range(starts[group], starts[group + 1])}
        references = [reference if r in used else [] for r, reference in enumerate(references)]
    hyps, refs = _plain_segments(hypotheses, rules), _plain_segments(references, rules)
    return _encode(_tokens_of(hyps, rules), _tokens_of(refs, rules), refs, group_offsets, groups)


def count(
    hypotheses: Sequence[Any],
    references: Sequence[Any],
    group_offsets: np.ndarray,
    groups: np.ndarray,
    rules: str | None,
    max_order: int,
    per_reference: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tokenize texts by rules and count the clipped matches of each hypothesis.

    Parameters
    ----------
    hypotheses, references, group_offsets, groups, rules
        As for ``encode``.
    max_order : int
        The longest n-gram, 1 to 16.
    per_reference : bool
        Compare with each reference of the group alone, instead of with all of them together.

    Returns
    -------
    lengths : int64 array [B]
        Of the hypotheses, in tokens.
    reference_lengths : int64 array [P]
        Of all references of the first hypothesis, then of all of the second, and so on.
    matches : int64 array [B or P, max_order]
        One row a hypothesis, or one a hypothesis and reference of its group.
    """
    made = encode(hypotheses, references, group_offsets, groups, rules)
    _, hyp_offsets, _, ref_offsets, new_offsets, new_groups, _ = made
    of_refs = np.diff(ref_offsets)
    reference_lengths = [of_refs[new_offsets[group] : new_offsets[group + 1]] for group in new_groups]
    return (
        np.diff(hyp_offsets),
        np.concatenate([np.empty(0, np.int64), *reference_lengths]),
        _ngrams_py.count_matches(*made[:6], max_order, per_reference),
    )


def tokenize(text: str, rules: str) -> list[str]:
    """Tokenize a text by rules.

    Parameters
    ----------
    text : str
    rules : str
        The tokenizer: none, 13a, 13a-raw, zh, char, intl or edge.

    Returns
    -------
    list of str
    """
    return _RULES[rules](_plain(text).rstrip())


def count_text(
    hypothesis: str, references: str | Sequence[str | None], rules: str, max_order: int, per_reference: bool
) -> Counted | None:
    """Count the matches of one text.

    Parameters
    ----------
    hypothesis : str
    references : str, or list or tuple of str and None
    rules : str
        The tokenizer: none, 13a, 13a-raw, zh, char, intl or edge.
    max_order : int
    per_reference : bool
        With each reference alone, one after the other, instead of with all of them together.

    Returns
    -------
    hypothesis_length, reference_lengths, matches : int, tuple of int, tuple of int
        Or None if the references are anything else.
    """
    texts = _present([references] if isinstance(references, str) else references, str)
    if texts is None:
        return None
    return _count_one(tokenize(hypothesis, rules), [tokenize(text, rules) for text in texts], max_order, per_reference)


def count_words(
    hypothesis: list[str], references: list[str] | list[list[str] | None], max_order: int, per_reference: bool
) -> Counted | None:
    """Count the matches of one list of tokens that are str.

    Parameters
    ----------
    hypothesis : list of str
    references : list of str, or list of such lists and None
    max_order, per_reference
        As for ``count_text``.

    Returns
    -------
    hypothesis_length, reference_lengths, matches : int, tuple of int, tuple of int
        Or None if the arguments are anything else.
    """
    if type(references) is not list:
        return None
    flat = bool(references) and isinstance(references[0], str)
    lists = _present([references] if flat else references, list)
    if lists is None or not all(type(tokens) is list for tokens in lists):
        return None
    if not all(isinstance(token, str) for token in chain(hypothesis, *lists)):
        return None
    return _count_one(list(map(_plain, hypothesis)), [list(map(_plain, tokens)) for tokens in lists], max_order, per_reference)


def _present(references: Any, wanted: type) -> list[Any] | None:
    """The references that are not None, or None if they are not what a quick look takes."""
    if type(references) not in (list, tuple):
        return None
    found = [reference for reference in references if reference is not None]
    return found if found and all(isinstance(reference, wanted) for reference in found) else None


def _count_one(
    hypothesis: list[str], references: list[list[str]], max_order: int, per_reference: bool
) -> Counted:
    ids: dict[str, int] = {}
    numbered: list[Any] = [[ids.setdefault(token, len(ids)) for token in tokens] for tokens in (hypothesis, *references)]
    counted = _lists_py.count_lists(numbered[0], numbered[1:], max_order, per_reference)
    assert counted is not None
    return counted


def _plain_segments(segments: Sequence[Any], rules: str | None) -> list[Any]:
    if rules is not None:
        return list(map(_plain, segments))
    for tokens in segments:
        if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, str) for token in tokens):
            raise TypeError("tokens are not all str, in lists or tuples")
    return [list(map(_plain, tokens)) for tokens in segments]


def _tokens_of(segments: Sequence[Any], rules: str | None) -> Sequence[Sequence[str]]:
    return segments if rules is None else [tokenize(text, rules) for text in segments]


def _plain(text: str) -> str:
    """The characters that a str holds, whatever a subclass says of them."""
    if not isinstance(text, str):
        raise TypeError(f"a text is of type {type(text).__name__}")
    return text if type(text) is str else str.__str__(text)


def _encode(
    hyps: Sequence[Sequence[str]],
    refs: Sequence[Sequence[str]],
    originals: Sequence[Any],
    group_offsets: np.ndarray,
    groups: np.ndarray,
) -> Encoded:
    """``originals`` are the references as they came: runs of neighbours with equal ones share an ID for each token."""
    hyp_ids: list[int] = []
    ref_ids: list[int] = []
    hyp_offsets, ref_offsets, new_offsets, new_groups = [0], [0], [0], []
    ids: dict[str, int] = {}
    last, most = None, 0
    for hyp, group in zip(hyps, groups.tolist(), strict=True):
        members = range(group_offsets[group], group_offsets[group + 1])
        now = [originals[r] for r in members]
        if now != last:
            ids, last = {}, now
            for r in members:
                ref_ids.extend(ids.setdefault(token, len(ids) + 1) for token in refs[r])
                ref_offsets.append(len(ref_ids))
            new_offsets.append(len(ref_offsets) - 1)
            most = max(most, len(ids) + 1)
        hyp_ids.extend(ids.get(token, 0) for token in hyp)
        hyp_offsets.append(len(hyp_ids))
        new_groups.append(len(new_offsets) - 2)
    return (
        np.array(hyp_ids, np.int32),
        np.array(hyp_offsets, np.int64),
        np.array(ref_ids, np.int32),
        np.array(ref_offsets, np.int64),
        np.array(new_offsets, np.int64),
        np.array(new_groups, np.int64),
        most,
    )


# The tokenizers.


def _character_class(*ranges: str) -> str:
    codes = chain.from_iterable(code_points(some) for some in ranges)
    return "".join(f"{re.escape(chr(code[0]))}-{re.escape(chr(code[-1]))}" for code in codes)


_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_ALWAYS_ALONE = re.compile("([" + re.escape("".join(sorted(set(string.punctuation) - set("',-.")))) + "])")
_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")
_CJK = re.compile(f"([{_character_class(CJK)}])")


def _core(text: str) -> list[str]:
    """The passes that 13a and zh share."""
    text = _ALWAYS_ALONE.sub(r" \1 ", text)
    text = _AFTER_NO_DIGIT.sub(r"\1 \2 ", text)
    text = _BEFORE_NO_DIGIT.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", text).split()


def _13a(text: str) -> list[str]:
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    return _13a_raw(text)


def _13a_raw(text: str) -> list[str]:
    return _core(f" {text} ")


def _zh(text: str) -> list[str]:
    return _core(_CJK.sub(r" \1 ", text.strip()))


@cache
def _intl_passes() -> tuple[tuple[re.Pattern[str], str], ...]:
    number, punctuation, symbol = map(_character_class, (NUMBER, PUNCTUATION, SYMBOL))
    return (
        (re.compile(f"([^{number}])([{punctuation}])"), r"\1 \2 "),
        (re.compile(f"([{punctuation}])([^{number}])"), r" \1 \2"),
        (re.compile(f"([{symbol}])"), r" \1 "),
    )


def _intl(text: str) -> list[str]:
    for pattern, replacement in _intl_passes():
        text = pattern.sub(replacement, text)
    return text.split()


def _char(text: str) -> list[str]:
    return list("".join(text.split()))


@cache
def _edges() -> re.Pattern[str]:
    punctuation = _character_class(PUNCTUATION, SYMBOL)
    return re.compile(f"([{punctuation}]*)(.*?)([{punctuation}]*)", re.DOTALL)


def _edge(text: str) -> list[str]:
    tokens: list[str] = []
    for word in text.split():
        match = _edges().fullmatch(word)
        assert match is not None
        before, middle, behind = match.groups()
        tokens.extend([*before, middle, *behind] if middle else before)
    return tokens


_RULES: dict[str, Callable[[str], list[str]]] = {
    "none": str.split,
    "13a": _13a,
    "13a-raw": _13a_raw,
    "zh": _zh,
    "char": _char,
    "intl": _intl,
    "edge": _edge,
}
