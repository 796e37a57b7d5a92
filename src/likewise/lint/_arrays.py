"""Which expressions are certain to be arrays."""

import ast

from .._standard import FFT, FUNCTIONS, LINALG
from ._names import METHODS, RENAMED
from ._scopes import Binding, Position, Scope

__all__ = ["is_array", "standard_name", "start"]

NO_ARRAY = frozenset("broadcast_shapes can_cast finfo iinfo isdtype result_type".split())
# These give several arrays, in a tuple or list.
SEVERAL = frozenset(
    """broadcast_arrays meshgrid nonzero unique_all unique_counts unique_inverse unstack linalg.eig
    linalg.eigh linalg.qr linalg.slogdet linalg.svd""".split()
)
OWN = frozenset(
    [*FUNCTIONS, *(f"fft.{n}" for n in FFT), *(f"linalg.{n}" for n in LINALG)],
)
# Functions of other libraries that give one array.
OTHERS = frozenset(
    [old for old, new in RENAMED.items() if new in OWN - SEVERAL]
    + """append argwhere average bincount column_stack convolve copy cov diag digitize dot einsum
    flatnonzero gradient hstack interp kron median nan_to_num nanmax nanmean nanmin nansum nanstd
    nanvar pad percentile quantile ravel trapezoid trapz vstack""".split()
)
ONE = (OWN - SEVERAL - NO_ARRAY) | OTHERS


def start(node: ast.expr | ast.stmt) -> Position:
    return node.lineno, node.col_offset


def standard_name(scope: Scope, node: ast.expr) -> tuple[str, str] | None:
    """`("xp", "linalg.inv")` of `xp.linalg.inv`, if `xp` is a namespace."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not parts or not isinstance(node, ast.Name) or not scope.is_namespace(node.id):
        return None
    return node.id, ".".join(reversed(parts))


def is_array(scope: Scope, node: ast.expr, at: Position | None = None) -> bool:
    """Whether the form of an expression says that it is an array."""
    at = start(node) if at is None else at
    match node:
        case ast.Name():
            return _name_is_array(scope, node.id, at)
        case ast.Call(func=func):
            named = standard_name(scope, func)
            if named is not None:
                return named[1] in ONE
            return (
                isinstance(func, ast.Attribute)
                and func.attr in METHODS
                and is_array(scope, func.value, at)
            )
        case ast.BinOp():
            return is_array(scope, node.left, at) or is_array(scope, node.right, at)
        case ast.UnaryOp():
            return not isinstance(node.op, ast.Not) and is_array(scope, node.operand, at)
        case ast.Compare():
            return all(isinstance(op, ORDER) for op in node.ops) and any(
                is_array(scope, side, at) for side in (node.left, *node.comparators)
            )
        case ast.Subscript():
            return is_array(scope, node.value, at)
        case ast.Attribute(attr="T" | "mT" | "real" | "imag"):
            return is_array(scope, node.value, at)
        case ast.IfExp():
            return is_array(scope, node.body, at) and is_array(scope, node.orelse, at)
    return False


ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def _name_is_array(scope: Scope, name: str, at: Position) -> bool:
    found = scope.reaching(name, at)
    if found is None:
        return False
    home, bindings = found
    return bool(bindings) and all(_binding_is_array(home, name, b) for b in bindings)


def _binding_is_array(scope: Scope, name: str, binding: Binding) -> bool:
    if binding.array is None:
        binding.array = True  # for what refers to itself, as `x = x + 1` in a loop
        binding.array = _gives_array(scope, binding) or scope.unknown_is_array(name, binding)
    return binding.array


def _gives_array(scope: Scope, binding: Binding) -> bool:
    value = binding.value
    if value is None:
        return False
    if binding.index is None:
        return is_array(scope, value, binding.at if isinstance(value, ast.Name) else start(value))
    if not isinstance(value, ast.Call):
        return False
    named = standard_name(scope, value.func)
    return named is not None and named[1] in SEVERAL
