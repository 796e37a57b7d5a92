"""Minima of functions of several variables: `minimize`."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "MinimizeResult",
    "minimize",
]

if TYPE_CHECKING:
    from ._minimize import MinimizeResult, minimize
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_minimize": "MinimizeResult minimize",
        },
    )
