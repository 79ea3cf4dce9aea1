"""How fast text is scored, from str to score, beside the peers in the same run.

    python bench/bench_text.py

Needs the WMT22 texts (CLIPGRAM_WMT22 names their folder), sacrebleu and nltk; bleuscore is measured where it is
installed. Everything runs on one thread unless it says otherwise. The peers run cold: sacreBLEU's caches of tokenized
lines are off, because they would serve the references, which nine systems share here, and because nothing of the kind
is kept by clipgram. Times are the best of several runs, in microseconds a pair, and the answers are compared.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

os.environ.setdefault("RAYON_NUM_THREADS", "1")  # bleuscore's threads

import data
from harness import agree, print_table, print_versions, seconds
from nltk.translate.bleu_score import SmoothingFunction
from nltk.translate.bleu_score import sentence_bleu as nltk_sentence_bleu
from nltk.translate.gleu_score import sentence_gleu as nltk_sentence_gleu
from sacrebleu.metrics import BLEU as SacreBLEU

from clipgram import BLEU, GLEU


def cold_sacrebleu(tokenize: str) -> SacreBLEU:
    """A sacreBLEU metric whose tokenizers remember nothing."""
    metric = SacreBLEU(tokenize=tokenize)
    tokenizer = metric.tokenizer
    inner = getattr(tokenizer, "_post_tokenizer", None)
    if inner is not None:
        tokenizer._post_tokenizer = partial(type(inner).__call__.__wrapped__, inner)
    if hasattr(type(tokenizer).__call__, "__wrapped__"):
        metric.tokenizer = partial(type(tokenizer).__call__.__wrapped__, tokenizer)
    return metric


def corpora() -> list[list[str]]:
    """Corpora of the size of a test set."""
    table = []

    def add(what: str, hyps: list[str], refs: list[list[str]], tokenize: str, target: float, threads: int = 1) -> None:
        metric = BLEU(tokenize=tokenize, threads=threads)
        references = [list(segment) for segment in zip(*refs, strict=True)] if len(refs) > 1 else refs[0]
        theirs = cold_sacrebleu(tokenize).corpus_score(hyps, refs)
        agree(metric.corpus_score(hyps, references).percent, theirs.score, what)
        scale = 1e6 / len(hyps)
        # In turn, so that both meet the same machine.
        pairs = [
            (
                seconds(lambda: metric.corpus_score(hyps, references), 0.4) * scale,
                seconds(lambda: cold_sacrebleu(tokenize).corpus_score(hyps, refs), 0, 1) * scale,
            )
            for _ in range(3)
        ]
        ours, sacre = (min(times) for times in zip(*pairs, strict=True))
        ratio = sacre / ours
        table.append([what, f"{ours:.3f}", f"{sacre:.1f}", f"{ratio:.0f}x", f"{target:.0f}x", verdict(ratio >= target)])

    pairs = data.wmt22_pairs()
    assert pairs is not None
    hyps, first, second = pairs
    add("BLEU, 13a", hyps, [first], "13a", 180)
    add("BLEU, 13a, two references", hyps, [first, second], "13a", 220)
    for name in ("intl", "char"):
        add(f"BLEU, {name}", hyps, [first], name, 100)
    systems = ("HuaweiTSC", "LanguageX", "Online-B", "Online-W")
    chinese = [line for system in systems for line in data.wmt22_lines(f"en-zh.hyp.{system}.zh") or ()]
    reference = 4 * (data.wmt22_lines("en-zh.ref.A.zh") or [])
    add("BLEU, zh, en-zh", chinese, [reference], "zh", 100)
    return table


def verdict(met: bool) -> str:
    return "met" if met else "missed"


def others() -> list[list[str]]:
    """Against other peers, and clipgram against itself."""
    pairs = data.wmt22_pairs()
    assert pairs is not None
    hyps, refs, _ = pairs
    scale = 1e6 / len(hyps)
    table = []

    def add(what: str, ours: float, theirs: float, target: float) -> None:
        ratio = theirs / ours
        table.append([what, f"{ours:.3f}", f"{theirs:.3f}", f"{ratio:.2f}x", f"{target:g}x", verdict(ratio >= target)])

    bleu = seconds(lambda: BLEU().corpus_score(hyps, refs), 1) * scale
    try:
        import bleuscore
    except ImportError:
        print("bleuscore is not installed\n")
    else:
        nested = [[ref] for ref in refs]
        compute = partial(bleuscore.compute, references=nested, predictions=hyps, ref_len_method="closest")
        agree(BLEU(smooth_method="none").corpus_score(hyps, refs).score, compute()["bleu"], "bleuscore")
        add("corpus BLEU: bleuscore, one thread", bleu, seconds(compute, 1) * scale, 22)
    gleu = seconds(lambda: GLEU().corpus_score(hyps, refs), 1) * scale
    bleu = min(bleu, seconds(lambda: BLEU().corpus_score(hyps, refs), 1) * scale)
    add("GLEU: BLEU of the same", gleu, bleu, 0.95)
    two, one = (
        min(seconds(partial(BLEU(threads=threads).corpus_score, hyps, refs), 1) for _ in range(3)) * scale
        for threads in (2, 1)
    )
    add("two threads: one", two, one, 1.8)

    tokens, ref_tokens = [line.split() for line in hyps], [line.split() for line in refs]
    part = 2000
    smooth = SmoothingFunction().method1
    loop = zip(tokens[:part], ref_tokens[:part], strict=True)
    agree(
        GLEU().sentence_scores(tokens[:part], ref_tokens[:part]),
        [nltk_sentence_gleu([ref], hyp) for hyp, ref in loop],
        "NLTK",
    )
    for name, metric, peer in (
        ("BLEU", BLEU(), lambda h, r: nltk_sentence_bleu([r], h, smoothing_function=smooth)),
        ("GLEU", GLEU(), lambda h, r: nltk_sentence_gleu([r], h)),
    ):
        ours = seconds(lambda m=metric: m.sentence_scores(tokens, ref_tokens), 1) * scale
        theirs = seconds(
            lambda p=peer: [p(h, r) for h, r in zip(tokens[:part], ref_tokens[:part], strict=True)], 1
        )
        add(f"{name} of token lists: NLTK's loop", ours, theirs * 1e6 / part, 30)
    return table


def single_calls() -> list[list[str]]:
    """One ``sentence_score`` at a time, a pair of 18 tokens."""
    hyp = "the model trained on forty hours read speech and it was then tested on another ten hours ."
    ref = "the model was trained on forty hours of read speech , then tested on ten more hours ."
    words = hyp.split(), ref.split()
    known: dict[str, int] = {}
    ids = [[known.setdefault(word, len(known)) for word in tokens] for tokens in words]
    sacre = cold_sacrebleu("13a")
    sacre.effective_order = True
    peer = seconds(lambda: [sacre.sentence_score(hyp, [ref]) for _ in range(200)], 1) / 200 * 1e6
    table = []
    for name, metric in (("BLEU", BLEU()), ("GLEU", GLEU())):
        for form, (h, r) in {"text": (hyp, ref), "lists of str": words, "lists of int": ids}.items():
            ours = seconds(lambda m=metric, h=h, r=r: [m.sentence_score(h, r) for _ in range(2000)], 1) / 2000 * 1e6
            table.append([f"{name}, {form}", f"{ours:.2f}", f"{peer:.1f}", f"{peer / ours:.0f}x", "5 us", verdict(ours <= 5)])
    return table


def rate_beside(work: Callable[[], Any] | None, duration: float = 2.0) -> float:
    """How many rounds of plain Python the main thread does a second while another thread works."""
    stop = threading.Event()

    def other() -> None:
        while not stop.is_set():
            assert work is not None
            work()

    thread = threading.Thread(target=other)
    if work is not None:
        thread.start()
    rounds, start = 0, time.perf_counter()
    while time.perf_counter() - start < duration:
        sum(range(1000))
        rounds += 1
    took = time.perf_counter() - start
    stop.set()
    if work is not None:
        thread.join()
    return rounds / took


def busy_threads() -> list[list[str]]:
    """What a busy Python thread keeps of its rate while another one scores."""
    pairs = data.wmt22_pairs()
    assert pairs is not None
    hyps, refs = pairs[0][:4096], pairs[1][:4096]
    tokens, ref_tokens = hyps[0].split() * 30, refs[0].split() * 30
    works: dict[str, tuple[Callable[[], Any], float]] = {
        "clipgram, sentence_scores of 4,096 texts": (lambda: BLEU().sentence_scores(hyps, refs), 90),
        "clipgram, corpus_score of 4,096 texts": (lambda: BLEU().corpus_score(hyps, refs), 90),
        "clipgram, GLEU of 4,096 texts": (lambda: GLEU().sentence_scores(hyps, refs), 90),
        "NLTK, sentence_gleu of 500 tokens": (lambda: nltk_sentence_gleu([ref_tokens], tokens), 0),
        "sacreBLEU, corpus_score of 4,096 texts": (lambda: SacreBLEU().corpus_score(hyps, [refs]), 0),
    }
    table = []
    for name, (work, target) in works.items():
        # In turn with nothing beside, so that a change of the machine's speed does not count.
        shares = []
        for _ in range(3):
            alone = rate_beside(None, 0.7)
            shares.append(100 * rate_beside(work) / alone)
        share = max(shares)
        table.append([name, f"{share:.0f} %", f"{target} %" if target else "", verdict(share >= target) if target else ""])
    return table


def main() -> None:
    if data.wmt22_pairs() is None:
        sys.exit("CLIPGRAM_WMT22 does not name the folder with the WMT22 texts")
    print_versions("sacrebleu", "nltk", "bleuscore")
    print_table(["corpora, us a pair", "clipgram", "sacreBLEU", "ratio", "target", ""], corpora())
    print_table(["us a pair", "clipgram", "other", "ratio", "target", ""], others())
    print_table(["one call, us", "clipgram", "sacreBLEU", "ratio", "target", ""], single_calls())
    print_table(["a busy thread keeps", "of its rate", "target", ""], busy_threads())


if __name__ == "__main__":
    main()
