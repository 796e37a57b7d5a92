"""Promotion."""

from typing import Any

from ._namespace import array_namespace, is_neutral, library_named, namespace
from .errors import ArgumentError

__all__ = ["default_floating", "result_type"]


def default_floating(xp: Any, device: Any = None, *, kind: str = "real floating") -> Any:
    """The dtype that a library gives to Python floats."""
    return xp.__array_namespace_info__().default_dtypes(device=device)[kind]


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype of an operation on the arguments.

    Parameters
    ----------
    *arrays_and_dtypes : array, dtype or Python scalar
        At least one. NumPy scalars count as Python scalars, hence as weak; dtypes are those of
        the arrays' library, or of the default one if there is no array.

    Returns
    -------
    dtype
        The standard's promotion. Where the standard leaves it open, integers with floating arrays
        give the floating dtype, and a weak number of a higher kind than every array (1.5 with
        integers, 1 with booleans) the library's default dtype of its kind.

    Raises
    ------
    ArgumentError
        If nothing is given.
    MixedLibrariesError
        If the arrays are of different libraries.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> likewise.result_type(np.ones(3, dtype=np.float32), 1.5, np.float64(2))
    dtype('float32')
    """
    if not arrays_and_dtypes:
        raise ArgumentError("result_type: an array, dtype or scalar was expected, but nothing came")
    # A dtype has no dtype; those that are classes (np.float32) do, but as a descriptor.
    arrays = [a for a in arrays_and_dtypes if hasattr(a, "dtype") and not isinstance(a, type)]
    xp = array_namespace(*arrays) if arrays else _namespace_of(arrays_and_dtypes)
    plain = [a.item() if is_neutral(a) and hasattr(a, "item") else a for a in arrays_and_dtypes]
    dtypes = [a.dtype if hasattr(a, "dtype") and not isinstance(a, type) else a for a in plain]
    strong = [d for d in dtypes if not isinstance(d, bool | int | float | complex)]
    floating = [d for d in strong if xp.isdtype(d, ("real floating", "complex floating"))]
    weak = [d for d in dtypes if isinstance(d, bool | int | float | complex)]
    if floating:
        strong = floating
    elif any(isinstance(w, float | complex) for w in weak):
        strong = [default_floating(xp)]
    elif all(xp.isdtype(d, "bool") for d in strong):
        if any(not isinstance(w, bool) for w in weak):
            strong = [default_floating(xp, kind="integral")]
        strong = strong or [xp.bool]
    if any(isinstance(w, complex) for w in weak) and not any(
        xp.isdtype(d, "complex floating") for d in strong
    ):
        strong.append(xp.complex64)
    return xp.result_type(*strong)


def _namespace_of(dtypes: tuple[Any, ...]) -> Any:
    """The namespace that the first dtype belongs to; the default one of scalars alone."""
    for dtype in dtypes:
        module = dtype.__module__ if isinstance(dtype, type) else type(dtype).__module__
        name = library_named(module)
        if name is not None and not is_neutral(dtype):
            return namespace(name)
    return array_namespace()
