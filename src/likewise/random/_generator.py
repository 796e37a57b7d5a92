"""A generator with state, with the interface of NumPy's."""

import threading
from typing import Any

from .._namespace import array_namespace, is_neutral
from ..errors import ArgumentError
from . import _continuous, _counts, _gamma, _integers, _keys, _vectors
from ._arguments import plan_key

__all__ = ["Generator"]


class Generator:
    """Generate random numbers with a state, by the methods of ``numpy.random.Generator``.

    Parameters
    ----------
    seed : int or key
        A seed as for `likewise.random.key`, or a key.
    namespace, device, like : optional
        The library and device of the results, as for `likewise.random.key`.

    Notes
    -----
    Each call increases a counter, folds it into the key and draws with the new key. So a result
    depends on the seed and on the number of calls before. Threads may share a generator: all calls
    get different counters, in an order that isn't defined; `spawn` gives each thread its own
    generator. Under ``jax.jit`` and ``torch.compile`` a call is made once, when it is traced: use
    keys there. The values aren't NumPy's.

    Examples
    --------
    >>> from likewise.random import Generator
    >>> rng = Generator(0)
    >>> rng.integers(10, size=3).shape, rng.normal(5.0, 2.0, size=(2, 2)).shape
    ((3,), (2, 2))
    """

    def __init__(
        self, seed: Any, *, namespace: Any = None, device: Any = None, like: Any = None
    ) -> None:
        if is_neutral(seed):
            self._key = _keys.key(seed, namespace=namespace, device=device, like=like)
        else:
            self._key = plan_key("Generator", seed, namespace, device, like)[1]
        self._count = 0
        self._lock = threading.Lock()

    def key(self) -> Any:
        """Return the key of the next call; each call gives a new one."""
        with self._lock:
            number = self._count
            self._count += 1
        if number >= 1 << 32:
            raise ArgumentError("Generator: 2^32 calls were made; begin again with another seed")
        return _keys.fold_in(self._key, number)

    def spawn(self, n_children: int) -> list["Generator"]:
        """Return independent generators."""
        keys = _keys.split(self.key(), n_children)
        return [Generator(keys[i, :]) for i in range(n_children)]

    def __getstate__(self) -> tuple[Any, int]:
        with self._lock:
            return self._key, self._count

    def __setstate__(self, state: tuple[Any, int]) -> None:
        self._key, self._count = state
        self._lock = threading.Lock()

    def random(self, size: Any = None, dtype: Any = None) -> Any:
        """Draw uniformly distributed numbers in [0, 1)."""
        return _continuous.uniform(self.key(), _size(size), dtype)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw uniformly distributed numbers in [low, high)."""
        return _continuous.uniform(self.key(), _size(size, low, high), None, low, high)

    def standard_normal(self, size: Any = None, dtype: Any = None) -> Any:
        """Draw normally distributed numbers of mean 0 and variance 1."""
        return _continuous.normal(self.key(), _size(size), dtype)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw normally distributed numbers of mean `loc` and standard deviation `scale`."""
        return self._moved(_continuous.normal, loc, scale, size)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw Laplace-distributed numbers."""
        return self._moved(_continuous.laplace, loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw Gumbel-distributed numbers."""
        return self._moved(_continuous.gumbel, loc, scale, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw exponentially distributed numbers of mean `scale`."""
        return self._moved(_continuous.exponential, 0.0, scale, size)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw gamma-distributed numbers of mean ``shape * scale``."""
        found = _gamma.gamma(self.key(), shape, _size(size, shape, scale))
        return array_namespace(found).reshape(found * scale, found.shape)

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        """Draw beta-distributed numbers of mean ``a / (a + b)``."""
        return _gamma.beta(self.key(), a, b, _size(size, a, b))

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        """Draw Poisson-distributed numbers of mean `lam`."""
        return _counts.poisson(self.key(), lam, _size(size, lam))

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Draw numbers of successes in `n` trials of probability `p`."""
        return _counts.binomial(self.key(), n, p, _size(size, n, p))

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = None,
        endpoint: bool = False,
    ) -> Any:
        """Draw integers in [low, high), or in [0, low); with `endpoint`, up to `high` itself."""
        if high is None:
            low, high = 0, low
        if endpoint:
            high = high + 1
        return _integers.integers(self.key(), _size(size, low, high), low, high, dtype)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0
    ) -> Any:
        """Draw elements of an array, or integers below a number."""
        return _integers.choice(self.key(), a, _size(size), replace, p, axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Permute an array, or the integers below a number, along an axis."""
        return _integers.permutation(self.key(), x, axis)

    def permuted(self, x: Any, axis: int = 0) -> Any:
        """Permute each vector along an axis of an array independently."""
        return _integers.permutation(self.key(), x, axis, True)

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None) -> Any:
        """Draw normally distributed vectors."""
        return _vectors.multivariate_normal(self.key(), mean, cov, size)

    def _moved(self, draw: Any, loc: Any, scale: Any, size: Any) -> Any:
        _positive(scale)
        key = self.key()
        like = next((a for a in (loc, scale) if not is_neutral(a)), None)
        found = draw(key, _size(size, loc, scale), like=like)
        return array_namespace(found).reshape(found * scale + loc, found.shape)


def _positive(scale: Any) -> None:
    if isinstance(scale, int | float) and not scale >= 0:
        raise ArgumentError(f"Generator: scale must be at least 0, got {scale!r}")


def _size(size: Any, *parameters: Any) -> Any:
    """The given shape, or that of the parameters."""
    if size is not None:
        return size
    arrays = [p for p in parameters if hasattr(p, "shape")]
    shapes = [tuple(a.shape) for a in arrays]
    return array_namespace(*arrays).broadcast_shapes(*shapes) if shapes else ()
