"""Checks of called functions: what they do with an array."""

import ast
from collections.abc import Iterator

from ._arrays import certain_calls, is_array, start
from ._definitions import Definition
from ._guards import for_one
from ._rule import Complaint, Context
from ._rules_arrays import ASKING, HARMLESS
from ._scopes import NAMESPACE_FUNCTIONS, Scope

__all__ = ["helpers"]


def helpers(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """Report LW206: an array is passed to a function that always calls NumPy on it."""
    scope = context.scope
    given = [a for a in node.args if not isinstance(a, ast.Starred)]
    named = [k for k in node.keywords if k.arg is not None]
    if len(given) < len(node.args) or not isinstance(node.func, (ast.Name, ast.Attribute)):
        return
    positions = [i for i, a in enumerate(given) if is_array(scope, a)]
    keywords = [str(k.arg) for k in named if is_array(scope, k.value)]
    if not (positions or keywords) or context.files is None:
        return
    found = context.files.find(scope, node.func)
    if found is None:
        return
    function, home = found
    order = [*function.args.posonlyargs, *function.args.args]
    names = [order[i].arg for i in positions if i < len(order)] + keywords
    call = _numpy_call(home, function, names)
    if call is not None:
        written, line = ast.unparse(call.func), call.lineno
        what = f"`{ast.unparse(node.func)}` hands this array to `{written}` (its line {line})"
        yield node, "LW206", f"{what}, which is of one library; write it for a namespace, too"


def _numpy_call(home: Scope, function: Definition, names: list[str]) -> ast.Call | None:
    """Return the first call of NumPy on one of the parameters that is made in any case."""
    scope = home.inner[id(function)]
    if scope.has_namespace():
        return None
    for statement in function.body:
        if isinstance(statement, ast.If) and for_one(scope, statement.test):
            return None
        for call in sorted(certain_calls(statement), key=start):
            path = scope.dotted(call.func)
            last = path.rpartition(".")[2]
            if not path.startswith("numpy.") or path.startswith(HARMLESS):
                continue
            if last in ASKING | NAMESPACE_FUNCTIONS:
                continue
            if any(_is_parameter(scope, a, names) for a in call.args):
                return call
        if isinstance(statement, (ast.If, ast.While, ast.Try, ast.Return, ast.Raise)):
            names = [n for n in names if not _mentions(statement, n)]
    return None


def _is_parameter(scope: Scope, node: ast.expr, names: list[str]) -> bool:
    """Tell whether an argument is what the caller gave, bound to nothing since."""
    if not isinstance(node, ast.Name) or node.id not in names:
        return False
    found = scope.reaching(node.id, start(node))
    return found is not None and found == (scope, scope.bindings[node.id][:1])


def _mentions(statement: ast.stmt, name: str) -> bool:
    test = getattr(statement, "test", statement)
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(test))
