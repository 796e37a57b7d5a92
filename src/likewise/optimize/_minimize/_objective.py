"""The user's function for the solvers: a batch of problems, one row of x each."""

import copy
from collections.abc import Callable, Hashable
from typing import Any

from ..._namespace import array_namespace, device
from ...solving._few import Views
from ...solving._following import constants, flatten, is_open
from ...solving._function import DIFFERENCES, Function, value_and_gradient
from ...solving._kept import Kept, Said, kept
from ...solving._lanes import Laned
from ...solving._quick import quick
from ...solving._spelled import spelled
from ...solving._stepping import whole
from ...transforms import grad, hessian, jacfwd, jvp, stop_gradient, vmap
from .._constraints._canonical import Constraints, over_batch

__all__ = ["Objective"]


def _along(slope: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the derivative of ``slope(v, x)`` with respect to x along v, as a function of both."""
    return lambda v, x: jvp(lambda x: slope(v, x), (x,), (v,))[1]


def _along_gradient(value: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the same of the gradient of ``value(v, x)``."""
    return lambda v, x: jvp(grad(lambda x: value(v, x)), (x,), (v,))[1]


_HINT = ". With vectorized=True fun maps the whole batch: does it reduce over axis -1?"

_FEW = 16  # variables of one problem


class Objective:
    """Compute `fun` and its derivatives at `x` (B, p), one row per problem; results are constants.

    `batch` is the shape of the batch, None for one problem.
    """

    def __init__(
        self,
        function: str,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        jac: Any,
        hess: Any,
        hessp: Any,
        batch: tuple[int, ...] | None,
        vectorized: bool,
        diff_step: Any = None,
        constraints: Constraints | None = None,
    ) -> None:
        hint = _HINT if vectorized and batch is not None else ""
        self.fun = Function(function, "fun", fun, hint=hint, lending=True)
        named = (("jac", jac), ("hess", hess), ("hessp", hessp))
        self.given = {n: Function(function, n, f, lending=True) for n, f in named if callable(f)}
        self.jac, self.args, self.diff_step = jac, args, diff_step
        self.batch, self.joint = batch, vectorized and batch is not None
        self.constraints = constraints
        self.direct: Any = (None, None)
        # For a batch, what solvers call is recorded once and replayed for any number of problems.
        self.lanes = None if batch is None else Laned()
        self.of = (fun, args, jac, hess, hessp, self.joint and batch, diff_step)
        self.gradient = Kept(grad, lambda x: self.fun(x, *args, wanted=(), own=0), (fun, args))
        slope = self.given.get("jac")
        if slope is not None:

            def of_slope(v: Any, x: Any) -> Any:
                return slope(x, *args, wanted=tuple(x.shape), own=0)

            self.product = Kept(_along, of_slope, (jac, args))
        else:

            def of_value(v: Any, x: Any) -> Any:
                return self.fun(x, *args, wanted=(), own=0)

            self.product = Kept(_along_gradient, of_value, (fun, args))

    @property
    def differs(self) -> bool:
        """Tell if some derivatives are finite differences."""
        known = self.constraints
        return self.jac in DIFFERENCES or (known is not None and known.differs)

    @property
    def forward(self) -> bool:
        """Tell if those are forward differences."""
        known = self.constraints
        return self.jac not in ("3-point", "cs") and (known is None or known.forward)

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return everything besides the functions' results on which a step depends."""
        jac = self.jac if self.jac is None or isinstance(self.jac, bool | str) else "given"
        return (jac, *sorted(self.given), self.batch, self.joint, self.constraints), True

    def spelled(self) -> Hashable:
        """Return a key that is equal for objectives with equal traces, or None."""
        given = (f.fun for f in self.given.values())
        return spelled((self.fun.fun, self.args, *given))

    def cost(self, p: int) -> int:
        """Return how many evaluations of `fun` a value with its gradient takes."""
        return 1 + {"2-point": p, "3-point": 2 * p, "cs": p}.get(str(self.jac), 0)

    def with_exact_gradient(self) -> "Objective":
        """Return the same objective with an exact gradient, for a method that used values only."""
        other = copy.copy(self)
        other.jac = None if self.jac in DIFFERENCES else self.jac
        if self.constraints is not None:
            other.constraints = self.constraints.with_exact_derivatives()
        return other

    # -- what solvers call -------------------------------------------------------------------------

    @whole
    def value(self, x: Any) -> Any:
        """Return values (B,)."""
        if self.batch is None and self.jac is not True and not is_open():
            # One function for all arrays of a class, which says what of results is as it should be.
            if type(x) is not self.direct[0]:
                self.direct = type(x), self.fun.direct(x[0, :], self.args, ())
            return stop_gradient(self.direct[1](x[0, :])[None, ...])
        return self._over_lanes(self._value, x)

    def _value(self, x: Any) -> Any:
        return stop_gradient(self.live_value(x))

    def _over_lanes(self, method: Callable[..., Any], *arrays: Any) -> Any:
        """Return a method's result, by a recording if this is a batch."""
        if self.lanes is None:
            return method(*arrays)
        return self.lanes(method, (0,) * len(arrays), self.of, self.joint)(*arrays)

    @whole
    def value_and_gradient(self, x: Any, lower: Any = None, upper: Any = None) -> tuple[Any, Any]:
        """Return values (B,) and gradients (B, p); finite differences stay within bounds (B, p)."""
        if self.jac not in DIFFERENCES:
            lower = upper = None
        found: tuple[Any, Any] = self._over_lanes(self._value_and_gradient, x, lower, upper)
        return found

    def _value_and_gradient(self, x: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
        value, gradient = self._both(x, lower, upper)
        return stop_gradient(value), stop_gradient(gradient)

    @whole
    def hessian_product(self, x: Any, v: Any, lower: Any = None, upper: Any = None) -> Any:
        """Return the Hessians times `v` (B, p); differences take no steps beyond bounds."""
        if self.jac not in DIFFERENCES:
            lower = upper = None
        return self._over_lanes(self._hessian_product, x, v, lower, upper)

    def _hessian_product(self, x: Any, v: Any, lower: Any = None, upper: Any = None) -> Any:
        p = int(x.shape[1])
        if "hessp" in self.given:
            out = self._rows(self.given["hessp"], (x, v), (p,))
        elif "hess" in self.given:
            out = self._rows(self.given["hess"], (x,), (p, p))
            out = array_namespace(out).matmul(out, v[..., None])[..., 0]
        else:
            if self.jac in DIFFERENCES:
                return stop_gradient(self._differenced_product(x, v, lower, upper))
            out = None
            if self.batch is None and (self.jac is None or callable(self.jac)):
                out = self.product(v[0, :], x[0, :])
            out = jvp(self.live_gradient, (x,), (v,))[1] if out is None else out[None, ...]
        return stop_gradient(out)

    def _differenced_product(self, x: Any, v: Any, lower: Any, upper: Any) -> Any:
        """Return the same by differences of gradients that are differences themselves."""
        xp = array_namespace(x)
        size = xp.max(xp.abs(v), axis=1, keepdims=True)
        reach = 1 + xp.max(xp.abs(x), axis=1, keepdims=True)
        step = float(xp.finfo(x.dtype).eps) ** 0.25 * reach / xp.where(size > 0, size, 1.0)
        ends = x + step * v, x - step * v
        ahead, behind = (self._both(end, lower, upper)[1] for end in ends)
        return (ahead - behind) / (2 * step)

    @whole
    def hessian(self, x: Any) -> Any:
        """Return the Hessians (B, p, p)."""
        return self._over_lanes(self._hessian, x)

    def _hessian(self, x: Any) -> Any:
        p = int(x.shape[1])
        if "hess" in self.given:
            return stop_gradient(self._rows(self.given["hess"], (x,), (p, p)))
        xp = array_namespace(x)
        eye = xp.eye(p, dtype=x.dtype, device=device(x))

        def column(v: Any) -> Any:
            both = array_namespace(x, v)
            return self._hessian_product(x, both.broadcast_to(v, tuple(x.shape)))

        few = self.batch is None and p <= _FEW  # products are replayed, which a map is not
        # Differences and the user's products may not be traced.
        if few or self.jac in DIFFERENCES or "hessp" in self.given:
            columns = xp.stack([column(eye[i, :]) for i in range(p)], axis=-1)
        else:
            columns = xp.moveaxis(vmap(column)(eye), 0, -1)
        return 0.5 * (columns + xp.matrix_transpose(columns))

    def of_one(self, x0: Any, gradient: bool) -> tuple[Callable[[Any], Any], Any]:
        """Return the functions of one problem's x (p,), like x0: values, and gradients or None."""
        fun, args, slope = self.fun, self.args, self.given.get("jac")

        def both(x: Any) -> Any:
            return fun.several(x, *args, wanted=((), tuple(x.shape)))

        if self.jac is True:
            return (lambda x: both(x)[0]), (lambda x: both(x)[1]) if gradient else None
        said = spelled((fun.fun, args))
        value = quick(fun.direct(x0, args, ()), lambda x: fun(x, *args, wanted=()), x0, said)
        if not gradient or self.jac in DIFFERENCES:
            return value, None
        if slope is not None:
            return value, lambda x: slope(x, *args)
        return value, kept(grad, lambda x: fun(x, *args, wanted=(), own=0), x0, of=Said(said))

    def curvature_of_one(self, x0: Any, whole: bool) -> tuple[Any, Any]:
        """Return Hessians, or products with them, for one problem's x (p,), like x0; one is None.

        Of many unknowns products are derived, unless Hessians are wanted as a `whole`.
        """
        fun, args, p = self.fun, self.args, int(x0.shape[0])
        hess, hessp, slope = (self.given.get(name) for name in ("hess", "hessp", "jac"))
        if hess is not None:
            return (lambda x: hess(x, *args, wanted=(p, p))), None
        if hessp is not None:
            return None, lambda x, v: hessp(x, v, *args, wanted=(p,))

        derive, of = jacfwd if slope is not None or self.jac is True else hessian, slope or fun

        def value(x: Any) -> Any:
            if self.jac is True:
                return fun.several(x, *args, wanted=((), (p,)))[1]
            return of(x, *args, wanted=() if slope is None else (p,), own=0)

        if whole or p <= _FEW:
            return kept(derive, value, x0, of=(of.fun, args)), None
        along = _along_gradient if derive is hessian else _along
        product = kept(along, lambda v, x: value(x), x0, x0, of=(of.fun, args))
        return None, lambda x, v: product(v, x)

    def seen(self, views: Views) -> "Objective":
        """Return the same objective, whose functions of one problem take NumPy's views."""
        if views.direct:
            return self
        other, of_one = copy.copy(self), self.of_one

        def viewed(x0: Any, gradient: bool) -> tuple[Callable[[Any], Any], Any]:
            value, slope = of_one(views.enter(x0), gradient)
            return views.through(value), None if slope is None else views.through(slope)

        other.of_one = viewed  # type: ignore[method-assign]
        if self.constraints is not None:
            other.constraints = self.constraints.seen(views)
        return other

    def of_user(self, x: Any) -> list[Any]:
        """Return fun, jac, hess and hessp, each with arguments, as they are called for rows `x`."""
        p, batch = int(x.shape[1]), tuple(self.batch or ())
        xp = array_namespace(x)
        # Of the first problem, or of zeros where there is none.
        x = xp.reshape(x, (*batch, p)) if self.joint else xp.sum(x[:1, :], axis=0)
        tails = {"jac": (p,), "hess": (p, p), "hessp": (p,)}

        def of(function: Function, tail: tuple[int, ...]) -> Callable[..., Any]:
            def call(*given: Any) -> Any:
                wanted = (*given[0].shape[:-1], *tail)
                return function(*given, *self._known(), wanted=wanted, own=len(given))

            return call

        def both(x: Any) -> Any:
            lead = tuple(x.shape[:-1])
            return self.fun.several(x, *self._known(), wanted=(lead, (*lead, p)))

        found: list[Any] = [(both if self.jac is True else of(self.fun, ()), (x,))]
        for name, tail in tails.items():
            function = self.given.get(name)
            given = (x, x) if name == "hessp" else (x,)
            found.append(None if function is None else (of(function, tail), given))
        return found if self.constraints is None else found + self.constraints.of_user(x)

    # -- with derivatives --------------------------------------------------------------------------

    def live_value(self, x: Any) -> Any:
        """Return values that can be differentiated, also by arrays that `fun` closes over."""
        return self._pair(x)[0] if self.jac is True else self._rows(self.fun, (x,), ())

    def live_gradient(self, x: Any) -> Any:
        """Return gradients that can be differentiated, as `live_value`."""
        return self._both(x)[1]

    def _both(self, x: Any, lower: Any = None, upper: Any = None) -> tuple[Any, Any]:
        if self.jac is True:
            return self._pair(x)
        if callable(self.jac):
            return self.live_value(x), self._rows(self.given["jac"], (x,), (int(x.shape[1]),))
        if self.jac is None and self.batch is None:
            gradient = self.gradient(x[0, :])
            if gradient is not None:
                return self.live_value(x), gradient[None, ...]
        bounds = None if lower is None else (lower, upper)
        return value_and_gradient(self.live_value, x, self.jac, bounds, self.diff_step)

    # -- the user's functions ----------------------------------------------------------------------

    def _pair(self, x: Any) -> Any:
        """Values and gradients, of a function that returns both."""
        p = int(x.shape[1])

        def both(x: Any) -> Any:
            lead = tuple(x.shape[:-1])
            return self.fun.several(x, *self._known(), wanted=(lead, (*lead, p)))

        return self._called(both, (x,))

    def _rows(self, function: Function, arrays: tuple[Any, ...], tail: tuple[int, ...]) -> Any:
        """A function's values for all problems, (B, *tail)."""

        def one(*given: Any) -> Any:
            x = given[0]
            wanted = (*x.shape[:-1], *tail)
            return function(*given, *self._known(), wanted=wanted, own=len(given))

        return self._called(one, arrays)

    def _called(self, fun: Callable[..., Any], arrays: tuple[Any, ...]) -> Any:
        return over_batch(fun, arrays, self.batch, self.joint)

    def _known(self) -> tuple[Any, ...]:
        """The arguments, where a transform is open as arrays that its own can meet on any side."""
        leaves, structure = flatten(self.args)
        known: tuple[Any, ...] = structure.unflatten(constants(leaves))
        return known
