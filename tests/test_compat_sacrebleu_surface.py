"""What else of sacreBLEU programs rely on: signatures of functions, messages, formats, methods that were replaced."""

from __future__ import annotations

import copy
import inspect
import json
import os
import pickle
import random
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sacrebleu as peer
import sacrebleu.metrics.base as peer_base
import sacrebleu.metrics.bleu as peer_bleu
import sacrebleu.significance as peer_significance
from conftest import Wmt22
from random_corpora import corpus

from clipgram.compat import sacrebleu as ours
from clipgram.compat.sacrebleu import metrics, score, signature, significance
from clipgram.compat.sacrebleu.metrics import bleu
from clipgram.compat.sacrebleu.table import grid, latex

HYPOTHESES = ["the cat sat on a mat", "it rained all day", "nothing", "a b c d e f"]
REFERENCES = [["the cat sat on the mat", "it rained the whole day", "", "a b d c e f"], ["a cat sat on a mat", None, "no", ""]]

PAIRS = [
    (ours.corpus_bleu, peer.corpus_bleu),
    (ours.sentence_bleu, peer.sentence_bleu),
    (ours.raw_corpus_bleu, peer.raw_corpus_bleu),
    (ours.BLEU, peer.BLEU),
    *((getattr(ours.BLEU, name), getattr(peer.BLEU, name)) for name in ("corpus_score", "sentence_score", "compute_bleu", "get_signature")),
    *(
        (getattr(ours.BLEU, name), getattr(peer.BLEU, name))
        for name in vars(peer_base.Metric) | vars(peer.BLEU)
        if name.startswith("_") and not name.startswith("__") and inspect.isfunction(getattr(peer.BLEU, name))
    ),
    (ours.BLEUScore, peer_bleu.BLEUScore),
    (ours.BLEUScore.format, peer_bleu.BLEUScore.format),
    (ours.BLEUScore.estimate_ci, peer_bleu.BLEUScore.estimate_ci),
    (score.Score, peer_base.Score),
    (signature.Signature, peer_base.Signature),
    (signature.Signature.format, peer_base.Signature.format),
    (signature.Signature.update, peer_base.Signature.update),
    (signature.BLEUSignature, peer_bleu.BLEUSignature),
    (ours.PairedTest, peer_significance.PairedTest),
    (significance.Result, peer_significance.Result),
    (significance.estimate_ci, peer_significance.estimate_ci),
]  # fmt: skip


@pytest.mark.parametrize("mine, theirs", PAIRS, ids=[theirs.__qualname__ for _, theirs in PAIRS])
def test_same_parameters(mine: Any, theirs: Any) -> None:
    def parameters(function: Any) -> list[tuple[Any, ...]]:
        return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]

    assert parameters(mine) == parameters(theirs)


def test_same_names() -> None:
    assert ours.BLEU.SMOOTH_DEFAULTS == peer.BLEU.SMOOTH_DEFAULTS
    assert list(ours.BLEU.TOKENIZERS) == list(peer.BLEU.TOKENIZERS)
    assert ours.BLEU.TOKENIZER_DEFAULT == peer.BLEU.TOKENIZER_DEFAULT
    assert ours.__version__ == peer.__version__
    assert metrics.BLEU is ours.BLEU and metrics.BLEUScore is ours.BLEUScore
    assert significance.PairedTest is ours.PairedTest
    assert list(vars(ours.BLEU())) == list(vars(peer.BLEU()))


def test_who_made_it() -> None:
    metric = ours.BLEU()
    made = metric.corpus_score(HYPOTHESES, REFERENCES)
    for thing in (metric, made, metric.get_signature()):
        assert thing.made_by == ours.MADE_BY and ours.MADE_BY.startswith("clipgram ")
    assert "clipgram" not in str(metric.get_signature()) + str(made) + repr(vars(made))


def messages(package: Any, caplog: pytest.LogCaptureFixture, do: Any) -> list[tuple[str, int, str]]:
    caplog.clear()
    do(package)
    return list(caplog.record_tuples)


def _say_tokenized(n: int, **options: Any) -> Any:
    lines = [f"word {i} ." for i in range(n)] + ["other"] * 20
    return lambda package: package.corpus_bleu(lines, [lines], **options)


@pytest.mark.parametrize(
    "do",
    [
        lambda package: package.BLEU().sentence_score("a", ["a"]),
        lambda package: package.BLEU(trg_lang="zh", tokenize="13a"),
        lambda package: package.BLEU(trg_lang="ja", tokenize="char"),
        lambda package: package.BLEU(trg_lang="ko", tokenize="none"),
        _say_tokenized(100),
        _say_tokenized(100, lowercase=True),
        _say_tokenized(130, smooth_method="add-k"),
    ],
)
def test_warnings(do: Any, caplog: pytest.LogCaptureFixture) -> None:
    theirs = messages(peer, caplog, do)
    assert theirs and theirs[0][0] == "sacrebleu" and messages(ours, caplog, do) == theirs


@pytest.mark.parametrize(
    "do",
    [
        lambda package: package.sentence_bleu("a", ["a"]),
        lambda package: package.BLEU(trg_lang="zh"),
        lambda package: package.BLEU(trg_lang="zh", tokenize="zh"),
        _say_tokenized(99),
        _say_tokenized(100, force=True),
    ],
)
def test_no_warnings(do: Any, caplog: pytest.LogCaptureFixture) -> None:
    assert messages(peer, caplog, do) == messages(ours, caplog, do) == []


@pytest.mark.parametrize("n_bootstrap", [1, 50])
@pytest.mark.parametrize("width", [0, 1, 2, 15])
def test_formats(width: int, n_bootstrap: int) -> None:
    texts = []
    for package in (peer, ours):
        metric = package.BLEU()
        made = metric.corpus_score(HYPOTHESES, REFERENCES, n_bootstrap)
        line = metric.get_signature().format()
        texts.append(
            [
                made.format(width, score_only, text, is_json)
                for score_only in (False, True)
                for text, is_json in (("", False), (line, False), (line, True))
            ]
        )
        assert repr(made) == str(made) == made.format()
        with pytest.raises(ValueError):
            made.format(is_json=True)
        assert made.format(is_json=True, score_only=True)
    assert texts[0] == texts[1]
    assert json.loads(texts[1][2])["version"] == "2.6.0"


def test_a_score_before_it_was_read() -> None:
    """Its text is made when somebody looks; nobody can see that."""

    def fresh() -> ours.BLEUScore:
        return ours.sentence_bleu(HYPOTHESES[0], [REFERENCES[0][0]])

    wanted = peer.sentence_bleu(HYPOTHESES[0], [REFERENCES[0][0]])
    for made in (pickle.loads(pickle.dumps(fresh())), copy.copy(fresh()), copy.deepcopy(fresh())):
        assert list(vars(made).items()) == list(vars(wanted).items())
    assert (fresh().prec_str, fresh().ratio, fresh()._verbose) == (wanted.prec_str, wanted.ratio, wanted._verbose)
    changed = fresh()
    changed.precisions[0], changed.ratio, changed.own = 0.0, 7, "mine"
    assert changed._verbose == wanted._verbose and changed.ratio == 7
    assert list(vars(changed)) == [*vars(wanted), "own"]
    assert not hasattr(fresh(), "other") and hasattr(fresh(), "prec_str")
    with pytest.raises(AttributeError, match="'BLEUScore' object has no attribute 'other'"):
        _ = fresh().other
    with pytest.raises(ValueError):
        ours.BLEU.compute_bleu([1], [1], 1.5, 2, max_ngram_order=1)  # as the text cannot be made


class _Behead:
    """Replaces a method in a subclass of either package's BLEU."""

    def _preprocess_segment(self, sent: str) -> str:
        return super()._preprocess_segment(sent[3:])  # type: ignore[misc]


class _OnlyShort:
    def _extract_reference_info(self, refs: Any) -> Any:
        info = super()._extract_reference_info(refs)  # type: ignore[misc]
        info["ref_lens"] = [1]
        return info


class _Half:
    def _compute_score_from_stats(self, stats: Any) -> Any:
        made = super()._compute_score_from_stats(stats)  # type: ignore[misc]
        made.score /= 2
        return made


class _Twice:
    def _aggregate_and_compute(self, stats: Any) -> Any:
        return super()._aggregate_and_compute([*stats, *stats])  # type: ignore[misc]


class _Shortest:
    def _get_closest_ref_len(self, hyp_len: int, ref_lens: Any) -> int:
        return min(ref_lens)


def every_score(metric: Any) -> str:
    made = [metric.corpus_score(HYPOTHESES, REFERENCES, n) for n in (1, 30)]
    made += [metric.sentence_score(HYPOTHESES[0], [stream[0] for stream in REFERENCES])]
    return repr([vars(one) for one in made])


@pytest.mark.parametrize("mixin", [_Behead, _OnlyShort, _Half, _Twice, _Shortest])
def test_replaced_in_a_subclass(mixin: type) -> None:
    theirs, mine = (type("Own", (mixin, base), {})(effective_order=True) for base in (peer.BLEU, ours.BLEU))
    assert every_score(mine) == every_score(theirs) != every_score(peer.BLEU(effective_order=True))
    systems = [("A", HYPOTHESES), ("B", HYPOTHESES[::-1])]
    for test_type in ("ar", "bs"):
        pair = [
            repr(test(systems, {"BLEU": metric}, REFERENCES, test_type, 30)())
            for test, metric in ((significance.PairedTest, mine), (peer_significance.PairedTest, theirs))
        ]
        assert pair[0] == pair[1]


def _replace_tokenizer(metric: Any) -> None:
    metric.tokenizer = lambda line: line.replace("a", " a ")


def _uncache_tokenizer(metric: Any) -> None:
    metric.tokenizer = partial(type(metric.tokenizer).__call__, metric.tokenizer)


def _replace_preprocessing(metric: Any) -> None:
    metric._preprocess_segment = lambda text: text[2:]


def _replace_score(metric: Any) -> None:
    metric.compute_bleu = lambda correct, total, *rest, **others: type(metric).compute_bleu(correct, total, 9, 12)


def _tokenizer_of_bytes(metric: Any) -> None:
    metric.tokenizer = str.encode


@pytest.mark.parametrize(
    "replace", [_replace_tokenizer, _uncache_tokenizer, _replace_preprocessing, _replace_score, _tokenizer_of_bytes]
)
def test_replaced_in_an_object(replace: Any) -> None:
    mine = ours.BLEU(effective_order=True)
    before = every_score(mine)
    assert len(vars(mine)) == bleu._FIELDS + 1
    for used_before in (mine, ours.BLEU(effective_order=True)):
        replace(used_before)
        theirs = peer.BLEU(effective_order=True)
        replace(theirs)
        wanted = every_score(theirs)
        assert every_score(used_before) == wanted
        assert (wanted == before) == (replace in (_uncache_tokenizer, _tokenizer_of_bytes))


def test_a_subclass_that_replaces_nothing() -> None:
    class Own(ours.BLEU):
        def extra(self) -> str:
            return "extra"

    assert every_score(Own(effective_order=True)) == every_score(peer.BLEU(effective_order=True))


@pytest.mark.parametrize("tokenizer", ["ja-mecab", "ko-mecab"])
def test_mecab(tokenizer: str) -> None:
    pytest.importorskip({"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}[tokenizer])
    texts = ["\u4eca\u65e5\u306f\u5929\u6c17\u304c\u826f\u3044\u3002", "\uc624\ub298\uc740 \ub0a0\uc528\uac00 \uc88b\ub2e4.", "a \u3000 b", "", " x "]
    made = []
    for package in (peer, ours):
        metric = package.BLEU(trg_lang=tokenizer[:2], lowercase=True)
        other = metric.corpus_score(texts, [texts[::-1], texts]), metric.sentence_score(texts[0], [texts[1], texts[0]])
        made.append([metric.tokenizer_signature, [metric.tokenizer(text) for text in texts], *map(vars, other)])
    assert made[0] == made[1]


@pytest.mark.parametrize("tokenizer", ["spm", "flores101", "flores200", "spBLEU-1K"])
def test_sentencepiece_models_that_are_there(tokenizer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    import sacrebleu.tokenizers.tokenizer_spm as peer_spm

    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    monkeypatch.setattr(peer_spm, "SACREBLEU_DIR", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="clipgram downloads nothing"):
        ours.BLEU(tokenize=tokenizer)
    (tmp_path / "models").mkdir()
    lines = [f"{a} {b} on a mat {i}" for i in range(20) for a in ("the cat", "dogs") for b in ("sat", "lay", "rain")]
    (tmp_path / "text").write_text("\n".join(lines))
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(tmp_path / "m"), vocab_size=30, minloglevel=9
    )
    (tmp_path / "m.model").rename(tmp_path / "models" / os.path.basename(peer_spm.SPM_MODELS[tokenizer]["url"]))
    monkeypatch.setattr(peer_spm.sacrelogger, "warn", peer_spm.sacrelogger.warning)  # deprecated in Python
    made = []
    for package in (peer, ours):
        metric = package.BLEU(tokenize=tokenizer)
        found = vars(metric.corpus_score(HYPOTHESES, REFERENCES))
        made.append([metric.tokenizer_signature, found, [metric.tokenizer(line) for line in HYPOTHESES]])
    assert made[0] == made[1] and made[1][1]["totals"][0] > 20


def test_mecab_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "MeCab", None)
    with pytest.raises(RuntimeError, match=r"pip install 'clipgram\[ja\]'"):
        ours.BLEU(tokenize="ja-mecab")


def test_without_sacrebleu_and_its_packages(tmp_path: Path) -> None:
    """Nothing of sacreBLEU's is imported, installed or not."""
    code = """
import sys
for name in ("sacrebleu", "tabulate", "colorama", "portalocker", "lxml", "regex", "MeCab"):
    sys.modules[name] = None
from clipgram.compat import sacrebleu
from clipgram.compat.sacrebleu.metrics import BLEU
from clipgram.cli import main
metric = BLEU(tokenize="intl")
metric.corpus_score(["a b c d"], [["a b c e"]], n_bootstrap=10)
open("ref", "w").write("a b c d\\n"), open("hyp", "w").write("a b c e\\n")
raise SystemExit(main(["sacrebleu", "ref", "-i", "hyp", "ref", "-pbs", "-f", "text"]))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "Metric signatures" in done.stdout, done.stderr


def test_tables_are_those_of_tabulate() -> None:
    tabulate = pytest.importorskip("tabulate").tabulate
    rng = random.Random(3)
    names = ["a", "sys_1", "x&y%", "12", "2.5", "1e3", "True", "inf", "nan", "1e999", " b ", "Baseline: \u00e4", "~/f.txt", "{<>}^$#\\", "-3", "1_0"]
    for _ in range(1500):
        rows, digits, kind, colored = rng.randint(1, 4), rng.choice([0, 1, 2, 3, 15, 17]), rng.random(), rng.random() < 0.5

        def cell(digits: int = digits, kind: float = kind) -> str:
            text = f"{rng.choice([rng.random() * 100, 0, 100.00000000000004]):.{digits}f}"
            if kind < 0.5:
                return text
            p_value = rng.choice(["", "(p = 0.0123)*", "\x1b[31m(p = 0.0623)\x1b[0m"])
            return f"{text} (4.1 \u00b1 0.2)" + (p_value and ("\n" if kind < 0.75 else " ") + p_value)

        columns = [rng.choices(names, k=rows), *([cell() for _ in range(rows)] for _ in range(rng.randint(1, 2)))]
        head = ["System", "BLEU", "GLEU (\u03bc \u00b1 95% CI)"][: len(columns)]
        if colored:
            head = [f"\x1b[36m{name}\x1b[0m" for name in head]
            columns = [[f"\x1b[33m{column[0]}\x1b[0m", *column[1:]] for column in columns]
        for make, name in ((grid, "fancy_grid"), (latex, "latex_booktabs")):
            if make is latex and 0.5 <= kind < 0.75:
                continue  # sacreBLEU has no cells of several lines there
            wanted = tabulate(
                dict(zip(head, columns, strict=True)), headers="keys", tablefmt=name, colalign=("right",),
                stralign="center", numalign="center", floatfmt=f".{digits}f",
            )  # fmt: skip
            assert make(head, columns, digits) == wanted


def test_recorded_scores(wmt22: Wmt22) -> None:
    """Real outputs, scored by sacreBLEU 2.6.0 on another machine."""
    done = 0
    for row in wmt22.rows():
        if row["tokenizer"] not in ("13a", "intl", "zh", "char"):
            continue
        hypotheses, references = wmt22.pair(row)
        streams = [list(stream) for stream in zip(*references, strict=True)]
        made = ours.BLEU(tokenize=row["tokenizer"]).corpus_score(hypotheses, streams)
        assert (made.counts, made.totals) == tuple([*map(int, row[key].split())] for key in ("counts", "totals"))
        assert (made.sys_len, made.ref_len) == (int(row["sys_len"]), int(row["ref_len"]))
        wanted = float(row["sacrebleu"])
        assert made.score == (wanted if sys.version_info < (3, 12) else pytest.approx(wanted, rel=1e-15))
        done += 1
    assert done == 120


def test_random_signatures() -> None:
    rng = random.Random(8)
    for _ in range(300):
        hypotheses, references = corpus(rng, wrong=0)
        if not references or not all(references) or not hypotheses:
            continue
        lines = []
        for package in (peer, ours):
            metric = package.BLEU(force=True)
            metric.test_set, metric.langpair = "wmt22", None
            try:
                metric.corpus_score(hypotheses, references)
            except TypeError:
                continue
            made = metric.get_signature()
            made.update("lang", "de-en"), made.update("ar", 5), made.update("subset", True)
            lines.append(f"{made} {made.format(short=True)}")
        assert len(set(lines)) <= 1
