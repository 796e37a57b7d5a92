"""Every public function, called once on what stands in for a GPU: ``ci/test`` runs it by itself.

    python -m pytest --xp=cupy-simulated,torch-simulated tests/simulated

Nothing here counts as run on CuPy or on CUDA. With ``--full``, each case of the table of
capabilities is checked in all of its ways.
"""

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace, prefer, special, trace_transfers
from likewise.errors import LikewiseError
from likewise.testing import check_function
from likewise.transforms import grad
from likewise.transforms._tree import leaves, map_leaves

from ..capabilities.case import Case
from ..capabilities.listed import functions
from ..capabilities.test_every_function import CASES
from .calls import CALLS, OF_NUMBERS

# These loop on a GPU, where on the host they pick elements.
LOOPING = ("betainc", "betaincinv", "gammainc", "gammainccinv", "stdtrit", "bdtr", "jn")


def function(found: Case) -> Any:
    room, _, short = found.name.partition(".")
    return found.func or getattr(importlib.import_module(f"likewise.{room}"), short)


def arrays(tree: Any) -> list[Any]:
    return [x for x in leaves(tree) if hasattr(x, "dtype")]


def placed(xp: Any, found: Case) -> tuple[Any, Any]:
    tree = found.args, found.options.get("kwargs") or {}
    made: Any = map_leaves(lambda x: xp.asarray(x) if isinstance(x, np.ndarray) else x, tree)
    return made


def once() -> Iterator[Any]:
    """Every case; on torch, where arguments aren't the question, without --full one a function."""
    known: set[str] = set()
    for found in [*CASES, *CALLS]:
        marks = [pytest.mark.long("torch-simulated")] if found.name in known else []
        known.add(found.name)
        yield pytest.param(found, marks=marks)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("found", list(once()), ids=str)
def test_one_call(xp: Any, lib: Any, found: Case, leave_out: Any) -> None:
    """Results are on the device, on CuPy with NumPy's values; nothing is copied to the host unsaid."""
    leave_out("compiled", lib.library == "torch" and found.name == "transforms.jit")
    args, kwargs = placed(xp, found)
    eager = found.options.get("eager", True)
    if isinstance(eager, dict) and eager.get(lib.library, True) is not True:
        with pytest.raises(LikewiseError):
            function(found)(*args, **kwargs)
        return
    with trace_transfers() as log:
        out = function(found)(*args, **kwargs)
    got = [lib.to_numpy(x) for x in arrays(out)]
    if lib.library != "cupy":
        return
    if not found.options.get("copies") and found not in CALLS:  # those say that they read
        assert [t for t in log if t.target.startswith("numpy")] == []
    with prefer("generic") if found in CALLS else contextlib.nullcontext():
        due = arrays(function(found)(*found.args, **(found.options.get("kwargs") or {})))
    for x, y in zip(got, due, strict=True):
        assert x.dtype == y.dtype
        scale = np.max(np.abs(y[np.isfinite(y)]), initial=1.0) if y.dtype.kind in "fc" else 1.0
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-7 * scale)


@pytest.mark.long("torch-simulated")  # it has transforms of its own
@pytest.mark.parametrize("name", LOOPING)
def test_derivatives_where_no_element_is_picked(xp: Any, lib: Any, name: str) -> None:
    found = next(c for c in CASES if c.name == f"special.{name}")
    args, _ = placed(xp, found)

    def last(x: Any) -> Any:
        return array_namespace(x).sum(getattr(special, name)(*args[:-1], x))

    lib.to_numpy(grad(last)(args[-1]))


def test_every_public_function_is_called() -> None:
    names = {n for found in [*CASES, *CALLS] for n in (found.name, found.name.rpartition(".")[0])}
    assert set(functions()) - names == OF_NUMBERS


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*complex, (switching to|so both)")
@pytest.mark.parametrize("found", CASES, ids=str)
def test_in_its_case(xp: Any, lib: Any, found: Case) -> None:
    check_function(
        function(found),
        *found.args,
        name=f"likewise.{found.name}",
        libraries=[lib.name],
        interpreted=True,
        **(found.options | {"compile": False}),
    )
