"""Calls as each framework makes them, with the keywords that it passes, and what it takes back.

Recorded from TRL 1.16.0, verl 0.9.1, OpenRLHF 3c3be62, NeMo-RL 7ea279a, verifiers a60a606, slime 624b824, EasyR1
b44b311 and AReaL 4aef98d.
"""

from __future__ import annotations

import asyncio
import inspect
from importlib.util import module_from_spec, spec_from_file_location
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from clipgram import rewards
from clipgram.rewards import TRLReward

CAT = "the cat sat on the mat"
NEAR = "the cat sat on a mat"
SCORE = 0.6111111111111112  # 11 of 18 n-grams, counted by hand


def log(*_: Any) -> None:
    """Stands for TRL's ``log_extra`` and ``log_metric``."""


def said(text: str | None) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": text}]


class TestTRL:
    passed = {"trainer_state": SimpleNamespace(global_step=3), "log_extra": log, "log_metric": log}

    def call(
        self, reward: Any, completions: list[Any], completion_ids: list[list[int]] | None = None, **columns: Any
    ) -> Any:
        ids = completion_ids or [[7, 2]] * len(completions)
        prompts = ["Say it"] * len(completions)
        return reward(prompts=prompts, completions=completions, completion_ids=ids, **columns, **self.passed)

    def test_plain(self) -> None:
        made = self.call(TRLReward("answer"), [CAT, NEAR, "", "dogs"], answer=[CAT] * 4, source=["wmt"] * 4)
        assert made == [1.0, SCORE, 0.0, 0.0] and all(type(score) is float for score in made)

    def test_conversational(self) -> None:
        tools = [*said(None), {"role": "tool", "content": CAT}, *said(NEAR)]
        parts = [
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "the cat sat "}, {"type": "text", "text": "on a mat"}],
            }
        ]
        pictures = said([{"type": "image", "image": None}, {"type": "text", "text": CAT}])
        call = [{"role": "assistant", "tool_calls": [{"function": {}}]}]
        completions = [said(CAT), said(NEAR), tools, parts, pictures, call, said(None), []]
        wanted = [1.0, SCORE, SCORE, SCORE, 1.0, 0.0, 0.0, 0.0]
        assert self.call(TRLReward(), completions, reference=[CAT] * 8) == wanted

    def test_several_references_and_none(self) -> None:
        columns = {"reference": [["no", CAT], [None, CAT], None, [], "", [""]]}
        assert self.call(TRLReward(), [NEAR] * 6, **columns) == [SCORE, SCORE, None, None, None, None]

    def test_ids(self) -> None:
        reward = TRLReward("ids", on="ids", eos_id=2)
        ids = [[5, 8, 9, 2], [5, 8, 9], [2], [5, 8, 9, 2]]
        made = self.call(reward, ["..."] * 4, ids, ids=[[5, 8, 9], [[4], [5, 8, 9, 2]], [5], None])
        assert made == [1.0, 1.0, 0.0, None]

    def test_environments_and_whatever_comes_next(self) -> None:
        columns = {"reference": [CAT], "environments": [object()], "brand_new": 3}
        assert self.call(TRLReward(), [CAT], **columns) == [1.0]

    def test_an_older_trl_passes_no_ids(self) -> None:
        assert TRLReward()(prompts=["Say it"], completions=[CAT], reference=[CAT]) == [1.0]
        with pytest.raises(TypeError, match="reward 'gleu' is on IDs, and no completion_ids came"):
            TRLReward(on="ids", eos_id=2)(prompts=["Say it"], completions=[CAT], reference=[[5]])

    def test_groups_share_their_reference(self) -> None:
        completions = [CAT, NEAR, "a", "b"] * 4
        references = [list(group) for group in (["one", CAT],) * 8] + [[CAT + " today"] for _ in range(8)]
        alone = [TRLReward()(completions=[c], reference=[r])[0] for c, r in zip(completions, references, strict=True)]
        assert self.call(TRLReward(), completions, reference=references) == alone

    def test_columns_that_are_wrong(self) -> None:
        with pytest.raises(
            ValueError, match="reward 'gleu': there is no column 'reference'; the dataset has 'answer', 'source'"
        ):
            self.call(TRLReward(), [CAT], answer=[CAT], source=["wmt"])
        with pytest.raises(TypeError, match=r"answer\[1\] is the int 3; wanted a str, a list of str, or None"):
            self.call(TRLReward("answer"), [CAT] * 2, answer=[CAT, 3])
        with pytest.raises(TypeError, match=r"{answer}\[0\] is the int 3; wanted a str"):
            self.call(TRLReward("{answer}"), [CAT], **{"{answer}": [3]})
        with pytest.raises(TypeError, match=r"answer\[0\]\[0\] is a dict of 2; wanted a str"):
            self.call(TRLReward("answer"), [CAT], answer=[said(CAT)])
        with pytest.raises(TypeError, match="answer is the str 'the cat"):
            self.call(TRLReward("answer"), [CAT], answer=CAT)
        with pytest.raises(ValueError, match="completions has 2 entries and answer 1"):
            self.call(TRLReward("answer"), [CAT] * 2, answer=[CAT])
        with pytest.raises(TypeError, match=r"completions\[0\]\[0\] is the str 'the'; wanted a message"):
            self.call(TRLReward(), [["the"]], reference=[CAT])
        with pytest.raises(TypeError, match=r"completions\[0\]\[0\]\['content'\] is the int 3"):
            self.call(TRLReward(), [said(3)], reference=[CAT])  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="references is 'completion', a column that TRL does not pass on"):
            TRLReward("completion")


class TestVerl:
    def test_each_sample(self) -> None:
        passed = {"data_source": "wmt", "extra_info": {"num_turns": None, "rollout_reward_scores": {}}}
        made = rewards.verl_compute_score(solution_str=NEAR, ground_truth=CAT, **passed)
        assert made == SCORE == rewards.VerlReward()(solution_str=NEAR, ground_truth=CAT, **passed)
        router = {"reward_router_address": "http://127.0.0.1", "reward_model_tokenizer": None}
        assert rewards.verl_compute_score(solution_str=CAT, ground_truth=CAT, **passed, **router) == 1.0

    @pytest.mark.parametrize("truth", [None, "", [], np.array([], object)])
    def test_nothing_to_compare_with(self, truth: Any) -> None:
        made = rewards.verl_compute_score("wmt", NEAR, truth, {}), rewards.verl_compute_score("wmt", "", CAT, {})
        assert made == (0.0, 0.0) and type(made[0]) is type(made[1]) is float

    def test_options_from_the_configuration(self) -> None:
        options = {"metric": "bleu", "lowercase": True, "eos_text": "<|im_end|>", "smooth_method": "floor"}
        assert rewards.verl_compute_score("wmt", NEAR.upper() + "<|im_end|>", CAT, {}, **options) == pytest.approx(
            0.537, abs=1e-3
        )
        with pytest.raises(ValueError, match="metric is 'rouge'"):
            rewards.verl_compute_score("wmt", NEAR, CAT, {}, metric="rouge")
        with pytest.raises(TypeError, match="VerlReward gets no token IDs"):
            rewards.verl_compute_score("wmt", NEAR, CAT, {}, on="ids")

    def test_options_that_are_almost_right(self) -> None:
        for function, args in (
            (rewards.verl_compute_score, ("wmt", NEAR, CAT, {})),
            (rewards.verl_compute_scores, (["wmt"], [NEAR], [CAT], [{}])),
        ):
            for wrong, right in (("lowercse", "lowercase"), ("metrics", "metric"), ("tokenizer", "tokenize")):
                for _ in range(2):
                    with pytest.raises(TypeError, match=f"VerlReward has no option '{wrong}'; did you mean '{right}'"):
                        function(*args, metric="gleu", **{wrong: True})
        own = ("reward_router_address", "reward_model_tokenizer", "sandbox_fusion_url", "concurrent_semaphore")
        passed = dict.fromkeys((*own, "memory_limit_mb", "num_turns", "anything"))
        assert rewards.verl_compute_score("wmt", NEAR.upper(), CAT, {}, lowercase=True, **passed) == SCORE
        assert rewards.verl_compute_score("wmt", NEAR.upper(), CAT, {}, lowercase=False, **passed) == 0

    def test_references_in_extra_info(self) -> None:
        reward = rewards.VerlReward("refs")
        assert reward("wmt", NEAR, "", {"refs": np.array(["no", CAT], object)}) == SCORE
        with pytest.raises(ValueError, match="extra_info has no 'refs'; it has 'index', 'split'"):
            reward("wmt", NEAR, CAT, {"index": 0, "split": "train"})
        with pytest.raises(TypeError, match="extra_info is None; wanted a dict with 'refs' in it"):
            reward("wmt", NEAR, CAT)
        batch = rewards.VerlBatchReward("refs")
        assert batch(["wmt"] * 2, [NEAR, CAT], [None] * 2, [{"refs": CAT}, {"refs": [CAT]}]) == [SCORE, 1.0]
        with pytest.raises(ValueError, match=r"extra_infos\[1\] has no 'refs'"):
            batch(["wmt"] * 2, [NEAR, CAT], [None] * 2, [{"refs": CAT}, {"index": 1}])

    def test_ground_truths_that_are_wrong(self) -> None:
        with pytest.raises(TypeError, match="ground_truth is the int 5; wanted a str"):
            rewards.verl_compute_score("gsm8k", "5", 5, {})
        with pytest.raises(TypeError, match="solution_str is None"):
            rewards.verl_compute_score("gsm8k", None, CAT, {})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"ground_truths\[1\] is the int 5"):
            rewards.verl_compute_scores(["gsm8k"] * 2, ["5"] * 2, ["5", 5])
        with pytest.raises(ValueError, match="solution_strs has 2 entries and ground_truths 1"):
            rewards.verl_compute_scores(["gsm8k"] * 2, ["5"] * 2, ["5"])

    def test_the_batch_manager(self) -> None:
        made = rewards.verl_compute_scores(
            data_sources=np.array(["wmt"] * 4, object),
            solution_strs=[CAT, NEAR, "", CAT],
            ground_truths=[CAT, ["no", CAT], CAT, None],
            extra_infos=np.array([{"rollout_reward_scores": {}} for _ in range(4)], object),
        )
        assert (
            made
            == [1.0, SCORE, 0.0, 0.0]
            == rewards.VerlBatchReward()(None, [CAT, NEAR, "", CAT], [CAT, CAT, CAT, None])
        )
        assert all(type(score) is float for score in made)

    def test_the_prime_manager(self) -> None:
        assert rewards.verl_compute_score("wmt", NEAR, CAT, None) == SCORE


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: TRLReward("a")(completions="ab", a=["a", "b"]), "completions"),
        (lambda: TRLReward("a")(completions=["a", "b"], a="ab"), "a"),
        (lambda: TRLReward("a", on="ids", eos_id=2)(completions="", completion_ids="ab", a=[[1]] * 2), "completion_ids"),
        (lambda: rewards.VerlBatchReward()(["wmt"] * 2, "ab", ["a", "b"]), "solution_strs"),
        (lambda: rewards.verl_compute_scores(["wmt"] * 2, ["a", "b"], "ab"), "ground_truths"),
        (lambda: rewards.OpenRLHFReward(eos_text=())("ab", ["", ""], ["a", "b"]), "queries"),
        (lambda: rewards.OpenRLHFReward(eos_text=())(["a", "b"], "ab", ["a", "b"]), "prompts"),
        (lambda: rewards.OpenRLHFReward(eos_text=())(["a", "b"], ["", ""], "ab"), "labels"),
        (lambda: rewards.NeMoRLReward().verify("ab", ["a", "b"]), "pred_responses"),
        (lambda: rewards.VerifiersGroupReward()("ab", ["a", "b"]), "completions"),
        (lambda: rewards.VerifiersGroupReward()(["a", "b"], "ab"), "answer"),
    ],
)
def test_one_text_is_no_batch(call: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"^{name} is the str 'ab'; wanted a list with one entry a completion$"):
        call()


class TestOpenRLHF:
    reward = rewards.OpenRLHFReward(eos_text="<|im_end|>")
    prompt = "<|im_start|>user\nSay it<|im_end|>\n<|im_start|>assistant\n"

    def test_one_query(self) -> None:
        made = self.reward([self.prompt + NEAR + "<|im_end|>"], [self.prompt], [CAT])
        assert made == {"rewards": SCORE, "scores": SCORE}
        assert self.reward([self.prompt], [self.prompt], [CAT], brand_new=1)["rewards"] == 0.0
        assert self.reward([self.prompt + CAT], [self.prompt], [None])["rewards"] == 0.0

    def test_several(self) -> None:
        queries = [self.prompt + text + "<|im_end|>\n" for text in (CAT, NEAR)]
        assert self.reward(queries, [self.prompt] * 2, [CAT] * 2)["rewards"] == [1.0, SCORE]

    def test_blanks_that_a_tokenizer_changed(self) -> None:
        assert self.reward(["Say it : now" + CAT], ["Say it: now "], [CAT])["rewards"] == 1.0
        assert self.reward([" Say  it\n" + CAT], ["Say it\n"], [CAT])["rewards"] == 1.0

    def test_a_prompt_that_is_not_there(self) -> None:
        with pytest.raises(
            ValueError, match=r"queries\[0\] does not begin with prompts\[0\]: up to character 4 they agree"
        ):
            self.reward(["Say that" + CAT], ["Say it"], [CAT])
        with pytest.raises(TypeError, match=r"queries\[0\] is the int 3"):
            self.reward([3], ["Say it"], [CAT])  # type: ignore[list-item]
        with pytest.raises(ValueError, match="queries has 1 entries and prompts 2"):
            self.reward(["Say it"], ["Say it"] * 2, [CAT])

    def test_special_tokens_are_in_the_text(self) -> None:
        with pytest.raises(
            TypeError, match="OpenRLHFReward needs eos_text: its framework leaves special tokens in the text"
        ):
            rewards.OpenRLHFReward()
        with pytest.raises(TypeError, match="OpenRLHFReward gets no token IDs"):
            rewards.OpenRLHFReward(on="ids", eos_id=2)


class TestNeMoRL:
    def test_a_worker(self) -> None:
        worker = rewards.NeMoRLReward(eos_text="</s>")
        assert worker.verify([CAT, NEAR, ""], [CAT, ["no", CAT], CAT], False) == [1.0, SCORE, 0.0]
        made = worker.verify([" " + CAT + "</s>", NEAR], [CAT, None], return_extracted_answer=True)
        assert made == ([1.0, 0.0], [CAT, NEAR])
        assert worker.verify([CAT], [CAT], math_verify_impl="any") == [1.0]
        with pytest.raises(ValueError, match="pred_responses has 2 entries and ground_truths 1"):
            worker.verify([CAT] * 2, [CAT])


class Message:
    """As verifiers' messages, which are no dicts but have ``get``."""

    def __init__(self, role: str, content: str | None) -> None:
        self.role, self.content = role, content

    def get(self, key: str, default: Any = None) -> Any:
        return getattr(self, key, default)


class TestVerifiers:
    @staticmethod
    def is_group(function: Any) -> bool:
        """How ``Rubric._is_group_func`` tells them apart."""
        names = set(inspect.signature(function).parameters)
        return bool(names & {"states", "prompts", "completions", "answers", "tasks", "infos"})

    @staticmethod
    def arguments(function: Any, offered: dict[str, Any]) -> dict[str, Any]:
        """What ``Rubric`` passes: everything to those that take ``**kwargs``."""
        parameters = inspect.signature(function).parameters
        if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
            return offered
        return {name: value for name, value in offered.items() if name in parameters}

    def test_one(self) -> None:
        offered = {
            "prompt": [Message("user", "Hi")],
            "state": {},
            "info": {},
            "parser": object(),
            "task": None,
            "refs": [CAT],
        }
        reward = rewards.VerifiersReward()
        assert not self.is_group(reward)
        for completion, wanted in (([Message("assistant", NEAR)], SCORE), (said(CAT), 1.0), (NEAR, SCORE), ([], 0.0)):
            passed = self.arguments(reward, {**offered, "completion": completion, "answer": CAT})
            assert float(reward(**passed)) == wanted
        assert reward(**offered, completion=CAT, answer="") == 0.0
        assert rewards.VerifiersReward("refs")(**offered, completion=[Message("text", NEAR)], answer="") == SCORE
        with pytest.raises(ValueError, match="the row has no 'gold'; it has 'prompt', 'state', 'info'"):
            rewards.VerifiersReward("gold")(**offered, completion=CAT)

    def test_a_group(self) -> None:
        states = [{"input": {"prompt": "Hi", "answer": CAT, "refs": ["no", CAT]}} for _ in range(3)]
        offered = {"prompts": ["Hi"] * 3, "states": states, "tasks": [None] * 3, "infos": [{}] * 3, "parser": object()}
        reward = rewards.VerifiersGroupReward()
        assert self.is_group(reward)
        passed = self.arguments(reward, {**offered, "completions": [said(CAT), NEAR, ""], "answers": [CAT] * 3})
        assert reward(**passed) == [1.0, SCORE, 0.0]
        assert rewards.VerifiersGroupReward("refs")(**passed) == [1.0, SCORE, 0.0]
        with pytest.raises(ValueError, match=r"the row of states\[0\] has no 'gold'"):
            rewards.VerifiersGroupReward("gold")(**passed)


class TestSlime:
    @staticmethod
    def sample(response: str, label: Any, **more: Any) -> SimpleNamespace:
        fields = {"tokens": [1, 1, 5, 8, 9, 2], "response_length": 4, "loss_mask": None, "metadata": {}}
        return SimpleNamespace(response=response, label=label, **{**fields, **more})

    def test_text(self) -> None:
        reward = rewards.SlimeReward(eos_text="<|im_end|>")
        samples = [
            self.sample(NEAR + "<|im_end|>", CAT),
            self.sample(CAT, CAT),
            self.sample("", CAT),
            self.sample(CAT, None),
        ]
        alone = [asyncio.run(reward(SimpleNamespace(rm_type=None), sample, evaluation=False)) for sample in samples]
        assert alone == [SCORE, 1.0, 0.0, 0.0] == asyncio.run(reward(SimpleNamespace(), samples))
        assert all(type(score) is float for score in alone) and asyncio.run(reward(None, [])) == []

    def test_ids(self) -> None:
        reward = rewards.SlimeReward("ids", on="ids", eos_id=2)
        meant = {"metadata": {"ids": [[4], [5, 8, 9]]}}
        assert asyncio.run(reward(None, self.sample("...", None, **meant))) == 1.0
        tools = self.sample(
            "...", None, tokens=[1, 5, 6, 6, 8, 9], response_length=5, loss_mask=[1, 0, 0, 1, 1], **meant
        )
        assert asyncio.run(reward(None, tools)) == 1.0
        assert asyncio.run(reward(None, self.sample("", None, response_length=0, **meant))) == 0.0

    def test_metadata_that_is_wrong(self) -> None:
        reward = rewards.SlimeReward("refs", eos_text=())
        assert asyncio.run(reward(None, self.sample(NEAR, None, metadata={"refs": [CAT]}))) == SCORE
        with pytest.raises(ValueError, match=r"samples\[1\].metadata has no 'refs'; it has nothing"):
            asyncio.run(reward(None, [self.sample(NEAR, None, metadata={"refs": CAT}), self.sample(NEAR, None)]))
        with pytest.raises(TypeError, match=r"samples\[0\].metadata is None"):
            asyncio.run(reward(None, self.sample(NEAR, None, metadata=None)))
        with pytest.raises(TypeError, match="SlimeReward needs eos_text"):
            rewards.SlimeReward()


class TestEasyR1:
    def test_the_file_is_loaded_by_its_path(self) -> None:
        spec = spec_from_file_location("custom_reward_fn", inspect.getfile(rewards.easyr1_compute_score))
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        assert module.REWARD_TYPE == "batch" and isinstance(module.REWARD_NAME, str)
        row = {"response": NEAR, "response_length": 7, "ground_truth": CAT}
        assert module.easyr1_compute_score([row, {**row, "ground_truth": None}]) == [
            {"overall": SCORE},
            {"overall": 0.0},
        ]
        assert module.easyr1_compute_score(row) == {"overall": SCORE}

    def test_options(self) -> None:
        row = {"response": CAT.upper(), "response_length": 7, "ground_truth": [CAT]}
        assert rewards.easyr1_compute_score([row], metric="bleu", lowercase=True) == [{"overall": 1.0}]
        with pytest.raises(TypeError, match="the metric 'gleu' has no option 'mertic'; did you mean 'metric'"):
            rewards.easyr1_compute_score([row], mertic="bleu")
        with pytest.raises(TypeError, match="EasyR1 has no token IDs"):
            rewards.easyr1_compute_score([row], on="ids", eos_id=2)

    def test_rows_that_are_wrong(self) -> None:
        with pytest.raises(TypeError, match=r"reward_inputs\[0\] is the str 'the cat"):
            rewards.easyr1_compute_score([CAT])  # type: ignore[list-item]
        with pytest.raises(TypeError, match=r"ground_truth\[1\] is the int 3"):
            rewards.easyr1_compute_score([{"response": "a", "ground_truth": truth} for truth in ("a", 3)])


class TestAReaL:
    def test_text(self) -> None:
        reward = rewards.AReaLReward(eos_text="<|im_end|>")
        row = {"messages": [], "prompt": "also a column", "answer": CAT}
        assert reward("Hi", NEAR + "<|im_end|>", [7], [5, 8, 2], **row) == SCORE
        assert (
            reward("Hi", "<|im_end|>", [7], [2], **row) == 0.0 == reward("Hi", CAT, [7], [5], **{**row, "answer": None})
        )
        with pytest.raises(ValueError, match="the row has no 'answer'; it has 'messages', 'gold'"):
            reward("Hi", CAT, [7], [5], messages=[], gold=CAT)
        with pytest.raises(TypeError, match="answer is the int 3"):
            reward("Hi", CAT, [7], [5], answer=3)
        with pytest.raises(TypeError, match="AReaLReward needs eos_text"):
            rewards.AReaLReward("answer")

    def test_ids(self) -> None:
        reward = rewards.AReaLReward("answer_ids", on="ids", eos_id=[2, 3])
        made = [reward("Hi", "...", [7], ids, answer_ids=[5, 8]) for ids in ([5, 8, 2], [5, 8, 3], [5, 8], [2])]
        assert made == [1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize("kind", [thing for name, thing in vars(rewards).items() if name.endswith("Reward")])
def test_every_reward_takes_the_same_options(kind: Any) -> None:
    for metric, name in (("gleu", None), ("bleu", "close")):
        reward = kind(metric=metric, name=name, eos_text="</s>", lowercase=True, tokenize="intl", max_order=2)
        assert reward.__name__ == (name or metric) and "tok:intl" in repr(reward) and "case:lc" in repr(reward)
