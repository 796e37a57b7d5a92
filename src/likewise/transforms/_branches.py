"""Branches with JAX's meaning."""

from collections.abc import Callable, Sequence
from typing import Any

from .._namespace import array_namespace, describe, is_neutral
from ..errors import ArgumentError, DtypeError, TransformError
from ._following._interpreter import native
from ._following._lanes import constants, settled, structure_where
from ._following._proxy import bottom
from ._tree import alike, flatten

__all__ = ["cond", "switch"]


def cond(
    pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any
) -> Any:
    """Call one of two functions.

    Parameters
    ----------
    pred : bool or array of shape ()
        True selects `true_fun`, False `false_fun`.
    true_fun, false_fun : callable
        Functions of the operands that return arrays of the same structure, shapes and dtypes.
    *operands : array or nested structures of arrays
        Arguments of the function.

    Returns
    -------
    structure of the functions' result
        The result of the chosen function.

    Raises
    ------
    TransformError
        If `pred` is not a scalar, or both results are needed and differ in structure, shape or
        dtype.

    Notes
    -----
    As ``jax.lax.cond``, which runs for JAX's arrays. On other libraries only the chosen function is
    called; under `vmap` both are, if the batch elements differ.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import cond
    >>> cond(True, lambda x: x + 1, lambda x: x - 1, np.asarray(1.0)).item()
    2.0
    """
    leaves, structure = flatten(operands)
    own = native([pred]).cond
    if own is not None:
        return _natively(lambda *funs: own(pred, *funs, *leaves), structure, [true_fun, false_fun])
    operands = structure.unflatten(constants(leaves))
    some, every = settled("cond", pred)
    if every:
        return true_fun(*operands)
    if not some:
        return false_fun(*operands)
    return structure_where("cond", pred, true_fun(*operands), false_fun(*operands))


def _natively(call: Callable[..., Any], structure: Any, funs: Sequence[Callable[..., Any]]) -> Any:
    """Run the library's own branch on flat lists; the trace sets the results' structure."""
    box: list[Any] = []

    def flat(fun: Callable[..., Any]) -> Callable[..., Any]:
        def of_leaves(*values: Any) -> list[Any]:
            out, its = flatten(fun(*structure.unflatten(list(values))))
            box.append(its)
            return out

        return of_leaves

    out = call(*map(flat, funs))
    for its in box[1:]:
        if not alike(its, box[0]):
            raise TransformError(
                f"cond: branches must return the same structure, got {box[0]} and {its}"
            )
    return box[0].unflatten(out)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Call one of several functions.

    Parameters
    ----------
    index : int or integer array of shape ()
        The index of the function, clipped to the valid range.
    branches : sequence of callable
        Functions of the operands that return arrays of the same structure, shapes and dtypes.
    *operands : array or nested structures of arrays
        Arguments of the function.

    Returns
    -------
    structure of the functions' result
        The result of the chosen function.

    Raises
    ------
    ArgumentError
        If there are no branches.
    TransformError
        If `index` is not a scalar, or several results are needed and differ in structure, shape or
        dtype.
    DtypeError
        If `index` is not an integer.

    Notes
    -----
    As ``jax.lax.switch``, which runs for JAX's arrays. On other libraries only the chosen function
    is called; under `vmap`, all functions that a batch element needs.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import switch
    >>> switch(1, [lambda x: x, lambda x: 2 * x], np.asarray(3.0)).item()
    6.0
    """
    if not branches:
        raise ArgumentError("switch: at least one branch was expected")
    if is_neutral(index):
        integer = hasattr(index, "__index__") and not isinstance(index, bool)
    else:
        integer = array_namespace(index).isdtype(index.dtype, "integral")
    if not integer:
        raise DtypeError(f"switch: an integer index was expected, got a {describe(index)}")
    if tuple(getattr(index, "shape", ())) != ():
        raise TransformError(
            f"switch: a scalar index was expected, got an array of shape {tuple(index.shape)}"
        )
    leaves, structure = flatten(operands)
    own = native([index]).switch
    if own is not None:
        return _natively(lambda *funs: own(index, list(funs), *leaves), structure, list(branches))
    operands = structure.unflatten(constants(leaves))
    if is_neutral(bottom(index)):
        number = index.__index__()
        return branches[min(max(number, 0), len(branches) - 1)](*operands)
    out: Any = None
    found = False
    last = len(branches) - 1
    for k, branch in enumerate(branches):
        here = index <= 0 if k == 0 else index >= last if k == last else index == k
        if last == 0:
            return branch(*operands)
        some, every = settled("switch", here)
        if every:
            return branch(*operands)
        if some:
            result = branch(*operands)
            out = structure_where("switch", here, result, out) if found else result
            found = True
    return out
