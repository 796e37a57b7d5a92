"""Polynomials through points: in Newton's form (Krogh), and in barycentric form."""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..._namespace import array_namespace, device, is_concrete
from ..._native import public
from ...errors import ArgumentError, ShapeError
from ...missing._axes import index_dtype
from ...transforms import register_tree
from .._base._knots import evenly, followed, one_axis, order_of

__all__ = [
    "BarycentricInterpolator",
    "KroghInterpolator",
    "approximate_taylor_polynomial",
    "barycentric_interpolate",
    "krogh_interpolate",
]


def _given(function: str, xi: Any, yi: Any, axis: int) -> tuple[Any, Any, int]:
    """Return nodes (n,), values (n, ...), and their axis."""
    xp = array_namespace(xi, yi)
    x, y = evenly(function, xp, ("xi", "yi"), xi, yi)
    xp, axis = array_namespace(x, y), one_axis(function, axis, y.ndim)
    if x.ndim != 1 or not x.shape[0] or y.shape[axis] != x.shape[0]:
        raise ShapeError(
            f"{function}: xi must have one dimension, with as many elements as yi has along "
            f"axis={axis}, got shapes {tuple(x.shape)} and {tuple(y.shape)}"
        )
    return x, xp.moveaxis(y, axis, 0), axis


class _Through:
    """Hold nodes and values with their axis first."""

    xi: Any
    yi: Any
    _axis: int

    @property
    def n(self) -> int:
        """The number of nodes."""
        return int(self.xi.shape[0])

    def _points(self, function: str, x: Any) -> tuple[Any, ...]:
        """Return the points' shape, points (m,), and what the polynomial holds."""
        held = self._held()
        xp = array_namespace(x, *held)
        at, *found = evenly(function, xp, ("x", *("xi",) * len(held)), x, *held)
        real = [xp.real(a) if a.dtype != at.dtype else a for a in found[:-1]]
        return tuple(at.shape), xp.reshape(at, (-1,)), *real, found[-1]

    def _held(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _placed(self, y: Any, shape: tuple[int, ...], lead: int = 0) -> Any:
        """Return results (..., m, *trailing) with the points' shape at the values' axis."""
        xp, trailing = array_namespace(y), tuple(y.shape[lead + 1 :])
        y = xp.reshape(y, (*y.shape[:lead], *shape, *trailing))
        if not self._axis or not shape:
            return y
        own = [lead + i for i in range(len(shape))]
        rest = [lead + len(shape) + i for i in range(len(trailing))]
        order = [*range(lead), *rest[: self._axis], *own, *rest[self._axis :]]
        return xp.permute_dims(y, tuple(order))

    def __call__(self, x: Any) -> Any:
        """Return the polynomial's values.

        Parameters
        ----------
        x : array
            Points of any shape, which stands in place of the values' axis.

        Returns
        -------
        array
        """
        name = f"{type(self).__name__}.__call__"
        shape, at, *held = self._points(name, x)
        return self._placed(self._derived(at, 1, *held)[0], shape)

    def derivative(self, x: Any, der: int = 1) -> Any:
        """Return a derivative.

        Parameters
        ----------
        x : array
            Points.
        der : int, optional
            Its order, 0 for the values.

        Returns
        -------
        array
        """
        name = f"{type(self).__name__}.derivative"
        der = order_of(name, der)
        shape, at, *held = self._points(name, x)
        return self._placed(self._derived(at, der + 1, *held)[der], shape)

    def derivatives(self, x: Any, der: int | None = None) -> Any:
        """Return the values and the first derivatives.

        Parameters
        ----------
        x : array
            Points.
        der : int, optional
            How many, values counted in. Default: as many as nodes.

        Returns
        -------
        array, shape (der, ...)
        """
        name = f"{type(self).__name__}.derivatives"
        count = self.xi.shape[0] if der is None else max(order_of(name, der), 1)
        shape, at, *held = self._points(name, x)
        found = self._derived(at, count, *held)
        return self._placed(array_namespace(*found).stack(found, axis=0), shape, 1)

    def _derived(self, at: Any, count: int, *held: Any) -> list[Any]:
        raise NotImplementedError


def _column(v: Any, like: Any) -> Any:
    return array_namespace(v).reshape(v, (-1,) + (1,) * (like.ndim - 1))


def _divided(x: Any, y: Any) -> Any:
    """Return the coefficients of Newton's form; a node again stands for the next derivative."""
    xp, n = array_namespace(x, y), x.shape[0]
    starts = list(range(n))  # of the runs of equal nodes
    if is_concrete(x):
        equal = [bool(v) for v in xp.unstack(x[1:] == x[:-1])] if n > 1 else []
        for i, again in enumerate(equal, 1):
            starts[i] = starts[i - 1] if again else i
    index = xp.asarray(starts, dtype=index_dtype(xp, x), device=device(x))
    table, out = xp.take(y, index, axis=0), []
    out.append(table[0, ...])
    for j in range(1, n):
        same = [starts[i + j] == starts[i] for i in range(n - j)]
        gap = x[j:] - x[: n - j]
        if not any(same):
            table = (table[1:, ...] - table[:-1, ...]) / _column(gap, table)
        else:
            mask = xp.asarray(same, dtype=xp.bool, device=device(x))
            places = [min(starts[i] + j, n - 1) for i in range(n - j)]
            index = xp.asarray(places, dtype=index_dtype(xp, x), device=device(x))
            given = xp.take(y, index, axis=0) / math.factorial(j)
            steps = (table[1:, ...] - table[:-1, ...]) / _column(xp.where(mask, 1.0, gap), table)
            table = xp.where(_column(mask, table), given, steps)
        out.append(table[0, ...])
    return xp.stack(out, axis=0)


class KroghInterpolator(_Through):
    """The polynomial through points, with derivatives where nodes come several times.

    Parameters
    ----------
    xi : array, shape (n,)
        Nodes. Equal ones must be neighbours: the second of them has the first derivative for its
        value, the third the second one, and so on.
    yi : array, shape (..., n, ...)
        Values, real or complex.
    axis : int, optional
        The axis of `yi` that counts the nodes (default 0).

    Attributes
    ----------
    xi, yi
        Nodes, and values with their axis first.
    c : array, shape (n, ...)
        Newton's divided differences.
    n : int

    Raises
    ------
    ShapeError, AxisError
        If shapes don't fit, or there is no such axis.

    Notes
    -----
    F. T. Krogh, "Efficient algorithms for polynomial interpolation and numerical differentiation",
    Math. Comp. 24, 185, 1970. O(n^2) for the coefficients, n operations a point. For many nodes,
    Chebyshev's are well conditioned, even ones are not. Differentiable in points, values and nodes.
    Nodes that can't be read count as different.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: float32 stays; no warning of many nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import KroghInterpolator
    >>> f = KroghInterpolator(np.asarray([0.0, 0.0, 1.0]), np.asarray([0.0, 2.0, 3.0]))
    >>> print(f(np.asarray([0.5, 2.0])), f.derivative(0.0))
    [1.25 8.  ] 2.0
    """

    c: Any

    def __init__(self, xi: Any, yi: Any, axis: int = 0) -> None:
        self.xi, self.yi, self._axis = _given("KroghInterpolator", xi, yi, axis)
        self.c = _divided(self.xi, self.yi)

    def _held(self) -> tuple[Any, ...]:
        return self.xi, self.c

    def _derived(self, at: Any, count: int, *held: Any) -> list[Any]:
        xi, c = held
        zero = _column(at, c) * 0.0 + c[:1, ...] * 0.0
        found = [zero] * count
        for i in reversed(range(xi.shape[0])):
            step = _column(at - xi[i], c)
            for d in reversed(range(1, count)):
                found[d] = found[d] * step + d * found[d - 1]
            found[0] = found[0] * step + c[i, ...]
        return found


class BarycentricInterpolator(_Through):
    """The polynomial through points, in barycentric form.

    Parameters
    ----------
    xi : array, shape (n,)
        Nodes, all different.
    yi : array, shape (..., n, ...), optional
        Values, real or complex. Default: zeros, until `set_yi` is called.
    axis : int, optional
        The axis of `yi` that counts the nodes (default 0).
    wi : array, shape (n,), optional
        The weights, if they are known. Default: computed.
    rng, random_state : optional
        Accepted for SciPy's signature; ignored: nodes are not shuffled.

    Attributes
    ----------
    xi, yi, wi
        Nodes, values with their axis first, and weights.
    n : int

    Raises
    ------
    ArgumentError
        If two nodes are equal, where values can be read.
    ShapeError, AxisError
        If shapes don't fit, or there is no such axis.

    Notes
    -----
    J.-P. Berrut, L. N. Trefethen, "Barycentric Lagrange interpolation", SIAM Rev. 46, 501, 2004.
    n operations a point; derivatives are polynomials through the derivatives at the nodes, of
    O(n^2) operations an order. Differentiable in points (also at the nodes), values and nodes.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: float32 stays; weights are scaled by the logarithm of their products, so
    that they neither overflow nor depend on the order.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import BarycentricInterpolator
    >>> f = BarycentricInterpolator(np.asarray([0.0, 1.0, 3.0]), np.asarray([0.0, 1.0, 9.0]))
    >>> print(f(np.asarray([1.0, 2.0])).round(12), f.derivative(2.0).round(12))
    [1. 4.] 4.0
    """

    wi: Any

    def __init__(
        self,
        xi: Any,
        yi: Any = None,
        axis: int = 0,
        *,
        wi: Any = None,
        rng: Any = None,
        random_state: Any = None,
    ) -> None:
        name = "BarycentricInterpolator"
        if yi is None:
            xp = array_namespace(xi)
            xi = evenly(name, xp, ("xi",), xi)[0]
            yi = xp.zeros_like(xi)
        self.xi, self.yi, self._axis = _given(name, xi, yi, axis)
        if wi is None:
            self.wi = _weights(name, self.xi)
        else:
            self.wi = evenly(name, array_namespace(self.xi, wi), ("wi", "xi"), wi, self.xi)[0]

    def set_yi(self, yi: Any, axis: int | None = None) -> None:
        """Set the values.

        Parameters
        ----------
        yi : array
            Values at the nodes.
        axis : int, optional
            The axis that counts the nodes. Default: that of the values before.
        """
        name, own = "BarycentricInterpolator.set_yi", self._axis if axis is None else axis
        self.xi, self.yi, self._axis = _given(name, self.xi, yi, own)

    def add_xi(self, xi: Any, yi: Any = None) -> None:
        """Add nodes behind those there are.

        Parameters
        ----------
        xi : array, shape (m,)
            More nodes.
        yi : array, optional
            The values there, their axis where that of the others is. Default: zeros.
        """
        name = "BarycentricInterpolator.add_xi"
        xp = array_namespace(self.xi, xi)
        more = evenly(name, xp, ("xi", "nodes"), xi, self.xi)[0]
        if yi is None:
            y = xp.zeros_like(
                xp.broadcast_to(self.yi[:1, ...], (more.shape[0], *self.yi.shape[1:]))
            )
        else:
            more, y, _ = _given(name, more, yi, self._axis)
        self.xi, self.yi = xp.concat([self.xi, more]), xp.concat([self.yi, y], axis=0)
        self.wi = _weights(name, self.xi)

    def _held(self) -> tuple[Any, ...]:
        return self.xi, self.wi, self.yi

    def _derived(self, at: Any, count: int, *held: Any) -> list[Any]:
        xi, wi, y = held
        xp, n = array_namespace(at, *held), xi.shape[0]
        flat = xp.reshape(y, (n, -1))
        gaps = xi[:, None] - xi[None, :] + xp.eye(n, dtype=xi.dtype, device=device(xi))
        ratios = wi[None, :] / wi[:, None] / gaps
        ratios = ratios * (1.0 - xp.eye(n, dtype=xi.dtype, device=device(xi)))
        away = at[:, None] - xi[None, :]
        node = away == 0.0
        some = xp.any(node, axis=1)
        # At a node the value is there, and the slope says how it changes with the point.
        parts = wi / xp.where(some[:, None], 1.0, away)
        whole = xp.sum(parts, axis=1, keepdims=True)
        parts = parts / xp.where(some[:, None], 1.0, whole)  # weights alone sum to 0
        kind = flat.dtype
        pick = xp.astype(node, at.dtype)
        out: list[Any] = []
        values = flat
        for nu in range(count):
            if nu == n:  # above the degree
                out += [xp.zeros_like(out[0])] * (count - n)
                break
            slopes = _product(xp, ratios, values, kind)
            slopes = slopes - xp.sum(ratios, axis=1)[:, None] * values
            total = _product(xp, parts, values, kind)
            there = _product(xp, pick, values, kind)
            there = there + xp.sum(pick * away, axis=1)[:, None] * _product(xp, pick, slopes, kind)
            found = xp.where(some[:, None], there, total)
            out.append(xp.reshape(found, (-1, *y.shape[1:])))
            values = slopes
        return out


def _product(xp: Any, a: Any, b: Any, kind: Any) -> Any:
    return xp.matmul(a if a.dtype == kind else xp.astype(a, kind), b)


def _weights(function: str, x: Any) -> Any:
    """Return barycentric weights, of which the largest is 1 in magnitude."""
    xp, n = array_namespace(x), x.shape[0]
    gaps = x[:, None] - x[None, :] + xp.eye(n, dtype=x.dtype, device=device(x))
    if is_concrete(gaps) and not bool(xp.all(gaps != 0.0)):
        raise ArgumentError(
            f"{function}: Interpolation points xi must be distinct. Leave out what comes twice, or "
            "use KroghInterpolator with derivatives"
        )
    logs = -xp.sum(xp.log(xp.abs(gaps)), axis=1)
    return xp.prod(xp.sign(gaps), axis=1) * xp.exp(logs - xp.max(logs))


def _flatten_krogh(f: KroghInterpolator) -> tuple[tuple[Any, ...], Any]:
    return (f.xi, f.yi, f.c), f._axis


def _krogh(axis: Any, leaves: tuple[Any, ...]) -> KroghInterpolator:
    made = object.__new__(KroghInterpolator)
    made._axis, (made.xi, made.yi, made.c) = axis, leaves
    return made


def _flatten_barycentric(f: BarycentricInterpolator) -> tuple[tuple[Any, ...], Any]:
    return (f.xi, f.yi, f.wi), f._axis


def _barycentric(axis: Any, leaves: tuple[Any, ...]) -> BarycentricInterpolator:
    made = object.__new__(BarycentricInterpolator)
    made._axis, (made.xi, made.yi, made.wi) = axis, leaves
    return made


register_tree(KroghInterpolator, _flatten_krogh, _krogh)
register_tree(BarycentricInterpolator, _flatten_barycentric, _barycentric)


def _of_orders(f: _Through, x: Any, der: int | Sequence[int]) -> Any:
    if isinstance(der, int):
        return f(x) if der == 0 else f.derivative(x, der)
    orders = [operator.index(d) for d in der]
    found = f.derivatives(x, max(orders) + 1)
    return array_namespace(found).stack([found[d, ...] for d in orders], axis=0)


@public
def krogh_interpolate(xi: Any, yi: Any, x: Any, der: int | Sequence[int] = 0, axis: int = 0) -> Any:
    """Evaluate the polynomial through points, with derivatives where nodes come several times.

    Parameters
    ----------
    xi : array, shape (n,)
        Nodes, as for `KroghInterpolator`.
    yi : array, shape (..., n, ...)
        Values, real or complex.
    x : array
        Points.
    der : int or list of int, optional
        Which derivatives; 0 for values (default).
    axis : int, optional
        The axis of `yi` that counts the nodes (default 0).

    Returns
    -------
    array
        The shape of the points in place of the values' axis; the orders first, if `der` is a list.

    Raises
    ------
    ShapeError, AxisError, ArgumentError
        As for `KroghInterpolator`, and if `der` is negative.

    Notes
    -----
    As for `KroghInterpolator`. Differentiable in points, values and nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import krogh_interpolate
    >>> x = np.asarray([0.0, 1.0, 3.0])
    >>> print(krogh_interpolate(x, x**2, np.asarray([2.0]), der=[0, 1]))
    [[4.]
     [4.]]
    """
    return _of_orders(KroghInterpolator(xi, yi, axis), x, der)


@public
def barycentric_interpolate(
    xi: Any,
    yi: Any,
    x: Any,
    axis: int = 0,
    *,
    der: int | Sequence[int] = 0,
    rng: Any = None,
    random_state: Any = None,
) -> Any:
    """Evaluate the polynomial through points, in barycentric form.

    Parameters
    ----------
    xi : array, shape (n,)
        Nodes, all different.
    yi : array, shape (..., n, ...)
        Values, real or complex.
    x : array
        Points.
    axis : int, optional
        The axis of `yi` that counts the nodes (default 0).
    der : int or list of int, optional
        Which derivatives; 0 for values (default).
    rng, random_state : optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array
        The shape of the points in place of the values' axis; the orders first, if `der` is a list.

    Raises
    ------
    ShapeError, AxisError, ArgumentError
        As for `BarycentricInterpolator`, and if `der` is negative.

    Notes
    -----
    As for `BarycentricInterpolator`. Differentiable in points, values and nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import barycentric_interpolate
    >>> x = np.asarray([0.0, 1.0, 3.0])
    >>> print(barycentric_interpolate(x, x**2, np.asarray([1.0, 2.0])).round(12))
    [1. 4.]
    """
    return _of_orders(BarycentricInterpolator(xi, yi, axis), x, der)


def approximate_taylor_polynomial(
    f: Callable[[Any], Any], x: Any, degree: int, scale: Any, order: int | None = None
) -> Any:
    """Estimate the Taylor polynomial of a function from its values near a point.

    Parameters
    ----------
    f : callable
        Takes an array of points (n,), and returns the values there.
    x : number or array of shape ()
        The point.
    degree : int
        The degree of the polynomial.
    scale : number
        The half-width of the interval of the points.
    order : int, optional
        The degree of the polynomial through the values (default: `degree`).

    Returns
    -------
    array, shape (degree + 1,)
        Coefficients of powers of the distance from `x`, the highest first.

    Raises
    ------
    ArgumentError
        If `degree` is negative, or `order` is less.

    Notes
    -----
    Krogh's derivatives of the polynomial through ``order + 1`` cosine points. Accuracy depends on
    `scale`: rounding is divided by its powers. Differentiable as far as `f` is.

    Differs from SciPy: coefficients are an array, not a ``poly1d``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import approximate_taylor_polynomial
    >>> print(approximate_taylor_polynomial(np.exp, 0.0, 2, 0.1, 8).round(6))
    [0.5 1.  1. ]
    """
    name = "approximate_taylor_polynomial"
    degree = order_of(name, degree)
    order = degree if order is None else order_of(name, order)
    if order < degree:
        raise ArgumentError(f"{name}: order must be at least degree={degree}, got {order}")
    xp = array_namespace(x)
    at = evenly(name, xp, ("x",), x)[0]
    n = order + 1
    points = [scale * math.cos(math.pi * i / n) for i in range(n)]
    points = xp.asarray(points, dtype=at.dtype, device=device(at)) + at
    found = KroghInterpolator(points, f(points)).derivatives(at, degree + 1)
    powers = [1.0 / math.factorial(i) for i in range(degree + 1)]
    powers = xp.asarray(powers, dtype=at.dtype, device=device(at))
    return followed(xp, array_namespace(found).flip(found * _column(powers, found), axis=0))
