"""Rewards for TRL's GRPOTrainer, RLOOTrainer and their kin."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from clipgram._describe import describe
from clipgram.rewards.reading import answer_of, check_batch
from clipgram.rewards.scoring import Reward

# What TRL passes beside the columns of the dataset.
_OWN = {"prompts", "trainer_state", "log_extra", "log_metric", "environments"}
_NOT_PASSED = ("prompt", "completion", "completion_ids", "completions")


class TRLReward(Reward):
    """A reward function for TRL: how close each completion comes to its references.

    Called by keyword with ``completions``, ``completion_ids`` and the columns of the dataset, as TRL 1.16.0 does; other
    keywords are ignored. A completion of which no reference is there, or only empty ones, gets None, which TRL leaves
    out; an empty completion gets 0.0.

    Of a conversation the last message of the assistant counts. With tools, ``completion_ids`` holds what they put out
    too, so score text there.

    Parameters
    ----------
    references : str
        The column of the dataset that holds the reference of each row: a str, or token IDs with ``on="ids"``; a list
        of such; or None. TRL does not pass on columns called ``prompt``, ``completion`` or ``completion_ids``.
    name : str, optional
        What TRL's logs call the reward. By default the metric: ``rewards/gleu/mean``.
    **scoring
        ``metric``, ``on``, ``eos_id``, ``ignore_ids``, ``eos_text`` and options of the metric, as for ``Scorer``.

    Examples
    --------
    >>> reward = TRLReward(references="answer")
    >>> reward.__name__
    'gleu'
    >>> reward(prompts=["Hi"] * 3, completions=["the cat sat", "", "a"], answer=["the cat sat", "it rained", None])
    [1.0, 0.0, None]
    >>> reward = TRLReward("answer_ids", on="ids", eos_id=2, name="overlap")
    >>> reward(completions=["..."], completion_ids=[[11, 5, 8, 2]], answer_ids=[[[11, 5, 8], [11, 5]]])
    [1.0]
    """

    _has_ids = True

    def __init__(self, references: str = "reference", *, name: str | None = None, **scoring: Any) -> None:
        if references in _NOT_PASSED:
            raise ValueError(f"references is {references!r}, a column that TRL does not pass on to rewards; rename it")
        super().__init__(references, name=name, **scoring)

    def __call__(self, *, completions: Any, completion_ids: Any = None, **columns: Any) -> list[float | None]:
        return self._rewards(completions, completion_ids, columns)

    def _rewards(self, completions: Any, completion_ids: Any, columns: dict[str, Any]) -> list[float | None]:
        if self.references not in columns:
            there = sorted(set(columns) - _OWN)
            raise ValueError(
                f"reward {self.__name__!r}: there is no column {self.references!r}; "
                f"the dataset has {', '.join(map(repr, there)) or 'none'} beside the prompt"
            )
        references = columns[self.references]
        check_batch(references, self.references)
        if not hasattr(references, "__len__"):
            raise TypeError(f"{self.references} is {describe(references)}; wanted a list with one entry a completion")
        if self.scorer.on == "ids":
            if completion_ids is None:
                raise TypeError(f"reward {self.__name__!r} is on IDs, and no completion_ids came")
            return self.scorer.scores(completion_ids, references, name="completion_ids", reference_name=self.references)
        check_batch(completions, "completions")
        texts = [answer_of(completion, f"completions[{i}]") for i, completion in enumerate(completions)]
        return self.scorer.scores(texts, references, name="completions", reference_name=self.references)


class AsyncTRLReward(TRLReward):
    """The same as ``TRLReward``, to be awaited: TRL gathers asynchronous rewards while others run.

    The scores are computed in a thread and the core releases the GIL, so neither the event loop nor training waits.

    Parameters
    ----------
    references, name, **scoring
        As for ``TRLReward``.

    Examples
    --------
    >>> reward = AsyncTRLReward("answer", metric="bleu")
    >>> asyncio.run(reward(completions=["the cat sat"], answer=["the cat sat"]))
    [1.0]
    """

    async def __call__(  # type: ignore[override]  # awaited; TRL tells the two apart
        self, *, completions: Any, completion_ids: Any = None, **columns: Any
    ) -> list[float | None]:
        return await asyncio.to_thread(self._rewards, completions, completion_ids, columns)

    # TRL up to 1.10 asks inspect.iscoroutinefunction of the object itself, and not of its __call__. It believes objects
    # that have the attributes of a function.
    __defaults__ = __kwdefaults__ = None

    def __getattr__(self, name: str) -> Any:
        if name == "__code__":
            return type(self).__call__.__code__
        if name == "__signature__":  # which would else be read off the code, self included
            return inspect.signature(self.__call__)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
