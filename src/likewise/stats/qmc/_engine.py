"""The base of all sequences: a key, a library, and how many points were drawn."""

import hashlib
from typing import Any

from ... import _creation, random
from ...errors import ArgumentError
from ...interop import to_numpy
from ...random._arguments import floating, plan_key
from ._measures import scale, swapped

__all__ = ["QMCEngine", "at_least"]


def at_least(function: str, name: str, value: Any, least: int) -> int:
    """Return an integer that isn't below a bound."""
    if not hasattr(value, "__index__") or isinstance(value, bool) or value.__index__() < least:
        kind = "non-negative integer" if least == 0 else f"integer of at least {least}"
        raise ArgumentError(f"{function}: {name} must be a {kind} value, got {value!r}")
    return int(value.__index__())


class QMCEngine:
    """Draw points of a sequence in the unit cube: the base of all engines.

    A class of your own sets ``_random(n)``, which returns an array of shape (n, d), and may use
    `xp`, `device`, `dtype`, `num_generated` and `_key`.

    Parameters
    ----------
    d : int
        The dimension.
    optimization : {'random-cd'}, optional
        What improves each sample: swaps of coordinates that lower the centered discrepancy.
    key : array, shape (2,), optional
        A key (`likewise.random.key`), by which an engine is random; its library is that of the
        points. Or a seed, an integer in [0, 2^64).
    dtype : {'float64', 'float32'} or dtype, optional
        Of the points.
    namespace, device, like : optional
        The library and device of the points, as for `likewise.random.key`.

    Attributes
    ----------
    num_generated : int
        How many points were drawn or skipped.

    Raises
    ------
    ArgumentError
        If `d` is no dimension, an `rng` or `seed` is given in place of a key, or there is no key
        where one is needed.

    Notes
    -----
    The points of a key are the same on all libraries in one dtype, those of a Latin hypercube to a
    unit in the last place. The key is read on the host.

    Differs from SciPy: a key in place of `rng`, and no default for it.

    Examples
    --------
    >>> import likewise.stats.qmc as qmc
    >>> class Middles(qmc.QMCEngine):
    ...     def _random(self, n=1):
    ...         return self.xp.full((n, self.d), 0.5, dtype=self.dtype)
    >>> Middles(2).random(1)
    array([[0.5, 0.5]])
    """

    def __init__(
        self,
        d: Any,
        *,
        optimization: str | None = None,
        key: Any = None,
        rng: Any = None,
        seed: Any = None,
        dtype: Any = None,
        namespace: Any = None,
        device: Any = None,
        like: Any = None,
    ) -> None:
        name = type(self).__name__
        if rng is not None or seed is not None:
            raise ArgumentError(
                f"{name}: numbers are drawn from a key: write key=likewise.random.key(seed) in "
                "place of rng or seed"
            )
        self.d = at_least(name, "d", d, 0)
        if optimization is not None and str(optimization).lower() != "random-cd":
            raise ArgumentError(
                f"{name}: {optimization!r} is not a valid optimization method; there is 'random-cd'"
            )
        self.optimization = optimization
        if hasattr(key, "__index__") and not getattr(key, "ndim", 0):
            key = random.key(key, namespace=namespace, device=device, like=like)
        if key is None:
            self.xp, self.device = _creation.target(name, namespace, device, like)
        else:
            self.xp, key, self.device = plan_key(name, key, namespace, device, like)
        self.dtype = floating(name, self.xp, dtype, self.device, like)
        self._seed = None if key is None else tuple(int(w) for w in to_numpy(key))
        self.num_generated = 0

    def _words(self, *labels: int) -> list[int]:
        """Return the key's words, those of a key of its own for labels."""
        if self._seed is None:
            raise ArgumentError(
                f"{type(self).__name__}: a key is needed, as key=likewise.random.key(0); the "
                "points are drawn from it"
            )
        digest = hashlib.sha256(repr((self._seed, *labels)).encode()).digest()
        return [int.from_bytes(digest[i : i + 4], "big") for i in (0, 4)]

    def _key(self, *labels: int) -> Any:
        """Return a key, on the engine's library and device, for labels."""
        like = self.xp.empty(0, dtype=self.dtype, device=self.device)
        high, low = self._words(*labels)
        return random.key(high << 32 | low, like=like)

    def _random(self, n: int = 1) -> Any:
        raise NotImplementedError(f"{type(self).__name__} doesn't say how points are drawn")

    def random(self, n: int = 1, *, workers: int = 1) -> Any:
        """Return the next points.

        Parameters
        ----------
        n : int, optional
        workers : int, optional
            Accepted for SciPy's signature; ignored.

        Returns
        -------
        array, shape (n, d)
            In [0, 1).
        """
        n = at_least(f"{type(self).__name__}.random", "n", n, 0)
        sample = self._random(n)
        if self.optimization is not None and min(sample.shape) > 1 and self.d > 1:
            sample = swapped(sample, self._words(3, self.num_generated))
        self.num_generated += n
        return sample

    def integers(
        self,
        l_bounds: Any,
        *,
        u_bounds: Any = None,
        n: int = 1,
        endpoint: bool = False,
        workers: int = 1,
    ) -> Any:
        """Return the next points as integers between bounds.

        Parameters
        ----------
        l_bounds, u_bounds : int or sequence of int
            The bounds, the upper one excluded unless `endpoint`; from 0 to `l_bounds` without
            `u_bounds`.

        Returns
        -------
        array of integers, shape (n, d)
        """
        low, high = (0, l_bounds) if u_bounds is None else (l_bounds, u_bounds)
        name = f"{type(self).__name__}.integers"
        bounds = [self._integers(name, label, x) for label, x in (("l", low), ("u", high))]
        upper = [u + bool(endpoint) for u in bounds[1]]
        points = scale(self.random(n), bounds[0], upper)
        words = self.xp.__array_namespace_info__().dtypes(device=self.device)
        dtype = words.get("int64", words["int32"])
        return self.xp.astype(self.xp.floor(points), dtype)

    def _integers(self, function: str, label: str, x: Any) -> list[int]:
        values = x.tolist() if hasattr(x, "tolist") else x
        values = values if isinstance(values, list | tuple) else [values]
        if not all(hasattr(v, "__index__") for v in values):
            raise ArgumentError(
                f"{function}: 'u_bounds' and 'l_bounds' must be integers or array-like of "
                f"integers, got {label}_bounds={x!r}"
            )
        return [v.__index__() for v in values]

    def reset(self) -> Any:
        """Return the engine, with its first point ahead."""
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> Any:
        """Return the engine, with n points skipped."""
        self.num_generated += at_least(f"{type(self).__name__}.fast_forward", "n", n, 0)
        return self
