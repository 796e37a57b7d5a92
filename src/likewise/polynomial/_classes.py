"""Series with a domain, as objects."""

import numbers
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self

from .. import _plan
from .._namespace import array_namespace, device, is_lazy, is_neutral, library_of
from ..errors import ArgumentError, ArrayTypeError, ShapeError
from ..interop import to_numpy
from ..transforms import register_tree, stop_gradient
from . import _steps as steps
from ._family import CHEBYSHEV, HERMITE, HERMITE_E, LAGUERRE, LEGENDRE, POWER, Family
from ._points import _first_kind, through_values
from ._text import written

__all__ = ["Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial"]


def _shown(v: Any) -> str:
    """Return an array's text; NumPy's without its name."""
    text = repr(v)
    return text[6:-1] if text.startswith("array(") else text


class _Series:
    """Coefficients of a family, of which `domain` is mapped to `window`."""

    _family: ClassVar[Family]
    basis_name: ClassVar[str | None]
    maxpower = 100
    domain: Any
    window: Any
    coef: Any
    symbol: str
    __array_ufunc__ = None  # NumPy's operators leave the operation to ours
    __array_priority__ = 1000

    def __init_subclass__(cls) -> None:
        cls.domain = cls.window = cls._family.domain
        cls.__doc__ = (cls.__doc__ or "") + _DOC.replace("Xxx", cls.__name__)
        register_tree(cls, _flatten, _unflatten)

    def __init__(
        self, coef: Any, domain: Any = None, window: Any = None, symbol: str = "x"
    ) -> None:
        name = type(self).__name__
        if not isinstance(symbol, str):
            raise ArrayTypeError(f"{name}: Symbol must be a non-empty string, got {symbol!r}")
        if not symbol.isidentifier():
            raise ArgumentError(
                f"{name}: Symbol string must be a valid Python identifier, got {symbol!r}"
            )
        (self.coef,) = steps.series(name, coef, trim=False)
        self.domain = self._pair("domain", domain)
        self.window = self._pair("window", window)
        self.symbol = symbol

    def _pair(self, what: str, given: Any) -> Any:
        """Return two ends beside the coefficients."""
        name, c = type(self).__name__, self.coef
        xp = array_namespace(c)
        if given is None:
            given = type(self)._family.domain
        if is_neutral(given) or isinstance(given, list | tuple):
            given = xp.asarray(given, dtype=_real(xp, c.dtype), device=device(c))
        else:
            (given,) = steps.series(name, given, trim=False)
        if tuple(given.shape) != (2,):
            raise ShapeError(f"{name}: {what} must have two elements, got {tuple(given.shape)}")
        return given

    @classmethod
    def _made(cls, coef: Any, domain: Any, window: Any, symbol: str) -> Self:
        made = object.__new__(cls)
        made.coef, made.domain, made.window, made.symbol = coef, domain, window, symbol
        return made

    def _like(self, coef: Any) -> Self:
        return self._made(coef, self.domain, self.window, self.symbol)

    # -- what it is --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return int(self.coef.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return (self.coef[i] for i in range(len(self)))

    def __repr__(self) -> str:
        coef, domain, window = (_shown(v) for v in (self.coef, self.domain, self.window))
        parts = f"{coef}, domain={domain}, window={window}"
        return f"{type(self).__name__}({parts}, symbol={self.symbol!r})"

    def __str__(self) -> str:
        return format(self)

    def __format__(self, style: str) -> str:
        if any(is_lazy(v) for v in (self.coef, self.domain, self.window)):
            return repr(self)
        c, off, scl = (to_numpy(v) for v in stop_gradient((self.coef, *self.mapparms())))
        single = tuple("float32" in str(v.real.dtype) for v in (c, off))
        mapped = off.item(), scl.item()
        return written(c.tolist(), mapped, self.symbol, self.basis_name, style, single)

    def degree(self) -> int:
        """Return the number of coefficients less one, zeros counted."""
        return len(self) - 1

    def copy(self) -> Self:
        """Return a copy."""
        xp = array_namespace(self.coef)
        coef, domain, window = (
            xp.asarray(v, copy=True) for v in (self.coef, self.domain, self.window)
        )
        return self._made(coef, domain, window, self.symbol)

    def has_samecoef(self, other: Any) -> bool:
        """Tell if coefficients are the same."""
        return len(self) == len(other) and _equal(self.coef, other.coef)

    def has_samedomain(self, other: Any) -> bool:
        """Tell if domains are the same."""
        return _equal(self.domain, other.domain)

    def has_samewindow(self, other: Any) -> bool:
        """Tell if windows are the same."""
        return _equal(self.window, other.window)

    def has_sametype(self, other: Any) -> bool:
        """Tell if the other is of this class."""
        return isinstance(other, type(self))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, type(self))
            and self.has_samedomain(other)
            and self.has_samewindow(other)
            and self.has_samecoef(other)
            and self.symbol == other.symbol
        )

    __hash__ = None  # type: ignore[assignment]

    # -- values ------------------------------------------------------------------------------------

    def mapparms(self) -> tuple[Any, Any]:
        """Return the offset and the factor of the map from the domain to the window."""
        return _mapping(self.domain, self.window)

    def __call__(self, arg: Any) -> Any:
        """Return the values.

        Parameters
        ----------
        arg : array or series
            Points of any shape; or a series, of which the result then is a series.

        Returns
        -------
        array or series
        """
        off, scl = self.mapparms()
        if isinstance(arg, _Series):
            inner, f = arg * scl + off, arg._family
            found = steps.composed(
                self._family,
                self.coef,
                lambda v: steps.product(f, inner.coef, v),
                array_namespace(arg.coef).ones_like(arg.coef[:1]),
            )
            return arg._like(steps.zero_based(found))
        name = type(self).__name__
        xp = array_namespace(arg, self.coef, self.domain, self.window)
        given = (arg, self.coef, off, scl)
        found = _plan.common_floating(name, xp, ("arg", "coef", "domain", "window"), *given)
        x, c, off, scl = steps.followed(xp, found)
        return steps.value(off + scl * x, c, self._family.prefix, True)

    def linspace(self, n: int = 100, domain: Any = None) -> tuple[Any, Any]:
        """Return points, evenly over the domain or another, and the values there."""
        ends = self.domain if domain is None else self._pair("domain", domain)
        xp = array_namespace(ends)
        steps_ = xp.arange(n, dtype=ends.dtype, device=device(ends))
        x = ends[0] + (ends[1] - ends[0]) * steps_ / max(n - 1, 1)
        return x, self(x)

    # -- arithmetic --------------------------------------------------------------------------------

    def _other(self, other: Any, what: str) -> Any:
        """Return the coefficients of an operand, or NotImplemented."""
        name = type(self).__name__
        if isinstance(other, _Series):
            if not isinstance(other, type(self)):
                raise ArrayTypeError(
                    f"{name}: Polynomial types differ, {name} and {type(other).__name__}. Convert "
                    f"one by .convert(kind={name})"
                )
            for part in ("domain", "window"):
                if not _equal(getattr(self, part), getattr(other, part)):
                    raise ArrayTypeError(
                        f"{name}: {part.title()}s differ, {getattr(self, part)} and "
                        f"{getattr(other, part)}. Convert one by .convert({part}=...)"
                    )
            if self.symbol != other.symbol:
                raise ArgumentError(
                    f"{name}: Polynomial symbols differ, {self.symbol!r} and {other.symbol!r}"
                )
            return other.coef
        fits = isinstance(other, numbers.Number | list | tuple)
        return other if fits or library_of(other) is not None else NotImplemented

    def _with(self, other: Any, work: Callable[..., Any], what: str, turned: bool = False) -> Any:
        c = self._other(other, what)
        if c is NotImplemented:
            return NotImplemented
        pair = (c, self.coef) if turned else (self.coef, c)
        found = work(*steps.series(f"{type(self).__name__}.{what}", *pair))
        return tuple(map(self._like, found)) if isinstance(found, tuple) else self._like(found)

    def _times(self, a: Any, b: Any) -> Any:
        return steps.zero_based(steps.product(self._family, a, b))

    def _over(self, a: Any, b: Any) -> Any:
        return steps.divided(self._family, a, b)

    def __neg__(self) -> Self:
        return self._like(-self.coef)

    def __pos__(self) -> Self:
        return self

    def __add__(self, other: Any) -> Any:
        return self._with(other, steps.added, "__add__")

    def __radd__(self, other: Any) -> Any:
        return self._with(other, steps.added, "__radd__", True)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, steps.subtracted, "__sub__")

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, steps.subtracted, "__rsub__", True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, self._times, "__mul__")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, bool | list | tuple) or getattr(other, "shape", ()) != ():
            return NotImplemented
        if not isinstance(other, numbers.Number) and library_of(other) is None:
            return NotImplemented
        return self._like(self.coef / other)

    def __divmod__(self, other: Any) -> Any:
        return self._with(other, self._over, "__divmod__")

    def __rdivmod__(self, other: Any) -> Any:
        return self._with(other, self._over, "__rdivmod__", True)

    def __floordiv__(self, other: Any) -> Any:
        return _part(self.__divmod__(other), 0)

    def __rfloordiv__(self, other: Any) -> Any:
        return _part(self.__rdivmod__(other), 0)

    def __mod__(self, other: Any) -> Any:
        return _part(self.__divmod__(other), 1)

    def __rmod__(self, other: Any) -> Any:
        return _part(self.__rdivmod__(other), 1)

    def __pow__(self, other: Any) -> Self:
        name = f"{type(self).__name__}.__pow__"
        (c,) = steps.series(name, self.coef)
        return self._like(steps.powered(name, self._family, c, other, self.maxpower))

    # -- fewer coefficients ------------------------------------------------------------------------

    def truncate(self, size: int) -> Self:
        """Return the series of the first `size` coefficients, at least one."""
        if int(size) != size or size < 1:
            raise ArgumentError(
                f"{type(self).__name__}.truncate: size must be a positive integer, got {size!r}"
            )
        return self._like(self.coef[: int(size)])

    def cutdeg(self, deg: int) -> Self:
        """Return the series up to a degree."""
        if int(deg) != deg or deg < 0:
            raise ArgumentError(
                f"{type(self).__name__}.cutdeg: deg must be a non-negative integer, got {deg!r}"
            )
        return self.truncate(deg + 1)

    def trim(self, tol: float = 0) -> Self:
        """Return the series without coefficients at the end whose magnitudes are at most `tol`."""
        return self._like(steps.trimmed(f"{type(self).__name__}.trim", self.coef, tol))

    # -- derivatives, integrals, roots -------------------------------------------------------------

    def deriv(self, m: int = 1) -> Self:
        """Return the derivative of order `m`."""
        _, scl = self.mapparms()
        name = f"{type(self).__name__}.deriv"
        return self._like(steps.derived(name, self._family, self.coef, m, scl, 0))

    def integ(self, m: int = 1, k: Any = (), lbnd: Any = None) -> Self:
        """Return the integral of order `m`, with the values `k` at `lbnd`.

        Parameters
        ----------
        m : int, optional
            How often (default 1).
        k : float or list of float, optional
            Constants (default 0).
        lbnd : float, optional
            The lower bound (default: what the map takes to 0).

        Returns
        -------
        series
            Of this class.
        """
        off, scl = self.mapparms()
        lower = 0 if lbnd is None else off + scl * lbnd
        name = f"{type(self).__name__}.integ"
        return self._like(steps.integrated(name, self._family, self.coef, m, k, lower, 1 / scl, 0))

    def roots(self) -> Any:
        """Return the roots in the domain's variable, as the family's function does."""
        name = f"{type(self).__name__}.roots"
        found = steps.roots(name, self._family, *steps.series(name, self.coef))
        off, scl = _mapping(self.window, self.domain)
        return off + scl * found

    # -- other series ------------------------------------------------------------------------------

    def convert(self, domain: Any = None, kind: Any = None, window: Any = None) -> Any:
        """Return the same polynomial as a series of another class, domain or window.

        Parameters
        ----------
        domain, window : array, shape (2,), optional
            Default: those of the class.
        kind : class, optional
            Default: this.

        Returns
        -------
        series
        """
        kind = type(self) if kind is None else kind
        made = kind(self.coef[:1], domain, window, self.symbol)
        # From its window's variable to its domain's, and on to the variable of this series.
        off, scl = _mapping(made.window, made.domain)
        first, factor = self.mapparms()
        off, scl = first + factor * off, factor * scl
        xp = array_namespace(self.coef)
        f, seed = made._family, xp.ones_like(self.coef[:1])
        c = steps.composed(self._family, self.coef, lambda v: steps.lined(f, v, off, scl), seed)
        return made._like(steps.zero_based(c))

    @classmethod
    def cast(cls, series: Any, domain: Any = None, window: Any = None) -> Self:
        """Return another series as one of this class.

        Parameters
        ----------
        series : series
            Of any of the classes.
        domain, window : array, shape (2,), optional
            Default: those of the class.

        Returns
        -------
        series
        """
        found: Self = series.convert(domain, cls, window)
        return found

    @classmethod
    def fit(
        cls,
        x: Any,
        y: Any,
        deg: Any,
        domain: Any = None,
        rcond: float | None = None,
        full: bool = False,
        w: Any = None,
        window: Any = None,
        symbol: str = "x",
    ) -> Any:
        """Fit a series to values, by least squares.

        Parameters
        ----------
        x, y : array, shape (m,)
            Points and values.
        deg : int or list of int
            The degree, or the degrees that the series has.
        domain : array, shape (2,), optional
            Default: from the smallest to the largest point. An empty list: that of the class.
        rcond, full, w
            As for the family's function.
        window : array, shape (2,), optional
            Default: that of the class.
        symbol : str, optional
            The name of the variable.

        Returns
        -------
        series
            With `full`, also a list of diagnoses.
        """
        name = f"{cls.__name__}.fit"
        xp = array_namespace(x, y)
        names = ("x", "y")
        x, y = steps.followed(xp, _plan.common_floating(name, xp, names, x, y))
        made = cls(_unit(x), _domain(domain, x), window, symbol)
        off, scl = made.mapparms()
        found = steps.fitted(name, cls._family, off + scl * x, y, deg, rcond, full, w)
        return (made._like(found[0]), found[1]) if full else made._like(found)

    @classmethod
    def fromroots(cls, roots: Any, domain: Any = (), window: Any = None, symbol: str = "x") -> Self:
        """Return the series with given roots, of leading coefficient 1 in powers.

        Parameters
        ----------
        roots : array, shape (n,)
            Roots.
        domain : array, shape (2,), optional
            Default: that of the class; None: from the smallest to the largest root.
        window : array, shape (2,), optional
            Default: that of the class.
        symbol : str, optional
            The name of the variable.

        Returns
        -------
        series
        """
        (r,) = steps.series(f"{cls.__name__}.fromroots", roots, trim=False)
        made = cls(_unit(r), _domain(domain, r), window, symbol)
        off, scl = made.mapparms()
        c = steps.from_roots(cls._family, off + scl * r)
        return made._like(c / scl ** int(r.shape[0]))

    @classmethod
    def identity(cls, domain: Any = None, window: Any = None, symbol: str = "x") -> Self:
        """Return the series whose values are its points."""
        made = cls([1.0], domain, window, symbol)
        off, scl = _mapping(made.window, made.domain)
        return made._like(steps.line(cls._family, off, scl))

    @classmethod
    def basis(cls, deg: int, domain: Any = None, window: Any = None, symbol: str = "x") -> Self:
        """Return the polynomial of the family of a degree."""
        n = operator.index(deg)
        if n < 0:
            raise ArgumentError(f"{cls.__name__}.basis: deg must be non-negative, got {deg}")
        return cls([0.0] * n + [1.0], domain, window, symbol)


_DOC = """

    Parameters
    ----------
    coef : array, shape (n,)
        Coefficients, that of the lowest degree first.
    domain, window : array, shape (2,), optional
        The interval of the variable that is mapped to `window`, on which the polynomials are
        taken. Default: both those of the class.
    symbol : str, optional
        The name of the variable.

    Attributes
    ----------
    coef, domain, window : array
    symbol : str

    Raises
    ------
    ShapeError
        If `coef` isn't a vector, or `domain` or `window` hasn't two elements.
    ArgumentError, ArrayTypeError
        If `symbol` is no identifier, or no string.

    Notes
    -----
    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it. Don't
    change its attributes. With ``+ - * // % **`` and `divmod` of series of one domain and window,
    arrays of coefficients, and numbers. Domains are compared, and zeros at the end left out, where
    values can be read. Differentiable.

    Differs from NumPy: float32 stays; `str` knows no settings, and is `repr` where values can't be
    read; of the class itself, `domain` and `window` are tuples.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.polynomial import Xxx
    >>> p = Xxx.fit(np.linspace(0.0, 4.0, 9), np.linspace(0.0, 4.0, 9) ** 2, 2)
    >>> print(p(np.asarray([3.0])).round(9), p.deriv()(np.asarray([3.0])).round(9))
    [9.] [6.]
    """


def _real(xp: Any, dtype: Any) -> Any:
    if dtype == xp.complex64:  # dtypes that are equal may have other hashes
        return xp.float32
    return xp.float64 if dtype == xp.complex128 else dtype


def _equal(a: Any, b: Any) -> bool:
    """Tell if values are the same; those that can't be read count as the same."""
    xp = array_namespace(a, b)
    same = xp.all(stop_gradient(a) == stop_gradient(b))
    return bool(same) if steps.readable(same) else True  # likewise: ignore[LW203]: at hand


def _mapping(old: Any, new: Any) -> tuple[Any, Any]:
    width = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / width, (new[1] - new[0]) / width


def _unit(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.ones((1,), dtype=x.dtype, device=device(x))


def _ends(x: Any) -> Any:
    """Return the smallest and the largest of points; -1 and 1 about one."""
    xp = array_namespace(x)
    if x.ndim != 1 or not x.shape[0]:
        raise ShapeError(f"x must be a vector with one element, at least, got {tuple(x.shape)}")
    if _plan.is_complex(xp, x.dtype):
        parts = [_ends(xp.real(x)), _ends(xp.imag(x))]
        return xp.astype(parts[0], x.dtype) + 1j * xp.astype(parts[1], x.dtype)
    low, high = xp.min(x), xp.max(x)
    half = xp.where(low == high, xp.ones_like(low), xp.zeros_like(low))
    return xp.stack([low - half, high + half])


def _domain(given: Any, x: Any) -> Any:
    """Return None for that of the class, which an empty list asks for."""
    if given is None:
        return _ends(x)
    empty = not given if isinstance(given, list | tuple) else tuple(given.shape) == (0,)
    return None if empty else given


def _part(found: Any, i: int) -> Any:
    return found if found is NotImplemented else found[i]


def _flatten(p: _Series) -> tuple[tuple[Any, ...], Any]:
    return (p.coef, p.domain, p.window), (type(p), p.symbol)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> _Series:
    cls, symbol = fixed
    made: _Series = cls._made(*leaves, symbol)
    return made


class Polynomial(_Series):
    """A polynomial by its coefficients of powers."""

    _family = POWER
    basis_name = None


class Chebyshev(_Series):
    """A series of Chebyshev polynomials of the first kind."""

    _family = CHEBYSHEV
    basis_name = "T"

    @classmethod
    def interpolate(
        cls, func: Callable[..., Any], deg: int, domain: Any = None, args: Sequence[Any] = ()
    ) -> Self:
        """Return the series through a function's values at the Chebyshev points of a domain.

        Parameters
        ----------
        func : callable
            ``func(x, *args)`` takes points of the domain, and returns values.
        deg : int
            The degree.
        domain : array, shape (2,), optional
            Default: from -1 to 1.
        args : sequence, optional
            More arguments of the function.

        Returns
        -------
        series
        """
        n = steps.degree_of("Chebyshev.interpolate", "deg", deg) + 1
        made = cls([1.0], domain)
        ends = made.domain
        xp = array_namespace(ends)
        off, scl = _mapping(made.window, ends)
        at = xp.asarray(_first_kind(n), dtype=ends.dtype, device=device(ends))
        return made._like(through_values(func(off + scl * at, *args)))


class Legendre(_Series):
    """A series of Legendre polynomials."""

    _family = LEGENDRE
    basis_name = "P"


class Hermite(_Series):
    """A series of Hermite polynomials of the physicists."""

    _family = HERMITE
    basis_name = "H"


class HermiteE(_Series):
    """A series of Hermite polynomials of the probabilists."""

    _family = HERMITE_E
    basis_name = "He"


class Laguerre(_Series):
    """A series of Laguerre polynomials."""

    _family = LAGUERRE
    basis_name = "L"
