"""Rewards for the rubrics of verifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clipgram.rewards.reading import answer_of, check_batch
from clipgram.rewards.scoring import Reward


class VerifiersReward(Reward):
    """A reward function for a ``Rubric``: how close a completion comes to its references.

    Called with ``completion``, ``answer`` and the other fields of a row, by keyword. Of a conversation the last message
    of the assistant counts. A completion of which no reference is there, or only empty ones, gets 0.0, and so does an
    empty completion.

    Parameters
    ----------
    references : str
        ``"answer"``, or another column of the dataset: a str, a list of str, or None.
    name : str, optional
        What logs call the reward; by default the metric.
    **scoring
        ``metric``, ``eos_text`` and options of the metric, as for ``Scorer``.

    Examples
    --------
    >>> reward = VerifiersReward()  # for Rubric(funcs=[reward])
    >>> reward(prompt="Hi", completion=[{"role": "assistant", "content": "the cat sat"}], answer="the cat sat", info={})
    1.0
    """

    def __init__(self, references: str = "answer", *, name: str | None = None, **scoring: Any) -> None:
        super().__init__(references, name=name, **scoring)

    def __call__(self, completion: Any, **fields: Any) -> float:
        reference = _field(fields, self.references, "the row")
        text = answer_of(completion, "completion")
        return self.scorer.score(text, reference, reference_name=self.references) or 0.0


class VerifiersGroupReward(VerifiersReward):
    """The same for all completions of a group in one call, which verifiers tells by the names of the arguments.

    Parameters
    ----------
    references, name, **scoring
        As for ``VerifiersReward``.

    Examples
    --------
    >>> VerifiersGroupReward()(completions=["the cat sat", "a dog"], answers=["the cat sat"] * 2)
    [1.0, 0.0]
    """

    def __call__(  # type: ignore[override]  # verifiers tells a group's reward by these names
        self, completions: Sequence[Any], answers: Sequence[Any] | None = None, states: Any = None, **others: Any
    ) -> list[float]:
        references = answers
        if self.references != "answer" or references is None:
            rows = [state.get("input") or state for state in states or ()]
            references = [_field(row, self.references, f"the row of states[{i}]") for i, row in enumerate(rows)]
        check_batch(completions, "completions")
        texts = [answer_of(completion, f"completions[{i}]") for i, completion in enumerate(completions)]
        return [score or 0.0 for score in self.scorer.scores(texts, references, reference_name=self.references)]


def _field(row: Mapping[str, Any], name: str, place: str) -> Any:
    if name not in row:
        raise ValueError(f"{place} has no {name!r}; it has {', '.join(map(repr, row)) or 'nothing'}")
    return row[name]
