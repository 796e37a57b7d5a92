"""SciPy's names of Powell's method, TNC and COBYLA, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise import optimize
from likewise.errors import ArgumentError

START = np.asarray([0.2, 0.5])


def bowl(x: Any, a: float = 1.0) -> Any:
    return (x[0] - a) ** 2 + 2 * (x[1] - 0.5 * x[0]) ** 2 + 0.1 * x[0] ** 4


def test_powell(lib: Any) -> None:
    if lib.library == "dask" or not lib.has_float64 or lib.jit:
        return
    expected = scipy.optimize.fmin_powell(bowl, START, (0.7,), disp=False)
    got = optimize.fmin_powell(bowl, lib.asarray(START), (0.7,), full_output=True)
    assert len(got) == 5 and int(got[-1]) == 0
    np.testing.assert_allclose(lib.to_numpy(got[0]), expected, atol=1e-5)
    if lib.name == "numpy":
        found, points = optimize.fmin_powell(
            bowl, START, retall=True, direc=np.asarray([[1.0, 1.0], [1.0, -1.0]])
        )
        np.testing.assert_array_equal(points[-1], found)


def test_tnc(lib: Any) -> None:
    if lib.library == "dask" or not lib.has_float64 or lib.jit:
        return
    box = [(0.0, 0.4), (None, None)]
    expected, *_ = scipy.optimize.fmin_tnc(bowl, START, approx_grad=True, bounds=box, disp=0)
    x, nfev, rc = optimize.fmin_tnc(bowl, lib.asarray(START), approx_grad=True, bounds=box)
    assert rc == 0 and int(nfev) > 1
    np.testing.assert_allclose(lib.to_numpy(x), expected, atol=1e-5)


def test_cobyla(lib: Any) -> None:
    if lib.library == "dask" or not lib.has_float64 or lib.jit:
        return

    def within(x: Any, a: float) -> Any:
        return a * a - x[0] ** 2 - x[1] ** 2

    given: dict[str, Any] = {"args": (2.0,), "consargs": (0.6,), "rhoend": 1e-7, "catol": 1e-9}
    expected = scipy.optimize.fmin_cobyla(bowl, START, within, **given)
    got = optimize.fmin_cobyla(bowl, lib.asarray(START), [within], **given)
    x = lib.to_numpy(got)
    np.testing.assert_allclose(bowl(x, 2.0), bowl(expected, 2.0), atol=1e-7)
    assert within(x, 0.6) >= -1e-8
    with pytest.raises(ArgumentError, match="cons must be a function"):
        optimize.fmin_cobyla(bowl, START, 3.0)
