"""Newton's method whose steps are found by products with the Jacobian alone.

D. A. Knoll, D. E. Keyes, Jacobian-free Newton-Krylov methods, J. Comput. Phys. 193(2), 2004.
"""

from typing import Any

from ..._namespace import array_namespace
from ...errors import ArgumentError
from ...solving._driver import iterate
from ...solving._options import count, effective, table
from ...sparse.linalg._conjugate import Maps, bicgstab, cgs
from ...sparse.linalg._gmres import gmres
from ...sparse.linalg._interface import aslinearoperator, rows_of
from ...sparse.linalg._minres import minres
from ...transforms import stop_gradient
from .._steps._system import System
from ._method import Root, Row, Run
from ._quasi_newton import OPTIONS, Approximation, number, options_taken, solved

__all__ = ["KRYLOV"]

_METHODS = ("lgmres", "gmres", "bicgstab", "cgs", "minres")
_MORE = {"rdiff": None, "method": "lgmres", "inner_M": None, "inner_maxiter": 20, "outer_k": 10}


def _length(v: Any) -> Any:
    xp = array_namespace(v)
    return xp.sqrt(xp.sum(v * v, axis=1))


def _product(system: System, x: Any, f: Any, rdiff: float | None) -> Any:
    """Return the Jacobian's product with rows, exact, or by differences."""
    if rdiff is None and system.exact:
        return lambda v: system.forward(x, v)
    xp = array_namespace(x, f)
    size = float(xp.finfo(x.dtype).eps) ** 0.5 if rdiff is None else rdiff
    one = xp.ones_like(x[:, 0])
    top = xp.maximum(xp.max(xp.abs(x), axis=1), one)
    omega = size * top / xp.maximum(xp.max(xp.abs(f), axis=1), one)

    def of(v: Any) -> Any:
        ns = array_namespace(v)
        length = _length(v)
        h = omega / ns.where(length > 0, length, ns.ones_like(length))
        found = (system.residuals(x + h[:, None] * v) - f) / h[:, None]
        return ns.where((length > 0)[:, None], found, ns.zeros_like(found))

    return of


def _solve(system: System, x: Any, run: Run) -> Root:
    options = run.options
    most, kind = options["inner_maxiter"], options["method"]
    guide = options["inner_M"]

    def same(v: Any) -> Any:
        return v

    before = same
    if guide is not None:
        apply = rows_of(guide)[0]

        def before(v: Any) -> Any:
            return stop_gradient(apply(v))

    def direction(_: Any, x: Any, f: Any, error: Any) -> Any:
        xp = array_namespace(x, f)
        product = _product(system, x, f, options["rdiff"])
        maps = Maps(product, product, before, before)
        zero = xp.zeros_like(f)
        least = error * _length(f)
        if kind in ("lgmres", "gmres"):
            method = gmres(maps, f, zero, f, least, min(most, x.shape[1]))
            end = iterate(method, (), 1, joint=True)
        elif kind == "minres":
            # Its test is relative to the norms of A and x, too: the smallest error serves all.
            method = minres(maps, f, zero, f, 1e-6, 0.0)
            end = iterate(method, (), most, joint=True)
        else:
            steps = bicgstab if kind == "bicgstab" else cgs
            end = iterate(steps(maps, f, zero, f, least), (), most, joint=True)
        return -stop_gradient(end.x)

    of = Approximation(lambda x, f: (), lambda m, f, dx, df: m, direction)
    return solved(of, system, x, run)


def _check(given: Any) -> dict[str, Any]:
    given = table("root", "options", given)
    inner = table("root", "option 'jac_options'", given.pop("jac_options", None))
    known = OPTIONS | _MORE
    inner = {k: v for k, v in inner.items() if not k.startswith("inner_") or k in _MORE}
    out = options_taken(known | effective("root", "krylov", given | inner, known, {}))
    out["rdiff"] = number("option 'rdiff'", out["rdiff"])
    out["inner_maxiter"] = count("root", "option 'inner_maxiter'", out["inner_maxiter"], 20, 1)
    if out["method"] not in _METHODS:
        raise ArgumentError(
            f"root: option 'method' of 'krylov' must be one of {', '.join(_METHODS)}, got "
            f"{out['method']!r}"
        )
    guide = out["inner_M"]
    if guide is not None:
        plain = callable(guide) and not hasattr(guide, "shape")
        if plain:
            raise ArgumentError("root: option 'inner_M' must be an array or a LinearOperator")
        out["inner_M"] = aslinearoperator(guide)
    return out


KRYLOV = Row("krylov", _solve, OPTIONS | _MORE, jacobian=False, check=_check, followed=True)
