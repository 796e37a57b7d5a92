"""Every public function has a test of its values that runs on each library without --full."""

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .capabilities.listed import WITHOUT

HERE = Path(__file__).parent
PACKAGES = (
    *(
        "differentiate",
        "fft",
        "integrate",
        "interpolate",
        "linalg",
        "missing",
        "ndimage",
        "optimize",
        "polynomial",
        "random",
    ),
    *(
        "signal",
        "signal.windows",
        "sparse.linalg",
        "spatial.distance",
        "special",
        "stats",
        "stats.contingency",
        "stats.qmc",
    ),
)
OF_NUMBERS = {"next_fast_len", "prev_fast_len", "show_options"}  # of integers, and a text
ROWS = [line.split(" ", 1) for line in (HERE / "surface.txt").read_text().splitlines()]


def _functions(package: str) -> set[str]:
    """Return what a package makes public, but for the classes of its results."""
    module = importlib.import_module(f"likewise.{package}")
    names = {name: getattr(module, name) for name in module.__all__}
    found = {n for n, f in names.items() if not inspect.isclass(f) or n in ("at", "Generator")}
    return {f"{package}.{name}" for name in found - OF_NUMBERS}


def public() -> set[str]:
    return set().union(*map(_functions, PACKAGES))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_function_has_a_line(package: str) -> None:
    listed = {name for name, _ in ROWS if name.rpartition(".")[0] == package}
    assert listed == _functions(package)


@functools.cache
def _arguments(file: str) -> dict[str, set[str]]:
    """Return the names of the arguments of each test in a file."""
    body = ast.parse((HERE / file).read_text()).body
    return {f.name: {a.arg for a in f.args.args} for f in body if isinstance(f, ast.FunctionDef)}


def test_the_tests_are_there_and_name_the_functions() -> None:
    for name, test in ROWS:
        file, _, rest = test.partition("::")
        assert _arguments(file).get(rest.partition("[")[0], set()) & {"xp", "lib"}, test
        rows = (HERE / file).with_name("rows.py")  # a table of what a test walks
        text, short = (HERE / file).read_text(), name.rpartition(".")[2]
        text += rows.read_text() if rows.exists() else ""
        assert short in text or (
            "names()" in text and (HERE / "special" / "references" / f"{short}.csv").exists()
        ), test


@pytest.mark.parametrize("variant", ["jax-jit", "strict-minimal", "torch", "numpy"])
def test_the_lines_are_tests_that_pytest_finds(
    variant: str, request: pytest.FixtureRequest, leave_out: Callable[[str, bool], None]
) -> None:
    found = {item.nodeid.removeprefix("tests/") for item in request.session.items}
    chosen = {i for i in found if f"[{variant}" in i}
    leave_out("whole", len({i.partition("::")[0] for i in found}) < 100 or not chosen)
    here = {re.sub(rf"\[{variant}(-|(?=\]))", "[", i).replace("[]", "") for i in chosen}
    # What has a case is compiled there: tests/capabilities/test_compiled.py.
    due = [row for row in ROWS if variant != "jax-jit" or row[0] in WITHOUT]
    assert {test for _, test in due} <= here
