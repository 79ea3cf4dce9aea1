"""Rewards inside the frameworks themselves: a step of TRL's trainers, and verl's reward managers.

The model is tiny and random, its tokenizer made here, so nothing is loaded from anywhere.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clipgram
from clipgram import rewards
from clipgram.rewards import AsyncTRLReward, TRLReward

# The frameworks and what they use warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore")
needs_trl = pytest.mark.skipif(find_spec("trl") is None, reason='trl is not installed: pip install ".[test-rl]"')
needs_verl = pytest.mark.skipif(find_spec("verl") is None, reason='verl is not installed: pip install ".[test-rl]"')

CAT = "the cat sat on a mat"
WORDS = ["<pad>", "<eos>", "<unk>", "user", "assistant", *CAT.split(), "dog", "ran", "home", "it", "rained"]
PAD, EOS = 0, 1
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }} {{ message['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}assistant {% endif %}"
)


@pytest.fixture(autouse=True)
def event_loop() -> Iterator[None]:
    """A loop that is closed; verl would make one and leave it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)


@pytest.fixture
def tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = {"pad_token": "<pad>", "eos_token": "<eos>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=words, padding_side="left", chat_template=TEMPLATE, **special)


class Recorded(TRLReward):
    """Keeps what came and what was returned."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.calls: list[tuple[dict[str, Any], list[float | None]]] = []

    def __call__(self, **passed: Any) -> list[float | None]:
        self.calls.append((passed, super().__call__(**passed)))
        return self.calls[-1][1]


class AsyncRecorded(AsyncTRLReward):
    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.calls: list[tuple[dict[str, Any], list[float | None]]] = []

    async def __call__(self, **passed: Any) -> list[float | None]:
        self.calls.append((passed, await super().__call__(**passed)))
        return self.calls[-1][1]


@needs_trl
class TestTRL:
    def train(
        self, reward: Any, columns: dict[str, Any], tokenizer: Any, folder: Path, kind: str = "GRPO"
    ) -> dict[str, float]:
        """Train one step, and return what was logged of it."""
        import torch
        import trl
        from datasets import Dataset
        from transformers import LlamaConfig, LlamaForCausalLM

        torch.manual_seed(1)
        size = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
        special = {"bos_token_id": None, "eos_token_id": EOS, "pad_token_id": PAD}
        config = LlamaConfig(
            vocab_size=len(WORDS), num_key_value_heads=2, max_position_embeddings=64, **size, **special
        )
        batch = {
            "per_device_train_batch_size": 12,
            "num_generations": 4,
            "max_completion_length": 12,
            "max_steps": 1,
            "beta": 0.0,
        }
        quiet = {"report_to": [], "save_strategy": "no", "disable_tqdm": True, "logging_steps": 1}
        arguments = getattr(trl, f"{kind}Config")(output_dir=str(folder), use_cpu=True, bf16=False, **batch, **quiet)
        trainer = getattr(trl, f"{kind}Trainer")(
            model=LlamaForCausalLM(config),
            reward_funcs=[reward],
            args=arguments,
            train_dataset=Dataset.from_dict(columns),
            processing_class=tokenizer,
        )
        trainer.train()
        logged: dict[str, float] = trainer.state.log_history[0]
        return logged

    def check(self, reward: Any, logged: dict[str, float], answers: list[Any], truths: list[Any]) -> None:
        """See to it that the rewards are the metric's scores, and that TRL trained with them."""
        [(passed, made)] = reward.calls
        pairs = zip(answers, truths, strict=True)
        assert made == [truth and clipgram.sentence_gleu(answer, truth).score for answer, truth in pairs]
        assert {
            "prompts",
            "completions",
            "completion_ids",
            "reference",
            "trainer_state",
            "log_extra",
            "log_metric",
        } <= set(passed)
        scores = [score for score in made if score is not None]
        assert len(scores) == 8 and len(set(scores)) > 1 and made.count(None) == 4
        assert (
            logged["rewards/gleu/mean"] == pytest.approx(sum(scores) / 8, abs=1e-6) == pytest.approx(logged["reward"])
        )
        assert logged["grad_norm"] > 0 and math.isfinite(logged["loss"])

    prompts = ["the cat", "it rained", "a dog"]
    truths = [[CAT, "it sat"], ["it rained"], None]

    @pytest.mark.parametrize(("make", "kind"), [(Recorded, "GRPO"), (Recorded, "RLOO"), (AsyncRecorded, "GRPO")])
    def test_text(self, make: Any, kind: str, tokenizer: Any, tmp_path: Path) -> None:
        reward = make()
        logged = self.train(reward, {"prompt": self.prompts, "reference": self.truths}, tokenizer, tmp_path, kind)
        passed = reward.calls[0][0]
        assert passed["reference"] == [self.truths[self.prompts.index(prompt)] for prompt in passed["prompts"]]
        self.check(reward, logged, passed["completions"], passed["reference"])

    def test_conversations(self, tokenizer: Any, tmp_path: Path) -> None:
        reward = Recorded()
        prompts = [[{"role": "user", "content": prompt}] for prompt in self.prompts]
        logged = self.train(reward, {"prompt": prompts, "reference": self.truths}, tokenizer, tmp_path)
        passed = reward.calls[0][0]
        self.check(reward, logged, [messages[0]["content"] for messages in passed["completions"]], passed["reference"])

    def test_ids(self, tokenizer: Any, tmp_path: Path) -> None:
        reward = Recorded(on="ids", eos_id=EOS)
        truths = [truth and [[WORDS.index(word) for word in text.split()] for text in truth] for truth in self.truths]
        logged = self.train(reward, {"prompt": self.prompts, "reference": truths}, tokenizer, tmp_path)
        passed = reward.calls[0][0]
        assert any(ids[-1] == EOS for ids in passed["completion_ids"])  # so there was something to cut off
        self.check(
            reward, logged, [[i for i in ids if i != EOS] for ids in passed["completion_ids"]], passed["reference"]
        )


@needs_verl
class TestVerl:
    responses = [CAT, "a dog ran home", "", "it rained"]
    truths = [CAT, ["the dog ran home", "it rained"], CAT, None]
    wanted = [1.0, clipgram.sentence_bleu("a dog ran home", ["the dog ran home", "it rained"]).score, 0.0, 0.0]

    def data(self, tokenizer: Any) -> Any:
        """A batch as a rollout leaves it: prompts padded on the left, responses with EOS and padding on the right."""
        import torch
        from verl import DataProto

        ids = [[*(tokenizer(text)["input_ids"] if text else []), EOS] for text in self.responses]
        tensors = {
            "prompts": torch.tensor([[PAD, 3, 5]] * 4),
            "responses": torch.tensor([row + [PAD] * (10 - len(row)) for row in ids]),
            "attention_mask": torch.tensor([[0, 1, 1] + [1] * len(row) + [0] * (10 - len(row)) for row in ids]),
        }
        objects = {
            "data_source": ["wmt"] * 4,
            "reward_model": [{"ground_truth": truth} for truth in self.truths],
            "extra_info": [{"index": i} for i in range(4)],
        }
        return DataProto.from_dict(tensors, {name: np.array(column, object) for name, column in objects.items()})

    def managed(self, function: dict[str, Any], tokenizer: Any) -> list[dict[str, Any]]:
        """What the reward loop's manager makes of each sample, with a reward function from the configuration."""
        from omegaconf import OmegaConf
        from verl.trainer.ppo.reward import load_reward_manager

        manager = {"source": "register", "name": "naive"}
        settings = {"custom_reward_function": function, "reward_manager": manager, "sandbox_fusion": None}
        made = load_reward_manager(OmegaConf.create({"reward": settings}), tokenizer)
        data = self.data(tokenizer)
        return [made.loop.run_until_complete(made.run_single(data[i : i + 1])) for i in range(len(data))]

    def test_a_function_that_the_configuration_names(self, tokenizer: Any) -> None:
        function = {"path": "pkg://clipgram.rewards", "name": "verl_compute_score", "reward_kwargs": {"metric": "bleu"}}
        made = self.managed(function, tokenizer)
        assert [one["reward_score"] for one in made] == self.wanted
        assert all(one["reward_extra_info"] == {"acc": one["reward_score"]} for one in made)

    def test_an_object_in_a_file(self, tokenizer: Any, tmp_path: Path) -> None:
        file = tmp_path / "my_reward.py"
        file.write_text("from clipgram.rewards import VerlReward\ncompute_score = VerlReward(metric='bleu')\n", "utf-8")
        made = self.managed({"path": str(file), "name": "compute_score"}, tokenizer)
        assert [one["reward_score"] for one in made] == self.wanted

    def test_the_batch_manager(self, tokenizer: Any) -> None:
        from verl.workers.reward_manager.batch import BatchRewardManager

        made = BatchRewardManager(tokenizer, 0, rewards.VerlBatchReward(metric="bleu"))(self.data(tokenizer))
        assert made.sum(-1).tolist() == pytest.approx(self.wanted)
        assert made.argmax(-1).tolist()[:2] == [6, 4]  # where the responses end
