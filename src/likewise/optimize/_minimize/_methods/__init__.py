"""The methods of `minimize`: every file of this folder defines one, and ends with its row."""

import importlib
import pkgutil

from .._method import Row

__all__ = ["BOUNDED", "CONSTRAINED", "METHODS", "ROUTINE", "usual"]

_FOUND: list[Row] = [
    importlib.import_module(f"{__name__}.{file.name}").METHOD
    for file in pkgutil.iter_modules(__path__)
]
METHODS = {row.name: row for row in _FOUND}
# For messages.
BOUNDED = " and ".join(repr(row.name) for row in _FOUND if row.bounded)
CONSTRAINED = " and ".join(repr(row.name) for row in _FOUND if row.constrained)
ROUTINE = ", ".join(repr(row.name) for row in _FOUND if row.routine)


def usual(bounded: bool, constrained: bool = False) -> Row:
    """Return the default method, with or without bounds or constraints."""
    if constrained:
        return next(row for row in _FOUND if row.usual and row.constrained)
    some = (row for row in _FOUND if row.usual and not row.constrained)
    return next(row for row in some if row.bounded == bounded)
