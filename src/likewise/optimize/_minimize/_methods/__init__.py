"""The methods of `minimize`: every file of this folder defines one, and ends with its row."""

import importlib
import pkgutil

from .._method import Row

__all__ = ["METHODS"]

_FOUND: list[Row] = [
    importlib.import_module(f"{__name__}.{file.name}").METHOD
    for file in pkgutil.iter_modules(__path__)
]
METHODS = {row.name: row for row in _FOUND}
