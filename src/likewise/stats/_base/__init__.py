"""Samples, their results and their warnings: on these stand all rooms of `stats`."""

from ...errors import (
    ConstantInputWarning,
    DegenerateDataWarning,
    NearConstantInputWarning,
    SmallSampleWarning,
)

__all__ = [
    "ConstantInputWarning",
    "DegenerateDataWarning",
    "NearConstantInputWarning",
    "SmallSampleWarning",
]
