"""Functions one call away: those of the same file, and of files of the same package."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

from ._arrays import certain_calls, is_array, start
from ._guards import for_one
from ._rule import Complaint, Context
from ._rules_arrays import ASKING, HARMLESS
from ._scopes import NAMESPACE_FUNCTIONS, Scope

__all__ = ["Files", "helpers"]

Definition = ast.FunctionDef | ast.AsyncFunctionDef
Load = Callable[[Path], Scope | None]


class Files:
    """Finds the text of a function from where it is called; reads each file once."""

    def __init__(self, load: Load, path: Path) -> None:
        self.load, self.path = load, path.absolute()

    def find(self, scope: Scope, func: ast.expr) -> tuple[Definition, Scope] | None:
        """Return a function and the scope of its file, if the function is of this package."""
        if isinstance(func, ast.Name):
            home = scope.home(func.id)
            if home is not None and home.parent is None and func.id not in home.imports:
                return _defined(home, func.id)
        module, _, name = scope.dotted(func).rpartition(".")
        file = self.file(module)
        home = self.load(file) if file is not None else None
        return None if home is None else _defined(home, name)

    def file(self, module: str) -> Path | None:
        """Return the file of a module, that is named from here or from the outermost package."""
        rest = module.lstrip(".")
        level = len(module) - len(rest)
        parts = rest.split(".") if rest else []
        if not parts:
            return None
        if level:
            folder = self.path.parents[min(level, len(self.path.parents)) - 1]
        else:
            outer = [p for p in self.path.parents if p.name == parts[0]]
            if not outer or not (outer[0] / "__init__.py").is_file():
                return None
            folder = outer[0].parent
        place = folder.joinpath(*parts)
        found = [p for p in (place.with_suffix(".py"), place / "__init__.py") if p.is_file()]
        return found[0] if found else None


def _defined(home: Scope, name: str) -> tuple[Definition, Scope] | None:
    """Return a function of a file that is bound once, and not decorated."""
    if len(home.bindings.get(name, ())) != 1 or not isinstance(home.node, ast.Module):
        return None
    for node in home.node.body:
        if isinstance(node, Definition) and node.name == name and not node.decorator_list:
            return node, home
    return None


def helpers(context: Context, node: ast.Call) -> Iterator[Complaint]:
    """LW206: an array goes to a function that calls NumPy on it whatever it is."""
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
