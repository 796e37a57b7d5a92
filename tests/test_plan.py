"""The rule for Python's numbers beside arrays: what a dtype can't hold is an error, everywhere."""

from typing import Any

import numpy as np
import pytest

from likewise import _plan
from likewise.errors import ArgumentError, ArrayTypeError, DtypeError
from likewise.linalg import block_diag, toeplitz
from likewise.missing import (
    allclose,
    array_equal,
    at,
    compress,
    convolve,
    diff,
    digitize,
    flatnonzero,
    histogram,
    interp,
    intersect1d,
    isclose,
    nan_to_num,
    nonzero,
    pad,
    put,
    safe_divide,
    searchsorted,
    select,
    setdiff1d,
    take,
    take_along_axis,
    union1d,
    unique,
)

FITS = [
    (127, "int8"),
    (-128, "int8"),
    (0, "uint8"),
    (2**63 + 5, "uint64"),
    (1, "bool"),
    (True, "int8"),
    (10**30, "float64"),
    (3.4028235e38, "float32"),  # rounds to the largest
    (float("-inf"), "float32"),
    (np.float32(2.0), "float64"),
    ([[1, 2], [3, -4]], "int8"),
    (1 - 2j, "complex64"),
]
TOO_LARGE = [
    (128, "int8"),
    (-129, "int8"),
    (-1, "uint8"),
    (2**64, "uint64"),
    (2, "bool"),
    (-1, "bool"),
    (1e39, "float32"),
    (-3.4028236e38, "float32"),
    (10**400, "float64"),
    ([[1, 2], [3, 400]], "int8"),
    (1e300j, "complex64"),
    (1 - 1e39j, "complex64"),
]
OTHER_KINDS = [(1.0, "int8"), (0.5, "bool"), (1j, "int64"), (1j, "float64"), ([1, 2.5], "int32")]


def _there(lib: Any, dtype: str) -> bool:
    return lib.has_float64 or not dtype.endswith("64") or dtype == "complex64"


def test_what_fits(lib: Any) -> None:
    for value, dtype in FITS:
        if _there(lib, dtype):
            made = _plan.weak("f", "x", lib.xp, value, getattr(lib.xp, dtype))
            assert made.dtype == getattr(lib.xp, dtype)
            expected = np.asarray(value).astype(dtype)
            np.testing.assert_array_equal(lib.to_numpy(made), expected, strict=True)


def test_what_does_not_fit(lib: Any) -> None:
    for cases, error in ((TOO_LARGE, ArgumentError), (OTHER_KINDS, DtypeError)):
        for value, dtype in cases:
            if _there(lib, dtype):
                with pytest.raises(error, match=f"f: argument 'x' must .* {dtype}.*, got"):
                    _plan.weak("f", "x", lib.xp, value, getattr(lib.xp, dtype))
    for wrong in ("a", [1, "a"], [None], [np.ones(2)]):
        with pytest.raises(ArrayTypeError, match="f: argument 'x' must be an array or nested"):
            _plan.weak("f", "x", lib.xp, wrong, lib.xp.int8)
    with pytest.raises(ArrayTypeError, match="f: argument 'x' must be an array or nested"):
        _plan.weak("f", "x", lib.xp, [1, [2]], lib.xp.int8)


def test_every_user_refuses(lib: Any) -> None:
    """A number that integers of eight bits, or floats of 32, can't hold."""
    n, x = lib.asarray([1, 2], "int8"), lib.asarray([1.0, 2.0], "float32")
    far, mask = lib.asarray([9, 0]), lib.asarray([True, False])
    for a, big in ((n, 300), (n, -129), (x, 1e39), (n, [300, 1]), (x, [-1e39, 0.0])):
        users = [
            lambda a, v: union1d(a, v),
            lambda a, v: intersect1d(a, v),
            lambda a, v: setdiff1d(a, v),
            lambda a, v: diff(a, prepend=v),
            lambda a, v: diff(a, append=v),
            lambda a, v: convolve(a, v),
            lambda a, v: select([mask], [a], v),
            lambda a, v: select([mask], [v], a),
            lambda a, v: put(a, [0, 1], v),
            lambda a, v: at(a)[:2].set(v),
            lambda a, v: at(a)[lib.asarray([0, 1])].add(v),
            lambda a, v: toeplitz(a, v),
            lambda a, v: block_diag(a, v),
        ]
        scalar = [
            lambda a, v: take(a, far, mode="fill", fill_value=v),
            lambda a, v: take_along_axis(a, far, mode="fill", fill_value=v),
            lambda a, v: compress(mask, a, size=2, fill_value=v),
            lambda a, v: unique(a, size=3, fill_value=v),
            lambda a, v: union1d(a, a, size=3, fill_value=v),
            lambda a, v: intersect1d(a, a, size=3, fill_value=v),
            lambda a, v: setdiff1d(a, a, size=3, fill_value=v),
            lambda a, v: pad(a, 1, constant_values=v),
            lambda a, v: pad(a, 1, "linear_ramp", end_values=v),
        ]
        floating = [
            lambda a, v: safe_divide(a, v),
            lambda a, v: nan_to_num(a, nan=v),
            lambda a, v: nan_to_num(a, neginf=v),
            lambda a, v: interp(a, a, a, left=v),
            lambda a, v: interp(a, a, a, right=v),
            lambda a, v: histogram(a, range=(0.0, abs(v))),
        ]
        for user in users if isinstance(big, list) else [*users, *scalar]:
            with pytest.raises(
                ArgumentError, match="argument '.*' must lie in the range of .* got"
            ):
                user(a, big)
        for user in floating if a is x and big == 1e39 else ():
            with pytest.raises(ArgumentError, match="got"):
                user(a, big)


def test_other_kinds_of_fill(lib: Any) -> None:
    n, mask = lib.asarray([1, 2], "int8"), lib.asarray([True, False])
    for user in (
        lambda v: take(n, lib.asarray([9]), mode="fill", fill_value=v),
        lambda v: take_along_axis(n, lib.asarray([9]), mode="fill", fill_value=v),
        lambda v: compress(mask, n, size=2, fill_value=v),
        lambda v: unique(n, size=3, fill_value=v),
        lambda v: union1d(n, n, size=3, fill_value=v),
        lambda v: nonzero(n, size=3, fill_value=v),
        lambda v: flatnonzero(n, size=3, fill_value=v),
        lambda v: put(n, [0], v),
        lambda v: pad(n, 1, constant_values=v),
    ):
        with pytest.raises(DtypeError, match="must be of a kind that int.* holds, got nan"):
            user(float("nan"))
    with pytest.raises(ArgumentError, match="compress: fill_value must be one number, got"):
        compress(mask, n, size=2, fill_value=[1])  # type: ignore[arg-type]


def test_numbers_raise_the_kind(lib: Any) -> None:
    """Where the dtype is not given, a number of a higher kind gives the default dtype."""
    n = lib.asarray([1, 2], "int8")
    floating = lib.xp.asarray(0.5).dtype
    assert diff(n, prepend=3).dtype == n.dtype
    for out in (diff(n, prepend=0.5), select([n > 1], [n], 0.5), convolve(n, [0.5])):
        assert out.dtype == floating
    assert select([n > 1], [n], 5).dtype == n.dtype
    got = safe_divide(lib.asarray([1.0]), 10**30)
    np.testing.assert_allclose(lib.to_numpy(got), [1e-30])


def test_what_compares_is_neither_rounded_nor_refused() -> None:
    """As in NumPy: of a comparison nothing is kept, so that it may be wider than both."""
    small, large = np.asarray([1, 5], dtype="int8"), np.asarray([16777217])
    single = np.asarray([16777216.0], dtype="float32")
    assert not bool(array_equal(large, single))
    assert not bool(isclose(large, single, 0.0, 0.0)[0])
    assert not bool(array_equal(small, [1, 300]))
    assert not bool(allclose(single, 1e300))
    assert int(searchsorted(single, large)[0]) == 1
    for array, number in (
        (small, 300),
        (np.asarray([1, 5], dtype="uint8"), -1),
        (np.asarray([1, 5]), 2**64 - 1),
        (np.asarray([1, 5]), 2**70),
        (np.asarray([1, 2**64 - 1], dtype="uint64"), -1),
        (single, 1e300),
    ):
        assert int(searchsorted(array, number)) == (0 if number < 0 else array.size)
        assert int(digitize(number, array)) == (0 if number < 0 else array.size)


def test_a_number_of_many_digits_is_not_written_out() -> None:
    with pytest.raises(ArgumentError, match="got an integer of 16610 bits"):
        union1d(np.asarray([1], dtype="int8"), [10**5000])
    with pytest.raises(ArgumentError, match=r"got 300\. .* xp\.astype\(x, xp\.int16\)"):
        union1d(np.asarray([1], dtype="int8"), [300])
