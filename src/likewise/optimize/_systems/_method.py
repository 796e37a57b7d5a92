"""The definition of a method for systems of equations: a row of a table."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...errors import ArgumentError
from ...solving._callback import Callback
from ...solving._driver import Method, iterate
from ...solving._options import count, effective, table, tolerance
from .._steps._system import System

__all__ = ["Root", "Row", "Run", "options_of"]


class Root(NamedTuple):
    """Hold the end of each problem."""

    x: Any  # (B, p)
    fun: Any  # (B, n)
    status: Any  # (B,)
    nit: Any
    nfev: Any


class Run(NamedTuple):
    """Hold the arguments of all methods besides the functions and the start."""

    tol: float | None
    options: dict[str, Any]
    joint: bool  # whether the functions take all problems alone
    batch: tuple[int, ...] | None
    callback: Callback | None
    held: list[list[Any]] | None = None  # the arrays that functions close over, once known

    def xtol(self, x: Any) -> float:
        """Return how large the last step may be relative to the unknowns."""
        eps = float(array_namespace(x).finfo(x.dtype).eps)
        return float(self.options["xtol"] or (eps**0.75 if self.tol is None else self.tol))

    def iterate(
        self,
        method: Method,
        problems: Any,
        limit: int | None = None,
        moved: Callable[[Any, Any], bool] = lambda before, after: True,
    ) -> Any:
        """Take the steps of `method`, and call the callback after each that has `moved`."""
        teller = self.callback
        if teller is None:
            return iterate(method, problems, limit, joint=self.joint)
        shape = self.batch or ()

        def fields(state: Any) -> dict[str, Any]:
            from_rows = {"x": state.x, "fun": state.fun}
            xp = array_namespace(state.x)
            return {k: xp.reshape(a, (*shape, *a.shape[1:])) for k, a in from_rows.items()}

        told = teller.told(method, fields, moved)
        return iterate(told, problems, limit, joint=True, watch=teller.watch)


class Row(NamedTuple):
    """Describe a method: to add one, write a file with its row, and a line in `root`'s table."""

    name: str
    solve: Callable[[System, Any, Run], Root]
    options: dict[str, Any]  # with their defaults
    jacobian: bool
    more: bool = False  # whether it takes more equations than unknowns
    instead_of: tuple[str, ...] = ()  # SciPy's methods that it serves
    taken: tuple[str, ...] = ()  # SciPy's options that have no effect, with a warning
    check: Callable[[Any], dict[str, Any]] | None = None  # of options; by default `options_of` does
    followed: bool = False  # whether it takes exact derivatives, though no Jacobian


def options_of(row: Row, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the options of a method; unknown ones give a warning, as in SciPy."""
    if row.check is not None:
        return row.check(options)
    out = dict(row.options)
    idle = dict.fromkeys(row.taken, f"{row.name!r} does without it")
    for key, value in effective(
        "root", row.name, table("root", "options", options), out, idle
    ).items():
        label = f"option {key!r}"
        if key in ("maxiter", "M"):
            out[key] = count("root", label, value, out[key], 1)
            continue
        if key == "maxfev":
            out[key] = count("root", label, value, 0) or None  # MINPACK's 0 is no limit
            continue
        if key == "disp":
            out[key] = bool(value)
            continue
        out[key] = None if value is None else tolerance("root", label, value, 0.0)
        if out[key] is not None and not 0 < out[key] < math.inf:
            raise ArgumentError(f"root: {label} must be a positive number, got {value!r}")
    return out
