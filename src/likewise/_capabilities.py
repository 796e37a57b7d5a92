"""The table of capabilities, which ``ci/capabilities`` makes from records of `check_function`.

The data are facts found by tests. The status of a cell is derived here, so that a function with a
new option, or an untested row, can't keep a 'yes'.
"""

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from ._default import KNOWN
from ._sources import Sources

__all__ = ["COLUMNS", "FILE", "LIBRARIES", "OLDER", "PERHAPS", "STATUSES", "Cell", "Table", "table"]

FILE = "capabilities.json"
LIBRARIES = (
    *dict.fromkeys(["numpy", "strict", *(name for name, known in KNOWN.items() if known.host)]),
    *(f"{name} (GPU)" for name, known in KNOWN.items() if known.gpu),
)
COLUMNS = ("eager", "jit", "grad", "vmap", "lazy", "float32", "complex", "device", "sharded", "row")
OLDER, PERHAPS = "older than the code", "perhaps older than the code"
STATUSES = ("yes", "part", "loop", "no", "n/a", "not run", "failed")
# Other inputs of plain calls: if untried, the cell is 'part'; if they raise, the cell says so.
INPUTS = {"float32": "float32", "batch": "a batch", "strided": "views", "empty": "empty inputs"}
_NOT_HERE = {
    "lazy": ("dask", "its arrays are computed at once"),
    "device": ("strict", "it has one device"),
    "sharded": ("jax", "its arrays lie on one device each"),
}


@dataclass(frozen=True)
class Cell:
    """A status with its details: the missing parts, the reason, the routine."""

    status: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.status}: {self.reason}" if self.reason else self.status


def parsed(text: str) -> Cell:
    """Return the cell that a text encodes."""
    status, _, reason = text.partition(": ")
    return Cell(status, reason)


@dataclass(frozen=True)
class Table:
    """Functions, libraries, and the facts of each function on each library."""

    data: Mapping[str, Any]
    sources: Sources = field(default_factory=functools.cache(Sources))  # read once a process

    @property
    def functions(self) -> Mapping[str, Any]:
        """The facts of each function, by its name without 'likewise.'."""
        found: Mapping[str, Any] = self.data["functions"]
        return found

    def facts(self, name: str, library: str) -> Mapping[str, Any]:
        """Return the recorded facts of a function on a library."""
        found: Mapping[str, Any] = self.functions[name]["libraries"].get(library, {})
        return found

    def cells(self, name: str, library: str) -> dict[str, Cell]:
        """Return the capabilities of a function on a library, by column."""
        facts = self.facts(name, library)
        known = {column: parsed(text) for column, text in facts.get("cells", {}).items()}
        if "eager" not in known:
            why = self.data["not_run"].get(library, "no test has run it")
            return dict.fromkeys(COLUMNS, Cell("not run", why))
        found = {column: self._cell(column, library, known) for column in COLUMNS[:-1]}
        if found["eager"].status == "yes":
            missing = [*self._inputs(library, known), *self._options(name, facts)]
            refused = "; ".join(self._refused(known))
            found["eager"] = Cell("yes", refused and f"without {refused}")
            if missing:
                found["eager"] = Cell("part", "not shown: " + ", ".join(missing))
        return found | {"row": self._row(name, library)}

    def _cell(self, column: str, library: str, known: Mapping[str, Cell]) -> Cell:
        where, why = _NOT_HERE.get(column, ("", ""))
        if where and column not in known:
            here = library.partition(" ")[0] == where or (
                column == "device" and library.endswith("(GPU)")
            )
            return Cell("not run", "no test has looked") if here else Cell("n/a", why)
        return known.get(column, Cell("not run", "no test has looked"))

    def _inputs(self, library: str, known: Mapping[str, Cell]) -> Iterator[str]:
        """Name the inputs that no test has tried, or with which one failed."""
        for column, text in INPUTS.items():
            if column == "strided" and library.partition(" ")[0] in ("jax", "dask"):
                continue  # their arrays are no views
            cell = known.get(column)
            if cell is None:
                yield text
            elif cell.status == "failed":
                yield f"{text} ({cell.reason})"

    def _refused(self, known: Mapping[str, Cell]) -> Iterator[str]:
        """Name the inputs that were tried and can't be, in some calls or in all."""
        for column, text in INPUTS.items():
            cell = known.get(column, Cell("not run"))
            if cell.status in ("no", "part"):
                yield f"{text} ({cell.reason})"

    def _options(self, name: str, facts: Mapping[str, Any]) -> Iterator[str]:
        shown = facts.get("options", {})
        for option, values in self.functions[name]["choices"].items():
            left = [v for v in values if v not in shown.get(option, ())]
            if left:
                yield f"{option}=" + "|".join(left)

    def _row(self, name: str, library: str) -> Cell:
        """Return the native routines that serve the function and have run."""
        everywhere = self.functions[name]["libraries"].values()
        steps = {step for facts in everywhere for step in facts.get("routines", {})}
        ran = self.facts(name, library).get("routines", {})
        own = library.partition(" ")[0]
        there = {
            step: rows[own]
            for step in sorted(steps)
            for rows in [self._rows(name, step)]
            if own in rows
        }
        took = {step: path for step, path in ran.items() if path != "generic"}
        if not steps and not any("routines" in facts for facts in everywhere):
            return Cell("not run", "no test has looked")
        if not there and not took:
            return Cell("n/a", "its own text runs")
        left = [path for step, path in there.items() if step not in took]
        if not took:
            return Cell("part", f"there is {', '.join(left)}, which no test's call has met")
        return Cell("yes", ", ".join(dict.fromkeys(took.values())))

    def _rows(self, name: str, step: str) -> Mapping[str, str]:
        """Return the routines of a step, by library; those of the function's own room first."""
        rows: Mapping[str, Mapping[str, str]] = self.data["rows"]
        ends = [key for key in rows if key.endswith((f":_{step}", f":{step}"))]
        near = [key for key in ends if key.startswith(f"likewise.{name.partition('.')[0]}.")]
        return rows[(near or ends)[0]] if ends else {}

    def overall(self, name: str, library: str) -> str:
        """Return one status for a function on a library.

        'yes' if all cells are yes, loop or n/a; that it takes no complex numbers, with the reason,
        counts as n/a. 'no' and 'not run' are those of plain calls.
        """
        cells = self.cells(name, library)
        if any(cell.status == "failed" for cell in cells.values()):
            return "failed"
        eager = cells["eager"].status
        if eager in ("no", "not run"):
            return eager
        fine = {column: cell.status in ("yes", "loop", "n/a") for column, cell in cells.items()}
        fine["complex"] = fine["complex"] or cells["complex"].status == "no"
        return "yes" if all(fine.values()) else "part"

    def counts(self, library: str, names: Any = None) -> dict[str, int]:
        """Return how many functions are of each status on a library."""
        found = dict.fromkeys(("yes", "part", "no", "not run", "failed"), 0)
        for name in self.functions if names is None else names:
            found[self.overall(name, library)] += 1
        return found

    def run(self, name: str, library: str) -> Mapping[str, Any]:
        """Return date, commit and versions of the last test of a function on a library."""
        found: Mapping[str, Any] = self.data["runs"][self.facts(name, library)["run"]]
        return found

    def age(self, name: str, library: str, number: int | None = None) -> str:
        """Say if the cells, or those of one run, are older than the function's code: '' if not.

        `PERHAPS` if the hash of what was run isn't known.
        """
        facts = self.facts(name, library)
        if not facts:
            return ""
        runs = {facts["run"], *facts.get("older", {}).values()}
        known = self.functions[name].get("code", {})
        hashes = {known.get(str(n)) for n in (runs if number is None else {number})}
        if hashes <= {self.sources.hash_of(name)}:
            return ""
        return PERHAPS if hashes <= {None, self.sources.hash_of(name)} else OLDER

    def ages(self, library: str, names: Iterable[str] | None = None) -> dict[str, int]:
        """Return of how many functions the cells are older than the code, or perhaps."""
        found = [self.age(n, library) for n in (self.functions if names is None else names)]
        return {age: found.count(age) for age in (OLDER, PERHAPS)}

    def origins(self, name: str, library: str) -> Iterator[str]:
        """Say in words where the cells come from: those of older runs by column."""
        facts = self.facts(name, library)
        older: dict[int, list[str]] = {}
        for column, number in facts.get("older", {}).items():
            older.setdefault(number, []).append(column)
        for number, columns in {facts["run"]: [], **older}.items():
            run = self.data["runs"][number]
            version = run["versions"].get(library.partition(" ")[0], "")
            said = f"{version}, {run['platform']}, commit {run['commit']}, {run['date']}"
            age = self.age(name, library, number)
            said += f", {age}" if age else ""
            yield f"{', '.join(columns)}: {said}" if columns else said


@functools.cache
def table() -> Table:
    """Return the table that comes with the package."""
    text = files("likewise").joinpath(FILE).read_text(encoding="utf-8")
    return Table(json.loads(text))
