"""State feedback that places the poles of a system."""

import warnings
from typing import Any, NamedTuple

from ... import _plan
from ..._native import public
from ...errors import ArgumentError, LikewiseWarning, ShapeError, _level
from .._base._places import host, integer, number, read, vector

__all__ = ["PlacedPoles", "place_poles"]

_METHODS = ("YT", "KNV0")


class PlacedPoles(NamedTuple):
    """Hold the result of `place_poles`."""

    gain_matrix: Any
    computed_poles: Any
    requested_poles: Any
    X: Any
    rtol: float
    nb_iter: float


@public
def place_poles(
    A: Any, B: Any, poles: Any, method: str = "YT", rtol: float = 0.001, maxiter: int = 30
) -> PlacedPoles:
    """Find a feedback matrix K so that ``A - B K`` has given eigenvalues.

    Parameters
    ----------
    A, B : array, shape (n, n) and (n, m)
        The real state and input matrices.
    poles : array, shape (n,)
        Poles, real or in conjugate pairs; each at most as many times as the rank of `B`.
    method : {'YT', 'KNV0'}, optional
        Whether to improve two eigenvectors at a time, or one, which allows only real poles.
    rtol : float, optional
        The relative change of the determinant of the eigenvectors at which the iteration ends; if
        it isn't positive, all sweeps are made.
    maxiter : int, optional
        The maximum number of sweeps.

    Returns
    -------
    PlacedPoles
        Has ``gain_matrix``, K, of shape (m, n); ``computed_poles`` of ``A - B K``;
        ``requested_poles``, in order; ``X``, the eigenvectors; ``rtol`` and ``nb_iter``, the final
        relative change and the number of sweeps (NaN if there is nothing to improve).

    Raises
    ------
    ShapeError
        If shapes don't match.
    ArgumentError
        If poles are not in pairs, repeated too often, or can't be placed, or the method is unknown.
    NotSupported
        If an argument is traced or records gradients.

    Warns
    -----
    LikewiseWarning
        If `rtol` isn't reached.

    Notes
    -----
    Chooses a feedback whose eigenvectors have a large determinant, which is robust to errors of A
    and B (J. Kautsky, N. K. Nichols and P. Van Dooren, Int. J. Control 41, 1129, 1985; A. L. Tits
    and Y. Yang, IEEE Trans. Autom. Control 41, 1432, 1996). O(n**4) operations per sweep, on the
    host. Not differentiable.

    Differs from SciPy: pairs are processed in another order, so the result may be a different one
    of several such feedbacks.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import place_poles
    >>> A, B = np.asarray([[0.0, 1.0], [0.0, 0.0]]), np.asarray([[0.0], [1.0]])
    >>> place_poles(A, B, [-1.0, -2.0]).gain_matrix.round(6)
    array([[2., 3.]])
    """
    xp = host()
    where, (A, B, poles) = read("place_poles", A=A, B=B, poles=poles)
    _plan.choice("place_poles", "method", method, _METHODS)
    most, rtol = integer("place_poles", "maxiter", maxiter, 1), number("place_poles", "rtol", rtol)
    wanted = _checked(A, B, vector(xp, poles), method, rtol)
    n, rank = A.shape[0], int(xp.linalg.matrix_rank(B))
    reached, sweeps = 0.0, 0.0
    if rank == n:
        X, reached, sweeps = xp.eye(n), xp.nan, xp.nan
        change = _real_form(wanted)
    else:
        kernels = _kernels(A, B, wanted, rank)
        starts = (k.sum(axis=1) for k in kernels)
        X = xp.stack([x / xp.linalg.vector_norm(x) for x in starts], axis=1)
        if rank > 1:
            X, reached, sweeps = _improved(X, kernels, wanted, method, rtol, most)
        sizes = xp.linalg.svdvals(X)
        if not sizes[-1] > 1e-15 * sizes[0]:
            raise ArgumentError(
                f"place_poles: the poles {wanted.tolist()} can't be placed: the states aren't "
                "controllable by these inputs, or poles are too close to each other"
            )
        change = xp.linalg.solve(X.T, (X * wanted).T).T.real
    gain = -xp.linalg.pinv(B) @ (change - A)
    found = xp.linalg.eigvals(A - B @ gain)
    found = found[xp.argsort(xp.abs(found.imag), stable=True)]
    real = not xp.any(wanted.imag != 0)
    return PlacedPoles(
        where.give(gain),
        where.give(found),
        where.give(wanted.real if real else wanted),
        where.give(X),
        float(reached),
        float(sweeps),
    )


def _checked(A: Any, B: Any, poles: Any, method: str, rtol: float) -> Any:
    """Return the poles: real ones first, then pairs, the one below the real axis first."""
    xp = host()
    n = A.shape[0]
    if A.ndim != 2 or A.shape != (n, n) or B.ndim != 2 or B.shape[0] != n:
        raise ShapeError(
            f"place_poles: A and B must have the shapes (n, n) and (n, m), got {A.shape} and "
            f"{B.shape}"
        )
    if poles.shape != (n,):
        raise ShapeError(f"place_poles: poles must be {n} numbers, got the shape {poles.shape}")
    if rtol > 1:
        raise ArgumentError(f"place_poles: rtol must not be greater than 1, got {rtol}")
    values = [complex(v) for v in poles]
    below = sorted((v for v in values if v.imag < 0), key=lambda v: (v.real, v.imag))
    above = sorted((v for v in values if v.imag > 0), key=lambda v: (v.real, -v.imag))
    if [v.conjugate() for v in above] != below:
        raise ArgumentError(
            f"place_poles: complex poles must come in conjugate pairs, got {values}"
        )
    if below and method == "KNV0":
        raise ArgumentError(f"place_poles: method 'KNV0' takes real poles alone, got {values}")
    often = max(map(values.count, values), default=0)
    if often > int(xp.linalg.matrix_rank(B)):
        raise ArgumentError(
            f"place_poles: no pole must be given more often than the rank of B, got {often} times"
        )
    order = [complex(v) for v in sorted(v.real for v in values if not v.imag)]
    for pair in zip(below, above, strict=True):
        order += pair
    return xp.asarray(order, dtype=xp.complex128)


def _real_form(poles: Any) -> Any:
    """Return a real matrix with these eigenvalues."""
    xp = host()
    out = xp.eye(poles.shape[0]) * poles.real
    for j in range(1, poles.shape[0]):
        if poles[j].imag > 0:
            out[j, j - 1], out[j - 1, j] = -poles[j].imag, poles[j].imag
    return out


def _kernels(A: Any, B: Any, poles: Any, rank: int) -> list[Any]:
    """Return, for each pole, a basis of the eigenvectors that some feedback gives it."""
    xp = host()
    outside = xp.linalg.qr(B, mode="complete")[0][:, rank:]  # where no input reaches
    found: list[Any] = []
    for p in poles:
        if p.imag > 0:
            found.append(xp.conj(found[-1]))
            continue
        seen = outside.T @ (A - (p if p.imag else p.real) * xp.eye(A.shape[0]))
        q = xp.linalg.qr(xp.conj(seen.T), mode="complete")[0]
        found.append(q[:, seen.shape[0] :])
    return found


def _improved(
    X: Any, kernels: list[Any], poles: Any, method: str, rtol: float, most: int
) -> tuple[Any, float, float]:
    """Return eigenvectors with a larger determinant, its last change, and the number of sweeps."""
    xp, n = host(), X.shape[0]
    real = int(xp.sum(poles.imag == 0))
    X = xp.astype(X, xp.complex128)
    size = abs(xp.linalg.det(X))
    reached, sweep = 1.0, 0
    while sweep < most:
        sweep += 1
        first = sweep % 2  # other pairs of real poles in the next sweep
        pairs = [(j, j + 1) for j in range(first, real - 1, 2)] if method == "YT" else []
        alone = [j for j in range(real) if not any(j in pair for pair in pairs)]
        for j in alone:
            _one(X, kernels, real, j)
        for i, j in pairs:
            _two(X, kernels, real, i, j)
        for j in range(real, n, 2):
            _conjugate(X, kernels, real, j)
        before, size = size, abs(xp.linalg.det(X))
        reached = abs(size - before) / max(size, 1.5e-8)
        if reached < rtol and size > 1.5e-8:
            break
    else:
        if rtol > 0:
            warnings.warn(
                f"place_poles: after {most} sweeps the determinant of the eigenvectors still "
                f"changes by {reached:.3g}, not {rtol:.3g}. Raise maxiter or rtol.",
                LikewiseWarning,
                stacklevel=_level(),
            )
    return X, reached, float(sweep)


def _across(X: Any, real: int, *places: int) -> Any:
    """Return a real basis of the orthogonal complement of the other vectors: real, then pairs."""
    xp = host()
    # Of conjugates the real and the imaginary part span the same.
    parts = [X[:, k].imag if (k - real) % 2 and k > real else X[:, k].real for k in range(len(X))]
    rest = [x for k, x in enumerate(parts) if k not in places]
    q = xp.linalg.qr(xp.stack(rest, axis=1), mode="complete")[0] if rest else xp.eye(len(X))
    return q[:, len(rest) :]


def _outer(u: Any, v: Any) -> Any:
    return u[:, None] * v[None, :]


def _one(X: Any, kernels: list[Any], real: int, j: int) -> None:
    """Make a real pole's eigenvector as orthogonal to the others as possible."""
    xp = host()
    x = kernels[j] @ (kernels[j].T @ _across(X, real, j)[:, 0])
    size = xp.linalg.vector_norm(x)
    if size > 1e-8:
        X[:, j] = x / size


def _two(X: Any, kernels: list[Any], real: int, i: int, j: int) -> None:
    """Choose two real poles' eigenvectors, by the largest singular value of their determinant."""
    xp = host()
    u, v = _across(X, real, i, j).T
    m = kernels[i].T @ (_outer(u, v) - _outer(v, u)) @ kernels[j]
    left, sizes, right = xp.linalg.svd(m)
    pairs = xp.concat((kernels[i] @ left[:, :2], kernels[j] @ right[:2, :].T))
    if sizes.shape[0] < 2 or not abs(sizes[0] - sizes[1]) <= 1e-8 + 1e-5 * sizes[1]:
        chosen = pairs[:, 0]
    else:  # any of a plane, so the one next to what is there
        now = xp.concat((X[:, i], X[:, j])).real
        chosen = pairs @ (pairs.T @ now)
    n = X.shape[0]
    for place, x in ((i, chosen[:n]), (j, chosen[n:])):
        size = xp.linalg.vector_norm(x)
        if size > 1e-8:
            X[:, place] = x / size


def _conjugate(X: Any, kernels: list[Any], real: int, j: int) -> None:
    """Choose a complex pole's eigenvector, by the largest eigenvalue of the pair's determinant."""
    xp = host()
    u, v = _across(X, real, j, j + 1).T
    basis = kernels[j]
    m = xp.conj(basis.T) @ (_outer(v, u) - _outer(u, v)) @ basis / 2j
    values, vectors = xp.linalg.eigh(m)
    best = xp.max(xp.abs(values))
    fits = [k for k in range(len(values)) if abs(values[k]) >= best * (1 - 1e-5) - 1e-8]
    near = [abs(xp.vecdot(basis @ vectors[:, k], X[:, j])) for k in fits]
    X[:, j] = basis @ vectors[:, fits[near.index(max(near))]]
    X[:, j + 1] = xp.conj(X[:, j])
