"""Arguments that fit nothing end in an error of ours, which names function and argument."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import linalg
from likewise import missing as m
from likewise.errors import ArrayTypeError, DtypeError, MixedLibrariesError

X = np.arange(3.0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: linalg.cho_solve(None, X), "cho_solve: argument 'c_and_lower' must be the pair"),  # type: ignore[arg-type]
        (lambda: linalg.cho_solve((X,), X), "cho_solve: argument 'c_and_lower' must be the pair"),  # type: ignore[arg-type]
        (lambda: linalg.lu_solve(None, X), "lu_solve: argument 'lu_and_piv' must be the pair"),  # type: ignore[arg-type]
        (lambda: linalg.lu_solve(np.eye(2), X), "lu_solve: argument 'lu_and_piv' must be the pair"),  # type: ignore[arg-type]
        (
            lambda: m.ravel_multi_index(None, 3),
            "ravel_multi_index: argument 'multi_index' must be a sequence",
        ),
        (lambda: m.geomspace(None, 1), "geomspace: argument 'start' must be .* got None"),
        (lambda: m.logspace(1, None), "logspace: argument 'stop' must be .* got None"),
        (lambda: m.geomspace(None, 1, like=X), "geomspace: argument 'start'"),
    ],
)
def test_nothing_where_arrays_are_needed(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(ArrayTypeError, match=text):
        call()


@pytest.mark.parametrize("pivots", [None, [0, 1, 2], X])
def test_pivots_are_an_array_of_integers(pivots: Any) -> None:
    with pytest.raises(DtypeError, match="lu_solve: argument 'piv' must be an array of integers"):
        linalg.lu_solve((np.eye(3), pivots), X)


@pytest.mark.needs("array_api_strict")
@pytest.mark.parametrize("op", ["set", "add", "multiply", "divide", "power", "min", "max"])
def test_values_of_another_library(op: str) -> None:
    value = likewise.asarray(1.0, namespace="strict")
    with pytest.raises(MixedLibrariesError, match=f"at: {op} .* got is a strict array"):
        getattr(m.at(X)[0], op)(value)


# What torch does with the dtypes that it has in name only is to be ours, too.
@pytest.mark.needs("torch")
@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
@pytest.mark.parametrize("name", ["circulant", "diff", "hankel", "nanmax", "rot90", "round"])
def test_dtypes_that_torch_has_in_name_only(name: str, dtype: str) -> None:
    x = likewise.asarray(np.asarray([3, 1, 2], dtype=dtype), namespace="torch")
    func = getattr(linalg if name in ("circulant", "hankel") else m, name)
    args: tuple[Any, ...] = {"rot90": (x[:, None], 2), "round": (x, -1)}.get(name, (x,))
    for call in (func, getattr(func, "generic", func)):
        with pytest.raises(DtypeError, match=f"{name}: got an array of {dtype}.* xp.astype"):
            call(*args)


@pytest.mark.parametrize("name", ["union1d", "searchsorted", "digitize"])
def test_integers_without_a_common_dtype(name: str) -> None:
    with pytest.raises(DtypeError, match=f"{name}: got integers of u?int64 and u?int64"):
        getattr(m, name)(np.asarray([1]), np.asarray([2], dtype="uint64"))
