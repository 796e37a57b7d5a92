"""Conversions between coefficients, zeros and poles, and second-order sections."""

import math
import warnings
from typing import Any, Literal

from ... import _plan
from ..._namespace import device, is_concrete
from ..._native import public
from ...errors import ArgumentError, BadCoefficients, ShapeError, _level
from .._base._places import complex_of, host, not_empty, one_dimension, read, vector, working
from .._base._polynomials import from_roots, product, roots
from .._base._sections import sections

__all__ = [
    "normalize",
    "normalized",
    "sos2tf",
    "sos2zpk",
    "tf2sos",
    "tf2zpk",
    "zpk2sos",
    "zpk2tf",
]

Pairing = Literal["nearest", "keep_odd", "minimal"]
_PAIRINGS = ("nearest", "keep_odd", "minimal")


# -- coefficients ----------------------------------------------------------------------------------


@public
def zpk2tf(z: Any, p: Any, k: Any) -> tuple[Any, Any]:
    """Convert zeros, poles and gain to numerator and denominator.

    Parameters
    ----------
    z : array, shape (m,) or (r, m)
        Zeros; r rows for r numerators over one denominator.
    p : array, shape (n,)
        Poles.
    k : number or array, shape (r,)
        Gain of all rows or of each row.

    Returns
    -------
    b : array, shape (m + 1,) or (r, m + 1)
        The numerator, highest power first.
    a : array, shape (n + 1,)
        The denominator. Both have the library, device and precision of the arguments. They are real
        if the roots are real, or if the roots have values and are conjugate pairs.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arguments are not numbers of one library and device.
    ShapeError
        If zeros have more than two dimensions, poles more than one, or `k` fits neither.

    Notes
    -----
    Multiplies one factor after the other, in double precision if available: O(n**2) operations.
    Differentiable. Traced complex roots give complex coefficients, because the dtype can't depend
    on values.

    Examples
    --------
    >>> from likewise.signal import zpk2tf
    >>> b, a = zpk2tf([1.0, 3.0], [0.5], 2.0)
    >>> b, a
    (array([ 2., -8.,  6.]), array([ 1. , -0.5]))
    """
    work = working("zpk2tf", z=z, p=p, k=k)
    xp, (z, p, k) = work.xp, work.arrays
    z, p = vector(xp, z), vector(xp, p)
    one_dimension("zpk2tf", p=p)
    if z.ndim > 2 or k.ndim > 1 or (k.ndim == 1 and k.shape[0] not in (1, *z.shape[:-1])):
        raise ShapeError(
            "zpk2tf: z must have one or two dimensions, and k one number or one for each row of z, "
            f"got the shapes {tuple(z.shape)} and {tuple(k.shape)}"
        )
    k = xp.reshape(k, (-1, 1) if z.ndim == 2 else (1,))
    return work.give(k * _polynomial(xp, z)), work.give(_polynomial(xp, p))


def _polynomial(xp: Any, r: Any) -> Any:
    """Return the coefficients, real if the roots have values and are conjugate pairs."""
    c = from_roots(xp, r)
    if not _plan.is_complex(xp, r.dtype) or not is_concrete(r):
        return c
    height = xp.imag(r)
    paired = bool(xp.all(xp.sort(height, axis=-1) == xp.sort(-height, axis=-1)))
    return xp.real(c) if paired else c


@public
def tf2zpk(b: Any, a: Any) -> tuple[Any, Any, Any]:
    """Convert numerator and denominator to zeros, poles and gain.

    Parameters
    ----------
    b, a : array, shape (m + 1,) and (n + 1,)
        Coefficients of numerator and denominator, highest power first.

    Returns
    -------
    z, p : array, shape (m,) and (n,)
        Zeros and poles, complex unless all are real.
    k : 0-d array
        The gain.

    Raises
    ------
    ArgumentError
        If the denominator is zero.
    ShapeError
        If an argument has more than one dimension.
    NotSupported
        If an argument is traced or records gradients.

    Warns
    -----
    BadCoefficients
        If the numerator's first coefficients are (nearly) zero; they are dropped.

    Notes
    -----
    Uses eigenvalues of a balanced companion matrix on the host (A. Edelman and H. Murakami, Math.
    Comp. 64, 763, 1995), or the Ehrlich-Aberth iteration (D. A. Bini, Numer. Algorithms 13, 179,
    1996) if its roots are better: the product over all roots reproduces the coefficients to
    rounding. Single roots of a multiple root are less accurate, as in every method. O(n**3)
    operations. Not differentiable.

    Differs from SciPy: roots are in order of descending magnitude.

    Examples
    --------
    >>> from likewise.signal import tf2zpk
    >>> z, p, k = tf2zpk([2.0, -8.0, 6.0], [1.0, -0.5])
    >>> z, p, float(k)
    (array([3., 1.]), array([0.5]), 2.0)
    """
    where, (b, a) = read("tf2zpk", b=b, a=a)
    z, p, k = _zpk("tf2zpk", b, a)
    return where.give(_roots_array(z)), where.give(_roots_array(p)), where.give(host().asarray(k))


def _zpk(function: str, b: Any, a: Any) -> tuple[list[complex], list[complex], Any]:
    one_dimension(function, b=vector(host(), b), a=vector(host(), a))
    b, a = normalized(function, b, a)
    return roots([complex(v) for v in b]), roots([complex(v) for v in a]), b[0]


def _roots_array(r: list[complex]) -> Any:
    xp = host()
    found = xp.asarray(r, dtype=xp.complex128)
    return found if any(v.imag for v in r) else xp.real(found)


@public
def normalize(b: Any, a: Any) -> tuple[Any, Any]:
    """Scale numerator and denominator so that the denominator starts with one.

    Parameters
    ----------
    b : array, shape (m + 1,) or (r, m + 1)
        Coefficients of the numerator, or of r numerators.
    a : array, shape (n + 1,)
        Coefficients of the denominator.

    Returns
    -------
    num, den : array
        Both divided by the first nonzero coefficient of `a`. Leading zeros of `a`, and leading
        columns of zeros of the numerators, are dropped.

    Raises
    ------
    ArgumentError
        If the denominator is zero.
    ShapeError
        If `a` has more than one dimension, or `b` more than two.
    NotSupported
        If an argument is traced or records gradients.

    Warns
    -----
    BadCoefficients
        If the numerator starts with coefficients of at most 1e-14, which are dropped.

    Notes
    -----
    The dropped coefficients depend on values, so it computes on the host. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import normalize
    >>> normalize([2.0, 4.0], [0.0, 2.0, 1.0])
    (array([1., 2.]), array([1. , 0.5]))
    """
    where, (b, a) = read("normalize", b=b, a=a)
    num, den = normalized("normalize", b, a)
    return where.give(num), where.give(den)


def normalized(function: str, b: Any, a: Any, told: bool = True) -> tuple[Any, Any]:
    """Return the result of `normalize` for arrays of the host; warn if `told`."""
    xp = host()
    den, num = vector(xp, a), vector(xp, b)
    if den.ndim != 1 or num.ndim > 2:
        raise ShapeError(
            f"{function}: the denominator must have one dimension, the numerator at most two, got "
            f"the shapes {tuple(den.shape)} and {tuple(num.shape)}"
        )
    not_empty(function, a=den, b=num.T)
    first = next((i for i in range(den.shape[0]) if den[i] != 0), None)
    if first is None:
        raise ArgumentError(
            f"{function}: the denominator must have a coefficient that isn't zero, got "
            f"{[complex(v) for v in den]}"
        )
    den = den[first:]
    num, den = num / den[0], den / den[0]
    rows = xp.reshape(num, (-1, num.shape[-1]))
    last = num.shape[-1] - 1
    skip = 0
    while skip <= last and bool(xp.all(xp.abs(rows[:, skip]) <= 1e-14)):
        skip += 1
    if skip and told:
        warnings.warn(
            f"{function}: the numerator starts with coefficients of zero, or so small that they "
            "may be errors of rounding; they are left out",
            BadCoefficients,
            stacklevel=_level(),
        )
    num = num[..., min(skip, last) if last >= 0 else 0 :]
    return (num[0, :] if num.ndim == 2 and num.shape[0] == 1 else num), den


# -- sections --------------------------------------------------------------------------------------


@public
def zpk2sos(
    z: Any, p: Any, k: Any, pairing: Pairing | str | None = None, *, analog: bool = False
) -> Any:
    """Convert zeros, poles and gain to second-order sections.

    Parameters
    ----------
    z, p : array, shape (m,) and (n,)
        Zeros and poles: real, or in conjugate pairs.
    k : float
        Gain.
    pairing : {'nearest', 'keep_odd', 'minimal'}, optional
        How to pair zeros and poles: 'nearest' pairs the nearest, and adds a pole and a zero at the
        origin if their number is odd; 'keep_odd' keeps one first-order section instead; 'minimal'
        adds nothing. Default: 'nearest', or 'minimal' for an analog filter, which allows no other.
    analog : bool, optional
        Whether the filter is analog.

    Returns
    -------
    array, shape (sections, 6)
        Numerator and denominator of each section; the last has the poles nearest to instability.

    Raises
    ------
    ArgumentError
        If roots are neither real nor conjugate pairs, `k` is not one real number, the pairing is
        unknown or doesn't fit, or it finds no zero of the kind that a section needs.
    ShapeError
        If zeros or poles have more than one dimension.
    NotSupported
        If an argument is traced or records gradients.

    Notes
    -----
    Pairs of poles, the worst first, take the nearest zeros (L. B. Jackson, Digital Filters and
    Signal Processing, 3rd ed., section 11.5), in O(n**2) operations on the host. Not
    differentiable; the sections of `butter` are.

    Examples
    --------
    >>> from likewise.signal import zpk2sos
    >>> zpk2sos([-1.0, -1.0], [0.5 + 0.5j, 0.5 - 0.5j], 0.1)
    array([[ 0.1,  0.2,  0.1,  1. , -1. ,  0.5]])
    """
    where, (z, p, k) = read("zpk2sos", z=z, p=p, k=k)
    if math.prod(k.shape) != 1 or k.reshape(()).imag != 0:
        raise ArgumentError("zpk2sos: k must be one real number")
    return where.give(_sos("zpk2sos", z, p, float(k.reshape(()).real), pairing, analog))


def _sos(function: str, z: Any, p: Any, k: float, pairing: Any, analog: bool) -> Any:
    if pairing is None:
        pairing = "minimal" if analog else "nearest"
    _plan.choice(function, "pairing", pairing, _PAIRINGS)
    if analog and pairing != "minimal":
        raise ArgumentError(
            f"{function}: pairing must be 'minimal' for an analog filter, got {pairing!r}"
        )
    z, p = vector(host(), z), vector(host(), p)
    one_dimension(function, z=z, p=p)
    zeros, poles = ([complex(v) for v in x] for x in (z, p))
    return host().asarray(sections(function, zeros, poles, k, pairing, analog))


@public
def tf2sos(b: Any, a: Any, pairing: Pairing | str | None = None, *, analog: bool = False) -> Any:
    """Convert numerator and denominator to second-order sections.

    Parameters
    ----------
    b, a : array, shape (m + 1,) and (n + 1,)
        Real coefficients, highest power first.
    pairing, analog
        As for `zpk2sos`.

    Returns
    -------
    array, shape (sections, 6)
        As from `zpk2sos`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `tf2zpk` and `zpk2sos`.

    Notes
    -----
    Computes the roots, which are inaccurate for coefficients of high order: better get sections
    directly from `butter` and other designs with ``output="sos"``. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import tf2sos
    >>> tf2sos([1.0, 2.0, 1.0], [1.0, 0.0, 0.25])
    array([[1.  , 2.  , 1.  , 1.  , 0.  , 0.25]])
    """
    where, (b, a) = read("tf2sos", b=b, a=a)
    z, p, k = _zpk("tf2sos", b, a)
    if complex(k).imag:
        raise ArgumentError("tf2sos: the coefficients must be real")
    rows = _sos("tf2sos", _roots_array(z), _roots_array(p), float(k.real), pairing, analog)
    return where.give(rows + 0.0)


def _checked_sos(function: str, sos: Any) -> Any:
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ShapeError(
            f"{function}: sos must have the shape (sections, 6), got {tuple(sos.shape)}"
        )
    return sos


@public
def sos2tf(sos: Any) -> tuple[Any, Any]:
    """Convert second-order sections to numerator and denominator.

    Parameters
    ----------
    sos : array, shape (sections, 6)
        Numerators and denominators.

    Returns
    -------
    b, a : array, shape (2 sections + 1,)
        Coefficients, highest power first.

    Raises
    ------
    ShapeError
        If the array has another shape.
    ArrayTypeError, DtypeError
        If it doesn't hold numbers.

    Notes
    -----
    O(sections**2) operations. Differentiable.

    Differs from SciPy: leading zeros are kept, so that no shape depends on values.

    Examples
    --------
    >>> from likewise.signal import sos2tf
    >>> b, a = sos2tf([[1.0, 2.0, 1.0, 1.0, 0.0, 0.25], [1.0, 1.0, 0.0, 1.0, 0.5, 0.0]])
    >>> b
    array([1., 3., 3., 1., 0.])
    """
    work = working("sos2tf", sos=sos)
    xp, sos = work.xp, _checked_sos("sos2tf", work.arrays[0])
    parts = []
    for part in (sos[:, :3], sos[:, 3:]):
        c = part[0, :] if part.shape[0] else xp.ones((1,), dtype=sos.dtype, device=device(sos))
        for i in range(1, part.shape[0]):
            c = product(xp, c, part[i, :])
        parts.append(work.give(c))
    return parts[0], parts[1]


@public
def sos2zpk(sos: Any) -> tuple[Any, Any, Any]:
    """Convert second-order sections to zeros, poles and gain.

    Parameters
    ----------
    sos : array, shape (sections, 6)
        Numerators and denominators, none of which is zero.

    Returns
    -------
    z, p : array, shape (2 sections,)
        Complex; sections of lower order are padded with zeros at the origin.
    k : 0-d array
        The product of the gains.

    Raises
    ------
    ShapeError, ArgumentError
        If the array has another shape, or a denominator is zero.
    NotSupported
        If the array is traced or records gradients.

    Notes
    -----
    Solves a quadratic equation for each polynomial. If a numerator starts with zeros, the number of
    roots depends on values, so this computes on the host and is not differentiable.

    Examples
    --------
    >>> from likewise.signal import sos2zpk
    >>> z, p, k = sos2zpk([[1.0, 2.0, 1.0, 1.0, 0.0, 0.25]])
    >>> p.imag, float(k)
    (array([ 0.5, -0.5]), 1.0)
    """
    where, (sos,) = read("sos2zpk", sos=sos)
    sos = _checked_sos("sos2zpk", sos)
    zeros: list[complex] = []
    poles: list[complex] = []
    gain = 1.0
    for i in range(sos.shape[0]):
        z, p, k = _zpk("sos2zpk", sos[i, :3], sos[i, 3:])
        zeros += z + [0j] * (2 - len(z))
        poles += p + [0j] * (2 - len(p))
        gain = gain * k
    xp = host()
    dtype = complex_of(xp, xp.float64)
    z, p = (xp.asarray(r, dtype=dtype) for r in (zeros, poles))
    return where.give(z), where.give(p), where.give(xp.asarray(gain))
