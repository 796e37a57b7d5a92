"""Sums of series against SciPy's, and of their derivatives against differences."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si
import scipy.special as ss

from likewise import array_namespace, is_lazy, transforms
from likewise.errors import ArgumentError, NotSupported
from likewise.integrate import nsum

from .closeness import near

INF = math.inf
P = np.asarray([2.0, 3.0, 6.5])


def power(k: Any, p: Any) -> Any:
    return 1 / k**p


CASES: list[tuple[Any, Any, Any, dict[str, Any]]] = [
    (lambda k: 1 / k**2, 1, INF, {}),
    (lambda k: 1 / k**2, 1, 10, {}),
    (power, 1, INF, {"args": (P,)}),
    (power, [1, -INF, 1, np.nan, 5, 1], [INF, -1, 10, 1, 1, INF], {"args": (2.0,)}),
    (lambda k: np.exp(-k * k), -INF, INF, {}),
    (lambda k: np.exp(-k * k), -25, INF, {}),
    (lambda k: -k * k, [-INF, 0, 0], [INF, 3, INF], {"log": True}),
    (lambda k: 1 / k**2, [1, 5], 100, {"maxterms": 10, "step": 0.5}),
    (lambda k: 1 / k**2, [1, 5], 20, {"step": np.asarray([[0.5], [3], [-1], [np.inf]])}),
    (lambda k: 1 / k**2, [1, 5], INF, {"maxterms": 0, "tolerances": {"rtol": 1e-12}}),
    (lambda k: 1 / k, 1, INF, {}),
    (power, [0, 0, 1, 1], [10, INF, INF, INF], {"args": (np.asarray([2, 2, 0.9, 1.1]),)}),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_scipy(number: int) -> None:
    f, a, b, options = CASES[number]
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    ours = nsum(f, a, b, **options)
    with np.errstate(all="ignore"):
        theirs = si.nsum(f, a, b, **options)
    assert np.allclose(ours.sum, theirs.sum, rtol=1e-13, equal_nan=True)
    assert np.allclose(ours.error, theirs.error, rtol=1e-3, equal_nan=True)
    for name in ("nfev", "status", "success"):
        assert np.array_equal(ours[name], theirs[name]), name


def test_nsum(xp: Any, leave_out: Any) -> None:
    one, p = xp.asarray(np.asarray(1.0)), xp.asarray(P)
    leave_out("values", is_lazy(p))
    near(xp, nsum(power, one, 30.0, args=(p,)).sum, [sum(k**-v for k in range(1, 31)) for v in P])
    leave_out("float64", not xp.variant.has_float64)
    near(xp, nsum(power, one, INF, args=(p,)).sum, ss.zeta(P), rtol=1e-11)


def test_derivatives() -> None:
    def zeta(p: Any) -> Any:
        return nsum(lambda k, p: k**-p, 1.0, INF, args=(p,)).sum

    slope = transforms.grad(zeta)(np.asarray(3.0))
    assert abs(slope - (zeta(3 + 1e-5) - zeta(3 - 1e-5)) / 2e-5) < 1e-7
    base = transforms.grad(lambda c: nsum(lambda k: array_namespace(k).exp(-c * k), 0, 5.0).sum)
    k = np.arange(6)
    assert abs(base(np.asarray(0.7)) + np.sum(k * np.exp(-0.7 * k))) < 1e-12


def test_without_values() -> None:
    p = np.asarray([2.0, 3.0])
    with pytest.raises(NotSupported, match="depends on values"):
        transforms.vmap(lambda p: nsum(lambda k, p: k**-p, 1.0, INF, args=(p,)).sum)(p)
    with pytest.raises(NotSupported, match="depends on values"):
        transforms.vmap(lambda a: nsum(lambda k: k**-2, a, INF).sum)(p)


def test_errors() -> None:
    assert nsum(power, np.zeros((0, 1)), INF, args=(P,)).sum.shape == (0, 3)
    assert nsum(lambda k: 1 / k, np.float32(1), np.float32(9)).sum.dtype == np.float32
    for options in (
        {"maxterms": 3.5},
        {"log": 2},
        {"tolerances": {"atol": -1}},
        {"tolerances": {"rtol": INF}},
        {"tolerances": {"other": 1}},
    ):
        with pytest.raises(ArgumentError):
            nsum(power, 1.0, INF, args=(P,), **options)  # type: ignore[arg-type]
