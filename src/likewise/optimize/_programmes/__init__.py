"""Linear programmes."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = ["LinprogResult", "linprog"]

if TYPE_CHECKING:
    from ._linprog import LinprogResult, linprog
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_linprog": "LinprogResult linprog",
        },
    )
