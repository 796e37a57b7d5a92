"""NumPy's own functions inside of transforms: their values, dtypes and derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise.transforms import jvp, vjp, vmap
from likewise.transforms._numpys._table import FUNCTIONS, METHODS, UFUNCS

from . import tables
from .numpy_calls import CALLS, DISCRETE, X

NAMES = [
    pytest.param(n, f, id=f"{n}-{k}") for n, calls in CALLS.items() for k, f in enumerate(calls)
]


def leaves(out: Any) -> list[Any]:
    if isinstance(out, tuple | list):
        return [x for part in out for x in leaves(part)]
    return [out]


def floating(out: Any) -> list[Any]:
    return [x for x in leaves(out) if getattr(getattr(x, "dtype", None), "kind", "") in "fc"]


def test_each_name_has_a_call() -> None:
    assert CALLS.keys() == UFUNCS.keys() | FUNCTIONS.keys()
    for name, target in {
        **UFUNCS,
        **{n: r.target for n, r in (FUNCTIONS | METHODS).items()},
    }.items():
        assert target.partition(".")[0] in ("xp", "missing", "linalg", "numpy"), name


def test_the_page_of_names_is_up_to_date() -> None:
    page = (tables.DOCS / "transforms_numpy.md").read_text(encoding="utf-8")
    assert page == tables.numpys_page(), "run ci/transforms_tables.py"


def value(fun: Callable[[Any], Any], x: Any) -> Any:
    """What comes out in a transform, which differentiates nothing of it."""
    box: list[Any] = []

    def inside(x: Any) -> Any:
        box.append([getattr(i, "value", i) for i in leaves(fun(x))])
        return np.sum(x)

    jvp(inside, (x,), (np.zeros_like(x),))
    return box[0]


@pytest.mark.parametrize(("name", "fun"), NAMES)
def test_values_and_dtypes_are_numpys(name: str, fun: Any) -> None:
    for x in (X, X.astype(np.float32)):
        expected = leaves(fun(x))
        found = value(fun, x)
        assert len(found) == len(expected)
        for f, e in zip(found, expected, strict=True):
            assert np.shape(f) == np.shape(e)
            if hasattr(e, "dtype"):
                assert f.dtype == e.dtype
            tol = 2e-4 if x.dtype == np.float32 else 1e-12
            if not isinstance(e, np.dtype):
                np.testing.assert_allclose(f, e, rtol=tol, atol=tol)


def differences(fun: Any, x: Any, v: Any, h: float = 2e-3) -> list[Any]:
    """The derivative along a direction, to the sixth order."""
    total: list[Any] = []
    for c, n in ((3 / 4, 1), (-3 / 20, 2), (1 / 60, 3)):
        for sign in (1, -1):
            parts = [sign * c / h * p for p in floating(fun(x + sign * n * h * v))]
            total = parts if not total else [a + b for a, b in zip(total, parts, strict=True)]
    return total


@pytest.mark.parametrize(("name", "fun"), [p for p in NAMES if p.values[0] not in DISCRETE])
def test_derivatives(name: str, fun: Any) -> None:
    rng = np.random.default_rng(3)
    v = rng.normal(size=X.shape) * 0.1
    expected = differences(fun, X, v)
    _, found = jvp(lambda x: floating(fun(x)), (X,), (v,))
    for f, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(f, e, rtol=1e-6, atol=1e-7)
    out, pull = vjp(lambda x: floating(fun(x)), X)
    w = [np.asarray(rng.normal(size=o.shape)).astype(o.dtype) for o in out]
    along = sum(np.real(np.sum(a * b)) for a, b in zip(w, expected, strict=True))
    np.testing.assert_allclose(np.sum(pull(w)[0] * v), along, rtol=1e-6, atol=1e-7)
    out, pull = vjp(lambda x: floating(fun(x)), X.astype(np.float32))
    narrow = pull([np.ones_like(o) for o in out])[0]
    assert narrow.dtype == np.float32


# What has no rule for batches, or the size of its result depends on values.
NO_BATCH = frozenset(
    """unique intersect1d union1d setdiff1d nonzero flatnonzero argwhere extract compress
    allclose array_equal bincount can_cast result_type shape ndim size""".split()
)


@pytest.mark.parametrize(("name", "fun"), [p for p in NAMES if p.values[0] not in NO_BATCH])
def test_batches(name: str, fun: Any) -> None:
    stack = np.stack([X, X * 1.1 + 0.1, X[::-1] - 0.05])

    def inside(x: Any) -> Any:
        return [o for o in leaves(fun(x)) if hasattr(o, "dtype")]

    found = vmap(inside)(stack)
    each = [inside(x) for x in stack]
    for k, f in enumerate(found):
        e = np.stack([lane[k] for lane in each])
        assert f.dtype == e.dtype
        np.testing.assert_allclose(f, e, rtol=1e-10, atol=1e-11)
