"""The drop-in of evaluate, without evaluate: against sacrebleu, nltk and a definition from the formula."""

from __future__ import annotations

import copy
import doctest
import inspect
import logging
import math
import pickle
import random
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from edge_cases import CASES as EDGE_CASES
from edge_cases import S6, Case
from nltk.translate.gleu_score import corpus_gleu
from odd_corpora import cases, corpus, outcome
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a as Sacre13a

from clipgram.compat import _evaluate_rows, _evaluate_scores, evaluate

SUM_IS_MORE_EXACT = sys.version_info >= (3, 12)
PAIR: dict[str, Any] = {"predictions": ["the cat sat on a mat"], "references": [[S6]]}
_13A = Sacre13a()


def tokens_13a(line: str) -> list[str]:
    """evaluate's default tokenizer: sacreBLEU's, on a line whose end is left as it is."""
    return _13A(line).split()


def bleu(
    predictions: list[str], references: list[list[str]], tokenizer: Any, max_order: int, smooth: bool
) -> dict[str, Any]:
    """The definition of evaluate's bleu, as spelled out in its formula."""
    matches, totals = [0] * max_order, [0] * max_order
    length = reference_length = 0
    for prediction, row in zip(predictions, references, strict=True):
        tokens, many = tokenizer(prediction), [tokenizer(text) for text in row]
        length, reference_length = length + len(tokens), reference_length + min(map(len, many))
        for n in range(1, max_order + 1):
            limit: Counter[Any] = Counter()
            for one in many:
                limit |= Counter(tuple(one[i : i + n]) for i in range(len(one) - n + 1))
            grams = Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
            matches[n - 1] += (grams & limit).total()
            totals[n - 1] += grams.total()
    precisions = [(m + 1) / (t + 1) if smooth else m / t if t else 0.0 for m, t in zip(matches, totals, strict=True)]
    mean = math.exp(sum([1 / max_order * math.log(p) for p in precisions])) if min(precisions) > 0 else 0.0
    ratio = length / reference_length
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio)
    keys = ("bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length")
    return dict(zip(keys, (mean * penalty, precisions, penalty, ratio, length, reference_length), strict=True))


TOKENIZERS = [
    str.split,
    list,
    tuple,
    str,
    lambda text: [len(word) for word in text.split()],
    lambda text: [True, 1.0, text],
]


@pytest.mark.parametrize("case", EDGE_CASES, ids=[case.name for case in EDGE_CASES])
def test_edge_cases(case: Case) -> None:
    given: dict[str, Any] = {"predictions": [case.prediction], "references": [case.references]}
    for smooth, wanted in ((False, case.bleu), (True, case.bleu_smooth)):
        if wanted is None:
            with pytest.raises(ZeroDivisionError):
                evaluate.load("bleu").compute(**given, smooth=smooth)
            continue
        found = evaluate.load("bleu").compute(**given, smooth=smooth)["bleu"]
        assert found == (pytest.approx(wanted, rel=1e-15) if SUM_IS_MORE_EXACT else wanted)
        assert type(found) is float
    assert evaluate.load("google_bleu").compute(**given) == {"google_bleu": case.google_bleu}
    found = evaluate.load("sacrebleu").compute(**given)["score"]
    assert found == (pytest.approx(case.sacrebleu, rel=1e-15) if SUM_IS_MORE_EXACT else case.sacrebleu)


def test_random_bleu_is_its_definition() -> None:
    metric = evaluate.load("bleu")
    for i, rng in cases(1):
        predictions, references = corpus(rng)
        options = {"max_order": rng.choice((1, 2, 3, 4, 4, 5, 6, 17, 40)), "smooth": rng.random() < 0.4}
        tokenizer = rng.choice([None, None, None, *TOKENIZERS])
        wanted = outcome(bleu, predictions, references, tokenizer or tokens_13a, **options)
        if tokenizer is not None:
            options["tokenizer"] = tokenizer
        found = outcome(metric.compute, predictions=predictions, references=references, **options)
        assert repr(found) == repr(wanted), (i, predictions, references, options)


def test_random_google_bleu_is_nltk() -> None:
    metric = evaluate.load("google_bleu")
    for i, rng in cases(2):
        predictions, references = corpus(rng, without=0.1)
        options = {}
        if rng.random() < 0.6:
            options["min_len"] = rng.choice((1, 1, 2, 3, 4, 0, -1))
        if rng.random() < 0.6:
            options["max_len"] = rng.choice((1, 2, 3, 4, 5, 6, 17, 40, 0, -1, -2, None))
        tokenizer = rng.choice([None, None, *TOKENIZERS, lambda text: iter(text.split())])
        split = tokenizer or tokens_13a
        wanted = outcome(
            corpus_gleu, [[split(r) for r in row] for row in references], list(map(split, predictions)), **options
        )
        if tokenizer is not None:
            options["tokenizer"] = tokenizer
        found = outcome(metric.compute, predictions=predictions, references=references, **options)
        if not isinstance(wanted, type):
            wanted = {"google_bleu": wanted}
        assert repr(found) == repr(wanted), (i, predictions, references, options)


def test_random_sacrebleu_is_sacrebleu() -> None:
    metric = evaluate.load("sacrebleu")
    fields = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    for i, rng in cases(3):
        predictions, references = corpus(rng, equally_many=True)
        rows: list[list[str | None]] = [list(row) for row in references]
        if rng.random() < 0.1:
            rows = [[None if rng.random() < 0.4 else text for text in row] for row in rows]
        options = sacrebleu_options(rng)
        streams = [[row[j] for row in rows] for j in range(len(rows[0]))]
        wanted = outcome(sacrebleu.corpus_bleu, predictions, streams, **options)
        if not isinstance(wanted, type):
            wanted = {name: getattr(wanted, name) for name in fields}
        # A first row without any reference is refused before sacrebleu sees it.
        if not rows[0] or any(text is not None for text in rows[0]):
            found = outcome(metric.compute, predictions=predictions, references=rows, **options)
            assert repr(found) == repr(wanted), (i, predictions, rows, options)


def sacrebleu_options(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.7:
        options["smooth_method"] = rng.choice(("exp", "floor", "add-k", "none", "other"))
    if rng.random() < 0.3:
        options["smooth_value"] = rng.choice((0, 0.1, 0.5, 1, 2, 1.0))
    if rng.random() < 0.6:
        options["tokenize"] = rng.choice(("13a", "none", "zh", "intl", "char", "edge"))
    for name in ("lowercase", "use_effective_order", "force"):
        if rng.random() < 0.3:
            options[name] = True
    return options


@pytest.mark.parametrize("tokenize", ["ja-mecab", "ko-mecab"])
def test_sacrebleu_with_an_analyser(tokenize: str) -> None:
    pytest.importorskip("MeCab" if tokenize == "ja-mecab" else "mecab_ko", reason="the analyser is not installed")
    texts = [
        "\u4eca\u65e5\u306f\u5929\u6c17\u304c\u3044\u3044\u3067\u3059\u3002 ",
        "\uc624\ub298 \ub0a0\uc528\uac00 \uc88b\ub2e4.",
    ]
    found = evaluate.load("sacrebleu").compute(
        predictions=texts, references=[[t[1:]] for t in texts], tokenize=tokenize
    )
    assert found["score"] == sacrebleu.corpus_bleu(texts, [[t[1:] for t in texts]], tokenize=tokenize).score


def test_sacrebleu_without_an_analyser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "MeCab", None)
    _evaluate_scores._by_name.cache_clear()
    with pytest.raises(RuntimeError, match="ja-mecab needs the package MeCab"):
        evaluate.load("sacrebleu").compute(**PAIR, tokenize="ja-mecab")


def test_sacrebleu_downloads_no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    with pytest.raises(
        FileNotFoundError, match=r"'flores200', whose model would be .*flores200sacrebleuspm; nothing is downloaded"
    ):
        evaluate.load("sacrebleu").compute(**PAIR, tokenize="flores200")


def test_sacrebleu_takes_the_model_that_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece", reason="needs the package sentencepiece")
    (tmp_path / "models").mkdir()
    corpus_file = tmp_path / "corpus.txt"
    corpus_file.write_text(f"{S6}\nthe cat sat on a mat\n" * 50)
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus_file), model_prefix=str(tmp_path / "m"), vocab_size=30, minloglevel=2, hard_vocab_limit=False
    )
    (tmp_path / "m.model").rename(tmp_path / "models" / "flores200sacrebleuspm")
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    model = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "models" / "flores200sacrebleuspm"))
    pieces = [" ".join(model.EncodeAsPieces(text)) for text in ("the cat sat on a mat", S6)]
    wanted = sacrebleu.corpus_bleu(pieces[:1], [pieces[1:]], tokenize="none").score
    assert evaluate.load("sacrebleu").compute(**PAIR, tokenize="flores200")["score"] == wanted


def test_periods_that_stand_alone_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    texts = ["it rains ."] * 100
    with caplog.at_level(logging.WARNING, logger="sacrebleu"):
        evaluate.load("sacrebleu").compute(predictions=texts[1:], references=texts[1:])
        evaluate.load("sacrebleu").compute(predictions=texts, references=texts, force=True)
        assert not caplog.records
        evaluate.load("sacrebleu").compute(predictions=texts, references=texts)
    assert len(caplog.records) == 3 and {record.name for record in caplog.records} == {"sacrebleu"}


def test_rows_that_were_added() -> None:
    metric = evaluate.load("bleu")
    metric.add(prediction="a b c d", reference=["a b c d", "a b"])
    metric.add(predictions="e f g h", references=["e f g h i"])
    metric.add_batch(predictions=["x y"], references=[("x z", "y")])
    assert len(metric) == 3 and "stored examples: 3" in repr(metric)
    rows = [["a b c d", "a b"], ["e f g h i"], ["x z", "y"], ["k l m n o"]]
    wanted = evaluate.load("bleu").compute(predictions=["a b c d", "e f g h", "x y", "k l m n"], references=rows)
    assert metric.compute(predictions=["k l m n"], references=[["k l m n o"]]) == wanted
    assert len(metric) == 0
    metric.add_batch(predictions=["a b c d"], references=["a b c d"])
    assert metric.compute()["bleu"] == 1.0
    with pytest.raises(ValueError, match="nothing to compute"):
        metric.compute()


@pytest.mark.parametrize(
    "predictions, references, error",
    [
        (["a"], [["a"], ["b"]], ValueError),
        (["a", "b"], ["a"], ValueError),
        ([1], [["a"]], ValueError),
        ([None, "a"], ["a", "a"], ValueError),
        ([b"a"], [["a"]], ValueError),
        ([["a"]], [["a"]], ValueError),
        (["a"], [[1]], ValueError),
        (["a"], [1], ValueError),
        (["a"], [[None]], ValueError),
        (["a", "b"], [["a"], 7], ValueError),
        (["a"], [iter("a")], ValueError),
        (["a"], [[]], ValueError),
        (["a"], None, TypeError),
        (None, ["a"], TypeError),
        (iter("a"), ["a"], TypeError),
        (3, ["a"], TypeError),
        (["a"], [None], TypeError),
        (["a", "b"], [["a"], None], TypeError),
        (["a", None], ["a", "b"], AttributeError),
        (["a"], [[None, "a"]], AttributeError),
        (["a", "b"], [["a"], ["b", None]], AttributeError),
        ([], [], IndexError),
        (["a"], {}, KeyError),
        (["\ud800"], ["a"], UnicodeEncodeError),
        (["a", "b"], [["a"], ["b", "\udfff"]], UnicodeEncodeError),
        (None, None, ValueError),
    ],
)
def test_bad_input_has_evaluates_exceptions(predictions: Any, references: Any, error: type[Exception]) -> None:
    metric = evaluate.load("bleu")
    with pytest.raises(error) as caught:
        metric.compute(predictions=predictions, references=references)
    assert caught.type is error
    assert metric.compute(**PAIR)["bleu"] == 0.537284965911771  # nothing of it was kept


def test_later_rows_become_str() -> None:
    metric = evaluate.load("bleu")
    wanted = metric.compute(predictions=["a", "1", "b"], references=[["a"], ["2", "1"], ["x", "y"]])
    assert metric.compute(predictions=("a", 1, "b"), references=[["a"], (2, 1), "xy"]) == wanted
    assert metric.compute(predictions="ab", references="ab")["translation_length"] == 2


def test_rows_of_another_form_are_refused() -> None:
    metric = evaluate.load("bleu")
    metric.add(prediction="a", reference=["a"])
    for wrong in (
        {"prediction": "a", "reference": "a"},
        {"prediction": 1, "reference": ["a"]},
        {"prediction": "a", "other": 1},
    ):
        with pytest.raises(ValueError):
            metric.add(**wrong)
    with pytest.raises(ValueError, match="takes predictions and references, not other"):
        metric.add_batch(predictions=["a"], references=[["a"]], other=1)
    with pytest.raises(ValueError):
        metric.add_batch(predictions=["a"], references=["a"])
    assert len(metric) == 1
    flat = evaluate.load("bleu")
    flat.add(prediction="a", reference="a")
    with pytest.raises(ValueError):
        flat.add_batch(predictions=["a"], references=[["a"]])
    with pytest.raises(ValueError):
        flat.add(prediction="a", reference=["a"])


def test_options_that_are_not_there() -> None:
    for name in ("bleu", "google_bleu", "sacrebleu"):
        for wrong in ("plain", "order", "max_n"):
            with pytest.raises(TypeError):
                evaluate.load(name).compute(**PAIR, **{wrong: 1})
        with pytest.raises(TypeError):
            evaluate.load(name).compute(["a"], ["a"])  # type: ignore[misc]
    for wrong, error in ((0, ValueError), (-1, ValueError), (2.0, TypeError), ("2", TypeError), (None, TypeError)):
        with pytest.raises(error):
            evaluate.load("bleu").compute(**PAIR, max_order=wrong)


def test_load() -> None:
    assert [evaluate.load(name).name for name in ("bleu", "google_bleu", "sacrebleu")] == [
        "bleu",
        "google_bleu",
        "sacrebleu",
    ]
    metric = evaluate.load(
        "bleu", "mine", "metric", experiment_id="x", keep_in_memory=True, cache_dir="/nowhere", seed=1
    )
    assert (metric.config_name, metric.experiment_id, metric.module_type) == ("mine", "x", "metric")
    with pytest.raises(FileNotFoundError, match="there are bleu, google_bleu, sacrebleu"):
        evaluate.load("rouge")
    with pytest.raises(FileNotFoundError):
        evaluate.path("rouge")
    with pytest.raises(TypeError):
        evaluate.load("bleu", module_type="comparison")
    with pytest.raises(
        NotImplementedError, match=r'num_process is 2; evaluate.load\(clipgram.compat.evaluate.path\("bleu"\)'
    ):
        evaluate.load("bleu", num_process=2)
    for wrong in ({"process_id": -1}, {"process_id": 1}, {"num_process": 2, "keep_in_memory": True}):
        with pytest.raises(ValueError):
            evaluate.load("bleu", **wrong)


def test_scripts_are_there() -> None:
    for name in ("bleu", "google_bleu", "sacrebleu"):
        assert type(evaluate.load(evaluate.path(name))) is type(evaluate.load(name))
        assert (Path(evaluate.path(name)) / f"{name}.py").is_file()


def test_many_threads_share_a_metric() -> None:
    for name in ("bleu", "google_bleu", "sacrebleu"):
        metric = evaluate.load(name)
        jobs = [corpus(random.Random(i), equally_many=True, without=0) for i in range(40)] * 5
        wanted = [outcome(metric.compute, predictions=p, references=r) for p, r in jobs]
        with ThreadPoolExecutor(8) as pool:
            found = list(
                pool.map(lambda job, m=metric: outcome(m.compute, predictions=job[0], references=job[1]), jobs)
            )
        assert found == wanted


def test_copies() -> None:
    metric = evaluate.load("google_bleu")
    metric.add(prediction="a b", reference=["a c"])
    for again in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert again.compute() == {"google_bleu": 1 / 3}
    assert len(metric) == 1


def test_arguments_are_left_alone() -> None:
    predictions, references = ["a b\n", "c"], [["a b\n"], ["c d"]]
    for name in ("bleu", "google_bleu", "sacrebleu"):
        evaluate.load(name).compute(predictions=predictions, references=references)
    assert (predictions, references) == (["a b\n", "c"], [["a b\n"], ["c d"]])


def test_a_tokenizer_is_called_once_a_text() -> None:
    seen: list[str] = []

    def split(text: str) -> list[str]:
        seen.append(text)
        return text.split()

    evaluate.load("bleu").compute(predictions=["a", "b"], references=[["c", "d"], ["e"]], tokenizer=split)
    assert seen == ["c", "d", "e", "a", "b"]


def test_long_corpora_are_the_sum_of_their_parts() -> None:
    rng = random.Random(5)
    rows = [corpus(rng, without=0) for _ in range(1100)]
    predictions = [text for some, _ in rows for text in some]
    references = [row for _, many in rows for row in many]
    assert len(predictions) > 2048  # they are counted in parts of that many
    metric = evaluate.load("bleu")
    found = metric.compute(predictions=predictions, references=references)
    assert found == bleu(predictions, references, tokens_13a, 4, False)
    split = [[tokens_13a(text) for text in row] for row in references]
    gleu = evaluate.load("google_bleu").compute(predictions=predictions, references=references)
    assert gleu == {"google_bleu": corpus_gleu(split, [tokens_13a(text) for text in predictions])}


def test_neither_evaluate_nor_datasets_is_imported() -> None:
    code = (
        "import sys; from clipgram.compat import evaluate as e; m = e.load('sacrebleu');"
        "m.compute(predictions=['a'], references=['a']); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"evaluate", "datasets", "pyarrow", "sacrebleu", "nltk", "torch"} & set(loaded)


def test_signatures() -> None:
    compute = inspect.signature(evaluate.Bleu.compute)
    assert [p.kind.name for p in compute.parameters.values()][1:] == ["KEYWORD_ONLY", "KEYWORD_ONLY", "VAR_KEYWORD"]


@pytest.mark.parametrize("module", [evaluate, _evaluate_scores, _evaluate_rows])
def test_docstrings(module: Any) -> None:
    assert doctest.testmod(module).failed == 0
