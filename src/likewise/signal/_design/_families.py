"""The families of IIR filters: one row each, with everything that tells one from the others."""

import math
from collections.abc import Callable
from typing import NamedTuple

from ._elliptic import ellipk
from ._prototypes import Zpk, bessel, butterworth, chebyshev1, chebyshev2, elliptic, excess

__all__ = ["FAMILIES", "Family"]


class Family(NamedTuple):
    """Hold what is known of a family.

    Attributes
    ----------
    spellings : tuple of str
        Its names in SciPy, in lower case.
    prototype : callable
        The analog lowpass filter: of the public function's name, the order, `rp`, `rs`, the norm.
    needs : tuple of str
        The ripples that must be given.
    zeros : bool
        Whether the prototype has zeros.
    traced : bool
        Whether an array of cutoffs may be traced and differentiated.
    norms : tuple of str
        The meanings of a cutoff, as spelled after an underscore; the first is the default.
    order : callable, optional
        The least order, a real number: of `gpass`, `gstop` and the stopband's edge of the lowpass
        filter with a passband up to 1. Without it there is no choice of order.
    cutoff : callable, optional
        The cutoff over the passband's edge: of `gpass`, `gstop` and the order. Without it both are
        the same.
    least : int
        The least order that has a cutoff.
    """

    spellings: tuple[str, ...]
    prototype: Callable[[str, int, float, float, str], Zpk]
    needs: tuple[str, ...] = ()
    zeros: bool = False
    traced: bool = False
    norms: tuple[str, ...] = ()
    order: Callable[[float, float, float], float] | None = None
    cutoff: Callable[[float, float, int], float] | None = None
    least: int = 0


def _arc(gpass: float, gstop: float) -> float:
    return math.acosh(math.sqrt(excess(gstop) / excess(gpass)))


def _butterworth_order(gpass: float, gstop: float, edge: float) -> float:
    return math.log10(excess(gstop) / excess(gpass)) / (2 * math.log10(edge))


def _butterworth_cutoff(gpass: float, gstop: float, n: int) -> float:
    return excess(gpass) ** (-1 / (2 * n)) if n else 1.0


def _chebyshev_order(gpass: float, gstop: float, edge: float) -> float:
    return _arc(gpass, gstop) / math.acosh(edge)


def _elliptic_order(gpass: float, gstop: float, edge: float) -> float:
    m1, m = excess(gpass) / excess(gstop), 1 / edge**2
    return ellipk(1 - m) * ellipk(m1) / (ellipk(m) * ellipk(1 - m1))


FAMILIES: dict[str, Family] = {
    "butter": Family(
        ("butter", "butterworth"),
        lambda function, n, rp, rs, norm: butterworth(n),
        traced=True,
        order=_butterworth_order,
        cutoff=_butterworth_cutoff,
    ),
    "cheby1": Family(
        ("cheby1", "chebyshev1", "chebyshevi"),
        lambda function, n, rp, rs, norm: chebyshev1(n, rp),
        needs=("rp",),
        order=_chebyshev_order,
    ),
    "cheby2": Family(
        ("cheby2", "chebyshev2", "chebyshevii"),
        lambda function, n, rp, rs, norm: chebyshev2(n, rs),
        needs=("rs",),
        zeros=True,
        order=_chebyshev_order,
        cutoff=lambda gpass, gstop, n: math.cosh(_arc(gpass, gstop) / n),
        least=1,
    ),
    "ellip": Family(
        ("ellip", "elliptic", "cauer"),
        lambda function, n, rp, rs, norm: elliptic(function, n, rp, rs),
        needs=("rp", "rs"),
        zeros=True,
        order=_elliptic_order,
    ),
    "bessel": Family(
        ("bessel", "bessel_phase", "bessel_delay", "bessel_mag"),
        lambda function, n, rp, rs, norm: bessel(n, norm),
        norms=("phase", "delay", "mag"),
    ),
}
