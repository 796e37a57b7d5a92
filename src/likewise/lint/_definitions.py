"""Definitions of called functions in the same file or package."""

import ast
from collections.abc import Callable
from pathlib import Path

from ._scopes import Scope

__all__ = ["Definition", "Files"]

Definition = ast.FunctionDef | ast.AsyncFunctionDef
Load = Callable[[Path], Scope | None]


class Files:
    """Find the definition of a called function; read each file once."""

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
        """Return the file of a module, named relative to this one or to the outermost package."""
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
