"""Finite differences in place of exact derivatives, for functions that can't be traced."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .._namespace import is_lazy
from ..errors import DerivativeWarning, TransformError
from ..transforms._following._interpreter import is_open
from ._function import arguments
from ._options import warned
from ._running import compiles, watched

__all__ = ["of_row", "or_differenced"]

T = TypeVar("T")


def or_differenced(
    function: str,
    solve: Callable[[Any], T],
    jac: Any,
    like: Any,
    alone: bool,
    fun: Callable[[Any], Any] | None = None,
    asked: str = "jac='2-point'",
) -> T:
    """Call `solve` with `jac`; if the function can't be traced, with SciPy's finite differences.

    The fallback applies only to one problem with values outside transforms; otherwise the error is
    raised. It solves again from the start, with a warning.

    Parameters
    ----------
    function : str
        The public function.
    solve : callable
        The solver, a function of `jac`: None or the name of a scheme of differences.
    jac : object
        The caller's argument.
    like : array
        An array of the library.
    alone : bool
        Whether it is one problem.
    fun : callable, optional
        The user's function of `like`, for one problem. A library that silently converts traced
        arrays to numbers calls it once with such conversions refused.
    asked : str
        The argument that selects finite differences.
    """
    if jac is not None:
        return solve(jac)
    alone = alone and not is_open()
    try:
        if fun is not None and alone and not is_lazy(like):
            watched(fun, like)
        return solve(None)
    except TransformError as error:
        if not alone or is_lazy(like) or compiles(like):
            error.args = (f"{error} {function} takes {asked} for what can't be followed",)
            raise
        unfollowed = error
    try:
        found = solve("2-point")
    except TransformError:  # of a transform in the function
        raise unfollowed from None
    warned(
        f"{function}: derivatives are by differences, as with {asked}, which ends this warning; "
        f"exact ones can't be had: {unfollowed}",
        DerivativeWarning,
    )
    return found


def of_row(
    fun: Callable[..., Any], args: Any, kwargs: Mapping[str, Any] | None = None
) -> Callable[[Any], Any]:
    """Return the user's function of one problem as one of rows (1, p)."""
    return lambda x: fun(x[0, :], *arguments(args), **(kwargs or {}))
