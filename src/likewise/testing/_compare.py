"""Comparison of arrays: library, device, dtype and shape as well as values."""

from typing import Any

import numpy as np

from .._namespace import array_namespace, describe, device, is_neutral, library
from ..errors import ArgumentError, ArrayTypeError
from ..interop import to_numpy
from ._variants import current

__all__ = ["assert_close", "assert_equal", "compare", "dtype_name", "tolerance"]


def tolerance(dtype: Any) -> float:
    """Return the relative tolerance for a dtype: three quarters of its digits.

    Parameters
    ----------
    dtype : dtype or str
        A dtype of any library, or its name in the standard.

    Returns
    -------
    float
        The machine epsilon to the power 3/4: 1.8e-12 for float64, 6.4e-6 for float32; 0 for
        integers and booleans.

    Examples
    --------
    >>> from likewise.testing import tolerance
    >>> tolerance("float32") < 1e-5
    True
    """
    own = np.dtype(dtype_name(dtype))
    return float(np.finfo(own).eps) ** 0.75 if own.kind in "fc" else 0.0


def dtype_name(dtype: Any) -> str:
    """Return the standard's name of a dtype, such as 'float64'."""
    return str(getattr(dtype, "__name__", dtype)).rpartition(".")[2]


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float = 0.0,
    like: Any = None,
    check_dtype: bool = True,
) -> None:
    """Assert that an array has the expected library, device, dtype and shape, and close values.

    Parameters
    ----------
    actual : array
        The result to check.
    expected : array, scalar or nested lists
        The expected result: an array of the same library; or a NumPy array, lists or scalars, if
        `like` is given or the test uses the fixture ``xp``, whose library and device `actual` must
        then have.
    rtol : float, optional
        Relative tolerance, elementwise. Default: three quarters of the dtype's digits (see
        `tolerance`).
    atol : float, optional
        Absolute tolerance, added to the relative one.
    like : array, optional
        An array whose library, device and dtype `actual` must have.
    check_dtype : bool, optional
        If False, dtypes may differ, and the larger tolerance applies.

    Raises
    ------
    AssertionError
        If anything differs. NaN equals NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.testing import assert_close
    >>> assert_close(np.ones(2) + 1e-14, np.ones(2))
    >>> assert_close(np.ones(2), np.ones(2, dtype=np.float32))
    Traceback (most recent call last):
        ...
    AssertionError: dtype: got float64, expected float32
    """
    __tracebackhide__ = True
    _assert("assert_close", actual, expected, like, check_dtype, rtol, atol)


def assert_equal(actual: Any, expected: Any, *, like: Any = None, check_dtype: bool = True) -> None:
    """Assert that an array has the expected library, device, dtype, shape and values.

    Parameters
    ----------
    actual : array
        The result to check.
    expected : array, scalar or nested lists
        The expected result, as for `assert_close`.
    like : array, optional
        An array whose library, device and dtype `actual` must have.
    check_dtype : bool, optional
        If False, dtypes may differ.

    Raises
    ------
    AssertionError
        If anything differs. NaN equals NaN, and 0.0 equals -0.0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.testing import assert_equal
    >>> assert_equal(np.arange(3), np.asarray([0, 1, 2]))
    """
    __tracebackhide__ = True
    _assert("assert_equal", actual, expected, like, check_dtype, 0.0, 0.0)


def _assert(
    function: str,
    actual: Any,
    expected: Any,
    like: Any,
    check_dtype: bool,
    rtol: float | None,
    atol: float,
) -> None:
    __tracebackhide__ = True
    if (rtol is not None and not rtol >= 0) or not atol >= 0:
        raise ArgumentError(f"{function}: tolerances can't be negative: rtol={rtol}, atol={atol}")
    if not hasattr(actual, "shape") or not hasattr(actual, "dtype"):
        raise AssertionError(f"got {describe(actual)}, expected an array")
    template, dtype = _due(function, actual, expected, like)
    wrong = _placed(actual, *template)
    if not wrong and check_dtype and dtype is not None:
        wrong = _same_dtype(actual, dtype)
    if not wrong:
        values = np.asarray(expected) if is_neutral(expected) else to_numpy(expected)
        wrong = compare(to_numpy(actual), values, rtol, atol)
    if wrong:
        raise AssertionError(wrong)


def _due(function: str, actual: Any, expected: Any, like: Any) -> tuple[tuple[Any, Any], Any]:
    """Library and device that are due, and the dtype's name or None."""
    if like is not None:
        return (library(like), device(like)), dtype_name(like.dtype)
    plain = is_neutral(expected)
    dtype = None if plain else dtype_name(expected.dtype)
    if not plain:
        array_namespace(expected)  # its error, if this isn't an array
    if not plain and library(expected) != "numpy":
        return (library(expected), device(expected)), dtype
    variant = current()
    if variant is not None:
        sample = variant.xp.asarray(expected)
        return (library(sample), device(sample)), dtype and dtype_name(sample.dtype)
    if library(actual) != "numpy":
        raise ArrayTypeError(
            f"{function}: expected is a {type(expected).__name__}, so that it is not known what "
            "library is due. Pass like=x, an array that went in, or use the fixture xp."
        )
    return ("numpy", None), dtype


def _placed(actual: Any, name: str | None, where: Any) -> str:
    if library(actual) != name:
        return f"library: got {library(actual)}, expected {name}"
    if where is not None and device(actual) is not None and device(actual) != where:
        return f"device: got {device(actual)}, expected {where}"
    return ""


def _same_dtype(actual: Any, name: str) -> str:
    got = dtype_name(actual.dtype)
    return "" if got == name else f"dtype: got {got}, expected {name}"


def compare(actual: Any, expected: Any, rtol: float | None, atol: float) -> str:
    """Return a message on how two NumPy arrays differ, or ''."""
    if actual.shape != expected.shape:
        return f"shape: got {actual.shape}, expected {expected.shape}"
    if rtol is None:
        rtol = max(tolerance(actual.dtype), tolerance(expected.dtype))
    if "b" in (actual.dtype.kind, expected.dtype.kind) or rtol == atol == 0:
        bad = ~((actual == expected) | (_nan(actual) & _nan(expected)))
    else:
        wide = np.result_type(actual, expected, np.float64)
        near = np.isclose(actual.astype(wide), expected, rtol=rtol, atol=atol, equal_nan=True)
        bad = ~near
    if not np.any(bad):
        return ""
    with np.errstate(all="ignore"):
        error = np.abs(actual.astype("c16") - expected.astype("c16"))
        relative = error / np.abs(expected)
    finite = bad & np.isfinite(error)
    worst = np.argmax(np.where(finite, error, -1)) if np.any(finite) else np.argmax(bad)
    index = tuple(int(i) for i in np.unravel_index(worst, bad.shape))
    return (
        f"values: {np.count_nonzero(bad)} of {bad.size} differ, most at {list(index)}: "
        f"got {actual[index]}, expected {expected[index]}, relative difference "
        f"{relative[index]:.3g} (rtol={rtol:.3g}, atol={atol:.3g})"
    )


def _nan(x: Any) -> Any:
    return np.isnan(x) if x.dtype.kind in "fc" else np.zeros(x.shape, bool)
