"""Drop-ins inside installed libraries: somebody else's program runs unchanged, and everything can be put back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nltk.translate.bleu_score
import pytest
import sacrebleu
import sacrebleu.metrics

from clipgram.compat import patch

SCRIPT = '''
import json, sys
import sacrebleu
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from nltk.translate.gleu_score import sentence_gleu
from nltk import bleu
from sacrebleu.metrics import BLEU, CHRF

hyps = ["the cat sat on a mat .", "it rained all day", "nothing in common"]
refs = [["the cat sat on the mat .", "it rained the whole day", "something else"], ["a cat sat on a mat .", "all day it rained", "more"]]
smooth = SmoothingFunction().method3
metric = BLEU(effective_order=True)
print(json.dumps({
    "corpus": str(sacrebleu.corpus_bleu(hyps, refs)),
    "sentences": [metric.sentence_score(h, [r[i] for r in refs]).score for i, h in enumerate(hyps)],
    "signature": str(metric.get_signature()),
    "chrf": CHRF().corpus_score(hyps, refs).score,
    "nltk": [sentence_bleu([r[i].split() for r in refs], h.split(), smoothing_function=smooth) for i, h in enumerate(hyps)],
    "corpus nltk": corpus_bleu([[r[i].split() for r in refs] for i in range(3)], [h.split() for h in hyps]),
    "gleu": [sentence_gleu([r[i].split() for r in refs], h.split()) for i, h in enumerate(hyps)],
    "arguments": sys.argv[1:],
}))
print(*sorted({f.__module__.split(".")[0] for f in (sacrebleu.corpus_bleu, BLEU, sentence_bleu, sentence_gleu, bleu)}), file=sys.stderr)
'''


def run(*arguments: str) -> tuple[dict[str, object], str]:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout), done.stderr.strip().splitlines()[-1]


def test_a_script_that_does_not_know(tmp_path: Path) -> None:
    script = tmp_path / "evaluation.py"
    script.write_text(SCRIPT, "utf-8")
    plain, plain_modules = run(str(script), "--some", "option")
    patched, patched_modules = run("-m", "clipgram.compat", str(script), "--some", "option")
    assert plain == patched and plain["arguments"] == ["--some", "option"]
    assert plain_modules == "nltk sacrebleu" and patched_modules == "clipgram"
    module = subprocess.run(
        [sys.executable, "-m", "clipgram.compat", "--library", "nltk", "-m", "evaluation"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert json.loads(module.stdout) == {**plain, "arguments": []}
    assert module.stderr.strip().splitlines()[-1] == "clipgram sacrebleu"


def test_what_the_command_refuses(tmp_path: Path) -> None:
    for arguments, message in (
        (["nowhere.py"], "there is no file nowhere.py"),
        (["--library", "rouge", "x.py"], "'rouge' has no drop-in; there are nltk, sacrebleu, evaluate, torchmetrics"),
        ([], "the following arguments are required: SCRIPT\n"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "clipgram.compat", *arguments], capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 2 and message in done.stderr


def test_everything_is_put_back() -> None:
    places = [
        (sacrebleu, "corpus_bleu"),
        (sacrebleu.metrics, "BLEU"),
        (sacrebleu.metrics.bleu, "BLEU"),
        (nltk.translate.bleu_score, "sentence_bleu"),
        (nltk.translate, "bleu"),
        (nltk.translate.gleu_score, "corpus_gleu"),
    ]
    before = [getattr(module, name) for module, name in places]
    table = sacrebleu.metrics.METRICS["BLEU"]
    with patch() as patched:
        assert all(getattr(module, name).__module__.startswith("clipgram.") for module, name in places)
        assert sacrebleu.metrics.METRICS["BLEU"] is sacrebleu.metrics.BLEU
        assert {"sentence_bleu", "corpus_gleu", "BLEU"} <= {*patched.names}
        again = patch("nltk", "sacrebleu")
        assert again.names == []
        again.undo()
        assert sacrebleu.corpus_bleu.__module__.startswith("clipgram.")
    assert [getattr(module, name) for module, name in places] == before
    assert sacrebleu.metrics.METRICS["BLEU"] is table
    patched.undo()
    assert "nothing any more" in repr(patched)


def test_peers_own_tests_of_significance_take_our_metric() -> None:
    from sacrebleu.significance import PairedTest

    systems = [("base", ["the cat", "a dog ran off"]), ("other", ["the cat sat", "a dog ran"])]
    refs = [["the cat sat", "a dog ran off"]]

    def results() -> object:
        metric = {"BLEU": sacrebleu.metrics.BLEU(effective_order=True, references=refs)}
        return PairedTest(systems, metric, references=None, test_type="bs", n_samples=50)()[1]

    plain = results()
    with patch("sacrebleu"):
        assert repr(results()) == repr(plain)


def test_unknown_library() -> None:
    with pytest.raises(ValueError, match="'rouge' has no drop-in"):
        patch("rouge")


def test_neither_library_is_there() -> None:
    hide = "lambda name, *rest, find=util.find_spec: None if name in ('nltk', 'sacrebleu') else find(name, *rest)"
    code = f"from importlib import util; util.find_spec = {hide}; from clipgram.compat import "
    message = "neither nltk nor sacrebleu is installed: there is nothing to patch"
    done = subprocess.run([sys.executable, "-c", code + "patch; patch()"], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == f"ImportError: {message}"
    main = code + "patch; from clipgram.compat.__main__ import main; main(['script.py'])"
    done = subprocess.run([sys.executable, "-c", main], capture_output=True, text=True)
    assert done.returncode == 2 and message in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr
