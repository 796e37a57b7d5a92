"""Write a public name to each place that lists it, from the one where it is entered by hand.

    python ci/pages/listed.py          write
    python ci/pages/listed.py --check  end with status 1 where something is not up to date

A name is entered among the imports under ``if TYPE_CHECKING`` of its room's ``__init__.py``. From
there come ``__all__`` and the table of what is loaded on first use; its entry on the room's page of
the reference, beside the other functions of its file; and its line in ``tests/surface.txt``: the
test of its values, which is found by its name.
"""

import argparse
import ast
import functools
import importlib
import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from likewise._default import KNOWN

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "likewise"
SURFACE = ROOT / "tests" / "surface.txt"
REFERENCES = ROOT / "tests" / "special" / "references"
PAGES = (
    "differentiate",
    "fft",
    "integrate",
    "interpolate",
    "linalg",
    "missing",
    "ndimage",
    "optimize",
    "polynomial",
    "random",
    "signal",
    "special",
    "stats",
    "transforms",
)
WIDTH = 100


# -- __init__.py -----------------------------------------------------------------------------------


def init(text: str) -> str:
    """Return the text of a room's ``__init__.py`` with the two lists that its imports say."""
    tree = ast.parse(text)
    lazy = [n for n in tree.body if isinstance(n, ast.If)]
    if not lazy or not any(isinstance(n, ast.Dict) for n in ast.walk(lazy[0])):
        return text
    imports = [n for n in lazy[0].body if isinstance(n, ast.ImportFrom)]
    files = {n.module or alias.name: "" for n in imports for alias in n.names}
    files |= {n.module: " ".join(sorted(a.name for a in n.names)) for n in imports if n.module}
    (table,) = (n for n in ast.walk(lazy[0]) if isinstance(n, ast.Dict))
    (names,) = (
        n.value
        for n in tree.body
        if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__"
    )
    public = {*ast.literal_eval(names), *(a.name for n in imports if n.module for a in n.names)}
    lines = text.splitlines(keepends=True)
    indent = " " * 12
    entries = "".join(_entry(file, found, indent) for file, found in sorted(files.items()))
    lines[table.lineno : table.end_lineno - 1] = [entries]  # type: ignore[operator]
    if names.end_lineno != names.lineno:  # else all names stand on one line
        quoted = "".join(f'    "{name}",\n' for name in sorted(public))
        lines[names.lineno : names.end_lineno - 1] = [quoted]  # type: ignore[operator]
    return "".join(lines)


def _entry(file: str, names: str, indent: str) -> str:
    """Return a line of the table, as ruff formats it."""
    line = f'{indent}"{file}": "{names}",\n'
    if len(line) <= WIDTH + 1:
        return line
    *parts, last = textwrap.wrap(names, WIDTH - len(indent) - 7)
    quoted = [*(f'{indent}    "{part} "' for part in parts), f'{indent}    "{last}"']
    return "\n".join([f'{indent}"{file}": (', *quoted, f"{indent}),\n"])


# -- docs/reference --------------------------------------------------------------------------------


def page(text: str, room: str) -> str:
    """Return a page of the reference with the names of its room that it lacks."""
    module = importlib.import_module(f"likewise.{room}")
    listed = re.findall(r"^\.\. auto\w+:: (?:\w+\.)*(\w+)", text, re.MULTILINE)
    for name in module.__all__:
        value = getattr(module, name)
        if name in listed or inspect.ismodule(value) or f"likewise.{room}" not in value.__module__:
            continue
        kind = "class" if inspect.isclass(value) else "function" if callable(value) else "data"
        beside = [n for n in listed if getattr(module, n, None) is not None]
        beside = [n for n in beside if getattr(module, n).__module__ == value.__module__]
        text = _beside(text, beside[-1], name, kind) if beside else _at_the_end(text, name, kind)
        listed.append(name)
    return text


def _beside(text: str, other: str, name: str, kind: str) -> str:
    """Enter a name after another, in the table of the section and among its texts."""
    at = text.index(f":: {other}\n")
    end = text.index("```", at)
    start = text.rindex("```{eval-rst}", 0, at)
    block = re.sub(rf"^(   {other}\n)", rf"\1   {name}\n", text[start:end], flags=re.MULTILINE)
    return f"{text[:start]}{block}\n.. auto{kind}:: {name}\n{text[end:]}"


def _at_the_end(text: str, name: str, kind: str) -> str:
    table = f".. autosummary::\n   :nosignatures:\n\n   {name}\n"
    return f"{text}\n## {name}\n\n```{{eval-rst}}\n{table}\n.. auto{kind}:: {name}\n```\n"


# -- tests/surface.txt -----------------------------------------------------------------------------


def surface(text: str, public: Iterator[str]) -> str:
    """Return the lines of functions and the tests of their values, with those that are missing."""
    lines = text.splitlines()
    known = {line.split(" ", 1)[0] for line in lines}
    for name in sorted(set(public) - known):
        test = _test_of(name)
        if test:
            lines.append(f"{name} {test}")
    return "\n".join(sorted(lines)) + "\n"


def _test_of(name: str) -> str:
    """Return the first test, without its variant, that runs on each library and names it."""
    room, _, short = name.rpartition(".")
    if room == "special" and (REFERENCES / f"{short}.csv").exists():
        return f"special/test_accuracy.py::test_double[{short}]"
    folder = ROOT / "tests" / room.replace(".", "/")
    files = [p for p in sorted(folder.rglob("test_*.py")) if re.search(rf"\b{short}\b", _read(p))]
    named = {str(p.relative_to(ROOT / "tests")) for p in files}
    found = _collected(folder)
    word = re.compile(rf"(?<![a-zA-Z0-9]){short}(?![a-zA-Z0-9])")
    by_name = [(t, p) for t, p in found if word.search(f"{t.partition('::')[2]} {p}")]
    found = [(t, p) for t, p in found if t.partition("::")[0] in named]
    inside = [(t, p) for t, p in found if word.search(_body(t))]
    for test, parameters in by_name + inside:
        return f"{test}[{parameters}]" if parameters else test
    return ""


@functools.cache
def _collected(folder: Path) -> list[tuple[str, str]]:
    """Return tests of a folder with their parameters, as they run on NumPy."""
    call = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--full", "--xp=numpy"]
    done = subprocess.run([*call, folder], cwd=ROOT, capture_output=True, text=True, check=False)
    return re.findall(r"^tests/(\S+?::\w+)\[numpy-?(.*)\]$", done.stdout, re.MULTILINE)


@functools.cache
def _read(path: Path) -> str:
    return path.read_text("utf-8")


def _body(test: str) -> str:
    file, _, name = test.partition("::")
    text = _read(ROOT / "tests" / file)
    tests = (n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == name)
    return ast.get_source_segment(text, next(tests)) or ""


# --------------------------------------------------------------------------------------------------


def libraries(text: str) -> str:
    """Return a file in whose docstrings all libraries are named that `namespace=` can be."""
    names = ", ".join(map(repr, KNOWN))
    return re.sub(r"\{'numpy', 'cupy', [^}]*\}", f"{{{names}}}", text)


def made() -> Iterator[tuple[Path, str]]:
    """Give each file with the text that it should have."""
    for path in sorted(SOURCE.rglob("__init__.py")):
        yield path, init(_read(path))
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name != "__init__.py":
            yield path, libraries(_read(path))
    for room in PAGES:
        path = ROOT / "docs" / "reference" / f"{room}.md"
        yield path, page(_read(path), room)
    sys.path.insert(0, str(ROOT))
    public: Any = importlib.import_module("tests.test_surface").public()
    yield SURFACE, surface(_read(SURFACE), public)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check, stale = parser.parse_args().check, False
    for path, text in made():
        if text == _read(path):
            continue
        stale = True
        print(f"{path.relative_to(ROOT)}{' is not up to date' if check else ''}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(stale and check)


if __name__ == "__main__":
    raise SystemExit(main())
