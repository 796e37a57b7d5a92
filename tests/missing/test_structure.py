"""Padding, windows, products, rotations, angles and comparisons against NumPy."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArgumentError, ShapeError
from likewise.missing import (
    allclose,
    angle,
    array_equal,
    deg2rad,
    isclose,
    kron,
    pad,
    rad2deg,
    rot90,
    sliding_window_view,
)
from likewise.testing import assert_close, check_function

INF, NAN = np.inf, np.nan
RNG = np.random.default_rng(4)
X = RNG.normal(size=(2, 3))
MODES = ["constant", "edge", "linear_ramp", "reflect", "symmetric", "wrap"]


@pytest.mark.parametrize("mode", ["constant", "reflect", "linear_ramp"])
def test_pad_everywhere(mode: str) -> None:
    check_function(
        lambda x: pad(x, ((1, 0), (2, 3)), mode),
        X,
        reference=lambda x: np.pad(x, ((1, 0), (2, 3)), mode),  # type: ignore[call-overload]
        name="likewise.missing.pad",
    )


def test_sliding_window_everywhere() -> None:
    view = np.lib.stride_tricks.sliding_window_view
    check_function(
        lambda x: sliding_window_view(x, 2, 0),
        X,
        reference=lambda x: view(x, 2, 0),
        name="likewise.missing.sliding_window_view",
    )


def test_kron_everywhere() -> None:
    check_function(kron, X, X[0], reference=np.kron)


def test_rot90_everywhere() -> None:
    check_function(rot90, X, reference=np.rot90)


def test_angles_everywhere() -> None:
    def func(x: Any) -> Any:
        return angle(x) + deg2rad(x) + rad2deg(x)

    def reference(x: Any) -> Any:
        return np.angle(x) + np.deg2rad(x) + np.rad2deg(x)

    check_function(func, X, reference=reference, name="likewise.missing.deg2rad")
    check_function(angle, X + 1j * X[::-1], reference=np.angle, grad=False)


@pytest.mark.parametrize(
    ("func", "reference"),
    [(isclose, np.isclose), (allclose, np.allclose), (array_equal, np.array_equal)],
)
def test_comparisons_everywhere(func: Any, reference: Any) -> None:
    check_function(func, X, X + 0.0, reference=lambda *a: np.asarray(reference(*a)), grad=False)


def test_pad_reflects(xp: Any) -> None:
    for width in ((1, 2), 5):  # further than there are elements
        assert_close(pad(xp.asarray(X), width, "reflect"), np.pad(X, width, "reflect"))


@pytest.mark.parametrize("mode", MODES)
def test_pad(xp: Any, mode: str) -> None:
    for x in (X, np.arange(6).reshape(2, 3), X[:1, :1], X[0]):
        for width in (0, 5, (1,), (2, 7), [(1, 2)] * x.ndim, np.int64(1)):
            expected = np.pad(x, width, mode)  # type: ignore[call-overload]
            assert_close(pad(xp.asarray(x), width, mode), expected)
    if mode == "constant":
        got = pad(xp.asarray(X[:0]), 1, constant_values=2)
        assert_close(got, np.pad(X[:0], 1, constant_values=2))
    else:
        with pytest.raises(ShapeError, match="no elements to extend"):
            pad(xp.asarray(X[:0]), 1, mode)
    if mode == "linear_ramp":
        assert_close(
            pad(xp.asarray(X), 2, mode, end_values=3), np.pad(X, 2, "linear_ramp", end_values=3)
        )


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32"])
def test_ramps_of_integers_are_rounded_down(xp: Any, dtype: str) -> None:
    x = (np.arange(6).reshape(2, 3) * 50).astype(dtype)
    for end in (7, 200):
        got = pad(xp.asarray(x), ((0, 5), (7, 1)), "linear_ramp", end_values=end)
        expected = np.pad(x, ((0, 5), (7, 1)), "linear_ramp", end_values=end)
        assert_close(got, expected)
    for rise in range(1, 60):  # exact where a division by n and a product are not
        edge = xp.asarray(np.asarray([rise], dtype=dtype))
        got = pad(edge, (49, 0), "linear_ramp")
        assert_close(got, np.asarray([rise * k // 49 for k in range(50)], dtype=dtype))


@pytest.mark.needs("torch")
def test_sliding_window_of_a_size_that_torch_makes_a_symbol() -> None:
    import torch

    sized = torch.compile(
        lambda x, n: sliding_window_view(x, n), fullgraph=True, backend="eager", dynamic=True
    )
    for n in (2, 3):
        expected = np.lib.stride_tricks.sliding_window_view(np.arange(5.0), n)
        np.testing.assert_array_equal(sized(torch.arange(5.0), n), expected)


def test_sliding_window(xp: Any) -> None:
    view = np.lib.stride_tricks.sliding_window_view
    x = RNG.normal(size=(3, 4, 2))
    for axis in (0, 1, -1):
        for w in (1, 2):
            assert_close(sliding_window_view(xp.asarray(x), w, axis), view(x, w, axis))
    for shape, axes in (((2, 3), (2, 1)), ((2,), (0,)), ((1, 4, 2), None)):
        assert_close(sliding_window_view(xp.asarray(x), shape, axes), view(x, shape, axes))
    assert_close(sliding_window_view(xp.asarray(x[0, 0]), 2), view(x[0, 0], 2))


@pytest.mark.share(2)
def test_native_equals_generic(xp: Any) -> None:
    for x in (X, X[0], np.asarray([[1, 2], [3, 4]]), X > 0, np.asarray([[NAN, INF, -0.0]])):
        a = xp.asarray(x)
        for mode in [m for m in MODES if m != "linear_ramp"]:
            assert_close(pad(a, (2, 1), mode), pad.generic(a, (2, 1), mode))  # type: ignore[attr-defined]
            assert_close(pad(a, 5, mode), pad.generic(a, 5, mode))  # type: ignore[attr-defined]
        for axis in range(x.ndim):
            assert_close(
                sliding_window_view(a, 1, axis),
                sliding_window_view.generic(a, 1, axis),  # type: ignore[attr-defined]
            )
        if a.shape[-1] > 1:
            assert_close(sliding_window_view(a, 2, -1), sliding_window_view.generic(a, 2, -1))  # type: ignore[attr-defined]


def test_kron(xp: Any) -> None:
    a, b = np.asarray([[1, 2], [3, 4]]), np.asarray([True, False])
    for x, y in ((a, a), (a, X[0]), (b, b), (b, a), (X, X[:0]), (a[0, 0:1], X), (X, 1j * X)):
        got = kron(xp.asarray(x), xp.asarray(y))
        assert_close(got, np.kron(x, y), check_dtype=False)


def test_rot90_of_a_matrix(xp: Any) -> None:
    for k in (1, 2, 3):
        assert_close(rot90(xp.asarray(X), k), np.rot90(X, k))


def test_rot90(xp: Any) -> None:
    x = RNG.normal(size=(2, 3, 4))
    for k in range(-4, 6):
        for axes in ((0, 1), (1, 0), (-1, 0), (1, 2)):
            assert_close(rot90(xp.asarray(x), k, axes), np.rot90(x, k, axes))


def test_angles(xp: Any) -> None:
    z = np.asarray([1 + 1j, -1, 1j, 0, complex(-1, -0.0)])
    for deg in (False, True):
        assert_close(angle(xp.asarray(z), deg), np.angle(z, deg))
        x = np.asarray([-1.0, 0.0, 2.0])
        assert_close(angle(xp.asarray(x), deg), np.angle(x, deg))
    x = np.asarray([0.0, -90.0, INF, NAN])
    for v in (x, x[1], x[:0]):
        assert_close(deg2rad(xp.asarray(v)), np.asarray(np.deg2rad(v)))
        assert_close(rad2deg(xp.asarray(v)), np.asarray(np.rad2deg(v)))


def test_what_is_close(xp: Any) -> None:
    a, b = np.asarray([1.0, INF, INF, NAN, 1.0]), np.asarray([1.000001, INF, -INF, NAN, 1.1])
    x, y = xp.asarray(a), xp.asarray(b)
    assert_close(isclose(x, y), np.asarray([True, True, False, False, False]))
    assert not bool(allclose(x, y)) and bool(allclose(x[:2], y[:2]))


@pytest.mark.parametrize("equal_nan", [False, True])
def test_comparisons(xp: Any, equal_nan: bool) -> None:
    a = np.asarray([1.0, INF, INF, NAN, 1.0, NAN, -INF, 0.0, 1.0])
    b = np.asarray([1.000001, INF, -INF, NAN, 1.1, 1.0, 1.0, -0.0, INF])
    x, y = xp.asarray(a), xp.asarray(b)
    assert_close(isclose(x, y, equal_nan=equal_nan), np.isclose(a, b, equal_nan=equal_nan))
    generic = isclose.generic  # type: ignore[attr-defined]
    assert_close(isclose(x, y, equal_nan=equal_nan), generic(x, y, equal_nan=equal_nan))
    for i in (0, 1, 3, 8):
        assert_close(isclose(x[i], y[i]), generic(x[i], y[i]))
    assert_close(isclose(x[:, None], y, 0.2), np.isclose(a[:, None], b, 0.2))
    for u, v in ((a, a), (a[:3], a[:3]), (a[:1], b[:1]), (a[:0], b[:0])):
        s, t = xp.asarray(u), xp.asarray(v)
        expected = np.asarray(np.allclose(u, v, equal_nan=equal_nan))
        assert_close(allclose(s, t, equal_nan=equal_nan), expected)
        expected = np.asarray(np.array_equal(u, v, equal_nan=equal_nan))
        assert_close(array_equal(s, t, equal_nan), expected)
    assert not bool(array_equal(x, y[1:]))
    k = xp.asarray(np.asarray([1, 2]))
    assert bool(allclose(k, k)) and bool(array_equal(k, k)) and not bool(array_equal(k, k + 1))


def test_errors(xp: Any) -> None:
    x = xp.asarray(X)
    for width in (-1, (1, 2, 3), [(1, 1)] * 3, 1.5, "ab"):
        with pytest.raises(ArgumentError, match="pad_width must be"):
            pad(x, width)
    with pytest.raises(ArgumentError, match="mode must be"):
        pad(x, 1, "mean")
    with pytest.raises(ShapeError, match="longer than the axis"):
        sliding_window_view(x, 4, -1)
    for window in (0, True, 1.0, None):
        with pytest.raises(ArgumentError, match="window_shape must be positive integers, got"):
            sliding_window_view(x, window, 0)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="as many sizes as axes were expected, got 1 for 2"):
        sliding_window_view(x, 1)
    with pytest.raises(ShapeError, match="got axis -1 of an array without dimensions"):
        sliding_window_view(xp.asarray(1), 1, -1)
    with pytest.raises(ArgumentError, match="axes must be"):
        rot90(x, 1, (0, 0))
    with pytest.raises(ShapeError, match="axes must lie"):
        rot90(x, 1, (0, 2))
    with pytest.raises(ShapeError, match="must broadcast"):
        isclose(x, x[:, :2])


@pytest.mark.parametrize("mode", MODES)
def test_pad_without_dimensions(xp: Any, mode: str) -> None:
    """There is nothing to extend, as in NumPy."""
    x = xp.asarray(2.5)
    for width in (0, 3, (), (1, 2), [(1, 2)]):
        got = pad(x, width, mode)
        assert got.shape == () and float(got) == 2.5 and got.dtype == x.dtype


@pytest.mark.parametrize("pair", [("int64", "uint64"), ("int32", "uint32"), ("int8", "uint64")])
def test_array_equal_of_integers_of_two_dtypes(lib: Any, pair: tuple[str, str]) -> None:
    signed, unsigned = pair
    if "64" in unsigned and not lib.has_float64:
        return
    most = int(np.iinfo(unsigned).max)
    x, y = lib.asarray([1, 2], signed), lib.asarray([1, 2], unsigned)
    for a, b, expected in (
        (x, y, True),
        (y, x, True),
        (x, lib.asarray([1, 3], unsigned), False),
        (lib.asarray([-1, 2], signed), lib.asarray([most, 2], unsigned), False),
        (x, lib.asarray([1, 2, 3], unsigned), False),
    ):
        assert bool(lib.to_numpy(array_equal(a, b))) is expected
