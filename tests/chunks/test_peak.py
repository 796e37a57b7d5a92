"""The memory that a step takes."""

import time
from pathlib import Path

import pytest

from likewise.chunks import _peak
from likewise.chunks._peak import Peak


def test_what_a_step_takes() -> None:
    peak = Peak()
    peak.begin()
    held = bytearray(64 << 20)
    time.sleep(0.02)
    del held
    peak.end()
    assert 60 << 20 < peak.taken < 100 << 20


def test_a_system_that_does_not_tell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_peak, "_STATM", str(tmp_path / "none"))
    peak = Peak()
    peak.begin()
    peak.end()
    assert peak.taken == 0
