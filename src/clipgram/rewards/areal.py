"""A reward for AReaL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clipgram.rewards.scoring import Reward


class AReaLReward(Reward):
    """``reward_fn`` for AReaL: how close a completion comes to its references.

    Called for each sample as ``reward_fn(prompt, completions, prompt_ids, completion_ids, **row)``, in a pool of
    processes, to which it is pickled. A completion of which no reference is there, or only empty ones, gets 0.0, and so
    does an empty completion.

    Parameters
    ----------
    references : str
        The column of the dataset: a str, or token IDs with ``on="ids"``; a list of such; or None.
    eos_text : str or several
        The text of the end-of-sequence token, which AReaL leaves in the text; ``()`` if there is none. Not for
        ``on="ids"``, where there is ``eos_id``.
    name : str, optional
        The ``__name__``; by default the metric's.
    **scoring
        ``metric``, ``on``, ``eos_id``, ``ignore_ids`` and options of the metric, as for ``Scorer``.

    Examples
    --------
    >>> reward_fn = AReaLReward(eos_text="<|im_end|>")
    >>> reward_fn("Say it", "the cat sat<|im_end|>", [7], [11, 5, 8, 2], answer="the cat sat", messages=[])
    1.0
    >>> AReaLReward("answer_ids", on="ids", eos_id=2)("Say it", "...", [7], [11, 5, 8, 2], answer_ids=[11, 5, 8])
    1.0
    """

    _has_ids = True
    _leaves_special_tokens = True

    def __init__(self, references: str = "answer", *, name: str | None = None, **scoring: Any) -> None:
        super().__init__(references, name=name, **scoring)

    def __call__(
        self, prompt: Any, completions: str, prompt_ids: Any, completion_ids: Sequence[int], /, **row: Any
    ) -> float:
        if self.references not in row:
            raise ValueError(f"the row has no {self.references!r}; it has {', '.join(map(repr, row)) or 'nothing'}")
        on_ids = self.scorer.on == "ids"
        completion, name = (completion_ids, "completion_ids") if on_ids else (completions, "completions")
        return self.scorer.score(completion, row[self.references], name=name, reference_name=self.references) or 0.0
