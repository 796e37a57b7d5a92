"""Comparison of gradients with finite differences."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .._namespace import array_namespace, hooks_of, is_neutral, library_of
from ..errors import ArgumentError
from ..interop import asarray, to_numpy
from ..transforms import vjp
from ..transforms._tree import leaves, map_leaves

__all__ = ["check_grads"]


def check_grads(
    func: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    tol: float | None = None,
) -> None:
    """Assert that the reverse-mode derivatives of a function agree with finite differences.

    Parameters
    ----------
    func : callable
        A function of the arguments that returns an array or nested tuples, lists and dicts of
        arrays.
    *args : array or anything
        Arguments. All floating arrays, nested or not, are differentiated; others are passed
        unchanged. Choose a point where `func` is smooth.
    kwargs : dict, optional
        Keyword arguments of `func`, which are not differentiated.
    tol : float, optional
        Relative tolerance. Default: 1e-6 in double precision, 1e-2 in single.

    Raises
    ------
    AssertionError
        If they differ, or no result is floating.

    Notes
    -----
    For a random cotangent u of the results, central differences of ``sum(u * func(x + v))`` along a
    random step in each argument, relative to each of its elements, are compared with
    ``pullback(u)``. This takes two evaluations of `func` per argument. The random u also detects
    errors that a symmetry of ``sum(func(x))`` would hide.

    Examples
    --------
    >>> import torch
    >>> from likewise.testing import check_grads
    >>> check_grads(lambda x: x * torch.sin(x), torch.asarray([0.5, 2.0], dtype=torch.float64))
    """
    __tracebackhide__ = True
    options = dict(kwargs or {})
    at = [leaf for leaf in leaves(args) if _floating(leaf)]
    if not at:
        raise ArgumentError("check_grads: no floating array among the arguments")

    def outputs(*arrays: Any) -> tuple[Any, ...]:
        new = iter(arrays)
        full = map_leaves(lambda leaf: next(new) if _floating(leaf) else leaf, args)
        out = leaves(func(*full, **options))
        return tuple(y for y in out if _floating(y) or _is_numpys_scalar(y))

    if hooks_of(at[0]).transforms.vjp is not None and not outputs(*at):
        raise AssertionError("check_grads: nothing that comes out is a floating array")
    out, pullback = vjp(outputs, *at)
    rng = np.random.default_rng(0)
    eps = max(float(np.finfo(to_numpy(x).dtype).eps) for x in at)
    tol = (1e-6 if eps < 1e-10 else 1e-2) if tol is None else tol
    # Where a value is NaN or infinite, nothing is asked of its derivative.
    cotangents = tuple(_random_like(rng, y, np.isfinite(_wide(y))) for y in out)
    weights = [_wide(u) for u in cotangents]
    noise = 16 * eps * sum(_size(u, _wide(y)) for u, y in zip(weights, out, strict=True))
    for number, (x, gradient) in enumerate(zip(at, pullback(cotangents), strict=True)):
        base = _wide(x)
        finite = np.isfinite(base)
        typical = float(np.max(np.abs(base), where=finite, initial=0.0)) or 1.0
        width = eps ** (1 / 3) * np.where((base == 0) | ~finite, typical, np.abs(base))
        step = width * _wide(_random_like(rng, x, finite))
        moved = [(base + sign * step).astype(to_numpy(x).dtype) for sign in (1, -1)]
        half = np.where(finite, (moved[0] - moved[1]) / 2, 0)  # the step, as rounding left it
        sides = []
        for values in moved:
            results = outputs(*at[:number], asarray(values, like=x), *at[number + 1 :])
            pairs = zip(weights, results, strict=True)
            sides.append(sum(_inner(u, _wide(y)) for u, y in pairs))
        difference = (sides[0] - sides[1]) / 2
        exact = _inner(half, _wide(gradient))
        size = max(_size(half, _wide(gradient)), abs(difference))
        if not abs(exact - difference) <= tol * size + noise:
            raise AssertionError(
                f"check_grads: along a random step of floating argument number {number + 1} the "
                f"function changes by {difference:.8g}, by its derivative {exact:.8g} (relative "
                f"tolerance {tol:.1g}, rounding {noise:.1g})"
            )


def _products(u: Any, v: Any) -> Any:
    """Products where u is not zero, whatever v is elsewhere."""
    return np.where(u != 0, u, 0) * np.where(u != 0, v, 0)


def _inner(u: Any, v: Any) -> float:
    return float(np.real(np.sum(_products(u, v))))


def _size(u: Any, v: Any) -> float:
    return float(np.sum(np.abs(_products(u, v))))


def _floating(x: Any) -> bool:
    if is_neutral(x) or library_of(x) is None:
        return False
    found: bool = array_namespace(x).isdtype(x.dtype, ("real floating", "complex floating"))
    return found


def _wide(x: Any) -> Any:
    values = to_numpy(x)
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def _is_numpys_scalar(y: Any) -> bool:
    """Tell whether it is what NumPy's functions return for an array of no axes."""
    return isinstance(y, np.inexact)


def _random_like(rng: Any, x: Any, where: Any) -> Any:
    """Normal numbers of an array's kind; zero outside of a mask."""
    dtype = to_numpy(x).dtype
    values = rng.normal(size=x.shape)
    if dtype.kind == "c":
        values = values + 1j * rng.normal(size=x.shape)
    return asarray(np.asarray(np.where(where, values, 0), dtype=dtype), like=x)
