"""The standard as an instruction set: the operands and settings of each function, and its facts.

An operand is an array or a scalar that a rule may differentiate or batch; a setting is not. Four
instructions are not functions of the standard: ``getitem``, ``setitem`` (out of place) and
``index_add``, whose setting ``index`` holds an index in which `HOLE` stands for each array, and
``stop_gradient``.
"""

import ast
import functools
from typing import Any, NamedTuple

from ..._standard import ARRAYS, FUNCTIONS, Function, rows

__all__ = [
    "BY_KEYWORD",
    "CHECKS",
    "COMPOSITES",
    "CREATION",
    "ELEMENTWISE",
    "GROWING",
    "HOLE",
    "INSPECTION",
    "INSTRUCTIONS",
    "ITSELF",
    "MOVED",
    "NEW",
    "PICKED",
    "QUIET",
    "SEVERAL",
    "VIEWS",
    "Instruction",
]


class _Hole:
    """Mark the place of an operand in an index."""

    def __repr__(self) -> str:
        return "HOLE"


HOLE = _Hole()
# What is no function of the standard; the last is Python's ``**`` where that is recorded as it is.
_OWN = """
getitem      | view raises picked | x *indices index
setitem      | raises             | x value *indices index
index_add    | raises             | x value *indices index
stop_gradient | elementwise view  | x
operator.pow | new raises         | x1 x2
"""
_ROWS = FUNCTIONS | rows(_OWN)


def having(fact: str) -> frozenset[str]:
    """Return the names of the functions and other instructions of which this is known."""
    return frozenset(name for name, row in _ROWS.items() if fact in row.facts)


COMPOSITES = having("composite")  # written in others, see `_space`
CREATION = having("creation") | having("like")
INSPECTION = having("inspection")
SEVERAL = having("several")  # arrays come out
ELEMENTWISE = having("elementwise")
NEW, ITSELF = having("new"), having("itself")  # whose memory the result may share
VIEWS = having("view")
MOVED = VIEWS - ELEMENTWISE  # the elements come out as they are
GROWING, PICKED = having("shaped"), having("picked")  # shapes that depend on values
# What may raise for some values and not for others, or give another shape: nobody may leave it out.
CHECKS = having("raises") | GROWING
QUIET = having("quiet") | MOVED  # what never warns


class Instruction(NamedTuple):
    """Hold the operands' names, and the settings' defaults; `...` means required."""

    name: str
    operands: tuple[str, ...]
    settings: dict[str, Any]
    rest: str | None  # the name of operands of any number, after the others

    def bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the operands and the passed settings of a call with the standard's signature."""
        if self.rest is not None and not self.operands:  # concat(arrays), stack(arrays)
            operands, left = tuple(args[0] if args else kwargs.pop(self.rest)), args[1:]
        elif self.rest is not None:  # getitem(x, *indices, index=...)
            operands, left = args, ()
        else:
            operands, left = args[: len(self.operands)], args[len(self.operands) :]
            names = self.operands[len(operands) :]
            more = [kwargs.pop(n, None) for n in names] if kwargs else []
            while more and more[-1] is None:
                more.pop()
            operands = (*operands, *more)
        if left:
            if len(left) > len(self.settings):
                raise TypeError(f"{self.name}: too many arguments ({len(args)})")
            kwargs = dict(zip(self.settings, left, strict=False)) | kwargs
        for key in kwargs:
            if key not in self.settings:
                raise TypeError(f"{self.name}: got an unexpected keyword argument {key!r}")
        return operands, kwargs


def _instruction(row: Function) -> Instruction:
    names = row.parameters
    operands = tuple(n for n in names if n in _ARRAYS and n != "arrays")
    settings = {n: _value(row.defaults.get(n, "...")) for n in names if n not in _ARRAYS}
    return Instruction(
        row.name, operands, settings, "arrays" if "arrays" in names else row.rest or None
    )


_ARRAYS = ARRAYS | {"value"}
_value = functools.cache(ast.literal_eval)
# The ends of `linspace` have derivatives.
_OTHERS = (COMPOSITES | CREATION | INSPECTION | {"operator.pow"}) - {"linspace"}
INSTRUCTIONS: dict[str, Instruction] = {
    name: _instruction(row) for name, row in _ROWS.items() if name not in _OTHERS
}
# Operands that are given by keyword only, and how many stand before them.
BY_KEYWORD = {
    name: (len(row.operands) - len(named), named)
    for name, row in INSTRUCTIONS.items()
    if (named := tuple(n for n in row.operands if n in _ROWS[name].keywords))
}
