"""The definition of a method of `minimize`: a row at the end of the method's own file.

To add one, write a file in `_methods` that ends in ``METHOD = Row(...)``, and its test. The table,
the default, the options and their checks, bounds, memory, SciPy's routine and the names in errors
follow from the row. A test compares the rows with the docstring of `minimize` and with its types.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...solving._driver import Method

__all__ = ["EACH", "ESTIMATES", "Each", "Found", "Row", "Rows", "inside", "largest"]


class Each(NamedTuple):
    """A default number of iterations or evaluations: so many for each variable."""

    times: int
    least: int = 0

    def __str__(self) -> str:
        return f"max({self.least}, {self.times} p)" if self.least else f"{self.times} p"

    def of(self, p: int) -> int:
        return max(self.least, self.times * p)


ESTIMATES = ("BFGS", "SR1")  # of second derivatives
EACH = Each(200)


class Rows(NamedTuple):
    """Hold the data that differ between problems, one row each."""

    x0: Any  # (B, p)
    lower: Any  # (B, p) or None
    upper: Any
    simplex: Any  # (B, p + 1, p), or directions (B, p, p), or None
    low: Any = None  # (B, m), sides of constraints, or None
    high: Any = None
    matrix: Any = None  # (B, k, p) or (1, k, p) of linear constraints, or None
    # For a method with `some`, if functions take the whole batch:
    which: Any = None  # (B,), the problems' numbers
    every: Any = None  # (1, B, p), all starts


class Found(NamedTuple):
    """Hold each problem's final or current point."""

    x: Any  # (B, p)
    f: Any  # (B,)
    g: Any  # (B, p); None without gradients
    status: Any
    nit: Any
    nfev: Any  # values, without those for differences
    njev: Any
    extra: Any  # the method's own
    y: Any = None  # (B, m), multipliers of constraints
    z: Any = None  # (B, p), of bounds
    violation: Any = None  # (B,), the largest of constraints
    # Those of a trust region with a barrier.
    optimality: Any = None  # (B,), as they follow
    radius: Any = None
    penalty: Any = None
    barrier: Any = None
    products: Any = None


class Row(NamedTuple):
    """Describe a method to `minimize`."""

    name: str
    make: Callable[..., Method]
    """Takes the objective, and options by their names; its `end` picks a `Found`."""
    options: Mapping[str, Any]
    """SciPy's names with their defaults. An integer's is one; an `Each` grows with the variables;
    -1 is the method's own, as is what users give below 0."""
    bounded: bool = False
    constrained: bool = False
    gradient: bool = True
    curved: bool = False  # takes products with the Hessian
    estimates: bool = False  # or, as its option `hessian`, an estimate's name in place of them
    vectors: Callable[[int, Mapping[str, Any]], int] = lambda p, options: 0
    """Vectors of p numbers that a problem remembers beyond those that all methods have."""
    inverse: bool = False  # `Found.extra` is the inverse of the Hessian
    some: bool = False
    """It evaluates functions of the whole batch by `Rows.every`, so problems may be dropped."""
    first: int = 0
    """Iterations that only look at the start."""
    usual: bool = False
    """The default of its kind: for constraints, for bounds, or for neither."""
    stateful: bool = False  # callbacks get the state after x, too, and end it by what is true
    routine: bool = False  # SciPy's routine of this name solves one problem on NumPy


def inside(x: Any, problems: Rows, xp: Any) -> Any:
    """Return the nearest points within the bounds."""
    return (
        x if problems.lower is None else xp.minimum(xp.maximum(x, problems.lower), problems.upper)
    )


def largest(x: Any, g: Any, problems: Rows, norm: float, xp: Any) -> Any:
    """Return the norm of the gradient, projected where it points out of the bounds."""
    if problems.lower is not None:
        g = x - inside(x - g, problems, xp)
    size = xp.abs(g)
    if norm == float("inf"):
        return xp.max(size, axis=1)
    if norm == float("-inf"):
        return xp.min(size, axis=1)
    return xp.sum(size**norm, axis=1) ** (1 / norm)
