"""Global minima: searches of many points and starts at once."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "DifferentialEvolutionResult",
    "differential_evolution",
]

if TYPE_CHECKING:
    from ._differential_evolution import DifferentialEvolutionResult, differential_evolution
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_differential_evolution": "DifferentialEvolutionResult differential_evolution",
        },
    )
