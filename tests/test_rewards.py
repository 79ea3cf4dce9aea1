"""Rewards: what they score, and what they are as objects that training loops copy, send around and call."""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import multiprocessing
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clipgram
from clipgram import rewards
from clipgram.rewards import AsyncTRLReward, Scorer, TRLReward

METRICS = ("gleu", "bleu")
CAT = "the cat sat on the mat"

few = settings(max_examples=40)
WORDS = st.sampled_from(["the", "cat", "sat", "a", ".", "3.5", "<skipped>", "&amp;", "don't", "ß", "猫", "-\n"])
TEXTS = st.lists(WORDS, max_size=8).map(" ".join) | st.text(max_size=12)
IDS = st.lists(st.integers(-1, 4), max_size=8)


class TestScores:
    @pytest.mark.parametrize("metric", METRICS)
    @few
    @given(TEXTS, st.lists(TEXTS | st.none(), max_size=3))
    def test_text_is_between_0_and_1_and_1_for_a_reference(self, metric: str, text: str, references: list[str]) -> None:
        scorer = Scorer(metric)
        score = scorer.score(text, references)
        there = [r for r in references if r is not None and clipgram.tokenize(r, "13a-raw")]
        if not there:
            assert score is None
            return
        assert type(score) is float and 0 <= score <= 1
        assert scorer.score(there[-1], references) == 1
        assert scorer.scores([text], [references]) == [score]

    @pytest.mark.parametrize("metric", METRICS)
    @few
    @given(IDS, st.lists(IDS | st.none(), max_size=3))
    def test_ids_are_too(self, metric: str, ids: list[int], references: list[list[int]]) -> None:
        scorer = Scorer(metric, on="ids", eos_id=None)
        score = scorer.score(ids, references)
        there = [r for r in references if r]
        if not there:
            assert score is None
            return
        assert type(score) is float and 0 <= score <= 1
        assert scorer.score(there[-1], references) == 1

    @pytest.mark.parametrize(
        "metric", [*METRICS, clipgram.BLEU(smooth_method="add-k"), clipgram.BLEU(smooth_method="floor")]
    )
    @few
    @given(st.lists(st.sampled_from("abcd"), max_size=9), st.lists(st.sampled_from("wxyz"), min_size=1, max_size=9))
    def test_nothing_in_common_is_0(self, metric: Any, some: list[str], others: list[str]) -> None:
        assert Scorer(metric).score(" ".join(some), " ".join(others)) == 0
        assert Scorer(metric, on="ids", eos_id=None).score(list(map(ord, some)), list(map(ord, others))) == 0

    @pytest.mark.parametrize("metric", METRICS)
    @few
    @given(st.lists(st.tuples(TEXTS, TEXTS | st.none() | st.lists(TEXTS, max_size=3)), max_size=6))
    def test_a_batch_is_its_samples(self, metric: str, pairs: list[tuple[str, Any]]) -> None:
        scorer = Scorer(metric)
        completions, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        assert scorer.scores(completions, references) == [scorer.score(*pair) for pair in pairs]

    def test_they_are_the_scores_of_the_metric(self) -> None:
        completions, references = ["the cat sat on a mat", "a cat", "no"], [CAT, [CAT, "a dog"], "nothing here"]
        for metric in METRICS:
            made = rewards.scoring.METRICS[metric](tokenize="13a-raw")
            assert (
                Scorer(metric).scores(completions, references) == made.sentence_scores(completions, references).tolist()
            )
            assert Scorer(made).scores(completions, references) == Scorer(metric).scores(completions, references)

    def test_what_13a_removes_hides_nothing(self) -> None:
        tricks = [CAT + " <skipped>", CAT.replace("on", "o-\nn"), CAT + " <skipped> <skipped> <skipped>"]
        plain, raw = Scorer(tokenize="13a"), Scorer()
        assert plain.scores(tricks, [CAT] * 3) == [1, 1, 1]
        assert max(raw.scores(tricks, [CAT] * 3)) < 0.9
        assert plain.score('say "&quot;', 'say ""') == 1 and raw.score('say "&quot;', 'say ""') < 0.5

    @pytest.mark.parametrize(
        "nothing", [None, float("nan"), np.float64("nan"), "", " \n", [], [None], ["", None], [" "]]
    )
    def test_a_reference_that_is_not_there_makes_no_point(self, nothing: Any) -> None:
        for metric in METRICS:
            scorer = Scorer(metric)
            assert scorer.score("the cat", nothing) is None and scorer.score("", nothing) is None
            assert scorer.scores(["the cat", "", "the cat"], [nothing, nothing, "the cat"]) == [None, None, 1.0]

    @pytest.mark.parametrize("nothing", [None, float("nan"), [], [[]], [None], [[], None], np.array([], int)])
    def test_nor_among_ids(self, nothing: Any) -> None:
        scorer = Scorer(on="ids", eos_id=2)
        assert scorer.score([5, 8], nothing) is None
        assert scorer.scores([[5, 8], [5, 8, 2], []], [nothing, [5, 8], [5]]) == [None, 1.0, 0.0]

    def test_an_empty_one_beside_another_does_not_matter(self) -> None:
        for metric in METRICS:
            assert (
                Scorer(metric).score("the dog", ["the cat", "", None]) == Scorer(metric).score("the dog", "the cat") > 0
            )
            assert Scorer(metric).score("", ["the cat", ""]) == 0
            of_ids = Scorer(metric, on="ids", eos_id=2)
            assert of_ids.score([5, 8, 2], [[5, 9], [2], None]) == of_ids.score([5, 8], [5, 9]) > 0

    def test_too_short_for_the_lowest_order_is_as_good_as_not_there(self) -> None:
        pairs = Scorer(min_order=2)
        assert pairs.score("cat", "cat") is None and pairs.scores(["cat"], ["cat"]) == [None]
        assert pairs.score("the dog sat", ["cat", "a cat sat down"]) == 0  # the second could have been hit
        assert pairs.scores(["the dog sat"], [["cat", "a cat sat down"]]) == [0]

    @pytest.mark.parametrize("eos_id", [2, [2, 7], np.int64(2)])
    def test_ids_end_before_the_end(self, eos_id: Any) -> None:
        scorer = Scorer(on="ids", eos_id=eos_id)
        completions = [[5, 8, 9, 2], [5, 8, 9], [5, 8, 9, 2, 2, 4], [2], [5, 8, 2, 9]]
        assert scorer.scores(completions, [[5, 8, 9]] * 5)[:4] == [1, 1, 1, 0]
        assert scorer.scores(completions, [[[5, 8, 9, 2], [4]]] * 5)[:3] == [1, 1, 1]
        assert scorer.scores(completions, [[5, 8, 9]] * 5)[4] == clipgram.sentence_gleu([5, 8], [5, 8, 9]).score
        kept = Scorer(on="ids", eos_id=None)
        assert kept.scores([[5, 8, 2], [5, 8]], [[5, 8, 2]] * 2) == [1, clipgram.sentence_gleu([5, 8], [5, 8, 2]).score]

    def test_ids_can_be_ignored(self) -> None:
        scorer = Scorer(on="ids", eos_id=2, ignore_ids=[-100, 0])
        assert scorer.scores([[0, 5, -100, 8, 2], [-100]], [[5, 8], [[-100], [0, 5]]]) == [1, 0]
        assert scorer.score([5], [-100, 2]) is None

    def test_ids_come_in_many_forms(self) -> None:
        for make in (np.array, tuple, lambda ids: np.array(ids, np.int32)):
            scorer = Scorer(on="ids", eos_id=2)
            assert scorer.scores([make([5, 8, 2])] * 2, [make([5, 8]), [make([4]), make([5, 8])]]) == [1, 1]
        frozen = np.array([[5, 8], [9, 9]])
        frozen.setflags(write=False)
        assert scorer.score([5, 8], frozen) == 1
        assert scorer.score([5, 8], np.array([[4], [5, 8]], object)) == 1

    def test_text_ends_before_the_end(self) -> None:
        scorer = Scorer(eos_text=["<|im_end|>", "</s>"])
        completions = ["the cat<|im_end|>", "the cat</s>a<|im_end|>", "<|im_end|>the cat", "the cat"]
        assert scorer.scores(completions, ["the cat"] * 4) == [1, 1, 0, 1]
        assert [scorer.score(completion, "the cat") for completion in completions] == [1, 1, 0, 1]
        assert Scorer(eos_text="</s>").score("the cat</s>", "the cat") == 1

    def test_texts_of_a_column_of_lists(self) -> None:
        assert Scorer().scores(["a b", "a b"], [np.array(["c", "a b"], object), np.array(["a b", "c"])]) == [1, 1]

    @pytest.mark.parametrize("scoring", [{}, {"on": "ids", "eos_id": 2}, {"on": "ids", "eos_id": None}])
    def test_equal_neighbours_are_worked_on_once(self, scoring: dict[str, Any]) -> None:
        class Spy(clipgram.GLEU):
            def counts(self, hypotheses: Any, references: Any, **keywords: Any) -> Any:
                assert [one is other for one, other in itertools.pairwise(references)] == [
                    True,
                    False,
                    True,
                ]
                return super().counts(hypotheses, references, **keywords)

        texts = [["the cat", None], ["the cat", None], ["a dog"], ["a dog"]]
        ids = [[[5, 8], None], [[5, 8], None], [4, 2], [4, 2]]
        completions, references = ([[5, 8]] * 4, ids) if scoring else (["the cat"] * 4, texts)
        assert Scorer(Spy(), **scoring).scores(completions, references) == [1, 1, 0, 0]

    def test_nothing_is_altered(self) -> None:
        completions, references = [[5, 8, 2], [5]], [[[5, 8, 2], None], [5, 2]]
        before = pickle.dumps((completions, references))
        Scorer(on="ids", eos_id=2, ignore_ids=5).scores(completions, references)
        assert pickle.dumps((completions, references)) == before

    def test_no_samples(self) -> None:
        assert Scorer().scores([], []) == [] == Scorer(on="ids", eos_id=2).scores([], [])


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Scorer("rouge"), ValueError, "metric is 'rouge'; wanted 'gleu' or 'bleu', or a GLEU or BLEU"),
        (lambda: Scorer(len), TypeError, "wanted 'gleu', 'bleu'"),
        (lambda: Scorer(clipgram.GLEU(), max_order=2), TypeError, "max_order: the metric is made already"),
        (lambda: Scorer("gleu", smooth_method="exp"), TypeError, "the metric 'gleu' has no option 'smooth_method'$"),
        (lambda: Scorer(mertic="bleu"), TypeError, "the metric 'gleu' has no option 'mertic'; did you mean 'metric'"),
        (lambda: TRLReward(lowercse=1), TypeError, "^TRLReward has no option 'lowercse'; did you mean 'lowercase'"),
        (lambda: TRLReward(beam=4), TypeError, "^TRLReward has no option 'beam'$"),
        (lambda: Scorer(on="ids", eos_id=2, tokenize="none"), ValueError, "tokenize is for on='text'"),
        (lambda: TRLReward(on="ids", eos_id=2, tokenize=list), ValueError, "tokenize is for on='text'"),
        (lambda: Scorer(on="ids", eos_id=2, lowercase=True), ValueError, "lowercase is for on='text'"),
        (lambda: Scorer(on="ids", eos_id=2, normalize="NFC"), ValueError, "normalize is for on='text'"),
        (lambda: Scorer("bleu", weights=[(1,), (0.5, 0.5)]), ValueError, "a reward is one"),
        (lambda: Scorer(on="tokens"), ValueError, "on is the str 'tokens'; wanted 'text' or 'ids'"),
        (lambda: Scorer(on="ids"), TypeError, "on='ids' needs eos_id"),
        (lambda: Scorer(on="ids", eos_id=1.5), TypeError, "eos_id"),
        (lambda: Scorer(on="ids", eos_id=None, eos_text="</s>"), ValueError, "eos_text is for on='text'"),
        (lambda: Scorer(eos_id=2), ValueError, "eos_id and ignore_ids are for on='ids'"),
        (lambda: Scorer(eos_text=3), TypeError, "eos_text is the int 3"),
        (lambda: Scorer(eos_text=["</s>", ""]), TypeError, "eos_text has the str ''"),
        (lambda: TRLReward(references=3), TypeError, "references is the int 3"),
        (lambda: TRLReward(name=""), TypeError, "name is the str ''"),
        (lambda: Scorer().scores("ab", "ab"), TypeError, "completions is the str 'ab'; wanted a list with one entry"),
        (lambda: Scorer().scores(["ab"], "a"), TypeError, "references is the str 'a'; wanted a list with one entry"),
        (lambda: Scorer().scores({"a": 1}, ["a"]), TypeError, "completions is a dict of 1"),
        (lambda: Scorer(on="ids", eos_id=2).scores(b"a", [[1]]), TypeError, "completions is a bytes of 1"),
        (lambda: Scorer().scores(["a"], []), ValueError, "completions has 1 entries and references 0"),
        (lambda: Scorer().scores(["a", 3], ["a", "b"]), TypeError, r"completions\[1\] is the int 3; wanted a str"),
        (lambda: Scorer().score(None, "a"), TypeError, "completion is None; wanted a str"),
        (
            lambda: Scorer().scores(["a"] * 2, ["a", 3]),
            TypeError,
            r"references\[1\] is the int 3; wanted a str, a list",
        ),
        (lambda: Scorer().score("a", {"a": 1}), TypeError, "reference is a dict of 1; wanted a str, a list of str"),
        (lambda: Scorer().scores(["a"], [["a", 5]]), TypeError, r"references\[0\]\[1\] is the int 5; wanted a str"),
        (lambda: Scorer().scores(["a"], [[5, 8]]), TypeError, r"references\[0\]\[0\] is the int 5; wanted a str"),
        (
            lambda: Scorer(on="ids", eos_id=2).score([5], "the cat"),
            TypeError,
            "reference is the str 'the cat'; wanted token",
        ),
        (lambda: Scorer(on="ids", eos_id=2).score([5], 5), TypeError, "reference is the int 5; wanted token IDs"),
        (lambda: Scorer(on="ids", eos_id=2).score([5], ["the", "cat"]), TypeError, "score on='text'"),
        (
            lambda: Scorer(on="ids", eos_id=2).scores([[5]] * 2, [[5], [[5], [1.5]]]),
            TypeError,
            r"references\[1\]\[0\] is the",
        ),
        (
            lambda: Scorer(on="ids", eos_id=2).scores([[5], ["a"]], [[5]] * 2),
            TypeError,
            r"completions\[1\]\[0\] is the str",
        ),
        (lambda: Scorer(on="ids", eos_id=2).scores(["ab"], [[5]]), TypeError, r"completions\[0\] is the str 'ab'"),
        (lambda: Scorer(on="ids", eos_id=2).score([2**70], [5]), OverflowError, r"completion\[0\]"),
    ],
)
def test_what_is_wrong_is_said(make: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


def test_what_texts_are_read_by_may_be_said_where_it_does_not_matter() -> None:
    scorer = Scorer(on="ids", eos_id=2, tokenize="13a-raw", lowercase=False, normalize=None)
    assert scorer.score([5, 2], [5]) == 1


def test_what_is_not_given_has_a_name() -> None:
    assert "eos_id: 'Any' = <not given>" in str(inspect.signature(Scorer))


# One of each, with arguments as its framework gives them and what comes out.
COLUMNS = {"prompts": ["Hi"] * 3, "completions": [CAT, "", "no"], "completion_ids": [[5, 8, 2], [2], [7]]}
SAMPLES: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = [
    (TRLReward(), (), {**COLUMNS, "reference": [CAT, CAT, None]}, [1.0, 0.0, None]),
    (TRLReward("ids", on="ids", eos_id=2, metric="bleu"), (), {**COLUMNS, "ids": [[5, 8], [5], []]}, [1.0, 0.0, None]),
    (rewards.VerlReward(metric="bleu"), ("wmt", CAT, CAT, {}), {}, 1.0),
    (rewards.VerlBatchReward(), (["wmt"], [CAT], [CAT], [{}]), {}, [1.0]),
    (rewards.verl_compute_score, ("wmt", CAT, CAT, {}), {"metric": "bleu"}, 1.0),
    (rewards.verl_compute_scores, (["wmt"], [CAT], [CAT]), {}, [1.0]),
    (
        rewards.OpenRLHFReward(eos_text="</s>"),
        (["Hi " + CAT + "</s>"], ["Hi "], [CAT]),
        {},
        {"rewards": 1.0, "scores": 1.0},
    ),
    (rewards.NeMoRLReward(), ([CAT], [CAT]), {}, [1.0]),
    (rewards.VerifiersReward(), (), {"completion": CAT, "answer": CAT, "prompt": "Hi"}, 1.0),
    (rewards.VerifiersGroupReward(), (), {"completions": [CAT], "answers": [CAT]}, [1.0]),
    (rewards.AReaLReward(eos_text=()), ("Hi", CAT, [1], [5]), {"answer": CAT}, 1.0),
    (
        rewards.easyr1_compute_score,
        ([{"response": CAT, "response_length": 6, "ground_truth": CAT}],),
        {},
        [{"overall": 1.0}],
    ),
]
NAMES = [getattr(reward, "__qualname__", type(reward).__name__) for reward, *_ in SAMPLES]
every = pytest.mark.parametrize(("reward", "args", "keywords", "wanted"), SAMPLES, ids=NAMES)


class TestObjects:
    @every
    def test_pickles(self, reward: Any, args: Any, keywords: Any, wanted: Any) -> None:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            copy = pickle.loads(pickle.dumps(reward, protocol))
            assert copy(*args, **keywords) == wanted and copy.__name__ == reward.__name__
        assert len(pickle.dumps(reward)) < 4000

    @every
    def test_is_the_same_in_every_thread(self, reward: Any, args: Any, keywords: Any, wanted: Any) -> None:
        with ThreadPoolExecutor(8) as pool:
            assert all(made == wanted for made in pool.map(lambda _: reward(*args, **keywords), range(64)))

    @every
    def test_warns_of_nothing_and_is_no_coroutine(self, reward: Any, args: Any, keywords: Any, wanted: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert reward(*args, **keywords) == wanted
        assert not inspect.iscoroutinefunction(reward) and callable(reward) and isinstance(reward.__name__, str)

    @pytest.mark.parametrize("method", ["spawn", "fork"])
    @pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # from 3.12, because other tests ran threads
    def test_other_processes(self, method: str) -> None:
        if method not in multiprocessing.get_all_start_methods():
            pytest.skip(f"this system cannot {method}")
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            jobs = [pool.submit(reward, *args, **keywords) for reward, args, keywords, _ in SAMPLES]
            assert [job.result(60) for job in jobs] == [wanted for *_, wanted in SAMPLES]

    def test_names_for_logs(self) -> None:
        assert TRLReward().__name__ == "gleu" and TRLReward(metric="bleu").__name__ == "bleu"
        assert TRLReward(metric=clipgram.BLEU(), name="close").__name__ == "close"
        assert AsyncTRLReward().__name__ == "gleu" and rewards.verl_compute_score.__name__ == "verl_compute_score"
        assert repr(TRLReward(name="close")).startswith("<TRLReward close: clipgram:gleu|case:mixed|tok:13a-raw")

    def test_no_framework_is_imported(self) -> None:
        code = "import sys; import clipgram.rewards; print(sorted({name.partition('.')[0] for name in sys.modules}))"
        made = subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True)
        imported = set(eval(made.stdout))
        frameworks = {
            "torch",
            "trl",
            "verl",
            "openrlhf",
            "nemo_rl",
            "verifiers",
            "slime",
            "areal",
            "ray",
            "transformers",
        }
        assert "clipgram" in imported and not imported & {*frameworks, "datasets", "tensordict", "omegaconf"}


class TestAsync:
    def test_is_awaited(self) -> None:
        reward = AsyncTRLReward("answer", name="close")

        async def gather() -> list[Any]:
            calls = [
                reward(prompts=["Hi"], completions=[CAT], completion_ids=[[5]], answer=[a]) for a in (CAT, None, "dogs")
            ]
            return await asyncio.gather(*calls)

        assert asyncio.run(gather()) == [[1.0], [None], [0.0]]

    def test_both_ways_of_asking_find_out(self) -> None:
        reward = AsyncTRLReward()
        for one in (reward, pickle.loads(pickle.dumps(reward)), functools.partial(reward, extra=1)):
            assert inspect.iscoroutinefunction(one)  # TRL up to 1.10, verl, slime
            assert _is_async_callable(one)
        assert not _is_async_callable(TRLReward()) and not inspect.iscoroutinefunction(TRLReward())
        assert _is_async_callable(rewards.SlimeReward(eos_text=()))

    def test_still_looks_as_it_is_called(self) -> None:
        assert list(inspect.signature(AsyncTRLReward()).parameters) == ["completions", "completion_ids", "columns"]
        assert list(inspect.signature(AsyncTRLReward).parameters) == ["references", "name", "scoring"]
        assert not inspect.isfunction(AsyncTRLReward()) and not hasattr(AsyncTRLReward(), "__wrapped__")

    def test_errors_come_through(self) -> None:
        with pytest.raises(ValueError, match="there is no column 'reference'"):
            asyncio.run(AsyncTRLReward()(completions=["a"], answer=["a"]))


def _is_async_callable(function: Any) -> bool:
    """What TRL 1.16.0 does in ``trl.trainer.utils.is_async_callable``."""
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(function.__call__)
