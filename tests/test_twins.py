"""The compiled module and its twin look the same from outside."""

from __future__ import annotations

import importlib
import inspect

import pytest

FUNCTIONS = {
    "_index": ["count_shared", "number_ngrams", "postings"],
    "_ngrams": ["count_matches", "match_flags", "match_prefixes"],
    "_lists": ["all_str", "count_lists", "flatten", "flatten_ids", "flatten_tokens"],
    "_objects": ["count_objects", "name_objects"],
    "_text": ["count", "count_text", "count_words", "encode", "tokenize"],
}
PAIRS = [(module, function) for module, functions in FUNCTIONS.items() for function in functions]


@pytest.mark.parametrize("module, function", PAIRS)
def test_same_parameters_and_docstring(module: str, function: str) -> None:
    if not importlib.util.find_spec(f"clipgram.{module}"):
        pytest.skip("this installation has no compiled core")
    compiled = getattr(importlib.import_module(f"clipgram.{module}"), function)
    twin = getattr(importlib.import_module(f"clipgram.{module}_py"), function)
    of_twin = inspect.signature(twin).parameters.values()
    of_compiled = inspect.signature(compiled).parameters.values()
    assert [(p.name, p.kind, p.default) for p in of_compiled] == [(p.name, p.kind, p.default) for p in of_twin]
    assert inspect.getdoc(compiled) == inspect.getdoc(twin)


@pytest.mark.parametrize("module", FUNCTIONS)
def test_same_public_names(module: str) -> None:
    if not importlib.util.find_spec(f"clipgram.{module}"):
        pytest.skip("this installation has no compiled core")

    def functions(name: str) -> set[str]:
        found = vars(importlib.import_module(name)).items()
        return {
            key
            for key, value in found
            if inspect.isroutine(value) and not key.startswith("_") and getattr(value, "__module__", None) == name
        }

    assert functions(f"clipgram.{module}") == set(FUNCTIONS[module]) == functions(f"clipgram.{module}_py")
