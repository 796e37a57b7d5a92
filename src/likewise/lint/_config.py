"""The settings of a run, from the nearest pyproject.toml and from the caller."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from ..errors import ArgumentError
from ._findings import CODES, LENIENT, OPTIONAL
from ._names import REVISIONS

__all__ = ["Settings", "settings"]

TABLE = "tool.likewise.check"
KEYS = ("select", "ignore", "revision", "exclude", "per-file-ignores", "namespaces", "tests")
# Names of files and folders.
TESTS = ("test_*.py", "*_test.py", "conftest.py", "test", "tests")


@dataclass(frozen=True)
class Settings:
    """Hold the settings for the files under one path."""

    select: tuple[str, ...] = ("LW",)
    ignore: tuple[str, ...] = ()
    revision: str = REVISIONS[-1]
    exclude: tuple[str, ...] = ()
    per_file_ignores: dict[str, tuple[str, ...]] = field(default_factory=dict)
    namespaces: tuple[str, ...] = ()  # further functions that return one
    tests: tuple[str, ...] = TESTS  # files in which only what matters in a test is reported
    root: Path = Path()

    def relative(self, path: Path) -> str:
        try:
            return path.absolute().relative_to(self.root).as_posix()
        except ValueError:
            return path.as_posix()

    def excludes(self, path: Path) -> bool:
        """Tell whether a pattern matches the path or a folder above it."""
        parts = self.relative(path).split("/")
        places = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
        return any(fnmatch(p, pattern.rstrip("/")) for p in places for pattern in self.exclude)

    def is_test(self, path: Path) -> bool:
        """Tell whether a pattern matches the file's name, or a folder's below the root."""
        return any(
            fnmatch(p, pattern) for p in self.relative(path).split("/") for pattern in self.tests
        )

    def reports(self, code: str, path: Path) -> bool:
        if not code.startswith(self.select) or code.startswith(self.ignore):
            return False
        if code in OPTIONAL and code not in self.select:
            return False
        if code.startswith(LENIENT) and self.is_test(path):
            return False
        name = self.relative(path)
        here = (codes for p, codes in self.per_file_ignores.items() if fnmatch(name, p))
        return not any(code.startswith(codes) for codes in here)


def settings(
    path: Path,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    revision: str | None = None,
) -> Settings:
    """Return the settings of a path; arguments override the file."""
    found = _of_file(path)
    if select is not None:
        found = replace(found, select=_selected(select, "select"))
    if ignore is not None:
        found = replace(found, ignore=_codes(ignore, "ignore"))
    if revision is not None:
        found = replace(found, revision=_revision(revision, "revision"))
    return found


def _of_file(path: Path) -> Settings:
    place = path.absolute()
    for folder in (place, *place.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            return _read(file)
    return Settings(root=place.parent if place.is_dir() else place.parent.parent)  # for `is_test`


def _read(file: Path) -> Settings:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ArgumentError(f"check: {file} can't be read: {error}") from error
    table: Any = content
    for part in TABLE.split("."):
        table = table.get(part, {}) if isinstance(table, dict) else {}
    if not isinstance(table, dict):
        raise ArgumentError(f"check: {file}: [{TABLE}] must be a table")
    where = f"{file}: [{TABLE}]"
    unknown = [key for key in table if key not in KEYS]
    if unknown:
        raise ArgumentError(
            f"check: {where} has no key {unknown[0]!r}; its keys are {', '.join(KEYS)}"
        )
    ignores = table.get("per-file-ignores", {})
    if not isinstance(ignores, dict):
        raise ArgumentError(
            f"check: {where}: per-file-ignores must be a table of patterns and lists of codes"
        )
    return Settings(
        _selected(_texts(table, "select", where, ("LW",)), f"{where}: select"),
        _codes(_texts(table, "ignore", where), f"{where}: ignore"),
        _revision(table.get("revision", REVISIONS[-1]), f"{where}: revision"),
        _texts(table, "exclude", where),
        {p: _codes(_texts(ignores, p, where), f"{where}: {p}") for p in ignores},
        _texts(table, "namespaces", where),
        _texts(table, "tests", where, TESTS),
        file.parent,
    )


def _texts(
    table: dict[str, Any], key: str, where: str, default: tuple[str, ...] = ()
) -> tuple[str, ...]:
    value = table.get(key, default)
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
        raise ArgumentError(f"check: {where}: {key} must be a list of strings, not {value!r}")
    return tuple(value)


def _codes(codes: Iterable[str], where: str) -> tuple[str, ...]:
    """Codes, or their beginnings."""
    if isinstance(codes, str):
        raise ArgumentError(f"check: {where} must be a list of codes, not the text {codes!r}")
    found = tuple(codes)
    for code in found:
        if not code or not any(known.startswith(code) for known in CODES):
            raise ArgumentError(
                f"check: {where}: there is no code {code!r}; the codes are {', '.join(CODES)}, "
                "and beginnings of them such as LW1"
            )
    return found


def _selected(codes: Iterable[str], where: str) -> tuple[str, ...]:
    """Nothing at all is a mistake, such as a variable of a shell that isn't set."""
    found = _codes(codes, where)
    if not found:
        raise ArgumentError(f"check: {where} has no code in it; the codes are {', '.join(CODES)}")
    return found


def _revision(revision: object, where: str) -> str:
    if revision not in REVISIONS:
        raise ArgumentError(
            f"check: {where}: {revision!r} is no revision that is known here; those are "
            f"{', '.join(REVISIONS)}"
        )
    return str(revision)
