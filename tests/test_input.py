"""What may be passed, and what is said about the rest."""

from __future__ import annotations

import collections
from array import array
from typing import Any

import numpy as np
import pytest

from clipgram import BLEU, GLEU, TokenBatch, corpus_bleu, corpus_gleu, sentence_bleu, sentence_gleu

IDS = [5, 8, 9, 4, 2, 7]


class Tensor:
    """What a CPU tensor shows of itself."""

    def __init__(self, values: Any, device: int = 1) -> None:
        self.array = np.asarray(values)
        self.device = device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.array.__dlpack__(**kwargs)


class OnlyArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(IDS, dtype)


FORMS: dict[str, Any] = {
    "list": IDS,
    "tuple": tuple(IDS),
    "range": range(3, 9),
    "generator": lambda: (i for i in IDS),
    "deque": collections.deque(IDS),
    "array": array("h", IDS),
    "memoryview": memoryview(array("i", IDS)),
    "list of NumPy ints": [np.int16(i) for i in IDS],
    "DLPack": Tensor(IDS),
    "DLPack int32": Tensor(np.array(IDS, np.int32)),
    "__array__": OnlyArray(),
    **{kind: np.array(IDS, kind) for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">i8")},
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_a_sequence_of_ids(form: str) -> None:
    def ids() -> Any:
        return FORMS[form]() if form == "generator" else FORMS[form]

    reference = list(range(3, 9)) if form == "range" else IDS
    assert sentence_bleu(ids(), reference).score == 1.0
    assert sentence_bleu(reference, [ids()]).score == 1.0
    assert corpus_gleu([ids(), [1]], [[ids()], [1]]).score == 1.0
    assert BLEU().sentence_scores(iter([ids()]), iter([[None, ids()]])).tolist() == [1.0]


@pytest.mark.parametrize("length", [1, 18, 1024, 1025])  # longer ones are not made into lists
def test_arrays_of_one_segment(length: int) -> None:
    hyp = [i * i % 7 for i in range(length)]
    refs = [[i * i % 7 for i in range(3, length + 9)], hyp[::-1], [2**40]]
    forms = (tuple, np.array, lambda ids: np.array(ids)[::-1][::-1], lambda ids: Tensor(np.array(ids)))
    for metric in (BLEU(), GLEU()):
        wanted, alone = metric.sentence_score(hyp, refs), metric.sentence_score(hyp, refs[0])
        for form in forms:
            assert metric.sentence_score(form(hyp), [None, *map(form, refs)]) == wanted == metric.sentence_score(hyp, list(map(form, refs)))
            assert metric.sentence_score(form(hyp), form(refs[0])) == alone == metric.sentence_score(form(hyp), refs[0])
    for wrong in (np.ones(length), np.ones((1, length), int), np.ones((length, 1), int)[0:0], np.ones(length, bool)):
        with pytest.raises((TypeError, ValueError), match="hypothesis is a"):
            BLEU().sentence_score(wrong, [hyp])
        with pytest.raises((TypeError, ValueError), match="references"):
            BLEU().sentence_score(hyp, [hyp, wrong])


def test_a_matrix_is_a_sequence_a_row() -> None:
    ids = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    assert BLEU().sentence_scores(ids, ids).tolist() == [1.0, 1.0]
    # one entry of references may be a matrix too: a reference a row
    assert BLEU().sentence_scores([[5, 6, 7, 8]], [ids]).tolist() == [1.0]


def test_batches() -> None:
    batch = TokenBatch.from_lists([[1, 2, 3, 4], [], [5, 6, 7, 8, 9]])
    assert BLEU().sentence_scores(batch, batch).tolist() == [1.0, 0.0, 1.0]
    assert BLEU().sentence_scores(batch, [[1, 2, 3, 4], [[]], [[5], [5, 6, 7, 8, 9]]]).tolist() == [1.0, 0.0, 1.0]
    assert BLEU().sentence_scores([[5, 6, 7, 8, 9]], [batch]).tolist() == [1.0]
    narrow = TokenBatch.from_ragged(np.array([1, 2, 3, 4], np.int32), [0, 4])
    assert BLEU().sentence_scores(narrow, TokenBatch.from_lists([[1, 2, 3, 4]])).tolist() == [1.0]


def test_ids_and_strings_are_different() -> None:
    assert sentence_bleu(["1", "2"], ["1", "2"]).score == 1.0
    with pytest.raises(TypeError, match="one call takes one kind|all ints or all str"):
        sentence_bleu(["1", "2"], [1, 2])


def test_ids_that_agree_in_their_lower_half_are_different() -> None:
    assert sentence_bleu([5, 5 + 2**32], [[5, 5]]).matches == (1, 0, 0, 0)


def test_sharing_references() -> None:
    metric = BLEU()
    refs = ["the cat sat on the mat", "a dog ran off"]
    hyps = ["the cat sat", "a dog ran", "the cat", "a dog"]
    index = [0, 1, 0, 1]
    wanted = metric.sentence_scores(hyps, [refs[i] for i in index])
    assert metric.sentence_scores(hyps, refs, ref_index=index).tolist() == wanted.tolist()
    assert metric.sentence_scores(hyps, [[r] for r in refs], ref_index=np.array(index, np.int8)).tolist() == wanted.tolist()
    assert metric.counts(hyps, refs, ref_index=index) == metric.counts(hyps, [refs[i] for i in index])
    many = [["x y", refs[0]]] * 4
    assert metric.sentence_scores(hyps, many).tolist() == [metric.sentence_score(h, many[0]).score for h in hyps]


def test_out() -> None:
    out = np.full(2, -1.0)
    assert BLEU().sentence_scores(["a", "b"], ["a", "c"], out=out) is out
    assert out.tolist() == [1.0, 0.0]
    wrongs: list[tuple[Any, type[Exception]]] = [
        (np.zeros(3), ValueError),
        (np.zeros(2, np.float32), ValueError),
        ([0.0, 0.0], TypeError),
    ]
    for wrong, error in wrongs:
        with pytest.raises(error, match=r"wanted a float64 array of shape \(2,\)"):
            BLEU().sentence_scores(["a", "b"], ["a", "c"], out=wrong)


def test_nothing_to_score() -> None:
    for metric in (BLEU(), GLEU()):
        scores = metric.sentence_scores([], [])
        assert scores.dtype == np.float64 and scores.shape == (0,)
        with pytest.raises(ValueError, match="a corpus without a segment has no score"):
            metric.corpus_score([], [])
        assert metric.sentence_score("", "a b c d").score == 0.0


def test_arguments_stay_as_they_were() -> None:
    hyps, refs = [[1, 2, 3], [4]], [[[1, 2, 3], [1]], [[4], None]]
    BLEU().sentence_scores(hyps, refs)
    assert hyps == [[1, 2, 3], [4]] and refs == [[[1, 2, 3], [1]], [[4], None]]
    ids = np.arange(5)
    BLEU().sentence_score(ids, ids)
    assert ids.flags.writeable and ids.tolist() == [0, 1, 2, 3, 4]


def test_streams_of_sacrebleu_are_told_apart() -> None:
    # case 14: right shape, then every wrong one
    hyps = ["the lake froze over night", "birds flew south early", "nobody saw them leave"]
    refs = ["the lake froze over night", "birds went south soon", "no one saw them go"]
    assert corpus_bleu(hyps, refs).score == pytest.approx(0.483235, abs=1e-6)
    assert corpus_bleu(hyps, [[r] for r in refs]).score == pytest.approx(0.483235, abs=1e-6)
    with pytest.raises(ValueError, match=r"hypotheses has 3 entries and references 1;.*streams, 1 of 3 references each: list\(zip\(\*references\)\)"):
        corpus_bleu(hyps, [refs])
    with pytest.raises(ValueError, match="hypotheses has 3 entries and references 2;"):
        corpus_bleu(hyps, refs[:2])


CUDA = Tensor(IDS, device=2)
WRONG: list[tuple[Any, Any, type[Exception], str]] = [
    # a bare str is not a list of segments
    ("a b", ["a b"], TypeError, "hypotheses is the str 'a b'; wanted a list of segments; .*sentence_score"),
    (["a b"], "a b", TypeError, "references is the str 'a b'; wanted a list with one entry a hypothesis"),
    ([[1, 2]], "a b", TypeError, "references is the str"),
    (b"ab", [b"ab"], TypeError, "hypotheses is a bytes of 2"),
    ({"a b"}, {"a b"}, TypeError, "hypotheses is a set of 1"),
    (None, ["a"], TypeError, "hypotheses is None"),
    # flat tokens are not a batch
    ([1, 2, 3], [[1], [2], [3]], TypeError, r"hypotheses\[0\] is the int 1; wanted a str or a sequence of tokens; .*sentence_score"),
    ([1, 2, 3], [[1]], TypeError, r"hypotheses\[0\] is the int 1; wanted a str or a sequence of tokens; .*sentence_score"),
    (range(3), [[1]], TypeError, r"hypotheses\[0\] is the int 0"),
    (np.array([1, 2, 3]), [[1]], ValueError, r"hypotheses is a one-dimensional array of shape \(3,\), one segment; .*sentence_score"),
    ([[1], [2]], [11, 5], TypeError, r"references\[0\] is the int 11; .*; a list of one reference is \[\[ID, ...\]\]"),
    ([[1], [2]], np.array([11, 5]), TypeError, r"references\[0\] is the int64 11; .*; a list of one reference is"),
    # missing things
    (["a", None], ["a", "b"], TypeError, r"hypotheses\[1\] is None and hypotheses\[0\] the str 'a'; one call takes one kind"),
    ([None, "a"], ["a", "b"], TypeError, r"hypotheses\[1\] is the str 'a' and hypotheses\[0\] None"),
    ([None], ["a"], TypeError, r"hypotheses\[0\] is None; wanted a str or a sequence of tokens"),
    (["a", "b"], ["a", []], ValueError, r"references\[1\] has no reference"),
    (["a", "b"], [None, "b"], ValueError, r"references\[0\] has no reference"),
    (["a"], [[None, None]], ValueError, r"references\[0\] has no reference"),
    ([[1], [2]], [[[1]], []], ValueError, r"references\[1\] has no reference.*\[\[\]\]"),
    # kinds mixed
    (["a", [1]], ["a", [1]], TypeError, r"hypotheses\[1\] is a list of 1 and hypotheses\[0\] the str 'a'"),
    (["a"], [[1, 2]], TypeError, r"references\[0\]\[0\] is the int 1; the hypothesis is a text"),
    (["a"], [[["a"]]], TypeError, r"references\[0\]\[0\] is a list of 1; the hypothesis is a text"),
    ([[1]], ["a"], TypeError, r"references\[0\] is the str 'a'; wanted"),
    ([[1]], [[[1], "a"]], TypeError, r"references\[0\]\[1\] is the str 'a'; the hypothesis is a sequence of tokens"),
    ([["a", 1]], [["a"]], TypeError, r"hypotheses\[0\]\[1\] is the int 1; tokens are all ints or all str"),
    ([["a"]], [["a", ["b"]]], TypeError, r"references\[0\]\[1\] is a list of 1"),
    ([[1, "a"]], [[1]], TypeError, r"hypotheses\[0\]\[1\] is the str 'a'; tokens are all ints or all str"),
    # numbers that are no token IDs
    ([[1, 2.0]], [[1]], TypeError, r"hypotheses\[0\]\[1\] is the float 2.0"),
    ([[True, False]], [[1, 0]], TypeError, r"hypotheses\[0\]\[0\] is the bool True; tokens are all ints or all str"),
    ([[1, False]], [[1, 0]], TypeError, r"hypotheses\[0\]\[1\] is the bool False"),
    ([[1, 0]], [[[1], (1, False)]], TypeError, r"references\[0\]\[1\]\[1\] is the bool False"),
    ([(1, np.int64(2)), [True]], [[1], [1]], TypeError, r"hypotheses\[1\]\[0\] is the bool True"),
    ([[True], np.array([1])], [[1], [1]], TypeError, r"hypotheses\[0\]\[0\] is the bool True"),
    ([[1]], [[[1], [2, None]]], TypeError, r"references\[0\]\[1\]\[1\] is None"),
    ([[2**63]], [[1]], OverflowError, r"hypotheses\[0\]\[0\] is the int 9223372036854775808; token IDs must fit in an int64"),
    ([np.array([2**63], np.uint64)], [[1]], OverflowError, "must fit in an int64"),
    ([np.array([1.0])], [[1]], TypeError, r"hypotheses\[0\] is a float64 array of shape \(1,\); token IDs are integers"),
    ([np.array([True])], [[1]], TypeError, "bool array"),
    ([np.array([1, 2], object)], [[1]], TypeError, "object array"),
    ([np.zeros((2, 2), int)], [[1]], ValueError, r"hypotheses\[0\] is an int64 array of shape \(2, 2\); wanted one dimension"),
    ([[1]], [np.zeros((2, 2, 2), int)], ValueError, r"references\[0\] is an int64 array of shape \(2, 2, 2\)"),
    ([CUDA], [[1]], TypeError, r"hypotheses\[0\].*on another device; pass hypotheses\[0\].cpu\(\)"),
    ([[1]], [CUDA], TypeError, r"references\[0\].*pass references\[0\].cpu\(\)"),
    ([{1, 2}], [[1]], TypeError, r"hypotheses\[0\] is a set of 2"),
    ([[1]], [{1: 2}], TypeError, r"references\[0\] is a dict of 1"),
    # batches
    (["a"], TokenBatch.from_lists([[1]]), TypeError, "the hypotheses are text and the references a TokenBatch"),
    (TokenBatch.from_lists([[1]]), [["a"]], TypeError, "some tokens are str and some are IDs"),
    (TokenBatch.from_lists([[1]]), [], ValueError, "hypotheses has 1 entries and references 0;"),
    (["a", "b"], ["a"], ValueError, r"2 entries and references 1; .*share one reference, repeat it or give ref_index=\[0\] \* 2"),
    (["a", "b"], ["a"] * 3, ValueError, r"references 3; references\[i\] belongs to hypotheses\[i\]$"),
]


@pytest.mark.parametrize("hypotheses, references, error, said", WRONG, ids=range(len(WRONG)))
def test_wrong_input(hypotheses: Any, references: Any, error: type[Exception], said: str) -> None:
    for metric in (BLEU(), GLEU()):
        with pytest.raises(error, match=said):
            metric.corpus_score(hypotheses, references)
        with pytest.raises(error, match=said):
            metric.sentence_scores(hypotheses, references)


@pytest.mark.parametrize(
    "hypothesis, references, error, said",
    [
        (None, "a", TypeError, "hypothesis is None; wanted a str or a sequence of tokens"),
        ("a", None, ValueError, "references has no reference"),
        ("a", [], ValueError, "references has no reference"),
        ("a", [None], ValueError, "references has no reference"),
        ("a", ["a", 5], TypeError, r"references\[1\] is the int 5"),
        ("a", 5, TypeError, "references is the int 5; wanted one reference or a list of them, a reference being a str"),
        ([1, 2], [1, 2.5], TypeError, r"references\[1\] is the float 2.5"),
        ([1, 2], [[1], [2.5]], TypeError, r"references\[1\]\[0\] is the float 2.5"),
        ([1.5], [1], TypeError, r"hypothesis\[0\] is the float 1.5"),
        (7, [1], TypeError, "hypothesis is the int 7; wanted a str or a sequence of tokens"),
        ([1], "a", TypeError, "references is the str 'a'; wanted one reference or a list of them"),
        ([1], 5, TypeError, "references is the int 5; wanted .* a sequence of tokens$"),
        ([True], [1], TypeError, r"hypothesis\[0\] is the bool True"),
        ([1, 0], [True, False], TypeError, r"references\[0\] is the bool True"),
        ([1, 0], [[1], [True]], TypeError, r"references\[1\]\[0\] is the bool True"),
        # a batch, or NLTK's order
        (np.ones((2, 6), int), [1], ValueError, r"hypothesis is an int64 array of shape \(2, 6\); wanted one dimension; for a batch there is sentence_scores"),
        (TokenBatch.from_lists([[1]]), [1], ValueError, "hypothesis is .*TokenBatch; .*sentence_scores"),
        ([["the", "cat"]], ["the", "cat"], TypeError, r"hypothesis\[0\] is a list of 2; wanted a token: the hypothesis comes first, and is one segment"),
        ([[1, 2], [1]], [1, 2], TypeError, r"hypothesis\[0\] is a list of 2; wanted a token: .*sentence_scores"),
    ],
)
def test_wrong_segment(hypothesis: Any, references: Any, error: type[Exception], said: str) -> None:
    for function in (sentence_bleu, sentence_gleu):
        with pytest.raises(error, match=said):
            function(hypothesis, references)


@pytest.mark.parametrize(
    "index, error, said",
    [
        ([0], ValueError, "ref_index has 1 entries for 2 hypotheses"),
        ([0, 2], ValueError, r"ref_index\[1\] is 2; references has 2 entries"),
        ([-1, 0], ValueError, r"ref_index\[0\] is -1"),
        ([0.0, 1.0], TypeError, r"ref_index\[0\] is the float 0.0; indices are integers"),
        (np.zeros(2), TypeError, "ref_index is a float64 array .*; indices are integers"),
        ([False, True], TypeError, r"ref_index\[0\] is the bool False"),
        ("01", TypeError, "ref_index is the str"),
    ],
)
def test_wrong_ref_index(index: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        BLEU().sentence_scores(["a", "b"], ["a", "b"], ref_index=index)


def test_segments_to_compare_with_each_other() -> None:
    for wrong, error in (([1, 2], TypeError), (np.array([1, 2]), ValueError)):
        with pytest.raises(error, match="wanted a (str|list)[a-z ]*$"):
            BLEU().pairwise_scores(wrong)


def test_integers_of_numpy_in_lists() -> None:
    ids = [np.int64(5), 8, np.uint8(9)]
    assert BLEU().sentence_scores([ids, (5, np.int16(8), 9)], [[5, 8, 9]], ref_index=[np.int64(0), 0]).tolist() == [1.0, 1.0]
    with pytest.raises(OverflowError, match=r"hypotheses\[0\]\[1\] is the int 9223372036854775808"):
        BLEU().sentence_scores([[np.int64(5), 2**63]], [[5]])


def test_tokenizers_that_are_callables() -> None:
    vocabulary = {"a": 7, "b": 9}
    assert BLEU(tokenize=lambda text: [vocabulary[w] for w in text.split()]).sentence_score("a b", "a b").score == 1.0
    assert BLEU(tokenize=list).sentence_score("abcd", "abcd").score == 1.0
    for made, said in [("a b", "made the str 'a b'"), (None, "made None"), ([1.5], r"hypothesis\[0\] is the float 1.5"), (3, "is the int 3")]:
        with pytest.raises(TypeError, match=said):
            BLEU(tokenize=lambda text, made=made: made).sentence_score("a", "a")
