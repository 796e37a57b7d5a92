"""Least squares of splines with a penalty on jumps of the highest derivative."""

from typing import Any

from ..._namespace import array_namespace, device
from ...linalg import cholesky, qr, solve_triangular
from ._bspline import known
from ._interpolating import rows
from ._least_squares import Equations, bands_of, columns_of, equations, solved

__all__ = ["Banded", "Dense", "jumps_of", "penalized", "problem"]


def jumps_of(xp: Any, t: Any, k: int) -> Any:
    """Return jumps of the k-th derivative at inner knots, (inner, k + 2), of B-splines from the
    same number on."""
    n = t.shape[0] - k - 1
    inner = n - k - 1
    scale = (n - k) / (t[n] - t[k])
    at = t[k + 1 : n]
    gaps = [at - t[i : i + inner] for i in range(2 * k + 3)]  # of the knots around each
    out = []
    for j in range(k + 2):
        product: Any = None
        for i in range(j, j + k + 2):
            if i != k + 1:
                product = gaps[i] if product is None else product * gaps[i] * scale
        out.append((t[j + k + 1 : j + k + 1 + inner] - t[j : j + inner]) / product)
    return xp.stack(out, axis=-1)


def penalized(found: Equations, jumps: Any, p: Any) -> tuple[Any, Any]:
    """Return coefficients (b, n, C) with jumps divided by p among the equations, and their slope in
    p."""
    xp, k = array_namespace(jumps), jumps.shape[1] - 2
    each = jumps[None, :, :]
    penalty = bands_of(xp, each[..., :, None] * each[..., None, :], k + 1)
    gap = xp.zeros_like(penalty[:, :1, :])
    bands = xp.concat([gap, found.bands, gap], axis=1) + penalty / p**2

    def pulled(c: Any) -> Any:
        size = each.shape[1]
        jump = sum(each[:, :, j, None] * c[:, j : j + size, :] for j in range(k + 2))
        return columns_of(xp, each[..., None] * jump[:, :, None, :], k + 1)

    c = solved(bands, found.right(found.y))
    for _ in range(2):
        c = c + solved(bands, found.right(found.y - found.fitted(c)) - pulled(c) / p**2)
    return c, solved(bands, 2 * pulled(c) / p**3)


class Banded:
    """Normal equations by diagonals; what they lose is given back by corrections."""

    def __init__(self, xp: Any, x: Any, y: Any, w: Any, t: Any, k: int) -> None:
        self.xp, self.t, self.k = xp, t, k
        self.found = equations(xp, x[None, :], y[None, :, :], w[None, :], t[None, :], k)

    def best(self) -> tuple[Any, Any]:
        """Return coefficients (n, C) and the last correction of them."""
        found = self.found
        c, more = solved(found.bands, found.right(found.y)), None
        for _ in range(2):
            more = solved(found.bands, found.right(found.y - found.fitted(c)))
            c = c + more
        return c[0, ...], more

    def rest(self, c: Any) -> Any:
        """Return weighted residuals (m, C)."""
        return (self.found.y - self.found.fitted(c[None, ...]))[0, ...]

    def penalized(self, p: Any) -> tuple[Any, Any]:
        """Return coefficients with jumps divided by p among the equations, and their slope."""
        c, slope = penalized(self.found, jumps_of(self.xp, self.t, self.k), p)
        return c[0, ...], slope[0, ...]

    def slopes(self, c: Any) -> Any:
        """Return what coefficients add to values, times weights."""
        return self.found.fitted(c[None, ...])[0, ...]

    def trace(self) -> float:
        """Return the sum of the diagonal of the triangular factor."""
        xp, bands, k = self.xp, self.found.bands, self.k
        n = bands.shape[2]
        i = xp.arange(n, device=device(bands))
        gap = i[:, None] - i[None, :]
        index = xp.reshape(xp.clip(gap + k, 0, 2 * k) * n + i[None, :], (-1,))
        dense = xp.reshape(xp.take(xp.reshape(bands, (-1,)), index, axis=0), (n, n))
        dense = xp.where(xp.abs(gap) <= k, dense, xp.zeros_like(dense))
        factor = cholesky(dense, lower=True)
        return float(xp.sum(xp.where(gap == 0, factor, xp.zeros_like(factor))))


class Dense:
    """Orthogonal factors of all equations: of periodic splines, and where Banded loses digits."""

    def __init__(self, xp: Any, x: Any, y: Any, w: Any, t: Any, k: int, periodic: bool) -> None:
        self.xp, self.k = xp, k if periodic else 0
        if periodic:  # the last point is the first one
            x, y, w = x[:-1], y[:-1, :], w[:-1]
        n = t.shape[0] - k - 1 - self.k
        values, first = rows(xp, x[None, :], t[None, :], k, [], [])
        self.a = _spread(xp, values[0, ...] * w[:, None], first[0, ...], n)
        jumps = jumps_of(xp, t, k)
        i = xp.arange(jumps.shape[0], dtype=first.dtype, device=device(t))
        self.jumps, self.y = _spread(xp, jumps, i, n), y * w[:, None]

    def _solved(self, a: Any, y: Any) -> Any:
        q, r = qr(a, mode="economic")
        return solve_triangular(r, self.xp.matmul(self.xp.matrix_transpose(q), y))

    def _whole(self, c: Any) -> Any:
        if not self.k:
            return c
        turns = -(-self.k // c.shape[0])
        return self.xp.concat([c] * (turns + 1), axis=0)[: c.shape[0] + self.k, ...]

    def best(self) -> tuple[Any, Any]:
        """Return coefficients (n, C), and None."""
        return self._whole(self._solved(self.a, self.y)), None

    def rest(self, c: Any) -> Any:
        """Return weighted residuals (m, C), of a periodic spline (m - 1, C)."""
        return self.y - self.slopes(c)

    def slopes(self, c: Any) -> Any:
        """Return what coefficients add to values, times weights."""
        return self.xp.matmul(self.a, c[: self.a.shape[1], ...])

    def penalized(self, p: Any) -> tuple[Any, Any]:
        """Coefficients with jumps divided by p among the equations, and their slope in p."""
        xp = self.xp
        a = xp.concat([self.a, self.jumps / p], axis=0)
        some, none = self.jumps.shape[0], self.y.shape[1]
        zeros = xp.zeros((some, none), dtype=a.dtype, device=device(a))
        c = self._solved(a, xp.concat([self.y, zeros], axis=0))
        pull = 2 * xp.matmul(self.jumps, c) / p**2
        slope = self._solved(a, xp.concat([xp.zeros_like(self.y), pull], axis=0))
        return self._whole(c), self._whole(slope)

    def trace(self) -> float:
        """Return the sum of the diagonal of the triangular factor."""
        xp = self.xp
        r = qr(self.a, mode="economic")[1]
        i = xp.arange(r.shape[0], device=device(r))
        main = xp.where(i[:, None] == i[None, :], r, xp.zeros_like(r))
        return float(xp.sum(xp.abs(main)))


def _spread(xp: Any, values: Any, first: Any, n: int) -> Any:
    """Return a matrix whose rows have some values, from a column on, and go round."""
    every = xp.arange(n, dtype=first.dtype, device=device(first))
    out: Any = 0.0
    for j in range(values.shape[1]):
        here = (first[:, None] + j) % n == every[None, :]
        v = values[:, j : j + 1]
        out = out + xp.where(here, v, xp.zeros_like(v))
    return out


def problem(
    xp: Any, x: Any, y: Any, w: Any, t: Any, k: int, periodic: bool = False
) -> tuple[Any, Any]:
    """Return a problem of concrete values that keeps its digits, and its coefficients."""
    if not periodic:
        found: Any = Banded(xp, x, y, w, t, k)
        c, more = found.best()
        lost = float(xp.finfo(c.dtype).eps) ** 0.6
        if known(xp.max(xp.abs(more)) <= lost * xp.max(xp.abs(c))):
            return found, c
    found = Dense(xp, x, y, w, t, k, periodic)
    return found, found.best()[0]
