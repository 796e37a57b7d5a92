"""A function to minimise as the solvers see it: a batch of problems, one row of x each."""

import copy
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, describe, device, is_neutral, library_of
from ...errors import ArrayTypeError, DtypeError, ShapeError
from ...transforms import jvp, map, stop_gradient, vjp, vmap
from ...transforms._escapes import foreign
from ...transforms._lanes import constants
from ...transforms._tree import flatten

__all__ = ["Objective"]


class Objective:
    """`fun` and its derivatives at `x` (B, p), a row a problem; what they return are constants.

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
    ) -> None:
        self.function, self.fun, self.args = function, fun, args
        self.jac, self.hess, self.hessp = jac, hess, hessp
        self.batch, self.vectorized = batch, vectorized

    def cost(self, p: int) -> int:
        """Evaluations of `fun` that a value with its gradient takes."""
        return 1 + {"2-point": p, "3-point": 2 * p, "cs": p}.get(str(self.jac), 0)

    def with_exact_gradient(self) -> "Objective":
        """The same, for derivatives of what only needed values."""
        other = copy.copy(self)
        other.jac = None if isinstance(self.jac, str) else self.jac
        return other

    @property
    def separable(self) -> bool:
        """Tell whether `fun` can be called on some of the problems."""
        return self.batch is not None and not self.vectorized

    # -- what solvers call -------------------------------------------------------------------------

    def value(self, x: Any) -> Any:
        """Values (B,)."""
        return stop_gradient(self.live_value(x))

    def value_and_gradient(self, x: Any, lower: Any = None, upper: Any = None) -> tuple[Any, Any]:
        """Values (B,) and gradients (B, p); differences stay within bounds (B, p)."""
        value, gradient = self._both(x, lower, upper)
        return stop_gradient(value), stop_gradient(gradient)

    def hessian_product(self, x: Any, v: Any) -> Any:
        """The matrices of second derivatives, times `v` (B, p)."""
        p = int(x.shape[1])
        if self.hessp is not None:
            out = self._call("hessp", self.hessp, (x, v), (p,))
        elif self.hess is not None:
            out = self._call("hess", self.hess, (x,), (p, p))
            out = array_namespace(out).matmul(out, v[..., None])[..., 0]
        else:
            out = jvp(self.live_gradient, (x,), (v,))[1]
        return stop_gradient(out)

    # -- with derivatives --------------------------------------------------------------------------

    def live_value(self, x: Any) -> Any:
        """Values that may be differentiated, with respect to what `fun` closes over, too."""
        out = self._call("fun", self.fun, (x,), (), pair=self.jac is True)
        return out[0] if self.jac is True else out

    def live_gradient(self, x: Any) -> Any:
        return self._both(x)[1]

    def _both(self, x: Any, lower: Any = None, upper: Any = None) -> tuple[Any, Any]:
        p = int(x.shape[1])
        if self.jac is True:
            value, gradient = self._call("fun", self.fun, (x,), (), pair=True)
            return value, gradient
        if self.jac is None:
            value, pull = vjp(self.live_value, x)
            xp = array_namespace(value)
            return value, pull(xp.ones_like(value))[0]
        value = self.live_value(x)
        if callable(self.jac):
            return value, self._call("jac", self.jac, (x,), (p,))
        return value, self._difference(x, value, lower, upper)

    def _difference(self, x: Any, value: Any, lower: Any, upper: Any) -> Any:
        """Gradients by differences, one parameter after the other, within the bounds."""
        xp = array_namespace(x)
        eps = float(xp.finfo(x.dtype).eps)
        size = xp.maximum(xp.abs(x), xp.ones_like(x))
        units = xp.eye(x.shape[1], dtype=x.dtype, device=device(x))
        if self.jac == "cs":
            step = eps * size
            rows = map(lambda e: xp.imag(self._complex(x + 1j * (step * e))), units)
            return xp.matrix_transpose(rows) / step
        one = self.jac == "2-point"
        step = eps ** (1 / 2 if one else 1 / 3) * size
        near, far = step, -step
        if lower is not None:
            above, below = upper - x, x - lower
            step = xp.minimum(step, (above + below) / (1 if one else 2))
            if one:
                near = xp.where(step <= above, step, -step)
            else:  # both on the one side that has room for them, where a bound is near
                inside = (step <= above) & (step <= below)
                near = xp.where(inside | (above >= below), step, -step)
                far = xp.where(inside, -step, 2 * near)
        near, far = x + near, x + far
        if lower is not None:  # a sum may round past its bound
            near, far = (xp.clip(v, lower, upper) for v in (near, far))
        there, beyond = near, far
        near, far = near - x, far - x  # what the steps become in floating-point

        def row(e: Any) -> Any:
            rise = self.live_value(xp.where(e > 0, there, x)) - value
            if one:
                return xp.sum(e * _ratio(xp, rise[:, None], near), axis=1)
            other = self.live_value(xp.where(e > 0, beyond, x)) - value
            # The parabola through three points, wherever they are.
            top = far**2 * rise[:, None] - near**2 * other[:, None]
            return xp.sum(e * _ratio(xp, top, near * far * (far - near)), axis=1)

        return xp.matrix_transpose(map(row, units))

    def _complex(self, x: Any) -> Any:
        return self._call("fun", self.fun, (x,), (), like=x)

    # -- the user's functions ----------------------------------------------------------------------

    def _call(
        self,
        name: str,
        fun: Callable[..., Any],
        arrays: tuple[Any, ...],
        tail: tuple[int, ...],
        pair: bool = False,
        like: Any = None,
    ) -> Any:
        """Return a function's values for all problems, (B, *tail); a pair has gradients as well."""
        x = arrays[0] if like is None else like
        xp = array_namespace(x)
        count, p = int(x.shape[0]), int(x.shape[1])

        def valued(*given: Any) -> Any:
            try:
                return fun(*given, *self._known())
            except Exception as error:
                foreign(self.function, name, error, given[0])
                raise

        def each(*rows: Any) -> Any:
            out = valued(*rows)
            return self._checked(name, out, (), tail, pair, p, rows[0])

        if self.batch is None:
            out = each(*(a[0, ...] for a in arrays))
            return _mapped(lambda a: a[None, ...], out)
        if not self.vectorized:
            return vmap(each)(*arrays)
        shaped = [xp.reshape(a, (*self.batch, *a.shape[1:])) for a in arrays]
        out = self._checked(name, valued(*shaped), self.batch, tail, pair, p, shaped[0])
        skip = len(self.batch)

        def flat(a: Any) -> Any:
            return array_namespace(a).reshape(a, (count, *a.shape[skip:]))

        return _mapped(flat, out)

    def _known(self) -> tuple[Any, ...]:
        """The arguments, where a transform is open as arrays that its own can meet on any side."""
        leaves, structure = flatten(self.args)
        return structure.unflatten(constants(leaves))

    def _checked(
        self,
        name: str,
        out: Any,
        batch: tuple[int, ...],
        tail: tuple[int, ...],
        pair: bool,
        p: int,
        x: Any,
    ) -> Any:
        if not pair:
            return self._checked_array(name, out, (*batch, *tail), x)
        if not isinstance(out, tuple | list) or len(out) != 2:
            raise ArrayTypeError(
                f"{self.function}: with jac=True, fun must return a pair of value and gradient, "
                f"but returned {describe(out)}"
            )
        return (
            self._checked_array("fun", out[0], (*batch, *tail), x),
            self._checked_array("fun (gradient)", out[1], (*batch, p), x),
        )

    def _checked_array(self, name: str, out: Any, wanted: tuple[int, ...], x: Any) -> Any:
        xp = array_namespace(x)
        expected = f"{self.function}: {name} must return an array of {x.dtype}, shape {wanted}"
        if is_neutral(out) and hasattr(out, "dtype"):  # NumPy's scalars
            out = xp.asarray(out)
        if isinstance(out, int | float) and not wanted:  # a constant
            out = xp.asarray(out, dtype=x.dtype, device=device(x))
        if is_neutral(out) or library_of(out) is not library_of(x):
            raise ArrayTypeError(f"{expected}, but returned {describe(out)}")
        if out.dtype != x.dtype:
            raise DtypeError(
                f"{expected}, but returned a {describe(out)}. Is there an array constant of "
                "another dtype in it? Python floats take the dtype of what they meet."
            )
        if tuple(out.shape) == wanted:
            return out
        if not wanted and tuple(out.shape) == (1,):  # as SciPy allows
            return out[0]
        hint = ""
        if name == "fun" and wanted:
            hint = ". With vectorized=True fun maps the whole batch: does it reduce over axis -1?"
        raise ShapeError(f"{expected}, but returned shape {tuple(out.shape)}{hint}")


def _ratio(xp: Any, a: Any, b: Any) -> Any:
    """a / b, and 0 where there was no room for a step."""
    safe = xp.where(b == 0, xp.ones_like(b), b)
    return xp.where(b == 0, xp.zeros_like(a), a / safe)


def _mapped(fun: Callable[[Any], Any], out: Any) -> Any:
    return tuple(fun(a) for a in out) if isinstance(out, tuple) else fun(out)
