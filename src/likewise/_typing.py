"""Types for a type checker: functions return the array type that they get."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

__all__ = ["A", "Array", "Numbers"]


class Array(Protocol):
    """Has what the arrays of every library have in common, as far as their stubs agree."""

    @property
    def dtype(self) -> Any: ...

    @property
    def shape(self) -> Any: ...

    @property
    def ndim(self) -> int: ...


A = TypeVar("A", bound=Array)
Numbers: TypeAlias = complex | Sequence[Any]  # a scalar or nested lists, in calls with an array
