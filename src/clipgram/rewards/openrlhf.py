"""A reward for OpenRLHF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clipgram._describe import describe
from clipgram.rewards.reading import check_batch
from clipgram.rewards.scoring import Reward


class OpenRLHFReward(Reward):
    """``reward_func`` for OpenRLHF: how close responses come to their labels.

    Called with ``queries, prompts, labels``, lists of str of one length, which is 1 in OpenRLHF 0.11; other keywords
    are ignored. A query is the prompt and the response in one, special tokens and all, so the prompt is cut off in
    front, and the response ends at ``eos_text``. A response of which no label is there, or only an empty one, gets 0.0,
    and so does an empty response.

    Parameters
    ----------
    eos_text : str or several
        The text of the end-of-sequence token, ``()`` if there is none in the queries.
    name : str, optional
        The ``__name__``; by default the metric's.
    **scoring
        ``metric`` and options of the metric, as for ``Scorer``.

    Examples
    --------
    In a file that OpenRLHF knows as ``--reward.remote_url``:

    >>> reward_func = OpenRLHFReward(eos_text="<|im_end|>")
    >>> prompt = "<|user|>Say it<|assistant|>"
    >>> reward_func([prompt + "the cat sat<|im_end|>"], [prompt], ["the cat sat"])
    {'rewards': 1.0, 'scores': 1.0}
    """

    _leaves_special_tokens = True

    def __init__(self, *, name: str | None = None, **scoring: Any) -> None:
        super().__init__("labels", name=name, **scoring)

    def __call__(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **others: Any
    ) -> dict[str, Any]:
        check_batch(queries, "queries")
        check_batch(prompts, "prompts")
        if len(queries) != len(prompts):
            raise ValueError(f"queries has {len(queries)} entries and prompts {len(prompts)}")
        responses = [_response(*pair, f"[{i}]") for i, pair in enumerate(zip(queries, prompts, strict=True))]
        scores = [s or 0.0 for s in self.scorer.scores(responses, labels, name="queries", reference_name="labels")]
        # OpenRLHF makes a tensor of one element of what it gets for one query; a list would make a matrix.
        rewards = scores[0] if len(scores) == 1 else scores
        return {"rewards": rewards, "scores": rewards}


def _response(query: str, prompt: str, place: str) -> str:
    """What follows the prompt, which may have lost or gained blanks on its way through a tokenizer."""
    for name, text in (("queries", query), ("prompts", prompt)):
        if not isinstance(text, str):
            raise TypeError(f"{name}{place} is {describe(text)}; wanted a str")
    if query.startswith(prompt):
        return query[len(prompt) :]
    at = 0
    for character in "".join(prompt.split()):
        while query[at : at + 1].isspace():
            at += 1
        if query[at : at + 1] != character:
            raise ValueError(
                f"queries{place} does not begin with prompts{place}: up to character {at} they agree. "
                "The prompt was cut to fit into max_len, or the tokenizer does not give text back as it was"
            )
        at += 1
    return query[at:]
