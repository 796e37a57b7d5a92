"""Every public function compiled by JAX, in its case: values, dtypes, nothing read on the host.

It runs by default in the place of tests in the variant jax-jit, which call each function in many
ways, compile each of them, and run under --full. Functions without a case keep theirs: see _ON_THE_SURFACE
in tests/conftest.py.
"""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise._namespace import load
from likewise.testing import no_host_copies
from likewise.testing._function import made
from likewise.testing._plan import Call
from likewise.testing._trial import Trial
from likewise.testing._variants import VARIANTS
from likewise.transforms._tree import leaves

from .case import Case
from .cases_stats_rows import STATS_ROWS
from .listed import WITHOUT, functions
from .test_alone import serves
from .test_every_function import CASES

pytestmark = [pytest.mark.needs("jax"), pytest.mark.filterwarnings("ignore")]

SERVED: dict[str, list[Case]] = {}
for _case in CASES:
    if serves(_case, "jit", "jax") and _case.name not in WITHOUT:
        SERVED.setdefault(_case.name, []).append(_case)
FIRST = [cases[0] for cases in SERVED.values()]
# Distributions are rows of one text, and take half of the time.
ROWS = {id(c) for c in STATS_ROWS}
SHARED = [pytest.param(c, marks=pytest.mark.share(4)) for c in FIRST if id(c) in ROWS]
MORE = [pytest.param(c, marks=pytest.mark.share(6)) for cases in SERVED.values() for c in cases[1:]]
QUIET = ("eager", "jit", "compile", "grad", "vmap", "batch", "empty", "complex", "sharded")


def trial(found: Case) -> Trial:
    """The case on JAX, where the values of its reference are due."""
    room, _, short = found.name.partition(".")
    function = found.func or getattr(importlib.import_module(f"likewise.{room}"), short)
    given = found.options
    call = Call(function, found.args, given.get("kwargs") or {}, given.get("tol"), 0, "call", "")
    plan = made(found.name, call, given.get("reference"), dict.fromkeys(QUIET, False), False)
    due = plan.expected or _on_numpy(function, call)
    return Trial(plan, VARIANTS["jax"], "jax", {}, first=due)


def _on_numpy(function: Callable[..., Any], call: Call) -> list[Any]:
    """The values where a case has no reference: the tests of the room compare them."""
    out = function(*call.args, **call.kwargs)
    return [np.asarray(leaf) for leaf in leaves(out) if hasattr(leaf, "dtype")]


@pytest.mark.parametrize(
    "found", [*(c for c in FIRST if id(c) not in ROWS), *SHARED, *MORE], ids=str
)
def test_compiled(found: Case) -> None:
    case = trial(found)
    wide = "float64" if "float64" in found.options.get("dtypes", ("float64",)) else "float32"
    with VARIANTS["jax"].active():
        case.compiled(load("jax"), wide)


@pytest.mark.parametrize("found", FIRST, ids=str)
@pytest.mark.share(3)
def test_traced_in_single_precision(found: Case) -> None:
    import jax

    case = trial(found)
    with VARIANTS["jax"].active(), no_host_copies():
        arrays, outputs = case.flat("float32")
        shapes = jax.eval_shape(outputs, *arrays)
    assert shapes
    if case.goes_in():
        assert {s.dtype.name for s in shapes if s.dtype.kind in "fc"} <= {"float32", "complex64"}


def test_every_function_is_compiled_or_says_why() -> None:
    """A function none of whose cases is compiled has the reason in one, or in WITHOUT."""
    declared = {c.name for c in CASES if not serves(c, "jit", "jax")}
    of_methods = {name.rpartition(".")[0] for name in SERVED}
    assert sorted(set(functions()) - set(SERVED) - set(WITHOUT) - declared - of_methods) == []
