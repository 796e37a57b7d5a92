"""Promotion: the one rule for arrays of several dtypes."""

from collections.abc import Sequence
from typing import Any

from ._namespace import array_namespace, is_neutral, library_named, namespace
from ._namespace import device as device_of
from .errors import ArgumentError, DtypeError

__all__ = ["common_dtype", "default_floating", "result_type"]


def default_floating(xp: Any, device: Any = None, *, kind: str = "real floating") -> Any:
    """Return the dtype that a library gives to Python floats."""
    return xp.__array_namespace_info__().default_dtypes(device=device)[kind]


def common_dtype(
    function: str, xp: Any, dtypes: Sequence[Any], weak: Sequence[Any] = (), device: Any = None
) -> Any:
    """Return the dtype of an operation on arrays and weak Python numbers.

    Floating dtypes determine the result alone, else integer ones, else booleans. A weak number of a
    higher kind than all arrays gives the library's default dtype of its kind.
    """
    floating = [d for d in dtypes if xp.isdtype(d, ("real floating", "complex floating"))]
    if floating or any(isinstance(w, float | complex) for w in weak):
        found = floating or [default_floating(xp, device)]
        if any(isinstance(w, complex) for w in weak) and not any(
            xp.isdtype(d, "complex floating") for d in found
        ):
            found.append(xp.complex64)  # complex, of the others' precision
        return found[0] if len(found) == 1 else xp.result_type(*found)
    whole = [d for d in dtypes if not xp.isdtype(d, "bool")]
    if whole:
        return _common_integer(function, xp, whole)
    if any(not isinstance(w, bool) for w in weak):
        return default_floating(xp, device, kind="integral")
    return xp.bool


def _common_integer(function: str, xp: Any, dtypes: list[Any]) -> Any:
    """The smallest integer dtype that holds several; not all libraries promote them."""
    if all(d == dtypes[0] for d in dtypes):
        return dtypes[0]
    signed = [xp.iinfo(d).bits for d in dtypes if xp.isdtype(d, "signed integer")]
    unsigned = [xp.iinfo(d).bits for d in dtypes if xp.isdtype(d, "unsigned integer")]
    bits = max(signed + [2 * n for n in unsigned]) if signed else max(unsigned)
    name = f"int{bits}" if signed else f"uint{bits}"
    known = xp.__array_namespace_info__().dtypes(kind="integral")
    if name not in known:  # int8 with uint64; with int32, uint32 on JAX without 64-bit types
        came = " and ".join(dict.fromkeys(str(d) for d in dtypes))
        raise DtypeError(
            f"{function}: got integers of {came}, for which there is no common dtype here. Convert "
            "one of them to the dtype of the other, or to a floating one, by xp.astype."
        )
    return known[name]


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype of an operation on the arguments.

    Parameters
    ----------
    *arrays_and_dtypes : array, dtype or Python scalar
        At least one. NumPy scalars are weak, like Python scalars; dtypes are those of the arrays'
        library, or of the default one if there is no array.

    Returns
    -------
    dtype
        The promotion of the array API standard. Where that is undefined, integers and booleans take
        the dtype of floating arrays, booleans take that of integers, and a weak number of a higher
        kind than every array (1.5 with integers, 1 with booleans) gives the library's default dtype
        of its kind.

    Raises
    ------
    ArgumentError
        If there are no arguments.
    DtypeError
        If integers have no common dtype: signed ones with uint64.
    MixedLibrariesError
        If the arrays are of different libraries.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> likewise.result_type(np.ones(3, dtype=np.float32), 1.5, np.float64(2))
    dtype('float32')
    """
    if not arrays_and_dtypes:
        raise ArgumentError("result_type: an array, dtype or scalar was expected, got nothing")
    # A dtype has no dtype; those that are classes (np.float32) do, but as a descriptor.
    arrays = [a for a in arrays_and_dtypes if hasattr(a, "dtype") and not isinstance(a, type)]
    xp = array_namespace(*arrays) if arrays else _namespace_of(arrays_and_dtypes)
    plain = [a.item() if is_neutral(a) and hasattr(a, "item") else a for a in arrays_and_dtypes]
    dtypes = [a.dtype if hasattr(a, "dtype") and not isinstance(a, type) else a for a in plain]
    weak = [d for d in dtypes if isinstance(d, bool | int | float | complex)]
    strong = [d for d in dtypes if not isinstance(d, bool | int | float | complex)]
    for d in strong:
        if d is None or isinstance(d, str | list | tuple):
            raise ArgumentError(
                f"result_type: an array, dtype or scalar was expected, got {d!r}. Make an array of "
                "a list with likewise.asarray(x, like=y)."
            )
    return common_dtype("result_type", xp, strong, weak, device_of(arrays[0]) if arrays else None)


def _namespace_of(dtypes: tuple[Any, ...]) -> Any:
    """The namespace that the first dtype belongs to; the default one of scalars alone."""
    for dtype in dtypes:
        module = dtype.__module__ if isinstance(dtype, type) else type(dtype).__module__
        name = library_named(module)
        if name is not None and not is_neutral(dtype):
            return namespace(name)
    return array_namespace()
