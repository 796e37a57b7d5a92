"""Methods without a Jacobian: Broyden's, diagonal ones, and Anderson mixing.

C. G. Broyden, A class of methods for solving nonlinear simultaneous equations, Math. Comp. 19(92),
1965, his first and second method, by changes of rank one of the approximate inverse; D. G.
Anderson, Iterative procedures for nonlinear integral equations, J. ACM 12(4), 1965, regularised as
V. Eyert, J. Comput. Phys. 124(2), 1996, does.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...errors import ArgumentError, NotSupported
from ...solving._options import count, effective, table
from .._steps._system import System
from ._anderson import combined
from ._method import Root, Row, Run
from ._quasi_newton import OPTIONS, Approximation, number, options_taken, pace_of, solved

__all__ = ["ANDERSON", "BROYDEN1", "BROYDEN2", "DIAGBROYDEN", "EXCITINGMIXING", "LINEARMIXING"]

_DENSE = 512  # unknowns, up to which the approximate inverse is a matrix
_KEPT = 64  # changes of rank one, which are kept for more unknowns


def _dot(a: Any, b: Any) -> Any:
    return array_namespace(a, b).sum(a * b, axis=1)[:, None]


def _over(a: Any, b: Any) -> Any:
    """Return a / b, and 0 where b is 0."""
    xp = array_namespace(a, b)
    zero = b == 0
    out = a / xp.where(zero, xp.ones_like(b), b)
    return xp.where(zero, xp.zeros_like(out), out)


# -- diagonal approximations -----------------------------------------------------------------------


def _linear(options: dict[str, Any]) -> Approximation:
    return Approximation(
        lambda x, f: pace_of(x, f, options["alpha"]),
        lambda pace, f, dx, df: pace,
        lambda pace, x, f, error: pace * f,
    )


def _diagonal(options: dict[str, Any]) -> Approximation:
    """Minus the Jacobian is diagonal, and changes by Broyden's rule, of which the rest is left."""

    def start(x: Any, f: Any) -> Any:
        return 1 / pace_of(x, f, options["alpha"]) + 0 * x

    def renewed(d: Any, f: Any, dx: Any, df: Any) -> Any:
        return d - _over((df + d * dx) * dx, _dot(dx, dx))

    return Approximation(start, renewed, lambda d, x, f, error: _over(f, d))


class _Excited(NamedTuple):
    pace: Any  # (B, 1)
    beta: Any  # (B, p)
    last: Any  # (B, p): the residuals before


def _exciting(options: dict[str, Any]) -> Approximation:
    """Each unknown's pace grows as long as its residual keeps its sign."""
    top = options["alphamax"]

    def start(x: Any, f: Any) -> _Excited:
        pace = pace_of(x, f, options["alpha"])
        return _Excited(pace, pace + 0 * x, f)

    def renewed(m: _Excited, f: Any, dx: Any, df: Any) -> _Excited:
        xp = array_namespace(m.beta, f)
        beta = xp.where(f * m.last > 0, m.beta + m.pace, m.pace + 0 * m.beta)
        return _Excited(m.pace, xp.minimum(beta, xp.full_like(beta, top)), f)

    return Approximation(start, renewed, lambda m, x, f, error: m.beta * f)


# -- Broyden's methods -----------------------------------------------------------------------------


class _Matrix(NamedTuple):
    pace: Any  # (B, 1)
    inverse: Any  # (B, p, p)


class _Ranks(NamedTuple):
    """The inverse is -pace plus a sum of left right^T."""

    pace: Any
    left: Any  # (B, R, p)
    right: Any  # (B, R, p)
    count: Any  # (B, 1)


def _matrix(pace: Any, x: Any) -> _Matrix:
    xp = array_namespace(x)
    eye = xp.eye(x.shape[1], dtype=x.dtype, device=device(x))
    return _Matrix(pace, -pace[:, :, None] * eye + xp.zeros_like(x)[:, :, None])


def _ranks(pace: Any, x: Any, most: int) -> _Ranks:
    xp = array_namespace(x)
    none = xp.zeros((x.shape[0], most, x.shape[1]), dtype=x.dtype, device=device(x))
    zero = xp.zeros((x.shape[0], 1), dtype=xp.int32, device=device(x))
    return _Ranks(pace, none, none, zero)


def _times(m: Any, v: Any) -> Any:
    xp = array_namespace(v)
    if isinstance(m, _Matrix):
        return xp.matmul(m.inverse, v[:, :, None])[..., 0]
    parts = xp.matmul(m.right, v[:, :, None])
    return xp.sum(parts * m.left, axis=1) - m.pace * v


def _turned_times(m: Any, v: Any) -> Any:
    xp = array_namespace(v)
    if isinstance(m, _Matrix):
        return xp.matmul(v[:, None, :], m.inverse)[:, 0, :]
    parts = xp.matmul(m.left, v[:, :, None])
    return xp.sum(parts * m.right, axis=1) - m.pace * v


def _reduced(m: Any, simple: bool) -> Any:
    """Make room for another change, before it is known: by dropping all, or the oldest."""
    if isinstance(m, _Matrix):
        return m
    xp = array_namespace(m.left)
    most = m.left.shape[1]
    full = m.count >= most
    wide = full[:, :, None]
    if simple:

        def shifted(a: Any) -> Any:
            return xp.concat([a[:, 1:, :], xp.zeros_like(a[:, :1, :])], axis=1)

        left, right, count = shifted(m.left), shifted(m.right), m.count - 1
    else:
        left, right, count = 0 * m.left, 0 * m.right, 0 * m.count
    return _Ranks(
        m.pace,
        xp.where(wide, left, m.left),
        xp.where(wide, right, m.right),
        xp.where(full, count, m.count),
    )


def _changed(m: Any, c: Any, d: Any) -> Any:
    if isinstance(m, _Matrix):
        return _Matrix(m.pace, m.inverse + c[:, :, None] * d[:, None, :])
    xp = array_namespace(m.left)
    places = xp.arange(m.left.shape[1], dtype=m.count.dtype, device=device(m.left))
    here = (places[None, :] == m.count)[:, :, None]
    left = xp.where(here, xp.broadcast_to(c[:, None, :], tuple(m.left.shape)), m.left)
    right = xp.where(here, xp.broadcast_to(d[:, None, :], tuple(m.right.shape)), m.right)
    return _Ranks(m.pace, left, right, m.count + 1)


def _broyden(first: bool) -> Callable[[dict[str, Any]], Approximation]:
    def of(options: dict[str, Any]) -> Approximation:
        kind, most = options["reduction_method"], options["max_rank"]

        def fresh(pace: Any, x: Any) -> Any:
            if most is None and x.shape[1] <= _DENSE:
                return _matrix(pace, x)
            return _ranks(pace, x, _KEPT if most is None else min(most, x.shape[1]))

        def renewed(m: Any, f: Any, dx: Any, df: Any) -> Any:
            m = _reduced(m, kind == "simple")
            c = dx - _times(m, df)
            if first:
                v = _turned_times(m, dx)
                d = _over(v, _dot(df, v))
            else:
                d = _over(df, _dot(df, df))
            return _changed(m, c, d)

        def direction(m: Any, x: Any, f: Any, error: Any) -> Any:
            xp = array_namespace(f)
            found = -_times(m, f)
            finite = xp.all(xp.isfinite(found), axis=1)[:, None]
            return xp.where(finite, found, m.pace * f)

        return Approximation(
            lambda x, f: fresh(pace_of(x, f, options["alpha"]), x), renewed, direction
        )

    return of


# -- Anderson's ------------------------------------------------------------------------------------


class _Mixed(NamedTuple):
    pace: Any  # (B, 1)
    moves: Any  # (B, M, p), of x, the latest last
    changes: Any  # (B, M, p), of the residuals


def _anderson(options: dict[str, Any]) -> Approximation:
    memory, damping = options["M"], options["w0"] ** 2

    def start(x: Any, f: Any) -> _Mixed:
        xp = array_namespace(x)
        none = xp.zeros((x.shape[0], memory, x.shape[1]), dtype=x.dtype, device=device(x))
        return _Mixed(pace_of(x, f, options["alpha"]), none, none)

    def renewed(m: _Mixed, f: Any, dx: Any, df: Any) -> _Mixed:
        xp = array_namespace(dx, df)
        return _Mixed(
            m.pace,
            xp.concat([m.moves[:, 1:, :], dx[:, None, :]], axis=1),
            xp.concat([m.changes[:, 1:, :], df[:, None, :]], axis=1),
        )

    def direction(m: _Mixed, x: Any, f: Any, error: Any) -> Any:
        return combined(m.moves, m.changes, f, m.pace, damping)

    return Approximation(start, renewed, direction)


# -- rows ------------------------------------------------------------------------------------------


def _checked(name: str, more: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """Return the check of a method's options, of which SciPy has some in 'jac_options'."""

    def check(given: Any) -> dict[str, Any]:
        given = table("root", "options", given)
        inner = table("root", "option 'jac_options'", given.pop("jac_options", None))
        known = OPTIONS | more
        out = known | effective("root", name, given | inner, known, {})
        out = options_taken(out)
        for key in ("alpha", "alphamax", "w0"):
            if key in more:
                out[key] = number(f"option {key!r}", out[key])
        if "M" in more:
            out["M"] = count("root", "option 'M'", out["M"], 5, 1)
        if "max_rank" in more:
            _ranks_checked(out)
        return out

    return check


def _ranks_checked(out: dict[str, Any]) -> None:
    method = out["reduction_method"]
    if isinstance(method, tuple) and method:
        method = method[0]
    if method == "svd":
        raise NotSupported(
            "root: option 'reduction_method': 'svd' is not offered: take 'restart' or 'simple'"
        )
    if method not in ("restart", "simple"):
        raise ArgumentError(
            f"root: option 'reduction_method' must be 'restart' or 'simple', got {method!r}"
        )
    out["reduction_method"] = method
    if out["max_rank"] == float("inf"):
        out["max_rank"] = None
    if out["max_rank"] is not None:
        out["max_rank"] = count("root", "option 'max_rank'", out["max_rank"], 1, 1)


def _row(name: str, of: Callable[[dict[str, Any]], Approximation], more: dict[str, Any]) -> Row:
    def solve(system: System, x: Any, run: Run) -> Root:
        return solved(of(run.options), system, x, run)

    return Row(name, solve, OPTIONS | more, jacobian=False, check=_checked(name, more))


_RANKS = {"alpha": None, "reduction_method": "restart", "max_rank": None}
ANDERSON = _row("anderson", _anderson, {"alpha": None, "M": 5, "w0": 0.01})
BROYDEN1 = _row("broyden1", _broyden(True), _RANKS)
BROYDEN2 = _row("broyden2", _broyden(False), _RANKS)
LINEARMIXING = _row("linearmixing", _linear, {"alpha": None})
DIAGBROYDEN = _row("diagbroyden", _diagonal, {"alpha": None})
EXCITINGMIXING = _row("excitingmixing", _exciting, {"alpha": None, "alphamax": 1.0})
