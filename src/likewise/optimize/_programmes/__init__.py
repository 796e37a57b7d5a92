"""Linear programmes."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = ["LinprogResult", "MilpResult", "linprog", "milp"]

if TYPE_CHECKING:
    from ._linprog import LinprogResult, linprog
    from ._milp import MilpResult, milp
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_linprog": "LinprogResult linprog",
            "_milp": "MilpResult milp",
        },
    )
