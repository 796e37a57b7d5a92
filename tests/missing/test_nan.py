"""Reductions without NaNs against NumPy in double precision, on every library."""

import contextlib
import warnings
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import missing, to_numpy
from likewise._namespace import is_concrete
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.missing import (
    nan_to_num,
    nanargmax,
    nanargmin,
    nancumsum,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
)
from likewise.testing import assert_close, check_function

NAN, INF = np.nan, np.inf
X = np.asarray([[3.0, NAN, 2.5, 7.0], [NAN, 1.5, -2.0, 8.0], [0.5, 9.0, NAN, NAN]])
Z = X + 1j * X[::-1]
LIBRARIES = ["numpy", pytest.param("torch", marks=pytest.mark.needs("torch"))]
SUMS = {"nansum": nansum, "nanprod": nanprod, "nanmean": nanmean}
SPREADS = {"nanvar": nanvar, "nanstd": nanstd}
EXTREMES = {"nanmin": nanmin, "nanmax": nanmax}
PLACES = {"nanargmin": nanargmin, "nanargmax": nanargmax}
SMOOTH = np.asarray([[3.0, 1.25, 2.5], [0.5, 1.5, -2.0]])  # where finite differences are numbers


def close(got: Any, expected: Any, **options: Any) -> None:
    """Relative to the largest entry."""
    values = np.abs(np.asarray(expected)[np.isfinite(expected)])
    kind = to_numpy(got).dtype
    eps = float(np.finfo(kind).eps) if kind.kind in "fc" else 0.0
    assert_close(got, expected, atol=100 * eps * float(np.max(values, initial=0.0)), **options)


def numpy_of(name: str, *args: Any, **kwargs: Any) -> Any:
    """NumPy's, which warns of slices without numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(np, name)(*args, **kwargs)


def warnings_of(lib: Any, due: bool) -> Any:
    """NumPy's own routines run on NumPy, and warn."""
    if due and lib.library == "numpy":
        return pytest.warns(RuntimeWarning)
    return contextlib.nullcontext()


# -- everywhere ------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("name", [*SUMS, *SPREADS, *EXTREMES])
def test_everywhere(name: str) -> None:
    func = getattr(missing, name)
    check_function(func, SMOOTH, kwargs={"axis": -1}, reference=getattr(np, name))
    check_function(
        func,
        X,
        kwargs={"axis": (0, 1)},
        reference=getattr(np, name),
        compile=False,
        grad=False,
        vmap=False,
    )


@pytest.mark.parametrize("name", PLACES)
def test_places_everywhere(name: str) -> None:
    func = getattr(missing, name)
    check_function(func, X, kwargs={"axis": 0}, reference=getattr(np, name), scalars=1)


def test_cumulative_everywhere() -> None:
    check_function(nancumsum, SMOOTH, kwargs={"axis": 0}, reference=np.nancumsum)
    check_function(nancumsum, X, reference=np.nancumsum, compile=False, grad=False)


def test_replacement_everywhere() -> None:
    options = {"nan": 2.0, "posinf": 5.0, "neginf": -5.0}
    check_function(
        nan_to_num,
        np.asarray([1.0, NAN, INF, -INF]),
        kwargs=options,
        reference=np.nan_to_num,
        grad=False,
    )
    check_function(nan_to_num, SMOOTH, reference=np.nan_to_num, compile=False)


@pytest.mark.needs("torch", "jax")
@pytest.mark.parametrize("name", [*SUMS, *SPREADS, *EXTREMES])
def test_derivatives_at_nans_are_zero(name: str) -> None:
    import jax
    import torch

    func = getattr(missing, name)
    with jax.enable_x64(True):
        found = np.asarray(jax.grad(lambda x: func(x))(jax.numpy.asarray(X)))
    t = torch.asarray(X, dtype=torch.float64).requires_grad_()
    func(t).backward()
    for gradient in (found, t.grad.numpy()):  # type: ignore[union-attr]
        assert (gradient[np.isnan(X)] == 0).all()
        assert np.isfinite(gradient).all()
        assert gradient.any()


# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SUMS, *SPREADS, *EXTREMES])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(xp: Any, name: str, keepdims: bool) -> None:
    func = getattr(missing, name)
    x = np.stack([X, -X, np.full_like(X, 1.5)])
    for axis in (None, 0, -1, (0, 2)):
        expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
        close(func(xp.asarray(x), axis, keepdims=keepdims), expected)


@pytest.mark.parametrize("name", [*SUMS, *SPREADS])
def test_complex(xp: Any, name: str) -> None:
    for axis in (None, 0):
        expected = numpy_of(name, Z, axis=axis)
        close(getattr(missing, name)(xp.asarray(Z), axis), expected)


@pytest.mark.parametrize("name", [*SUMS, *SPREADS, *EXTREMES])
def test_integers_are_as_in_the_plain_functions(xp: Any, lib: Any, name: str) -> None:
    func, plain = getattr(missing, name), name.removeprefix("nan")
    for k in (np.asarray([[4, 1], [2, 9]]), np.asarray([[4, 1], [2, 9]], dtype=np.int8)):
        got = func(xp.asarray(k), 1)
        close(got, getattr(np, plain)(k, 1).astype(float), check_dtype=False)
        a = xp.asarray(k)
        if name in SUMS and name != "nanmean":
            assert got.dtype == getattr(lib.xp, plain)(a, axis=1).dtype
        elif name in EXTREMES:
            assert got.dtype == a.dtype
    b = np.asarray([True, False, True])
    close(func(xp.asarray(b)), np.asarray(getattr(np, plain)(b), float), check_dtype=False)


@pytest.mark.parametrize("ddof", [0, 1, 1.5, 3])
def test_degrees_of_freedom(xp: Any, lib: Any, ddof: float) -> None:
    for name in SPREADS:
        expected = numpy_of(name, X, axis=1, ddof=ddof)
        with warnings_of(lib, ddof >= 2):
            close(getattr(missing, name)(xp.asarray(X), 1, ddof=ddof), expected)


@pytest.mark.parametrize("name", [*SUMS, *SPREADS, *EXTREMES])
def test_nothing_but_nans(xp: Any, lib: Any, name: str) -> None:
    x = np.asarray([[NAN, NAN], [1.0, NAN]])
    expected = numpy_of(name, x, axis=1)
    with warnings_of(lib, name not in ("nansum", "nanprod")):
        close(getattr(missing, name)(xp.asarray(x), 1), expected)


@pytest.mark.parametrize("name", [*SUMS, *SPREADS])
def test_nothing(xp: Any, lib: Any, name: str) -> None:
    x = np.ones((0, 2))
    with warnings_of(lib, name not in ("nansum", "nanprod")):
        close(getattr(missing, name)(xp.asarray(x), 0), numpy_of(name, x, axis=0))
    assert getattr(missing, name)(xp.asarray(x), 1).shape == (0,)


@pytest.mark.parametrize("name", SUMS)
def test_infinities(xp: Any, name: str) -> None:
    for x in ([INF, NAN, 1.0], [INF, -INF, NAN], [-INF, -INF, 2.0]):
        with np.errstate(invalid="ignore"):
            expected = np.asarray(getattr(np, name)(x))
            close(getattr(missing, name)(xp.asarray(np.asarray(x))), expected)


def test_no_dimension(xp: Any) -> None:
    for name in (*SUMS, *SPREADS, *EXTREMES):
        got = getattr(missing, name)(xp.asarray(np.asarray(2.0)))
        close(got, np.asarray(getattr(np, name)(2.0)))
    assert_close(nanargmin(xp.asarray(np.asarray(2.0))), np.asarray(0), check_dtype=False)
    close(nancumsum(xp.asarray(np.asarray(2.0))), np.asarray([2.0]))


def test_dtype_of_sums(lib: Any) -> None:
    x = lib.asarray(X, "float32")
    for func in (nansum, nanprod):
        assert func(x).dtype == lib.xp.float32
    if lib.has_float64:
        for func in (nansum, nanprod):
            assert func(x, dtype=lib.xp.float64).dtype == lib.xp.float64
        assert nancumsum(x, 0, lib.xp.float64).dtype == lib.xp.float64


def test_cumulative_sums(xp: Any) -> None:
    for x in (X, Z, np.asarray([[1, 2], [3, 4]])):
        for axis in (None, 0, -1):
            close(
                nancumsum(xp.asarray(x), axis),
                np.nancumsum(x, axis),
                check_dtype=x.dtype.kind != "i",
            )


# -- indices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_places(xp: Any, name: str, keepdims: bool) -> None:
    func = getattr(missing, name)
    for x in (X, np.concat([X, -X]), np.asarray([[2, 1, 1], [0, 3, 3]])):
        for axis in (None, 0, -1):
            expected = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims))
            got = func(xp.asarray(x), axis, keepdims=keepdims)
            assert_close(got, expected, check_dtype=False)


def test_places_of_infinities(xp: Any) -> None:
    x = np.asarray([[NAN, INF, NAN, INF], [NAN, -INF, NAN, -INF]])
    for func in (nanargmin, nanargmax):
        assert_close(func(xp.asarray(x), 1), np.asarray([1, 1]), check_dtype=False)


@pytest.mark.parametrize("name", PLACES)
def test_places_of_nothing_but_nans(xp: Any, lib: Any, name: str) -> None:
    x = xp.asarray(np.asarray([[1.0, 2.0], [NAN, NAN]]))
    func = getattr(missing, name)
    if is_concrete(x) and not lib.jit:
        with pytest.raises(ArgumentError, match="only NaNs"):
            func(x, 1)
    else:
        assert lib.to_numpy(func(x, 1))[1] == 0


# -- replacement -----------------------------------------------------------------------------------


def test_replacement(xp: Any) -> None:
    x = np.asarray([[NAN, INF], [-INF, 1.5]])
    z = x.astype(complex)
    z.imag = x[::-1]
    for a in (x, z, np.asarray([1, 2]), np.asarray([True])):
        expected = np.nan_to_num(a)
        if to_numpy(xp.asarray(a)).dtype.itemsize == a.dtype.itemsize:
            close(nan_to_num(xp.asarray(a)), expected)
        options = {"nan": 3, "posinf": 2.5, "neginf": -1}
        close(nan_to_num(xp.asarray(a), **options), np.nan_to_num(a, **options))


@pytest.mark.parametrize("library", LIBRARIES)
def test_native_equals_generic(library: str) -> None:
    nothing = np.asarray([[NAN, NAN], [1.0, INF]])
    for x in (X, Z, X.astype(np.float32), np.asarray([INF, NAN, -INF]), np.asarray(NAN), nothing):
        a = likewise.asarray(x, namespace=library)
        for func in (nansum, nanprod, nancumsum, nanmean, nanvar, nanstd, nanmin, nanmax):
            if func in (nanmin, nanmax) and x.dtype.kind == "c":
                continue
            for options in ({}, {"axis": -1}) if x.ndim > 1 else ({},):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    got, expected = func(a, **options), func.generic(a, **options)  # type: ignore[attr-defined,operator]
                assert got.dtype == expected.dtype and got.shape == expected.shape
                got, expected = to_numpy(got), to_numpy(expected)
                np.testing.assert_allclose(got, expected, rtol=1e-6)
        for options in ({}, {"nan": 2, "posinf": 3.5, "neginf": -1}):
            got, expected = nan_to_num(a, **options), nan_to_num.generic(a, **options)  # type: ignore[attr-defined,operator]
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(to_numpy(got), to_numpy(expected))


# -- errors ----------------------------------------------------------------------------------------


def test_errors(xp: Any) -> None:
    x, z = xp.asarray(X), xp.asarray(Z)
    for name in (*SUMS, *SPREADS, *EXTREMES, *PLACES):
        with pytest.raises(ShapeError, match="axis must lie in"):
            getattr(missing, name)(x, 2)
    for name in (*EXTREMES, *PLACES):
        with pytest.raises(DtypeError, match="real numbers"):
            getattr(missing, name)(z)
        with pytest.raises(ShapeError, match="nothing along"):
            getattr(missing, name)(xp.asarray(np.ones((2, 0))), 1)
    for name in (*PLACES, "nancumsum"):
        with pytest.raises(ArgumentError, match="one axis was expected"):
            getattr(missing, name)(x, (0, 1))
    for options in ({"nan": None}, {"posinf": "big"}):
        with pytest.raises(ArgumentError, match="must be a number"):
            nan_to_num(x, **options)


@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
def test_extremes_of_no_rows(lib: Any, name: str) -> None:
    func = getattr(missing, name)
    a = lib.asarray(np.zeros((0, 3)), "float32")
    assert lib.to_numpy(func(a, axis=1)).shape == (0,)
    assert lib.to_numpy(func(a, axis=1, keepdims=True)).shape == (0, 1)


@pytest.mark.needs("torch")
def test_torch_derivative_where_there_is_no_number() -> None:
    import torch

    a = torch.tensor([[np.nan, np.nan], [1.0, 2.0]], requires_grad=True)
    nansum(nanmean(a, axis=1)).backward()
    assert a.grad is not None and a.grad.tolist() == [[0.0, 0.0], [0.5, 0.5]]
    grad = torch.func.grad(lambda a: nansum(nanmean(a, axis=1)))(a.detach())
    assert grad.tolist() == [[0.0, 0.0], [0.5, 0.5]]


def test_dtype_and_correction(xp: Any, lib: Any) -> None:
    a = lib.asarray([1.0, np.nan, 4.0], "float32")
    assert nanmean(a, dtype=xp.float32).dtype == xp.float32
    wide = xp.float64 if lib.has_float64 else xp.float32
    assert nanmean(a, dtype=wide).dtype == wide
    assert nanmean(lib.asarray([1, 4], "int32"), dtype=xp.float32).dtype == xp.float32
    for func in (nanvar, nanstd):
        for _ in range(2):  # from the memo, too
            one, other = func(a, correction=1), func(a, ddof=1)
            assert float(one) == float(other) != float(func(a))
        with pytest.raises(ArgumentError, match="either ddof or correction"):
            func(a, ddof=1, correction=1)


def test_an_axis_of_what_has_none(xp: Any) -> None:
    for func in (nanargmax, nanargmin, nanmax, nansum):
        with pytest.raises(ShapeError, match=f"{func.__name__}: got axis 0 of an array without"):
            func(xp.asarray(1.0), axis=0)
