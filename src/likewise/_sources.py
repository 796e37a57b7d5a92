"""Hashes of functions' code, which tell whether a cell of the table of capabilities is older.

A hash covers a function and the functions, classes and constants that it uses, of any file; names
are followed through the source. Comments, docstrings, annotations, layout and the file in which
something is defined don't count, and Python's version doesn't either. `FLOOR` has one hash of its
own: most functions stand on it, so each change there would make the whole table old.
"""

import ast
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["FLOOR", "Sources"]

# With the files and folders that begin with _. Within a room of the floor names are followed, and
# so are the routines there that rows name.
FLOOR = ("errors", "interop", "missing", "progress", "testing", "transforms")
_ROUTINE = re.compile(r"likewise\.([\w.]+):(\w+)")
_SKIPPED = ("annotation", "returns", "type_comment", "type_params", "ctx", "kind")


class Unit(NamedTuple):
    """The definition of a name in a file, which is written with dots, without the package."""

    file: str
    name: str

    @property
    def low(self) -> bool:
        """True if it belongs to the floor."""
        return self.room.startswith("_") or self.room in FLOOR

    @property
    def room(self) -> str:
        return self.file.partition(".")[0]


class File(NamedTuple):
    """Definitions of a file by name; for each imported name, its file and its name there.

    A statement that defines nothing, such as a call that registers a rule, has a number for a name.
    """

    definitions: dict[str, list[ast.stmt]]
    imports: dict[str, Unit]
    registered: dict[str, set[str]]  # by a decorator of the name, or in a statement that calls it


class Sources:
    """The source of the package, or of a copy of it.

    Parameters
    ----------
    root : Path, optional
        Its folder. Default: the package that runs.
    """

    def __init__(self, root: Path = Path(__file__).parent) -> None:
        self.files: dict[str, Path] = {}
        self.packages: dict[str, str] = {}
        for path in root.rglob("*.py"):
            folder = ".".join(path.relative_to(root).parent.parts)
            file = folder if path.stem == "__init__" else f"{folder}.{path.stem}".strip(".")
            self.files[file], self.packages[file] = path, folder
        self._file = functools.cache(self._parsed)
        self._read = functools.cache(self._reading)
        self._hash = functools.cache(self._hashed)

    def hash_of(self, name: str) -> str:
        """Return the hash of a public function such as 'signal.butter'; '' if there is none."""
        return self._hash(name)

    def _hashed(self, name: str) -> str:
        room, _, short = name.rpartition(".")
        start = self._found(Unit(room, short))
        if start is None:
            return ""
        seen, todo = {start}, [start]
        while todo:
            new = self._read(todo.pop())[1] - seen
            seen |= new
            todo += new
        return _digest(self._read(unit)[0] for unit in seen)

    def floor(self) -> str:
        """Return the hash of all code of the floor."""
        low = [Unit(file, "") for file in self.files if Unit(file, "").low]
        units = [Unit(u.file, name) for u in low for name in self._file(u.file).definitions]
        return _digest(self._read(unit)[0] for unit in units)

    def _parsed(self, file: str) -> File:
        found = File({}, {}, {})
        for node in _top(ast.parse(self.files[file].read_text("utf-8")).body):
            if isinstance(node, ast.ImportFrom):
                found.imports.update(_imported(node, self.packages[file]))
            names = list(_defined(node))
            if isinstance(node, ast.Expr | ast.For | ast.With):
                names = [f"{len(found.definitions)}"]
            for name in names:
                found.definitions.setdefault(name, []).append(node)
                for other in _registering(node):
                    found.registered.setdefault(other, set()).add(name)
        return found

    def _reading(self, unit: Unit) -> tuple[str, frozenset[Unit]]:
        """Return the text of a definition that counts, and what it uses."""
        reader = _Reader(self.packages[unit.file])
        for node in self._file(unit.file).definitions[unit.name]:
            reader.read(node)
        imports = {**self._file(unit.file).imports, **reader.imports}
        used = {imports.get(name, Unit(unit.file, name)) for name in reader.names}
        used.update(Unit(unit.file, n) for n in self._file(unit.file).registered.get(unit.name, ()))
        if ("importlib", "import_module") in reader.attributes:  # a package's files, by name
            used.update(self._inside(self.packages[unit.file]))
        for module, name in reader.attributes:
            home = imports.get(module)
            if home and f"{home.file}.{home.name}".strip(".") in self.files:
                used.add(Unit(f"{home.file}.{home.name}".strip("."), name))
        followed = {u for u in map(self._found, used) if u and (not u.low or u.room == unit.room)}
        routines = {u for u in map(self._found, reader.routines) if u}
        return "".join(reader.text), frozenset(followed | routines)

    def _inside(self, package: str) -> Iterator[Unit]:
        for file in self.files:
            if file.rpartition(".")[0] == package:
                yield from (Unit(file, name) for name in self._file(file).definitions)

    def _found(self, unit: Unit) -> Unit | None:
        """Follow imports to a definition; None if it isn't ours."""
        if unit.file not in self.files:
            return None
        known = self._file(unit.file)
        if unit.name in known.definitions:
            return unit
        further = known.imports.get(unit.name)
        return self._found(further) if further not in (None, unit) else None


class _Reader:
    """Reads a definition: its text, and the names in it."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.text: list[str] = []
        self.names: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.imports: dict[str, Unit] = {}
        self.routines: set[Unit] = set()

    def read(self, node: Any) -> None:
        if isinstance(node, list):
            for x in node:
                self.read(x)
        elif isinstance(node, ast.ImportFrom):
            self.imports.update(_imported(node, self.package))
        elif isinstance(node, ast.AST):
            self._node(node)
        elif isinstance(node, str):
            if "likewise." in node:
                self.routines.update(Unit(*found) for found in _ROUTINE.findall(node))
                node = _ROUTINE.sub(r"\2", node)
            self.text.append(repr(node))
        else:
            self.text.append(repr(node))

    def _node(self, node: ast.AST) -> None:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node, ast.Name):
            self.names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            self.attributes.add((node.value.id, node.attr))
        self.text.append(f"({type(node).__name__}")
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(node, ast.JoinedStr):  # since Python 3.12 with empty texts between
                value = [v for v in node.values if getattr(v, "value", None) != ""]
            if value is not None and value != [] and name not in _SKIPPED:
                self.text.append(f" {name}=")
                self.read(value)
        self.text.append(")")


def _top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Give the statements of a file, also of its `if`s and `try`s."""
    for node in body:
        if isinstance(node, ast.If | ast.Try):
            yield from _top([*node.body, *node.orelse])
            for handler in getattr(node, "handlers", ()):
                yield from _top(handler.body)
        else:
            yield node


def _imported(node: ast.ImportFrom, package: str) -> dict[str, Unit]:
    """Return where the names of an import come from, if from the package."""
    home = node.module or ""
    if node.level:
        parts = package.split(".") if package else []
        home = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [home])])
    elif home.partition(".")[0] != "likewise":
        return {}
    else:
        home = home.partition(".")[2]
    return {alias.asname or alias.name: Unit(home, alias.name) for alias in node.names}


def _registering(node: ast.stmt) -> Iterator[str]:
    """Give the names with which a statement may register something, as ``@name.defjvp`` does."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Attribute) and isinstance(decorator.value, ast.Name):
                yield decorator.value.id
    elif isinstance(node, ast.Expr | ast.For | ast.With):
        yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("".join(sorted(set(texts))).encode()).hexdigest()[:8]
