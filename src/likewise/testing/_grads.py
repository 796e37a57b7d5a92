"""Gradients against finite differences."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .._namespace import array_namespace, is_neutral, library_of
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
    seed: int = 0,
) -> None:
    """Assert that the reverse-mode derivatives of a function agree with finite differences.

    Parameters
    ----------
    func : callable
        Of the arguments; returns an array or nested tuples, lists and dicts of arrays.
    *args : array or anything
        Floating arrays, nested or not, are differentiated, all of them; the rest stays as it is.
        Choose a point where `func` is smooth.
    kwargs : dict, optional
        Keyword arguments of `func`, which are not differentiated.
    tol : float, optional
        Relative tolerance. Default: 1e-6 in double precision, 1e-2 in single.
    seed : int, optional
        Of the random cotangent and directions.

    Raises
    ------
    AssertionError
        If they differ, or nothing that comes out is floating.
    NotSupported
        On a library without a reverse mode.

    Notes
    -----
    With a random cotangent u over all that comes out, ``sum(u * func(x + h v))`` is differenced
    centrally along random directions v, one for each argument, and compared with
    ``sum(pullback(u) * v)``: two evaluations of `func` an argument. An error that a symmetry of
    ``sum(func(x))`` would hide is seen.

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
        return tuple(leaf for leaf in leaves(func(*full, **options)) if _floating(leaf))

    if hasattr(library_of(at[0]), "vjp") and not outputs(*at):
        raise AssertionError("check_grads: nothing that comes out is a floating array")
    out, pullback = vjp(outputs, *at)
    rng = np.random.default_rng(seed)
    cotangents = tuple(_random_like(rng, y) for y in out)
    pulled = pullback(cotangents)
    eps = max(float(np.finfo(to_numpy(x).dtype).eps) for x in at)
    tol = (1e-6 if eps < 1e-10 else 1e-2) if tol is None else tol
    weights = [_wide(u) for u in cotangents]
    for number, (x, gradient) in enumerate(zip(at, pulled, strict=True)):
        direction = _wide(_random_like(rng, x))
        base = _wide(x)
        # The step's width is relative to what is in the array, not to the single entry.
        h = eps ** (1 / 3) * max(float(np.max(np.abs(base), initial=0.0)), 1e-3)
        upper = asarray((base + h * direction).astype(to_numpy(x).dtype), like=x)
        lower = asarray((base - h * direction).astype(to_numpy(x).dtype), like=x)
        sides = []
        for moved in (upper, lower):
            values = outputs(*at[:number], moved, *at[number + 1 :])
            pairs = zip(weights, values, strict=True)
            sides.append(sum(float(np.real(np.sum(u * _wide(y)))) for u, y in pairs))
        width = np.abs(_wide(upper) - _wide(lower))
        h = np.sum(width) / max(np.sum(2 * np.abs(direction)), 1e-300)  # as rounding left it
        difference = (sides[0] - sides[1]) / (2 * h)
        exact = float(np.real(np.sum(_wide(gradient) * direction)))
        size = float(np.sum(np.abs(_wide(gradient) * direction)))
        if not abs(exact - difference) <= tol * max(size, abs(difference), 1e-300):
            raise AssertionError(
                f"check_grads: along a random direction of floating argument number {number + 1} "
                f"the derivative is {exact:.8g}, by finite differences {difference:.8g} "
                f"(relative tolerance {tol:.1g})"
            )


def _floating(x: Any) -> bool:
    if is_neutral(x) or library_of(x) is None:
        return False
    found: bool = array_namespace(x).isdtype(x.dtype, ("real floating", "complex floating"))
    return found


def _wide(x: Any) -> Any:
    values = to_numpy(x)
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def _random_like(rng: Any, x: Any) -> Any:
    dtype = to_numpy(x).dtype
    values = rng.normal(size=x.shape)
    if dtype.kind == "c":
        values = values + 1j * rng.normal(size=x.shape)
    return asarray(np.asarray(values, dtype=dtype), like=x)
