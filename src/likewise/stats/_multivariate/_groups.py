"""Random matrices: orthogonal and unitary groups, correlations; and random directions."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ...errors import ArgumentError, ConvergenceError, ShapeError
from ...random import normal
from ...random._arguments import shape_tuple
from ._drawing import dimension, keyed, refuse
from ._frozen import Frozen

__all__ = [
    "ortho_group",
    "random_correlation",
    "special_ortho_group",
    "uniform_direction",
    "unitary_group",
]


def _shape(function: str, size: Any) -> tuple[int, ...]:
    """SciPy's: of size 1 without that dimension."""
    if size is None:
        return ()
    shape = shape_tuple(function, size, "size")
    return () if shape == (1,) else shape


def orthogonal(function: str, xp: Any, z: Any) -> Any:
    """Return matrices of Haar's measure from normal ones (F. Mezzadri, Notices AMS 54 (2007) 592).

    The factors of a matrix are unique once the diagonal of the triangle is positive.
    """
    if 0 in z.shape:
        return z
    q, r = _plan.extension(function, xp, "linalg").qr(z)
    n = z.shape[-1]
    d = xp.reshape(r, (*r.shape[:-2], n * n))[..., None, :: n + 1]
    return q * (d / xp.abs(d))


class OrthoGroup:
    """An orthogonal random matrix, distributed uniformly (by Haar's measure).

    Called, it returns the distribution with its dimension fixed.

    Parameters
    ----------
    dim : int
        The number of rows.

    Raises
    ------
    ArgumentError
        If `dim` isn't a whole number of at least 0.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    The QR decomposition of normal numbers, with a positive diagonal: F. Mezzadri, Notices of the
    AMS 54 (2007) 592-604. Equal on all libraries, to rounding.

    Differs from SciPy: `rvs` takes `key`, and the library from it, or from `namespace` or `like` as
    `likewise.random` does; `size` may be a tuple.

    Examples
    --------
    >>> from likewise.random import key
    >>> from likewise.stats import ortho_group
    >>> x = ortho_group.rvs(3, key=key(0))
    >>> (x @ x.T).round(12) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    _name = "ortho_group"

    def __call__(self, dim: Any = None, seed: Any = None) -> Frozen:
        """Return the distribution with this dimension."""
        refuse(self._name, seed=seed)
        return Frozen(self, dim=dimension(self._name, dim, 0))

    def rvs(
        self,
        dim: Any,
        size: Any = 1,
        random_state: Any = None,
        *,
        key: Any = None,
        namespace: Any = None,
        like: Any = None,
    ) -> Any:
        """Return matrices, shape `size` + (dim, dim); of size 1 without that dimension."""
        function = f"{self._name}.rvs"
        n = dimension(function, dim, 0)
        xp, key, _, dtype = keyed(function, key, random_state, namespace=namespace, like=like)
        return self._made(function, xp, key, (*_shape(function, size), n, n), dtype)

    def _made(self, function: str, xp: Any, key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        return orthogonal(function, xp, normal(key, shape, dtype))


class SpecialOrthoGroup(OrthoGroup):
    """A random rotation: an orthogonal matrix of determinant 1, distributed uniformly.

    Called, it returns the distribution with its dimension fixed.

    Parameters
    ----------
    dim : int
        The number of rows.

    Raises
    ------
    ArgumentError, ExtensionMissing
        As for `ortho_group`.

    Notes
    -----
    A matrix of `ortho_group` whose first row takes the sign of the determinant.

    Differs from SciPy: as `ortho_group`.

    Examples
    --------
    >>> from likewise.random import key
    >>> from likewise.stats import special_ortho_group
    >>> special_ortho_group.rvs(3, 2, key=key(0)).shape
    (2, 3, 3)
    """

    _name = "special_ortho_group"

    def _made(self, function: str, xp: Any, key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        q = super()._made(function, xp, key, shape, dtype)
        if 0 in shape:
            return q
        sign = xp.sign(xp.linalg.det(q))[..., None, None]
        return xp.concat([q[..., :1, :] * sign, q[..., 1:, :]], axis=-2)


class UnitaryGroup(OrthoGroup):
    """A unitary random matrix, distributed uniformly (by Haar's measure).

    Called, it returns the distribution with its dimension fixed.

    Parameters
    ----------
    dim : int
        The number of rows.

    Raises
    ------
    ArgumentError, ExtensionMissing
        As for `ortho_group`.

    Notes
    -----
    As for `ortho_group`, from complex normal numbers.

    Differs from SciPy: as `ortho_group`.

    Examples
    --------
    >>> from likewise.random import key
    >>> from likewise.stats import unitary_group
    >>> x = unitary_group.rvs(3, key=key(0))
    >>> abs(x @ x.conj().T).round(12)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    _name = "unitary_group"

    def _made(self, function: str, xp: Any, key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        parts = normal(key, (2, *shape), dtype)
        wide = xp.complex64 if dtype == xp.float32 else xp.complex128
        z = xp.astype(parts[0, ...], wide) + 1j * xp.astype(parts[1, ...], wide)
        return orthogonal(function, xp, z)


class RandomCorrelation:
    """A random correlation matrix of given eigenvalues.

    Called, it returns the distribution with its parameters fixed.

    Parameters
    ----------
    eigs : array, shape (..., d)
        Eigenvalues, not negative, whose sum is d > 1.
    tol : float, optional
        How far their sum may be off, and how far below 0 they may lie.
    diag_tol : float, optional
        How far the diagonal may be from 1.

    Raises
    ------
    ShapeError, ArgumentError
        If `eigs` has fewer than two elements, or values that can be read are wrong.
    ConvergenceError
        If the diagonal isn't 1.

    Notes
    -----
    A uniformly rotated diagonal matrix, then d - 1 rotations of pairs that set a diagonal element
    to 1: P. I. Davies, N. J. Higham, BIT 40 (2000) 640-651. O(d^3).

    Differs from SciPy: leading dimensions are a batch. `rvs` takes `key`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.random import key
    >>> from likewise.stats import random_correlation
    >>> x = random_correlation.rvs(np.asarray([0.5, 0.8, 1.2, 1.5]), key=key(0))
    >>> np.linalg.eigvalsh(x).round(12)
    array([0.5, 0.8, 1.2, 1.5])
    """

    def __call__(
        self, eigs: Any, seed: Any = None, tol: float = 1e-13, diag_tol: float = 1e-7
    ) -> Frozen:
        """Return the distribution with these parameters."""
        refuse("random_correlation", seed=seed)
        return Frozen(
            self, eigs=self._eigs("random_correlation", eigs, tol), tol=tol, diag_tol=diag_tol
        )

    def _eigs(self, function: str, eigs: Any, tol: float) -> Any:
        if eigs is None:
            raise ArgumentError(f"{function}: array 'eigs' must be a vector, got None")
        xp = array_namespace(eigs)
        (eigs,) = _plan.common_floating(function, xp, ("eigs",), eigs, real=True)
        if eigs.ndim == 0 or eigs.shape[-1] < 2:
            raise ShapeError(
                f"{function}: array 'eigs' must be a vector of length greater than 1, got shape "
                f"{tuple(eigs.shape)}"
            )
        if is_concrete(eigs):
            if bool(xp.any(xp.abs(xp.sum(eigs, axis=-1) - eigs.shape[-1]) > tol)):
                raise ArgumentError(f"{function}: sum of eigenvalues must equal dimensionality")
            if bool(xp.any(eigs < -tol)):
                raise ArgumentError(f"{function}: all eigenvalues must be non-negative")
        return eigs

    def rvs(
        self,
        eigs: Any,
        random_state: Any = None,
        tol: float = 1e-13,
        diag_tol: float = 1e-7,
        *,
        key: Any = None,
    ) -> Any:
        """Return a matrix for each set of eigenvalues, shape (..., d, d)."""
        function = "random_correlation.rvs"
        eigs = self._eigs(function, eigs, tol)
        xp, key, _, dtype = keyed(function, key, random_state, eigs)
        n = eigs.shape[-1]
        q = orthogonal(function, xp, normal(key, (*eigs.shape, n), dtype))
        m = xp.matmul(q * eigs[..., None, :], xp.matrix_transpose(q))
        for i in range(n - 1):
            m = _unit_at(xp, m, i)
        n = m.shape[-1]
        diagonal = xp.reshape(m, (*m.shape[:-2], n * n))[..., :: n + 1]
        if is_concrete(m) and bool(xp.any(xp.abs(diagonal - 1) > diag_tol)):
            raise ConvergenceError(
                f"{function}: failed to generate a valid correlation matrix. Give eigenvalues "
                "whose sum is their number, or a larger diag_tol"
            )
        return m


def _unit_at(xp: Any, m: Any, i: int) -> Any:
    """A rotation of i and the first later j on the other side of 1, so that m[i, i] becomes 1."""
    n = m.shape[-1]
    d = xp.reshape(m, (*m.shape[:-2], n * n))[..., :: n + 1]
    one = d[..., i, None]
    place = xp.arange(n, device=device(m))
    other = xp.where(one > 1, d < 1, d > 1) & (place > i)
    # The last one serves where rounding leaves none.
    j = xp.where(xp.any(other, axis=-1), xp.argmax(xp.astype(other, xp.int8), axis=-1), n - 1)
    pick = xp.astype(place == j[..., None], m.dtype)
    unit = xp.astype(place == i, m.dtype)
    column = m[..., i]
    aij = xp.sum(column * pick, axis=-1)
    a, b = d[..., i] - 1, xp.sum(d * pick, axis=-1) - 1
    root = xp.sqrt(xp.maximum(aij * aij - a * b, xp.zeros_like(a)))
    rest = aij + xp.where(aij < 0, -root, root)
    length = xp.sqrt(b * b + rest * rest)
    still = (a == 0) | (length == 0)
    length = xp.where(still, xp.ones_like(length), length)
    c = xp.where(still, xp.ones_like(a), xp.abs(b) / length)[..., None, None]
    s = xp.where(still, xp.zeros_like(a), xp.where(b < 0, -rest, rest) / length)[..., None, None]
    u, v = unit[:, None] * unit, pick[..., :, None] * pick[..., None, :]
    cross = unit[:, None] * pick[..., None, :]
    turn = xp.eye(n, dtype=m.dtype, device=device(m)) + (c - 1) * (u + v)
    turn = turn + s * (xp.matrix_transpose(cross) - cross)
    return xp.matmul(xp.matmul(turn, m), xp.matrix_transpose(turn))


class UniformDirection:
    """A random unit vector, distributed uniformly.

    Called, it returns the distribution with its dimension fixed.

    Parameters
    ----------
    dim : int
        The number of components.

    Raises
    ------
    ArgumentError
        If `dim` isn't a whole number of at least 1.

    Notes
    -----
    Normal vectors over their lengths.

    Differs from SciPy: as `ortho_group`.

    Examples
    --------
    >>> from likewise.random import key
    >>> from likewise.stats import uniform_direction
    >>> float((uniform_direction.rvs(3, key=key(0)) ** 2).sum().round(12))
    1.0
    """

    def __call__(self, dim: Any = None, seed: Any = None) -> Frozen:
        """Return the distribution with this dimension."""
        refuse("uniform_direction", seed=seed)
        return Frozen(self, dim=dimension("uniform_direction", dim, 1))

    def rvs(
        self,
        dim: Any,
        size: Any = None,
        random_state: Any = None,
        *,
        key: Any = None,
        namespace: Any = None,
        like: Any = None,
    ) -> Any:
        """Return vectors, shape `size` + (dim,)."""
        function = "uniform_direction.rvs"
        n = dimension(function, dim, 1)
        xp, key, _, dtype = keyed(function, key, random_state, namespace=namespace, like=like)
        shape = () if size is None else shape_tuple(function, size, "size")
        return unit_vectors(xp, key, (*shape, n), dtype)


def unit_vectors(xp: Any, key: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return uniformly distributed unit vectors."""
    z = normal(key, shape, dtype)
    return z / xp.sqrt(xp.sum(z * z, axis=-1, keepdims=True))


ortho_group = OrthoGroup()
special_ortho_group = SpecialOrthoGroup()
unitary_group = UnitaryGroup()
random_correlation = RandomCorrelation()
uniform_direction = UniformDirection()
