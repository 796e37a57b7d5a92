"""Draws without replacement: hypergeom, nhypergeom."""

from typing import Any

from ..._namespace import array_namespace
from ._masses import drawn, log_drawn
from ._parameters import Parameter
from ._tail_sums import Summed

__all__ = ["hypergeom", "nhypergeom"]


def _count(name: str, closed: bool = True) -> Parameter:
    return Parameter(name, 0.0, closed=(closed, False), integer=True)


class Hypergeom(Summed):
    """The hypergeometric distribution: the marked ones among `N` draws, of `M` with `n` marked.

    Tails are sums of terms.

    Examples
    --------
    >>> from likewise.stats import hypergeom
    >>> round(float(hypergeom.pmf(2, 20, 7, 12)), 12)
    0.047678018576
    """

    name = "hypergeom"
    parameters = (_count("M", closed=False), _count("n"), _count("N"))
    usual = (2.0, 1.0, 1.0)

    def _valid(self, xp: Any, M: Any, n: Any, N: Any) -> Any:
        return (n <= M) & (N <= M)

    def _support(self, xp: Any, M: Any, n: Any, N: Any) -> Any:
        least = N - (M - n)
        return xp.where(least > 0, least, 0.0), xp.where(n < N, n + 0 * N, N + 0 * n)

    def _pmf(self, k: Any, M: Any, n: Any, N: Any) -> Any:
        return drawn(k, M, n, N)

    def _logpmf(self, k: Any, M: Any, n: Any, N: Any) -> Any:
        return log_drawn(k, M, n, N)

    def _ratios(self, xp: Any, M: Any, n: Any, N: Any) -> Any:
        rest = M - n - N

        def down(j: Any) -> Any:
            return j * (rest + j) / ((n - j + 1) * (N - j + 1))

        def up(j: Any) -> Any:
            return (n - j) * (N - j) / ((j + 1) * (rest + j + 1))

        return down, up

    def _mean(self, xp: Any, M: Any, n: Any, N: Any) -> Any:
        return N * (n / M)

    def _moments(self, xp: Any, M: Any, n: Any, N: Any) -> Any:
        m, rest = M - n, M - N
        var = N * (n / M) * (m / M) * (rest / (M - 1))
        skew = (m - n) * xp.sqrt(M - 1) * (rest - N)
        skew = skew / (xp.sqrt(n * m * N * rest) * (M - 2))
        top = (M * (M + 1) - 6 * N * rest - 6 * n * m) * (M - 1) * M * M
        top = top + 6 * n * N * rest * m * (5 * M - 6)
        return N * (n / M), var, skew, top / (n * N * rest * m * (M - 2) * (M - 3))


class NHypergeom(Summed):
    """The negative hypergeometric distribution: marked ones drawn before the r-th other one.

    Of `M`, `n` are marked, and draws aren't replaced. At most k of them, where `r` others are among
    the first k + r draws: tails are those of `hypergeom`.

    Examples
    --------
    >>> from likewise.stats import nhypergeom
    >>> round(float(nhypergeom.pmf(2, 20, 7, 3)), 12)
    0.232430340557
    """

    name = "nhypergeom"
    parameters = (_count("M"), _count("n"), _count("r"))
    usual = (2.0, 1.0, 1.0)

    def _valid(self, xp: Any, M: Any, n: Any, r: Any) -> Any:
        return (n <= M) & (r <= M - n)

    def _support(self, xp: Any, M: Any, n: Any, r: Any) -> Any:
        return 0.0, xp.where(r > 0, n + 0 * r, 0 * n)

    def _pmf(self, k: Any, M: Any, n: Any, r: Any) -> Any:
        xp = array_namespace(k, M, n, r)
        before, last = self._parts(xp, k, M, n, r)
        return xp.where(r > 0, drawn(k, M, n, before) * last, 1.0)

    def _logpmf(self, k: Any, M: Any, n: Any, r: Any) -> Any:
        xp = array_namespace(k, M, n, r)
        before, last = self._parts(xp, k, M, n, r)
        return xp.where(r > 0, log_drawn(k, M, n, before) + xp.log(last), 0.0)

    def _parts(self, xp: Any, k: Any, M: Any, n: Any, r: Any) -> tuple[Any, Any]:
        """The draws before the last one, and the probability of that."""
        some = xp.where(r > 0, r + 0 * k, 1.0)
        before = k + some - 1
        return before, (M - n - some + 1) / (M - before)

    def _tails(self, k: Any, shapes: Any, log: bool) -> Any:
        M, n, r = shapes
        return hypergeom._tails(k, (M, n, k + r), log)

    def _moments(self, xp: Any, M: Any, n: Any, r: Any) -> Any:
        rest = M - n + 1
        var = r * (M + 1) * n / (rest * (rest + 1)) * (1 - r / rest)
        return r * n / rest, var, None, None


hypergeom = Hypergeom()
nhypergeom = NHypergeom()
