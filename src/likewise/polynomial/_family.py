"""Families of polynomials by their three-term recurrences."""

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["CHEBYSHEV", "HERMITE", "HERMITE_E", "LAGUERRE", "LEGENDRE", "POWER", "Family"]


@dataclass(frozen=True)
class Family:
    """Polynomials P with P_0 = 1 and ``x P_n = up(n) P_n+1 + own(n) P_n + down(n) P_n-1``.

    Their derivatives are ``P_n' = slope(n) sum(share(j) P_j)`` over j from n - 1 down in steps of
    `stride` (0: only the first); their integrals `raised(n) P_n+1 + kept(n) P_n + lowered(n) P_n-1`
    but for a constant.
    """

    prefix: str
    title: str
    domain: tuple[float, float]
    up: Callable[[int], float]
    own: Callable[[int], float]
    down: Callable[[int], float]
    slope: Callable[[int], float]
    share: Callable[[int], float]
    stride: int
    raised: Callable[[int], float]
    kept: Callable[[int], float]
    lowered: Callable[[int], float]


def _none(n: int) -> float:
    return 0.0


def _one(n: int) -> float:
    return 1.0


POWER = Family(
    prefix="poly",
    title="powers",
    domain=(-1.0, 1.0),
    up=_one,
    own=_none,
    down=_none,
    slope=lambda n: float(n),
    share=_one,
    stride=0,
    raised=lambda n: 1.0 / (n + 1),
    kept=_none,
    lowered=_none,
)
CHEBYSHEV = Family(
    prefix="cheb",
    title="Chebyshev polynomials of the first kind",
    domain=(-1.0, 1.0),
    up=lambda n: 0.5 if n else 1.0,
    own=_none,
    down=lambda n: 0.5,
    slope=lambda n: 2.0 * n,
    share=lambda n: 1.0 if n else 0.5,
    stride=2,
    raised=lambda n: 0.5 / (n + 1) if n else 1.0,
    kept=_none,
    lowered=lambda n: -0.5 / (n - 1) if n > 1 else 0.0,
)
LEGENDRE = Family(
    prefix="leg",
    title="Legendre polynomials",
    domain=(-1.0, 1.0),
    up=lambda n: (n + 1) / (2 * n + 1),
    own=_none,
    down=lambda n: n / (2 * n + 1),
    slope=_one,
    share=lambda n: 2.0 * n + 1.0,
    stride=2,
    raised=lambda n: 1.0 / (2 * n + 1),
    kept=_none,
    lowered=lambda n: -1.0 / (2 * n + 1) if n else 0.0,
)
HERMITE = Family(
    prefix="herm",
    title="Hermite polynomials of the physicists",
    domain=(-1.0, 1.0),
    up=lambda n: 0.5,
    own=_none,
    down=lambda n: float(n),
    slope=lambda n: 2.0 * n,
    share=_one,
    stride=0,
    raised=lambda n: 0.5 / (n + 1),
    kept=_none,
    lowered=_none,
)
HERMITE_E = Family(
    prefix="herme",
    title="Hermite polynomials of the probabilists",
    domain=(-1.0, 1.0),
    up=_one,
    own=_none,
    down=lambda n: float(n),
    slope=lambda n: float(n),
    share=_one,
    stride=0,
    raised=lambda n: 1.0 / (n + 1),
    kept=_none,
    lowered=_none,
)
LAGUERRE = Family(
    prefix="lag",
    title="Laguerre polynomials",
    domain=(0.0, 1.0),
    up=lambda n: -1.0 - n,
    own=lambda n: 2.0 * n + 1.0,
    down=lambda n: -float(n),
    slope=lambda n: -1.0,
    share=_one,
    stride=1,
    raised=lambda n: -1.0,
    kept=_one,
    lowered=_none,
)
