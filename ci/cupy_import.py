"""CuPy on a machine without a driver: names, signatures and refusals. ``ci/cupy-import`` runs it.

Nothing is computed here. What CuPy computes is tested where there is a GPU, by ``ci/gpu``.
"""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import array_api_strict as strict
import cupy as cp
import pytest

import likewise
from likewise import _standard
from likewise._native import ROWS
from likewise.errors import LikewiseError

SOURCE = Path(likewise.__file__).parent
# Written in C, without a signature that Python can read.
UNREADABLE = {"from_dlpack"}
CALLS = [
    ("", [n for n in _standard.FUNCTIONS if "." not in n]),
    ("fft", sorted(_standard.FFT)),
    ("linalg", sorted(_standard.LINALG)),
]


def rows() -> Iterator[tuple[Callable[..., Any], str]]:
    """The apply steps with a routine of CuPy, in every module that can be imported here."""
    for module in pkgutil.walk_packages(likewise.__path__, "likewise."):
        room = module.name.split(".")[1]
        if room not in ("_libs", "__main__", "cli", "demo", "testing"):
            importlib.import_module(module.name)
    for row in ROWS:
        if "cupy" in row.routines:
            yield row.generic, row.routines["cupy"]


def names_of(file: Path) -> Iterator[tuple[str, ast.Call | None]]:
    """List what a file takes of CuPy: dotted names after ``cp.``, with the call if it is one."""
    tree = ast.parse(file.read_text())
    inner = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    calls = {id(n.func): n for n in ast.walk(tree) if isinstance(n, ast.Call)}
    for node in ast.walk(tree):
        text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if text.startswith("cp.") and id(node) not in inner:
            yield text[3:], calls.get(id(node))


def find(name: str) -> Any:
    found = cp
    for part in name.split("."):
        found = getattr(found, part)
    return found


def takes(routine: Any, positional: int, keywords: list[str]) -> None:
    """Fail unless a routine takes so many arguments, and those by name."""
    if isinstance(routine, cp.ufunc):
        assert positional == routine.nin and set(keywords) <= {"out", "dtype", "casting"}
        return
    inspect.signature(routine).bind(*range(positional), **dict.fromkeys(keywords))


def test_there_is_no_driver() -> None:
    """Fail where a driver is: this lane is for machines without; its wrapper hides a GPU."""
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
        cp.cuda.runtime.getDeviceCount()


def test_the_namespace_is_complete() -> None:
    xp = likewise.namespace("cupy")
    assert [n for n in sorted(_standard.STANDARD) if not hasattr(xp, n)] == []
    assert [n for n in sorted(_standard.FFT) if not hasattr(xp.fft, n)] == []
    assert [n for n in sorted(_standard.LINALG) if not hasattr(xp.linalg, n)] == []


@pytest.mark.parametrize(("room", "names"), CALLS, ids=["functions", "fft", "linalg"])
def test_functions_take_the_arguments_of_the_standard(room: str, names: list[str]) -> None:
    xp, model = likewise.namespace("cupy"), strict
    if room:
        xp, model = getattr(xp, room), getattr(strict, room)
    unreadable = set()
    for name in names:
        wanted = inspect.signature(getattr(model, name)).parameters.values()
        routine = getattr(xp, name)
        if isinstance(routine, cp.ufunc):
            takes(routine, len(wanted), [])
        elif inspect.isbuiltin(inspect.unwrap(routine)):
            unreadable.add(name)
        else:
            positional = [
                p for p in wanted if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            ]
            takes(routine, len(positional), [p.name for p in wanted if p.kind == p.KEYWORD_ONLY])
    assert unreadable <= UNREADABLE


def test_rows_fit() -> None:
    """A routine takes what its apply step is called with."""
    found = list(rows())
    assert len(found) >= 2
    for generic, words in found:
        module, _, name = words.partition(":")
        routine = importlib.import_module(module)
        for part in name.split("."):
            routine = getattr(routine, part)
        wanted = inspect.signature(generic).parameters.values()
        plain = [p for p in wanted if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        takes(routine, len(plain), [p.name for p in wanted if p.kind == p.KEYWORD_ONLY])


def test_what_the_library_takes_of_cupy_is_there() -> None:
    names = [n for f in sorted((SOURCE / "_libs" / "cupy").glob("*.py")) for n in names_of(f)]
    assert len(names) > 10
    for name, call in names:
        routine = find(name)
        if call is None or name == "cuda.Device" or isinstance(routine, type):
            continue
        if type(routine).__name__ in ("builtin_function_or_method", "cython_function_or_method"):
            continue  # of the runtime; without a signature
        takes(routine, len(call.args), [k.arg for k in call.keywords if k.arg])


@pytest.mark.parametrize("op", ["add", "maximum", "minimum"])
def test_segments_are_joined_by_what_has_at(op: str) -> None:
    assert callable(getattr(cp, op).at)


# -- refusals --------------------------------------------------------------------------------------


def use(**where: str) -> Any:
    with likewise.use("cupy", **where):
        return likewise.xp.zeros(3)


REFUSED = {
    "use with a device": lambda: use(device="gpu"),
    "use with the second device": lambda: use(device="gpu:1"),
    "use and create": lambda: use(),
    "asarray": lambda: likewise.asarray([1.0], namespace="cupy"),
    "namespace and create": lambda: likewise.namespace("cupy").zeros(3),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_needs_a_driver_is_refused_in_our_words(what: str) -> None:
    with pytest.raises(LikewiseError) as caught:
        REFUSED[what]()
    text = str(caught.value)
    assert "cupy" in text.lower() and "list [1.0] came" not in text


def test_there_are_no_devices() -> None:
    assert list(likewise.devices("cupy")) == []


def test_info_says_that_there_is_no_device() -> None:
    assert "CuPy" in str(likewise.info("cupy")) or "cupy" in str(likewise.info("cupy"))
