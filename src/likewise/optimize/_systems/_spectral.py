"""Steps along the residuals, of spectral length: 'df-sane'.

W. La Cruz, J. M. Martinez, M. Raydan, Spectral residual method without gradient information for
solving large-scale nonlinear systems, Math. Comp. 75(255), 2006; the other line search is that of
W. Cheng, D.-H. Li, IMA J. Numer. Anal. 29(3), 2009. A step of the loop is one trial of every
problem, forward or backward.
"""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, describe, device
from ...errors import ArgumentError
from ...solving._driver import Method
from ...solving._options import count, effective, table, tolerance
from ...solving._outcome import Outcome, outcomes
from .._steps._system import System
from ._method import Root, Row, Run
from ._quasi_newton import number

__all__ = ["DF_SANE"]

_GAMMA, _LEAST, _MOST, _NU = 1e-4, 0.1, 0.5, 0.85
_OPTIONS: dict[str, Any] = {
    "ftol": None, "fatol": 1e-300, "maxfev": 1000, "fnorm": None, "M": 10, "eta_strategy": None,
    "sigma_eps": 1e-10, "sigma_0": 1.0, "line_search": "cruz", "disp": False,
}  # fmt: skip


class _State(NamedTuple):
    x: Any  # (B, p)
    fun: Any
    sigma: Any  # (B,)
    forward: Any  # (B,): the share of the step ahead that is tried
    back: Any
    ahead: Any  # (B,) of bool: whether the trial is ahead
    tried: Any  # (B,): the value of the trial ahead
    values: Any  # (B, M): sums of squares, the latest last
    weight: Any  # (B,), of Cheng and Li
    mean: Any
    first: Any
    status: Any
    nit: Any
    nfev: Any


def _solve(system: System, x0: Any, run: Run) -> Root:
    xp = array_namespace(x0)
    options = run.options
    f = system.residuals(x0)
    eps = float(xp.finfo(x0.dtype).eps)
    usual = max(1e-8, 30 * eps) if run.tol is None else run.tol
    ftol = usual if options["ftol"] is None else options["ftol"]
    fatol, most, memory = options["fatol"], options["maxfev"], options["M"]
    own, strategy, small = options["fnorm"], options["eta_strategy"], options["sigma_eps"]
    cruz = options["line_search"] == "cruz"

    def size(v: Any) -> Any:
        ns = array_namespace(v)
        if own is None:
            return ns.sqrt(ns.sum(v * v, axis=1))
        found = [own(v[i, :]) for i in range(v.shape[0])]
        return ns.stack([a if hasattr(a, "shape") else 0 * v[0, 0] + float(a) for a in found])

    begun = size(f)
    square = begun * begun
    zero = xp.zeros((x0.shape[0],), dtype=xp.int32, device=device(x0))
    one = xp.ones_like(begun)
    low = xp.full((x0.shape[0], memory - 1), -xp.inf, dtype=x0.dtype, device=device(x0))

    def near(level: Any, first: Any) -> Any:
        return (level < ftol * first + fatol) | (level == 0)

    lost = ~xp.isfinite(begun)
    status = outcomes(begun, (near(begun, begun), Outcome.CONVERGED), (lost, Outcome.NOT_FINITE))
    begin = _State(
        x0, f, options["sigma_0"] * one, one, one, one > 0, one,
        xp.concat([low, square[:, None]], axis=1), one, square, begun, status, zero, zero + 1,
    )  # fmt: skip

    def allowed(s: _State, now: Any) -> Any:
        ns = array_namespace(s.x)
        if strategy is None:
            eta = s.first**2 / (1 + ns.astype(s.nit, s.x.dtype)) ** 2
        else:
            found = [strategy(int(s.nit[i]), s.x[i, :], s.fun[i, :]) for i in range(s.x.shape[0])]
            eta = ns.stack([a if hasattr(a, "shape") else 0 * now[0] + float(a) for a in found])
        return eta + (ns.max(s.values, axis=1) if cruz else s.mean), eta

    def step(_: Any, s: _State) -> _State:
        ns = array_namespace(s.x)
        big = ns.abs(s.sigma)
        sign = ns.where(s.sigma < 0, -ns.ones_like(big), ns.ones_like(big))
        sigma = ns.where(big > 1 / small, sign / small, s.sigma)
        sigma = ns.where(big < small, ns.full_like(big, small), sigma)
        share = ns.where(s.ahead, s.forward, s.back)
        signed = ns.where(s.ahead, -share, share)
        x = s.x + (signed * sigma)[:, None] * s.fun
        f = system.residuals(x)
        level = size(f)
        value, now = level * level, s.values[:, -1]
        bound, eta = allowed(s, now)
        good = value <= bound - _GAMMA * share * share * now

        def shorter(share: Any, value: Any) -> Any:
            """Return the minimum of the parabola, within limits."""
            below = value + (2 * share - 1) * now
            ideal = share * share * now / ns.where(below == 0, ns.ones_like(below), below)
            ideal = ns.where(ns.isfinite(ideal) & ns.isfinite(value), ideal, 0 * ideal)
            return ns.minimum(ns.maximum(ideal, _LEAST * share), _MOST * share)

        both = ~good & ~s.ahead
        forward = ns.where(both, shorter(s.forward, s.tried), s.forward)
        back = ns.where(both, shorter(s.back, value), s.back)
        tried = ns.where(~good & s.ahead, value, s.tried)
        ahead = good | ~s.ahead
        one = ns.ones_like(share)
        dx, df = x - s.x, f - s.fun
        between = ns.sum(dx * df, axis=1)
        new = ns.sum(dx * dx, axis=1) / ns.where(between == 0, small * one, between)
        new = ns.where(ns.isfinite(new), new, one)
        weight = _NU * s.weight + 1
        mean = (_NU * s.weight * (s.mean + eta) + value) / weight
        values = ns.concat([s.values[:, 1:], value[:, None]], axis=1)
        wide = good[:, None]
        over = ~good & (ns.minimum(forward, back) < 1e-20)
        status = outcomes(
            level,
            (s.nfev + 1 >= most, Outcome.LIMIT),
            (over, Outcome.STALLED),
            (good & near(level, s.first), Outcome.CONVERGED),
        )
        return _State(
            ns.where(wide, x, s.x),
            ns.where(wide, f, s.fun),
            ns.where(good, new, s.sigma),
            ns.where(good, one, forward),
            ns.where(good, one, back),
            ahead,
            tried,
            ns.where(wide, values, s.values),
            ns.where(good, weight, s.weight),
            ns.where(good, mean, s.mean),
            s.first,
            status,
            ns.where(good, s.nit + 1, s.nit),
            s.nfev + 1,
        )

    def moved(before: _State, after: _State) -> bool:
        ns = array_namespace(before.nit, after.nit)
        return bool(ns.any(after.nit > before.nit))

    end = run.iterate(Method(lambda _: begin, step), (), moved=moved)
    return Root(end.x, end.fun, end.status, end.nit, end.nfev)


def _check(given: Any) -> dict[str, Any]:
    given = table("root", "options", given)
    idle = {"func": "it prints nothing on the way"}
    out = _OPTIONS | effective("root", "df-sane", given, _OPTIONS, idle)
    out["maxfev"] = count("root", "option 'maxfev'", out["maxfev"], 1000, 1)
    out["M"] = count("root", "option 'M'", out["M"], 10, 1)
    if out["ftol"] is not None:
        out["ftol"] = tolerance("root", "option 'ftol'", out["ftol"], 0.0)
    out["fatol"] = tolerance("root", "option 'fatol'", out["fatol"], 0.0)
    for key in ("sigma_eps", "sigma_0"):
        out[key] = number(f"option {key!r}", out[key])
    for key in ("fnorm", "eta_strategy"):
        if out[key] is not None and not callable(out[key]):
            raise ArgumentError(f"root: option {key!r} must be callable, got {describe(out[key])}")
    if out["line_search"] not in ("cruz", "cheng"):
        raise ArgumentError(
            f"root: option 'line_search' must be 'cruz' or 'cheng', got {out['line_search']!r}"
        )
    out["disp"] = bool(out["disp"])
    return out


DF_SANE = Row("df-sane", _solve, _OPTIONS, jacobian=False, check=_check)
