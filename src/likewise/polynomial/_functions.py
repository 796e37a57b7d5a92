"""The functions of one family: one text, of which each family has its own names.

In docstrings ``xxx`` stands for the prefix of the names, and ``TITLE`` for the family.
"""

from collections.abc import Callable
from typing import Any

from .. import _plan
from .._namespace import array_namespace
from .._native import public
from ..errors import ShapeError
from . import _steps as steps
from ._family import POWER, Family
from ._values import evaluating

__all__ = ["functions"]

NAMES = (
    *("add", "companion", "der", "div", "fit", "fromroots", "grid2d", "grid3d", "int", "line"),
    *("mul", "mulx", "pow", "roots", "sub", "trim", "val", "val2d", "val3d"),
    *("vander", "vander2d", "vander3d"),
)


def functions(f: Family, module: str) -> tuple[Any, ...]:
    """Return the functions of a family in the order of `NAMES`, then those to and from powers."""
    made = {**evaluating(f), **_arithmetic(f), **_calculus(f)}
    names = {n: f"{f.prefix}{n}" for n in NAMES}
    if f is not POWER:
        names |= {"to": f"{f.prefix}2poly", "from": f"poly2{f.prefix}"}
    return tuple(_named(made[n], name, f, module) for n, name in names.items())


def _named(function: Callable[..., Any], name: str, f: Family, module: str) -> Any:
    doc = function.__doc__ or ""
    function.__doc__ = doc.replace("xxx", f.prefix).replace("TITLE", f.title)
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    return public(function)


def _arithmetic(f: Family) -> dict[str, Callable[..., Any]]:
    p = f.prefix

    def add(c1: Any, c2: Any) -> Any:
        """Add two series of TITLE.

        Parameters
        ----------
        c1, c2 : array, shape (n,)
            Coefficients, that of the lowest degree first.

        Returns
        -------
        array, shape (m,)
            Without zeros at the end, where values can be read: not under `jit`, nor of Dask.

        Raises
        ------
        ShapeError
            If coefficients are empty or no vectors.

        Notes
        -----
        Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxadd
        >>> xxxadd(np.asarray([1.0, 2.0]), np.asarray([1.0, 1.0, 1.0]))
        array([2., 3., 1.])
        """
        return steps.added(*steps.series(f"{p}add", c1, c2))

    def sub(c1: Any, c2: Any) -> Any:
        """Subtract two series of TITLE.

        Parameters
        ----------
        c1, c2 : array, shape (n,)
            Coefficients, that of the lowest degree first.

        Returns
        -------
        array, shape (m,)
            Without zeros at the end, where values can be read: not under `jit`, nor of Dask.

        Raises
        ------
        ShapeError
            If coefficients are empty or no vectors.

        Notes
        -----
        Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxsub
        >>> xxxsub(np.asarray([1.0, 2.0]), np.asarray([1.0, 1.0, 1.0]))
        array([ 0.,  1., -1.])
        """
        return steps.subtracted(*steps.series(f"{p}sub", c1, c2))

    def mul(c1: Any, c2: Any) -> Any:
        """Multiply two series of TITLE.

        Parameters
        ----------
        c1, c2 : array, shape (n,)
            Coefficients, that of the lowest degree first.

        Returns
        -------
        array, shape (m,)
            Zeros at the end of the arguments are left out, where values can be read: not under
            `jit`, nor of Dask.

        Raises
        ------
        ShapeError
            If coefficients are empty or no vectors.

        Notes
        -----
        Clenshaw's recurrence of one series in x, which multiplies the other. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxmul
        >>> xxxmul(np.asarray([2.0]), np.asarray([1.0, 0.0, 3.0]))
        array([2., 0., 6.])
        """
        a, b = steps.series(f"{p}mul", c1, c2)
        return steps.zero_based(steps.product(f, a, b))

    def mulx(c: Any) -> Any:
        """Multiply a series of TITLE by x.

        Parameters
        ----------
        c : array, shape (n,)
            Coefficients, that of the lowest degree first.

        Returns
        -------
        array, shape (n + 1,)
            The series 0 stays as it is, where values can be read.

        Raises
        ------
        ShapeError
            If coefficients are empty or no vector.

        Notes
        -----
        By the three-term recurrence. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxmulx, xxxval
        >>> bool(np.isclose(xxxval(0.5, xxxmulx(np.ones(3))), 0.5 * xxxval(0.5, np.ones(3))))
        True
        """
        (c,) = steps.series(f"{p}mulx", c)
        return steps.zero_based(steps.times_x(f, c)) if c.shape[0] == 1 else steps.times_x(f, c)

    def div(c1: Any, c2: Any) -> tuple[Any, Any]:
        """Divide a series of TITLE by another.

        Parameters
        ----------
        c1, c2 : array, shape (n,)
            Coefficients, that of the lowest degree first.

        Returns
        -------
        tuple of arrays
            The quotient, and the remainder, of a lower degree than `c2`.

        Raises
        ------
        ShapeError
            If coefficients are empty or no vectors.
        ZeroDivisionError
            If `c2` is 0, where values can be read.

        Notes
        -----
        Where values can't be read, the last coefficient of `c2` must not be 0. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxdiv, xxxmul
        >>> c = np.asarray([1.0, 2.0])
        >>> xxxdiv(xxxmul(c, c), c)[0].round(12)
        array([1., 2.])
        """
        return steps.divided(f, *steps.series(f"{p}div", c1, c2))

    def pow(c: Any, pow: Any, maxpower: int | None = 16) -> Any:
        """Raise a series of TITLE to a power.

        Parameters
        ----------
        c : array, shape (n,)
            Coefficients, that of the lowest degree first.
        pow : int
            The power, 0 or more.
        maxpower : int, optional
            The highest power that is accepted.

        Returns
        -------
        array, shape (m,)

        Raises
        ------
        ShapeError
            If coefficients are empty or no vector.
        ArgumentError
            If the power is negative, no integer, or higher than `maxpower`.

        Notes
        -----
        By products one after the other. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxmul, xxxpow
        >>> c = np.asarray([1.0, 2.0])
        >>> bool(np.allclose(xxxpow(c, 2), xxxmul(c, c)))
        True
        """
        (c,) = steps.series(f"{p}pow", c)
        return steps.powered(f"{p}pow", f, c, pow, maxpower)

    def line(off: Any, scl: Any) -> Any:
        """Return the series of TITLE of ``off + scl x``.

        Parameters
        ----------
        off, scl : float or array of shape ()
            The line's value at 0, and its slope.

        Returns
        -------
        array, shape (2,)
            One coefficient, if the slope is 0 and can be read.

        Raises
        ------
        ShapeError
            If an argument isn't a number.

        Notes
        -----
        Differentiable.

        Examples
        --------
        >>> from likewise.polynomial import xxxline, xxxval
        >>> float(xxxval(2.0, xxxline(3.0, 4.0)))
        11.0
        """
        if type(off) in (int, float) and type(scl) in (int, float):
            own = [off + f.own(0) * scl, f.up(0) * scl]
            return array_namespace(off, scl).asarray([float(v) for v in own[: 2 if scl else 1]])
        a, b = steps.series(f"{p}line", off, scl, trim=False)
        return steps.zero_based(steps.line(f, a[0], b[0]))

    def trim(c: Any, tol: float = 0) -> Any:
        """Leave out small coefficients at the end of a series of TITLE.

        Parameters
        ----------
        c : array, shape (n,)
            Coefficients, that of the lowest degree first.
        tol : float, optional
            Magnitudes up to which they are left out (default 0).

        Returns
        -------
        array, shape (m,)
            Of one coefficient, 0, if all are small.

        Raises
        ------
        ShapeError
            If coefficients are empty or no vector.
        ArgumentError
            If `tol` is negative, or values can't be read.

        Notes
        -----
        How many stay depends on values, so not for `jit`. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxtrim
        >>> xxxtrim(np.asarray([1.0, 2.0, 0.0]))
        array([1., 2.])
        """
        return steps.trimmed(f"{p}trim", c, tol)

    def to(c: Any) -> Any:
        """Return the coefficients of powers of a series of TITLE.

        Parameters
        ----------
        c : array, shape (n,)
            Coefficients, that of the lowest degree first.

        Returns
        -------
        array, shape (m,)
            Without zeros at the end, where values can be read: not under `jit`, nor of Dask.

        Raises
        ------
        ShapeError
            If coefficients are empty or no vector.

        Notes
        -----
        By Clenshaw's recurrence in x. Powers are badly conditioned beyond some 20 coefficients.
        Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import poly2xxx, xxx2poly
        >>> xxx2poly(poly2xxx(np.asarray([1.0, 2.0, 3.0]))).round(12)
        array([1., 2., 3.])
        """
        return steps.through_x(f, POWER, *steps.series(f"{p}2poly", c))

    def of(c: Any) -> Any:
        """Return the series of TITLE of coefficients of powers.

        Parameters
        ----------
        c : array, shape (n,)
            Coefficients, that of the lowest degree first.

        Returns
        -------
        array, shape (m,)
            Without zeros at the end, where values can be read: not under `jit`, nor of Dask.

        Raises
        ------
        ShapeError
            If coefficients are empty or no vector.

        Notes
        -----
        By Horner's rule. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import poly2xxx, xxx2poly
        >>> xxx2poly(poly2xxx(np.asarray([1.0, 2.0, 3.0]))).round(12)
        array([1., 2., 3.])
        """
        return steps.through_x(POWER, f, *steps.series(f"poly2{p}", c))

    if f is POWER:
        pow.__defaults__ = (None,)
    found = {g.__name__: g for g in (add, sub, mul, mulx, div, pow, line, trim)}
    return {**found, "to": to, "from": of}


def _calculus(f: Family) -> dict[str, Callable[..., Any]]:
    p = f.prefix

    def der(c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
        """Differentiate series of TITLE.

        Parameters
        ----------
        c : array
            Coefficients, that of the lowest degree first.
        m : int, optional
            The order of the derivative (default 1).
        scl : float, optional
            A factor for each order: that of a change of the variable.
        axis : int, optional
            The axis of the coefficients (default 0).

        Returns
        -------
        array
            `m` fewer coefficients, one at least.

        Raises
        ------
        ArgumentError, AxisError, ShapeError
            If `m` is negative, there is no such axis, or there are no coefficients.

        Notes
        -----
        O(n) for each order. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxder, xxxint
        >>> xxxder(xxxint(np.asarray([1.0, 2.0, 3.0]))).round(12)
        array([1., 2., 3.])
        """
        return steps.derived(f"{p}der", f, c, m, scl, axis)

    def integral(
        c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0
    ) -> Any:
        """Integrate series of TITLE.

        Parameters
        ----------
        c : array
            Coefficients, that of the lowest degree first.
        m : int, optional
            How often (default 1).
        k : float or list of float, optional
            The values at `lbnd`, of the first integral first (default: 0).
        lbnd : float, optional
            The lower bound (default 0).
        scl : float, optional
            A factor for each integral, before its constant is added.
        axis : int, optional
            The axis of the coefficients (default 0).

        Returns
        -------
        array
            `m` more coefficients. The series 0 gives the constant alone, where values can be read.

        Raises
        ------
        ArgumentError, AxisError, ShapeError
            If `m` is negative, there are more constants, there is no such axis, `lbnd` or `scl`
            isn't a number, or there are no coefficients.

        Notes
        -----
        O(n) for each integral. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxint, xxxval
        >>> float(xxxval(2.0, xxxint(np.asarray([3.0]), lbnd=1.0)))
        3.0
        """
        return steps.integrated(f"{p}int", f, c, m, k, lbnd, scl, axis)

    def fromroots(roots: Any) -> Any:
        """Return the series of TITLE with given roots, of leading coefficient 1 in powers.

        Parameters
        ----------
        roots : array, shape (n,)
            Roots, real or complex.

        Returns
        -------
        array, shape (n + 1,)

        Raises
        ------
        ShapeError
            If the roots aren't a vector.

        Notes
        -----
        By products of halves. Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxfromroots, xxxroots
        >>> xxxroots(xxxfromroots(np.asarray([0.5, 1.0, 2.0]))).round(9)
        array([0.5, 1. , 2. ])
        """
        name = f"{p}fromroots"
        xp = array_namespace(roots)
        (r,) = steps.followed(xp, _plan.common_floating(name, xp, ("roots",), roots))
        if r.ndim > 1:
            raise ShapeError(f"{name}: roots must be a vector, got shape {tuple(r.shape)}")
        return steps.from_roots(f, array_namespace(r).reshape(r, (-1,)))

    def companion(c: Any) -> Any:
        """Return the matrix whose eigenvalues are the roots of a series of TITLE.

        Parameters
        ----------
        c : array, shape (n + 1,)
            Coefficients, that of the lowest degree first.

        Returns
        -------
        array, shape (n, n)
            Of a recurrence that is scaled to be symmetric, where it can be.

        Raises
        ------
        ShapeError
            If there are fewer than two coefficients.

        Notes
        -----
        W. Specht, "Die Lage der Nullstellen eines Polynoms", Math. Nachr. 16, 369, 1957.
        Differentiable.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxcompanion
        >>> xxxcompanion(np.asarray([1.0, 2.0, 3.0])).shape
        (2, 2)
        """
        return steps.companion(f"{p}companion", f, *steps.series(f"{p}companion", c))

    def roots(c: Any) -> Any:
        """Compute the roots of series of TITLE.

        Parameters
        ----------
        c : array, shape (n + 1,) or (n + 1, ...)
            Coefficients, that of the lowest degree first; further dimensions are of more series.

        Returns
        -------
        array, shape (n,) or (n, ...)
            Of one series in order; real if all are. Where values can't be read, under `jit` and of
            Dask, complex, and in no order; the last coefficient must then not be 0, as of several
            series.

        Raises
        ------
        ShapeError
            If there are no coefficients.
        ExtensionMissing
            If the namespace has no ``linalg``.

        Notes
        -----
        Eigenvalues of `xxxcompanion`. Differentiable by the implicit function theorem, where roots
        are simple.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxfromroots, xxxroots
        >>> xxxroots(xxxfromroots(np.asarray([0.5, 1.0, 2.0]))).round(9)
        array([0.5, 1. , 2. ])
        """
        name = f"{p}roots"
        if len(getattr(c, "shape", ())) < 2:
            return steps.roots(name, f, *steps.series(name, c))
        xp = array_namespace(c)
        (c,) = steps.followed(xp, _plan.common_floating(name, xp, ("c",), c))
        if not c.shape[0]:
            raise ShapeError(f"{name}: c has no coefficients, shape {tuple(c.shape)}")
        return steps.roots(name, f, c)

    def fit(
        x: Any, y: Any, deg: Any, rcond: float | None = None, full: bool = False, w: Any = None
    ) -> Any:
        """Fit series of TITLE to values, by least squares.

        Parameters
        ----------
        x : array, shape (m,) or (batch..., m)
            Points, real or complex. With more than one dimension, each problem has its own.
        y : array, shape (batch..., m) or (batch..., m, k)
            Values; with one more dimension, of k functions at the same points.
        deg : int or list of int
            The degree, or the degrees that the series has.
        rcond : float, optional
            Singular values up to `rcond` times the largest count as 0 (default: ``m * eps``).
        full : bool, optional
            Whether to return diagnoses, too.
        w : array, shape (m,) or (batch..., m), optional
            Weights of the residuals: the reciprocals of standard deviations, say.

        Returns
        -------
        array, shape (batch..., deg + 1) or (batch..., deg + 1, k)
            Coefficients, that of the lowest degree first. With `full`, also a list of the squared
            residuals' sums, the rank, the singular values of the scaled matrix, and `rcond`.

        Raises
        ------
        FitShapeError
            If shapes don't fit, or there are no points or degrees. Also a TypeError.
        ArgumentError
            If a degree is negative.
        ExtensionMissing
            If the namespace has no ``linalg``.

        Warns
        -----
        LinAlgWarning
            If the rank is less than the number of coefficients, where it can be read.

        Notes
        -----
        `likewise.linalg.lstsq` of `xxxvander` with columns of norm 1. Differentiable in points,
        values and weights, where the rank is full.

        Examples
        --------
        >>> import numpy as np
        >>> from likewise.polynomial import xxxfit, xxxval
        >>> x = np.linspace(0.0, 1.0, 9)
        >>> xxxfit(x, xxxval(x, np.asarray([1.0, 2.0, 3.0])), 2).round(9)
        array([1., 2., 3.])
        """
        return steps.fitted(f"{p}fit", f, x, y, deg, rcond, full, w)

    found = {g.__name__: g for g in (der, fromroots, companion, roots, fit)}
    return {**found, "int": integral}
