"""Relative extrema against SciPy, on every library."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.signal import argrelextrema, argrelmax, argrelmin

X = np.random.default_rng(3).integers(-3, 4, (9, 7)).astype(float)


@pytest.mark.parametrize("name", ["argrelmax", "argrelmin", "argrelextrema"])
def test_equals_scipy(lib: Any, name: str) -> None:
    ours = {"argrelmax": argrelmax, "argrelmin": argrelmin, "argrelextrema": argrelextrema}[name]
    compare = (np.greater_equal,) if name == "argrelextrema" else ()
    for axis, order, mode in ((0, 1, "clip"), (1, 2, "wrap"), (-1, 1, "wrap")):
        expected = getattr(scipy.signal, name)(X, *compare, axis=axis, order=order, mode=mode)
        mine = (lib.xp.greater_equal,) if compare else ()
        got = ours(lib.asarray(X), *mine, axis=axis, order=order, mode=mode, size=40)
        for a, b in zip(got, expected, strict=True):
            assert likewise.library(a) == lib.library
            assert lib.to_numpy(a).tolist() == [*b, *[-1] * (40 - len(b))]
        if lib.jit:
            return


def test_without_size() -> None:
    for data in (X, X.astype("int16"), X[:0]):
        for a, b in zip(argrelmax(data), scipy.signal.argrelmax(data), strict=True):
            assert a.tolist() == b.tolist()


BAD: dict[str, Any] = {
    "order": (lambda: argrelmax(X, order=0), ArgumentError, "order must be .* 1, got 0"),
    "part": (lambda: argrelmin(X, order=1.5), ArgumentError, "order must be"),
    "mode": (lambda: argrelmin(X, mode="raise"), ArgumentError, "'wrap', got 'raise'"),
    "axis": (lambda: argrelmin(X, axis=2), ShapeError, r"must lie in \[-2, 1\]"),
    "call": (lambda: argrelextrema(X, "x"), ArgumentError, "must be callable, got 'x'"),
    "scalar": (lambda: argrelmin(np.asarray(1.0)), ShapeError, "at least one dimension"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
