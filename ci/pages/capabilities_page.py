"""The tables of docs/reference/capabilities.md, which Sphinx puts in as it reads the page."""

import html
import importlib
from collections.abc import Iterator
from typing import Any

from likewise._capabilities import COLUMNS, LIBRARIES, OLDER, PERHAPS, Table

__all__ = ["filled_in"]

# Names in scope in SciPy's main branch (2.0 dev), and of them those that run on PyTorch's GPU
# arrays, on CuPy's, and traced by jax.jit: counted in its own table of capabilities, autumn 2026.
SCIPY = {
    "signal": (183, 74, 122, 56),
    "special": (343, 40, 94, 49),
    "optimize": (73, 8, 9, 4),
    "fft": (41, 24, 24, 24),
    "linalg": (104, 4, 4, 2),
}


def _kind(status: str) -> str:
    return "c-" + status.replace(" ", "-").replace("/", "")


def main_table(table: Table) -> Iterator[str]:
    """Functions and libraries; the choice of a column and of a status is made by a script."""
    yield '<div class="capabilities" id="capabilities">'
    yield '<p><label>Function <input type="search" id="c-name" autocomplete="off"></label> '
    yield '<label>Package <select id="c-package"><option value="">all</option>'
    for package in dict.fromkeys(name.partition(".")[0] for name in table.functions):
        yield f"<option>{package}</option>"
    yield '</select></label> <label>Show <select id="c-column">'
    yield '<option value="-1">everything</option>'
    yield from (f'<option value="{k}">{column}</option>' for k, column in enumerate(COLUMNS))
    yield '</select></label> <label>Status <select id="c-status"><option value="">any</option>'
    for status in ("yes", "part", "loop", "no", "n/a", "not run", "failed"):
        yield f"<option>{status}</option>"
    yield '</select></label> <span id="c-count" role="status"></span></p>'
    yield "<table><caption>What each function does on each library</caption><thead><tr>"
    yield '<th scope="col">function</th>'
    yield from (f'<th scope="col">{library}</th>' for library in LIBRARIES)
    yield "</tr></thead><tbody>"
    for name in table.functions:
        yield f'<tr data-name="{name}"><th scope="row"><a href="#c-{name}">{name}</a></th>'
        for library in LIBRARIES:
            status = table.overall(name, library)
            cells = table.cells(name, library)
            told = html.escape("|".join(cells[c].status for c in COLUMNS), quote=True)
            age = table.age(name, library)
            old = f' data-age="{age}" title="{age}"' if age else ""
            yield f'<td class="{_kind(status)}" data-all="{status}" data-each="{told}"{old}>'
            yield f"{status}</td>"
        yield "</tr>"
    yield "</tbody></table></div>"


def details(table: Table) -> Iterator[str]:
    """For each function a table of its own, with all reasons."""
    for name, known in table.functions.items():
        yield f'<details class="capability" id="c-{name}"><summary>{name}</summary>'
        for option, values in known["choices"].items():
            yield f"<p>{option}: {html.escape(', '.join(values))}</p>"
        done = [library for library in LIBRARIES if table.facts(name, library)]
        if not done:
            yield "<p>Not run.</p></details>"
            continue
        yield "<table><thead><tr><th></th>"
        yield from (f'<th scope="col">{column}</th>' for column in COLUMNS)
        yield "</tr></thead><tbody>"
        for library in done:
            cells = table.cells(name, library)
            yield f'<tr><th scope="row">{library}</th>'
            yield from (
                f'<td class="{_kind(cells[c].status)}">{cells[c].status}</td>' for c in COLUMNS
            )
            yield "</tr>"
        yield "</tbody></table><ul>"
        for library in done:
            yield f"<li>{library}: {'; '.join(map(html.escape, said(table, name, library)))}</li>"
        yield "</ul></details>"


def said(table: Table, name: str, library: str) -> Iterator[str]:
    """Reasons, notes, errors, and where they come from."""
    facts = table.facts(name, library)
    for column, cell in table.cells(name, library).items():
        if cell.reason and cell.status != "n/a":
            yield f"{column} {cell}"
    yield from facts["notes"]
    for dtype, (error, limit) in facts["errors"].items():
        against = ", ".join(facts["values"])
        yield f"{dtype}: worst error {error:g}, tolerance {limit:g}, against {against}"
    yield from (f"version {origin}" for origin in table.origins(name, library))


def beside_scipy(table: Table) -> Iterator[str]:
    """SciPy's figures and ours."""
    head = ("module", "names in SciPy", *(f"SciPy: {c}" for c in ("torch GPU", "CuPy", "jax.jit")))
    ours = (
        "ours of these names",
        *(f"ours: {c}" for c in ("torch", "torch GPU", "CuPy", "jax.jit")),
    )
    yield '<div class="capability"><table><thead><tr>'
    yield from (f'<th scope="col">{c}</th>' for c in (*head, *ours))
    yield "</tr></thead><tbody>"
    for package, figures in SCIPY.items():
        names = list(_of_scipy(package, table))
        working = {
            library: sum(table.cells(n, library)["eager"].status in ("yes", "part") for n in names)
            for library in ("torch", "torch (GPU)", "cupy (GPU)")
        }
        traced = sum(table.cells(n, "jax")["jit"].status in ("yes", "part") for n in names)
        cells = [*figures, len(names), *working.values(), traced]
        yield f'<tr><th scope="row">{package}</th>'
        yield from (f"<td>{n}</td>" for n in cells)
        yield "</tr>"
    yield "</tbody></table></div>"


def _of_scipy(package: str, table: Table) -> Iterator[str]:
    modules = [importlib.import_module(f"scipy.{package}")]
    if package == "optimize":
        modules.append(importlib.import_module("scipy.optimize.elementwise"))
    for name in table.functions:
        room, _, short = name.partition(".")
        if room == package and any(hasattr(module, short) for module in modules):
            yield name


def libraries(table: Table) -> Iterator[str]:
    """How many functions are of each status, by library, and how many were run before a change."""
    counts = {library: table.counts(library) for library in LIBRARIES}
    every = ("yes", "part", "no", "not run", "failed")
    statuses = [status for status in every if any(of[status] for of in counts.values())]
    yield '<div class="summary"><table class="table"><thead><tr><th scope="col">library</th>'
    yield from (f'<th scope="col">{head}</th>' for head in (*statuses, OLDER, PERHAPS))
    yield "</tr></thead><tbody>"
    for library, of in counts.items():
        why = html.escape(table.data["not_run"].get(library, ""))
        yield f'<tr><th scope="row">{library}{f" <small>{why}</small>" if why else ""}</th>'
        yield from (
            f'<td><span class="{_kind(status)}">{of[status]}</span></td>'
            if of[status]
            else "<td></td>"
            for status in statuses
        )
        yield from (f"<td>{n or ''}</td>" for n in table.ages(library).values())
        yield "</tr>"
    yield "</tbody></table></div>"


PARTS: dict[str, Any] = {
    "libraries": libraries,
    "functions": main_table,
    "details": details,
    "scipy": beside_scipy,
}


def filled_in(text: str, known: Table, parts: dict[str, Any] = PARTS) -> str:
    """A page with the tables in place of `<!-- table: NAME -->`."""
    for name, made in parts.items():
        place = f"<!-- table: {name} -->"
        if place in text:
            block = "```{raw} html\n" + "\n".join(made(known)) + "\n```"
            text = text.replace(place, block)
    return text
