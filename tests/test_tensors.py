"""Tensors and other arrays: by DLPack, by the buffer protocol, by ``__array__``; and those that cannot be read."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import pytest
from test_input import Tensor

from clipgram import BLEU, TokenBatch


class Elsewhere(Tensor):
    """A tensor on a device that DLPack has no number for."""

    def __dlpack_device__(self) -> tuple[int, int]:
        raise ValueError("Unknown device type meta for Dlpack")


class NoExport(Tensor):
    """A tensor on the CPU that DLPack does not take, and that becomes an array by itself, or not."""

    dtype = "torch.int64"
    is_nested = False

    def __dlpack__(self, **kwargs: Any) -> Any:
        raise BufferError("cannot export")

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self.array.dtype == object:
            raise RuntimeError("requires grad")
        return self.array


IDS = np.arange(24, dtype=np.int32).reshape(4, 6)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("view", ["rows", "columns", "every other", "backwards"])
def test_widths_and_strides(dtype: str, view: str) -> None:
    ids = IDS.astype(dtype)
    ids = {"rows": ids, "columns": ids.T, "every other": ids[::2, 1::2], "backwards": ids[::-1, ::-1]}[view]
    for thing in (ids, Tensor(ids), memoryview(ids), NoExport(ids)):
        assert [row.tolist() for row in TokenBatch.from_padded(thing)] == ids.tolist()
        assert BLEU().sentence_scores(thing, ids).tolist() == [1.0] * len(ids)
    for thing in (ids[1], Tensor(ids[1]), memoryview(ids[1]), NoExport(ids[1])):
        assert TokenBatch.from_lists([thing])[0].tolist() == ids[1].tolist()


def test_arrays_that_are_not_aligned() -> None:
    ids = np.frombuffer(b"x" + np.arange(6).tobytes(), np.int64, 6, 1)
    assert not ids.flags.aligned
    for batch in (TokenBatch.from_lists([ids]), TokenBatch.from_ragged(ids, [0, 6]), TokenBatch.from_padded(ids.reshape(1, 6))):
        assert batch.values.flags.aligned
        assert BLEU().sentence_scores(batch, [list(range(6))]).tolist() == [1.0]


def test_typed_buffers() -> None:
    numbers = (ctypes.c_int16 * 3)(5, 8, 9)
    matrix = (ctypes.c_uint32 * 3 * 2)((5, 8, 9), (4, 2, 7))
    assert TokenBatch.from_lists([numbers])[0].tolist() == [5, 8, 9]
    assert [row.tolist() for row in TokenBatch.from_padded(matrix)] == [[5, 8, 9], [4, 2, 7]]


def test_plain_bytes_are_no_ids() -> None:
    with mmap.mmap(-1, 4) as memory, pytest.raises(TypeError, match=r"lists\[0\] is an object of type mmap.mmap"):
        TokenBatch.from_lists([memory])


@pytest.mark.parametrize("tensor", [Tensor(IDS, device=2), Elsewhere(IDS)], ids=["CUDA", "unknown device"])
def test_tensors_elsewhere(tensor: Any) -> None:
    for name, function in {
        "ids": lambda: TokenBatch.from_padded(tensor),
        "mask": lambda: TokenBatch.from_padded(IDS, mask=tensor),
        "lengths": lambda: TokenBatch.from_padded(IDS, lengths=tensor),
        "values": lambda: TokenBatch.from_ragged(tensor, [0]),
        "eos_id": lambda: TokenBatch.from_lists([[1]], eos_id=tensor),
        "lists": lambda: TokenBatch.from_lists(tensor),
        "hypotheses": lambda: BLEU().sentence_scores(tensor, IDS),
        "references": lambda: BLEU().sentence_scores(IDS, tensor),
        "ref_index": lambda: BLEU().sentence_scores(IDS, IDS, ref_index=tensor),
    }.items():
        with pytest.raises(TypeError, match=rf"^{name} is an object of type .*on another device.*; pass {name}.cpu\(\)$"):
            function()


def test_tensors_that_cannot_be_read() -> None:
    with pytest.raises(TypeError, match="ids is an object of type test_tensors.NoExport, which cannot be read as an array: requires grad"):
        TokenBatch.from_padded(NoExport(np.array([[None]])))
    for array in (np.ones((2, 2)), np.ones((2, 2), bool), np.ones((2, 2), np.complex64)):
        with pytest.raises(TypeError, match="ids is .* array .*; token IDs are integers"):
            TokenBatch.from_padded(Tensor(array))
    with pytest.raises(ValueError, match=r"lists\[1\] is an int64 array of shape \(\); wanted one dimension"):
        TokenBatch.from_lists([[1], Tensor(3)])
    for dtype in (np.float32, np.float64):
        tensor = NoExport(np.array([[None]]))
        tensor.dtype = f"torch.{np.dtype(dtype)}"
        with pytest.raises(TypeError, match=f"ids is an object of type .*NoExport of dtype torch.{np.dtype(dtype)}; wanted integers$"):
            TokenBatch.from_padded(tensor)
        tensor.is_nested = True
        with pytest.raises(TypeError, match=r"lists is an object of type .*NoExport, nested; pass lists.unbind\(\)$"):
            TokenBatch.from_lists(tensor)
    with pytest.raises(OverflowError, match=r"lists\[0\]\[2\] is 9223372036854775808; token IDs must fit in an int64"):
        TokenBatch.from_lists([Tensor(np.array([1, 2, 2**63], np.uint64))])


def test_numbers_that_are_arrays() -> None:
    for eos_id in (np.int64(2), np.array(2), Tensor(2), np.array([2]), Tensor([2, 7])):
        assert TokenBatch.from_lists([[5, 2, 8]], eos_id=eos_id)[0].tolist() == [5]


# The real thing, where it is at hand.


def test_torch() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    ids = torch.arange(12).reshape(3, 4)
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64):
        for view in (ids.to(dtype), ids.to(dtype).T, ids.to(dtype)[:, ::2], ids.to(dtype)[:1].expand(5, 4)):
            batch = TokenBatch.from_padded(view)
            assert [row.tolist() for row in batch] == view.tolist()
            assert [row.tolist() for row in TokenBatch.from_lists(view)] == [row.tolist() for row in TokenBatch.from_lists(list(view))] == view.tolist()
            assert batch.values.dtype == (np.int64 if dtype in (torch.int64, torch.uint32, torch.uint64) else np.int32)
    assert np.shares_memory(TokenBatch.from_padded(ids).values, ids.numpy())
    mask = ids % 4 != 3
    for arguments in ({"mask": mask}, {"mask": mask.long()}, {"lengths": torch.tensor([3, 3, 3])}):
        assert [row.tolist() for row in TokenBatch.from_padded(ids, **arguments)] == ids[:, :3].tolist()
    assert BLEU().sentence_scores(ids, ids.flip(0), ref_index=torch.tensor([2, 1, 0])).tolist() == [1.0] * 3
    assert BLEU().sentence_scores([ids[0], ids[1]], [[ids[0]], [ids[1], ids[2]]]).tolist() == [1.0] * 2


def test_tensors_of_torch_that_cannot_be_read() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(TypeError, match=r"ids is an object of type torch.Tensor on another device .*meta.*; pass ids.cpu\(\)"):
        TokenBatch.from_padded(torch.empty((2, 3), dtype=torch.int64, device="meta"))
    for tensor, said in [
        (torch.ones(2, 2), "ids is a float32 array"),
        (torch.ones(2, 2, dtype=torch.bool), "ids is a bool array"),
        (torch.ones(2, 2, requires_grad=True), "ids is an object of type torch.Tensor of dtype torch.float32; wanted integers"),
        (torch.nn.Parameter(torch.ones(2, 2)), "ids is an object of type .*Parameter of dtype torch.float32; wanted integers"),
        (torch.ones(2, 2, dtype=torch.bfloat16), "ids is an object of type torch.Tensor of dtype torch.bfloat16; wanted integers"),
        (torch.ones(2, 2, dtype=torch.int64).to_sparse(), "which cannot be read as an array: .*[sS]parse"),
    ]:
        with pytest.raises(TypeError, match=said):
            TokenBatch.from_padded(tensor)
    nested = torch.nested.nested_tensor([torch.tensor([1, 2]), torch.tensor([1])], layout=torch.jagged)
    with pytest.raises(TypeError, match=r"hypotheses is .*NestedTensor, nested; pass hypotheses.unbind\(\)$"):
        BLEU().sentence_scores(nested, [[1], [2]])
    assert BLEU().sentence_scores(nested.unbind(), [[1, 2], [1]]).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match=r"hypotheses is a one-dimensional array of shape \(2,\), one segment"):
        BLEU().sentence_scores(torch.tensor([1, 2]), [[1], [2]])
    with pytest.raises(ValueError, match=r"hypothesis is an int64 array of shape \(2, 1\); .* for a batch there is sentence_scores"):
        BLEU().sentence_score(torch.tensor([[1], [2]]), [1])
