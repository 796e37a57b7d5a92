"""Integrals over several variables: for all points of an outer variable the inner ones at once."""

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .._namespace import array_namespace, is_concrete, is_neutral
from .._native import native, public
from ..errors import ArgumentError, IntegrationWarning, _level
from ..solving._blocks import lanes_in_blocks
from ..solving._elementwise import plan_lanes
from ..solving._following import is_open
from ..solving._function import arguments, check_callable
from ._adaptive import Asked, integral
from ._bisecting import FAILED

__all__ = ["dblquad", "nquad", "tplquad"]

_OPTIONS = "epsabs epsrel limit points weight wvar wopts maxp1 limlst".split()


@public
def dblquad(
    func: Callable[..., Any],
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    args: Any = (),
    epsabs: float | None = None,
    epsrel: float | None = None,
) -> tuple[Any, Any]:
    """Integrate a function of two variables.

    The integral of ``func(y, x, *args)`` for x from `a` to `b` and y from ``gfun(x)`` to
    ``hfun(x)``.

    Parameters
    ----------
    func : callable
        ``func(y, x, *args) -> array``, elementwise: `y` holds nodes along the last axis, and `x`,
        like arrays of `args`, has an axis of 1 there.
    a, b : array or number
        Limits of x, of any shapes that broadcast; infinite ones, too.
    gfun, hfun : callable, array or number
        Limits of y, functions of arrays of `x`, or the same for all `x`.
    args : tuple, optional
        Arguments of `func`. Arrays broadcast with the limits.
    epsabs, epsrel : float, optional
        Tolerances of the inner and the outer integrals. Default: the square root of eps, 1.49e-8 in
        double precision.

    Returns
    -------
    y : array
        The integrals, of the broadcast shape.
    abserr : array
        The largest estimate of the absolute error of an integral over one variable.

    Warns
    -----
    IntegrationWarning
        If an integral has not converged, and that can be read.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of functions, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `func` returns another shape than that of `y`.
    ArgumentError
        If a tolerance can't be met.

    See Also
    --------
    nquad : Any number of variables, with options for each, and the notes.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import dblquad
    >>> y, error = dblquad(lambda y, x: x * y**2, 0.0, 2.0, 0.0, lambda x: 1 + x)
    >>> float(y.round(9))
    9.466666667
    """
    opts = {"epsabs": epsabs, "epsrel": epsrel}

    def limits(x: Any, *rest: Any) -> tuple[Any, Any]:
        return gfun(x) if callable(gfun) else gfun, hfun(x) if callable(hfun) else hfun

    inner = limits if callable(gfun) or callable(hfun) else (gfun, hfun)
    y, error, _ = _integrated("dblquad", func, [inner, (a, b)], args, opts)
    return y, error


@public
def tplquad(
    func: Callable[..., Any],
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    qfun: Any,
    rfun: Any,
    args: Any = (),
    epsabs: float | None = None,
    epsrel: float | None = None,
) -> tuple[Any, Any]:
    """Integrate a function of three variables.

    The integral of ``func(z, y, x, *args)`` for x from `a` to `b`, y from ``gfun(x)`` to
    ``hfun(x)``, and z from ``qfun(x, y)`` to ``rfun(x, y)``.

    Parameters
    ----------
    func : callable
        ``func(z, y, x, *args) -> array``, elementwise: `z` holds nodes along the last axis, and
        `y`, `x`, and arrays of `args` have an axis of 1 there.
    a, b : array or number
        Limits of x, of any shapes that broadcast; infinite ones, too.
    gfun, hfun : callable, array or number
        Limits of y, functions of arrays of `x`, or the same for all `x`.
    qfun, rfun : callable, array or number
        Limits of z, functions of arrays of `x` and `y`, or the same for all.
    args : tuple, optional
        Arguments of `func`. Arrays broadcast with the limits.
    epsabs, epsrel : float, optional
        Tolerances of all integrals over one variable. Default: the square root of eps, 1.49e-8 in
        double precision.

    Returns
    -------
    y : array
        The integrals, of the broadcast shape.
    abserr : array
        The largest estimate of the absolute error of an integral over one variable.

    Warns
    -----
    IntegrationWarning
        If an integral has not converged, and that can be read.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of functions, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `func` returns another shape than that of `z`.
    ArgumentError
        If a tolerance can't be met.

    See Also
    --------
    nquad : Any number of variables, with options for each, and the notes.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import tplquad
    >>> y, error = tplquad(lambda z, y, x: x * y * z, 1.0, 2.0, 2.0, 3.0, 0.0, lambda x, y: x * y)
    >>> float(y.round(9))
    30.46875
    """
    opts = {"epsabs": epsabs, "epsrel": epsrel}

    def of_y(x: Any, *rest: Any) -> tuple[Any, Any]:
        return gfun(x) if callable(gfun) else gfun, hfun(x) if callable(hfun) else hfun

    def of_z(y: Any, x: Any, *rest: Any) -> tuple[Any, Any]:
        return qfun(x, y) if callable(qfun) else qfun, rfun(x, y) if callable(rfun) else rfun

    ranges = [
        of_z if callable(qfun) or callable(rfun) else (qfun, rfun),
        of_y if callable(gfun) or callable(hfun) else (gfun, hfun),
        (a, b),
    ]
    y, error, _ = _integrated("tplquad", func, ranges, args, opts)
    return y, error


@public
def nquad(
    func: Callable[..., Any],
    ranges: Sequence[Any],
    args: Any = None,
    opts: Any = None,
    full_output: bool = False,
) -> tuple[Any, ...]:
    """Integrate a function of several variables.

    Parameters
    ----------
    func : callable
        ``func(x0, ..., xn, *args) -> array``, elementwise: `x0` holds nodes along the last axis,
        and the other variables, like arrays of `args`, have an axis of 1 there. The integral over
        `x0` is the innermost.
    ranges : sequence
        For each variable a pair of limits, numbers or arrays that broadcast, or a function of the
        later variables and `args` that returns such a pair.
    args : tuple, optional
        Arguments of `func`, and of functions in `ranges` and `opts`. Arrays broadcast with the
        limits.
    opts : dict, callable or sequence, optional
        Options of `quad` for all variables, or a sequence of such for each: a dict, or a function
        of the later variables and `args` that returns one. The keys are 'epsabs', 'epsrel',
        'limit', 'points', 'weight', 'wvar', 'wopts', 'maxp1' and 'limlst'.
    full_output : bool, optional
        Whether to return a dict, too, and give no warning.

    Returns
    -------
    y : array
        The integrals, of the broadcast shape.
    abserr : array
        The largest estimate of the absolute error of an integral over one variable.
    out_dict : dict
        With `full_output`: 'neval', the number of evaluations of `func`; it isn't there in compiled
        code, nor on JAX.

    Warns
    -----
    IntegrationWarning
        If an integral has not converged, and that can be read, without `full_output`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of functions, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `func` returns another shape than that of its first argument.
    ArgumentError
        If `ranges` is empty or has no pairs, or an option is unknown or can't be met.

    Notes
    -----
    Integrals over one variable within those over the next, each by `quad`. For all nodes of an
    interval of the outer variable, and all problems of a batch, the inner integrals are a batch of
    `quad`: each is adaptive by itself. Functions are called with arrays. Only where all arguments
    are numbers, and functions can't take arrays, they are called with numbers, by SciPy on NumPy.

    Differentiable as `quad` is, with respect to limits, `args`, and to what functions close over.
    Derivatives in inner limits include the function on the edge.

    Differs from SciPy: batches; `abserr` of a batch is that of all; in compiled code, and on JAX,
    where the inner estimates can't be read, it is that of the outermost integral; one warning.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import nquad
    >>> c = np.asarray([1.0, 2.0])
    >>> y, error = nquad(lambda x, y, c: np.exp(-c * x * y), [(0.0, 1.0), (1.0, 2.0)], args=(c,))
    >>> y.round(9)
    array([0.52266376, 0.32401301])
    """
    y, error, told = _integrated(
        "nquad", func, ranges, () if args is None else args, opts, not full_output
    )
    return (y, error, told) if full_output else (y, error)


class _Nest:
    """Integrals within integrals; calls note the largest error, the status, and evaluations."""

    def __init__(
        self, name: str, func: Callable[..., Any], ranges: list[Any], opts: list[Any]
    ) -> None:
        self.name, self.func, self.ranges, self.opts = name, func, ranges, opts
        self.error: Any = None
        self.code, self.calls, self.knows = 0, 0, True

    def over(self, k: int, *args: Any) -> tuple[Any, ...]:
        """Integrals over the first variables up to k, and what `integral` tells."""
        low, high = self.limits(k, args)
        options = self.opts[k](*args) if callable(self.opts[k]) else self.opts[k]
        asked = _asked(self.name, options)
        if k:
            return integral(self.name, functools.partial(self.value, k - 1), low, high, args, asked)
        found = integral(self.name, self.func, low, high, args, asked)
        if is_concrete(found[4]):
            xp = array_namespace(found[4])
            self.calls += int(xp.sum(xp.asarray(found[4])))
        else:
            self.knows = False
        return found

    def limits(self, k: int, args: tuple[Any, ...]) -> tuple[Any, Any]:
        given = self.ranges[k]
        return _pair(self.name, k, given(*args) if callable(given) else given)

    def value(self, k: int, *args: Any) -> Any:
        y, error, code, *_ = self.over(k, *args)
        if is_concrete(error) and is_concrete(code) and 0 not in error.shape:
            xp = array_namespace(error)
            worst = xp.max(xp.where(xp.isfinite(error), error, xp.zeros_like(error)))
            self.error = worst if self.error is None else xp.maximum(self.error, worst)
            self.code = max(self.code, int(xp.max(code) if code.ndim else code))
        return y


def _pair(name: str, k: int, pair: Any) -> tuple[Any, Any]:
    try:
        low, high = pair
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{name}: ranges[{k}] must be a pair of limits, or a function that returns one, got "
            f"{pair!r}"
        ) from None
    return low, high


def _asked(name: str, options: Any) -> Asked:
    unknown = [key for key in options if key not in _OPTIONS]
    if unknown:
        raise ArgumentError(f"{name}: opts has {unknown[0]!r}, which is none of {_OPTIONS}")
    return Asked(row=False)._replace(**options)


def _integrated(
    name: str, func: Any, ranges: Any, args: Any, opts: Any, warns: bool = True
) -> tuple[Any, Any, dict[str, int]]:
    check_callable(name, func)
    ranges, args = list(ranges), arguments(args)
    if not ranges:
        raise ArgumentError(f"{name}: ranges must have limits for each variable, got none")
    each = [opts or {}] * len(ranges) if opts is None or isinstance(opts, dict) else list(opts)
    if len(each) != len(ranges):
        raise ArgumentError(
            f"{name}: opts must have one entry for each of {len(ranges)} variables, got {len(each)}"
        )
    ranges = [r if callable(r) else _pair(name, k, r) for k, r in enumerate(ranges)]
    func, ranges, args = _with_limits(func, ranges, args)
    low, high = _Nest(name, func, ranges, each).limits(len(ranges) - 1, args)

    def of_block(ends: Any, rest: Any) -> tuple[Any, ...]:
        nest = _Nest(name, func, [*ranges[:-1], ends], each)
        return nest.over(len(ranges) - 1, *rest)[:2]

    users = {"func": func} | {f"ranges[{i}]": r for i, r in enumerate(ranges) if callable(r)}
    found = lanes_in_blocks(name, of_block, {"a": low, "b": high}, args, users)
    if found is not None:
        return *found, {}
    nest = _Nest(name, func, [*ranges[:-1], (low, high)], each)
    lanes = plan_lanes(name, func, {"a": low, "b": high}, args)
    y, error, code = _nested(lanes.points[0], nest, args)
    if is_concrete(code):
        xp = array_namespace(code)
        worst = max(nest.code, int(xp.max(code)) if 0 not in code.shape else 0)
        if worst and warns:
            warnings.warn(f"{name}: {FAILED[worst]}", IntegrationWarning, stacklevel=_level())
    return y, error, {"neval": nest.calls} if nest.knows else {}


def _with_limits(
    func: Any, ranges: list[Any], args: tuple[Any, ...]
) -> tuple[Any, list[Any], tuple[Any, ...]]:
    """Pass arrays that are limits of inner variables as arguments, so that they broadcast."""
    inner = [r for r in ranges[:-1] if not callable(r)]
    more = [v for pair in inner for v in pair if _is_array(v)]
    if not more:
        return func, ranges, args
    count, left = len(more), iter(range(-len(more), 0))

    def known(fun: Any) -> Any:
        return lambda *given: fun(*given[: len(given) - count])

    def passed(pair: Any) -> Any:
        places = [next(left) if _is_array(v) else None for v in pair]
        return lambda *given: tuple(
            v if p is None else given[p] for v, p in zip(pair, places, strict=True)
        )

    made = [known(r) if callable(r) else passed(r) for r in ranges[:-1]]
    return known(func), [*made, ranges[-1]], (*args, *more)


def _is_array(x: Any) -> bool:
    return isinstance(x, list) or (getattr(x, "ndim", 0) > 0 and not is_neutral(x))


def _numbers(first: Any, nest: _Nest, args: tuple[Any, ...]) -> bool:
    """one problem of float64 with numbers as arguments, outside of transforms."""
    if is_open() or first.shape != (1,) or first.dtype != array_namespace(first).float64:
        return False
    given = [*args, *(v for r in nest.ranges if not callable(r) for v in r)]
    return all(type(v) in (float, int) for v in given)


@native(numpy="likewise._libs.numpy._integrals:nquad", when=_numbers)
def _nested(first: Any, nest: _Nest, args: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """Integrals, the largest error, and the status of the outermost."""
    y, error, code, *_ = nest.over(len(nest.ranges) - 1, *args)
    if nest.error is not None and is_concrete(error):
        xp = array_namespace(error)
        error = xp.maximum(error, nest.error)
    return y, error, code
