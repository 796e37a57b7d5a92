"""The counter of a loop with a traced body, which is a number in each step."""

import sys
from collections.abc import Sequence
from typing import Any

from ..._standard import OPERATORS
from ._instructions import HOLE

__all__ = ["INDEXED", "Counter", "bared", "filled_in", "number", "parted"]

_PACKAGE = __name__.partition(".")[0] + "."
# Of these the setting `index` may hold counters; so many operands stand before those in its holes.
INDEXED = {"getitem": 1, "setitem": 2, "index_add": 2}
_NUMBERS = (int, float)


class Counter:
    """Stand in for a loop counter, or a number computed from one; arithmetic with it is recorded.

    Like a Python number, it can be combined with arrays in operators, and used in an index.
    Reading its value ends the recording.
    """

    __slots__ = ("by", "number", "slot")
    __array_ufunc__ = None

    def __init__(self, by: Any, number: Any, slot: int) -> None:
        self.by, self.number, self.slot = by, number, slot

    @property
    def __class__(self) -> Any:
        """Treat ``isinstance`` in the user's code as a read of the value."""
        if str(sys._getframe(1).f_globals.get("__name__")).startswith(_PACKAGE):
            return Counter
        self.by.looked("isinstance()")
        return type(self.number)

    @__class__.setter
    def __class__(self, new: Any) -> None:
        raise TypeError("a counter stays one")


def _binary(name: str) -> tuple[Any, Any]:
    def forward(self: Counter, other: Any) -> Any:
        return _together(name, self, other, self, other)

    def reflected(self: Counter, other: Any) -> Any:
        return _together(name, other, self, self, other)

    return forward, reflected


def _together(name: str, x: Any, y: Any, counter: Counter, other: Any) -> Any:
    """Run an operator of a counter and a number, or an array from outside."""
    cls = type(other)
    if cls in _NUMBERS or (cls is Counter and other.by is counter.by):
        return counter.by.counted(name, x, y)
    if hasattr(other, "__array_namespace__") and not hasattr(cls, "__likewise_library__"):
        return counter.by.operated(name, x, y)
    return NotImplemented


def _unary(name: str) -> Any:
    def method(self: Counter) -> Any:
        return self.by.counted(name, self)

    return method


def _look(name: str) -> Any:
    def method(self: Counter, *args: Any) -> Any:
        if not self.by.open and hasattr(int, f"__{name}__"):  # after the loop
            return getattr(self.number, f"__{name}__")(*map(number, args))
        return self.by.escaped(f"{name}() of a counter")

    return method


for _name, _, _method in OPERATORS[:7]:  # arithmetic of numbers
    _forward, _reflected = _binary(_method)
    setattr(Counter, f"__{_name}__", _forward)
    setattr(Counter, f"__r{_name}__", _reflected)
for _name in ("neg", "pos", "abs"):
    setattr(Counter, f"__{_name}__", _unary(_name))
for (
    _name
) in """array bool ceil complex divmod eq float floor format ge gt hash index int invert le lt
    ne repr rdivmod round str trunc""".split():
    setattr(Counter, f"__{_name}__", _look(_name))


def parted(
    name: str, operands: Sequence[Any], settings: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """Replace the counters of an index by holes, and return them as operands."""
    first = INDEXED.get(name)
    if first is None:
        return operands, settings
    index = settings["index"]
    entries = index if type(index) is tuple else (index,)
    if not any(type(e) is Counter for e in entries):
        return operands, settings
    left = iter(operands[first:])
    found = [
        e if type(e) is Counter else next(left) for e in entries if e is HOLE or type(e) is Counter
    ]
    holes = tuple(HOLE if type(e) is Counter else e for e in entries)
    new = holes if type(index) is tuple else holes[0]
    return (*operands[:first], *found), {**settings, "index": new}


def filled_in(
    name: str, operands: Sequence[Any], settings: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """Undo `parted`: put numbers and counters back in the index."""
    first = INDEXED.get(name)
    if first is None or not any(type(a) in (int, Counter) for a in operands[first:]):
        return operands, settings
    index = settings["index"]
    entries = index if type(index) is tuple else (index,)
    left = iter(operands[first:])
    full = [next(left) if e is HOLE else e for e in entries]
    arrays = [
        a for e, a in zip(entries, full, strict=True) if e is HOLE and type(a) not in (int, Counter)
    ]
    back = tuple(
        a if e is HOLE and type(a) in (int, Counter) else e
        for e, a in zip(entries, full, strict=True)
    )
    new = back if type(index) is tuple else back[0]
    return (*operands[:first], *arrays), {**settings, "index": new}


def number(x: Any) -> Any:
    """Return a counter's number in this step; return other objects unchanged."""
    return x.number if type(x) is Counter else x


def bared(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings with numbers in place of an index's counters."""
    if name not in INDEXED:
        return settings
    index = settings["index"]
    new: Any = tuple(map(number, index)) if type(index) is tuple else number(index)
    return {**settings, "index": new}
