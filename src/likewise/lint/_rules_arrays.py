"""Rules on the use of arrays, and on calls of array libraries."""

import ast
import re
from collections.abc import Iterator

from .._standard import ATTRIBUTES, having
from ._arrays import DEPTH, bound_to, is_array, standard_name
from ._names import HOST_METHODS, NAMES, RENAMED, advice
from ._rooms import own
from ._rule import Complaint, Context
from ._scopes import FIRST, KEPT, LIBRARIES, NAMESPACE_FUNCTIONS, Scope
from ._signatures import arrays_given

__all__ = [
    "ASKING",
    "HARMLESS",
    "assignments",
    "attributes",
    "branches",
    "calls",
    "calls_of_scipy",
    "handed_over",
    "in_a_test",
    "in_place",
    "mixtures",
    "namespace_here",
    "numbers",
    "scalars",
]

CREATORS = having("creation").union(
    "array bartlett blackman hamming hanning identity kaiser logspace tensor".split()
)
# Modules and functions that take any array, or none.
HARMLESS = (
    *("numpy.testing", "torch.testing", "numpy.random", "torch.random", "jax.random"),
    *("scipy.sparse", "scipy.constants", "scipy.LowLevelCallable"),
)
# Where SciPy's names mean what the standard's mean.
SAME_IN_SCIPY = ("linalg", "special")
ASKING = frozenset("isscalar iterable ndim shape size".split())
TELLING = frozenset("log logger logging warnings".split())
TESTS = re.compile("_*(?:test|check|assert)")  # functions where values are looked at
OF_NUMBERS = frozenset(
    """abs absolute arccos arcsin arctan arctan2 ceil cos cosh exp expm1 floor hypot log log10 log1p
    log2 power sin sinh sqrt tan tanh""".split()
)
NUMBERS = frozenset("bool complex float int".split())
TO_HOST = frozenset(
    """cupy.asnumpy jax.device_get numpy.array numpy.asanyarray numpy.asarray
    numpy.ascontiguousarray numpy.asfortranarray""".split()
)


def namespace_here(scope: Scope) -> str:
    """Return the name of the namespace here, for messages."""
    one: Scope | None = scope
    while one is not None:
        for name in one.bindings:
            if name != "_" and one.is_namespace(name):
                return name
        for attribute in KEPT:
            if one.owner is not None and one.owner.keeps_namespace(attribute):
                return f"{one.me}.{attribute}"
        one = one.parent
    return "xp"


def attributes(context: Context, node: ast.Attribute) -> Iterator[Complaint]:
    """Report LW106, and LW202 for methods that copy data to the host."""
    name = node.attr
    if name in ATTRIBUTES or name.startswith("_") or not isinstance(node.ctx, ast.Load):
        return
    if standard_name(context.scope, node) or not is_array(context.scope, node.value):
        return
    if name in HOST_METHODS:
        what = "; keep it on its device, or say `likewise.to_numpy` at the border of the program"
        yield node, "LW202", f"`.{name}()` takes the array to the host{what}"
        return
    instead = advice(name, namespace_here(context.scope))
    use = f"; use {instead}" if instead else ""
    yield node, "LW106", f"standard arrays have no `.{name}`{use}"


def calls(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """Report LW201, and LW202 for functions that copy data to the host."""
    scope = context.scope
    path = scope.dotted(node.func)
    if not scope.library(node.func) or not _takes_array(scope, node, path):
        return
    written = ast.unparse(node.func)
    if path in TO_HOST:
        what = "; keep it on its device, or say `likewise.to_numpy` at the border of the program"
        yield node, "LW202", f"`{written}` takes the array to the host{what}"
        return
    use = _instead(path, namespace_here(scope)) or f"use what `{namespace_here(scope)}` has"
    yield node, "LW201", f"`{written}` is of one library, but the array may be of any; {use}"


def calls_of_scipy(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """Report LW205; without a namespace only for our functions' results and in traced functions."""
    scope = context.scope
    path = scope.dotted(node.func)
    if not path.startswith("scipy.") or context.package == "scipy":
        return
    if _takes_array(scope, node, path):
        why = "is of SciPy, which takes other arrays in part, and only if SCIPY_ARRAY_API is set"
        if scope.is_followed:
            why = "is of SciPy, into which no transform follows"
        use = _instead(path, namespace_here(scope))
        use = use or f"write it with `{namespace_here(scope)}`, or say `likewise.to_numpy` before"
        yield node, "LW205", f"`{ast.unparse(node.func)}` {why}; {use}"


def _takes_array(scope: Scope, node: ast.Call, path: str) -> bool:
    """Tell whether a function of a library that takes its own arrays gets one of any library."""
    if path.startswith(HARMLESS) or path.rpartition(".")[2] in NAMESPACE_FUNCTIONS | ASKING:
        return False
    # What goes through to the caller's function, as in `minimize(f, x0, args=(y,))`, is its affair.
    given = [*node.args, *(k.value for k in node.keywords if k.arg != "args")]
    return any(_has_array(scope, a) for a in given)


def _instead(path: str, xp: str) -> str:
    """Return what to use in place of a library's function; '' if nobody has it."""
    if path.startswith("scipy.fftpack.") and "rfft" not in path:  # which it packs in its own way
        path = path.replace("fftpack", "fft")
    parts = path.removeprefix("jax.").split(".")[1:]
    tries, ours = [".".join(parts), parts[-1]], own(path)
    if path.startswith("scipy.") and parts[0] not in SAME_IN_SCIPY:
        tries.pop()  # `scipy.signal.square` is no square, `scipy.ndimage.sum` is of labels
    for name in tries:
        new = RENAMED.get(name, name)
        if new in NAMES:
            return f"use `{xp}.{new}`"
    return f"use `{ours}`" if ours else ""


def _has_array(scope: Scope, node: ast.expr) -> bool:
    """An array, or a display with one in it."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(_has_array(scope, part) for part in node.elts)
    return is_array(scope, node)


def mixtures(context: Context, node: ast.Call | ast.BinOp) -> Iterator[Complaint]:
    """Report LW201: an array made by one library is combined with one that may be of any."""
    scope = context.scope
    if isinstance(node, ast.BinOp):
        sides = ((node.left, node.right), (node.right, node.left))
        made = [a for a, b in sides if _made_by(scope, a) and is_array(scope, b)]
    else:
        named = standard_name(scope, node.func)
        given = arrays_given(named[1], node) if named is not None else ()
        made = [a for _, a in given if _made_by(scope, a)]
    for part in made:
        what = f"`{_made_by(scope, part)}` makes an array of one library, but the other"
        yield part, "LW201", f"{what} may be of any; use what `{namespace_here(scope)}` has"


def scalars(context: Context, node: ast.Call | ast.BinOp) -> Iterator[Complaint]:
    """Report LW403: a NumPy float64, which isn't weak, is combined with an array."""
    scope = context.scope
    if isinstance(node, ast.BinOp):
        sides = ((node.left, node.right), (node.right, node.left))
        found = [a for a, b in sides if _numpy_scalar(scope, a) and is_array(scope, b)]
    else:
        named = standard_name(scope, node.func)
        given = arrays_given(named[1], node) if named is not None else ()
        found = [a for _, a in given if _numpy_scalar(scope, a)]
    for part in found:
        written = _numpy_scalar(scope, part)
        yield (
            part,
            "LW403",
            f"`{written}` is a number of NumPy: it makes float32 into float64 there, and others "
            f"refuse it; use {_python_number(written)}",
        )


def _numpy_scalar(scope: Scope, node: ast.expr, depth: int = DEPTH) -> str:
    """Return the call that gives a number of NumPy, there or where the name is bound."""
    if not depth:
        return ""
    match node:
        case ast.Name():
            value = bound_to(scope, node)
            return "" if value is None else _numpy_scalar(scope, value, depth - 1)
        case ast.UnaryOp(operand=operand):
            return _numpy_scalar(scope, operand, depth - 1)
        case ast.BinOp(left=left, right=right):
            found = _numpy_scalar(scope, left, depth - 1) or _numpy_scalar(scope, right, depth - 1)
            return "" if found and is_array(scope, node) else found
        case ast.Call(func=func, args=args):
            library, _, name = scope.dotted(func).partition(".")
            number = name == "float64" or (name in OF_NUMBERS and all(map(_is_number, args)))
            return ast.unparse(node) if library == "numpy" and args and number else ""
    return ""


def _is_number(node: ast.expr, depth: int = DEPTH) -> bool:
    """Tell whether the form says so: written out, of a shape, or of those."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case ast.UnaryOp(operand=operand):
            return depth > 0 and _is_number(operand, depth - 1)
        case ast.BinOp(left=left, right=right):
            return depth > 0 and _is_number(left, depth - 1) and _is_number(right, depth - 1)
        case ast.Attribute(attr="pi" | "e" | "size" | "ndim"):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call(func=ast.Name(id="len" | "float" | "int")):
            return True
    return False


def _python_number(written: str) -> str:
    function = written.partition("(")[0].rpartition(".")[2]
    same = {"absolute": "abs", "abs": "abs", "float64": "float"}
    if function in same:
        return f"`{same[function]}(...)`"
    return f"`math.{RENAMED.get(function, function)}(...)`"


def _made_by(scope: Scope, node: ast.expr) -> str:
    """Return the function of a library that makes an array, there or where the name is bound."""
    value = bound_to(scope, node) if isinstance(node, ast.Name) else node
    if not isinstance(value, ast.Call):
        return ""
    library, _, name = scope.dotted(value.func).partition(".")
    made = library in LIBRARIES and name.removeprefix("numpy.") in CREATORS
    return ast.unparse(value.func) if made else ""


def numbers(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """Report LW203."""
    if id(node) in context.handed:
        return
    match node:
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in NUMBERS:
            if context.scope.home(name) is None and is_array(context.scope, argument):
                yield (
                    node,
                    "LW203",
                    f"`{name}()` of an array waits for its value, and fails where there is none "
                    "yet (jit, vmap, Dask); keep it an array",
                )


def handed_over(node: ast.AST) -> Iterator[ast.AST]:
    """Return the numbers that a statement or a display returns, stores or prints."""
    match node:
        case ast.Return(value=ast.expr() as value) | ast.FormattedValue(value=value):
            yield from _items(value)
        case ast.Assign(value=value, targets=[ast.Subscript() | ast.Attribute()]):
            yield from _items(value)
        case ast.Dict():
            for value in node.values:
                yield from _items(value)
        case ast.DictComp(value=value):
            yield from _items(value)
        case ast.Raise():
            yield from ast.walk(node)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name in TELLING:
            yield from ast.walk(node)
        case ast.Call(func=ast.Name(id="print")):
            yield from ast.walk(node)


def _items(node: ast.expr) -> Iterator[ast.AST]:
    """An expression, and the parts that become parts of its value."""
    yield node
    parts: list[ast.expr] = []
    match node:
        case ast.Tuple() | ast.List():
            parts = node.elts
        case ast.IfExp():
            parts = [node.body, node.orelse]
        case ast.ListComp():
            parts = [node.elt]
        case ast.Call(func=ast.Name(id=name)) if name[:1].isupper():  # a class
            parts = [*node.args, *(k.value for k in node.keywords)]
    for part in parts:
        yield from _items(part)


def branches(context: Context, node: ast.expr, what: str = "a branch") -> Iterator[Complaint]:
    """Report LW204, for the condition of a branch."""
    match node:
        case ast.BoolOp():
            context.said.add(id(node))
            for part in node.values:
                yield from branches(context, part, what)
        case ast.UnaryOp(op=ast.Not()):
            context.said.add(id(node))
            yield from branches(context, node.operand, what)
        case _ if is_array(context.scope, node):
            use = f"; use `{namespace_here(context.scope)}.where`" if what == "a branch" else ""
            yield (
                node,
                "LW204",
                f"{what} on the value of an array waits for it, and fails where there is none yet "
                f"(jit, vmap, Dask){use}",
            )


def in_a_test(scope: Scope) -> bool:
    one: Scope | None = scope
    while one is not None and not TESTS.match(getattr(one.node, "name", "")):
        one = one.parent
    return one is not None


def assignments(context: Context, target: ast.expr) -> Iterator[Complaint]:
    """Report LW301, for the target of an assignment."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from assignments(context, part)
    elif isinstance(target, ast.Subscript) and is_array(context.scope, target.value):
        if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
            return  # of a dictionary
        what = ast.unparse(target)
        yield (
            target,
            "LW301",
            f"`{what} = ...` writes into an array, which JAX and others don't allow; use "
            "`likewise.missing.at`, which returns a new one",
        )


def in_place(context: Context, node: ast.AugAssign) -> Iterator[Complaint]:
    """Report LW302, and LW301 if the target is a part of an array."""
    if isinstance(node.target, ast.Subscript):
        yield from assignments(context, node.target)
    elif isinstance(node.target, ast.Name) and _callers(context.scope, node.target):
        name, op = node.target.id, ast.unparse(node).removeprefix(node.target.id).split("=")[0]
        yield (
            node,
            "LW302",
            f"`{name}{op}= ...` writes into the caller's array where its library can; write "
            f"`{name} = {name}{op} ...`",
        )


def _callers(scope: Scope, name: ast.Name) -> bool:
    """A parameter, bound by nothing since but `x = xp.asarray(x)`, which need not copy."""
    bindings = scope.bindings.get(name.id, [])
    if not is_array(scope, name) or not any(b.parameter for b in bindings):
        return False
    for binding in bindings:
        value = binding.value
        if binding.parameter is not None or (binding.at > (name.lineno, 0) and not binding.looped):
            continue
        if not isinstance(value, ast.Call) or binding.at == FIRST:
            return False
        named = standard_name(scope, value.func)
        first = value.args[0] if value.args else None
        if (
            named is None
            or named[1] not in ("asarray", "array")
            or "copy" in {k.arg for k in value.keywords}
        ):
            return False
        if named[1] == "array" or not (isinstance(first, ast.Name) and first.id == name.id):
            return False
    return True
