"""A reward for NeMo-RL's environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clipgram.rewards.scoring import Reward


class NeMoRLReward(Reward):
    """What a worker of a NeMo-RL environment does: compare responses with the ground truth.

    Its ``verify`` takes and returns what that of NeMo-RL's own workers does, so ``ray.remote(NeMoRLReward)`` can stand
    where an environment has its worker class, such as ``CodeJaccardVerifyWorker``. A response of which no reference is
    there, or only empty ones, gets 0.0, and so does an empty response.

    Parameters
    ----------
    name : str, optional
        The ``__name__``; by default the metric's.
    **scoring
        ``metric``, ``eos_text`` and options of the metric, as for ``Scorer``.

    Examples
    --------
    >>> worker = NeMoRLReward()
    >>> worker.verify(["the cat sat", "a dog"], ["the cat sat", ["the dog", "a dog"]])
    [1.0, 1.0]
    >>> worker.verify(["the cat "], ["the cat"], return_extracted_answer=True)
    ([1.0], ['the cat'])
    """

    def __init__(self, *, name: str | None = None, **scoring: Any) -> None:
        super().__init__("ground_truths", name=name, **scoring)

    def verify(
        self,
        pred_responses: Sequence[str],
        ground_truths: Sequence[Any],
        return_extracted_answer: bool = False,
        **others: Any,
    ) -> list[float] | tuple[list[float], list[str | None]]:
        """Score responses.

        Parameters
        ----------
        pred_responses : list of str
        ground_truths : list of str, of lists of str, or of None
        return_extracted_answer : bool
            Return the text that was scored, too.

        Returns
        -------
        list of float, or such a list and one of str
        """
        found = self.scorer.scores(pred_responses, ground_truths, name="pred_responses", reference_name="ground_truths")
        scores = [score or 0.0 for score in found]
        if return_extracted_answer:
            return scores, [self.scorer.cut_text(response).strip() for response in pred_responses]
        return scores

    __call__ = verify
