"""The drop-in for sacreBLEU beside the live sacreBLEU: same numbers to the last bit, same types, same exceptions."""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import sacrebleu as peer
import sacrebleu.significance as peer_significance
from random_corpora import CASES, corpus, in_another_form

from clipgram.compat import sacrebleu as ours

METHODS = ["none", "floor", "add-k", "exp"]
TOKENIZERS = ["13a", "zh", "intl", "char", "none"]

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@pytest.fixture(autouse=True)
def quiet() -> Any:
    """Warnings by logging have a test of their own."""
    logger = logging.getLogger("sacrebleu")
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(logging.NOTSET)


def outcome(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> str:
    """All that a score holds, with types, or the type of the exception."""
    try:
        made = function(*arguments, **keywords)
    except Exception as error:
        return f"raised {type(error).__name__}"
    return repr(vars(made)) if hasattr(made, "bp") else repr(made)


def compare(do: Callable[[Any, random.Random], str], seed: int, cases: int = CASES) -> Counter[str]:
    """Do the same with both, from the same random numbers. Returns what was raised and how often."""
    raised: Counter[str] = Counter()
    for case in range(cases):
        theirs = do(peer, random.Random(f"{seed} {case}"))
        assert do(ours, random.Random(f"{seed} {case}")) == theirs, case
        raised[theirs if theirs.startswith("raised") else ""] += 1
    assert raised[""] > cases / 2
    return raised


def options(rng: random.Random, order: str) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    if rng.random() < 0.8:
        chosen["smooth_method"] = rng.choice(METHODS)
    if rng.random() < 0.4:
        chosen["smooth_value"] = rng.choice([0, 0.0, 0.1, 0.5, 1, 2.7, 1e-9, -1])
    if rng.random() < 0.3:
        chosen["lowercase"] = True
    if rng.random() < 0.7:
        chosen["tokenize"] = rng.choice(TOKENIZERS)
    if rng.random() < 0.7:
        chosen[order] = rng.random() < 0.5
    if rng.random() < 0.03:
        chosen.update(rng.choice([{"smooth_method": "laplace"}, {"tokenize": "13b"}, {"smooth_value": "1"}]))
    return chosen


def metric_options(rng: random.Random) -> dict[str, Any]:
    chosen = options(rng, "effective_order")
    if rng.random() < 0.6:
        chosen["max_ngram_order"] = rng.choice([1, 2, 3, 4, 5, 6] if rng.random() < 0.95 else [0, -1, 16, 17, 20, 2.5, True])
    if rng.random() < 0.2:
        chosen["trg_lang"] = rng.choice(["zh", "de", ""])
    if rng.random() < 0.2:
        chosen["force"] = True
    return chosen


def test_corpus_bleu() -> None:
    def do(package: Any, rng: random.Random) -> str:
        keywords = options(rng, "use_effective_order")
        return outcome(package.corpus_bleu, *in_another_form(rng, *corpus(rng)), force=rng.random() < 0.2, **keywords)

    assert {"raised TypeError", "raised IndexError", "raised AttributeError", "raised KeyError"} <= set(compare(do, 1))


def test_raw_corpus_bleu() -> None:
    def do(package: Any, rng: random.Random) -> str:
        value = rng.choice([(), (0.0,), (0.01,), (None,), (1,)])
        return outcome(package.raw_corpus_bleu, *in_another_form(rng, *corpus(rng)), *value)

    compare(do, 2)


def one_segment(rng: random.Random) -> tuple[Any, Any]:
    hypotheses, streams = corpus(rng)
    references = [stream[0] for stream in streams if stream]
    if rng.random() < 0.1:
        references = rng.choice([tuple(references), "".join(map(str, references)), None, iter(references), [None, None]])
    return hypotheses[0] if hypotheses else None, references


def test_sentence_bleu() -> None:
    def do(package: Any, rng: random.Random) -> str:
        return outcome(package.sentence_bleu, *one_segment(rng), **options(rng, "use_effective_order"))

    assert {"raised TypeError", "raised IndexError", "raised AssertionError"} <= set(compare(do, 3))


def test_corpus_score() -> None:
    def do(package: Any, rng: random.Random) -> str:
        try:
            metric = package.BLEU(**metric_options(rng))
        except Exception as error:
            return f"raised {type(error).__name__}"
        resamples = rng.choice([1, 1, 1, 2, 50]) if metric.max_ngram_order in (1, 2, 3, 4, 5, 6) else 1
        said = outcome(metric.corpus_score, *in_another_form(rng, *corpus(rng)), resamples)
        return f"{said} {outcome(metric.get_signature)} {outcome(lambda: metric.get_signature().format(short=True))}"

    compare(do, 4)


def test_cached_references() -> None:
    def do(package: Any, rng: random.Random) -> str:
        hypotheses, references = corpus(rng)
        try:
            metric = package.BLEU(references=references, **metric_options(rng))
        except Exception as error:
            return f"raised {type(error).__name__}"
        said = [repr([{**info, "ref_ngrams": dict(sorted((info["ref_ngrams"] or {}).items(), key=repr))} for info in metric._ref_cache])]
        for stream in references:  # they were read
            stream.clear()
        change = rng.random()
        if change < 0.1:
            metric.lowercase = not metric.lowercase
        elif change < 0.2:
            metric.max_ngram_order = 3
        elif change < 0.3:
            metric.tokenizer = package.BLEU(tokenize="intl").tokenizer
        for lines in (hypotheses, hypotheses[::-1], hypotheses[:1]):
            said.append(outcome(metric.corpus_score, lines, None))
            said.append(outcome(metric.get_signature))
        return " ".join(said)

    compare(do, 5)


def test_sentence_score() -> None:
    def do(package: Any, rng: random.Random) -> str:
        try:
            metric = package.BLEU(**metric_options(rng))
        except Exception as error:
            return f"raised {type(error).__name__}"
        said = outcome(metric.sentence_score, *one_segment(rng))
        return f"{said} {outcome(metric.get_signature)}"

    compare(do, 6)


def test_compute_bleu() -> None:
    def do(package: Any, rng: random.Random) -> str:
        order = rng.randint(1, 6)
        most = rng.choice([3, 30, 10**6])
        total = [max(rng.randint(0, most) - n, 0) for n in range(order)]
        correct = [rng.randint(0, t) if rng.random() < 0.8 else 0 for t in total]
        keywords = {name: value for name, value in metric_options(rng).items() if name.startswith(("smooth", "effective"))}
        if rng.random() < 0.9:
            keywords["max_ngram_order"] = order
        lengths = rng.choice([0, 1, most]), rng.choice([0, 1, most, most + 1])
        said = outcome(package.BLEU.compute_bleu, correct, total, *lengths, **keywords)
        return f"{said} {correct} {total}"

    compare(do, 7)


def test_private_methods_that_others_call() -> None:
    """mbrs and scripts that resample by themselves go through these."""

    def do(package: Any, rng: random.Random) -> str:
        hypotheses, streams = corpus(rng, wrong=0)
        keywords = {**metric_options(rng), "smooth_value": None, "max_ngram_order": rng.randint(1, 6)}
        keywords.update(smooth_method=rng.choice(METHODS), tokenize=rng.choice(TOKENIZERS))
        metric = package.BLEU(**keywords)
        lines = [metric._preprocess_segment(hypothesis) for hypothesis in hypotheses]
        said: list[Any] = [lines, [metric.tokenizer(hypothesis) for hypothesis in hypotheses]]
        rows = []
        for line, *references in zip(lines, *streams, strict=False):
            info = metric._extract_reference_info([metric._preprocess_segment(ref) for ref in references if ref is not None])
            said.append((sorted((info["ref_ngrams"] or {}).items()), info["ref_lens"]))
            if info["ref_ngrams"] is not None:
                rows.append(metric._compute_segment_statistics(line, info))
                mean = {"ref_ngrams": {ngram: count / 2 for ngram, count in info["ref_ngrams"].items()}, "ref_lens": [2.5]}
                said.append(metric._compute_segment_statistics(line, mean))
        said.append(rows)
        if rows:
            said += [vars(metric._aggregate_and_compute(rows)), vars(metric._compute_score_from_stats(rows[0]))]
            half = [[number / 2 for number in row] for row in rows]
            said += [vars(metric._aggregate_and_compute(half))["score"]]
        said.append(outcome(metric._extract_corpus_statistics, hypotheses, streams))
        return repr(said)

    compare(do, 8, CASES // 2)


def systems(rng: random.Random) -> tuple[list[tuple[str, list[str]]], list[list[Any]]]:
    hypotheses, streams = corpus(rng, wrong=0)
    others = [rng.sample(hypotheses, len(hypotheses)), list(hypotheses), [stream[0] or "" for stream in streams if stream]]
    return [(f"system {i}", lines) for i, lines in enumerate([hypotheses, *others][: rng.randint(1, 4)])], streams


def test_paired_test() -> None:
    def do(package: Any, rng: random.Random) -> str:
        test = package.significance.PairedTest if package is ours else peer_significance.PairedTest
        keywords = {**metric_options(rng), "max_ngram_order": rng.randint(1, 6), "effective_order": rng.random() < 0.5}
        try:
            metric = package.BLEU(**keywords)
            keywords = {"test_type": rng.choice(["ar", "bs"]), "n_samples": rng.choice([7, 40]), "n_ar_confidence": rng.choice([-1, 9])}
            named, references = systems(rng)
            signatures, scores = test(named, {"BLEU": metric}, references, **keywords)()
        except Exception as error:
            return f"raised {type(error).__name__}"
        return f"{signatures} {scores}"

    compare(do, 9, CASES // 4)
