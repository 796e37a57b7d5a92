"""A value that was found without derivatives, with those of a formula for the same."""

from typing import Any

from ..transforms import custom_jvp

__all__ = ["carrying"]


@custom_jvp
def carrying(value: Any, formula: Any) -> Any:
    """Return the value with the formula's derivatives.

    Compiled code doesn't compute the formula where no one asks for derivatives.
    """
    return value


@carrying.defjvp
def _along(values: Any, tangents: Any) -> tuple[Any, Any]:
    return carrying(*values), tangents[1]
