"""Files: which there are, what is in them, and which lines are not to be reported."""

import ast
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
from ._findings import Finding
from ._rule import Complaint
from ._scopes import NAMESPACE_FUNCTIONS, scopes
from ._walk import walk

__all__ = ["check_file", "python_files"]

COMMENT = re.compile(r"#\s*likewise:\s*ignore(?:\[([^\]]*)\])?")
SKIPPED = frozenset("__pycache__ node_modules site-packages".split())


def python_files(path: Path, settings: Settings) -> Iterator[Path]:
    """The file itself, or what a folder holds; hidden folders and environments are passed over."""
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise ArgumentError(f"check: there is no file or folder {str(path)!r}")
    for folder, inner, files in os.walk(path, onerror=_cannot_list):
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
            if name.endswith(".py") and not settings.excludes(here / name):
                yield here / name


def _cannot_list(error: OSError) -> None:
    raise ArgumentError(f"check: {error.filename!r} can't be read: {error.strerror}") from error


def check_file(path: Path, settings: Settings) -> list[Finding]:
    """What the rules find in a file, without what is switched off."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ArgumentError(f"check: {str(path)!r} can't be read: {error.strerror}") from error
    try:
        text, tree = _parse(content)
        found = _complaints(text, tree, settings)
    except SyntaxError as error:
        what = f"{error.msg} (read as Python {sys.version_info[0]}.{sys.version_info[1]})"
        wrong = Finding(str(path), error.lineno or 1, error.offset or 1, "LW001", what)
        return [wrong] if settings.reports("LW001", path) else []
    except (UnicodeDecodeError, ValueError) as error:
        wrong = Finding(str(path), 1, 1, "LW001", str(error))
        return [wrong] if settings.reports("LW001", path) else []
    except (RecursionError, MemoryError):
        wrong = Finding(str(path), 1, 1, "LW001", "nested too deeply to be read")
        return [wrong] if settings.reports("LW001", path) else []
    lines = text.splitlines()
    ignored = _ignored(text)
    findings = set()
    for node, code, message in found:
        extent = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if settings.reports(code, path) and not any(_matches(ignored, n, code) for n in extent):
            column = _column(lines[node.lineno - 1], node.col_offset)
            findings.add(Finding(str(path), node.lineno, column, code, message))
    return sorted(findings)


def _parse(content: bytes) -> tuple[str, ast.Module]:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    text = io.IncrementalNewlineDecoder(None, translate=True).decode(content.decode(encoding))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes are another linter's matter
        return text, ast.parse(text)


def _complaints(text: str, tree: ast.Module, settings: Settings) -> list[Complaint]:
    functions = NAMESPACE_FUNCTIONS | set(settings.namespaces)
    if "xp" not in text and not any(name in text for name in functions):
        return []
    return walk(scopes(tree, functions), settings.revision)


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
