"""Holds the defaults of creation functions, per context; initially NumPy on the CPU.

State alone; `use`, `set_default` and the checks are in ``_creation``. No algorithm reads this.
"""

import os
from contextvars import ContextVar
from typing import Any, NamedTuple

from .errors import ArgumentError

__all__ = [
    "BLOCKED",
    "IN_USE",
    "KNOWN",
    "LIBRARIES",
    "PREFERRED",
    "SET_ORDER",
    "Default",
    "Known",
    "current",
    "from_environment",
    "memory_fraction",
    "program",
]


class Known(NamedTuple):
    """Describe a library without importing it."""

    title: str
    module: str  # what is imported
    roots: tuple[str, ...]  # the packages of its classes
    pip: str  # what installs it
    distributions: tuple[str, ...]  # any of which has its version
    host: bool = True  # whether it has arrays in host memory
    gpu: bool = False  # whether it has arrays on a GPU
    blocks: bool = False  # whether its arrays come in blocks


KNOWN = {
    "numpy": Known("NumPy", "numpy", ("numpy",), "numpy", ("numpy",)),
    "cupy": Known(
        *("CuPy", "cupy", ("cupy",), "cupy-cuda13x"),
        ("cupy-cuda12x", "cupy-cuda13x", "cupy"),
        host=False,
        gpu=True,
    ),
    "torch": Known("PyTorch", "torch", ("torch",), "torch", ("torch",), gpu=True),
    "jax": Known("JAX", "jax", ("jax", "jaxlib"), "jax", ("jax",), gpu=True),
    "dask": Known("Dask", "dask.array", ("dask",), "'dask[array]'", ("dask",), blocks=True),
    "strict": Known(
        *("array-api-strict", "array_api_strict", ("array_api_strict",), "array-api-strict"),
        ("array-api-strict",),
    ),
}
LIBRARIES = tuple(KNOWN)
# LIKEWISE_PREFER: names in order of preference, as for `prefer`, for the whole program.
PREFERRED = tuple(os.environ.get("LIKEWISE_PREFER", "").replace(",", " ").split())
# LIKEWISE_BLOCK: providers that are treated as not installed.
BLOCKED = frozenset(os.environ.get("LIKEWISE_BLOCK", "").replace(",", " ").split())
# LIKEWISE_SET_ORDER, 'a>b,c>b': the order of pairs of preferred names.
SET_ORDER = tuple(
    tuple(name.strip() for name in chain.split(">"))
    for chain in os.environ.get("LIKEWISE_SET_ORDER", "").split(",")
    if chain.strip()
)


class Default(NamedTuple):
    """The defaults of creation."""

    namespace: str = "numpy"
    device: Any = None  # 'cpu', 'gpu', 'gpu:1', the library's own object, or None for its default
    dtype: str | None = None  # real floating; None for the library's default
    device_fallback: bool = False
    memory_fraction: float = 0.5


# Each thread and asyncio task has its own context, which alone sees the setting of `use`.
IN_USE: ContextVar[Default | None] = ContextVar("likewise.use", default=None)
program: list[Default] = []  # at most one: the program's default, once it was read or set


def current() -> Default:
    """The default in force here."""
    inner = IN_USE.get()
    if inner is not None:
        return inner
    if not program:
        program.append(from_environment())
    return program[0]


def from_environment() -> Default:
    """The default of the environment variables."""
    name = os.environ.get("LIKEWISE_NAMESPACE") or "numpy"
    if name not in LIBRARIES:
        raise ArgumentError(
            f"LIKEWISE_NAMESPACE must be one of {', '.join(LIBRARIES)}, got {name!r}"
        )
    on = os.environ.get("LIKEWISE_DEVICE_FALLBACK", "0").strip().lower()
    if on not in ("", "0", "1", "true", "false", "yes", "no", "on", "off"):
        raise ArgumentError(f"LIKEWISE_DEVICE_FALLBACK must be 0 or 1, got {on!r}")
    return Default(
        namespace=name,
        device=os.environ.get("LIKEWISE_DEVICE") or None,
        device_fallback=on in ("1", "true", "yes", "on"),
        memory_fraction=_fraction_from_environment(),
    )


def _fraction_from_environment() -> float:
    text = os.environ.get("LIKEWISE_MEMORY_FRACTION") or "0.5"
    try:
        fraction = float(text)
    except ValueError:
        fraction = 0.0
    if not 0 < fraction <= 1:
        raise ArgumentError(f"LIKEWISE_MEMORY_FRACTION must be in (0, 1], got {text!r}")
    return fraction


def memory_fraction() -> float:
    """The fraction of free memory for automatic chunk sizes; algorithms may read only this."""
    return program[0].memory_fraction if program else _fraction_from_environment()
