"""NumPy constants in calls with data of another library."""

from typing import Any

from ._namespace import is_neutral, library_of
from .interop import asarray

__all__ = ["beside"]


def beside(data: Any, *constants: Any) -> tuple[Any, ...]:
    """Return constants, with NumPy arrays converted to the library and device of the data.

    Coefficients, windows and bounds are small, and made on the host; other arrays are unchanged.
    """
    cls = type(data)
    if all(type(c) is cls or is_neutral(c) for c in constants) or is_neutral(data):
        return constants
    own = library_of(data)
    if own is None or own.name == "numpy":
        return constants
    found = [None if is_neutral(c) else library_of(c) for c in constants]
    return tuple(
        asarray(c, like=data) if f is not None and f.name == "numpy" else c
        for c, f in zip(constants, found, strict=True)
    )
