"""Starts and warnings of functions under SciPy's other names."""

import warnings
from typing import Any

from ...errors import OptimizeWarning, _level

__all__ = ["several", "warn"]


def several(x0: Any) -> Any:
    """Return a start that is one number as an array of one."""
    if hasattr(x0, "shape"):
        return x0 if x0.shape else x0[None]
    return x0 if isinstance(x0, list | tuple) else [x0]


def warn(text: str) -> None:
    """Warn with the caller's line."""
    warnings.warn(text, OptimizeWarning, stacklevel=_level())
