"""Statistics with SciPy's names and meaning, on every library."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "ConstantInputWarning",
    "DegenerateDataWarning",
    "NearConstantInputWarning",
    "SmallSampleWarning",
]

if TYPE_CHECKING:
    from ._base import (
        ConstantInputWarning,
        DegenerateDataWarning,
        NearConstantInputWarning,
        SmallSampleWarning,
    )
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_base": (
                "ConstantInputWarning DegenerateDataWarning NearConstantInputWarning "
                "SmallSampleWarning"
            ),
        },
    )
