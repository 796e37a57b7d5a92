"""Sequences that fill the unit cube evenly, and measures of how evenly they do."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "Halton",
    "LatinHypercube",
    "MultinomialQMC",
    "MultivariateNormalQMC",
    "PoissonDisk",
    "QMCEngine",
    "Sobol",
    "discrepancy",
    "geometric_discrepancy",
    "scale",
    "update_discrepancy",
]

if TYPE_CHECKING:
    from ._engine import QMCEngine
    from ._halton import Halton
    from ._latin import LatinHypercube
    from ._measures import discrepancy, geometric_discrepancy, scale, update_discrepancy
    from ._poisson_disk import PoissonDisk
    from ._sobol import Sobol
    from ._transformed import MultinomialQMC, MultivariateNormalQMC
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_engine": "QMCEngine",
            "_halton": "Halton",
            "_latin": "LatinHypercube",
            "_measures": "discrepancy geometric_discrepancy scale update_discrepancy",
            "_poisson_disk": "PoissonDisk",
            "_sobol": "Sobol",
            "_transformed": "MultinomialQMC MultivariateNormalQMC",
        },
    )
