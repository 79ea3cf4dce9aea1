"""Arrow columns: against pyarrow and polars where they are at hand, and against a producer of the tests' own."""

from __future__ import annotations

import ctypes
import gc
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from arrow_producer import Column, Producer, capsule

from clipgram import BLEU, TokenBatch

FORMATS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8"}
WANTED = [[5, 8, 9], [], [2, 7], [4]]


def bits(*valid: int) -> np.ndarray:
    return np.packbits(valid, bitorder="little")


def numbers(format: str = "l", values: Any = (5, 8, 9, 2, 7, 4), **more: Any) -> Column:
    return Column(format, len(values), (None, np.array(values, FORMATS[format])), **more)


def column(format: str = "+l", items: Column | None = None) -> Column:
    """The lists above in one of Arrow's types."""
    items = items or numbers()
    if format in ("+l", "+L"):
        return Column(format, 4, (None, np.array([0, 3, 3, 5, 6], "i4" if format == "+l" else "i8")), (items,))
    dtype = "i4" if format == "+vl" else "i8"
    return Column(format, 4, (None, np.array([0, 3, 3, 5], dtype), np.array([3, 0, 2, 1], dtype)), (items,))


def read(thing: Any) -> list[list[int]]:
    return [ids.tolist() for ids in TokenBatch.from_arrow(thing)]


@pytest.mark.parametrize("format", ["+l", "+L", "+vl", "+vL"])
@pytest.mark.parametrize("item", FORMATS)
def test_types(format: str, item: str) -> None:
    for thing in (Producer(column(format, numbers(item))).one, Producer(column(format, numbers(item))).many):
        batch = TokenBatch.from_arrow(thing)
        assert [ids.tolist() for ids in batch] == WANTED
        assert batch.values.dtype == (np.int64 if item in "IlL" else np.int32)


@pytest.mark.parametrize("item", FORMATS)
@pytest.mark.parametrize("format", ["+l", "+vL"])
@pytest.mark.parametrize("way", ["one", "many"])
def test_only_other_widths_are_copied(item: str, format: str, way: str) -> None:
    data = column(format, numbers(item))
    if format == "+vL":
        data.buffers = (None, np.array([0, 3, 3, 5]), np.array([3, 0, 2, 1]))  # views that lie as lists do
    batch = TokenBatch.from_arrow(getattr(Producer(data), way))
    assert np.shares_memory(batch.values, data.children[0].buffers[1]) == (item in "il")
    assert not batch.values.flags.writeable


def test_lists_of_a_fixed_size() -> None:
    assert read(Producer(Column("+w:2", 3, (None,), (numbers(),))).one) == [[5, 8], [9, 2], [7, 4]]
    assert read(Producer(Column("+w:2", 1, (None,), (numbers(),), offset=1)).one) == [[9, 2]]
    assert read(Producer(Column("+w:0", 2, (None,), (numbers(values=()),))).one) == [[], []]


def test_slices() -> None:
    data = column()
    data.offset, data.length = 2, 2
    assert read(Producer(data).one) == WANTED[2:]
    items = numbers(values=(0, 5, 8, 9, 2, 7, 4))  # the items are a slice themselves
    items.offset, items.length = 1, 6
    assert read(Producer(column(items=items)).one) == WANTED
    data = column(items=numbers(values=(0, 5, 8, 9, 2, 7, 4)))
    data.children[0].offset, data.children[0].length, data.offset, data.length = 1, 6, 2, 1
    assert read(Producer(data).many) == [[2, 7]]


def test_views_in_any_order() -> None:
    def views(starts: list[int], sizes: list[int]) -> Any:
        n = len(starts)
        return Producer(Column("+vl", n, (None, np.array(starts, "i4"), np.array(sizes, "i4")), (numbers(),))).one

    assert read(views([3, 0, 1, 6], [3, 2, 3, 0])) == [[2, 7, 4], [5, 8], [8, 9, 2], []]
    assert read(views([4, 4], [2, 2])) == [[7, 4], [7, 4]]


def test_chunks_are_joined() -> None:
    assert read(Producer(column(), column(), column(items=numbers(values=range(6)))).many) == [*WANTED, *WANTED, [0, 1, 2], [], [3, 4], [5]]
    mixed = TokenBatch.from_arrow(Producer(column(items=numbers("i")), column(items=numbers("i"))).many)
    assert mixed.values.dtype == np.int32


def test_nothing_in_it() -> None:
    empty = Column("+l", 0, (None, None), (numbers("i", ()),))
    for thing in (Producer(empty).one, Producer(empty).many, Producer(empty, empty).many):
        batch = TokenBatch.from_arrow(thing)
        assert len(batch) == 0 and batch.values.dtype == np.int32

    class NoChunks(Producer):
        def stream(self) -> Any:
            struct = super().stream()
            struct.get_next = self.keep(type(struct.get_next)(lambda _, out: 0 * ctypes.memset(out, 0, 80)))
            return struct

    assert read(NoChunks(column()).many) == []


# Ownership.


@pytest.mark.parametrize("item", ["l", "s"])
def test_an_array_is_released_once_and_not_too_early(item: str) -> None:
    producer = Producer(column(items=numbers(item)))
    batch = TokenBatch.from_arrow(producer.one)
    gc.collect()
    copied = item == "s"
    assert producer.released == {"Schema": 1, "Array": 1} if copied else {"Schema": 1}
    last = batch[3]
    values = batch.values
    assert [ids.tolist() for ids in batch] == WANTED
    del batch
    gc.collect()
    assert producer.released["Array"] == copied and values.tolist() == [5, 8, 9, 2, 7, 4]
    del values
    assert producer.released["Array"] == copied and last.tolist() == [4]  # a view of a view
    del last
    gc.collect()
    assert producer.released == {"Schema": 1, "Array": 1}


def test_a_stream_is_released_at_once_and_its_chunk_is_not() -> None:
    producer = Producer(column())
    batch = TokenBatch.from_arrow(producer.many)
    gc.collect()
    assert producer.released == {"Schema": 1, "Stream": 1}
    assert [ids.tolist() for ids in batch] == WANTED
    del batch
    gc.collect()
    assert producer.released == {"Schema": 1, "Stream": 1, "Array": 1}


def test_chunks_that_were_copied_are_released() -> None:
    producer = Producer(column(), column(), column())
    batch = TokenBatch.from_arrow(producer.many)
    gc.collect()
    assert producer.released == {"Schema": 1, "Stream": 1, "Array": 3}
    assert [ids.tolist() for ids in batch] == 3 * WANTED


def test_what_is_made_of_a_batch_keeps_the_memory() -> None:
    producer = Producer(column())
    batch = TokenBatch.from_arrow(producer.one)
    again = pickle.loads(pickle.dumps(batch))
    del batch
    gc.collect()
    assert producer.released["Array"] == 1 and [ids.tolist() for ids in again] == WANTED
    producer = Producer(column())
    cut = TokenBatch.from_arrow(producer.one, eos_id=1)  # nothing to cut
    assert producer.released["Array"] == 0 and [ids.tolist() for ids in cut] == WANTED


@pytest.mark.parametrize("way", ["one", "many"])
def test_after_an_error_all_is_released(way: str) -> None:
    data = column()
    data.null_count, data.buffers = 1, (bits(1, 1, 0, 1), data.buffers[1])
    producer = Producer(data)
    with pytest.raises(ValueError, match=r"array\[2\] is null"):
        TokenBatch.from_arrow(getattr(producer, way))
    gc.collect()
    assert producer.released == {"Schema": 1, "Array": 1, **({"Stream": 1} if way == "many" else {})}
    producer = Producer(column("+l", Column("g", 6, (None, np.zeros(6)))))
    with pytest.raises(TypeError, match="the items of array are Arrow float64"):
        TokenBatch.from_arrow(getattr(producer, way))
    gc.collect()
    assert producer.released["Schema"] == 1 and producer.released["Array"] == (way == "one")


def test_errors_of_a_stream() -> None:
    for what, text, said in [
        ("get_schema", b"no such column", r"\[Errno 5\] array could not be read: no such column"),
        ("get_next", b"disk on fire", r"\[Errno 5\] array could not be read: disk on fire"),
        ("get_next", None, r"\[Errno 5\] array could not be read: Input/output error"),
    ]:
        producer = Producer(column(), error=(what, 5, text))
        with pytest.raises(OSError, match=said):
            TokenBatch.from_arrow(producer.many)
        gc.collect()
        assert producer.released["Stream"] == 1
        assert producer.released["Schema"] == producer.released["Array"] == (what == "get_next")


# What is refused.


def test_nulls() -> None:
    def nulls(of_lists: Any = None, of_items: Any = None, **of_list: Any) -> Any:
        items = numbers()
        data = column(items=items)
        if of_lists is not None:
            data.buffers, data.null_count = (bits(*of_lists), data.buffers[1]), of_list.pop("null_count", 1)
        if of_items is not None:
            items.buffers, items.null_count = (bits(*of_items), items.buffers[1]), -1
        for name, value in of_list.items():
            setattr(data, name, value)
        return Producer(data).one

    for thing, said in [
        (nulls(of_lists=[1, 1, 1, 0]), r"array\[3\] is null; wanted a list of integers"),
        (nulls(of_lists=[0, 1, 0, 1], null_count=-1), r"array\[0\] is null"),
        (nulls(of_lists=[1, 1, 1, 0], offset=2, length=2), r"array\[1\] is null"),
        (nulls(of_items=[1, 1, 1, 0, 1, 1]), r"array\[2\]\[0\] is null; token IDs are integers"),
        (nulls(of_items=[1, 1, 1, 1, 1, 0]), r"array\[3\]\[0\] is null"),
        (nulls(of_items=[0, 0, 0, 1, 0, 1], offset=2, length=1), r"array\[0\]\[1\] is null"),
    ]:
        with pytest.raises(ValueError, match=said):
            TokenBatch.from_arrow(thing)
    # with a second chunk the row is that of the column
    bad = column()
    bad.buffers, bad.null_count = (bits(1, 0, 1, 1), bad.buffers[1]), 1
    with pytest.raises(ValueError, match=r"array\[5\] is null"):
        TokenBatch.from_arrow(Producer(column(), bad).many)
    views = Column("+vl", 2, (None, np.array([4, 0], "i4"), np.array([2, 2], "i4")), (numbers(),))
    views.children[0].buffers, views.children[0].null_count = (bits(1, 0, 1, 1, 1, 1), views.children[0].buffers[1]), 1
    with pytest.raises(ValueError, match=r"array\[1\]\[1\] is null"):
        TokenBatch.from_arrow(Producer(views).one)
    # nulls outside of what is looked at do not matter
    assert read(nulls(of_lists=[1, 0, 1, 1], null_count=-1, offset=2, length=2)) == [[2, 7], [4]]
    assert read(nulls(of_items=[0, 0, 0, 1, 1, 0], offset=2, length=1)) == [[2, 7]]
    assert read(nulls(of_lists=[1, 1, 1, 1], of_items=[1] * 6, null_count=-1)) == WANTED


def test_numbers_that_do_not_fit() -> None:
    for thing in (Producer(column(items=numbers("L", (5, 8, 9, 2, 2**63, 4)))).one, Producer(column("+vl", numbers("L", (5, 8, 9, 2, 2**63, 4)))).many):
        with pytest.raises(OverflowError, match=r"array\[2\]\[1\] is 9223372036854775808; token IDs must fit in an int64"):
            TokenBatch.from_arrow(thing)


def other(format: str, **more: Any) -> Any:
    return Producer(Column(format, **more)).one


@pytest.mark.parametrize(
    "thing, said",
    [
        (other("l"), "array is Arrow int64; wanted an Arrow array of lists of integers"),
        (other("u"), "array is Arrow string"),
        (other("tdD"), "array is of the Arrow format 'tdD'"),
        (other("+s", children=(numbers(), numbers())), "array is an Arrow struct, or a table, of 2 columns"),
        (other("i", dictionary=column()), "array is an Arrow dictionary"),
        (other("+l", children=(column(),)), "the items of array are an Arrow list"),
        (other("+l", children=(Column("b"),)), "the items of array are Arrow bool"),
        (other("+l", children=(numbers("i", dictionary=Column("u")),)), "the items of array are an Arrow dictionary"),
        ([[1]], "array is a list of 1; wanted an Arrow array of lists of integers, which has __arrow_c_array__ or"),
        (None, "array is None"),
    ],
)
def test_other_types(thing: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        TokenBatch.from_arrow(thing)


def offsets(*numbers_: int, **more: Any) -> Any:
    return Producer(Column("+l", len(numbers_) - 1, (None, np.array(numbers_, "i4")), (numbers(),), **more)).one


def views(dtype: str, start: int, size: int) -> Any:
    format = "+vl" if dtype == "i4" else "+vL"
    return Producer(Column(format, 1, (None, np.array([start], dtype), np.array([size], dtype)), (numbers(),))).one


@pytest.mark.parametrize(
    "thing, said",
    [
        (offsets(0, 3, 2, 6), r"array\[1\] is items 3 to 2 of 6"),
        (offsets(0, 7), r"array\[0\] is items 0 to 7 of 6"),
        (offsets(-1, 3), r"array\[0\] is items -1 to 3 of 6"),
        (offsets(0, 2**31 - 1), r"array\[0\] is items 0 to 2147483647 of 6"),
        (views("i8", 2**63 - 1, 5), r"array\[0\] is items 9223372036854775807 to 9223372036854775812 of 6"),
        (views("i8", 3, 2**63 - 1), r"array\[0\] is items 3 to 9223372036854775810 of 6"),
        (Producer(Column("+w:4", 2, (None,), (numbers(),))).one, r"array\[1\] is items 4 to 8 of 6"),
        (views("i4", 5, 2), r"array\[0\] is items 5 to 7 of 6"),
        (other("+l", children=()), "array is an Arrow list with 0 children; wanted one"),
        (other("+l", buffers=(None,), children=(numbers(),)), "with 1 buffers and 1 children; wanted 2 buffers and one child"),
        (other("+l", length=-1, buffers=(None, None), children=(numbers(),)), "an arrow_array of length -1, offset 0"),
        (other("+l", length=2, buffers=(None, None), children=(numbers(),)), "an arrow_array of length 2 has no buffer 1"),
        (other("+l", buffers=(None, None), children=(Column("l", 3, (None,)),)), "the items of array have length 3, offset 0 and 1 buffers"),
        (other("+l", buffers=(None, None), children=(numbers(offset=-2),)), "the items of array have length 6, offset -2 and 2 buffers"),
    ],
)
def test_data_that_contradict_themselves(thing: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TokenBatch.from_arrow(thing)


def test_things_that_are_no_capsules() -> None:
    class Says:
        def __init__(self, capsules: Any) -> None:
            self.capsules = capsules

        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return self.capsules

    producer = Producer(column())
    schema, array = producer.one.__arrow_c_array__()
    for capsules, said in [
        (schema, r"array.__arrow_c_array__\(\) made an object of type builtins.PyCapsule; wanted two capsules"),
        ((schema,), r"array.__arrow_c_array__\(\) made a tuple of 1; wanted two capsules"),
        ((array, schema), "array handed over an object of type builtins.PyCapsule; wanted a capsule with an arrow_schema"),
        ((schema, None), "array handed over None; wanted a capsule with an arrow_array"),
        ((schema, 7), "array handed over the int 7; wanted a capsule with an arrow_array"),
    ]:
        with pytest.raises(TypeError, match=said):
            TokenBatch.from_arrow(Says(capsules))
    assert read(Says((schema, array))) == WANTED
    struct = producer.array(column())
    struct.release(struct)
    with pytest.raises(ValueError, match="array handed over an arrow_array that is released already"):
        TokenBatch.from_arrow(Says((schema, capsule(struct))))


# Where a metric takes them.


def test_metrics_take_columns() -> None:
    metric = BLEU()
    wanted = metric.sentence_scores(WANTED, WANTED[::-1])
    for hyps, refs in [("one", "one"), ("many", "one"), ("one", "many")]:
        backwards = Column("+l", 4, (None, np.array([0, 1, 3, 3, 6], "i4")), (numbers(values=(4, 2, 7, 5, 8, 9)),))
        got = metric.sentence_scores(getattr(Producer(column()), hyps), getattr(Producer(backwards), refs))
        assert got.tolist() == wanted.tolist()
    assert metric.sentence_scores(Producer(column()).one, WANTED).tolist() == [1.0, 0.0, 1.0, 1.0]
    with pytest.raises(TypeError, match="the items of hypotheses are Arrow float64; wanted an Arrow array of lists of integers"):
        metric.sentence_scores(Producer(column("+l", Column("g", 6, (None, np.zeros(6))))).one, WANTED)


def test_options_of_cutting() -> None:
    def cut(**options: Any) -> list[list[int]]:
        return [ids.tolist() for ids in TokenBatch.from_arrow(Producer(column()).one, **options)]

    assert cut(eos_id=8) == [[5], [], [2, 7], [4]]
    assert cut(eos_id=[8, 7], eos="keep", ignore_ids=4) == [[5, 8], [], [2, 7], []]


def test_no_arrow_library_is_imported() -> None:
    code = "import sys, clipgram; sys.exit(any(name in sys.modules for name in ('pyarrow', 'polars', 'nanoarrow')))"
    subprocess.run([sys.executable, "-c", code], check=True)


# The real thing, where it is at hand.


@pytest.fixture
def pa() -> Any:
    return pytest.importorskip("pyarrow", minversion="17", reason="pyarrow 17 or newer is not installed")


def test_pyarrow(pa: Any) -> None:
    lists = [[1, 2], [], [3, 4, 5], [6], [7, 8, 9, 10]]
    items = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
    for kind in (pa.list_, pa.large_list, pa.list_view, pa.large_list_view):
        for item in items:
            array = pa.array(lists, kind(item))
            chunked = pa.chunked_array([array, array[1:3], array[5:]])
            for thing in (array, array[1:], array[1:3], array[5:], chunked, chunked[2:7], pa.chunked_array([], kind(item))):
                assert read(thing) == thing.to_pylist()
    fixed = pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int32(), 2))
    assert read(fixed[1:]) == [[3, 4], [5, 6]]
    assert read(pa.table({"ids": lists})["ids"]) == lists
    with pytest.raises(TypeError, match="array is an Arrow struct, or a table, of 1 columns"):
        TokenBatch.from_arrow(pa.table({"ids": lists}))
    for nulls, said in [([[1], None], r"array\[1\] is null"), ([[1], [2, None]], r"array\[1\]\[1\] is null")]:
        with pytest.raises(ValueError, match=said):
            TokenBatch.from_arrow(pa.array(nulls))
    assert read(pa.array([None, [None], [1, 2]])[2:]) == [[1, 2]]


def test_memory_of_pyarrow(pa: Any) -> None:
    gc.collect()
    before = pa.total_allocated_bytes()
    for chunked in (False, True):
        array = pa.array([list(range(1000)), list(range(1000, 3000))], pa.list_(pa.int64()))
        address = array.values.buffers()[1].address
        batch = TokenBatch.from_arrow(pa.chunked_array([array]) if chunked else array)
        assert batch.values.ctypes.data == address
        del array
        gc.collect()
        assert pa.total_allocated_bytes() >= before + 24_000
        fresh = [pa.array(np.zeros(3000, np.int64)) for _ in range(20)]  # would take the place of what was freed
        assert batch.values.tolist() == list(range(3000))
        del batch, fresh
        gc.collect()
        assert pa.total_allocated_bytes() == before


def test_a_batch_that_outlives_the_interpreter(pa: Any) -> None:
    code = (
        "import pyarrow as pa, numpy as np; from clipgram import TokenBatch; values = pa.array(np.arange(6))\n"
        "array = pa.ListArray.from_arrays(pa.array([0, 2, 6], pa.int32()), values)\n"
        "one, many = TokenBatch.from_arrow(array), TokenBatch.from_arrow(pa.chunked_array([array]))\n"
        "del array, values; print(one[1].tolist(), many[1].tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[2, 3, 4, 5] [2, 3, 4, 5]\n", "")


def test_polars() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed")
    lists = [[1, 2], [], [3, 4, 5]]
    series = pl.Series(lists)
    assert read(series) == lists and read(series[1:]) == lists[1:]
    assert read(pl.concat([series, series], rechunk=False)) == lists * 2
    assert read(pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int32, 2))) == [[1, 2], [3, 4]]
    assert BLEU().sentence_scores(series, pl.Series([[1, 2], [1], [3, 4, 5]])).tolist() == [1.0, 0.0, 1.0]
    assert BLEU().sentence_scores(pl.Series(["a b"]), pl.Series(["a b"])).tolist() == [1.0]  # text stays text
    with pytest.raises(ValueError, match=r"array\[1\] is null"):
        TokenBatch.from_arrow(pl.Series([[1], None]))
