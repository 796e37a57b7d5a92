"""The progress callback: a bar on a terminal, lines elsewhere, nothing where nobody looks."""

import io
import sys
from typing import Any

import pytest

from likewise.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _capable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def work(progress: Any) -> None:
    for i in range(3):
        progress(i, 3, f"step [{i}]")


def test_plain_lines() -> None:
    file = io.StringIO()
    with Progress(file=file, every=0) as progress:
        work(progress)
    assert file.getvalue() == "0/3 step [0]\n1/3 step [1]\n2/3 step [2]\n"


def test_lines_are_occasional() -> None:
    file = io.StringIO()
    with Progress(file=file, every=3600) as progress:
        work(progress)
    assert file.getvalue() == ""


def test_line_without_text() -> None:
    file = io.StringIO()
    with Progress(file=file, every=0) as progress:
        progress(1, 2)
    assert file.getvalue() == "1/2\n"


def test_quiet_without_terminal() -> None:
    file = io.StringIO()
    with Progress(file=file, quiet=True, every=0) as progress:
        work(progress)
    assert file.getvalue() == ""


def test_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(every=0) as progress:
        progress(1, 2, "half")
    out, err = capsys.readouterr()
    assert (out, err) == ("", "1/2 half\n")


@pytest.mark.parametrize("quiet", [False, True])
def test_bar_on_a_terminal(quiet: bool) -> None:
    file = Terminal()
    with Progress(file=file, quiet=quiet, every=0) as progress:
        work(progress)
        progress(3, 3, "done [b]not markup[/b]")
    text = file.getvalue()
    assert "━" in text and "3/3" in text and "[b]not markup[/b]" in text
    assert "0/3 step" not in text


def test_bar_ends_with_an_error() -> None:
    file = Terminal()
    with pytest.raises(ZeroDivisionError), Progress(file=file) as progress:
        progress(1, 2, "half")
        1 / 0
    length = len(file.getvalue())
    progress(2, 2, "late")  # a plain line could follow, a bar no more
    assert "━" not in file.getvalue()[length:]


def test_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    file = Terminal()
    with Progress(file=file, every=0) as progress:
        progress(1, 2, "half")
    assert file.getvalue() == "1/2 half\n"


def test_terminal_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    file = Terminal()
    with Progress(file=file, every=0) as progress:
        progress(1, 2, "half")
    assert file.getvalue() == "1/2 half\n"
