"""The arguments of the function under test, and the expected values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..transforms._tree import leaves, map_leaves
from ._compare import tolerance
from ._options import given
from ._variants import Variant

__all__ = ["Call", "Declared", "Plan", "in_precision", "made", "named", "public_name", "with_gaps"]

Declared = bool | str | Mapping[str, str]


def named(reference: Any) -> str:
    """Describe the reference of the values."""
    if reference is None:
        return "not checked"
    if not callable(reference):
        return "given values"
    label = getattr(reference, "__qualname__", getattr(reference, "__name__", ""))
    module = getattr(reference, "__module__", None) or "scipy.special"  # SciPy's ufuncs don't say
    package = module.partition(".")[0]
    if package not in ("numpy", "scipy", "math", "mpmath") or not label:
        return "a function of the test"
    if isinstance(reference, np.ufunc):
        module = "numpy" if getattr(np, label, None) is reference else "scipy.special"
    return ".".join([*(part for part in module.split(".") if not part.startswith("_")), label])


@dataclass(frozen=True)
class Call:
    """Hold the function, its arguments as NumPy arrays, and its declarations."""

    func: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    tol: float | Mapping[str, float] | None
    scalars: int
    per: str
    copies: str  # why whole arrays may be copied to the host
    ours: bool = False  # likewise's own function, whose declared reads count

    def tolerance(self, dtype: str) -> float:
        if isinstance(self.tol, Mapping):
            return self.tol.get(dtype, tolerance(dtype))
        return tolerance(dtype) if self.tol is None else self.tol

    def on(self, variant: Variant, dtype: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments as arrays of a variant, in a precision."""

        def convert(leaf: Any) -> Any:
            if not isinstance(leaf, np.ndarray):
                return leaf
            return variant.xp.asarray(in_precision(leaf, dtype))

        found: Any = map_leaves(convert, (self.args, self.kwargs))
        return found[0], found[1]


def in_precision(x: Any, dtype: str) -> Any:
    if x.dtype.kind not in "fc":
        return x
    kinds = {"float64": {"f": "f8", "c": "c16"}, "float32": {"f": "f4", "c": "c8"}}
    return x.astype(kinds[dtype][x.dtype.kind])


@dataclass
class Plan:
    """Hold the checks that all variants share, and their intermediate results."""

    name: str
    call: Call
    expected: list[Any] | None
    others: Mapping[str, tuple[Call, list[Any] | None]]  # complex inputs, empty ones
    declared: Mapping[str, Declared]
    interpreted: bool
    options: dict[str, set[str]] = field(default_factory=dict)
    routines: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    def goes_complex(self) -> bool:
        """Tell whether an array can be made complex."""
        call, _ = self.others["complex"]
        given = leaves((call.args, call.kwargs))
        return any(isinstance(x, np.ndarray) and x.dtype.kind == "c" for x in given)


def made(
    name: str,
    call: Call,
    reference: Any,
    declared: Mapping[str, Declared],
    interpreted: bool,
) -> Plan:
    others = {}
    changes = {"complex": _complex} if declared["complex"] is not False else {}
    if declared["empty"] is not False and declared["batch"] is not True:
        changes["empty"] = _without_entries
    for key, change in changes.items():
        args, kwargs = map_leaves(change, (call.args, call.kwargs))
        other = replace(call, args=args, kwargs=kwargs)
        due = None
        if declared[key] is True:
            if key == "complex" and reference is not None and not callable(reference):
                raise ArgumentError("check_function: complex=True needs a callable reference")
            due = _expected(other, reference) if callable(reference) else None
        others[key] = other, due
    plan = Plan(name, call, _expected(call, reference), others, declared, interpreted)
    for parameter, value in given(call.func, call.args, call.kwargs).items():
        plan.options[parameter] = {value}
    return plan


def _complex(leaf: Any) -> Any:
    if not isinstance(leaf, np.ndarray) or leaf.dtype.kind != "f":
        return leaf
    return np.asarray(leaf * (1 + 0.25j))  # of no dimensions, too


def _without_entries(leaf: Any) -> Any:
    return leaf[:0] if isinstance(leaf, np.ndarray) and leaf.ndim else leaf


def with_gaps(leaf: Any) -> tuple[Any, Any]:
    """Return an array with another's elements between zeros, and the index of these elements."""
    wide = np.zeros((2 * leaf.shape[-1], *leaf.shape[-2::-1]), dtype=leaf.dtype)
    wide[::2] = leaf.T
    return wide, tuple(reversed(range(leaf.ndim)))


def _expected(call: Call, reference: Any) -> list[Any] | None:
    """The values that are due, in double precision."""
    if reference is None:
        return None
    if callable(reference):
        args, kwargs = map_leaves(
            lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf,
            (call.args, call.kwargs),
        )
        reference = reference(*args, **kwargs)
    arrays = [leaf for leaf in leaves(reference) if isinstance(leaf, np.ndarray | np.generic)]
    return [np.asarray(leaf) for leaf in arrays or [reference]]


def public_name(func: Callable[..., Any]) -> str:
    """Return module and name, without private modules."""
    module, label = getattr(func, "__module__", None), getattr(func, "__qualname__", str(func))
    rooms = [part for part in (module or "?").split(".") if not part.startswith("_")]
    return ".".join([*rooms, label])
