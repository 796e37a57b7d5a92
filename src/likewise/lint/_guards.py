"""Detection of branches for one library, in which nothing is reported."""

import ast
import re

from ._names import HOST_METHODS, METHODS
from ._scopes import LIBRARIES, MOST, Scope

__all__ = [
    "catches",
    "for_one",
    "guards_rest",
    "imports_library",
    "is_attempt",
    "is_for_library",
]

Sides = frozenset[str]
NONE, BODY, ORELSE = frozenset[str](), frozenset(["body"]), frozenset(["orelse"])
BOTH = BODY | ORELSE
EQUAL, DIFFERENT = (ast.Is, ast.Eq, ast.In), (ast.IsNot, ast.NotEq, ast.NotIn)

WORD = re.compile(
    r"(?:^|_)(?:numpy|np|cupy|cp|torch|pytorch|jax|jnp|dask|tensorflow|api_strict|cuda|mps"
    r"|[cg]pu(?!_count)|writeable|writable)(?:_|$)",
    re.IGNORECASE,
)
# `to_numpy(x)` is an array, and asks nothing; nor does `x_np.size`.
CONVERSION = re.compile(r"^_*(?:to|as|from|of|on|ensure)_|^asnumpy$|_to_")
DATA = re.compile(r"_(?:np|numpy|cpu)$|^(?:np|numpy)_")
ARRAY_API = re.compile(r"(?:^|_)(?:is|use|supports?|has)_(?:\w+_)?array_api")
SPARSE = re.compile(r"^_*is_?sp(?:arse|matrix)|_sparse$")
# Whether there are values yet: no for the first, yes for the second.
LAZY = re.compile(r"(?:^|_)(?:lazy|tracer|tracing|traced)(?:_|$)", re.IGNORECASE)
VALUES = re.compile(r"(?:^|_)(?:eager|concrete)(?:_|$)", re.IGNORECASE)
DENIED = re.compile(r"(?:^|_)(?:not?|non)_", re.IGNORECASE)
ASKING = ("getattr", "hasattr", "isinstance", "issubclass", "type")
OF_SOME = HOST_METHODS | METHODS  # what some libraries' arrays have
ERRORS = frozenset("AttributeError ImportError ModuleNotFoundError NotImplementedError".split())


def for_one(scope: Scope, test: ast.expr, deep: bool = True, classes: bool = True) -> Sides:
    """Return which of 'body' and 'orelse' is a branch for one library, or for no array.

    Examples are NumPy's branch after `if xp is np`, eager arrays after `if not is_lazy(x)`, sparse
    matrices, and objects of another class. The other branch is for all other arguments. Without
    `classes`, a test for a class outside the array libraries doesn't count.
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _turned(for_one(scope, operand, deep, classes))
        case ast.BoolOp(op=op, values=values):
            found = [for_one(scope, value, deep, classes) for value in values]
            some, every = found[0].union(*found), found[0].intersection(*found)
            if isinstance(op, ast.And):
                return (some & BODY) | (every & ORELSE)
            return (every & BODY) | (some & ORELSE)
        case ast.Call(func=ast.Name(id="any" | "all"), args=[ast.GeneratorExp(elt=each)]):
            return for_one(scope, each, deep, classes)
        case ast.Compare():
            return _compared(scope, test, deep, classes)
    return _first(scope, test, deep, classes)


def _turned(sides: Sides) -> Sides:
    return BOTH - sides if len(sides) == 1 else sides


def _compared(scope: Scope, test: ast.Compare, deep: bool, classes: bool) -> Sides:
    sides = [test.left, *test.comparators]
    names = [s for s in sides if isinstance(s, ast.Name) and scope.is_namespace(s.id)]
    others = [s for s in sides if not (isinstance(s, ast.Constant) and s.value is None)]
    same = any(isinstance(op, (ast.Is, ast.IsNot)) for op in test.ops)
    if (names and len(others) > 1) or (same and any(map(scope.library, sides))):
        found = BODY
    else:
        found = _first(scope, test, deep, classes)
    if not all(isinstance(op, EQUAL + DIFFERENT) for op in test.ops):
        return BOTH if found else NONE  # as of versions, which only one library has
    different = any(isinstance(op, DIFFERENT) for op in test.ops)
    nothing = any(isinstance(s, ast.Constant) and not s.value for s in sides)
    return _turned(found) if different != nothing else found


def _first(scope: Scope, test: ast.expr, deep: bool, classes: bool) -> Sides:
    """Return the answer of the first part that asks."""
    parts = list(ast.walk(test))
    bases = {id(n.value) for n in parts if isinstance(n, (ast.Attribute, ast.Subscript))}
    for node in parts:
        if not (id(node) in bases and isinstance(node, ast.Name) and DATA.search(node.id)):
            found = _asks(scope, node, deep, classes)
            if found:
                return found
    return NONE


def _asks(scope: Scope, node: ast.AST, deep: bool, classes: bool) -> Sides:
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if scope.is_namespace(name):
            return BODY if attribute.startswith("__") else NONE
        case ast.Call(func=ast.Name(id=called), args=[first, *others]) if called in ASKING:
            if isinstance(first, ast.Name) and scope.is_namespace(first.id):
                return BODY
            parts = (n for o in others for n in ast.walk(o) if isinstance(n, ast.expr))
            if any(scope.library(n) or getattr(n, "value", None) in OF_SOME for n in parts):
                return BODY
            return BODY if called == "isinstance" and classes else NONE
        case ast.Call(args=[ast.Name(id=name)]) if scope.is_namespace(name):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            return BODY if called.lstrip("_").startswith("is_") else NONE
        case ast.Attribute(attr=attribute):
            return NONE if scope.library(node) else _speaks(attribute)
        case ast.Name(id=name):
            if scope.library(node):
                return NONE
            return _speaks(name) or (_answer(scope, name, classes) if deep else NONE)
        case ast.Constant(value=str() as text):
            return BODY if text.lower() in LIBRARIES else NONE
    return NONE


def _speaks(name: str) -> Sides:
    """Return what the name of a function or of its answer says."""
    if CONVERSION.search(name):
        found = NONE
    elif WORD.search(name) or VALUES.search(name) or SPARSE.search(name):
        found = BODY
    else:
        found = ORELSE if LAZY.search(name) or ARRAY_API.search(name) else NONE
    return _turned(found) if DENIED.search(name) else found


def _answer(scope: Scope, name: str, classes: bool) -> Sides:
    """Return what a name holds that is bound to the answer of a test."""
    home = scope.home(name)
    if home is None or name in home.imports or len(home.bindings[name]) > MOST:
        return NONE
    for value in (b.value for b in home.bindings[name]):
        if not isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call)):
            continue
        found = NONE if home.gives_namespace(value) else for_one(home, value, False, classes)
        if found:
            return found
    return NONE


def _ends(body: list[ast.stmt]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break))


def guards_rest(scope: Scope, node: ast.stmt) -> bool:
    """Detect tests that limit the following code, such as `if xp is not np: raise`."""
    if not isinstance(node, ast.If):
        return False
    sides = for_one(scope, node.test, classes=False)
    ways = [] if _ends(node.body) else ["body" in sides]
    if not _ends(node.orelse):
        inner = bool(node.orelse) and guards_rest(scope, node.orelse[-1])
        ways.append("orelse" in sides or inner)
    return bool(ways) and all(ways)


def imports_library(body: ast.expr | list[ast.stmt]) -> bool:
    """Tell whether a branch imports an array library, and so is for that library."""
    for statement in body if isinstance(body, list) else ():
        names = [alias.name for alias in getattr(statement, "names", ()) if hasattr(alias, "name")]
        if isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""] if statement.level == 0 else []
        if any(name.partition(".")[0] in LIBRARIES for name in names):
            return True
    return False


def is_for_library(body: list[ast.stmt]) -> bool:
    """Tell whether a function imports a library other than NumPy, and so is for that library."""
    for statement in body:
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.level == 0:
            names = [statement.module or ""]
        else:
            continue
        if any(name.partition(".")[0] in LIBRARIES - {"numpy"} for name in names):
            return True
    return False


def catches(node: ast.Try, error: str) -> bool:
    """Tell whether a `try` expects an error."""
    caught = [n for h in node.handlers if h.type is not None for n in ast.walk(h.type)]
    return any(getattr(n, "id", "") == error for n in caught)


def is_attempt(node: ast.Try) -> bool:
    """Tell whether a `try` uses something that a library may lack."""
    return any(
        getattr(n, "id", getattr(n, "attr", "")) in ERRORS
        for handler in node.handlers
        if handler.type is not None
        for n in ast.walk(handler.type)
    )
