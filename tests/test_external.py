"""Other libraries' tokenizers, as far as they are installed, and what is said where one is missing."""

from __future__ import annotations

import builtins
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.metrics import BLEU as SacreBLEU

from clipgram import BLEU, GLEU, tokenize
from clipgram.tokenizers import get_tokenizer

TEXTS = ["the cat sat on the mat", "a cat, a mat: 12.5 cats!", "", "\u00e9t\u00e9 \u2014 \u4eca\u5929"]


@pytest.mark.parametrize(
    "name, package, text, signature",
    [
        ("ja-mecab", "MeCab", "\u4eca\u65e5\u306f\u5929\u6c17\u304c\u3044\u3044\u3067\u3059\u3002", "ja-mecab-0.996-IPA"),
        ("ko-mecab", "mecab_ko", "\uc624\ub298 \ub0a0\uc528\uac00 \uc88b\ub2e4.", "ko-mecab-0.996/ko-0.9.2-KO"),
    ],
)
def test_mecab(name: str, package: str, text: str, signature: str) -> None:
    pytest.importorskip(package)
    theirs = SacreBLEU(tokenize=name)
    for one in (text, f" {text}\n{text} ", "", "abc 12.5!", *TEXTS):
        assert tokenize(one, name) == theirs._preprocess_segment(one).split()
    metric = BLEU(tokenize=name)
    assert f"|tok:{signature}|" in metric.signature()
    wanted = theirs.corpus_score([text, text[2:]], [[text[1:], text]]).score
    assert metric.corpus_score([text, text[2:]], [text[1:], text]).percent == pytest.approx(wanted, rel=1e-12)
    again = pickle.loads(pickle.dumps(metric))
    assert again.sentence_score(text, text).score == 1.0
    # an analyser for each thread
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda i: metric.sentence_score(text, text).score, range(50))) == [1.0] * 50


def spm_model(folder: Path) -> str:
    sentencepiece = pytest.importorskip("sentencepiece")
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(TEXTS * 50), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(folder / "model"), vocab_size=60, minloglevel=2, hard_vocab_limit=False
    )
    return str(folder / "model.model")


def test_sentencepiece(tmp_path: Path) -> None:
    path = spm_model(tmp_path)
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_file=path)
    for text in TEXTS:
        assert tokenize(text, f"spm:{path}") == " ".join(model.EncodeAsPieces(text)).split()
    metric = BLEU(tokenize=f"spm:{path}")
    assert "|tok:spm[model.model]|" in metric.signature()
    assert metric.sentence_scores(TEXTS, TEXTS).tolist() == [1.0, 1.0, 0.0, 1.0]
    assert pickle.loads(pickle.dumps(metric)).sentence_score(TEXTS[0], TEXTS[0]).score == 1.0


def test_a_model_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError, match="tokenize is 'spm:absent.model', but there is no file 'absent.model'"):
        BLEU(tokenize="spm:absent.model")


def hf_tokenizer() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    words = ["[UNK]", "[CLS]", "the", "cat", "sat", "on", "mat", "a"]
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    return made


def test_tokenizers() -> None:
    tokenizer = hf_tokenizer()
    assert tokenize("the cat sat", tokenizer) == [2, 3, 4]
    metric = GLEU(tokenize=tokenizer)
    assert "|tok:tokenizers[WordLevel,8]|" in metric.signature()
    assert metric.sentence_scores(["the cat sat", "", "a dog"], ["the cat sat", "a", "a dog"]).tolist() == [1.0, 0.0, 1.0]
    assert metric.sentence_score("the cat", ["the cat", None, "a"]).score == 1.0
    assert pickle.loads(pickle.dumps(metric)).sentence_score("the cat", "the cat").score == 1.0
    tokenizer.enable_padding(length=8)
    with pytest.raises(ValueError, match=r"truncates or pads; call its no_truncation\(\) and no_padding\(\)"):
        GLEU(tokenize=tokenizer)


def test_transformers() -> None:
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=hf_tokenizer(), unk_token="[UNK]", cls_token="[CLS]")
    tokenizer.model_max_length = 2
    assert tokenize("the cat sat on", tokenizer) == [2, 3, 4, 5]
    metric = BLEU(tokenize=tokenizer)
    assert "|tok:transformers[" in metric.signature()
    assert metric.sentence_scores(["the cat sat", ""], ["the cat sat", "a"]).tolist() == [1.0, 0.0]
    assert metric.sentence_scores([], []).shape == (0,)


def test_tiktoken() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([i]): i for i in range(256)} | {b"th": 256, b"the": 257}
    encoding = tiktoken.Encoding("small", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={"<|end|>": 300})
    assert tokenize("the cat", encoding) == [257, 32, 99, 97, 116]
    assert tokenize("<|end|>", encoding) == list(b"<|end|>")
    metric = BLEU(tokenize=encoding)
    assert "|tok:tiktoken[small]|" in metric.signature()
    assert metric.sentence_scores(TEXTS, TEXTS).tolist() == [1.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize("name, package, extra", [("ja-mecab", "MeCab", "ja"), ("ko-mecab", "mecab_ko", "ko")])
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"the tokenizer {name} needs the package {package}: pip install 'clipgram\[{extra}\]'"):
        BLEU(tokenize=name)


def test_missing_sentencepiece_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ImportError, match=r"spm:PATH needs the package sentencepiece: pip install 'clipgram\[spm\]'"):
        BLEU(tokenize=f"spm:{tmp_path / 'model'}")


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    code = "import sys, clipgram; clipgram.BLEU(tokenize=list); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"MeCab", "mecab_ko", "sentencepiece", "tokenizers", "transformers", "tiktoken"} & set(loaded)


def test_a_function_is_called_once_a_text() -> None:
    seen = []

    def split(text: str) -> list[str]:
        seen.append((text, threading.get_ident()))
        return text.split()

    BLEU(tokenize=split).sentence_scores(["a b", "c"], [["a b", "a"], "c"])
    assert [text for text, _ in seen] == ["a b", "c", "a b", "a", "c"]


def test_builtin_types_are_callables_too() -> None:
    assert get_tokenizer(builtins.list).tokens_of(["ab"]) == [["a", "b"]]
