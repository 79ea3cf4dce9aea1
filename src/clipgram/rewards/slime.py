"""A reward for slime."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from clipgram._describe import describe
from clipgram.rewards.scoring import Reward


class SlimeReward(Reward):
    """A custom reward for slime: how close a sample's response comes to its references.

    Awaited as ``custom_rm(args, sample)``, or with ``--group-rm`` as ``batched_custom_rm(args, samples)``; other
    keywords are ignored. A response of which no reference is there, or only empty ones, gets 0.0, and so does an empty
    response. On IDs the tokens count that ``loss_mask`` leaves in, so what tools put out does not.

    Parameters
    ----------
    references : str
        ``"label"``, or a key of the sample's ``metadata``: a str, or token IDs with ``on="ids"``; a list of such; or
        None.
    eos_text : str or several
        The text of the end-of-sequence token, which slime leaves in the response; ``()`` if there is none. Not for
        ``on="ids"``, where there is ``eos_id``.
    name : str, optional
        The ``__name__``; by default the metric's.
    **scoring
        ``metric``, ``on``, ``eos_id``, ``ignore_ids`` and options of the metric, as for ``Scorer``.

    Examples
    --------
    In a module of yours, for ``--custom-rm-path module.custom_rm``:

    >>> custom_rm = SlimeReward(eos_text="<|im_end|>")

    What slime does with it:

    >>> from types import SimpleNamespace
    >>> sample = SimpleNamespace(response="the cat sat<|im_end|>", label="the cat sat")
    >>> asyncio.run(custom_rm(None, sample)), asyncio.run(custom_rm(None, [sample, sample]))
    (1.0, [1.0, 1.0])
    """

    _has_ids = True
    _leaves_special_tokens = True

    def __init__(self, references: str = "label", *, name: str | None = None, **scoring: Any) -> None:
        super().__init__(references, name=name, **scoring)

    async def __call__(self, args: Any, sample: Any, **others: Any) -> float | list[float]:
        if not isinstance(sample, (list, tuple)):
            return self._scores([sample])[0]
        return await asyncio.to_thread(self._scores, sample)  # many samples; the event loop has other work

    def _scores(self, samples: Any) -> list[float]:
        on_ids = self.scorer.on == "ids"
        responses = [_ids_of(sample) if on_ids else sample.response for sample in samples]
        references = [self._reference(sample, f"samples[{i}]") for i, sample in enumerate(samples)]
        name = "tokens" if on_ids else "response"
        scores = self.scorer.scores(responses, references, name=name, reference_name=self.references)
        return [score or 0.0 for score in scores]

    def _reference(self, sample: Any, name: str) -> Any:
        if self.references == "label":
            return sample.label
        if not isinstance(sample.metadata, Mapping):
            raise TypeError(f"{name}.metadata is {describe(sample.metadata)}; wanted a dict with {self.references!r}")
        if self.references not in sample.metadata:
            there = ", ".join(map(repr, sample.metadata)) or "nothing"
            raise ValueError(f"{name}.metadata has no {self.references!r}; it has {there}")
        return sample.metadata[self.references]


def _ids_of(sample: Any) -> list[int]:
    """The tokens of the response that are the model's own."""
    ids: list[int] = sample.tokens[len(sample.tokens) - sample.response_length :]
    if sample.loss_mask is None:
        return ids
    return [token for token, own in zip(ids, sample.loss_mask, strict=True) if own]
