"""Scorer: a metric as a reward; and Reward, what the rewards of all frameworks share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from clipgram._describe import describe
from clipgram.batch import TokenBatch
from clipgram.bleu import BLEU
from clipgram.gleu import GLEU
from clipgram.rewards.reading import check_batch, id_references, known_equal, text_reference

Place = Callable[[int], str]

METRICS: dict[str, type[GLEU | BLEU]] = {"gleu": GLEU, "bleu": BLEU}


class Unset:
    """What stands for an option that must be given, and was not."""

    def __repr__(self) -> str:
        return "<not given>"


UNSET: Any = Unset()


class Scorer:
    """Scores completions against references, for a training loop: one number from 0 to 1 each.

    A completion that equals a reference scores exactly 1.0; one that shares nothing with any, or is empty, 0.0. A
    reference that is missing (None, NaN) or has no token makes no point of its own: others of the same completion
    stand for it, and where there is no other the completion has no score, None. Nothing is remembered between calls,
    so any number of threads can share a scorer, and it can be pickled if its metric can.

    Parameters
    ----------
    metric : {"gleu", "bleu"}, GLEU or BLEU
        A name makes a metric of ``options``. By default GLEU, which asks for precision and recall at once, so that
        neither short nor long completions are favoured. BLEU of sentences is smoothed, by ``exp``.
    on : {"text", "ids"}
        Whether completions and references are text or token IDs.
    eos_id : int or several, or None
        With ``on="ids"``, where it must be given: completions and references end before the first of these. Frameworks
        leave the end-of-sequence token in the IDs of completions, where references mostly lack it. None takes both as
        they are, for references that end with it too.
    ignore_ids : int or several
        With ``on="ids"``: IDs that are dropped wherever they are.
    eos_text : str or several, or None
        With ``on="text"``: a completion ends before the first of these, for frameworks that leave special tokens in
        the text, such as ``"<|im_end|>"``.
    **options
        For the metric, if it is given by name, see ``GLEU`` and ``BLEU``. The tokenizer is ``13a-raw`` by default:
        under plain ``13a`` a completion could hide words in what it removes, such as ``<skipped>``.

    Examples
    --------
    >>> scorer = Scorer()
    >>> scorer.scores(["the cat sat", "", "no idea"], ["the cat sat", "it rained", None])
    [1.0, 0.0, None]
    >>> Scorer("bleu", max_order=2).score("a cat sat", ["the cat sat", "it sat down", None])
    0.5773502691896257
    """

    def __init__(
        self,
        metric: str | GLEU | BLEU = "gleu",
        *,
        on: str = "text",
        eos_id: Any = UNSET,
        ignore_ids: Any = (),
        eos_text: str | Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        if on not in ("text", "ids"):
            raise ValueError(f"on is {describe(on)}; wanted 'text' or 'ids'")
        self.on = on
        self.metric = _make_metric(metric, options)
        self.eos_text = _check_eos_text(eos_text)
        self._cut: dict[str, Any] = {}
        if on == "text":
            if eos_id is not UNSET or np.size(ignore_ids):
                raise ValueError("eos_id and ignore_ids are for on='ids'; for text there is eos_text")
            return
        if self.eos_text:
            raise ValueError("eos_text is for on='text'; for token IDs there is eos_id")
        for option in ("tokenize", "lowercase", "normalize"):
            if options.get(option, DEFAULTS[option]) != DEFAULTS[option]:
                raise ValueError(f"{option} is for on='text'; token IDs are taken as they are")
        if eos_id is UNSET:
            raise TypeError(
                "on='ids' needs eos_id: completions have that token at their end where references mostly lack it; "
                "eos_id=None takes both as they are"
            )
        self._cut = {"eos_id": eos_id, "ignore_ids": ignore_ids}
        TokenBatch.from_lists([], **self._cut)  # so that an error about them comes now

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.metric.signature()} on {self.on}>"

    def score(
        self, completion: Any, reference: Any, *, name: str = "completion", reference_name: str = "reference"
    ) -> float | None:
        """Score one completion.

        Parameters
        ----------
        completion : str, or sequence of int
        reference : the same, a list of such, or None
        name, reference_name : str
            What error messages call the two.

        Returns
        -------
        float or None
            None if there is no reference with a token.
        """
        if self.on == "ids":
            return self._scores([completion], [reference], lambda i: name, lambda i: reference_name)[0]
        if not isinstance(completion, str):
            raise TypeError(f"{name} is {describe(completion)}; wanted a str")
        reference = text_reference(reference, reference_name)
        made: Any = self.metric.sentence_score(self.cut_text(completion), reference)
        size = made.reference_ngrams if isinstance(self.metric, GLEU) else made.reference_length
        score: float = made.score
        return score if size or self._has_reference(reference) else None

    def scores(
        self,
        completions: Sequence[Any],
        references: Sequence[Any],
        *,
        name: str = "completions",
        reference_name: str = "references",
    ) -> list[float | None]:
        """Score many completions at once; neighbours with equal references share the work on them.

        Parameters
        ----------
        completions, references : sequences of equal length
            ``references[i]`` belongs to ``completions[i]``, both as for ``score``.
        name, reference_name : str
            What error messages call the two.

        Returns
        -------
        list of float or None
        """
        check_batch(completions, name)
        check_batch(references, reference_name)
        if len(completions) != len(references):
            raise ValueError(f"{name} has {len(completions)} entries and {reference_name} {len(references)}")
        return self._scores(completions, references, lambda i: f"{name}[{i}]", lambda i: f"{reference_name}[{i}]")

    def cut_text(self, text: str) -> str:
        """What counts of a text: all before the first of ``eos_text``."""
        for end in self.eos_text:
            text = text.partition(end)[0]
        return text

    def _scores(
        self, completions: Sequence[Any], references: Sequence[Any], place: Place, reference_place: Place
    ) -> list[float | None]:
        if not len(completions):
            return []
        read = text_reference if self.on == "text" else id_references
        refs: list[Any] = []
        before: Any = None
        for i, entry in enumerate(references):
            if i and known_equal(entry, before):
                refs.append(refs[-1])  # the same object: the metric works on it once
            else:
                refs.append(read(entry, reference_place(i)))
            before = entry
        if self.on == "text":
            hyps: Any = self._texts(completions, place)
        else:
            hyps = _joined(completions, self._cut, place)
            refs = _cut_references(refs, self._cut, reference_place)
        counts = self.metric.counts(hyps, refs)
        scores: list[float | None] = self.metric.scores_from_counts(counts).tolist()
        sizes = counts.reference_ngrams if isinstance(self.metric, GLEU) else counts.reference_length
        for i in np.flatnonzero(sizes == 0).tolist():
            if not self._has_reference(refs[i]):
                scores[i] = None
        return scores

    def _texts(self, completions: Sequence[Any], place: Place) -> list[str]:
        for i, completion in enumerate(completions):
            if not isinstance(completion, str):
                raise TypeError(f"{place(i)} is {describe(completion)}; wanted a str")
        return [self.cut_text(completion) for completion in completions] if self.eos_text else list(completions)

    def _has_reference(self, entry: Any) -> bool:
        """Whether the metric finds something to count in a reference: if so, that reference equals itself."""
        references = [entry] if isinstance(entry, str) else entry
        return any(self.metric.sentence_score(reference, [reference]).score for reference in references)


class Reward:
    """A callable of the form that a framework wants, with a name for its logs.

    Parameters
    ----------
    references : str
        Where the framework keeps the reference.
    name : str, optional
        The ``__name__``. By default the metric's: ``gleu`` or ``bleu``.
    **scoring
        ``metric``, ``on``, ``eos_id``, ``eos_text``, ... as for ``Scorer``.
    """

    #: Whether the framework has token IDs for a reward.
    _has_ids = False
    #: Whether the framework leaves special tokens in the text.
    _leaves_special_tokens = False

    def __init__(self, references: str, *, name: str | None = None, **scoring: Any) -> None:
        if not isinstance(references, str) or not references:
            raise TypeError(f"references is {describe(references)}; wanted the name under which the references stand")
        kind = type(self).__name__
        check_options(kind, scoring)
        if not self._has_ids and "on" in scoring:
            raise TypeError(f"{kind} gets no token IDs from its framework, so there is no choice of on=")
        if self._leaves_special_tokens and scoring.get("on", "text") == "text" and "eos_text" not in scoring:
            raise TypeError(
                f"{kind} needs eos_text: its framework leaves special tokens in the text, so that a finished answer "
                "would score less than one that was cut off. Give the text of the end-of-sequence token, () if none"
            )
        self.scorer = Scorer(**scoring)
        self.references = references
        self.__name__ = self.scorer.metric.name if name is None else _check_name(name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__}: {self.scorer.metric.signature()} on {self.scorer.on}>"


def _names(*things: Callable[..., Any]) -> set[str]:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name for thing in things for name, one in inspect.signature(thing).parameters.items() if one.kind in kinds}


#: The options of each metric; the keywords of rewards and scorers too; and what text is read by where nothing is said.
METRIC_OPTIONS = {name: _names(metric) for name, metric in METRICS.items()}
OPTIONS = _names(Reward, Scorer).union(*METRIC_OPTIONS.values())
DEFAULTS = {"tokenize": "13a-raw", "lowercase": False, "normalize": None}


def check_options(kind: str, names: Iterable[str], known: Collection[str] = OPTIONS) -> None:
    """Refuse options that are not known, by name."""
    for name in names:
        if name not in known:
            raise TypeError(f"{kind} has no option {name!r}{did_you_mean(name)}")


def did_you_mean(name: str) -> str:
    """A question about an option whose name is almost that; nothing where there is none."""
    from difflib import get_close_matches  # needed only where something is wrong

    close = get_close_matches(name, OPTIONS - {name}, 1, 0.8)
    return f"; did you mean {close[0]!r}?" if close else ""


def _make_metric(metric: Any, options: dict[str, Any]) -> GLEU | BLEU:
    made: GLEU | BLEU
    if isinstance(metric, str):
        if metric not in METRICS:
            raise ValueError(f"metric is {metric!r}; wanted {' or '.join(map(repr, METRICS))}, or a GLEU or BLEU")
        check_options(f"the metric {metric!r}", options, METRIC_OPTIONS[metric])
        made = METRICS[metric](**{**DEFAULTS, **options})
    elif not isinstance(metric, (GLEU, BLEU)):
        raise TypeError(f"metric is {describe(metric)}; wanted 'gleu', 'bleu', or a GLEU or BLEU")
    elif options:
        raise TypeError(f"{', '.join(options)}: the metric is made already, give it the options")
    else:
        made = metric
    if isinstance(made.sentence_score([1], [1]).score, tuple):
        raise ValueError("the metric has several weights, which make several scores; a reward is one")
    return made


def _check_eos_text(eos_text: Any) -> tuple[str, ...]:
    ends = () if eos_text is None else (eos_text,) if isinstance(eos_text, str) else eos_text
    try:
        ends = tuple(ends)
    except TypeError:
        raise TypeError(f"eos_text is {describe(eos_text)}; wanted a str, several, or None") from None
    for end in ends:
        if not isinstance(end, str) or not end:
            raise TypeError(f"eos_text has {describe(end)}; wanted a str that is not empty")
    return ends


def _check_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"name is {describe(name)}; wanted a str for the logs")
    return name


def _joined(sequences: Sequence[Any], cut: dict[str, Any], place: Place) -> TokenBatch:
    """Token IDs as a batch, without what is cut off and left out; ``place(i)`` is what messages call the i-th."""
    try:
        return TokenBatch.from_lists(sequences, **cut)
    except (TypeError, ValueError, OverflowError) as error:
        message = re.sub(r"\blists\[(\d+)\]", lambda found: place(int(found[1])), str(error))
        raise type(error)(message) from None


def _cut_references(refs: list[list[Any]], cut: dict[str, Any], place: Place) -> list[list[np.ndarray]]:
    """The references of each entry as arrays. Neighbours that are the same object stay so."""
    new = [i for i, entry in enumerate(refs) if not i or entry is not refs[i - 1]]
    flat = [(reference, i) for i in new for reference in refs[i]]
    tokens = iter(_joined([reference for reference, _ in flat], cut, lambda k: place(flat[k][1])))
    made: list[list[np.ndarray]] = []
    for i, entry in enumerate(refs):
        same = bool(i) and entry is refs[i - 1]
        made.append(made[-1] if same else [next(tokens) for _ in entry])
    return made
