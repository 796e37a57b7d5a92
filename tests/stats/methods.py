"""Calls of a distribution's methods, which the variants that compile functions compile."""

from typing import Any

__all__ = ["values"]


def values(distribution: Any, *args: Any, names: tuple[str, ...], **options: Any) -> Any:
    """Return what methods give of the same arguments: on JAX, by one program."""
    return tuple(getattr(distribution, name)(*args, **options) for name in names)
