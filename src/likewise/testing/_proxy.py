"""Arrays that forward every operation, but refuse conversion to NumPy."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .._namespace import array_namespace, device, hooks_of, is_neutral, library_of
from .._standard import NUMBERS, OPERATORS, having
from ..transforms._tree import map_leaves
from ._host import HostCopyError

__all__ = ["refusing", "revealed"]

_COMPARE = [python for python, _, name in OPERATORS if name in having("truth")]
_BINARY = [python for python, _, name in OPERATORS if name not in having("truth")]
_UNARY = "neg pos abs invert".split()


class _Namespace(ModuleType):
    """The standard's functions on proxies."""

    def __init__(self, real: Any) -> None:
        super().__init__(f"{real.__name__} that refuses")
        self._real = real

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._real, name)
        if isinstance(value, ModuleType):
            value = _Namespace(value)
        elif callable(value) and not isinstance(value, type):
            value = _lifted(value)
        self.__dict__[name] = value
        return value


def _lifted(function: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        return refusing(function(*revealed(args), **revealed(kwargs)))

    return call


_NAMESPACES: dict[int, _Namespace] = {}  # array_namespace compares them by identity


class _Refusing:
    """A standard array object around another."""

    __slots__ = ("_x",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, x: Any) -> None:
        self._x = x

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        real = array_namespace(self._x)
        return _NAMESPACES.setdefault(id(real), _Namespace(real))

    def __getitem__(self, key: Any) -> Any:
        return refusing(self._x[revealed(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        # Out of place, as code that takes it for an array that can be written to expects of JAX's;
        # what writes to the caller's array is found with the real ones.
        new = hooks_of(self._x).at_set(self._x, revealed(key), revealed(value))
        if new is NotImplemented:
            self._x[revealed(key)] = revealed(value)
        else:
            self._x = new

    def __getattr__(self, name: str) -> Any:
        if name == "device":
            return device(self._x)
        if name in ("shape", "dtype", "ndim", "size"):
            return getattr(self._x, name)
        if name in ("T", "mT"):
            return refusing(getattr(self._x, name))
        if name == "to_device":
            return _lifted(self._x.to_device)
        raise AttributeError(
            f"standard arrays have no {name!r}; this one passes on what the standard has"
        )

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise HostCopyError(f"host copy of a whole array of shape {tuple(self._x.shape)}")

    __array__ = __buffer__ = __array_function__ = __array_ufunc__ = __dlpack__ = _refuse

    def __len__(self) -> int:
        return int(self._x.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return (self[i, ...] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"refusing({self._x!r})"


def _operator(name: str) -> Any:
    def operate(self: _Refusing, *others: Any) -> Any:
        if any(library_of(o) is not None for o in others):
            return NotImplemented  # a raw array: mixed up
        method = getattr(type(self._x), name)
        out = method(self._x, *revealed(others))
        return out if out is NotImplemented else refusing(out)

    operate.__name__ = name
    return operate


for _name in [f"__{n}__" for n in (*_COMPARE, *_UNARY, *_BINARY)] + [f"__r{n}__" for n in _BINARY]:
    setattr(_Refusing, _name, _operator(_name))
for _name in NUMBERS:
    setattr(_Refusing, _name, (lambda name: lambda self: getattr(self._x, name)())(_name))


def refusing(x: Any) -> Any:
    """Return arrays that behave like the given ones, but refuse conversion to NumPy.

    Parameters
    ----------
    x : array, or nested tuples, lists and dicts of arrays
        Arrays of any library.

    Returns
    -------
    same structure as `x`
        Array objects of the standard that forward every operation to the real arrays and wrap the
        results. Single values can be read; scalars, strings and other objects are returned
        unchanged.

    Notes
    -----
    They return the namespace of the array, so code that uses `array_namespace` runs unchanged.
    Conversion to a NumPy array raises `HostCopyError`, also in NumPy's own functions.

    Examples
    --------
    >>> import numpy as np, jax.numpy as jnp
    >>> from likewise.testing import refusing
    >>> x = refusing(jnp.ones(3))
    >>> float((2 * x)[0])
    2.0
    >>> np.sin(x)
    Traceback (most recent call last):
        ...
    likewise.testing._host.HostCopyError: host copy of a whole array of shape (3,)
    """
    return map_leaves(
        lambda leaf: leaf if is_neutral(leaf) or library_of(leaf) is None else _Refusing(leaf), x
    )


def revealed(x: Any) -> Any:
    """Return the real arrays."""
    return map_leaves(lambda leaf: leaf._x if isinstance(leaf, _Refusing) else leaf, x)
