"""References that were prepared score as those that were not; and neighbours that share them, as those that do not."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clipgram import BLEU, GLEU, References, TokenBatch

METRICS = [BLEU(), GLEU(), BLEU(threads=2, max_order=2), BLEU(tokenize=str.split), GLEU(tokenize="char", lowercase=True)]


def words(text: str) -> list[str]:
    return text.split()


def codes(text: str) -> list[int]:
    return list(text.encode())


TEXTS: list[Any] = ["the cat sat on the mat", ["A dog ran off.", None, "the dog ran"], ("it rained", "it rained all day"), [""]]
IDS: list[Any] = [[5, 8, 9, 4, 2], [[5, 8], None, [5, 8, 9, 4]], ([7, 7, 7, 7, 7], (7, 8)), [[]]]
WORDS: list[Any] = [["the", "cat", "sat"], [["a", "dog"], None, ("a", "cat", "ran")], [("it",), ["it", "rained"]], [[]]]
HYPOTHESES = {
    "text": (["the cat sat on a mat", "a dog ran off.", "it rained", "the dog ran", "", "The mat"], TEXTS, {}),
    "ids": ([[5, 8, 9], [5, 8, 9, 4, 2], [7, 7, 7, 8], [5, 8, 9, 4], [], [2]], IDS, {}),
    "words": ([["the", "cat"], ["a", "dog"], ["it", "rained"], ["cat", "ran"], [], ["it"]], WORDS, {"tokenize": None}),
}
INDEX = [0, 1, 2, 1, 3, 0]


@pytest.mark.parametrize("kind", HYPOTHESES)
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_same_scores(metric: Any, kind: str) -> None:
    hyps, refs, options = HYPOTHESES[kind]
    if kind == "text":
        options = {"tokenize": str.split} if metric.tokenizer.external else {"tokenize": metric.tokenizer.name}
        options["lowercase"] = metric.tokenizer.lowercase
    prepared = References(refs, **options)
    assert len(prepared) == 4
    for one in (prepared, pickle.loads(pickle.dumps(prepared)), copy.deepcopy(prepared)):
        wanted = metric.counts(hyps, refs, ref_index=INDEX)
        assert metric.counts(hyps, one, ref_index=INDEX) == wanted
        assert metric.sentence_scores(hyps, one, ref_index=np.array(INDEX)).tolist() == metric.scores_from_counts(wanted).tolist()
        assert metric.sentence_scores(hyps[:4], one).tolist() == metric.sentence_scores(hyps[:4], refs).tolist()
        assert metric.corpus_score(hyps[:4], one) == metric.corpus_score(hyps[:4], refs)
        prefixes = zip(metric.prefix_scores(hyps, one, ref_index=INDEX), metric.prefix_scores(hyps, refs, ref_index=INDEX), strict=True)
        assert all(got.tolist() == known.tolist() for got, known in prefixes)
        for i, hyp in zip(INDEX, hyps, strict=True):
            assert metric.sentence_score(hyp, one[i]) == metric.sentence_score(hyp, refs[i])
        assert metric.sentence_score(hyps[0], one[-4]) == metric.sentence_score(hyps[0], refs[0])
        assert metric.sentence_scores([], one, ref_index=[]).tolist() == []
        assert one[0][0] is not one and len(one[1]) == 1 and metric.sentence_score(hyps[1], one[1][0]) == metric.sentence_score(hyps[1], refs[1])


def test_forms_of_ids() -> None:
    metric, hyps = BLEU(), [[1, 2, 3, 4], [1, 2, 5, 6]]
    matrix = np.array([[1, 2, 3, 4], [1, 2, 3, 5]], np.int32)
    batch = TokenBatch.from_padded(matrix)
    wanted = metric.sentence_scores(hyps, matrix).tolist()
    for refs in (matrix, batch, list(matrix), [[row] for row in matrix], iter(matrix.tolist()), tuple(map(tuple, matrix.tolist()))):
        assert metric.sentence_scores(hyps, References(refs)).tolist() == wanted
        assert metric.sentence_scores(TokenBatch.from_lists(hyps), References(batch)).tolist() == wanted
    assert np.shares_memory(References(batch)._flat.values, matrix)
    grouped = References([matrix, batch])
    assert repr(grouped) == "References(2 entries, 4 references, 16 tokens)"
    assert metric.sentence_scores(hyps, grouped).tolist() == [metric.sentence_score(hyp, list(matrix)).score for hyp in hyps]


def test_what_comes_later_does_not_matter() -> None:
    ids, texts, tokens = [[1, 2, 3]], ["a b c"], [["a", "b", "c"]]
    prepared = References(ids), References(texts), References(tokens, tokenize=None)
    ids[0].append(4), texts.append("d"), tokens[0].append("d")
    for hyp, refs in zip(([1, 2, 3], "a b c", ["a", "b", "c"]), prepared, strict=True):
        assert BLEU().sentence_scores([hyp], refs).tolist() == [1.0] == [BLEU().sentence_score(hyp, refs).score]


def test_text_or_tokens() -> None:
    two_texts, one_reference = References([["the cat", "a dog"]]), References([["the cat", "a dog"]], tokenize=None)
    assert repr(two_texts) == "References(1 entries, 2 references, text for the tokenizer 13a)"
    assert repr(one_reference) == "References(1 entries, 1 references, 2 tokens)"
    assert BLEU().sentence_score("a dog", two_texts).score == 1.0
    assert BLEU().sentence_score(["the cat", "a dog"], one_reference).score == 1.0
    assert repr(References(["a b c"], tokenize=words)) == "References(1 entries, 1 references, 3 tokens)"
    assert repr(References([[None, "a"]])).endswith("text for the tokenizer 13a)")
    assert repr(References([])) == "References(0 entries, 0 references, 0 tokens)"
    assert BLEU().sentence_scores([], References([])).tolist() == []


def test_a_tokenizer_that_makes_ids() -> None:
    """What a model made is IDs already, and its references are still text."""
    prepared = References(["abcd", ["abce", "xyz"]], tokenize=codes)
    assert BLEU().sentence_scores([codes("abcd"), codes("abce"), codes("xyz")], prepared, ref_index=[0, 1, 1]).tolist() == [1.0] * 3
    assert BLEU(tokenize=codes).sentence_scores(["abcd"] * 2, prepared).tolist() == BLEU(tokenize=codes).sentence_scores(["abcd"] * 2, ["abcd", ["abce", "xyz"]]).tolist()
    assert BLEU().sentence_score(codes("xyz"), prepared[1]).score == 1.0


def test_the_tokenizer_is_called_once() -> None:
    calls: list[str] = []

    def tokenize(text: str) -> list[str]:
        calls.append(text)
        return text.split()

    prepared = References(["a b", ["c d", "e"]], tokenize=tokenize)
    assert calls == ["a b", "c d", "e"]
    metric = BLEU(tokenize=tokenize)
    metric.sentence_scores(["a", "c d"], prepared), metric.sentence_score("e", prepared[1])
    assert calls[3:] == ["a", "c d", "e"]


@pytest.mark.parametrize(
    "hypothesis, references, metric, error, said",
    [
        ("a", References([[1]]), BLEU(), TypeError, "the hypotheses are text and the references were prepared as tokens"),
        ("a", References([["a"]], tokenize=None), BLEU(), TypeError, "the hypotheses are text and the references were prepared as tokens"),
        ([1], References(["a"]), BLEU(), TypeError, "the hypotheses are tokens and the references were prepared as text"),
        (["a"], References(["a"]), BLEU(), TypeError, "the hypotheses are tokens and the references were prepared as text"),
        (["a"], References([[1]]), BLEU(), TypeError, "tokens are all ints or all str|some tokens are str and some are IDs"),
        ([1], References([["a"]], tokenize=None), BLEU(), TypeError, "tokens are all ints or all str"),
        ("a", References(["a"]), BLEU(tokenize="none"), ValueError, "the references were prepared for '13a' and the metric's tokenizer is 'none'; give References the options"),
        ("a", References(["a"], lowercase=True, normalize="NFC"), GLEU(), ValueError, r"were prepared for '13a' \(lowercase, NFC\) and the metric's tokenizer is '13a'"),
        ("a", References(["a"]), BLEU(lowercase=True), ValueError, r"prepared for '13a' and the metric's tokenizer is '13a' \(lowercase\)"),
        ("a", References(["a"], tokenize=words), BLEU(tokenize=lambda text: [text]), ValueError, r"prepared for 'custom\[words\]' and the metric's tokenizer is 'custom"),
        ("a", References(["a"], tokenize=lambda text: [text]), BLEU(tokenize=lambda text: [text]), ValueError, "prepared for 'custom"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(hypothesis: Any, references: References, metric: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        metric.sentence_score(hypothesis, references)
    with pytest.raises(error, match=said):
        metric.sentence_scores([hypothesis], references, ref_index=[0])


@pytest.mark.parametrize(
    "references, options, error, said",
    [
        ("a b", {}, TypeError, "references is the str 'a b'; wanted a list with one entry a hypothesis"),
        (None, {}, TypeError, "references is None"),
        ([None], {}, ValueError, r"references\[0\] has no reference"),
        (["a", []], {}, ValueError, r"references\[1\] has no reference"),
        (["a", [1]], {}, TypeError, r"references\[1\]\[0\] is the int 1; the hypothesis is a text"),
        ([[1], "a"], {}, TypeError, r"references\[1\] is the str 'a'; wanted one reference"),
        ([[1, "a"]], {}, TypeError, r"references\[0\]\[1\] is the str 'a'; tokens are all ints or all str"),
        ([["a", 1]], {"tokenize": None}, TypeError, r"references\[0\]\[1\] is the int 1; tokens are all ints or all str"),
        (["a"], {"tokenize": None}, TypeError, r"references\[0\] is the str 'a'; wanted tokens, as tokenize is None"),
        (["a"], {"tokenize": "13b"}, ValueError, "no tokenizer is called '13b'"),
        (["a"], {"lowercase": 1}, TypeError, "lowercase is the int 1"),
        (["a"], {"tokenize": lambda text: None}, TypeError, r"the tokenizer made None of references\[0\]"),
        (References([[1]]), {}, TypeError, "references are prepared already"),
    ],
)
def test_wrong_references(references: Any, options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        References(references, **options)


def test_wrong_use() -> None:
    prepared = References(["a", "b"])
    with pytest.raises(ValueError, match=r"references has 2 entries; wanted one, such as references\[0\]"):
        BLEU().sentence_score("a", prepared)
    with pytest.raises(ValueError, match="hypotheses has 1 entries and references 2"):
        BLEU().sentence_scores(["a"], prepared)
    with pytest.raises(ValueError, match=r"ref_index\[0\] is 2; references has 2 entries"):
        BLEU().sentence_scores(["a"], prepared, ref_index=[2])
    for i in (2, -3):
        with pytest.raises(IndexError, match=f"entry {i} of 2"):
            prepared[i]


def test_threads_share_them() -> None:
    rng = np.random.default_rng(7)
    refs = References(rng.integers(0, 9, (16, 50)).tolist())
    hyps = [rng.integers(0, 9, 50).tolist() for _ in range(64)]
    index = np.arange(64) // 4
    wanted = BLEU().sentence_scores(hyps, refs, ref_index=index).tolist()
    with ThreadPoolExecutor(4) as pool:
        assert all(got.tolist() == wanted for got in pool.map(lambda _: BLEU().sentence_scores(hyps, refs, ref_index=index), range(16)))


# Neighbours that share their references.


@st.composite
def shared(draw: st.DrawFn, token: st.SearchStrategy[Any]) -> tuple[list[Any], list[Any], list[int]]:
    """Hypotheses, entries of references of which some are the same object and some are equal, and an index."""
    tokens = st.lists(token, min_size=1, max_size=5)
    entry = tokens | st.lists(tokens, min_size=1, max_size=3)
    refs: list[Any] = []
    for _ in range(draw(st.integers(1, 6))):
        same = draw(st.sampled_from(["new", "same object", "equal"]))
        refs.append(draw(entry) if same == "new" or not refs else refs[-1] if same == "same object" else copy.deepcopy(refs[-1]))
    index = draw(st.lists(st.integers(0, len(refs) - 1), max_size=8))
    return [draw(tokens) for _ in index], refs, index


def as_arrays(refs: list[Any]) -> list[Any]:
    """The same with arrays for the references, an object for an object."""
    made: dict[int, Any] = {}
    for entry in refs:
        if id(entry) not in made:
            made[id(entry)] = [np.array(one) for one in entry] if isinstance(entry[0], list) else np.array(entry)
    return [made[id(entry)] for entry in refs]


@pytest.mark.parametrize("token", [st.integers(0, 2), st.sampled_from(["a", "b", "a b"])], ids=["ids", "str"])
def test_sharing_changes_nothing(token: st.SearchStrategy[Any]) -> None:
    @given(shared(token))
    def check(case: tuple[list[Any], list[Any], list[int]]) -> None:
        hyps, refs, index = case
        for metric in (BLEU(), GLEU()):
            alone = [metric.sentence_score(hyp, refs[i]).score for hyp, i in zip(hyps, index, strict=True)]
            for form in (refs, as_arrays(refs), References(refs, tokenize=None)):
                assert metric.sentence_scores(hyps, form, ref_index=index).tolist() == alone
            assert metric.sentence_scores(hyps, [refs[i] for i in index]).tolist() == alone

    check()


def test_an_index_into_entries_that_share_an_object() -> None:
    first, second = np.array([1, 2, 3, 4]), np.array([6, 7, 8, 9])
    for refs in ([first, first, second, second], [[first], [first], [second], [second]]):
        assert BLEU().sentence_scores([second, first, first], refs, ref_index=[2, 1, 0]).tolist() == [1.0] * 3
    nested = [[1, 2, 3, 4]]
    assert BLEU().sentence_scores([[6, 7, 8, 9]], [nested, nested, [[6, 7, 8, 9]]], ref_index=[2]).tolist() == [1.0]
    shared_list = [1, 2, 3, 4]
    with pytest.raises(TypeError, match=r"references\[2\]\[1\] is the float 1.5"):  # the place is that of the entry
        BLEU().sentence_scores([[1]] * 3, [shared_list, shared_list, [6, 1.5]])
