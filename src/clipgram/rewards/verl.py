"""Rewards for verl."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from clipgram._describe import describe
from clipgram.rewards.reading import check_batch
from clipgram.rewards.scoring import OPTIONS, Reward, did_you_mean


class VerlReward(Reward):
    """``compute_score`` for verl: how close a response comes to its references.

    Called for each sample with ``data_source, solution_str, ground_truth, extra_info``, by keyword or in this order, as
    verl 0.9.1's reward loop and its ``prime`` manager do; other keywords are ignored. A response of which no reference
    is there, or only empty ones, gets 0.0, and so does an empty response.

    Parameters
    ----------
    references : str
        ``"ground_truth"``, or a key of ``extra_info``. What stands there is a str, a list of str, or None.
    name : str, optional
        The ``__name__``; by default the metric's.
    **scoring
        ``metric``, ``eos_text`` and options of the metric, as for ``Scorer``.

    Examples
    --------
    In a file that verl knows as ``reward.custom_reward_function.path``:

    >>> compute_score = VerlReward(metric="bleu", lowercase=True)
    >>> compute_score(data_source="wmt", solution_str="The cat sat", ground_truth=["the cat sat", "a cat sat"])
    1.0
    """

    def __init__(self, references: str = "ground_truth", *, name: str | None = None, **scoring: Any) -> None:
        super().__init__(references, name=name, **scoring)

    def __call__(
        self, data_source: Any, solution_str: str, ground_truth: Any = None, extra_info: Any = None, **others: Any
    ) -> float:
        reference = self._reference(ground_truth, extra_info, "extra_info")
        return self.scorer.score(solution_str, reference, name="solution_str", reference_name=self.references) or 0.0

    def _reference(self, ground_truth: Any, extra_info: Any, name: str) -> Any:
        if self.references == "ground_truth":
            return ground_truth
        if not isinstance(extra_info, Mapping):
            raise TypeError(f"{name} is {describe(extra_info)}; wanted a dict with {self.references!r} in it")
        if self.references not in extra_info:
            there = ", ".join(map(repr, extra_info)) or "nothing"
            raise ValueError(f"{name} has no {self.references!r}; it has {there}")
        return extra_info[self.references]


class VerlBatchReward(VerlReward):
    """``compute_score`` for verl's ``batch`` manager: all samples of a step in one call.

    Called with ``data_sources, solution_strs, ground_truths, extra_infos``; returns a float for each sample.

    Parameters
    ----------
    references, name, **scoring
        As for ``VerlReward``.

    Examples
    --------
    >>> VerlBatchReward()(data_sources=["wmt"] * 2, solution_strs=["the cat", ""], ground_truths=["the cat", "a cat"])
    [1.0, 0.0]
    """

    def __call__(  # type: ignore[override]  # verl passes columns, by these names
        self,
        data_sources: Any,
        solution_strs: Sequence[str],
        ground_truths: Sequence[Any] | None = None,
        extra_infos: Sequence[Any] | None = None,
        **others: Any,
    ) -> list[float]:
        check_batch(solution_strs, "solution_strs")
        n = len(solution_strs)
        columns = {"ground_truths": ground_truths, "extra_infos": extra_infos}
        for name, column in columns.items():
            check_batch(column, name)
            if column is None:
                columns[name] = [None] * n
            elif len(column) != n:
                raise ValueError(f"solution_strs has {n} entries and {name} {len(column)}")
        found = [
            self._reference(truth, info, f"extra_infos[{i}]")
            for i, (truth, info) in enumerate(zip(*columns.values(), strict=True))
        ]
        name = "ground_truths" if self.references == "ground_truth" else self.references
        return [
            score or 0.0
            for score in self.scorer.scores(solution_strs, found, name="solution_strs", reference_name=name)
        ]


_REWARD, _BATCH_REWARD = VerlReward(), VerlBatchReward()


@functools.lru_cache(64)  # a run has one set of names, and comparing them takes longer than scoring
def _options_among(names: tuple[str, ...]) -> tuple[str, ...]:
    """Which keywords are options. One that is almost one is a mistake, not verl's."""
    for name in names:
        hint = "" if name in OPTIONS else did_you_mean(name)
        if hint:
            raise TypeError(f"VerlReward has no option {name!r}{hint}")
    return tuple(name for name in names if name in OPTIONS)


def verl_compute_score(
    data_source: Any, solution_str: str, ground_truth: Any = None, extra_info: Any = None, **keywords: Any
) -> float:
    """``VerlReward`` as a function that a configuration can name, with its options as ``reward_kwargs``.

    In the configuration, ``reward.custom_reward_function`` has ``path: pkg://clipgram.rewards``,
    ``name: verl_compute_score`` and perhaps ``reward_kwargs: {metric: bleu}``.

    Parameters
    ----------
    data_source, solution_str, ground_truth, extra_info
        What verl says of a sample.
    **keywords
        ``references`` and options as for ``VerlReward``. Others are ignored, since verl adds some of its own, unless
        the name of one is almost that of an option.

    Returns
    -------
    float

    Examples
    --------
    >>> verl_compute_score("wmt", "the cat sat on a mat", "the cat sat on the mat", {})
    0.6111111111111112
    >>> verl_compute_score("wmt", "The cat", None, {"refs": ["the cat"]}, references="refs", lowercase=True)
    1.0
    """
    options = {name: keywords[name] for name in _options_among(tuple(keywords))}
    reward = VerlReward(**options) if options else _REWARD
    return reward(data_source, solution_str, ground_truth, extra_info)


def verl_compute_scores(
    data_sources: Any,
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any] | None = None,
    extra_infos: Sequence[Any] | None = None,
    **keywords: Any,
) -> list[float]:
    """``VerlBatchReward`` as a function that a configuration can name, as ``verl_compute_score``.

    Examples
    --------
    >>> verl_compute_scores(["wmt"] * 2, ["the cat sat", "no"], ["the cat sat", None], metric="bleu")
    [1.0, 0.0]
    """
    options = {name: keywords[name] for name in _options_among(tuple(keywords))}
    reward = VerlBatchReward(**options) if options else _BATCH_REWARD
    return reward(data_sources, solution_strs, ground_truths, extra_infos)
