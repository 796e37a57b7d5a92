"""Univariate distributions: rows, and the classes that make all methods of them."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "beta",
    "chi2",
    "f",
    "gamma",
    "norm",
    "poisson",
    "t",
]

if TYPE_CHECKING:
    from ._beta import beta, f
    from ._gamma import chi2, gamma
    from ._normal import norm
    from ._poisson import poisson
    from ._student import t
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_beta": "beta f",
            "_gamma": "chi2 gamma",
            "_normal": "norm",
            "_poisson": "poisson",
            "_student": "t",
        },
    )
