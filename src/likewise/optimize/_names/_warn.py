"""Starts and warnings of functions under SciPy's other names."""

import warnings
from typing import Any

from ...errors import OptimizeWarning

__all__ = ["several", "warn"]


def several(x0: Any) -> Any:
    """Return a start of one number as one of several."""
    if hasattr(x0, "shape"):
        return x0 if x0.shape else x0[None]
    return x0 if isinstance(x0, list | tuple) else [x0]


def warn(text: str) -> None:
    """Warn at the line of the caller's."""
    warnings.warn(text, OptimizeWarning, stacklevel=4)
