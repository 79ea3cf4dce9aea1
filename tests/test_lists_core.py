"""Walks over lists: the compiled ones and their twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_text_core import implementations

LISTS = [
    ([["a", "b"], ("c",)], (["a", "b", "c"], [2, 1])),
    ([], ([], [])),
    ([["a"], []], None),
    ([["a"], "b"], None),
    ([["a", 1]], None),
    ([["a"], None], None),
]


@pytest.mark.parametrize("lists, wanted", LISTS)
def test_flatten(lists: list[Any], wanted: Any) -> None:
    for core in implementations("_lists"):
        assert core.flatten(lists) == wanted


TOKEN_LISTS = [
    ([["a", "b"], [["c"], ("d", "e")]], ([["a", "b"], ["c"], ("d", "e")], [1, 2])),
    ([[1, 2], ([3], [4, 5])], ([[1, 2], [3], [4, 5]], [1, 2])),
    ([], ([], [])),
    ([["a"], []], None),
    ([["a"], [["b"], []]], None),
    ([["a"], [["b"], None]], None),
    ([["a"], "b"], None),
    ([[None]], None),
    ([np.array([1])], None),
]


@pytest.mark.parametrize("entries, wanted", TOKEN_LISTS)
def test_flatten_tokens(entries: list[Any], wanted: Any) -> None:
    for core in implementations("_lists"):
        assert core.flatten_tokens(entries) == wanted


IDS = [
    ([[1, 2], (), (3, -(2**63), 2**63 - 1), [4]], ([1, 2, 3, -(2**63), 2**63 - 1, 4], [0, 2, 2, 5, 6])),
    ([], ([], [0])),
    ([[], ()], ([], [0, 0, 0])),
    ([[1], [2**63]], None),
    ([[-(2**63) - 1]], None),
    ([[1, True]], None),
    ([[1, 2.0]], None),
    ([[np.int64(1)]], None),
    ([[1], ["a"]], None),
    ([[1], None], None),
    ([[1], range(3)], None),
    ([[1], np.array([1])], None),
]


@pytest.mark.parametrize("lists, wanted", IDS)
def test_flatten_ids(lists: list[Any], wanted: Any) -> None:
    for core in implementations("_lists"):
        made = core.flatten_ids(lists)
        if wanted is None:
            assert made is None
            continue
        assert [array.dtype for array in made] == [np.int64, np.int64]
        assert tuple(array.tolist() for array in made) == wanted and made[0].flags.writeable


ID_LISTS = [
    ([1, 2, 3], [1, 2, 4], (3, (3,), (2, 1))),
    ([1, 2, 3], [[1, 2, 4], None, [3]], (3, (3, 1), (3, 1))),
    ([2**63 - 1, -(2**63)], [[2**63 - 1, -(2**63)], []], (2, (2, 0), (2, 1))),
    ([1], [], None),
    ([1], [None], None),
    ([1], [1, 2.0], None),
    ([1, "a"], [[1]], None),
    ([1, True], [[1]], None),
    ([1], [[1], 2], None),
    ([1], (1, 2), None),
    ([1], [(1, 2)], None),
    ([2**63], [[1]], None),
    ([1], [[1, -(2**63) - 1]], None),
]


@pytest.mark.parametrize("hypothesis, references, wanted", ID_LISTS)
def test_one_list_of_ids(hypothesis: Any, references: Any, wanted: Any) -> None:
    for core in implementations("_lists"):
        assert core.count_lists(hypothesis, references, 2, False) == wanted
