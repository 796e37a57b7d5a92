"""One line under each documented function: on which libraries it does how much.

It says what docs/reference/capabilities.md says, from the same table, and leads there.
"""

import html
from collections.abc import Iterator
from typing import Any

from docutils import nodes

from likewise._capabilities import LIBRARIES, Table, table
from likewise._default import KNOWN

SAID = {
    library: KNOWN[name].title + (" on a GPU" if gpu and KNOWN[name].host else "")
    for library in LIBRARIES
    for name, gpu, _ in [library.partition(" (GPU)")]
}

__all__ = ["SAID", "line", "setup"]


def _library(known: Table, name: str, library: str) -> str:
    """A library's name, with the columns of the table that say no."""
    cells = known.cells(name, library)
    refused = [c for c, cell in cells.items() if cell.status == "no" and c != "complex"]
    return SAID[library] + (f" (no {', '.join(refused)})" if refused else "")


def _groups(known: Table, name: str) -> Iterator[str]:
    for status in ("yes", "part", "no", "failed", "not run"):
        there = [lib for lib in LIBRARIES if known.overall(name, lib) == status]
        if there:
            listed = ", ".join(_library(known, name, lib) for lib in there)
            kind = "c-" + status.replace(" ", "-")
            yield f'<span class="{kind}">{status}</span> {html.escape(listed)}'


def line(known: Table, name: str, page: str) -> str:
    """Return the line of a function, with a link to its place on a page."""
    states = "; ".join(_groups(known, name))
    return f'<p class="runs"><a href="{page}#c-{name}">What runs where</a>: {states}</p>'


def put_under(app: Any, domain: str, objtype: str, content: nodes.Element) -> None:
    """Put the line behind the first sentence of what a function does."""
    signature = content.parent[0]
    name = f"{signature.get('module')}.{signature.get('fullname')}".removeprefix("likewise.")
    known = table()
    if domain != "py" or name not in known.functions or app.builder.format != "html":
        return
    page = app.builder.get_relative_uri(app.env.current_document.docname, "reference/capabilities")
    first = next((k for k, n in enumerate(content) if isinstance(n, nodes.paragraph)), -1)
    content.insert(first + 1, nodes.raw("", line(known, name, page), format="html"))


def setup(app: Any) -> None:
    app.connect("object-description-transform", put_under)
