"""What a type checker knows of arrays: the type that goes in comes out."""

from typing import Any, Protocol, TypeVar

__all__ = ["A", "Array"]


class Array(Protocol):
    """What the arrays of every library have in common, as far as their stubs agree."""

    @property
    def dtype(self) -> Any: ...

    @property
    def shape(self) -> Any: ...

    @property
    def ndim(self) -> int: ...


A = TypeVar("A", bound=Array)
