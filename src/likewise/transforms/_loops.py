"""Control flow that runs eagerly and can be traced."""

from collections.abc import Callable
from typing import Any, TypeVar

from .._namespace import is_lazy, is_neutral, library_of
from ..errors import NotSupported
from ._tree import leaves

__all__ = ["while_loop"]

T = TypeVar("T")


def while_loop(cond_fun: Callable[[T], Any], body_fun: Callable[[T], T], init_val: T) -> T:
    """Call a function on its own result for as long as a condition holds.

    Parameters
    ----------
    cond_fun : callable
        Of the value; returns a scalar truth value (a Python bool or an array of shape ()).
    body_fun : callable
        Of the value; returns the next one, of the same structure, shapes and dtypes.
    init_val : array, scalar, or nested tuples, lists and dicts of them
        The first value.

    Returns
    -------
    same structure as `init_val`
        The first value for which the condition is false.

    Raises
    ------
    NotSupported
        On lazy arrays of a library without a loop of its own (Dask, torch under torch.func or
        torch.compile), where the condition has no value.

    Notes
    -----
    The meaning is that of ``jax.lax.while_loop``, which runs for JAX's arrays and tracers; other
    libraries loop in Python, at one look at the condition a step. Differentiable in forward mode on
    JAX, in reverse mode through ``backward()`` on torch.

    Examples
    --------
    >>> from likewise.transforms import while_loop
    >>> while_loop(lambda n: n < 100, lambda n: 2 * n, 1)
    128
    """
    for leaf in leaves(init_val):
        library = None if is_neutral(leaf) else library_of(leaf)
        if library is None:
            continue
        loop = getattr(library, "while_loop", None)
        if loop is not None:
            out: T = loop(cond_fun, body_fun, init_val)
            return out
        if is_lazy(leaf):
            raise NotSupported(
                f"while_loop: {library.name} has no loop over lazy arrays, and their condition "
                "has no value yet. Call it on eager arrays, or map it over blocks."
            )
    value = init_val
    while bool(cond_fun(value)):
        value = body_fun(value)
    return value
