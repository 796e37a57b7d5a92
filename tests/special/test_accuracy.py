"""Errors against values by mpmath, region by region.

In double precision at most twice SciPy's worst in the same region, and never more than 32 units;
2 are always allowed, because libraries differ in their exponential and logarithm. In single
precision, which is computed in single precision, 4; 16 of functions with more than one regime in
two arguments. What can't be held has a line in `BEYOND`, and the table in the docs shows it.
"""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise._native import ROWS
from likewise._rooms import furnish

from .reference import kind, names, read, worst

furnish(likewise.special)

NAMES = names()  # of the files in references/
# Units of single precision; 4 of all others.
SINGLE = dict.fromkeys(
    """betainc betaincc betainccinv betaincinv fdtr fdtrc fdtri gammainc gammaincc gammainccinv
    gammaincinv stdtr stdtrit""".split(),
    16,
)
LEAST, MOST = 2.0, 32.0
# Where the limits above can't be met: units by function, dtype and region, and why.
BEYOND: dict[tuple[str, str, str], tuple[float, str]] = {
    ("binom", "float32", "negative and tiny"): (
        8.0,
        "quotients of sines and of gamma functions, rounded; where SciPy's in double loses 1000",
    ),
    ("erfcx", "float64", "right"): (2.1, "a quotient of two polynomials of degree 8, rounded"),
    ("ndtri", "float64", "small"): (2.2, "a polynomial in the root of a logarithm, rounded"),
    ("stdtrit", "float64", "huge df"): (3.0, "ndtri on JAX, whose logarithm is less exact"),
}


def on(lib: Any, func: Any) -> Any:
    return lambda *args: lib.to_numpy(func(*map(lib.asarray, args)))


def has_row(name: str, library: str) -> bool:
    """Tell if another package's routine may answer, so that the body is asked apart."""
    return any(r.generic.__name__ == f"_{name}" and library in r.routines for r in ROWS)


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", NAMES)
def test_double(lib: Any, name: str, leave_out: Any, once: bool) -> None:
    import scipy.special

    leave_out("float64", not lib.has_float64)
    table = read(name)
    func = getattr(likewise.special, name)
    both = has_row(name, lib.library) and not once
    bodies = [func.generic, func] if both else [func]
    theirs = worst(table, getattr(scipy.special, name))
    for body in bodies:
        for region, error in worst(table, on(lib, body)).items():
            limit = max(LEAST, min(2 * theirs[region], MOST))
            limit, _ = BEYOND.get((name, "float64", region), (limit, ""))
            assert error <= limit, (region, error, theirs[region])


@pytest.mark.parametrize("name", NAMES)
def test_single(lib: Any, name: str) -> None:
    table = read(name, "float32")
    assert table.value.size >= 8
    func = getattr(likewise.special, name)
    for body in [func.generic, func] if has_row(name, lib.library) else [func]:
        for region, error in worst(table, on(lib, body), "float32").items():
            limit, _ = BEYOND.get((name, "float32", region), (SINGLE.get(name, 4), ""))
            assert error <= limit, (region, error)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.share(4)
def test_blocks_are_like_the_whole(name: str, dtype: str) -> None:
    """A long array is worked on in pieces, each by the methods that its elements need."""
    table = read(name, dtype)
    args = [a.astype(kind(dtype, a)) for a in table.args]
    func = getattr(likewise.special, name)
    n = args[0].size
    repeated = func.generic(*(np.tile(a, 40_000 // n) for a in args))
    one = np.concatenate([func.generic(*(a[i : i + 9] for a in args)) for i in range(0, n, 9)])
    spread = np.abs(repeated.reshape(-1, n) - one) / np.spacing(np.abs(one))
    assert np.max(np.nan_to_num(spread)) <= 2
