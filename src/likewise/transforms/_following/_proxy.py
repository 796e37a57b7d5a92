"""The proxy that stands in for an array, and the one hook that sees every step.

A `Proxy` answers ``__array_namespace__`` with a namespace (`_space`) in which each function of the
standard goes through `apply`. That hands a call to the highest interpreter among the operands,
whose rules work on what lies below: proxies of lower levels, or the library's own arrays. A proxy
of no interpreter is a constant: what creation functions return.

A proxy's ``space`` is a `_space.Space`, which creates functions of proxies and so imports this
module.
"""

import functools
import operator
import weakref
from collections.abc import Iterator
from typing import Any

from ..._namespace import device, is_neutral, library_of
from ..._native import STANDING_IN
from ..._standard import OPERATORS
from ...errors import TransformError
from ._counters import Counter
from ._escapes import raise_ended, raise_escape, users_line
from ._instructions import HOLE
from ._interpreter import RECORDERS, Interpreter, recorder

__all__ = [
    "OWN",
    "Proxy",
    "any_proxy",
    "apply",
    "bottom",
    "filled",
    "held",
    "lift",
    "rebuilt",
    "related",
    "run",
    "seen",
    "split",
    "unfollowed",
]


def apply(name: str, operands: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Run one instruction with at least one proxy operand; return a proxy or a raw array."""
    top: Interpreter | None = None
    level = 0
    space: Any = None
    number = False
    for a in operands:
        if a.__class__ is Proxy:
            space = a.space
            by = a.by
            if by is not None and by.level > level:
                top, level = by, by.level
        elif a.__class__ is complex:
            number = True
    if number and space.scalars:
        operands = space.arrays(operands)
    if RECORDERS:  # who follows a function sees also what it does with arrays from outside
        by = recorder()
        if by is not None and by.level > level:
            return by.process(name, operands, settings, space)
    if top is None:
        return space.call[name](
            *[a.value if a.__class__ is Proxy else a for a in operands], **settings
        )
    if not top.open:
        raise_ended(name, top.name)
    return top.process(name, operands, settings, space)


def run(space: Any, name: str, operands: list[Any], settings: dict[str, Any]) -> Any:
    """Run an instruction on proxies of lower levels or on the library's own arrays."""
    for a in operands:
        if a.__class__ is Proxy:
            return apply(name, tuple(operands), settings)
    return space.call[name](*operands, **settings)


def lift(space: Any, x: Any) -> Any:
    """Wrap each array that isn't a proxy."""
    if x.__class__ is Proxy:
        return x
    if isinstance(x, tuple | list) and not hasattr(x, "dtype"):
        return rebuilt(x, [lift(space, i) for i in x])
    if not (hasattr(x, "shape") and hasattr(x, "dtype")):
        return x
    if RECORDERS and recorder() and not is_neutral(x):
        return recorder().entered(x)
    return Proxy(x, None, None, space)


def held(x: Any) -> Any:
    """Return an array that a transform may store: writes to the user's proxy don't change it."""
    return x.__copy__() if x.__class__ is Proxy else x


def rebuilt(like: Any, items: list[Any]) -> Any:
    """Return a tuple of the class of another, for the standard's named results."""
    if hasattr(like, "_make"):
        return like._make(items)
    return tuple(items) if type(like) in (tuple, list) else type(like)(items)


def bottom(x: Any) -> Any:
    """Return the library's own array below all proxies."""
    while x.__class__ is Proxy:
        x = x.value
    return x


def unfollowed(x: Any) -> Any:
    """Return the array below proxies that no transform traces, as in rules."""
    while x.__class__ is Proxy and x.by is None:
        x = x.value
    return x


def seen(x: Any, what: str) -> Any:
    """Return the library's own array below all proxies, to read its values."""
    while x.__class__ is Proxy:
        if x.by is not None:
            x.by.looked(what)
        x = x.value
    return x


def any_proxy(values: Any) -> bool:
    return any(type(v) is Proxy or (isinstance(v, list | tuple) and any_proxy(v)) for v in values)


def filled(index: Any, arrays: tuple[Any, ...]) -> Any:
    """Return an index with its arrays in the holes."""
    if not arrays:
        return index
    left = iter(arrays)
    if not isinstance(index, tuple):
        return next(left)
    return tuple(next(left) if i is HOLE else i for i in index)


def split(index: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return an index with holes, and the arrays that fill them."""
    if not isinstance(index, tuple):
        return (HOLE, (index,)) if _is_array(index) else (_plain(index), ())
    found = tuple(i for i in index if _is_array(i))
    return tuple(HOLE if _is_array(i) else _plain(i) for i in index), found


def _is_array(entry: Any) -> bool:
    return hasattr(entry, "shape") and hasattr(entry, "dtype") and not is_neutral(entry)


def _plain(entry: Any) -> Any:
    """Convert objects with ``__index__`` to Python integers; proxies raise their error."""
    if isinstance(entry, slice):
        parts = (entry.start, entry.stop, entry.step)
        return slice(*(p if p is None else p.__index__() for p in parts))
    if is_neutral(entry) and hasattr(entry, "item"):
        return entry.item()
    return entry


class _Family(list[Any]):
    """Weak references to proxies that may share memory."""

    most = 64  # how many, before those that are gone are looked for


def related(x: Any, out: Any) -> Any:
    """Mark results that may share memory with an operand, so that writing to one is refused."""
    if x.__class__ is not Proxy:
        return out
    family = x.family
    if family is None:
        family = x.family = _Family([weakref.ref(x)])
    elif len(family) > family.most:
        family[:] = [r for r in family if r() is not None]
        family.most = 2 * len(family) + 64
    for one in out if isinstance(out, tuple | list) else (out,):
        if one.__class__ is Proxy and one.family is None and one is not x:
            one.family = family
            family.append(weakref.ref(one))
    return out


# Operators of which a library's own may compute otherwise than its function; of scalars all do.
OWN = {name: getattr(operator, f"__{python}__") for python, _, name in OPERATORS}


def _recorded(name: str, x: Any, y: Any) -> Any:
    """Run an operator of objects that only a recording traces, or return NotImplemented."""
    by: Any = recorder() or (x.by if x.__class__ is Proxy else y.by)
    if by is None or not by.records or not by.open:
        return NotImplemented
    for a in (x, y):
        if a.__class__ is Proxy:
            if a.by is not by and (a.by is None or a.by.level > by.level):
                return NotImplemented
        elif _operand(a, x.space if x.__class__ is Proxy else y.space) is NotImplemented:
            return NotImplemented
    return by.operate(name, OWN[name], (x, y))


def _binary(name: str) -> tuple[Any, Any]:
    def forward(self: "Proxy", other: Any) -> Any:
        if RECORDERS:
            out = _recorded(name, self, other)
            if out is not NotImplemented:
                return out
        if other.__class__ is not Proxy:
            other = _operand(other, self.space)
            if other is NotImplemented:
                return NotImplemented
        out = apply(name, (self, other), {})
        return out if out.__class__ is Proxy else lift(self.space, out)

    def reflected(self: "Proxy", other: Any) -> Any:
        if RECORDERS:
            out = _recorded(name, other, self)
            if out is not NotImplemented:
                return out
        other = _operand(other, self.space)
        if other is NotImplemented:
            return NotImplemented
        out = apply(name, (other, self), {})
        return out if out.__class__ is Proxy else lift(self.space, out)

    return forward, reflected


def _augmented(name: str) -> Any:
    """Run ``x += y`` if the library writes in place: other names of `x`, and its base, change."""
    forward = _binary(name)[0]

    def method(self: "Proxy", other: Any) -> Any:
        new = forward(self, other)
        if new is NotImplemented or not self.space.in_place:
            return new
        if new.shape != self.shape:
            raise TransformError(
                f"{name}: in place, the shape {self.shape} can't become {new.shape}{users_line()}"
            )
        if new.dtype != self.dtype:
            if self.space.inexact(new.dtype) and not self.space.inexact(self.dtype):
                raise TransformError(
                    f"{name}: in place, {self.dtype} can't hold {new.dtype}{users_line()}"
                )
            new = self.space.namespace.astype(new, self.dtype)
        base = None if self.source is None else self.source[0]()
        self._refuse_relatives(base)
        self._become(new)
        if base is not None:
            index = self.source[1]
            base._become(lift(self.space, apply("setitem", (base, self), {"index": index})))
            self.source = (self.source[0], index, base.value)
        return self

    return method


def _operand(x: Any, space: Any) -> Any:
    cls = x.__class__
    if (
        cls is Proxy
        or cls is float
        or cls is int
        or cls is complex
        or cls is bool
        or cls is Counter
    ):
        return x
    if is_neutral(x) and hasattr(x, "item"):
        return space.number(x)
    if cls is Counter or hasattr(x, "__array_namespace__") or library_of(x) is not None:
        return x
    return NotImplemented


class _Ufunc:
    """Return None as ``__array_ufunc__`` for arrays of a library other than NumPy.

    CuPy's and Dask's arrays then use the proxy's operators. NumPy reads the class.
    """

    def __get__(self, x: "Proxy | None", cls: type) -> Any:
        if x is None:
            return _ufunc
        return functools.partial(_ufunc, x) if x.space.of.own_functions else None


def _ufunc(x: "Proxy", ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    for one in inputs:
        if one.__class__ is Proxy:
            return one.space.ufunc(ufunc, method, inputs, kwargs)
    return x.space.ufunc(ufunc, method, inputs, kwargs)


class Proxy:
    """Stand in for an array of the standard inside a transform."""

    __slots__ = ("__weakref__", "by", "extra", "family", "source", "space", "value")
    __array_ufunc__ = _Ufunc()
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any, by: Interpreter | None, extra: Any, space: Any) -> None:
        self.value = value
        self.by = by
        self.extra = extra
        self.space = space
        self.family: Any = None
        self.source: Any = None  # of a view: the array, the index, and what it held when written

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self.space.member(self, name)
        if found is not NotImplemented:
            return found
        raise AttributeError(
            f"arrays inside a transform have no {name!r}{users_line()}. Write a function of "
            "xp = likewise.array_namespace(x) in its place, as xp.sum(x) of x.sum()."
        )

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return self.space.namespace

    @property
    def __likewise_library__(self) -> Any:
        return self.space

    @property
    def dtype(self) -> Any:
        return bottom(self).dtype

    @property
    def device(self) -> Any:
        return device(bottom(self))

    def to_device(self, device: Any, /, *, stream: Any = None) -> "Proxy":
        if device == self.device:
            return self
        raise TransformError(f"to_device: not inside a transform{users_line()}; move it before")

    @property
    def shape(self) -> tuple[int, ...]:
        shape = self.value.shape
        if self.by is not None and self.by.lead:
            return tuple(shape[1:])
        return tuple(shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        n = 1
        for s in self.shape:
            n *= s
        return n

    @property
    def T(self) -> Any:
        axes = range(self.ndim)[::-1] if self.space.of.own_functions else (1, 0)
        return self.space.namespace.permute_dims(self, tuple(axes))

    @property
    def mT(self) -> Any:
        return self.space.namespace.matrix_transpose(self)

    def __len__(self) -> int:
        if not hasattr(self.space.array, "__len__"):
            raise TransformError(
                f"an array of {self.space.of.name} has no len(){users_line()}; write x.shape[0]"
            )
        return self._elements()

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(self._elements())])

    def _elements(self) -> int:
        if not self.shape:
            raise TypeError(
                "len() of a Proxy of no dimensions, which has no elements to go through"
            )
        return self.shape[0]

    def __repr__(self) -> str:
        by = "constant" if self.by is None else self.by.name
        return f"Proxy({seen(self, 'repr()')!r}, shape={self.shape}, {by})"

    def __getitem__(self, index: Any) -> Any:
        plain = index.__class__ is int
        where, found = (index, ()) if plain else split(self.space.indexed(index))
        out = lift(self.space, apply("getitem", (self, *found), {"index": where}))
        if found and out.by is not None and any(n != n for n in out.shape):
            raise TransformError(
                "x[mask]: how many elements there are isn't known before they are computed"
                f"{users_line()}, so their derivative has no shape. Write xp.where(mask, x, 0), "
                "with a value that counts for nothing, or pick elements outside of the transform."
            )
        # A copy: what arrays pick, and the scalars of a library that has them.
        if found or (not out.ndim and self.space.scalars):
            return out
        related(self, out)
        out.source = (weakref.ref(self), where, None)
        return out

    def __setitem__(self, index: Any, value: Any) -> None:
        """Set elements out of place: this proxy becomes the new array; views are refused."""
        where, found = split(self.space.indexed(index))
        if value.__class__ is Proxy and value.source is not None and not found:
            base, place, held = value.source
            if base() is self and place == where and held is self.value:
                return  # the end of x[i] += v, which has written it
        self._refuse_relatives(value)
        value = value.item() if is_neutral(value) and hasattr(value, "item") else value
        new = lift(self.space, apply("setitem", (self, value, *found), {"index": where}))
        self._become(new)

    def _refuse_relatives(self, *but: Any) -> None:
        for r in self.family or ():
            other = r()
            if other is not None and other is not self and all(other is not b for b in but):
                raise TransformError(
                    "an array is written to that shares its memory with another: outside of the "
                    f"transform both would change{users_line()}. Write before making the view, "
                    "or write likewise.missing.at(x)[i].set(value)."
                )

    def _become(self, new: "Proxy") -> None:
        by = new.by
        if by is not None and by.records and self.by is not by:
            by.escaped("writing to an array from outside")
        self.value, self.by, self.extra = new.value, new.by, new.extra

    def _follower(self) -> Any:
        """Return the interpreter that traces its value: None after a recording has ended."""
        by = self.by
        ended = by is not None and by.records and not by.open and recorder() is None
        return None if ended else by

    def __bool__(self) -> bool:
        return bool(self.value) if (by := self._follower()) is None else by.truth(self)

    def _escape(self, what: str) -> Any:
        return raise_escape(what) if self.by is None else self.by.escaped(what)

    def __float__(self) -> float:
        return float(self.value) if (by := self._follower()) is None else by.escaped("float()")

    def __int__(self) -> int:
        return int(self.value) if (by := self._follower()) is None else by.integer(self, "int()")

    def __complex__(self) -> complex:
        return complex(self.value) if (by := self._follower()) is None else by.escaped("complex()")

    def __index__(self) -> int:
        return (
            self.value.__index__()
            if (by := self._follower()) is None
            else by.integer(self, "index()")
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.by is None or self._follower() is not None:
            return self._escape("a conversion to NumPy")
        if self.value.__class__ is Proxy:
            return self.value.__array__(dtype, copy)
        found = self.space.of.to_numpy(self.space.of.copied(self.value))
        return found if dtype is None else found.astype(dtype)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.space.function(func, args, kwargs)

    def to_dask_array(self) -> Any:  # else Dask's reductions wrap the proxy: derivative 0
        self._escape("a conversion to Dask")

    def __dlpack__(self, **kwargs: Any) -> Any:
        self._escape("__dlpack__()")

    def __dlpack_device__(self) -> Any:
        self._escape("__dlpack_device__()")

    def __buffer__(self, flags: int) -> Any:
        self._escape("a conversion to NumPy, by the buffer protocol")

    def __copy__(self) -> "Proxy":
        return Proxy(self.value, self.by, self.extra, self.space)

    def __deepcopy__(self, memo: Any) -> "Proxy":
        return self.__copy__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        self._escape("pickling")

    def __round__(self, ndigits: Any = None) -> Any:
        self._escape("round()")

    def __format__(self, spec: str) -> str:
        if spec and self.by is not None and self._follower() is None:
            return format(self.value, spec)
        return self._escape("a format") if spec else str(self)

    def __divmod__(self, other: Any) -> Any:
        raise TransformError(
            f"divmod: no function of the standard{users_line()}. Write xp.floor_divide(x, y) and "
            "xp.remainder(x, y)"
        )

    __rdivmod__ = __divmod__

    def __neg__(self) -> Any:
        return lift(self.space, apply("negative", (self,), {}))

    def __pos__(self) -> Any:
        return lift(self.space, apply("positive", (self,), {}))

    def __abs__(self) -> Any:
        return lift(self.space, apply("abs", (self,), {}))

    def __invert__(self) -> Any:
        return lift(self.space, apply("bitwise_invert", (self,), {}))

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("subtract")
    __mul__, __rmul__ = _binary("multiply")
    __truediv__, __rtruediv__ = _binary("divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide")
    __mod__, __rmod__ = _binary("remainder")
    _power, __rpow__ = _binary("pow")

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        if modulo is not None:
            raise TransformError(
                f"pow: arrays take no third argument{users_line()}. Write xp.pow(x, y) % z"
            )
        return self._power(other)

    __matmul__, __rmatmul__ = _binary("matmul")
    __and__, __rand__ = _binary("bitwise_and")
    __or__, __ror__ = _binary("bitwise_or")
    __xor__, __rxor__ = _binary("bitwise_xor")
    __lshift__, __rlshift__ = _binary("bitwise_left_shift")
    __rshift__, __rrshift__ = _binary("bitwise_right_shift")
    __eq__, _ = _binary("equal")
    __ne__, _ = _binary("not_equal")
    __lt__, _ = _binary("less")
    __le__, _ = _binary("less_equal")
    __gt__, _ = _binary("greater")
    __ge__, _ = _binary("greater_equal")
    __iadd__ = _augmented("add")
    __isub__ = _augmented("subtract")
    __imul__ = _augmented("multiply")
    __itruediv__ = _augmented("divide")
    __ifloordiv__ = _augmented("floor_divide")
    __imod__ = _augmented("remainder")
    __ipow__ = _augmented("pow")
    __iand__ = _augmented("bitwise_and")
    __ior__ = _augmented("bitwise_or")
    __ixor__ = _augmented("bitwise_xor")


def _beside(proxy: Proxy, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Wrap the arrays among arguments, of which one is a proxy."""

    def lifted(x: Any) -> Any:
        if x.__class__ in (tuple, list):
            return x.__class__([lifted(i) for i in x])
        return x if is_neutral(x) else lift(proxy.space, x)

    return tuple(lifted(x) for x in args)


STANDING_IN[Proxy] = _beside
