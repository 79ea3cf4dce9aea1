from __future__ import annotations

import pytest

from clipgram import selftest
from clipgram._backend import IMPLEMENTATION
from clipgram.selftest import Example, examples


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.what)
def test_example(example: Example) -> None:
    assert example.agrees, f"{example.got} is not {example.wanted}"


def test_a_difference_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(selftest, "examples", lambda: iter([Example("one", 1, 1), Example("two", 0.51, 0.6, 1)]))
    assert selftest.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        "ok         one: 1",
        "DIFFERENT  two: 0.51",
        "           wanted 0.6",
        f"1 of 2 different ({IMPLEMENTATION})",
    ]


def test_all_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert selftest.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"all {len(lines) - 1} agree ({IMPLEMENTATION})" and len(lines) > 40
