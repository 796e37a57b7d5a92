"""Maximum likelihood, and the method of moments, for many data sets at once."""

import functools
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of, is_concrete, is_neutral
from ..._native import Lines, batches, native
from ...errors import ArgumentError, ConvergenceWarning, FitError, _level
from ...missing._axes import as_given, flat
from ...special._function import at_hand
from ...transforms import grad, jit, jvp, stop_gradient, while_loop
from ._distribution import Distribution
from ._line import infinite
from ._parameters import Parameter

__all__ = ["FitResult", "fit", "nnlf"]

METHODS = ("MLE", "MM")
ELEMENTS = 16384  # observations at once: their arrays stay in the cache
MAXITER = 200


class FitResult(NamedTuple):
    """Hold parameters of fits, their standard errors, and how the fits ended.

    Attributes
    ----------
    params : tuple of array, shape (...)
        The shape parameters, then loc, then scale.
    standard_errors : tuple of array, shape (...)
        By the inverse of the observed information; 0 of fixed parameters, NaN where it isn't
        positive definite, as at the end of a domain.
    nllf : array, shape (...)
        The negative log-likelihood (method 'MM': half the sum of squares of the moments' relative
        differences).
    success : array of bool, shape (...)
        Whether the search converged.
    nit : array of int, shape (...)
        Iterations.
    """

    params: tuple[Any, ...]
    standard_errors: tuple[Any, ...]
    nllf: Any
    success: Any
    nit: Any


class _Plan(NamedTuple):
    """A fit without its data: what is free, in which order, and what is minimised."""

    row: Any
    free: tuple[bool, ...]  # of the shapes, loc and scale
    method: str

    @property
    def from_end(self) -> bool:
        """Tell if the variable of loc is the logarithm of how far it is below the data."""
        own = type(self.row)._support is not Distribution._support
        own = own or self.method != "MLE"  # moments don't ask if the support holds the data
        return self.free[-2] and not own and self.row.support_ends[0] == 0.0


def nnlf(row: Any, theta: Sequence[Any], x: Any) -> Any:
    """Return the negative log-likelihood of all observations."""
    *shapes, loc, scale = theta
    return -array_namespace(x).sum(row.logpdf(x, *shapes, loc, scale))


def fit(
    row: Any,
    data: Any,
    start: Sequence[Any],
    options: Mapping[str, Any],
    method: str = "MLE",
    axis: Any = None,
    full_output: bool = False,
) -> Any:
    """Fit a continuous distribution; see `Continuous.fit`."""
    function = f"{row.name}.fit"
    method = method.upper() if isinstance(method, str) else method
    _plan.choice(function, "method", method, METHODS)
    guesses, fixed = _told(function, row, start, options)
    names = [p.name for p in row._every]
    xp = array_namespace(data, *guesses.values(), *fixed.values())
    values = [*guesses.values(), *fixed.values()]
    x, *values = _plan.common_floating(
        function, xp, ("data", *guesses, *fixed), data, *values, real=True
    )
    if is_neutral(x):
        x, *values = map(xp.asarray, (x, *values))
    given = dict(zip((*guesses, *fixed), values, strict=True))
    if len(fixed) == len(names):
        raise FitError(f"{function}: all parameters are fixed, there is nothing to fit")
    axes = (
        tuple(range(x.ndim)) if axis is None else _plan.axis_tuple(function, "axis", axis, x.ndim)
    )
    x = flat(x, tuple(sorted(axes))) if x.ndim else xp.reshape(x, (1,))
    if x.shape[-1] == 0:
        raise ArgumentError(f"{function}: there are no data")
    if is_concrete(x) and not bool(xp.all(xp.isfinite(x))):
        raise ArgumentError(f"{function}: The data contains non-finite values.")
    batch = tuple(x.shape[:-1])
    held = {n: xp.broadcast_to(given[n], batch) for n in fixed}
    good = None
    if method == "MLE":
        with hooks_of(x).quiet():
            good = _holds(row, x, held)
    if good is not None and is_concrete(good) and not batch and not bool(good):
        told = " and ".join(f"{n} {float(held[n])}" for n in ("loc", "scale") if n in held)
        raise FitError(
            f"{function}: with {told} there is no support that holds the data, from "
            f"{float(xp.min(x))} to {float(xp.max(x))}; fix another value, or none"
        )
    kept = {n: v for n, v in row.idle.items() if n not in given}
    held |= {n: xp.broadcast_to(xp.asarray(v, dtype=x.dtype), batch) for n, v in kept.items()}
    with hooks_of(x).quiet():
        closed = None
        if not full_output:
            closed = (row._fit_closed if method == "MLE" else row._fit_moments)(xp, x, held)
        if closed is not None:
            closed = _if_held(good, fixed, names, [xp.broadcast_to(v, batch) for v in closed])
            return tuple(map(as_given, closed))
        if method == "MLE":
            known = row._fit_known(xp, x, held)
            held |= {n: xp.broadcast_to(v, batch) for n, v in known.items() if n not in guesses}
        flat_x = xp.reshape(x, (-1, x.shape[-1]))
        flat_held = {n: xp.reshape(v, (-1,)) for n, v in held.items()}
        begin = [
            xp.broadcast_to(v, flat_x.shape[:1]) for v in row._fit_start(xp, flat_x, flat_held)
        ]
        for n in guesses:
            begin[names.index(n)] = xp.reshape(xp.broadcast_to(given[n], batch), (-1,))
        if len(held) == len(names):
            out = _without_search(row, flat_x, begin)
        else:
            plan = _Plan(row, tuple(n not in held for n in names), method)
            out = _fitted(flat_x, plan, *begin)
    k = len(names)
    found = FitResult(out[:k], out[k : 2 * k], *out[2 * k :])
    settled = found.success
    if good is not None:
        good = xp.reshape(good, (-1,))
        params, errors = (_if_held(good, fixed, names, v) for v in found[:2])
        value = xp.where(good, found.nllf, xp.inf)
        settled = found.success | ~good
        found = FitResult(params, errors, value, found.success & good, found.nit)
    if method == "MM":
        wide = tuple(v * _near_zero(x) ** -0.5 for v in found.standard_errors)
        found = found._replace(standard_errors=wide, nllf=found.nllf * _near_zero(x))

    def back(v: Any) -> Any:
        return as_given(xp.reshape(v, batch))

    if is_concrete(settled) and not bool(xp.all(settled)):
        _tell(function, settled)
    params = tuple(map(back, found.params))
    if not full_output:
        return params
    errors = tuple(map(back, found.standard_errors))
    return FitResult(params, errors, back(found.nllf), back(found.success), back(found.nit))


def _holds(row: Any, x: Any, fixed: Mapping[str, Any]) -> Any:
    """Tell of data (..., n) if a support may hold them that has the fixed loc and scale; None if
    any can, or its ends are up to the shapes."""
    xp = array_namespace(x)
    shapes = [fixed.get(p.name, xp.full_like(x[..., 0], p.middle())) for p in row.parameters]
    a, b = (e if type(e) is float else math.nan for e in row._support(xp, *shapes))
    low, high = xp.min(x, axis=-1), xp.max(x, axis=-1)
    loc, scale = fixed.get("loc"), fixed.get("scale")
    good = None
    for sign, end, first in ((1.0, a, low), (-1.0, -b, -high)):
        if loc is None or not math.isfinite(end) or (scale is None and end < 0):
            continue
        room = first - sign * loc
        held = room > 0 if scale is None and end > 0 else room >= 0
        held = held if scale is None else room / scale >= end
        good = held if good is None else good & held
    if loc is None and scale is not None and math.isfinite(b - a):
        good = (high - low) / scale <= b - a
    return good


def _if_held(good: Any, fixed: Any, names: Sequence[str], values: Sequence[Any]) -> Any:
    """The values, NaN of parameters that aren't fixed where nothing holds the data."""
    if good is None:
        return values
    xp = array_namespace(good)
    return tuple(
        v if n in fixed else xp.where(good, v, xp.nan) for n, v in zip(names, values, strict=True)
    )


def _without_search(row: Any, x: Any, params: Sequence[Any]) -> tuple[Any, ...]:
    """Return the same as `_fitted`, where all parameters are known."""
    xp = array_namespace(x)
    *shapes, loc, scale = (p[:, None] for p in params)
    value = -xp.sum(row._at_logpdf(xp, x, shapes, loc, scale), axis=-1)
    zeros = xp.zeros_like(value)
    nit = xp.astype(zeros, xp.int32)
    return (*params, *(zeros for _ in params), value, xp.isfinite(value), nit)


def _tell(function: str, success: Any) -> None:
    xp = array_namespace(success)
    good = int(xp.count_nonzero(success))  # likewise: ignore[LW203]: values are at hand
    n = int(success.shape[0]) - good
    warnings.warn(
        f"{function}: {n} of {success.shape[0]} fits did not converge; full_output=True says "
        "which. Fix a parameter (floc=, fscale=), or give a start.",
        ConvergenceWarning,
        stacklevel=_level(),
    )


def _told(
    function: str, row: Any, start: Sequence[Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Starts and fixed values by the parameters' names."""
    names = [p.name for p in row._every]
    shapes = names[: row.numargs]
    if len(start) > len(shapes):
        raise TypeError(
            f"{function}: starts by position are those of {', '.join(shapes) or 'none'}"
        )
    guesses = dict(zip(shapes, start, strict=False))
    fixed: dict[str, Any] = {}
    words = {"floc": "loc", "fscale": "scale"}
    for i, name in enumerate(shapes):
        words |= {f"f{i}": name, f"f{name}": name, f"fix_{name}": name}
    for key, value in options.items():
        if key in words:
            if words[key] in fixed:
                raise ArgumentError(f"{function}: {words[key]} is fixed twice")
            if value is not None:
                fixed[words[key]] = value
        elif key in names:
            guesses[key] = value
        elif key == "optimizer":
            raise TypeError(
                f"{function}: there is no optimizer=: fits are solved by Newton's method with "
                "exact derivatives. For another one pass nnlf to likewise.optimize.minimize"
            )
        else:
            takes = ", ".join([*names, *words, "method", "axis", "full_output"])
            raise TypeError(f"{function}: got an unexpected argument {key!r}; it takes {takes}")
    return {n: v for n, v in guesses.items() if n not in fixed}, fixed


# -- objectives on unbounded variables -------------------------------------------------------------


def _outward(p: Parameter, value: Any, unit: tuple[Any, Any], from_end: bool) -> Any:
    """The variable of a parameter, which has no bounds."""
    xp = array_namespace(value)
    if p.name == "loc":
        return xp.log((unit[0] - value) / unit[1]) if from_end else (value - unit[0]) / unit[1]
    if p.name == "scale":
        return xp.log(value / unit[1])
    if math.isinf(p.low):
        return value if math.isinf(p.high) else -xp.log(p.high - value)
    if math.isinf(p.high):
        return xp.log(value - p.low)
    return xp.log((value - p.low) / (p.high - value))


def _inward(p: Parameter, u: Any, unit: tuple[Any, Any], from_end: bool) -> Any:
    """The parameter of a variable."""
    xp = array_namespace(u)
    if p.name == "loc":
        return unit[0] - unit[1] * xp.exp(u) if from_end else unit[0] + unit[1] * u
    if p.name == "scale":
        return unit[1] * xp.exp(u)
    if math.isinf(p.low):
        return u if math.isinf(p.high) else p.high - xp.exp(-u)
    if math.isinf(p.high):
        return p.low + xp.exp(u)
    return p.low + (p.high - p.low) / (1 + xp.exp(-u))


def _parameters(plan: _Plan, u: Any, known: Any) -> list[Any]:
    """All parameters, shape (b, 1) each, of the free variables (b, f) and what is known (b, k):
    place and width of the data, then the fixed parameters."""
    unit = known[:, 0:1], known[:, 1:2]
    out, i, j = [], 0, 2
    for p, free in zip(plan.row._every, plan.free, strict=True):
        if free:
            out.append(_inward(p, u[:, i : i + 1], unit, plan.from_end))
            i += 1
        else:
            out.append(known[:, j : j + 1])
            j += 1
    return out


def _objective(plan: _Plan, u: Any, x: Any, weights: Any, known: Any) -> Any:
    """The value that is minimised, shape (b,); infinite outside of the domain."""
    xp = array_namespace(u)
    *shapes, loc, scale = _parameters(plan, u, known)
    if plan.method == "MLE":
        value = -xp.sum(weights * plan.row._at_logpdf(xp, x, shapes, loc, scale), axis=-1)
    else:
        value = _moments_apart(xp, plan, x, weights, shapes, loc, scale)
    valid = plan.row._valid(xp, *shapes)
    if valid is not None:
        value = xp.where(valid[:, 0], value, xp.inf)
    return xp.where(xp.isnan(value), xp.inf, value)


def _moments_apart(
    xp: Any, plan: _Plan, x: Any, weights: Any, shapes: Any, loc: Any, scale: Any
) -> Any:
    """Half the squares of the relative differences of as many raw moments as are free, times what
    makes the search end only where they are next to 0."""
    total, n = 0.0, xp.sum(weights, axis=-1)
    for k in range(1, sum(plan.free) + 1):
        own = plan.row._raw(k, xp, 0 * loc, tuple(shapes), loc, scale)[:, 0]
        there = xp.sum(weights * x**k, axis=-1) / n
        apart = (own - there) / xp.where(xp.abs(there) > 1e-8, xp.abs(there), 1e-8)
        total = total + 0.5 * apart * apart
    return total / _near_zero(x)


def _near_zero(x: Any) -> float:
    return float(array_namespace(x).finfo(x.dtype).eps) ** 0.5


def _three(plan: _Plan, u: Any, x: Any, weights: Any, known: Any) -> tuple[Any, Any, Any]:
    """The objective, its gradient (b, f) and its Hessian matrix (b, f, f)."""
    xp = array_namespace(u)

    def slope(u: Any) -> Any:
        return grad(lambda u: xp.sum(_objective(plan, u, x, weights, known)))(u)

    f = u.shape[-1]
    unit = xp.eye(f, dtype=u.dtype, device=device(u))
    both = [jvp(slope, (u,), (xp.broadcast_to(unit[j, :], u.shape),)) for j in range(f)]
    hessian = xp.stack([bend for _, bend in both], axis=-1)
    return _objective(plan, u, x, weights, known), both[0][0], _symmetric(hessian)


def _symmetric(matrix: Any) -> Any:
    return 0.5 * (matrix + array_namespace(matrix).matrix_transpose(matrix))


def _closed(plan: _Plan, u: Any, x: Any, known: Any) -> tuple[Any, Any, Any]:
    """`_three` of a row that has `_fit_terms`."""
    xp = array_namespace(u)
    *shapes, loc, scale = _parameters(plan, u, known)
    z = (x - loc) / scale
    low, high = plan.row._support(xp, *shapes)
    inside = None
    if not infinite(low):
        inside = xp.min(z, axis=-1, keepdims=True) > low
    if not infinite(high):
        below = xp.max(z, axis=-1, keepdims=True) < high
        inside = below if inside is None else inside & below
    if inside is not None:
        z = xp.where(inside, z, plan.row._inner(low, high))
    value, first, second = plan.row._fit_terms(xp, z, *shapes)

    # By the variables: x - loc is linear in that of loc, exponential in that of the scale.
    n, k = x.shape[-1], len(shapes)
    every = zip(plan.row._every, (*shapes, loc), strict=False)
    rates = [_rate(p, v, known, plan.from_end) for p, v in every]
    rates = [*rates[:k], -rates[k] / scale, -1.0]
    slope = [a * b for a, b in zip(first, rates, strict=True)]
    bend = [[a * rates[i] * rates[i + j] for j, a in enumerate(r)] for i, r in enumerate(second)]
    for i, (p, v) in enumerate(zip(plan.row.parameters, shapes, strict=True)):
        bend[i][0] = bend[i][0] + slope[i] * _second_rate(p, v)
    if plan.from_end:
        bend[k][0] = bend[k][0] + slope[k]
    bend[k][1] = bend[k][1] - slope[k]
    bend[k + 1][0] = bend[k + 1][0] - slope[k + 1]
    slope[k + 1] = slope[k + 1] - n

    free = [i for i, is_free in enumerate(plan.free) if is_free]
    value = n * xp.log(scale) - value
    good = ~xp.isnan(value) if inside is None else inside & ~xp.isnan(value)
    matrix = xp.concat([bend[min(i, j)][abs(i - j)] for i in free for j in free], axis=-1)
    return (
        xp.where(good, value, xp.inf)[:, 0],
        -xp.concat([slope[i] for i in free], axis=-1),
        -xp.reshape(matrix, (-1, len(free), len(free))),
    )


def _second_rate(p: Parameter, value: Any) -> Any:
    """The second derivative of a shape by its variable, over the first."""
    if math.isinf(p.low):
        return 0.0 if math.isinf(p.high) else -1.0
    return 1.0 if math.isinf(p.high) else (p.high + p.low - 2 * value) / (p.high - p.low)


def _differenced(plan: _Plan, u: Any, x: Any, weights: Any, known: Any) -> tuple[Any, Any, Any]:
    """`_three` with differences of the exact gradient in place of the Hessian matrix: one call for
    all variables, moved by one each."""
    xp = array_namespace(u)
    b, f = u.shape
    h = float(xp.finfo(u.dtype).eps) ** 0.5
    moves = xp.eye(f + 1, f, k=-1, dtype=u.dtype, device=device(u)) * h
    places = u[None, :, :] + moves[:, None, :]

    def again(a: Any) -> Any:
        return xp.reshape(xp.broadcast_to(a, (f + 1, *a.shape)), (-1, a.shape[-1]))

    value, slopes = _followed(plan, hooks_of(u).records)(
        xp.reshape(places, (-1, f)), again(x), again(weights), again(known)
    )
    slopes = xp.reshape(slopes, (f + 1, b, f))
    bend = xp.moveaxis((slopes[1:, :, :] - slopes[:1, :, :]) / h, 0, -1)
    return value[:b], slopes[0, :, :], _symmetric(bend)


@functools.lru_cache(maxsize=512)
def _followed(plan: _Plan, records: bool) -> Callable[..., Any]:
    """The objective and its gradient; where a library's calls can be recorded, they are for each
    shape of the data. A compiler would take longer than the fit."""

    def both(u: Any, x: Any, weights: Any, known: Any) -> Any:
        def total(u: Any) -> Any:
            value = _objective(plan, u, x, weights, known)
            return array_namespace(u).sum(value), value

        slope, value = grad(total, has_aux=True)(u)
        return value, slope

    return jit(both) if records else both


# -- Newton's method -------------------------------------------------------------------------------


def _in_blocks(x: Any, plan: _Plan, *begin: Any) -> Lines:
    """Each data set by itself."""
    given = {0: (x, 1), **{i: (v, 0) for i, v in enumerate(begin, 2)}}
    xp = array_namespace(x)
    numbers = 2 * len(plan.free) + 1
    return batches(given, *[((), x.dtype)] * numbers, ((), xp.bool), ((), xp.int32))


@native(blocks=_in_blocks)
def _fitted(x: Any, plan: _Plan, *begin: Any) -> tuple[Any, ...]:
    """Parameters, their standard errors, value, success and iterations of data sets (b, n)."""
    xp = array_namespace(x)
    u, known = _variables(plan, x, begin)
    in_memory = at_hand(x, u, known)
    copies = 1
    data: tuple[Any, ...]
    if plan.method == "MLE" and plan.row.closed_terms:
        three, data = functools.partial(_closed, plan), (x, known)
    elif in_memory:
        three, data = functools.partial(_differenced, plan), (*_padded(x), known)
        copies = u.shape[-1] + 1
    else:
        three, data = functools.partial(_three, plan), (x, xp.ones_like(x), known)
    if not in_memory:
        return _ended(three, plan, _traced(three, u, data), data)
    size = max(1, ELEMENTS // (data[0].shape[-1] * copies))
    zero = xp.zeros_like(u[:, 0])
    start = _Walk(u, xp.full_like(zero, 2.0), zero, zero)
    found = _rounds(three, start, data, size)
    parts, b = [], u.shape[0]
    for i in range(0, b, size):
        s = slice(i, min(i + size, b))
        rows = tuple(a[s, ...] for a in data)
        parts.append(_ended(three, plan, _Walk(*(a[s, ...] for a in found)), rows))
    return parts[0] if len(parts) == 1 else tuple(map(xp.concat, zip(*parts, strict=True)))


def _variables(plan: _Plan, x: Any, begin: Sequence[Any]) -> tuple[Any, Any]:
    """The free variables (b, f) at start values, and what is known."""
    xp = array_namespace(x)
    unit = xp.min(x, axis=-1) if plan.from_end else begin[-2], begin[-1]
    every = list(zip(plan.row._every, begin, plan.free, strict=True))
    free = [_outward(p, v, unit, plan.from_end) for p, v, is_free in every if is_free]
    fixed = [v for _, v, is_free in every if not is_free]
    return xp.stack(free, axis=-1), xp.stack([*unit, *fixed], axis=-1)


def _padded(x: Any) -> tuple[Any, Any]:
    """Data of one of a few sizes, by repeating observations with weight 0: what was compiled for
    one number of observations serves others."""
    xp = array_namespace(x)
    n = x.shape[-1]
    step = max(8, 2 ** (n.bit_length() - 3))
    more = -n % step
    weights = xp.ones_like(x)
    if not more:
        return x, weights
    again = xp.broadcast_to(x[:, :1], (x.shape[0], more))
    return xp.concat([x, again], axis=-1), xp.concat([weights, 0 * again], axis=-1)


class _Walk(NamedTuple):
    """The state of the search of each data set; `end` is 0 on the way, 1 converged, -1 lost."""

    u: Any
    radius: Any
    nit: Any
    end: Any


def _rounds(three: Callable[..., Any], walk: _Walk, data: tuple[Any, ...], size: int) -> _Walk:
    """Search in blocks of `size`; a block is left when a quarter is on the way, and these go on
    together in other blocks."""
    xp = array_namespace(walk.u)
    b = walk.u.shape[0]
    last = b <= size
    ends = []
    for i in range(0, b, size):
        short = i + size - b if i and i + size > b else 0
        s = slice(i - short, min(i + size, b))  # the last block begins earlier: of the same size
        found = _walked(
            three,
            _Walk(*(a[s, ...] for a in walk)),
            tuple(a[s, ...] for a in data),
            0 if last else size // 4,
        )
        ends.append(_Walk(*(a[short:, ...] for a in found)))
    walk = ends[0] if last else _Walk(*(xp.concat(parts) for parts in zip(*ends, strict=True)))
    left = int(xp.count_nonzero(walk.end == 0.0))  # likewise: ignore[LW203]: at hand
    if not left or last:
        return walk
    order = xp.argsort(xp.abs(walk.end), stable=True)
    back = xp.argsort(order, stable=True)
    first = order[:left]
    more = _rounds(
        three,
        _Walk(*(xp.take(a, first, axis=0) for a in walk)),
        tuple(xp.take(a, first, axis=0) for a in data),
        size,
    )
    rest = (xp.take(a, order[left:], axis=0) for a in walk)
    joined = (xp.concat([a, c]) for a, c in zip(more, rest, strict=True))
    return _Walk(*(xp.take(a, back, axis=0) for a in joined))


class _State(NamedTuple):
    walk: _Walk
    value: Any
    slope: Any
    bend: Any


def _first(three: Callable[..., Any], walk: _Walk, data: tuple[Any, ...]) -> _State:
    xp = array_namespace(walk.u)
    value, slope, bend = three(walk.u, *data)
    lost = ~xp.isfinite(value)
    return _State(walk._replace(end=xp.where(lost, -1.0, walk.end)), value, slope, bend)


def _step(three: Callable[..., Any], s: _State, data: tuple[Any, ...]) -> _State:
    """A step by eigenvalues in absolute value, no longer than the radius, which shrinks where the
    value isn't lower; at first a factor of e**2 of a positive parameter."""
    xp = array_namespace(s.slope)
    u, radius, nit, end = s.walk
    info = xp.finfo(u.dtype)
    eps = float(info.eps)
    values, vectors = xp.linalg.eigh(xp.where(xp.isfinite(s.bend), s.bend, 0.0))
    size = xp.abs(values)
    least = xp.max(size, axis=-1, keepdims=True) * eps + float(info.smallest_normal)
    across = xp.sum(vectors * s.slope[:, :, None], axis=-2)
    scaled = across / xp.maximum(size, least)
    move = xp.sum(vectors * scaled[:, None, :], axis=-1)
    length = xp.max(xp.abs(move), axis=-1)
    whole = length <= radius
    share = xp.where(whole, 1.0, radius / xp.where(whole, 1.0, length))
    length = length * share
    there = u - move * share[:, None]
    value, slope, bend = three(there, *data)
    scale = 1 + xp.abs(s.value)
    open_ = end == 0.0
    better = open_ & (value <= s.value + 32 * eps * scale)
    # The last step is a whole one, and one more follows: the error is squared twice.
    near = xp.sum(across * scaled, axis=-1) <= 0.1 * eps**0.5 * scale
    radius = xp.where(better, xp.maximum(radius, 2 * length), 0.25 * length)
    radius = xp.where(radius > 8.0, 8.0, radius)
    nit = nit + xp.astype(open_, nit.dtype)
    lost = open_ & ((radius < eps) | (nit >= MAXITER))
    end = xp.where(open_ & whole & near, 1.0, xp.where(lost, -1.0, end))
    one, two = better[:, None], better[:, None, None]
    return _State(
        _Walk(xp.where(one, there, u), radius, nit, end),
        xp.where(better, value, s.value),
        xp.where(one, slope, s.slope),
        xp.where(two, bend, s.bend),
    )


def _walked(three: Callable[..., Any], walk: _Walk, data: tuple[Any, ...], few: int) -> _Walk:
    """Steps of arrays in memory, until no more than a few data sets are on the way."""
    xp = array_namespace(walk.u)
    state = _first(three, walk, data)
    while True:
        left = int(xp.count_nonzero(state.walk.end == 0.0))  # likewise: ignore[LW203]: at hand
        if left <= few:
            return state.walk
        state = _step(three, state, data)


def _traced(three: Callable[..., Any], u: Any, data: tuple[Any, ...]) -> _Walk:
    """All steps of arrays that have no values yet."""
    xp = array_namespace(u)
    u, *held = (stop_gradient(a) for a in (u, *data))
    fixed = tuple(held)
    zero = xp.zeros_like(u[:, 0])
    state = while_loop(
        lambda s: xp.any(s.walk.end == 0.0),
        lambda s: _step(three, s, fixed),
        _first(three, _Walk(u, xp.full_like(zero, 2.0), zero, zero), fixed),
    )
    return state.walk


def _ended(
    three: Callable[..., Any], plan: _Plan, walk: _Walk, data: tuple[Any, ...]
) -> tuple[Any, ...]:
    """A last step of Newton's method, which has the implicit derivative in the data; parameters and
    their standard errors."""
    xp = array_namespace(walk.u)
    u, known = stop_gradient(walk.u), data[-1]
    value, slope, bend = three(u, *data)
    good = xp.all(xp.isfinite(bend), axis=(-2, -1)) & (walk.end > 0.0)
    values, vectors = xp.linalg.eigh(xp.where(good[:, None, None], bend, 0.0))
    least = float(xp.finfo(u.dtype).eps) * xp.max(xp.abs(values), axis=-1, keepdims=True)
    definite = good & xp.all(values > least, axis=-1)
    safe = xp.where(definite[:, None], values, 1.0)
    across = xp.sum(vectors * slope[:, :, None], axis=-2)
    move = xp.sum(vectors * (across / safe)[:, None, :], axis=-1)
    move = xp.where(definite[:, None], move, 0.0)
    u, value = u - move, value - 0.5 * xp.sum(move * slope, axis=-1)
    covariance = xp.matmul(vectors / safe[:, None, :], xp.matrix_transpose(vectors))
    params = _parameters(plan, u, known)
    errors, i = [], 0
    for p, v, free in zip(plan.row._every, params, plan.free, strict=True):
        if not free:
            errors.append(xp.zeros_like(v[:, 0]))
            continue
        spread = xp.sqrt(covariance[:, i, i]) * xp.abs(_rate(p, v, known, plan.from_end)[:, 0])
        errors.append(xp.where(definite, spread, xp.nan))
        i += 1
    nit = xp.astype(walk.nit, xp.int32)
    return (*(v[:, 0] for v in params), *errors, value, walk.end > 0.0, nit)


def _rate(p: Parameter, value: Any, known: Any, from_end: bool) -> Any:
    """The derivative of a parameter by its variable."""
    if p.name == "loc":
        return value - known[:, 0:1] if from_end else known[:, 1:2]
    if p.name == "scale":
        return value
    if math.isinf(p.low):
        return value * 0 + 1 if math.isinf(p.high) else p.high - value
    if math.isinf(p.high):
        return value - p.low
    return (value - p.low) * (p.high - value) / (p.high - p.low)
