"""The files to check, their contents, and the lines that are not reported."""

import ast
import functools
import io
import os
import re
import sys
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path

from ..errors import ArgumentError
from ._config import Settings
from ._definitions import Files
from ._findings import Finding
from ._rule import Complaint
from ._scopes import NAMESPACE_FUNCTIONS, Scope, scopes
from ._walk import walk

__all__ = ["check_file", "python_files"]

COMMENT = re.compile(r"#\s*likewise:\s*ignore(?:\[([^\]]*)\])?")
# Frames of our own, for a tree as deep as Python reads it.
DEPTH = 30_000
SKIPPED = frozenset("__pycache__ node_modules site-packages".split())


def python_files(path: Path, settings: Settings) -> Iterator[Path]:
    """Yield the file itself, or a folder's files except hidden ones and environments.

    Includes folders that can't be listed, so that `check_file` can report them.
    """
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise ArgumentError(f"check: there is no file or folder {str(path)!r}")
    lost: list[OSError] = []
    for folder, inner, files in os.walk(path, onerror=lost.append):
        here = Path(folder)
        inner[:] = sorted(
            name
            for name in inner
            if not name.startswith(".")
            and name not in SKIPPED
            and not (here / name / "pyvenv.cfg").exists()
            and not settings.excludes(here / name)
        )
        for name in sorted(files):
            hidden = name.startswith(".")  # Emacs' locks are such, and lead nowhere
            if name.endswith(".py") and not hidden and not settings.excludes(here / name):
                yield here / name
    yield from (Path(error.filename) for error in lost)


def check_file(path: Path, settings: Settings) -> list[Finding]:
    """Return the findings in a file, without those that are switched off."""
    try:
        text, tree = _parse(path.read_bytes())
        found = _complaints(text, tree, settings, path)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        wrong = Finding(str(path), *_unreadable(error))
        return [wrong] if settings.reports(wrong.code, path) else []
    lines = text.split("\n")  # as the parser does; `splitlines` splits at more
    ignored = _ignored(text)
    statements = _statements(tree) if ignored else {}
    findings = set()
    for node, code, message in found:
        extent = {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
        extent.update(statements.get(id(node), ()))
        if settings.reports(code, path) and not any(_matches(ignored, n, code) for n in extent):
            column = _column(lines[node.lineno - 1], node.col_offset)
            findings.add(Finding(str(path), node.lineno, column, code, message))
    return sorted(findings)


def _unreadable(error: BaseException) -> tuple[int, int, str, str]:
    line, column, why = 1, 1, str(error)
    if isinstance(error, OSError):
        why = f"can't be read: {error.strerror}"
    elif isinstance(error, SyntaxError):
        why = f"{error.msg} (read as Python {sys.version_info[0]}.{sys.version_info[1]})"
        line, column = error.lineno or 1, error.offset or 1
    elif isinstance(error, (RecursionError, MemoryError)):
        why = "nested too deeply to be read"
    return line, column, "LW001", why


def _parse(content: bytes) -> tuple[str, ast.Module]:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    text = io.IncrementalNewlineDecoder(None, translate=True).decode(content.decode(encoding))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes are another linter's matter
        return text, ast.parse(text)


@functools.lru_cache(maxsize=256)
def _scope_of(path: Path, functions: frozenset[str]) -> Scope | None:
    """Return the scope of another file; None if it can't be read."""
    try:
        return scopes(_parse(path.read_bytes())[1], functions)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _package(path: Path) -> str:
    """Return the name of the outermost package around a file; '' if it is in none."""
    name = ""
    for folder in path.absolute().parents:
        if not (folder / "__init__.py").is_file():
            break
        name = folder.name
    return name


def _complaints(text: str, tree: ast.Module, settings: Settings, path: Path) -> list[Complaint]:
    functions = NAMESPACE_FUNCTIONS | set(settings.namespaces)
    if not any(name in text for name in ("xp", "likewise", *functions)):
        return []
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH))
    try:
        files = Files(lambda file: _scope_of(file, functions), path)
        return walk(scopes(tree, functions), settings.revision, _package(path), files)
    finally:
        sys.setrecursionlimit(before)


def _statements(tree: ast.Module) -> dict[int, tuple[int, int]]:
    """The first and the last line of the statement that a node is in, by id(node).

    Of those with blocks, the head. There is where formatters put comments.
    """
    found: dict[int, tuple[int, int]] = {}
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt):
            continue
        last = statement.end_lineno or statement.lineno
        body = getattr(statement, "body", ())
        if body and isinstance(body[0], ast.stmt):
            last = max(statement.lineno, body[0].lineno - 1)
        todo: list[ast.AST] = [statement]
        while todo:
            node = todo.pop()
            found[id(node)] = (statement.lineno, last)
            todo.extend(n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.stmt))
    return found


def _column(line: str, offset: int) -> int:
    """The parser counts bytes from 0."""
    return len(line.encode()[:offset].decode(errors="replace")) + 1


def _ignored(text: str) -> dict[int, frozenset[str] | None]:
    """Line -> the codes of its comment; None for all of them."""
    if "likewise:" not in text:
        return {}
    found: dict[int, frozenset[str] | None] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        match = COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if match is not None:
            codes = match[1]
            names = None if codes is None else frozenset(c.strip() for c in codes.split(","))
            found[token.start[0]] = names
    return found


def _matches(ignored: dict[int, frozenset[str] | None], line: int, code: str) -> bool:
    if line not in ignored:
        return False
    codes = ignored[line]
    return codes is None or any(c and code.startswith(c) for c in codes)
