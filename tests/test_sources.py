"""Changes of the code, and the cells of the table of capabilities that they make old."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import likewise
from likewise._capabilities import OLDER, PERHAPS, Table
from likewise._sources import Sources

ROOT = Path(likewise.__file__).parent
NAMES = ("signal.sosfilt", "signal.butter", "signal.medfilt", "signal.convolve", "missing.nanmean")

BEFORE = Sources()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the source of some rooms."""
    ignored = shutil.ignore_patterns("__pycache__", "demo", "lint", "*.json")
    return Path(shutil.copytree(ROOT, tmp_path / "likewise", ignore=ignored))


def changed(tree: Path, file: str, edit: Callable[[str], str]) -> set[str]:
    """Edit a file of the copy; return the functions whose hash is another then."""
    path = tree / file
    text = path.read_text("utf-8")
    path.write_text(edit(text), "utf-8")
    assert path.read_text("utf-8") != text
    after = Sources(tree)
    return {name for name in NAMES if BEFORE.hash_of(name) != after.hash_of(name)}


def after_def(name: str, line: str) -> Callable[[str], str]:
    """Return an edit: a line at the end of a file, which gives a name another meaning."""
    return lambda text: f"{text}\n{name} = {line}\n"


def test_a_change_makes_those_old_that_use_it(tree: Path) -> None:
    file = "signal/_filtering/_rank_filters.py"
    assert changed(tree, file, after_def("_ranked", "_ranked")) == {"signal.medfilt"}


def test_a_routine_of_a_row_counts(tree: Path) -> None:
    file = "_libs/numpy/_ranks.py"
    assert changed(tree, file, after_def("ranked", "ranked")) == {"signal.medfilt"}


def test_a_constant_counts(tree: Path) -> None:
    found = changed(tree, "signal/_base/_places.py", after_def("_LIKE", "None"))
    assert found == {"signal.butter", "signal.medfilt"}


def test_a_rule_of_a_derivative_counts(tree: Path) -> None:
    def edit(text: str) -> str:
        return text.replace("y, _recursion(a, dx -", "y, _recursion(a, 3.0 * dx -")

    assert BEFORE.hash_of("signal.lfilter") != ""
    changed(tree, "signal/_filtering/_lfilter.py", edit)
    assert Sources(tree).hash_of("signal.lfilter") != BEFORE.hash_of("signal.lfilter")


def test_files_that_are_loaded_by_name_count(tree: Path) -> None:
    changed(tree, "optimize/_minimize/_methods/_bfgs.py", after_def("METHOD", "None"))
    assert Sources(tree).hash_of("optimize.minimize") != BEFORE.hash_of("optimize.minimize")


def test_a_rule_of_the_interpreter_is_of_the_floor(tree: Path) -> None:
    file = "transforms/_rules/_tables/_elementwise.py"
    assert changed(tree, file, lambda text: text.replace("0.5 / y", "0.7 / y")) == set()
    assert Sources(tree).floor() != BEFORE.floor()


def test_the_floor_has_a_hash_of_its_own(tree: Path) -> None:
    floor = BEFORE.floor()
    assert changed(tree, "missing/_at.py", after_def("at", "at")) == set()
    assert Sources(tree).floor() != floor
    found = changed(tree, "missing/_nan.py", after_def("nanmean", "nanmean"))
    assert found == {"missing.nanmean"}


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace('    """', '    """Other words. ', 1),
        lambda text: "# a comment\n\n" + text,
        lambda text: text.replace("x: Any", "x: object"),
        lambda text: text.replace("(x: Any, ", "(\n    x: Any,\n    "),
    ],
)
def test_what_is_not_executed_does_not_count(tree: Path, edit: Callable[[str], str]) -> None:
    assert changed(tree, "signal/_filtering/_rank_filters.py", edit) == set()


def test_a_move_does_not_count(tree: Path) -> None:
    """A file goes to another room of signal, and what imports it follows."""
    old, new = tree / "signal/_filtering/_rank_filters.py", tree / "signal/_finding/_ranks.py"
    old.rename(new)
    for path in (tree / "signal").rglob("*.py"):
        text = path.read_text("utf-8")
        path.write_text(text.replace("_filtering._rank_filters", "_finding._ranks"), "utf-8")
    after = Sources(tree)
    assert [after.hash_of(n) for n in NAMES] == [BEFORE.hash_of(n) for n in NAMES]
    assert after._found(after._file("signal").imports["medfilt"]).file == "signal._finding._ranks"  # type: ignore[union-attr]


def test_every_function_of_the_table_is_found() -> None:
    assert all(map(BEFORE.hash_of, NAMES)) and BEFORE.hash_of("signal.nothing") == ""


@pytest.mark.parametrize(
    ("code", "older", "age"),
    [
        ({"0": "now", "1": "now"}, {}, ""),
        ({"0": "before", "1": "now"}, {}, ""),
        ({"0": "before", "1": "now"}, {"vmap": 0}, OLDER),
        ({"0": "now", "1": "before"}, {}, OLDER),
        ({"0": "now"}, {}, PERHAPS),
        ({}, {}, PERHAPS),
    ],
)
def test_cells_are_as_old_as_their_runs(
    code: dict[str, str], older: dict[str, int], age: str
) -> None:
    sources = BEFORE
    code = {n: sources.hash_of("signal.butter") if h == "now" else h for n, h in code.items()}
    facts: dict[str, Any] = {"run": 1, "cells": {"eager": "yes"}, "older": older}
    run = {"versions": {}, "platform": "any", "commit": "abc", "date": "2026-11-26"}
    data = {
        "runs": [run, run],
        "functions": {"signal.butter": {"choices": {}, "code": code, "libraries": {"jax": facts}}},
    }
    table = Table(data, sources)
    assert table.age("signal.butter", "jax") == age
    assert table.age("signal.butter", "torch") == ""
    assert table.ages("jax") == {OLDER: int(age == OLDER), PERHAPS: int(age == PERHAPS)}
    assert any(said.endswith(age) for said in table.origins("signal.butter", "jax"))
