"""Rules on the use of a namespace: names, arguments, creation."""

import ast
from collections.abc import Iterator

from .._standard import DTYPES, FUNCTIONS, having
from ._arrays import standard_name
from ._names import ELSEWHERE, HINTS, NAMES, NOTES, RENAMED, REVISIONS, SINCE
from ._rule import Complaint, Context
from ._signatures import misfits, most

__all__ = ["arguments", "creation", "dtypes", "names"]

EXTENSIONS = ("fft", "linalg")
WITH_DEVICE = having("creation") - {"from_dlpack"}
WITH_DTYPE = frozenset(n for n in WITH_DEVICE if f"{n}(dtype)" not in SINCE)  # in all revisions
BUILTIN = {"bool": "bool", "complex": "complex128", "float": "float64", "int": "int64"}
DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)


def names(context: Context, node: ast.Attribute) -> Iterator[Complaint]:
    """Report LW101 to LW104 at the outermost attribute: `xp.linalg.norm`, not `xp.linalg` in it."""
    named = standard_name(context.scope, node)
    if named is None or not isinstance(node.ctx, ast.Load) or id(node) in context.said:
        return
    xp, name = named
    first, _, rest = name.partition(".")
    if first not in EXTENSIONS or not rest:
        if rest:
            if first in FUNCTIONS:
                yield node, "LW101", _attribute_of_function(xp, first, rest)
            elif name in ELSEWHERE:
                context.said.add(id(node.value))
                yield node, *_unknown(context, xp, name)
            return  # of anything else, `xp.random` in `xp.random.rand` has its own complaint
    elif "." in rest:
        return
    if any(part.startswith("__") for part in name.split(".")):
        return
    if name not in NAMES:
        yield node, *_unknown(context, xp, name)
    elif _newer(name, context.revision):
        yield node, "LW104", _too_new(context, xp, name)


def _newer(name: str, revision: str) -> bool:
    since = SINCE.get(name)
    return since is not None and REVISIONS.index(since) > REVISIONS.index(revision)


def _attribute_of_function(xp: str, function: str, rest: str) -> str:
    what = {
        "at": "; use `likewise.missing.at`",
        "reduce": f"; use a reduction such as `{xp}.sum`",
        "accumulate": f"; use `{xp}.cumulative_sum` or `{xp}.cumulative_prod`",
        "outer": "; broadcast the arguments",
    }
    advice = what.get(rest, "")
    return f"`{xp}.{function}` is a plain function in the standard, without `{rest}`{advice}"


def _unknown(context: Context, xp: str, name: str) -> tuple[str, str]:
    here = f"`{xp}.{name}` is not in the standard"
    note = NOTES.get(name, "").replace("xp.", f"{xp}.")
    if name in RENAMED:
        new = RENAMED[name]
        if _newer(new, context.revision):
            return "LW101", f"{here}; `{xp}.{new}` is, since {SINCE[new]}"
        return "LW102", f"{here}, where it is called `{xp}.{new}`{note}"
    if name in ELSEWHERE:
        return "LW103", f"{here}; use `{ELSEWHERE[name]}`{note}"
    if name in HINTS:
        return "LW101", f"{here}; use {HINTS[name].replace('xp.', f'{xp}.')}"
    for place in EXTENSIONS:
        if f"{place}.{name}" in NAMES:
            return "LW102", f"{here}, where it is called `{xp}.{place}.{name}`"
    extension, _, last = name.rpartition(".")
    if extension and last in NAMES:
        return "LW102", f"{here}, where it is called `{xp}.{last}`"
    return "LW101", f"{here} {context.revision}"


def _too_new(context: Context, xp: str, name: str) -> str:
    extra = {"broadcast_shapes", "isin"}
    advice = f"; use `array_api_extra.{name}`" if name in extra else ""
    return (
        f"`{xp}.{name}` is in the standard since {SINCE[name]}, not in {context.revision}{advice}"
    )


def arguments(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """Report LW105."""
    named = standard_name(context.scope, node.func)
    if named is None:
        return
    xp, name = named
    if name in DTYPES:
        what = f"`{xp}.{name}` is a dtype, not a function"
        yield node, "LW105", f"in the standard {what}; use `{xp}.asarray(..., dtype={xp}.{name})`"
    if name not in FUNCTIONS:
        return
    for place, why in misfits(name, node):
        advice = ""
        if name == "where" and len(node.args) == 1 and not node.keywords:
            advice = f"; use `{xp}.nonzero`"
        yield place, "LW105", f"in the standard's `{xp}.{name}`, {why}{advice}"
    for keyword in node.keywords:
        entry = f"{name}({keyword.arg})"
        if _newer(entry, context.revision):
            why = f"is in the standard since {SINCE[entry]}, not in {context.revision}"
            yield keyword, "LW104", f"`{keyword.arg}` of `{xp}.{name}` {why}"


def dtypes(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """Report LW107."""
    named = standard_name(context.scope, node.func)
    if named is None or named[1] not in FUNCTIONS:
        return
    given = [k.value for k in node.keywords if k.arg == "dtype"]
    if named[1] == "astype":
        given += node.args[1:2]
    xp = named[0]
    for dtype in given:
        match dtype:
            case ast.Name(id=name) if name in BUILTIN and context.scope.home(name) is None:
                what, instead = f"Python's `{name}`", BUILTIN[name]
            case ast.Constant(value=str() as text):
                what, instead = f"the text {text!r}", text if text in DTYPES else "float64"
            case _ if context.scope.library(dtype):
                name = ast.unparse(dtype).rpartition(".")[2].rstrip("_")
                what = f"`{ast.unparse(dtype)}`"
                instead = name if name in DTYPES else BUILTIN.get(name, "float64")
            case _:
                continue
        yield dtype, "LW107", f"{what} is no dtype of `{xp}`; use one such as `{xp}.{instead}`"


def creation(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """Report LW401 and LW402."""
    named = standard_name(context.scope, node.func)
    if named is None or named[1] not in WITH_DEVICE or not _says_all(node, named[1]):
        return
    xp, name = named
    if name == "asarray" and not _made_here(node.args[0] if node.args else None):
        return
    if name == "empty" and _is_nothing(node):
        return
    given = {k.arg for k in node.keywords}
    if name in WITH_DTYPE and "dtype" not in given and not _dtype_is_plain(name, node):
        yield (
            node,
            "LW401",
            f"`{xp}.{name}` without `dtype` makes what is the default of the library, float32 or "
            "float64; say which, or take it from an argument",
        )
    if "device" not in given:
        yield (
            node,
            "LW402",
            f"`{xp}.{name}` without `device` makes it on the default device, which may not be that "
            "of the arguments; give `device=` that of an argument",
        )


def _says_all(node: ast.Call, name: str) -> bool:
    """Nothing is unpacked into the call, and nothing beyond its positions is given."""
    return (
        len(node.args) <= most(FUNCTIONS[name])
        and not any(isinstance(a, ast.Starred) for a in node.args)
        and all(k.arg is not None for k in node.keywords)
    )


def _made_here(node: ast.expr | None) -> bool:
    """Numbers and displays of them; of anything else nobody knows whether it is an array."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (bool, int, float, complex))
    return isinstance(node, DISPLAYS)


def _is_nothing(node: ast.Call) -> bool:
    """`xp.empty(0)`: it stands for what is not there yet."""
    return len(node.args) == 1 and not node.keywords and ast.unparse(node.args[0]) == "0"


def _dtype_is_plain(name: str, node: ast.Call) -> bool:
    """Integers and booleans have the same dtype everywhere that matters."""
    if name == "arange":
        return not any(_is_float(a) for a in node.args)
    if name == "full":
        value = next((k.value for k in node.keywords if k.arg == "fill_value"), None)
        value = node.args[1] if len(node.args) > 1 else value
        return isinstance(value, ast.Constant) and isinstance(value.value, int)
    if name == "asarray":
        return _all_plain(node.args[0])
    return False


def _all_plain(node: ast.expr) -> bool:
    """Tell whether integers, booleans and names alone are in it."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return bool(node.elts) and all(map(_all_plain, node.elts))
    if isinstance(node, ast.UnaryOp):
        return _all_plain(node.operand)
    if isinstance(node, ast.Name):  # nobody knows
        return True
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _is_float(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, float)
        case ast.UnaryOp(operand=operand):
            return _is_float(operand)
        case ast.BinOp(op=ast.Div()):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_float(left) or _is_float(right)
    return False
