"""Normal vectors and multinomial counts from sequences."""

import math
from typing import Any

from ... import _creation, _plan
from ..._namespace import array_namespace, is_concrete
from ...errors import ArgumentError, ShapeError
from ...interop import asarray
from ...linalg import cho_factor, eigh
from ...missing import searchsorted
from ...special import ndtri
from ._engine import QMCEngine, at_least
from ._sobol import Sobol

__all__ = ["MultinomialQMC", "MultivariateNormalQMC"]


def _engine(function: str, engine: Any, d: int, like: Any, options: dict[str, Any]) -> QMCEngine:
    if engine is None:
        return Sobol(d, **(options if _placed(options) else {"like": like} | options))
    if not isinstance(engine, QMCEngine):
        raise ArgumentError(
            f"{function}: `engine` must be an instance of likewise.stats.qmc.QMCEngine or None, "
            f"got {engine!r}"
        )
    if engine.d != d:
        raise ArgumentError(
            f"{function}: Dimension of `engine` must be consistent with the "
            f"arguments: {d} is needed, got {engine.d}"
        )
    return engine


def _placed(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that say on which library and device points are drawn."""
    names = ("namespace", "device", "like")
    return {n: options[n] for n in names if options.get(n) is not None}


def _there(function: str, options: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Return parameters, where none is an array as arrays on the engine's library and device."""
    place = _placed(options)
    if not place or any(hasattr(v, "shape") for v in given.values()):
        return given
    xp, where = _creation.target(function, *map(place.get, ("namespace", "device", "like")))
    return {n: xp.asarray(v, device=where) for n, v in given.items()}


class MultivariateNormalQMC:
    """Draw normal vectors from a sequence.

    Parameters
    ----------
    mean : array, shape (d,)
        The mean.
    cov : array, shape (d, d), optional
        The covariance, at least semidefinite. Default: the identity.
    cov_root : array, shape (k, d), optional
        In place of `cov`, a matrix whose transpose times itself is the covariance.
    inv_transform : bool, optional
        Whether points are mapped by the inverse of the normal distribution, or in pairs by the
        method of Box and Muller.
    engine : QMCEngine, optional
        Default: scrambled `Sobol`, in d dimensions, or the next even number without
        `inv_transform`.
    key, rng, dtype, namespace, device, like : optional
        Of the default engine. Its library is else that of `mean`.

    Raises
    ------
    ShapeError, ArgumentError
        If shapes don't fit, `cov` isn't symmetric and semidefinite, the engine has another
        dimension, or a key lacks.

    Notes
    -----
    Differentiable in mean and covariance.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.random import key
    >>> from likewise.stats.qmc import MultivariateNormalQMC
    >>> MultivariateNormalQMC(np.asarray([0.0, 5.0]), key=key(0)).random(4).shape
    (4, 2)
    """

    def __init__(
        self,
        mean: Any,
        cov: Any = None,
        *,
        cov_root: Any = None,
        inv_transform: bool = True,
        engine: Any = None,
        **options: Any,
    ) -> None:
        function = "MultivariateNormalQMC"
        given = {"mean": mean, "cov": cov} if cov is not None else {"mean": mean}
        if cov is None and cov_root is not None:
            given["cov_root"] = cov_root
        given = _there(function, options, **given)
        xp = array_namespace(*given.values())
        center, *rest = _plan.common_floating(
            function, xp, tuple(given), *given.values(), real=True
        )
        center = xp.reshape(center, (1,)) if center.ndim == 0 else center
        self._d = int(center.shape[-1])
        root = None
        if rest:
            matrix = rest[0][(None,) * (2 - rest[0].ndim)] if rest[0].ndim < 2 else rest[0]
            if matrix.shape[0 if cov is None else -1] != self._d:
                raise ShapeError(
                    f"{function}: Dimension mismatch between mean and covariance: got shapes "
                    f"{tuple(center.shape)} and {tuple(matrix.shape)}"
                )
            root = matrix if cov is None else _root(function, matrix)
        self._mean, self._root, self._inverse = center, root, bool(inv_transform)
        d = self._d if inv_transform else 2 * math.ceil(self._d / 2)
        self.engine = _engine(function, engine, d, center, options)

    def random(self, n: int = 1) -> Any:
        """Return the next vectors.

        Parameters
        ----------
        n : int, optional

        Returns
        -------
        array, shape (n, d)
        """
        u = self.engine.random(n)
        xp = array_namespace(u)
        if self._inverse:
            z = ndtri(0.5 + (1 - 1e-10) * (u - 0.5))
        else:
            size = xp.sqrt(-2 * xp.log(u[:, ::2]))
            angle = 2 * math.pi * u[:, 1::2]
            both = xp.stack([size * xp.cos(angle), size * xp.sin(angle)], axis=-1)
            z = xp.reshape(both, (n, -1))[:, : self._d]
        # The arguments decide: they may be a transform's.
        z = asarray(z, like=self._mean)
        xp = array_namespace(self._mean)
        return self._mean + (z if self._root is None else xp.matmul(z, self._root))


def _root(function: str, cov: Any) -> Any:
    xp = array_namespace(cov)
    turned = xp.matrix_transpose(cov)
    if is_concrete(cov):
        size = float(xp.max(xp.abs(cov))) if 0 not in cov.shape else 0.0
        if not bool(xp.all(xp.abs(cov - turned) <= 1e-8 + 1e-5 * size)):
            raise ArgumentError(f"{function}: Covariance matrix is not symmetric.")
    factor = cho_factor(cov, lower=True)[0]
    if is_concrete(factor) and not bool(xp.all(xp.isfinite(factor))):
        values, vectors = eigh(cov)
        if not bool(xp.all(values >= -1e-8)):  # likewise: ignore[LW203]: values are at hand
            raise ArgumentError(f"{function}: Covariance matrix not PSD.")
        factor = vectors * xp.sqrt(xp.maximum(values, xp.zeros_like(values)))
    return xp.matrix_transpose(factor)


class MultinomialQMC:
    """Draw multinomial counts from a sequence.

    Parameters
    ----------
    pvals : array, shape (k,)
        The probabilities, whose sum is one.
    n_trials : int
        The trials of each draw.
    engine : QMCEngine, optional
        Of one dimension. Default: scrambled `Sobol`.
    key, rng, dtype, namespace, device, like : optional
        Of the default engine. Its library is else that of `pvals`.

    Raises
    ------
    ArgumentError
        If probabilities are negative or don't add up to one, the engine has another dimension, or
        a key lacks.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.random import key
    >>> from likewise.stats.qmc import MultinomialQMC
    >>> MultinomialQMC(np.asarray([0.25, 0.75]), 8, key=key(0)).random()
    array([[2., 6.]])
    """

    def __init__(self, pvals: Any, n_trials: int, *, engine: Any = None, **options: Any) -> None:
        function = "MultinomialQMC"
        pvals = _there(function, options, pvals=pvals)["pvals"]
        xp = array_namespace(pvals)
        (p,) = _plan.common_floating(function, xp, ("pvals",), pvals, real=True)
        self.pvals = xp.reshape(p, (-1,)) if p.ndim < 1 else p
        if is_concrete(p):
            if bool(xp.any(p < 0)):
                raise ArgumentError(f"{function}: Elements of pvals must be non-negative.")
            if not abs(float(xp.sum(p)) - 1) <= 1e-5:
                raise ArgumentError(f"{function}: Elements of pvals must sum to 1.")
        self.n_trials = at_least(function, "n_trials", n_trials, 0)
        self.engine = _engine(function, engine, 1, self.pvals, options)

    def random(self, n: int = 1) -> Any:
        """Return the next counts, of `n_trials` points each.

        Parameters
        ----------
        n : int, optional

        Returns
        -------
        array, shape (n, k)
            Whole numbers of a floating dtype.
        """
        n, p = at_least("MultinomialQMC.random", "n", n, 0), self.pvals
        xp, k = array_namespace(p), p.shape[-1]
        draws = [self.engine.random(self.n_trials) for _ in range(n)]
        if not draws:
            return xp.zeros((0, k), dtype=p.dtype, device=self.engine.device)
        u = asarray(xp.stack(draws)[..., 0], like=p)
        bounds = xp.cumulative_sum(p, axis=-1)
        place = xp.clip(searchsorted(bounds, u, side="right"), 0, k - 1)
        names = xp.arange(k, dtype=place.dtype, device=self.engine.device)
        return xp.sum(xp.astype(place[..., None] == names, p.dtype), axis=-2)
