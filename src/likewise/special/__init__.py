"""Special functions, made of basic arithmetic so that all libraries give nearly the same values."""

from ._erfinv import erfinv
from ._log import log1p

__all__ = ["erfinv", "log1p"]
