"""Univariate distributions: rows, and the classes that make all methods of them."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "norm",
    "poisson",
    "t",
]

if TYPE_CHECKING:
    from ._normal import norm
    from ._poisson import poisson
    from ._student import t
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_normal": "norm",
            "_poisson": "poisson",
            "_student": "t",
        },
    )
