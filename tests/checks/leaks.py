"""A million calls of everything public, and resident memory stays where it was: python leaks.py [CALLS] [NAME...].

Each work is done by turns on a few hundred different inputs, errors among them. A first part of the calls fills what
is filled once (free lists, arenas, NumPy's caches); after it, memory may grow by NOISE, or by MOST bytes a call where
that is more. The smallest object has 16 bytes, so one that is lost in every call shows in 20,000 calls.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import pickle
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from arrow_producer import Column, Producer

import clipgram
from clipgram import BLEU, GLEU, NgramCounts, References, TokenBatch, rewards
from clipgram.compat import evaluate, nltk, sacrebleu

MOST = 0.1
NOISE = 200_000  # bytes: when Python's cyclic garbage is collected shows as much
DIFFERENT = 250
SETTLING = 20_000  # calls at least before the first look


def resident() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096


RNG = np.random.default_rng(11)
WORDS = [f"word{i}" for i in range(500)] + ["caf\u00e9", "\u4eca\u5929", "&amp;", "3.5", "antidisestablishmentarianism"]
TEXTS = [" ".join(RNG.choice(WORDS, RNG.integers(1, 12))) for _ in range(DIFFERENT)]
TOKENS = [text.split() for text in TEXTS]
IDS = [RNG.integers(0, 50, n).tolist() for n in RNG.integers(1, 20, DIFFERENT)]
ARRAYS = [np.array(ids, np.int32) for ids in IDS]
BATCHES = [TokenBatch.from_lists(IDS[i : i + 3]) for i in range(DIFFERENT - 3)]
WRONG: list[Any] = [None, 5, 1.5, [1, "a"], [[None]], {}, b"a", np.zeros(2), [2**70], object()]
OUT = np.zeros(3)
bleu, gleu, scorer = BLEU(), GLEU(), rewards.Scorer()
ROWS = [bleu.counts(TEXTS[i : i + 3], TEXTS[i + 1 : i + 4]) for i in range(20)]
SCORES = [bleu.sentence_score(TEXTS[i], TEXTS[i + 1]) for i in range(20)]


PADDED = [RNG.integers(0, 10, (4, 12)) for _ in range(20)]
PREPARED = References(TEXTS[:40])
OBJECTS = [None, (1, 2), 1.5, "a", b"b", True]
SMOOTHING = [getattr(nltk.SmoothingFunction(), f"method{n}") for n in (1, 2, 3, 4, 5, 7)]
MODULES = {name: evaluate.load(name) for name in ("bleu", "google_bleu", "sacrebleu")}
# The kinds of reward, each made once with what all of them take.
REWARD = {name: getattr(rewards, name)(eos_text="</s>") for name in rewards.__all__ if name.endswith("Reward")}
LOOP = asyncio.new_event_loop()
SAMPLES = [SimpleNamespace(response=text, label=text, metadata={}, tokens=[1], response_length=1, loss_mask=None) for text in TEXTS]


def column(i: int) -> Any:
    """A column of lists, as an Arrow library would hand it over."""
    values = Column("l", 6, [None, np.arange(i, i + 6)])
    return Producer(Column("+l", 2, [None, np.array([0, 2, 6], np.int32)], [values])).one


def wrong(i: int) -> None:
    with suppress(TypeError, ValueError, OverflowError):
        bleu.sentence_score(TEXTS[i], WRONG[i % len(WRONG)])
    with suppress(TypeError, ValueError, OverflowError):
        gleu.sentence_scores([IDS[i], WRONG[i % len(WRONG)]], [IDS[i], IDS[i]])


# By name; a name that is public is written as it is reached from clipgram.
WORKS: dict[str, Callable[[int], object]] = {
    "corpus_bleu": lambda i: clipgram.corpus_bleu(TEXTS[i : i + 2], TEXTS[i + 1 : i + 3]),
    "sentence_bleu": lambda i: clipgram.sentence_bleu(TEXTS[i], [TEXTS[i + 1], None, TEXTS[i + 2]]),
    "corpus_gleu": lambda i: clipgram.corpus_gleu(TOKENS[i : i + 2], TOKENS[i + 1 : i + 3]),
    "sentence_gleu": lambda i: clipgram.sentence_gleu(IDS[i], [IDS[i + 1], IDS[i + 2]]),
    "tokenize": lambda i: clipgram.tokenize(TEXTS[i], ("13a", "intl", "zh", "char", "edge", "none")[i % 6]),
    "BLEU": lambda i: BLEU(max_order=2 + i % 3, weights=None, smooth_method=("exp", "floor")[i % 2]),
    "BLEU.corpus_score": lambda i: bleu.corpus_score(IDS[i : i + 2], [IDS[i + 1 : i + 3], IDS[i : i + 1]]),
    "BLEU.sentence_score": lambda i: bleu.sentence_score(TEXTS[i], TEXTS[i + 1]),
    "BLEU.sentence_score, tokens": lambda i: bleu.sentence_score(TOKENS[i], [TOKENS[i + 1]]),
    "BLEU.sentence_score, ids": lambda i: bleu.sentence_score(IDS[i], IDS[i + 1]),
    "BLEU.sentence_score, array": lambda i: bleu.sentence_score(ARRAYS[i], ARRAYS[i + 1]),
    "BLEU.sentence_scores": lambda i: bleu.sentence_scores(TEXTS[i : i + 2], [TEXTS[i + 1], [TEXTS[i], TEXTS[i + 2]]]),
    "BLEU.counts": lambda i: bleu.counts(BATCHES[i], BATCHES[i + 1]),
    "BLEU.score_counts": lambda i: bleu.score_counts(ROWS[i % 20]),
    "BLEU.scores_from_counts": lambda i: bleu.scores_from_counts(ROWS[i % 20]),
    "BLEU.signature": lambda i: bleu.signature(),
    "BLEUScore": lambda i: (str(SCORES[i % 20]), pickle.loads(pickle.dumps(SCORES[i % 20]))),
    "GLEU": lambda i: GLEU(max_order=2 + i % 3),
    "GLEU.corpus_score": lambda i: gleu.corpus_score(TEXTS[i : i + 2], TEXTS[i + 1 : i + 3]),
    "GLEU.sentence_score": lambda i: gleu.sentence_score(TEXTS[i], [TEXTS[i + 1], TEXTS[i + 2]]),
    "GLEU.sentence_scores": lambda i: gleu.sentence_scores(BATCHES[i], BATCHES[i + 1], out=OUT),
    "GLEU.counts": lambda i: gleu.counts(IDS[i : i + 2], IDS[:1], ref_index=[0, 0]),
    "GLEU.score_counts": lambda i: gleu.score_counts(gleu.counts(BATCHES[i], BATCHES[i])),
    "GLEU.scores_from_counts": lambda i: gleu.scores_from_counts(gleu.counts(BATCHES[i], BATCHES[i])),
    "GLEU.signature": lambda i: gleu.signature(),
    "GLEUScore": lambda i: str(gleu.sentence_score(IDS[i], IDS[i])),
    "NgramCounts": lambda i: (ROWS[i % 20] + ROWS[(i + 1) % 20], ROWS[i % 20].sum(), ROWS[i % 20][1:], ROWS[i % 20].matches),
    "NgramCounts.from_vector": lambda i: NgramCounts.from_vector(ROWS[i % 20].to_vector()),
    "NgramCounts.concatenate": lambda i: NgramCounts.concatenate(ROWS[i % 18 : i % 18 + 2]),
    "TokenBatch": lambda i: (list(BATCHES[i]), BATCHES[i].lengths, pickle.loads(pickle.dumps(BATCHES[i]))),
    "TokenBatch.from_lists": lambda i: TokenBatch.from_lists(IDS[i : i + 3]),
    "TokenBatch.from_ragged": lambda i: TokenBatch.from_ragged(ARRAYS[i], [0, len(ARRAYS[i])]),
    "TokenBatch.from_padded": lambda i: TokenBatch.from_padded(PADDED[i % 20], pad_id=0, eos_id=9),
    "TokenBatch.from_arrow": lambda i: TokenBatch.from_arrow(column(i)),
    "References": lambda i: (References(TEXTS[i : i + 2])[0], pickle.loads(pickle.dumps(References(IDS[i : i + 2])))),
    "BLEU.sentence_scores, References": lambda i: bleu.sentence_scores(TEXTS[i : i + 2], PREPARED, ref_index=[0, i % 40]),
    "BLEU.prefix_scores": lambda i: bleu.prefix_scores(IDS[i : i + 2], IDS[i + 1 : i + 3], delta=True),
    "GLEU.prefix_scores": lambda i: gleu.prefix_scores(BATCHES[i], [[one, one] for one in IDS[i : i + 3]]),
    "BLEU.pairwise_scores": lambda i: bleu.pairwise_scores(TEXTS[i : i + 3], TEXTS[i + 1 : i + 3]),
    "GLEU.pairwise_scores": lambda i: gleu.pairwise_scores(IDS[i : i + 4], groups=2),
    "mbr": lambda i: clipgram.mbr(TEXTS[i : i + 3], bleu),
    "self_bleu": lambda i: clipgram.self_bleu(IDS[i : i + 3]),
    "repetition": lambda i: clipgram.repetition(TOKENS[i : i + 3], 2),
    "compat.sacrebleu.sentence_bleu": lambda i: sacrebleu.sentence_bleu(TEXTS[i], [TEXTS[i + 1]]),
    "compat.sacrebleu.corpus_bleu": lambda i: sacrebleu.corpus_bleu(TEXTS[i : i + 2], [TEXTS[i + 1 : i + 3]]),
    "compat.nltk.sentence_bleu": lambda i: nltk.sentence_bleu([TOKENS[i + 1]], TOKENS[i], weights=(0.5, 0.5)),
    "compat.nltk.corpus_bleu": lambda i: nltk.corpus_bleu([[IDS[i]], [IDS[i + 1]]], [IDS[i + 2], IDS[i]], weights=(1,)),
    "compat.nltk.sentence_gleu": lambda i: nltk.sentence_gleu([[*OBJECTS, i], [i, 1.5]], [i, *OBJECTS]),
    "compat.nltk.corpus_gleu": lambda i: nltk.corpus_gleu([[TOKENS[i]]], [TOKENS[i + 1]]),
    "compat.nltk.modified_precision": lambda i: nltk.modified_precision([TOKENS[i], TOKENS[i + 1]], TOKENS[i + 2], 2),
    "compat.nltk.closest_ref_length": lambda i: nltk.closest_ref_length([TOKENS[i], TOKENS[i + 1]], 5),
    "compat.nltk.brevity_penalty": lambda i: nltk.brevity_penalty(i, 100),
    "compat.nltk.SmoothingFunction": lambda i: nltk.sentence_bleu([TOKENS[i]], TOKENS[i], smoothing_function=SMOOTHING[i % 6]),
    "compat.nltk.Fraction": lambda i: nltk.Fraction(i, 100),
    "compat.sacrebleu.raw_corpus_bleu": lambda i: sacrebleu.raw_corpus_bleu(TEXTS[i : i + 2], [TEXTS[i + 1 : i + 3]]),
    "compat.sacrebleu.BLEU": lambda i: sacrebleu.BLEU(references=[TEXTS[i : i + 2]]).corpus_score(TEXTS[i : i + 2], None),
    "compat.sacrebleu.BLEUScore": lambda i: sacrebleu.corpus_bleu(TEXTS[i : i + 1], [TEXTS[i : i + 1]]).format(),
    "compat.evaluate.Bleu": lambda i: MODULES["bleu"].compute(predictions=TEXTS[i : i + 1], references=[TEXTS[i : i + 2]]),
    "compat.evaluate.GoogleBleu": lambda i: MODULES["google_bleu"].compute(predictions=TEXTS[i : i + 1], references=[[TEXTS[i]]]),
    "compat.evaluate.Sacrebleu": lambda i: MODULES["sacrebleu"].compute(predictions=TEXTS[i : i + 1], references=[[TEXTS[i]]]),
    "rewards.Scorer": lambda i: rewards.Scorer(max_order=2),
    "rewards.Scorer.score": lambda i: scorer.score(TEXTS[i], [TEXTS[i + 1], None]),
    "rewards.Scorer.scores": lambda i: scorer.scores(TEXTS[i : i + 2], [TEXTS[i + 1], [TEXTS[i]]]),
    "rewards.TRLReward": lambda i: REWARD["TRLReward"](completions=TEXTS[i : i + 2], reference=TEXTS[i : i + 2]),
    "rewards.AsyncTRLReward": lambda i: LOOP.run_until_complete(REWARD["AsyncTRLReward"](completions=TEXTS[i : i + 2], reference=TEXTS[i : i + 2])),
    "rewards.VerlReward": lambda i: REWARD["VerlReward"]("wmt", TEXTS[i], TEXTS[i + 1], {}),
    "rewards.VerlBatchReward": lambda i: REWARD["VerlBatchReward"](None, TEXTS[i : i + 2], TEXTS[i : i + 2]),
    "rewards.verl_compute_score": lambda i: rewards.verl_compute_score("wmt", TEXTS[i], TEXTS[i + 1], {}),
    "rewards.verl_compute_scores": lambda i: rewards.verl_compute_scores(None, TEXTS[i : i + 2], TEXTS[i : i + 2]),
    "rewards.OpenRLHFReward": lambda i: REWARD["OpenRLHFReward"](["Say it" + TEXTS[i]], ["Say it"], TEXTS[i : i + 1]),
    "rewards.NeMoRLReward": lambda i: REWARD["NeMoRLReward"].verify(TEXTS[i : i + 2], TEXTS[i : i + 2]),
    "rewards.VerifiersReward": lambda i: REWARD["VerifiersReward"](completion=TEXTS[i], answer=TEXTS[i], state={}),
    "rewards.VerifiersGroupReward": lambda i: REWARD["VerifiersGroupReward"](
        completions=TEXTS[i : i + 2], answers=TEXTS[i : i + 2], states=[{}, {}]
    ),
    "rewards.SlimeReward": lambda i: LOOP.run_until_complete(REWARD["SlimeReward"](None, SAMPLES[i])),
    "rewards.easyr1_compute_score": lambda i: rewards.easyr1_compute_score([{"response": TEXTS[i], "ground_truth": TEXTS[i + 1]}]),
    "rewards.AReaLReward": lambda i: REWARD["AReaLReward"]("Hi", TEXTS[i], [7], [5], answer=TEXTS[i]),
    "errors": wrong,
}


def unknown() -> set[str]:
    """What is public and has no work here."""
    wanted = {name for name in clipgram.__all__ if name not in ("IMPLEMENTATION", "__version__")}
    modules: dict[str, ModuleType] = {"rewards": rewards, "compat.nltk": nltk, "compat.sacrebleu": sacrebleu}
    for module, holder in modules.items():
        # Resampling calls what is here, thousands of times.
        wanted |= {f"{module}.{name}" for name in holder.__all__ if callable(getattr(holder, name)) and name != "PairedTest"}
    for owner in (BLEU, GLEU, TokenBatch, NgramCounts):
        for name, value in inspect.getmembers(owner):
            if not name.startswith("_") and (inspect.isroutine(value)) and name not in ("to_vector", "sum", "astype"):
                wanted.add(f"{owner.__name__}.{name}")
    return wanted - set(WORKS)


def growth(work: Callable[[int], object], calls: int) -> float:
    """Bytes a call that memory grew by, once it is settled."""
    inputs = itertools.cycle(range(DIFFERENT - 5))
    for i in itertools.islice(inputs, max(calls // 10, SETTLING)):
        work(i)
    before = resident()
    for i in itertools.islice(inputs, calls):
        work(i)
    return (resident() - before) / calls


def main() -> int:
    warnings.simplefilter("ignore")  # NLTK's, of orders without a match
    arguments = sys.argv[1:]
    calls = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 1_000_000
    print(f"clipgram {clipgram.__version__} ({clipgram.IMPLEMENTATION}), {calls:,} calls each")
    failed = sorted(unknown())
    for name in failed:
        print(f"{name:32} is public, and nothing here calls it")
    for name in arguments or WORKS:
        start = time.perf_counter()
        grown = growth(WORKS[name], calls)
        bad = grown * calls > max(MOST * calls, NOISE)
        took = (time.perf_counter() - start) / (calls + max(calls // 10, SETTLING))
        print(f"{name:32}{grown * calls / 1000:10.0f} kB{took * 1e6:9.1f} us a call{'   GROWS' if bad else ''}", flush=True)
        if bad:
            failed.append(name)
    print("flat" if not failed else f"not flat: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
