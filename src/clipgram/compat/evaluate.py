"""evaluate's metrics bleu, google_bleu and sacrebleu: same keys, same values to the last bit, nothing downloaded.

    from clipgram.compat import evaluate

    bleu = evaluate.load("bleu")
    bleu.compute(predictions=["the cat sat on a mat"], references=[["the cat sat on the mat"]])

stands for the same with ``import evaluate``; neither evaluate nor datasets need be there. Where they are, and a
program should go on to use them, ``evaluate.load(clipgram.compat.evaluate.path("bleu"))`` gives a real evaluate metric
that is computed here.

Equal to evaluate 0.4.6 with the metric scripts of huggingface/evaluate a7dd338, sacrebleu 2.6.0 and nltk 3.10.4. What
is odd there is odd here:

- ``bleu`` takes the shortest reference's length, and raises ZeroDivisionError if all predictions or all references are
  empty; ``smooth=True`` adds 1 to every order, unigrams too.
- ``google_bleu`` takes, of references with the same ratio, the first.
- ``sacrebleu`` changes counts and totals under add-k, warns through the logger ``sacrebleu`` of 100 predictions that
  end in a tokenized period, and is 0 if nothing matches, under every smoothing.
- Only the first row is looked at closely; in later rows, whatever is no str becomes one by ``str``.

What is not the same:

- A batch that is refused leaves nothing behind. There, the form that it had may stay, and the next batch be refused
  for it.
- Objects keep rows in memory. ``load`` takes ``num_process=1`` only; for more, use ``path``.
- ``sacrebleu`` downloads no SentencePiece model, but takes one where sacrebleu put it.
- In a list of references that begins with a str, what is none becomes one. There, all references become JSON then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from clipgram.compat._evaluate_rows import batch_rows, one_row, usual_rows
from clipgram.compat._evaluate_scores import TOKENIZER_13A, Tokenizer13a, bleu, google_bleu, sacrebleu

__all__ = [
    "TOKENIZER_13A",
    "Bleu",
    "EvaluationModule",
    "GoogleBleu",
    "Sacrebleu",
    "Tokenizer13a",
    "load",
    "path",
]

_INPUTS = ("predictions", "references")
_HINT = 'evaluate.load(clipgram.compat.evaluate.path("{}"), ...) makes an evaluate metric that has it'


class EvaluationModule:
    """What the metrics share: predictions and references that are added, and computed.

    Any number of threads can share one object for ``compute``. Rows that are added go to the next ``compute``.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    citation: ClassVar[str]
    inputs_description: ClassVar[str]
    homepage: ClassVar[str] = ""
    codebase_urls: ClassVar[list[str]] = []
    reference_urls: ClassVar[list[str]] = []
    license: ClassVar[str] = ""
    module_type: ClassVar[str] = "metric"
    streamable: ClassVar[bool] = False
    format: ClassVar[str | None] = None

    def __init__(
        self,
        config_name: str | None = None,
        keep_in_memory: bool = False,
        cache_dir: str | None = None,
        num_process: int = 1,
        process_id: int = 0,
        seed: int | None = None,
        experiment_id: str | None = None,
        hash: str | None = None,
        max_concurrent_cache_files: int = 10000,
        timeout: float = 100,
        **kwargs: Any,
    ) -> None:
        if not isinstance(process_id, int) or process_id < 0:
            raise ValueError(f"process_id is {process_id!r}; wanted an int from 0")
        if not isinstance(num_process, int) or num_process <= process_id:
            raise ValueError(f"num_process is {num_process!r}; wanted an int above process_id, which is {process_id}")
        if num_process > 1:
            if keep_in_memory:
                raise ValueError("keep_in_memory goes with one process only")
            raise NotImplementedError(f"num_process is {num_process}; {_HINT.format(self.name)}")
        self.config_name = config_name or "default"
        self.experiment_id = experiment_id or "default_experiment"
        self.num_process, self.process_id = num_process, process_id
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self._predictions: list[Any] = []
        self._references: list[Any] = []
        self._nested: bool | None = None

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> dict[str, Any]:
        """Score what was added, with these predictions and references behind it.

        Parameters
        ----------
        predictions : list of str
        references : list of str, or list of list of str
            One, or several, for each prediction.
        **kwargs
            See ``inputs_description``.

        Returns
        -------
        dict
            Nothing that was added is kept.
        """
        if self._nested is None:
            usual = usual_rows(predictions, references)
            if usual is not None:
                return self._score(True, *usual, **kwargs)
        with self._lock:
            if predictions is not None or references is not None:
                self._append(*batch_rows(predictions, references, self._nested))
            elif self._nested is None:
                raise ValueError("nothing to compute: add something first, or pass predictions and references")
            texts, rows = self._predictions, self._references
            self._clear()
        return self.score_rows(texts, rows, **kwargs)

    @classmethod
    def score_rows(cls, predictions: list[Any], references: list[Any], *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Score rows as evaluate hands them to a metric: str or None, and references all of one form."""
        if isinstance(references[0], str):
            references = [[reference] for reference in references]
        return cls._score(False, predictions, references, *args, **kwargs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Keep predictions and references for ``compute``.

        Parameters
        ----------
        predictions, references
            As for ``compute``.
        """
        self._check_names(kwargs)
        with self._lock:
            self._append(*batch_rows(predictions, references, self._nested))

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Keep one prediction and its references for ``compute``.

        Parameters
        ----------
        prediction : str
        reference : str or list of str
            Both can be passed as ``predictions`` and ``references`` too.
        """
        self._check_names(kwargs)
        example = {"predictions": prediction, "references": reference, **kwargs}
        with self._lock:
            text, row, nested = one_row(example["predictions"], example["references"], self._nested)
            self._append([text], [row], nested)

    def _append(self, predictions: list[Any], references: list[Any], nested: bool) -> None:
        self._predictions += predictions
        self._references += references
        self._nested = nested

    def _check_names(self, names: dict[str, Any]) -> None:
        wrong = [name for name in names if name not in _INPUTS]
        if wrong:
            raise ValueError(f"{self.name} takes predictions and references, not {', '.join(wrong)}")

    #: From rows of text to the scores.
    _score: ClassVar[Callable[..., dict[str, Any]]]

    def _feature_names(self) -> list[str]:
        # evaluate.combine asks for them.
        return list(_INPUTS)

    @classmethod
    def metric_info(cls) -> Any:
        """What evaluate knows about a metric, an ``evaluate.MetricInfo``. This needs evaluate and datasets."""
        try:
            from datasets import Features, Value
            from datasets import Sequence as List
            from evaluate import MetricInfo
        except ModuleNotFoundError as error:
            raise ImportError(
                f"a description in evaluate's own form needs {error.name}: pip install evaluate"
            ) from None
        text = Value("string", id="sequence")
        return MetricInfo(
            description=cls.description,
            citation=cls.citation,
            inputs_description=cls.inputs_description,
            homepage=cls.homepage,
            codebase_urls=cls.codebase_urls,
            reference_urls=cls.reference_urls,
            features=[
                Features({"predictions": text, "references": List(text, id="references")}),
                Features({"predictions": text, "references": text}),
            ],
        )

    @property
    def info(self) -> Any:
        """``metric_info()`` with the names of this object."""
        info = self.metric_info()
        info.module_name, info.config_name, info.experiment_id = self.name, self.config_name, self.experiment_id
        return info

    @property
    def features(self) -> Any:
        """The two forms of input, as ``datasets.Features``. This needs evaluate and datasets."""
        return self.metric_info().features

    def __len__(self) -> int:
        """The number of predictions that were added since the last ``compute``."""
        return len(self._predictions)

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f'{kind}(name: "{self.name}", module_type: "{self.module_type}", stored examples: {len(self)})'

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())


class Bleu(EvaluationModule):
    """evaluate's ``bleu``.

    Examples
    --------
    >>> metric = load("bleu")
    >>> scores = metric.compute(predictions=["the cat sat on a mat"], references=[["the cat sat on the mat"]])
    >>> scores["bleu"], scores["brevity_penalty"], scores["reference_length"]
    (0.537284965911771, 1.0, 6)
    """

    name = "bleu"
    description = "BLEU of a corpus: the geometric mean of clipped n-gram precisions, times a penalty for being short."
    citation = (
        "@inproceedings{papineni-etal-2002-bleu,\n"
        '    title = "{B}leu: a Method for Automatic Evaluation of Machine Translation",\n'
        '    author = "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",\n'
        '    booktitle = "Proceedings of ACL",\n'
        "    year = 2002\n}\n"
    )
    inputs_description = (
        "\npredictions: list of str\nreferences: list of str, or list of list of str\n"
        "tokenizer: a function from a str to a list of tokens, by default 13a\n"
        "max_order: the longest n-gram, by default 4\nsmooth: add 1 to the matches and totals of every order\n"
    )
    reference_urls: ClassVar[list[str]] = ["https://aclanthology.org/P02-1040/"]

    _score = staticmethod(bleu)


class GoogleBleu(EvaluationModule):
    """evaluate's ``google_bleu``.

    Examples
    --------
    >>> metric = load("google_bleu")
    >>> metric.compute(predictions=["the cat sat on a mat"], references=[["the cat sat on the mat"]])
    {'google_bleu': 0.6111111111111112}
    """

    name = "google_bleu"
    description = "GLEU of a corpus: matching n-grams over those of the longer of prediction and reference."
    citation = (
        "@misc{wu2016googles,\n"
        "    title = {Google's Neural Machine Translation System: Bridging the Gap between Human and Machine "
        "Translation},\n"
        "    author = {Yonghui Wu and others},\n    year = {2016},\n    eprint = {1609.08144},\n"
        "    archivePrefix = {arXiv}\n}\n"
    )
    inputs_description = (
        "\npredictions: list of str\nreferences: list of str, or list of list of str\n"
        "tokenizer: a function from a str to a list of tokens, by default 13a\n"
        "min_len, max_len: the shortest and the longest n-gram, by default 1 and 4\n"
    )
    reference_urls: ClassVar[list[str]] = ["https://arxiv.org/abs/1609.08144"]

    _score = staticmethod(google_bleu)


class Sacrebleu(EvaluationModule):
    """evaluate's ``sacrebleu``.

    Examples
    --------
    >>> metric = load("sacrebleu")
    >>> scores = metric.compute(predictions=["the cat sat on a mat"], references=[["the cat sat on the mat"]])
    >>> scores["score"], scores["counts"], scores["totals"]
    (53.7284965911771, [5, 3, 2, 1], [6, 5, 4, 3])
    """

    name = "sacrebleu"
    description = "BLEU of a corpus as sacreBLEU makes it, in percent, with what it is made of."
    citation = (
        "@inproceedings{post-2018-call,\n"
        '    title = "A Call for Clarity in Reporting {BLEU} Scores",\n'
        '    author = "Post, Matt",\n    booktitle = "Proceedings of WMT",\n    year = 2018\n}\n'
    )
    inputs_description = (
        "\npredictions: list of str\n"
        "references: list of str, or list of list of str, equally many for each prediction\n"
        "smooth_method, smooth_value, force, lowercase, tokenize, use_effective_order: as in sacrebleu.corpus_bleu\n"
    )
    reference_urls: ClassVar[list[str]] = ["https://aclanthology.org/W18-6319/"]

    _score = staticmethod(sacrebleu)


_METRICS: dict[str, type[EvaluationModule]] = {metric.name: metric for metric in (Bleu, GoogleBleu, Sacrebleu)}


def load(
    path: str,
    config_name: str | None = None,
    module_type: str | None = None,
    process_id: int = 0,
    num_process: int = 1,
    cache_dir: str | None = None,
    experiment_id: str | None = None,
    keep_in_memory: bool = False,
    download_config: Any = None,
    download_mode: Any = None,
    revision: Any = None,
    **init_kwargs: Any,
) -> EvaluationModule:
    """Make a metric, as ``evaluate.load`` does.

    Parameters
    ----------
    path : {"bleu", "google_bleu", "sacrebleu"}
        Or what the function ``path`` makes of one of them.
    config_name, experiment_id : str, optional
        Kept as attributes.
    module_type : {"metric"}, optional
    process_id, num_process : int
        0 and 1.
    cache_dir, keep_in_memory, download_config, download_mode, revision, **init_kwargs
        Nothing is cached or downloaded, so these do nothing.

    Returns
    -------
    Bleu, GoogleBleu or Sacrebleu

    Raises
    ------
    FileNotFoundError
        If there is no such metric.

    Examples
    --------
    >>> metric = load("google_bleu")
    >>> metric.add(prediction="the cat sat", reference=["the cat sat down", "a cat"])
    >>> metric.add_batch(predictions=["it rains"], references=[["it rained"]])
    >>> len(metric), metric.compute()
    (2, {'google_bleu': 0.5384615384615384})
    """
    path = {_folder(name): name for name in _METRICS}.get(path, path)
    if path not in _METRICS:
        raise FileNotFoundError(f"there is no metric {path!r} here; there are {', '.join(_METRICS)}")
    if module_type and module_type != "metric":
        raise TypeError(f"{path} is a metric, not a {module_type}")
    return _METRICS[path](
        config_name=config_name,
        process_id=process_id,
        num_process=num_process,
        cache_dir=cache_dir,
        keep_in_memory=keep_in_memory,
        experiment_id=experiment_id,
        hash=None,
        **init_kwargs,
    )


def path(name: str) -> str:
    """The folder of a metric script that computes with clipgram, for ``evaluate.load`` itself.

    Parameters
    ----------
    name : {"bleu", "google_bleu", "sacrebleu"}

    Returns
    -------
    str

    Examples
    --------
    >>> path("bleu").endswith("bleu")
    True
    """
    if name not in _METRICS:
        raise FileNotFoundError(f"there is no metric {name!r} here; there are {', '.join(_METRICS)}")
    return _folder(name)


def _folder(name: str) -> str:
    return str(Path(__file__).parent / "evaluate_scripts" / name)
