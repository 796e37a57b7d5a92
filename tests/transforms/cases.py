"""What the rules of the interpreter are tested on: functions of the standard with arguments."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Case"]


@dataclass(frozen=True)
class Case:
    """One instruction on some arguments.

    Parameters
    ----------
    name : str
        The instruction, as in the table of instructions: 'exp', 'linalg.solve', 'getitem'.
    fun : callable
        Of the namespace and the arrays; returns an array or a tuple of arrays, in a form that has
        a derivative (of a decomposition, what doesn't depend on the choice of signs).
    args : tuple of numpy.ndarray
        In float64, complex128, or integers and booleans for what isn't differentiated.
    label : str
        What is special: 'axis=0'.
    diff : tuple of int, optional
        Which arguments are differentiated; all floating ones by default.
    reference : {'jax', 'differences'}
        Where the right derivative comes from: JAX's own rule, or central differences in mpmath or
        the complex step where JAX has no rule or another value.
    only : tuple of str
        Which of 'jvp', 'vjp', 'second', 'batch' are tested; the others' absence needs a reason.
    reason : str
        Why not all of them.
    batch : tuple of int, optional
        Which arguments may be batched; all by default.
    """

    name: str
    fun: Callable[..., Any]
    args: tuple[Any, ...]
    label: str = ""
    diff: tuple[int, ...] | None = None
    reference: str = "jax"
    only: tuple[str, ...] = ("jvp", "vjp", "second", "batch")
    reason: str = ""
    batch: tuple[int, ...] | None = None
