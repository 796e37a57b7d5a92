"""Global minima: searches of many points and starts at once."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "BasinhoppingResult",
    "DifferentialEvolutionResult",
    "DirectResult",
    "DualAnnealingResult",
    "ShgoResult",
    "basinhopping",
    "brute",
    "differential_evolution",
    "direct",
    "dual_annealing",
    "shgo",
]

if TYPE_CHECKING:
    from ._basinhopping import BasinhoppingResult, basinhopping
    from ._brute import brute
    from ._differential_evolution import DifferentialEvolutionResult, differential_evolution
    from ._direct import DirectResult, direct
    from ._dual_annealing import DualAnnealingResult, dual_annealing
    from ._shgo import ShgoResult, shgo
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_basinhopping": "BasinhoppingResult basinhopping",
            "_brute": "brute",
            "_differential_evolution": "DifferentialEvolutionResult differential_evolution",
            "_direct": "DirectResult direct",
            "_dual_annealing": "DualAnnealingResult dual_annealing",
            "_shgo": "ShgoResult shgo",
        },
    )
