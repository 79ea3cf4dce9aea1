"""The drop-in of torchmetrics against torchmetrics itself, where it is installed."""

from __future__ import annotations

import copy
import doctest
import inspect
import os
import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed (the extra test-dropins brings it)")
pytest.importorskip("torchmetrics", reason="torchmetrics is not installed (the extra test-dropins brings it)")

import numpy as np
import torch
import torchmetrics
from edge_cases import CASES as EDGE_CASES
from edge_cases import S6, Case
from odd_corpora import CASES, cases, corpus, outcome
from torchmetrics.functional.text import bleu_score as their_bleu_score
from torchmetrics.functional.text import sacre_bleu_score as their_sacre_bleu_score
from torchmetrics.functional.text.sacre_bleu import AVAILABLE_TOKENIZERS, _SacreBLEUTokenizer
from torchmetrics.text import BLEUScore as TheirBLEUScore
from torchmetrics.text import SacreBLEUScore as TheirSacreBLEUScore

from clipgram.compat import _torchmetrics_lines
from clipgram.compat import torchmetrics as ours
from clipgram.compat.torchmetrics import BLEUScore, SacreBLEUScore, bleu_score, sacre_bleu_score

PAIRS = [(bleu_score, their_bleu_score), (sacre_bleu_score, their_sacre_bleu_score)]
CLASSES = [(BLEUScore, TheirBLEUScore), (SacreBLEUScore, TheirSacreBLEUScore)]
PREDS = ["the cat is on the mat", "a cat sat here"]
TARGET = [["there is a cat on the mat", "a cat is on the mat"], ["a cat sat there", "one cat sat here"]]


def bits(tensor: Any) -> Any:
    """All there is to know about a result."""
    if not isinstance(tensor, torch.Tensor):
        return tensor
    return tensor.dtype, tuple(tensor.shape), tensor.numpy().tobytes(), float(tensor)


def lines(rng: random.Random) -> tuple[Any, Any]:
    """Lines and references of them, some of them in forms that nobody means."""
    preds: Any
    target: list[Any]
    preds, target = corpus(rng)
    if rng.random() < 0.3:
        target = [row[0] if row else row for row in target]
    if rng.random() < 0.1:
        preds = [None if rng.random() < 0.3 else line for line in preds]
    if rng.random() < 0.1:
        target = [
            [rng.choice((None, "", [], 0)) if rng.random() < 0.3 else line for line in row]
            if isinstance(row, list)
            else row
            for row in target
        ]
    if rng.random() < 0.03:
        preds = [*preds, "a"]
    if rng.random() < 0.03:
        target = [*target, ["a"]]
    if rng.random() < 0.03:
        preds = " ".join(map(str, preds))
    if rng.random() < 0.02:
        preds = [rng.choice((5, b"a b", ["a", "b"])) if rng.random() < 0.5 else line for line in preds]
    return preds, target


def options(rng: random.Random, sacre: bool) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if rng.random() < 0.5:
        made["n_gram"] = rng.choice((1, 1, 2, 2, 3, 5, 6, 17, 0, -1, 2.0, True))
    if rng.random() < 0.4:
        made["smooth"] = True
    if rng.random() < 0.4:
        n = max(0, int(made.get("n_gram", 4))) + (rng.random() < 0.05)
        made["weights"] = [rng.choice((0.1, 0.25, 0.5, 1, 2, 0)) for _ in range(n)]
        if rng.random() < 0.1:
            made["weights"] = np.array(made["weights"])
    if sacre:
        if rng.random() < 0.8:
            made["tokenize"] = rng.choice((*("13a", "none", "zh", "intl", "char") * 3, "other", None, "edge"))
        if rng.random() < 0.4:
            made["lowercase"] = True
    return made


@pytest.mark.parametrize("case", EDGE_CASES, ids=[case.name for case in EDGE_CASES])
def test_edge_cases(case: Case) -> None:
    preds, target = [case.prediction], [case.references]
    assert bleu_score(preds, target).item() == case.torch_bleu
    assert bleu_score(preds, target, smooth=True).item() == case.torch_smooth
    assert sacre_bleu_score(preds, target).item() == case.torch_sacre
    assert BLEUScore()(preds, target).item() == case.torch_bleu
    assert BLEUScore(smooth=True)(preds, target).item() == case.torch_smooth
    assert SacreBLEUScore()(preds, target).item() == case.torch_sacre


@pytest.mark.parametrize("function, theirs", PAIRS)
def test_random_lines_functional(function: Any, theirs: Any) -> None:
    scored = 0
    for i, rng in cases(20):
        preds, target = lines(rng)
        given = options(rng, sacre=function is sacre_bleu_score)
        wanted = bits(outcome(theirs, preds, target, **given))
        assert repr(bits(outcome(function, preds, target, **given))) == repr(wanted), (i, preds, target, given)
        scored += isinstance(wanted, tuple) and wanted[-1] > 0
    assert scored > CASES / 5


@pytest.mark.parametrize("metric, theirs", CLASSES)
def test_random_lines_in_metrics(metric: Any, theirs: Any) -> None:
    def course(made: Any, preds: Any, target: Any, given: dict[str, Any]) -> list[Any]:
        one = made(**given)
        found = [bits(one(preds, target)), bits(one(preds[:1], target[:1]))]
        one.update(preds, target)
        states = [list(map(float, state.reshape(-1))) for state in one.metric_state.values()]
        return [*found, bits(one.compute()), *states]

    scored = 0
    for i, rng in cases(21):
        preds, target = lines(rng)
        given = options(rng, sacre=metric is SacreBLEUScore)
        wanted = outcome(course, theirs, preds, target, given)
        assert repr(outcome(course, metric, preds, target, given)) == repr(wanted), (i, preds, target, given)
        scored += isinstance(wanted, list) and wanted[0][-1] > 0
    assert scored > CASES / 5


@pytest.mark.parametrize("name", ["none", "13a", "zh", "intl", "char"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_tokenizers(name: str, lowercase: bool) -> None:
    from nasty import nasty_strings

    theirs, mine = _SacreBLEUTokenizer(name, lowercase), _torchmetrics_lines.LineTokenizer(name, lowercase)
    for text in nasty_strings(max(CASES, 2000)):
        assert mine(text) == theirs(text), ascii(text)
        alone = mine.as_text([text])
        if alone is not None:
            assert list(mine.native().tokens_of(alone)[0]) == theirs(text), ascii(text)


def test_zh_of_every_character() -> None:
    theirs, mine = _SacreBLEUTokenizer("zh"), _torchmetrics_lines.LineTokenizer("zh")
    for start in range(0, 0x10000, 64):
        text = "x".join(map(chr, range(start, start + 64)))
        assert mine(text) == theirs(text), hex(start)


@pytest.mark.parametrize("name, package", [("ja-mecab", "MeCab"), ("ko-mecab", "mecab_ko")])
def test_analysers(name: str, package: str) -> None:
    pytest.importorskip(package, reason="the analyser is not installed")
    preds = [
        "\u4eca\u65e5\u306f\u5929\u6c17\u304c\u3044\u3044\u3067\u3059\u3002 ",
        "",
        "\uc624\ub298 \ub0a0\uc528\uac00 \uc88b\ub2e4. ABC",
    ]
    target = [[line[1:], line] for line in preds]
    for lowercase in (False, True):
        wanted = their_sacre_bleu_score(preds, target, tokenize=name, lowercase=lowercase)
        assert bits(sacre_bleu_score(preds, target, tokenize=name, lowercase=lowercase)) == bits(wanted)


def test_an_analyser_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "MeCab", None)
    with pytest.raises(ModuleNotFoundError, match="ja-mecab needs the package MeCab"):
        SacreBLEUScore(tokenize="ja-mecab")
    with pytest.raises(ModuleNotFoundError):
        sacre_bleu_score(["a"], [["a"]], tokenize="ja-mecab")


def test_flores_has_the_tokens_of_torchmetrics(monkeypatch: pytest.MonkeyPatch) -> None:
    # The model is not at hand; what matters is that torchmetrics' tokenizer is asked.
    monkeypatch.setattr(_SacreBLEUTokenizer, "_check_tokenizers_validity", classmethod(lambda cls, name: None))
    pieces = classmethod(lambda cls, line, name: line.replace("a", " a "))
    monkeypatch.setattr(_SacreBLEUTokenizer, "_tokenize_flores", pieces)
    wanted = their_sacre_bleu_score(["bab ca"], [["bab da"]], n_gram=2, tokenize="flores200")
    assert bits(sacre_bleu_score(["bab ca"], [["bab da"]], n_gram=2, tokenize="flores200")) == bits(wanted)


METHODS = [
    (getattr(a, name), getattr(b, name))
    for a, b in CLASSES
    for name in ("update", "compute", "plot", "reset", "forward")
]


@pytest.mark.parametrize("function, theirs", [*PAIRS, *CLASSES, *METHODS])
def test_signatures(function: Any, theirs: Any) -> None:
    def parameters(thing: Any) -> list[tuple[str, Any, Any]]:
        return [(p.name, p.kind, p.default) for p in inspect.signature(thing).parameters.values()]

    assert parameters(function) == parameters(theirs)


@pytest.mark.parametrize("metric, theirs", CLASSES)
def test_class_attributes(metric: Any, theirs: Any) -> None:
    assert issubclass(metric, torchmetrics.Metric) and metric.__name__ == theirs.__name__
    for name in ("is_differentiable", "higher_is_better", "full_state_update", "plot_lower_bound", "plot_upper_bound"):
        assert getattr(metric, name) == getattr(theirs, name)
    assert list(metric().metric_state) == list(theirs().metric_state)
    assert set(AVAILABLE_TOKENIZERS) == set(ours.AVAILABLE_TOKENIZERS)


def test_counts_past_16777216() -> None:
    preds, target = ["a " * 5_000_000 + "b"], [["a " * 5_000_000 + "c"]]
    metric, theirs = BLEUScore(n_gram=1), TheirBLEUScore(n_gram=1)
    for _ in range(4):
        metric.update(preds, target)
    assert metric.numerator.tolist() == [20_000_000] and metric.preds_len.item() == 20_000_004
    # One more match: there it is lost, here it is one more.
    metric.update(["a"], [["a"]])
    theirs.numerator = torch.tensor([20_000_000.0])
    theirs.update(["a"], [["a"]])
    assert metric.numerator.tolist() == [20_000_001] and theirs.numerator.tolist() == [20_000_000.0]
    assert metric.compute().item() == np.float32(20_000_001) / np.float32(20_000_005)
    assert metric.compute().dtype == torch.float32


def test_states_are_counts_whatever_is_asked_for() -> None:
    metric, theirs = BLEUScore(), TheirBLEUScore()
    for one in (metric, theirs):
        one.set_dtype(torch.float64)
        one.update(PREDS, TARGET)
    assert all(state.dtype == torch.int64 for state in metric.metric_state.values())
    assert bits(metric.compute()) == bits(theirs.compute()) and metric.dtype == torch.float64
    for change in (
        lambda m: m.half(),
        lambda m: m.to("cpu"),
        lambda m: m.to(torch.float16),
        lambda m: torch.nn.Sequential(m).half(),
    ):
        change(metric)
        change(theirs)
        assert metric.numerator.dtype == torch.int64 and bits(metric.compute()) == bits(theirs.compute())
    metric.reset()
    assert metric.numerator.tolist() == [0] * 4 and metric.numerator.dtype == torch.int64
    metric.to("meta")
    assert metric.numerator.device.type == "meta"


def test_another_default_dtype() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        assert bits(bleu_score(PREDS, TARGET, smooth=True)) == bits(their_bleu_score(PREDS, TARGET, smooth=True))
        metric, theirs = BLEUScore(), TheirBLEUScore()
        assert bits(metric(PREDS, TARGET)) == bits(theirs(PREDS, TARGET))
    finally:
        torch.set_default_dtype(torch.float32)


def test_forward_reset_and_update_count() -> None:
    metric, theirs = SacreBLEUScore(smooth=True), TheirSacreBLEUScore(smooth=True)
    for i in range(2):
        assert bits(metric(PREDS[i:], TARGET[i:])) == bits(theirs(PREDS[i:], TARGET[i:]))
    assert bits(metric.compute()) == bits(theirs.compute()) and metric.update_count == theirs.update_count == 2
    metric.reset()
    assert metric.update_count == 0 and metric.preds_len.item() == 0
    assert bits(metric(iter(PREDS), iter(TARGET))) == bits(TheirSacreBLEUScore(smooth=True)(iter(PREDS), iter(TARGET)))


def test_an_update_that_fails_changes_nothing() -> None:
    metric = BLEUScore()
    metric.update(PREDS, TARGET)
    before = {name: state.clone() for name, state in metric.metric_state.items()}
    with pytest.raises(ValueError, match="a line has no reference"):
        metric.update(["a b", "c"], [["a b"], []])
    assert all(torch.equal(before[name], state) for name, state in metric.metric_state.items())


def test_copies() -> None:
    for made in (BLEUScore(n_gram=2), SacreBLEUScore(n_gram=2, tokenize="intl", lowercase=True)):
        made.update(PREDS, TARGET)
        wanted = made.compute()
        for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), made.clone()):
            assert torch.equal(again.compute(), wanted)
            again.update(PREDS, [[""], [""]])
            assert again.preds_len == 2 * made.preds_len
        assert hash(made)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_metrics_can_be_scripted() -> None:
    # torchmetrics' own tests want that of each metric.
    for made in (BLEUScore(), SacreBLEUScore()):
        assert isinstance(torch.jit.script(made), torch.jit.ScriptModule)


def test_checkpoints() -> None:
    metric = BLEUScore()
    assert not metric.state_dict()
    metric.persistent(True)
    metric.update(PREDS, TARGET)
    theirs = TheirBLEUScore()
    theirs.persistent(True)
    theirs.update(PREDS, TARGET)
    for source in (metric, theirs):
        again = BLEUScore()
        again.persistent(True)
        again.load_state_dict(source.state_dict())
        assert again.numerator.dtype == torch.int64 and again.preds_len.dtype == torch.int64
        again.update(PREDS, TARGET)
        theirs_twice = TheirBLEUScore()
        theirs_twice.update(PREDS * 2, TARGET * 2)
        assert bits(again.compute()) == bits(theirs_twice.compute())


def test_composition_and_collections() -> None:
    metric, theirs = BLEUScore(), TheirBLEUScore()
    both, wanted = metric + SacreBLEUScore(), theirs + TheirSacreBLEUScore()
    assert bits(both(PREDS, TARGET)) == bits(wanted(PREDS, TARGET))
    half, wanted = 0.5 * metric, 0.5 * theirs
    assert bits(half.compute()) == bits(wanted.compute())
    collection = torchmetrics.MetricCollection({"bleu": BLEUScore(), "sacre": SacreBLEUScore()})
    found = collection(PREDS, TARGET)
    assert bits(found["bleu"]) == bits(their_bleu_score(PREDS, TARGET))


PROCESS = """
import sys, torch, torch.distributed as dist
sys.path.insert(0, {tests!r})
from test_compat_torchmetrics import SacreBLEUScore, shared_lines
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method={store!r}, rank=rank, world_size=2)
preds, target = shared_lines()
metric = SacreBLEUScore()
for i in range(rank, len(preds), 2):
    metric.update(preds[i : i + 1], target[i : i + 1])
alone = metric.numerator.clone()
score = metric.compute()
assert metric.numerator.equal(alone)  # unsynced again
metric.sync()
print(score.numpy().tobytes().hex(), metric.numerator.tolist(), metric.numerator.dtype, metric.preds_len.item())
dist.destroy_process_group()
"""


def shared_lines() -> tuple[list[str], list[list[str]]]:
    preds, target = [], []
    for _, rng in cases(22, 12):
        made = corpus(rng, without=0)
        preds += made[0] + [S6]
        target += made[1] + [[S6]]
    return preds, target


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no torch.distributed")
def test_two_processes_have_the_score_of_one(tmp_path: Path) -> None:
    code = PROCESS.format(tests=str(Path(__file__).parent), store=(tmp_path / "store").as_uri())
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(rank)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"},
        )
        for rank in range(2)
    ]
    found = [process.communicate(timeout=120)[0].strip() for process in processes]
    metric = SacreBLEUScore()
    preds, target = shared_lines()
    metric.update(preds, target)
    score = metric.compute()
    assert 0 < score < 1 and bits(score) == bits(their_sacre_bleu_score(preds, target))
    wanted = f"{score.numpy().tobytes().hex()} {metric.numerator.tolist()} torch.int64 {metric.preds_len.item()}"
    assert found == [wanted, wanted]


def test_what_is_missing_is_named() -> None:
    for package in ("torch", "torchmetrics"):
        code = f"import sys; sys.modules[{package!r}] = None; import clipgram.compat.torchmetrics"
        made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (
            f"ImportError: clipgram.compat.torchmetrics needs {package}: pip install torch torchmetrics" in made.stderr
        )


@pytest.mark.parametrize("module", [ours, _torchmetrics_lines])
def test_docstrings(module: Any) -> None:
    assert doctest.testmod(module).failed == 0
