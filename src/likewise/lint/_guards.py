"""Branches for one library. What is in them is meant for it, so nothing is reported there."""

import ast
import re

from ._names import HOST_METHODS, METHODS
from ._scopes import LIBRARIES, MOST, Scope

__all__ = [
    "catches",
    "guards_rest",
    "imports_library",
    "is_attempt",
    "is_for_library",
    "is_guard",
    "other_branch",
]

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
# Whether there are values yet.
LAZY = re.compile(r"(?:^|_)(?:lazy|eager|concrete|tracer|tracing|traced)(?:_|$)", re.IGNORECASE)
ASKING = ("getattr", "hasattr", "isinstance", "issubclass", "type")
NO_ARRAYS = frozenset("bool bytes complex dict float int list set str tuple".split())
OF_SOME = HOST_METHODS | METHODS  # what some libraries' arrays have
ERRORS = frozenset("AttributeError ImportError ModuleNotFoundError NotImplementedError".split())


def is_guard(scope: Scope, test: ast.expr, deep: bool = True) -> bool:
    """Tell whether a test asks which library, or what a library has."""
    parts = list(ast.walk(test))
    bases = {id(n.value) for n in parts if isinstance(n, (ast.Attribute, ast.Subscript))}
    return any(
        _asks(scope, node, deep)
        for node in parts
        if not (id(node) in bases and isinstance(node, ast.Name) and DATA.search(node.id))
    )


def other_branch(test: ast.expr) -> str:
    """Return 'body' or 'orelse' for the branch of what is no array of any library, '' for neither.

    That is what sparse matrices take, objects of a class of the program's own, and NumPy's arrays
    where a test asks whether the code is to follow the array API.
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return {"body": "orelse", "orelse": "body", "": ""}[other_branch(operand)]
        case ast.BoolOp(op=ast.And(), values=values):
            return "body" if any(other_branch(v) == "body" for v in values) else ""
        case ast.Call(func=ast.Name(id="isinstance")):
            return "body"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return _side(name)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _side(name)
    return ""


def _is_sparse(test: ast.expr) -> bool:
    names = (getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(test))
    return any(map(SPARSE.search, names))


def _side(name: str) -> str:
    if SPARSE.search(name):
        return "body"
    return "orelse" if ARRAY_API.search(name) else ""


def _asks(scope: Scope, node: ast.AST, deep: bool) -> bool:
    match node:
        case ast.Compare():
            sides = [node.left, *node.comparators]
            names = [s for s in sides if isinstance(s, ast.Name) and scope.is_namespace(s.id)]
            others = [s for s in sides if not (isinstance(s, ast.Constant) and s.value is None)]
            same = any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
            return (bool(names) and len(others) > 1) or (same and any(map(scope.library, sides)))
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if scope.is_namespace(name):
            return attribute.startswith("__")
        case ast.Call(func=ast.Name(id=called), args=[first, *others]) if called in ASKING:
            if isinstance(first, ast.Name) and scope.is_namespace(first.id):
                return True
            if called == "isinstance" and _words(others) & NO_ARRAYS:
                return True
            parts = (n for o in others for n in ast.walk(o) if isinstance(n, ast.expr))
            return any(scope.library(n) or getattr(n, "value", None) in OF_SOME for n in parts)
        case ast.Call(args=[ast.Name(id=name)]) if scope.is_namespace(name):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            return called.lstrip("_").startswith("is_")
        case ast.Attribute(attr=attribute):
            return _speaks(attribute) and not scope.library(node)
        case ast.Name(id=name):
            if scope.library(node):
                return False
            return _speaks(name) or (deep and _holds_answer(scope, name))
        case ast.Constant(value=str() as text):
            return text.lower() in LIBRARIES
    return False


def _words(nodes: list[ast.expr]) -> set[str]:
    """Return the names that stand alone in expressions."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def _speaks(name: str) -> bool:
    return bool((WORD.search(name) and not CONVERSION.search(name)) or LAZY.search(name))


def _holds_answer(scope: Scope, name: str) -> bool:
    home = scope.home(name)
    if home is None or name in home.imports or len(home.bindings[name]) > MOST:
        return False
    values = [b.value for b in home.bindings[name] if b.value is not None]
    return any(
        isinstance(v, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call))
        and not home.gives_namespace(v)
        and is_guard(home, v, deep=False)
        for v in values
    )


def _ends(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def guards_rest(scope: Scope, node: ast.stmt) -> bool:
    """`if xp is not np: raise`: what follows is for NumPy; or `if is_lazy(x): return x`."""
    if not isinstance(node, ast.If) or node.orelse or not _ends(node.body):
        return False
    if other_branch(node.test) == "orelse" and _is_sparse(node.test):
        return True
    parts = list(ast.walk(node.test))
    denies = any(isinstance(n, (ast.Not, ast.IsNot, ast.NotEq, ast.NotIn)) for n in parts)
    lazy = any(LAZY.search(getattr(n, "attr", getattr(n, "id", ""))) for n in parts)
    return (denies or lazy) and is_guard(scope, node.test)


def imports_library(node: ast.AST) -> bool:
    """A branch that imports an array library is for it."""
    for statement in node.body if isinstance(node, ast.If) else ():
        names = [alias.name for alias in getattr(statement, "names", ()) if hasattr(alias, "name")]
        if isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""] if statement.level == 0 else []
        if any(name.partition(".")[0] in LIBRARIES for name in names):
            return True
    return False


def is_for_library(body: list[ast.stmt]) -> bool:
    """Tell whether a function imports a library itself, NumPy aside: it is for that one."""
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
    """`try` something that a library may lack."""
    return any(
        getattr(n, "id", getattr(n, "attr", "")) in ERRORS
        for handler in node.handlers
        if handler.type is not None
        for n in ast.walk(handler.type)
    )
