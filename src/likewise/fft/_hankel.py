"""Hankel transforms of logarithmically spaced numbers, by two Fourier transforms."""

import functools
import math
import warnings
from typing import Any, TypeAlias

from .. import _plan
from .._namespace import (
    array_namespace,
    device,
    hooks_of,
    is_concrete,
    is_neutral,
    namespace,
    quiet,
)
from .._native import public
from .._typing import A
from ..errors import ArgumentError, LinAlgWarning, NotSupported, ShapeError, _level
from ..special import loggamma, poch
from ._steps import STEPS

__all__ = ["fht", "fhtoffset", "ifht"]

_Factors: TypeAlias = tuple[list[float], list[complex], list[float], bool]
_FEW = 1024  # numbers, for which factors are cached


@public
def fht(a: A, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> A:
    """Compute the Hankel transform of logarithmically spaced numbers.

    Parameters
    ----------
    a : array, shape (..., n)
        Real numbers ``a(r)``, at distances ``r = r_c exp((j - (n - 1) / 2) dln)``; integers become
        floating.
    dln : float
        The logarithmic step, of distances and of wave numbers.
    mu : float
        The order of the Bessel function.
    offset : float, optional
        ``log(k_c r_c)``, the logarithm of the central wave number times the central distance.
        `fhtoffset` returns one that minimises ringing.
    bias : float, optional
        The exponent q of a power law ``(r / r_c)**-q``: `a` is multiplied by it before, and the
        transform divided by it after.

    Returns
    -------
    array, shape (..., n)
        ``A(k)``, at ``k = k_c exp((j - (n - 1) / 2) dln)``, of the floating dtype of `a`.

    Warns
    -----
    LinAlgWarning
        If the transform is singular: ``mu + 1 + bias`` is 0 or a negative even number. The infinite
        coefficient is left out.

    Raises
    ------
    ShapeError
        If `a` has no elements along its last axis.
    DtypeError
        If `a` is complex.
    ArgumentError
        If a parameter isn't a real number, or `dln` is zero.
    NotSupported
        If a parameter's value can't be read, or it records gradients.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    The transform is ``A(k) = int_0^inf a(r) J_mu(k r) k dr`` of a periodically continued `a`. The
    Fourier transform of `a` is multiplied by quotients of gamma functions: A. J. S. Hamilton, Mon.
    Not. R. Astron. Soc. 312, 257 (2000), appendix B. These depend on the parameters alone and are
    computed in double precision on the host; n log(n) operations. Differentiable in `a`, not in the
    parameters.

    Differs from SciPy: float32 stays float32.

    Examples
    --------
    A function that is its own transform of order 2:

    >>> import numpy as np
    >>> from likewise.fft import fht
    >>> r = np.exp(0.1 * np.arange(-64, 65))
    >>> a = r**3 * np.exp(-(r**2) / 2)
    >>> bool(np.all(np.abs(fht(a, 0.1, 2.0) - a) < 1e-7))
    True
    """
    return _transformed("fht", a, dln, mu, offset, bias)


@public
def ifht(A: A, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0) -> A:
    """Compute the inverse of `fht`.

    Parameters
    ----------
    A : array, shape (..., n)
        Real numbers; integers become floating.
    dln, mu, offset, bias : float
        As for `fht`, which is inverted.

    Returns
    -------
    array, shape (..., n)
        Of the floating dtype of `A`.

    Warns
    -----
    LinAlgWarning
        If the inverse is singular: ``mu + 1 - bias`` is 0 or a negative even number. The infinite
        coefficient is left out.

    Raises
    ------
    ShapeError, DtypeError, ArgumentError, NotSupported, ExtensionMissing
        As for `fht`.

    Notes
    -----
    As for `fht`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import fht, ifht
    >>> a = np.asarray([1.0, 3.0, 2.0, 0.5])
    >>> ifht(fht(a, 0.2, 1.0), 0.2, 1.0).round(6)
    array([1. , 3. , 2. , 0.5])
    """
    return _transformed("ifht", A, dln, mu, offset, bias)


@public
def fhtoffset(dln: Any, mu: Any, initial: Any = 0.0, bias: Any = 0.0) -> Any:
    """Compute the offset closest to `initial` that minimises ringing of `fht`.

    Parameters
    ----------
    dln, mu : float or array
        As for `fht`.
    initial : float or array, optional
        The offset to start from.
    bias : float or array, optional
        As for `fht`.

    Returns
    -------
    float or array
        The offset, at most half of `dln` away; arrays broadcast.

    Notes
    -----
    With this offset, the highest coefficient of an even number of points is real: A. J. S.
    Hamilton, Mon. Not. R. Astron. Soc. 312, 257 (2000), appendix B. Elementwise. Differentiable
    except where it jumps.

    Examples
    --------
    >>> from likewise.fft import fhtoffset
    >>> round(float(fhtoffset(0.1, 2.0, 0.5)), 6)
    0.545458
    """
    xp = array_namespace(dln, mu, initial, bias)
    dln, mu, initial, bias = _plan.common_floating(
        "fhtoffset", xp, ("dln", "mu", "initial", "bias"), dln, mu, initial, bias, real=True
    )
    xp = array_namespace(dln, mu, initial, bias)
    height = 0.5j * math.pi / dln
    turns = xp.imag(loggamma(0.5 * (mu + 1 + bias) + height))
    turns = (turns + xp.imag(loggamma(0.5 * (mu + 1 - bias) + height))) / math.pi
    turns = turns + (math.log(2.0) - initial) / dln
    return initial + (turns - xp.round(turns)) * dln


def _transformed(function: str, a: Any, *parameters: Any) -> Any:
    xp = array_namespace(a)
    (a,) = _plan.common_floating(function, xp, ("a" if function == "fht" else "A",), a, real=True)
    xp = array_namespace(a)
    _plan.extension(function, xp, "fft")
    if a.ndim == 0 or a.shape[-1] == 0:
        raise ShapeError(f"{function}: the shape (..., n), n above 0, was expected, got {a.shape}")
    names = ("dln", "mu", "offset", "bias")
    numbers = [_number(function, *given) for given in zip(names, parameters, strict=True)]
    if numbers[0] == 0:
        raise ArgumentError(f"{function}: dln must not be zero")
    before, factors, after, singular = _made(function == "ifht", a.shape[-1], *numbers)
    if 0 in a.shape:
        out = xp.zeros_like(a)
    else:
        where = device(a)
        if numbers[3]:
            a = a * xp.asarray(before, dtype=a.dtype, device=where)
        spectrum = STEPS["rfft"](a, None, -1, "backward")
        spectrum = spectrum * xp.asarray(factors, dtype=spectrum.dtype, device=where)
        out = xp.flip(STEPS["irfft"](spectrum, a.shape[-1], -1, "backward"), axis=-1)
        if numbers[3]:
            out = out * xp.asarray(after, dtype=a.dtype, device=where)
    if singular:  # behind work on an array, to which no call comes that only plans
        inverse = "inverse " if function == "ifht" else ""
        warnings.warn(
            f"{function}: singular {inverse}transform; consider changing the bias",
            LinAlgWarning,
            stacklevel=_level(),
        )
    return out


def _number(function: str, name: str, x: Any) -> float:
    if hasattr(x, "dtype") and not is_neutral(x):
        if not is_concrete(x):
            raise NotSupported(f"{function}: {name} must have a value, got an array without one")
        if hooks_of(x).recorded(x):
            raise NotSupported(
                f"{function}: argument {name!r} must not record gradients, as its value is read "
                "and has no derivative here, got an array that does. Detach it."
            )
    if isinstance(x, str) or not hasattr(x, "__float__") or getattr(x, "shape", ()) != ():
        raise ArgumentError(f"{function}: {name} must be a real number, got {x!r}")
    return float(x)


@_plan.of_settings
def _made(inverse: bool, n: int, *parameters: float) -> _Factors:
    """Return the factors for n numbers; those for few are cached, as computing them takes
    longest."""
    return (_remembered if n <= _FEW else _factors)(inverse, n, *parameters)


def _factors(inverse: bool, n: int, dln: float, mu: float, offset: float, bias: float) -> _Factors:
    """Return factors of the numbers, their Fourier transform and the result; if it is singular."""
    xp = namespace("numpy")
    steps = (xp.arange(n, dtype=xp.float64) - 0.5 * (n - 1)) * dln
    y = xp.arange(n // 2 + 1, dtype=xp.float64) * (math.pi / (n * dln))
    up, down = 0.5 * (mu + 1 + bias), 0.5 * (mu + 1 - bias)
    with quiet(y):
        power = loggamma(up + 1j * y) - xp.conj(loggamma(down + 1j * y))
        factors = xp.exp(power + bias * math.log(2.0) + 2j * y * (math.log(2.0) - offset))
        if n % 2 == 0:
            factors[-1] = factors[-1].real
        if not xp.isfinite(factors[0]):  # a pole of a gamma function, or of both
            factors[0] = 2.0**bias * poch(xp.asarray(down), xp.asarray(bias))
        if inverse:
            factors = 1 / xp.conj(factors)
        singular = bool(xp.isinf(factors[0]))
        before, after = xp.exp(-bias * steps), xp.exp(-bias * (steps + offset))
        if inverse:
            before, after = 1 / after, 1 / before
    return before.tolist(), [0j] * singular + factors[singular:].tolist(), after.tolist(), singular


_remembered = functools.lru_cache(maxsize=64)(_factors)
