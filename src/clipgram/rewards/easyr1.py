"""A reward function for EasyR1, which loads it from this file: ``worker.reward.reward_function=FILE:FUNCTION``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clipgram._describe import describe
from clipgram.rewards.scoring import Scorer

REWARD_NAME = "clipgram"
REWARD_TYPE = "batch"


def easyr1_compute_score(
    reward_inputs: Sequence[Mapping[str, Any]] | Mapping[str, Any], **scoring: Any
) -> list[dict[str, float]] | dict[str, float]:
    """How close responses come to their references, for EasyR1.

    A response of which no reference is there, or only empty ones, gets 0.0, and so does an empty response.

    Parameters
    ----------
    reward_inputs : list of dict, or dict
        Of each response ``response`` and ``ground_truth``, a str, a list of str, or None. EasyR1 passes a list where
        ``REWARD_TYPE`` is ``batch``, and one dict where it is ``sequential``.
    **scoring
        ``metric``, ``eos_text`` and options of the metric, as for ``Scorer``: EasyR1's ``reward_function_kwargs``.

    Returns
    -------
    list of dict, or dict
        ``{"overall": score}`` of each response.

    Examples
    --------
    >>> easyr1_compute_score([{"response": "the cat", "response_length": 3, "ground_truth": "the cat"}])
    [{'overall': 1.0}]
    """
    if "on" in scoring:
        raise TypeError("EasyR1 has no token IDs for a reward, so there is no choice of on=")
    scorer = Scorer(**scoring)
    if isinstance(reward_inputs, Mapping):
        return _scores(scorer, [reward_inputs])[0]
    return _scores(scorer, reward_inputs)


def _scores(scorer: Scorer, reward_inputs: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    for i, row in enumerate(reward_inputs):
        if not isinstance(row, Mapping) or not {"response", "ground_truth"} <= set(row):
            raise TypeError(f"reward_inputs[{i}] is {describe(row)}; wanted a dict with response and ground_truth")
    responses = [row["response"] for row in reward_inputs]
    truths = [row["ground_truth"] for row in reward_inputs]
    scores = scorer.scores(responses, truths, name="response", reference_name="ground_truth")
    return [{"overall": score or 0.0} for score in scores]
