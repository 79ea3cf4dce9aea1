"""Random input for both implementations at once: they agree, or both refuse; nothing crashes, hangs or grows.

    python fuzz.py [CALLS] [SEED]     that many calls of the compiled core (a million); a seed of its own by default
    python fuzz.py --case KIND SEED   one case again, as a failure names it

A case is made from its kind and its seed alone. Those that once failed are kept in fuzz_failures.txt and run first,
here and in tests/test_fuzz.py. The kind ``api`` calls what users call, with anything: there the other implementation
runs in a process of its own, and what the two say is compared line by line.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))  # for nasty.py
from nasty import PIECES

import clipgram
from clipgram.batch import offsets_of

Call = tuple[str, str, tuple[Any, ...]]  # module, function, arguments
HANGS = 120  # seconds for a thousand cases
GROWS = 64e6  # bytes, from the first quarter of the cases to the end
RULES = ("none", "13a", "13a-raw", "zh", "char", "intl", "edge")
ENDS = (0, 1, 2, -1, 2**31 - 1, -(2**31), 2**31, 2**32 + 5, 5, 2**63 - 1, -(2**63))
JUNK = (None, 1.5, "a", b"a", True, 2**63, -(2**63) - 1, (), [], {}, [[]], ((),), [None], "\ud800", object)


def text(rng: random.Random) -> str:
    kinds = PIECES if rng.random() < 0.6 else [rng.choice(PIECES) for _ in range(2)]
    return "".join(rng.choice(rng.choice(kinds)) for _ in range(rng.choice((0, 1, 3, 8, 20, 60))))


def length(rng: random.Random) -> int:
    return rng.choice((0, 1, 2, 3, 5, 8, 8, 13)) if rng.random() < 0.9 else rng.choice((31, 32, 33, 63, 64, 65, 130, 193, 257))


def groups(rng: random.Random, most: int) -> tuple[list[int], list[int]]:
    """The sizes of some groups, and the group of each hypothesis."""
    sizes = [rng.randint(0, most) for _ in range(rng.randint(1, 3))]
    return sizes, [rng.randrange(len(sizes)) for _ in range(rng.randint(0, 4))]


def ids(rng: random.Random) -> Iterator[Call]:
    dtype = rng.choice((np.int32, np.int64))
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    alphabet = [n for n in ENDS if low <= n <= high] if rng.random() < 0.3 else range(rng.choice((1, 2, 3, 10, 100)))
    sizes, of_hyps = groups(rng, 3)
    refs = [[rng.choice(alphabet) for _ in range(length(rng))] for _ in range(sum(sizes))]
    hyps = [[rng.choice(alphabet) for _ in range(length(rng))] for _ in of_hyps]
    if refs and hyps and rng.random() < 0.4:  # something in common
        hyps[0] = refs[-1][: rng.randint(0, len(refs[-1]))] + hyps[0]
    given = (
        np.array([i for hyp in hyps for i in hyp], dtype),
        offsets_of(list(map(len, hyps))),
        np.array([i for ref in refs for i in ref], dtype),
        offsets_of(list(map(len, refs))),
        offsets_of(sizes),
        np.array(of_hyps, np.int64),
    )
    max_order = rng.choice((1, 2, 3, 4, 4, 4, 5, 16))
    for function in ("count_matches", "match_flags", "match_prefixes"):
        for per_reference in (False, True):
            for regime in range(4):
                yield "_ngrams", function, (*given, max_order, per_reference, regime)


def numbers(rng: random.Random) -> Iterator[Call]:
    alphabet = list(ENDS) if rng.random() < 0.3 else range(rng.choice((1, 2, 3, 10)))
    texts = [[rng.choice(alphabet) for _ in range(length(rng))] for _ in range(rng.randint(0, 4))]
    tokens = np.array([i for one in texts for i in one], np.int64)
    offsets, max_order, half = offsets_of(list(map(len, texts))), rng.randint(1, 5), len(texts) // 2
    yield "_index", "number_ngrams", (tokens, offsets, max_order)
    made, n, _ = clipgram._backend.index.number_ngrams(tokens, offsets, max_order)
    yield "_index", "postings", (made, offsets[half:], n)
    starts, listed = clipgram._backend.index.postings(made, offsets[half:], n)
    yield "_index", "count_shared", (made, offsets[: half + 1], starts, listed, len(texts) - half)


def junk(rng: random.Random, good: Callable[[random.Random], Any], depth: int = 2) -> Any:
    """A list of what is good, of lists of it, or of anything, rarely something else."""
    if depth == 0 or rng.random() < 0.1:
        return good(rng) if rng.random() < 0.9 else rng.choice(JUNK)
    items = [junk(rng, good, depth - 1) for _ in range(rng.choice((0, 1, 2, 3, 6)))]
    return tuple(items) if rng.random() < 0.1 else items


def a_list(thing: Any) -> list[Any]:
    return thing if type(thing) is list else [thing]


def lists(rng: random.Random) -> Iterator[Call]:
    good: Callable[[random.Random], Any] = rng.choice((lambda r: r.choice(ENDS), lambda r: r.choice(("a", "b", ""))))
    yield "_lists", "count_lists", (junk(rng, good, 1), junk(rng, good), rng.randint(1, 5), rng.random() < 0.5)
    for function in ("flatten", "flatten_tokens", "flatten_ids", "all_str"):
        yield "_lists", function, (a_list(junk(rng, good)),)


def texts(rng: random.Random) -> Iterator[Call]:
    sizes, of_hyps = groups(rng, 3)
    refs, hyps = [text(rng) for _ in range(sum(sizes))], [text(rng) for _ in of_hyps]
    if refs and hyps:
        hyps[0] = refs[0] + hyps[0]
    which = offsets_of(sizes), np.array(of_hyps, np.int64)
    for rules in RULES:
        yield "_text", "tokenize", ((hyps or ["a"])[0], rules)
        yield "_text", "encode", (hyps, refs, *which, rules)
        yield "_text", "count", (hyps, refs, *which, rules, rng.randint(1, 5), rng.random() < 0.5)
        yield "_text", "count_text", ((hyps or [""])[0], junk(rng, text, 1), rules, 4, rng.random() < 0.5)


def words(rng: random.Random) -> Iterator[Call]:
    def word(r: random.Random) -> str:
        return text(r) if r.random() < 0.2 else r.choice(("a", "b", "cd", "x" * 17, "x" * 16 + "y", "caf\u00e9"))

    sizes, of_hyps = groups(rng, 3)
    some = [[word(rng) for _ in range(length(rng))] for _ in range(sum(sizes) + len(of_hyps))]
    if some and rng.random() < 0.1:
        some[0] = rng.choice((("a", "b"), [1], "ab", [None], ["a", 1]))
    which = offsets_of(sizes), np.array(of_hyps, np.int64)
    yield "_text", "encode", (some[sum(sizes) :], some[: sum(sizes)], *which, None)
    for per_reference in (False, True):
        yield "_text", "count", (some[sum(sizes) :], some[: sum(sizes)], *which, None, rng.randint(1, 5), per_reference)
        yield "_text", "count_words", ([word(rng) for _ in range(length(rng))], junk(rng, word), 4, per_reference)


def things(rng: random.Random) -> Iterator[Call]:
    """Tokens of any kind: equal ones of different types, some that cannot be hashed, some that are not what they say."""
    alphabet = rng.choice((("a", "b", 1, 1.0, True, (1,), None), ("a", "b", "cd"), (1, 2**40, -1, "a"), (0.0, -0.0, float("inf"), b"a", 2)))

    def thing(r: random.Random) -> Any:
        return r.choice(alphabet) if r.random() < 0.99 else r.choice(([], {}, SaysEqual("a"), SaysEqual("b")))

    def segment() -> Any:
        made = [thing(rng) for _ in range(length(rng))]
        return tuple(made) if rng.random() < 0.1 else text(rng) if rng.random() < 0.05 else made

    references = [segment() for _ in range(rng.randint(0, 3))]
    for per_reference in (False, True):
        yield "_objects", "count_objects", (segment(), references, rng.randint(1, 5), per_reference)
    hypotheses = [segment() for _ in range(rng.randint(0, 3))]
    yield "_objects", "name_objects", (hypotheses, [references or [segment()] for _ in hypotheses])
    yield "_objects", "name_objects", (junk(rng, thing), junk(rng, thing))


class SaysEqual(str):
    """One that is equal to a, whatever it is."""

    def __eq__(self, other: object) -> bool:
        return type(other) is SaysEqual or (type(other) is str and other == "a")

    def __hash__(self) -> int:
        return hash("a")


KINDS: dict[str, Callable[[random.Random], Iterator[Call]]] = {
    "ids": ids,
    "numbers": numbers,
    "lists": lists,
    "texts": texts,
    "words": words,
    "things": things,
}


OFTEN = {"ids": 6, "lists": 4}  # what is quickly compared comes more often


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return plain(function(*arguments))
    except Exception as error:
        return type(error).__name__, str(error)


def plain(thing: Any) -> Any:
    """What can be compared: arrays as dtype, shape and values."""
    if isinstance(thing, np.ndarray):
        return str(thing.dtype), thing.shape, thing.tolist()
    return tuple(map(plain, thing)) if isinstance(thing, tuple) else thing


def run(kind: str, seed: int) -> int:
    """One case. Returns the number of calls of the compiled core; raises AssertionError where the two differ."""
    calls, last = 0, None
    for module, function, arguments in KINDS[kind](random.Random(f"{kind} {seed}")):
        core = importlib.import_module(f"clipgram.{module}")
        got = outcome(getattr(core, function), arguments)
        calls += 1
        # The regimes of one call have one answer, and the twin is asked once.
        question = (function, arguments[:8]) if module == "_ngrams" and len(arguments) == 9 else None
        if question is None or last is None or question[0] != last[0] or question[1][7] is not last[1][7]:
            wanted = outcome(getattr(importlib.import_module(f"clipgram.{module}_py"), function), arguments)
        last = question
        assert got == wanted, f"{kind} {seed}: {module}.{function}{arguments!r}\n  compiled: {got!r}\n  twin:     {wanted!r}"
    return calls


def failures() -> list[tuple[str, int]]:
    lines = (Path(__file__).parent / "fuzz_failures.txt").read_text("utf-8").splitlines()
    cases = [line.partition("#")[0].split() for line in lines]
    return [(case[0], int(case[1])) for case in cases if case]


# What users call.


def anything(rng: random.Random) -> Any:
    """Segments and references in all forms, right and wrong."""
    if rng.random() < 0.25:
        return [text(rng) for _ in range(rng.randint(0, 3))] if rng.random() < 0.7 else text(rng)
    good = rng.choice((lambda r: r.choice(ENDS[:7]), lambda r: r.choice(("a", "b")), text))
    made = junk(rng, good, rng.randint(0, 3))
    if rng.random() < 0.2:
        made = np.array([rng.choice(ENDS[:5]) for _ in range(rng.randint(0, 6))]).reshape(rng.choice(((-1,), (1, -1))))
    return iter(made) if isinstance(made, list) and rng.random() < 0.05 else made


def fitting(rng: random.Random) -> tuple[Any, Any]:
    """Hypotheses and references that fit together; sometimes something is then put into them that does not."""
    kind: Callable[[random.Random], Any] = rng.choice((text, lambda r: r.choice(ENDS[:7]), lambda r: r.choice("ab")))

    def segment() -> Any:
        if kind is text:
            return text(rng)
        tokens = [kind(rng) for _ in range(length(rng))]
        return np.array(tokens) if tokens and rng.random() < 0.1 else tuple(tokens) if rng.random() < 0.1 else tokens

    hyps = [segment() for _ in range(rng.randint(0, 4))]
    refs = [[segment() for _ in range(rng.randint(1, 3))] if rng.random() < 0.6 else segment() for _ in hyps]
    if hyps and rng.random() < 0.3:
        spoilt = rng.choice((hyps, refs, *(ref for ref in refs if isinstance(ref, list) and ref)))
        spoilt[rng.randrange(len(spoilt))] = rng.choice(JUNK)
    return hyps, refs


def options(rng: random.Random) -> dict[str, Any]:
    choices = {
        "max_order": (1, 2, 4, 16, 0, 17, True, "4"),
        "tokenize": (*RULES, "no", None, str.split, list),
        "lowercase": (False, True, 1),
        "normalize": (None, "NFC", "NFKC", "NFD"),
        "threads": (1, 2, 0),
        "smooth_method": ("exp", "floor", "add-k", "none", "laplace", "other"),
        "weights": (None, (0.5, 0.5), (1,), ((1,), (0.5, 0.5)), (), "no"),
    }
    return {key: rng.choice(choices[key]) for key in rng.sample(sorted(choices), rng.choice((0, 0, 1, 2)))}


def api(seed: int) -> str:
    """What one call says, in one line."""
    rng = random.Random(f"api {seed}")
    given = (anything(rng), anything(rng)) if rng.random() < 0.3 else fitting(rng)
    method = rng.choice(("sentence_score", "corpus_score", "sentence_scores", "counts", "prefix_scores", "pairwise_scores"))
    try:
        metric = rng.choice((clipgram.BLEU, clipgram.GLEU))(**options(rng))
        if method == "sentence_score" and isinstance(given[0], list) and len(given[0]) and given[1]:
            given = given[0][0], given[1][0]
        made = getattr(metric, method)(*given)
    except (TypeError, ValueError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(made, clipgram.NgramCounts):
        return repr((made, made.values.tolist()))
    parts = made if isinstance(made, list) else [getattr(made, "score", made)]  # one for each segment, or all at once
    scores = np.concatenate([np.ravel(part) for part in [np.empty(0), *parts]])
    assert ((scores >= 0) & (scores <= 1)).all(), f"api {seed}: scores of {scores}"
    return repr((str(made), scores.tolist()))


def said(first: int, n: int) -> list[str]:
    lines = []
    for seed in range(first, first + n):
        try:
            lines.append(api(seed))
        except Exception as error:
            raise AssertionError(f"api {seed}: {type(error).__name__}: {error}") from error
    return lines


def compare_api(first: int, n: int) -> None:
    """Both implementations, each in a process of its own: this one, and another."""
    other = "python" if clipgram.IMPLEMENTATION == "ext" else "ext"
    command = [sys.executable, __file__, "--api", str(first), str(n)]
    environment = {**os.environ, "CLIPGRAM_IMPLEMENTATION": other}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"api, {n} from {first}, {other}: {done.stderr[-2000:]}"
    for seed, (ours, theirs) in enumerate(zip(said(first, n), json.loads(done.stdout), strict=True), first):
        ours, theirs = (line.partition(" object at 0x")[0] for line in (ours, theirs))
        assert ours == theirs, f"api {seed}:\n  {clipgram.IMPLEMENTATION}: {ours}\n  {other}: {theirs}"


def resident() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text("ascii").split()[1]) * 4096 if statm.exists() else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("calls", nargs="?", type=int, default=1_000_000)
    parser.add_argument("seed", nargs="?", type=int, default=time.time_ns() % 10**9)
    parser.add_argument("--case", nargs=2, metavar=("KIND", "SEED"))
    parser.add_argument("--api", nargs=2, type=int, metavar=("FIRST", "N"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    faulthandler.enable()
    if given.api:
        print(json.dumps(said(*given.api)))
        return 0
    if given.case:
        kind, seed = given.case[0], int(given.case[1])
        compare_api(seed, 1) if kind == "api" else run(kind, seed)
        print("agrees")
        return 0
    for kind, seed in failures():
        compare_api(seed, 1) if kind == "api" else run(kind, seed)
    first = given.seed * 10**9
    calls = cases = before = 0
    start = time.perf_counter()
    while calls < given.calls:
        faulthandler.dump_traceback_later(HANGS, exit=True)
        for seed in range(first + cases, first + cases + 250):
            calls += sum(run(kind, n * seed + i) for kind in KINDS for n in [OFTEN.get(kind, 1)] for i in range(n))
        compare_api(first + cases, 50)
        cases += 250
        if calls * 4 > given.calls and not before:
            before = resident()
    faulthandler.cancel_dump_traceback_later()
    grown = resident() - before
    print(
        f"seed {given.seed}: {calls:,} calls in {cases * sum(OFTEN.get(kind, 1) for kind in KINDS):,} cases, and {cases // 5:,} of what users call: all agree "
        f"({time.perf_counter() - start:.0f} s, memory grew by {grown / 1e6:.1f} MB)"
    )
    return 1 if grown > GROWS else 0


if __name__ == "__main__":
    sys.exit(main())
