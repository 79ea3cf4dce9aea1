"""The drop-in of evaluate against evaluate itself, where it is installed.

Its metric scripts are not in the package. ``tests/peers/run_evaluate.py --keep FOLDER`` fetches them, and
``CLIPGRAM_EVALUATE_SCRIPTS=FOLDER`` tells these tests where they are. What needs no script of evaluate's runs without.
"""

from __future__ import annotations

import inspect
import os
import random
from pathlib import Path
from typing import Any

import pytest

# Before the import: no test asks a hub for anything, and evaluate would at least try.
os.environ.setdefault("HF_EVALUATE_OFFLINE", "1")

pytest.importorskip("evaluate", reason="evaluate is not installed (the extra test-dropins brings it)")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:evaluate", "ignore::DeprecationWarning:datasets")

import evaluate as peer  # noqa: E402
import numpy as np  # noqa: E402
from odd_corpora import CASES, cases, corpus, outcome  # noqa: E402
from test_compat_evaluate import PAIR, TOKENIZERS, sacrebleu_options  # noqa: E402

from clipgram.compat import evaluate  # noqa: E402

NAMES = ("bleu", "google_bleu", "sacrebleu")


class Live:
    """A metric of evaluate, made anew after an error, after which it may keep rows."""

    def __init__(self, name: str) -> None:
        folder = os.environ.get("CLIPGRAM_EVALUATE_SCRIPTS")
        if not folder:
            pytest.skip("CLIPGRAM_EVALUATE_SCRIPTS does not name the folder with evaluate's metric scripts")
        self._make = lambda: peer.load(str(Path(folder, name)), keep_in_memory=True)
        self._metric = self._make()

    def outcome(self, **given: Any) -> Any:
        found = outcome(self._metric.compute, **given)
        if isinstance(found, type):
            self._metric = type(self._metric)(keep_in_memory=True)
        return found


@pytest.fixture(autouse=True)
def modules_elsewhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """evaluate copies scripts to a cache before it imports them."""
    folder = tmp_path_factory.getbasetemp() / "modules"
    monkeypatch.setattr(peer.config, "HF_MODULES_CACHE", str(folder))
    monkeypatch.setattr(peer.config, "HF_METRICS_CACHE", str(folder / "data"))


def options(name: str, rng: random.Random) -> dict[str, Any]:
    if name == "sacrebleu":
        return sacrebleu_options(rng)
    made: dict[str, Any] = {}
    tokenizer = rng.choice([None] * 6 + [*TOKENIZERS, *ODD_TOKENIZERS])
    if tokenizer is not None:
        made["tokenizer"] = tokenizer
    if name == "bleu":
        if rng.random() < 0.5:
            made["max_order"] = rng.choice((1, 2, 3, 4, 5, 6, 17, 20, 40, 0, -1, True))
        if rng.random() < 0.4:
            made["smooth"] = True
    else:
        if rng.random() < 0.5:
            made["min_len"] = rng.choice((1, 1, 2, 3, 4, 0, -1))
        if rng.random() < 0.5:
            made["max_len"] = rng.choice((1, 2, 3, 4, 5, 6, 17, 40, 0, -1, -2, None))
    return made


ODD_TOKENIZERS: list[Any] = [
    lambda text: [[word] for word in text.split()],  # no keys
    lambda text: iter(text.split()),
    lambda text: np.array(text.split()),
    lambda text: dict.fromkeys(text.split()),
    lambda text: range(len(text)),
    lambda text: [float("nan")] * 2,
    lambda text: None,
]


@pytest.mark.parametrize("name", NAMES)
def test_random_corpora(name: str) -> None:
    live, ours = Live(name), evaluate.load(name)
    # evaluate takes some milliseconds a call.
    for i, rng in cases(10, CASES if "CLIPGRAM_CASES" in os.environ else 300):
        predictions, references = corpus(rng, equally_many=name == "sacrebleu")
        rows: list[Any] = references
        if all(len(row) == 1 for row in rows) and rng.random() < 0.7:
            rows = [row[0] for row in rows]
        elif rng.random() < 0.05:
            rows = [[None if rng.random() < 0.3 else text for text in row] for row in rows]
        given = {"predictions": predictions, "references": rows, **options(name, rng)}
        wanted, found = live.outcome(**given), outcome(ours.compute, **given)
        assert repr(found) == repr(wanted), (i, given)


BAD_INPUT: list[tuple[Any, Any]] = [
    (["a", 1], [["a"], ["b"]]),
    (["a", "b"], [["a"], [1]]),
    (["a", "b"], [["a"], [1, "x"]]),
    (["a", "b"], [["a"], [[], "x"]]),
    (["a", "b"], [["a"], "xy"]),
    (["a", "b"], [["a"], 7]),
    (["a", "b"], [["a"], {"x": 1}]),
    (["a", "b"], [["a"], range(1)]),
    (["a", "b"], [["a"], np.array(["x"])]),
    (["a", "b"], [["a"], []]),
    (["a", "b"], [["a"], None]),
    (["a", "b"], [["a"], [None]]),
    (["a", "b"], [["a"], [None, 1]]),
    (["a", "b"], [["a", None], ["b"]]),
    (["a", "b"], [[], ["b"]]),
    (["a", "b"], [[None], ["b"]]),
    (["a", "b"], ["a", 1]),
    (["a", "b"], ["a", None]),
    (["a", "b"], ["a", ["b"]]),
    (["a", "b"], ["a", np.array(["x"])]),
    (["a", b"b"], ["a", "b"]),
    (["a", ["b"]], [["a"], ["b"]]),
    (["a", None], [["a"], ["b"]]),
    ([None, "a"], [["a"], ["b"]]),
    ([1], [["a"]]),
    ([b"a"], [["a"]]),
    ([["a"]], [["a"]]),
    (["a"], [[None, "b"]]),
    (["a"], [[1, "b"]]),
    (["a"], [[["a", "b"]]]),
    (["a"], [[b"a"]]),
    (["a"], [[]]),
    (["a"], [None]),
    (["a"], [1]),
    (["a"], ["a"]),
    (["a"], "a"),
    (["a"], {"x": 1}),
    (["a"], [{"a"}]),
    (["a"], [{"a": 1}]),
    (["a"], [("a",)]),
    (["a"], [range(1)]),
    (["a"], [[np.str_("a")]]),
    ([np.str_("a")], [["a"]]),
    (np.array(["a", "b"]), [["a"], ["b"]]),
    (["a", "b"], np.array([["a"], ["b"]])),
    (("a",), (("a", "b"),)),
    ("ab", ["a", "b"]),
    ("ab", "ab"),
    ({0: "a"}, [["a"]]),
    (["a"], [["a"], ["b"]]),
    (["a", "b"], [["a"]]),
    ([], []),
    (["a"], []),
    ([], [["a"]]),
    (["a"], None),
    (None, ["a"]),
    (3, ["a"]),
    (["\ud800"], [["a"]]),
    (["a"], [["\ud800"]]),
    (["a", "\ud800"], ["a", "b"]),
]


@pytest.mark.parametrize("name", NAMES)
def test_bad_input(name: str) -> None:
    live = Live(name)
    for predictions, references in BAD_INPUT:
        given = {"predictions": predictions, "references": references}
        wanted = live.outcome(**given)
        assert repr(outcome(evaluate.load(name).compute, **given)) == repr(wanted), given


@pytest.mark.parametrize("name", NAMES)
def test_scripts_of_ours(name: str) -> None:
    theirs, ours = peer.load(evaluate.path(name), keep_in_memory=True), evaluate.load(name)
    assert isinstance(theirs, peer.Metric) and theirs.name == name and theirs.features == ours.features
    assert theirs.info.description == ours.info.description == ours.description
    for _, rng in cases(11, 50):
        predictions, references = corpus(rng, equally_many=True, without=0)
        given = {"predictions": predictions, "references": references, **options(name, rng)}
        found = outcome(theirs.compute, **given)
        if isinstance(found, type):
            theirs = type(theirs)(keep_in_memory=True)
        assert repr(found) == repr(outcome(ours.compute, **given))
    theirs.add(prediction="a b", reference=["a c"])
    ours.add(prediction="a b", reference=["a c"])
    assert theirs.compute() == ours.compute()


@pytest.mark.parametrize("name", NAMES)
def test_options_of_the_scripts(name: str) -> None:
    def parameters(metric: Any) -> list[tuple[str, Any, Any]]:
        found = inspect.signature(metric._compute).parameters.values()
        return [(p.name, p.kind, p.default) for p in found if p.name != "tokenizer"]

    Live(name)
    theirs = peer.load(str(Path(os.environ["CLIPGRAM_EVALUATE_SCRIPTS"], name)))
    assert parameters(peer.load(evaluate.path(name))) == parameters(theirs)


@pytest.mark.parametrize(
    "ours, theirs",
    [
        (evaluate.load, peer.load),
        (evaluate.EvaluationModule.__init__, peer.EvaluationModule.__init__),
        (evaluate.EvaluationModule.compute, peer.EvaluationModule.compute),
        (evaluate.EvaluationModule.add, peer.EvaluationModule.add),
        (evaluate.EvaluationModule.add_batch, peer.EvaluationModule.add_batch),
    ],
)
def test_signatures(ours: Any, theirs: Any) -> None:
    def parameters(function: Any) -> list[tuple[str, Any, Any]]:
        return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]

    assert parameters(ours) == parameters(theirs)


def test_attributes() -> None:
    wanted = {name for name in dir(peer.EvaluationModule) if not name.startswith("_")}
    # What is there for a cache and for downloads has no use here.
    assert wanted - set(dir(evaluate.load("bleu"))) == {"download_and_prepare"}


def test_combine() -> None:
    both = peer.combine([evaluate.load("bleu"), evaluate.load("google_bleu")])
    wanted = evaluate.load("bleu").compute(**PAIR) | evaluate.load("google_bleu").compute(**PAIR)
    assert both.compute(**PAIR) == wanted
    both.add(prediction=PAIR["predictions"][0], reference=PAIR["references"][0])
    assert both.compute() == wanted
