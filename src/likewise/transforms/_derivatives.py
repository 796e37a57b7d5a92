"""Derivatives and batches by the library's own transform."""

from collections.abc import Callable
from typing import Any

from .._namespace import is_neutral, library_of
from ..errors import NotSupported
from ._tree import leaves

__all__ = ["vjp", "vmap"]


def _own(name: str, args: Any) -> Any:
    """The transform of the library that the arrays belong to."""
    for leaf in leaves(args):
        library = None if is_neutral(leaf) else library_of(leaf)
        if library is not None:
            found = getattr(library, name, None)
            if found is None:
                raise NotSupported(
                    f"{name}: {library.name} has no {name} of its own; JAX and PyTorch have. "
                    "Convert with likewise.asarray(x, namespace='torch')."
                )
            return found
    raise NotSupported(f"{name}: an array of JAX or PyTorch was expected among the arguments")


def vjp(fun: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return a function's value, and the function that pulls cotangents back to its arguments.

    Parameters
    ----------
    fun : callable
        Of the primals; returns an array or nested tuples, lists and dicts of arrays.
    *primals : array
        Floating arrays of JAX or PyTorch.

    Returns
    -------
    out : same structure as `fun` returns
        The value.
    pullback : callable
        Of a cotangent with the structure, shapes and dtypes of `out`; returns a tuple with one
        array for each primal.

    Raises
    ------
    NotSupported
        On arrays of a library without a reverse mode.

    Notes
    -----
    ``jax.vjp`` and ``torch.func.vjp``. Costs a small multiple of `fun`. Complex arguments follow
    JAX's convention on both: nothing is conjugated, and the real parts of ``sum(ct * jvp)`` and
    ``sum(pullback(ct) * tangent)`` are equal.

    Examples
    --------
    >>> import torch
    >>> from likewise.transforms import vjp
    >>> out, pullback = vjp(lambda x: x * x, torch.asarray(3.0))
    >>> pullback(torch.asarray(1.0))
    (tensor(6.),)
    """
    found: tuple[Any, Callable[[Any], tuple[Any, ...]]] = _own("vjp", primals)(fun, *primals)
    return found


def vmap(fun: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """Return a function that maps another over axes of its arguments.

    Parameters
    ----------
    fun : callable
        Of one element of each argument.
    in_axes : int, None or nested tuples of them, optional
        The axis of each argument to map over; None for an argument that all calls share.
    out_axes : int or nested tuples of it, optional
        Where the results are stacked.

    Returns
    -------
    callable
        Of the stacked arguments, which are arrays of JAX or PyTorch.

    Raises
    ------
    NotSupported
        When called with arrays of another library.

    Notes
    -----
    ``jax.vmap`` and ``torch.func.vmap``.

    Examples
    --------
    >>> import torch
    >>> from likewise.transforms import vmap
    >>> vmap(lambda x: x.sum())(torch.ones(2, 3))
    tensor([3., 3.])
    """

    def mapped(*args: Any) -> Any:
        return _own("vmap", args)(fun, in_axes, out_axes)(*args)

    return mapped
