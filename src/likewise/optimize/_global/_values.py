"""The user's function at many points of each problem, in one call."""

from collections.abc import Callable, Hashable
from typing import Any

from ..._namespace import array_namespace, is_lazy
from ...errors import NotSupported, ShapeError, TransformError
from ...solving._following import constants
from ...solving._function import Function
from ...solving._running import compiles
from ...solving._spelled import spelled
from ...solving._stepping import whole
from .._minimize._objective import Objective
from ._box import plain

__all__ = ["Values"]

_HINT = (
    ". With vectorized=True fun maps points (p, ..., S), variables first, to values (..., S): does "
    "it reduce over axis 0?"
)


class Values:
    """Compute `fun` at points (B, S, p) of each problem, (B, S).

    `fun` takes one point (p,), and is mapped; a function that can't be traced is called point by
    point, where values are at hand. With `layout`, the shape of the batch, it takes all points,
    (p, ..., S), variables first, as SciPy's vectorized functions do.
    """

    def __init__(
        self,
        function: str,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        layout: tuple[int, ...] | None = None,
    ) -> None:
        self.fun, self.args, self.layout = fun, args, layout
        hint = "" if layout is None else _HINT
        self.user = Function(function, "fun", fun, hint=hint, lending=True)
        self.objective = Objective(function, fun, args, None, None, None, (1,), False)
        self.alone = False  # whether it was seen that the function can't be mapped

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return everything besides the function's results on which a step depends."""
        return (self.layout,), True

    def spelled(self) -> Hashable:
        """Return a key that is equal for functions with equal traces, or None."""
        return None if self.layout is not None else spelled((self.fun, self.args))

    def numbers(self, x: Any) -> Any:
        """Return what `at` does; values that are no numbers are a RuntimeError, as in SciPy."""
        try:
            return self.at(x)
        except ShapeError as error:
            if not str(error).startswith(f"{self.user.function}: fun must return"):
                raise
            raise NotSupported(str(error)) from error

    @whole
    def at(self, x: Any) -> Any:
        """Return values (B, S) of points (B, S, p), constants for derivatives."""
        xp = array_namespace(x)
        count, size, p = (int(n) for n in x.shape)
        if self.layout is not None:
            lead = (*self.layout, size)
            (points,) = constants([xp.reshape(xp.moveaxis(x, -1, 0), (p, *lead))])
            found = plain(self.user(points, *self.args, wanted=lead))
            return array_namespace(found).reshape(found, (count, size))
        found = self.rows(xp.reshape(x, (count * size, p)))
        return array_namespace(found).reshape(found, (count, size))

    def rows(self, x: Any) -> Any:
        """Return values (N,) of points (N, p)."""
        xp = array_namespace(x)
        if int(x.shape[0]) == 0:
            return xp.sum(x, axis=1)
        if not self.alone:
            try:
                return plain(self.objective.value(constants([x])[0]))
            except TransformError:
                if is_lazy(x) or compiles(x):
                    raise
                self.alone = True
        call = self.user.direct(x[0, :], self.args, ())
        found = [xp.asarray(call(x[i, :])) for i in range(int(x.shape[0]))]
        return plain(xp.stack(found))
