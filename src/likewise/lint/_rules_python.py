"""Rules on Python's own operations on arrays: indices, functions, loops and logic."""

import ast
from collections.abc import Iterator

from .._standard import FUNCTIONS, having
from ._arrays import DEPTH, bound_to, is_array, standard_name
from ._names import RENAMED
from ._rule import Complaint, Context
from ._rules_arrays import namespace_here
from ._scopes import Scope

__all__ = [
    "builtins",
    "indices",
    "kinds",
    "logic",
    "loops",
    "mathematics",
    "types",
    "unpacking",
]

REDUCTIONS = {"sum": "sum", "max": "max", "min": "min", "any": "any", "all": "all"}
SORTING = {"sorted": "sort", "reversed": "flip"}
ITERATING = frozenset("dict enumerate frozenset iter list map next set tuple zip".split())
# What NumPy's dtypes have, and the standard's don't.
OF_DTYPES = {
    "char": "",
    "hasobject": "",
    "is_complex": '`{xp}.isdtype(dtype, "complex floating")`',
    "is_floating_point": '`{xp}.isdtype(dtype, "real floating")`',
    "isbuiltin": "",
    "itemsize": "`{xp}.finfo(dtype).bits // 8` or `{xp}.iinfo`",
    "kind": '`{xp}.isdtype(dtype, "real floating")` and the like',
    "name": "a comparison such as `dtype == {xp}.float64`",
    "num": "",
    "str": "a comparison such as `dtype == {xp}.float64`",
    "type": "a comparison such as `dtype == {xp}.float64`",
}
BOOLEAN = having("truth")
SHAPED_BY_DATA = having("shaped") | {"argwhere", "flatnonzero", "unique"}
CLASSES = frozenset(
    """cupy.ndarray dask.array.Array jax.Array jax.numpy.ndarray numpy.ndarray
    torch.Tensor""".split()
)


def indices(context: Context, node: ast.Subscript) -> Iterator[Complaint]:
    """Report LW501, LW502, and LW507 for masks."""
    if not is_array(context.scope, node.value):
        return
    xp = namespace_here(context.scope)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        if isinstance(part, ast.Slice):
            if _negative(part.step):
                what = f"a step of {ast.unparse(part.step)}" if part.step else ""
                yield part, "LW501", f"PyTorch refuses {what} in a slice; use `{xp}.flip`"
        elif _is_list(context.scope, part):
            what = f"the list `{ast.unparse(part)}`"
            use = f"use `{xp}.take` with an array of integers"
            yield part, "LW502", f"{what} is no index of the standard; {use}"
        elif isinstance(node.ctx, ast.Load) and _is_mask(context.scope, part):
            yield node, "LW507", _shape(f"`{ast.unparse(node)}`", f"`{xp}.where`")


def _negative(step: ast.expr | None) -> bool:
    return isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub)


def _is_list(scope: Scope, node: ast.expr) -> bool:
    """Tell whether an expression is a list by its form, or a name bound to nothing else."""
    value = bound_to(scope, node) if isinstance(node, ast.Name) else node
    return isinstance(value, (ast.List, ast.ListComp))


def _is_mask(scope: Scope, node: ast.expr, depth: int = DEPTH) -> bool:
    if not depth:
        return False
    match node:
        case ast.Compare():
            return is_array(scope, node)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return _is_mask(scope, operand, depth - 1)
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
            return _is_mask(scope, left, depth - 1) or _is_mask(scope, right, depth - 1)
        case ast.Call(func=func):
            named = standard_name(scope, func)
            return named is not None and named[1] in BOOLEAN
        case ast.Name():
            value = bound_to(scope, node)
            return value is not None and _is_mask(scope, value, depth - 1)
    return False


def _shape(what: str, instead: str) -> str:
    return (
        f"the shape of {what} depends on the data, which jit and Dask don't know; use {instead} or "
        "a function with `size=`"
    )


def builtins(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """Report LW503, LW504 for functions that iterate, and LW507 for functions of the namespace."""
    scope = context.scope
    named = standard_name(scope, node.func)
    if named is not None:
        if named[1] in SHAPED_BY_DATA:
            yield node, "LW507", _shape(f"`{'.'.join(named)}`", f"`{named[0]}.where`")
        return
    if not isinstance(node.func, ast.Name) or scope.home(node.func.id) is not None:
        return
    name = node.func.id
    if context.tried:
        return
    given = node.args if name in ("map", "max", "min", "zip") else node.args[:1]
    if not any(is_array(scope, a) for a in given):
        return
    xp = namespace_here(scope)
    if name == "len":
        yield node, "LW503", "standard arrays have no `len`; use `x.shape[0]`"
    elif name in REDUCTIONS:
        use = f"{xp}.{REDUCTIONS[name]}"
        if len(node.args) > 1:
            use = {"max": f"{xp}.maximum", "min": f"{xp}.minimum"}.get(name, use)
        yield node, "LW503", f"Python's `{name}` looks at one item after the other; use `{use}`"
    elif name in SORTING:
        use = f"{xp}.{SORTING[name]}"
        yield node, "LW503", f"Python's `{name}` looks at one item after the other; use `{use}`"
    elif name in ITERATING and id(node) not in context.handed:
        yield node, "LW504", _iterated(f"`{name}()`", xp)


def _iterated(what: str, xp: str) -> str:
    return (
        f"{what} iterates over an array, which the standard doesn't provide for; use "
        f"`{xp}.unstack`, or operations on the whole"
    )


def loops(
    context: Context, node: ast.For | ast.AsyncFor | ast.comprehension | ast.Starred
) -> Iterator[Complaint]:
    """Report LW504."""
    over, what = (node.value, "`*`") if isinstance(node, ast.Starred) else (node.iter, "the loop")
    stored = isinstance(node, ast.Starred) and not isinstance(node.ctx, ast.Load)
    if not stored and is_array(context.scope, over):
        yield over, "LW504", _iterated(what, namespace_here(context.scope))


def unpacking(context: Context, target: ast.expr, value: ast.expr) -> Iterator[Complaint]:
    """Report LW504, for `a, b = x`."""
    if isinstance(target, (ast.Tuple, ast.List)) and is_array(context.scope, value):
        yield value, "LW504", _iterated("unpacking", namespace_here(context.scope))


def mathematics(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """Report LW505."""
    path = context.scope.dotted(node.func)
    module, _, name = path.rpartition(".")
    if module not in ("math", "cmath") or not any(is_array(context.scope, a) for a in node.args):
        return
    xp = namespace_here(context.scope)
    known = RENAMED.get(name, name)
    use = f"; use `{xp}.{known}`" if known in FUNCTIONS else ""
    what = (
        f"`{ast.unparse(node.func)}` takes a Python number, and an array only where it has a value"
    )
    yield node, "LW505", f"{what}{use}"


def logic(context: Context, node: ast.BoolOp | ast.UnaryOp) -> Iterator[Complaint]:
    """Report LW506: `and`, `or` and `not` outside the conditions of branches (see LW204)."""
    if id(node) in context.said or id(node) in context.handed:
        return
    if isinstance(node, ast.UnaryOp):
        arrays = isinstance(node.op, ast.Not) and is_array(context.scope, node.operand)
        word, name = "not", "logical_not"
    else:  # the last one is given back as it is
        arrays = any(is_array(context.scope, value) for value in node.values[:-1])
        word = "and" if isinstance(node.op, ast.And) else "or"
        name = f"logical_{word}"
    if arrays:
        use = f"`{namespace_here(context.scope)}.{name}`"
        yield node, "LW506", f"`{word}` asks for the truth of an array as a whole; use {use}"


def kinds(context: Context, node: ast.Attribute) -> Iterator[Complaint]:
    """Report LW108."""
    if node.attr not in OF_DTYPES or not _is_dtype(context.scope, node.value):
        return
    xp = namespace_here(context.scope)
    instead = OF_DTYPES[node.attr].replace("{xp}", xp)
    use = f"; use {instead}" if instead else ""
    yield node, "LW108", f"standard dtypes have no `.{node.attr}`{use}"


def _is_dtype(scope: Scope, node: ast.expr) -> bool:
    match node:
        case ast.Attribute(value=value, attr="dtype"):
            return is_array(scope, value)
        case ast.Call(func=func):
            named = standard_name(scope, func)
            return named is not None and named[1] == "result_type"
        case ast.Name():
            bound = bound_to(scope, node)
            return isinstance(bound, (ast.Attribute, ast.Call)) and _is_dtype(scope, bound)
    return False


def types(context: Context, node: ast.If | ast.Assert) -> Iterator[Complaint]:
    """Report LW207: a check refuses all arrays but one library's."""
    test: ast.expr = node.test
    refused = False
    if isinstance(node, ast.Assert):
        refused = isinstance(test, ast.Call)
    elif isinstance(node.test, ast.UnaryOp):
        refused = isinstance(node.test.op, ast.Not) and isinstance(node.body[-1], ast.Raise)
        test = node.test.operand
    elif len(node.orelse) == 1:
        refused = isinstance(node.orelse[0], ast.Raise)
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name() as first, kind]) if refused:
            home = context.scope.home(first.id)
            own = home is not None and home.bindings[first.id][0].parameter is not None
            known = is_array(context.scope, first) or own
            if known and context.scope.dotted(kind) in CLASSES:
                name = ast.unparse(kind)
                use = "`array_api_compat.is_array_api_obj`"
                yield (
                    test,
                    "LW207",
                    f"`{name}` is of one library, and arrays of the others are refused; use {use} "
                    "to ask for any array",
                )
