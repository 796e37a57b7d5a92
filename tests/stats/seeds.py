"""How many random calls a test makes."""

from typing import Any

__all__ = ["seeds"]


def seeds(xp: Any, count: int) -> range:
    """Return so many seeds; one on JAX, which compiles each operation for each shape anew."""
    return range(1 if getattr(xp, "library", "") == "jax" else count)
