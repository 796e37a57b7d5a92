"""Findings about functions, as records and tables."""

import html
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import ArgumentError

__all__ = ["COLUMNS", "Cell", "Record", "collected", "keep", "write"]

COLUMNS = (
    *("eager", "jit", "grad", "vmap", "lazy", "float32", "complex", "device"),
    *("batch", "strided", "empty", "sharded"),
)
_SIGNS = {
    "yes": "yes",
    "loop": "loop",
    "part": "part",
    "no": "no",
    "failed": "FAILED",
    "not run": "not run",
    "none": "–",
}


@dataclass(frozen=True)
class Cell:
    """Hold whether a function can do something on a library.

    Attributes
    ----------
    status : {'yes', 'loop', 'part', 'no', 'failed', 'not run', 'none'}
        'loop': yes, by a loop over the batch. 'part': in part, see the reason. 'no': declared with
        a reason, and confirmed. 'none': doesn't apply.
    reason : str
        Why not.
    error, tolerance : float or None
        If values were compared: the worst error and the tolerance, both relative to the largest
        expected element (or to 1).
    only : str
        If only one variant of the library can't do it: that variant.
    """

    status: str
    reason: str = ""
    error: float | None = None
    tolerance: float | None = None
    only: str = ""

    def __str__(self) -> str:
        return _SIGNS[self.status]


@dataclass(frozen=True)
class Record:
    """Hold the findings of `check_function`.

    Attributes
    ----------
    function : str
        Module and name.
    values : str
        The reference of the values: its name, 'given values', 'a function of the test' or 'not
        checked'.
    cells : dict of dict of Cell
        By library, then by column: eager, jit, grad, vmap, lazy, float32, complex, device, batch,
        strided (inputs that are views with gaps), empty, sharded (inputs on several devices).
    options : dict of tuple of str
        Values of the options in the signature (`typing.Literal`) that the calls passed, by
        parameter.
    routines : dict of dict of str
        By library, then by apply step of likewise: the native routine that ran, or 'generic'.
    notes : dict of tuple of str
        By library: reads of single values, callbacks, warnings of host copies.
    """

    function: str
    values: str
    cells: dict[str, dict[str, Cell]]
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)
    routines: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def failures(self) -> list[str]:
        """Return a line for each cell that failed."""
        return [
            f"{library}, {column}: {cell.reason}"
            for library, row in self.cells.items()
            for column, cell in row.items()
            if cell.status == "failed"
        ]

    def __str__(self) -> str:
        header = ("", *COLUMNS)
        rows = [
            (library, *(str(row.get(c, Cell("none"))) for c in COLUMNS))
            for library, row in self.cells.items()
        ]
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        lines = [
            "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in (header, *rows)
        ]
        return "\n".join([f"{self.function} (values: {self.values})", *lines])


def write(
    path: Path,
    records: Sequence[Mapping[str, Any]],
    not_run: Mapping[str, str],
    registry: Iterable[Mapping[str, str]],
    versions: Mapping[str, str],
) -> None:
    """Write a report as JSON, Markdown or HTML, by the file's ending."""
    registry = list(registry)
    if path.suffix == ".json":
        content = {
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "platform": f"{platform.system()} {platform.machine()}",
            "versions": dict(versions),
            "records": list(records),
            "not_run": dict(not_run),
            "registry": registry,
        }
        text = json.dumps(content, indent=1, sort_keys=True)
    elif path.suffix in (".md", ".html"):
        blocks = list(_blocks(records, not_run, registry, versions))
        text = _markdown(blocks) if path.suffix == ".md" else _html(blocks)
    else:
        raise ArgumentError(f"--xp-report: {str(path)!r} must end in .json, .md or .html")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


_Block = tuple[str, tuple[str, ...], list[tuple[str, ...]]]


def _blocks(
    records: Sequence[Mapping[str, Any]],
    not_run: Mapping[str, str],
    registry: Sequence[Mapping[str, str]],
    versions: Mapping[str, str],
) -> Iterable[_Block]:
    """Title, header and rows of each table: one a library, then the reasons."""
    records = _merged(records)
    libraries = dict.fromkeys(library for record in records for library in record["cells"])
    reasons: list[tuple[str, ...]] = []
    for library in libraries:
        rows = []
        for record in records:
            cells = record["cells"].get(library)
            if cells is None:
                continue
            signs = (_SIGNS[cells[c]["status"] if c in cells else "none"] for c in COLUMNS)
            rows.append((record["function"], *signs))
            reasons += [
                (record["function"], library, c, _SIGNS[cells[c]["status"]], cells[c]["reason"])
                for c in COLUMNS
                if c in cells and cells[c]["reason"]
            ]
        title = " ".join((library, versions.get(library.partition(" ")[0], ""))).strip()
        yield title, ("function", *COLUMNS), rows
    if reasons:
        yield "Reasons", ("function", "library", "column", "status", "reason"), reasons
    if registry:
        rows = [(r["test"], r["kind"], r["variant"], r["reason"]) for r in registry]
        yield "Declared by marks", ("test", "kind", "variant", "reason"), sorted(rows)
    if not_run:
        yield "Not run", ("variant", "reason"), sorted(not_run.items())


def _merged(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One record a function, in order; of several results for a cell, the worst."""
    worse = ["none", "yes", "loop", "part", "no", "not run", "failed"].index
    found: dict[str, dict[str, dict[str, Mapping[str, str]]]] = {}
    for record in records:
        cells = found.setdefault(str(record["function"]), {})
        for library, row in record["cells"].items():
            own = cells.setdefault(library, {})
            for column, cell in row.items():
                if column not in own or worse(cell["status"]) > worse(own[column]["status"]):
                    own[column] = cell
    return [{"function": name, "cells": found[name]} for name in sorted(found)]


def _markdown(blocks: Sequence[_Block]) -> str:
    parts = []
    for title, header, rows in blocks:
        lines = [f"## {title}", "", _line(header), _line("---" for _ in header)]
        parts.append("\n".join([*lines, *map(_line, rows)]))
    return "\n\n".join(parts)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |"


def _html(blocks: Sequence[_Block]) -> str:
    parts = [
        "<!doctype html><meta charset=utf-8><title>likewise: what runs where</title>",
        "<style>body{font-family:sans-serif}table{border-collapse:collapse}"
        "td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left}"
        ".yes{background:#dfd}.no,.loop{background:#ffd}.FAILED{background:#fbb}</style>",
    ]
    for title, header, rows in blocks:
        cells = "".join(f"<th>{html.escape(c)}</th>" for c in header)
        lines = [f"<h2>{html.escape(title)}</h2><table><tr>{cells}</tr>"]
        for row in rows:
            marked = (
                f"<td class={c}>{c}</td>"
                if c in ("yes", "no", "loop", "FAILED")
                else f"<td>{html.escape(c)}</td>"
                for c in row
            )
            lines.append(f"<tr>{''.join(marked)}</tr>")
        parts.append("\n".join([*lines, "</table>"]))
    return "\n".join(parts)


_KEPT: list[Record] = []


def keep(record: Record) -> None:
    """Add a record to the report of the test session."""
    _KEPT.append(record)


def collected() -> list[dict[str, Any]]:
    """Return the records since the last call, as picklable dicts and strings."""
    found = [asdict(record) for record in _KEPT]
    _KEPT.clear()
    return found
