"""The tables of docs/reference/names.md: SciPy's and NumPy's names, and what to write.

A row comes from a public name on both sides; the words for names of NumPy are those of
`likewise check`. Sphinx puts the tables in as it reads the page.
"""

import html
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import capabilities_page

from likewise._capabilities import LIBRARIES, Table
from likewise.lint._names import ELSEWHERE, HINTS, NAMES, RENAMED

__all__ = ["filled_in"]

# A module of SciPy, and the rooms of likewise with functions of the same name and meaning.
ROOMS = {
    "scipy.differentiate": ("differentiate",),
    "scipy.fft": ("fft",),
    "scipy.integrate": ("integrate",),
    "scipy.interpolate": ("interpolate",),
    "scipy.linalg": ("linalg",),
    "scipy.ndimage": ("ndimage",),
    "scipy.optimize": ("optimize",),
    "scipy.optimize.elementwise": ("optimize",),
    "scipy.signal": ("signal",),
    "scipy.signal.windows": ("signal.windows",),
    "scipy.sparse.linalg": ("sparse.linalg",),
    "scipy.spatial.distance": ("spatial.distance",),
    "scipy.special": ("special", "missing"),
    "scipy.stats": ("stats", "missing"),
    "scipy.stats.contingency": ("stats.contingency",),
    "scipy.stats.qmc": ("stats.qmc",),
}
# Of these modules likewise has nothing, or what stands under another module's name.
NOTHING = ("cluster.vq", "spatial")
ANOTHER = {"scipy.special.round"}  # of this name likewise has NumPy's function
# In how many of 111 public repositories a function is called: what is asked for most comes first.
DEMAND = {
    f"scipy.{name}": int(count)
    for name, count in (
        line.split("\t")
        for line in Path(__file__).with_name("demand.tsv").read_text("utf-8").splitlines()[1:]
    )
}


def public(name: str) -> dict[str, Any]:
    """Return the functions and classes that a module of another library offers."""
    module: ModuleType = importlib.import_module(name)
    offered = getattr(module, "__all__", dir(module))
    found = {n: getattr(module, n) for n in offered if not n.startswith("_")}
    return {
        n: f
        for n, f in sorted(found.items(), key=lambda item: item[0].lower())
        if callable(f) and not (inspect.isclass(f) and issubclass(f, Exception))
    }


def ours(module: str, name: str) -> str:
    """Return the name of likewise's function for one of SciPy's, '' where there is none."""
    for room in ROOMS[module]:
        offered = importlib.import_module(f"likewise.{room}").__all__
        if name in offered and f"{module}.{name}" not in ANOTHER:
            return f"{room}.{name}"
    return ""


def cells(path: str, known: Table) -> str:
    """A cell for each library; one for all where the table has no row."""
    if path not in known.functions:
        return f'<td colspan="{len(LIBRARIES)}">no row in the table</td>'
    statuses = (known.overall(path, library) for library in LIBRARIES)
    return "".join(f'<td class="c-{s.replace(" ", "-")}">{s}</td>' for s in statuses)


def _table(pairs: Iterator[tuple[str, str]], known: Table) -> Iterator[str]:
    """Rows of one module and one room together, under a line that names both."""
    groups: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for theirs, path in pairs:
        (module, _, name), (room, _, own) = theirs.rpartition("."), path.rpartition(".")
        groups.setdefault((module, room), []).append((name, own, path))
    yield '<div class="capabilities names" tabindex="0"><table>'
    for (module, room), rows in sorted(groups.items()):
        yield f'<tbody><tr><th scope="colgroup">{module} → likewise.{room}</th>'
        yield from (f'<th scope="col">{library}</th>' for library in LIBRARIES)
        yield "</tr>"
        for name, own, path in sorted(rows, key=lambda row: -DEMAND.get(f"{module}.{row[0]}", 0)):
            told = name if name == own else f"{name} → {own}"
            if path in known.functions:
                told = f'<a href="capabilities.html#c-{path}">{told}</a>'
            yield f'<tr data-name="{module}.{name} {path}"><th scope="row">{told}</th>'
            yield f"{cells(path, known)}</tr>"
        yield "</tbody>"
    yield "</table></div>"


def scipy(known: Table) -> Iterator[str]:
    """SciPy's functions that likewise has, each on each library."""
    found = ((f"{m}.{n}", ours(m, n)) for m in ROOMS for n in public(m))
    return _table(((theirs, path) for theirs, path in found if path), known)


def absent(known: Table) -> Iterator[str]:
    """SciPy's functions that likewise hasn't, by module."""
    for module in (*ROOMS, *(f"scipy.{m}" for m in NOTHING)):
        names = [n for n in public(module) if module not in ROOMS or not ours(module, n)]
        if module == "scipy.signal":
            names = [n for n in names if n not in public("scipy.signal.windows")]
        asked = {n: DEMAND.get(f"{module}.{n}", 0) for n in names}
        names.sort(key=lambda n: -asked[n])
        told = (f"<code>{n}</code>" + (f" ({asked[n]})" if asked[n] else "") for n in names)
        yield f"<details><summary>{module}: {len(names)} names</summary><p>{', '.join(told)}</p>"
        yield "</details>"


def _of_numpy() -> Iterator[tuple[str, str]]:
    """NumPy's functions by the name that the standard would give them."""
    for prefix in ("", "linalg.", "fft.", "random."):
        module = "numpy." + prefix.rstrip(".") if prefix else "numpy"
        for name in public(module):
            yield f"numpy.{prefix}{name}", f"{prefix}{name}"


def _elsewhere(name: str) -> str:
    """Return the name of likewise's function for one of NumPy's that the standard lacks."""
    found = "" if name in NAMES or name in RENAMED else ELSEWHERE.get(name, "")
    return found.removeprefix("likewise.")


def numpy_likewise(known: Table) -> Iterator[str]:
    """NumPy's functions that the standard lacks and likewise has."""
    found = ((theirs, _elsewhere(name)) for theirs, name in _of_numpy())
    return _table(((theirs, path) for theirs, path in found if path in known.functions), known)


def numpy_standard(known: Table) -> Iterator[str]:
    """NumPy's functions that the standard has by another name, or does in another way."""
    yield '<div class="capabilities names" tabindex="0"><table><thead><tr>'
    yield '<th scope="col">NumPy</th><th scope="col">write</th></tr></thead><tbody>'
    for theirs, name in _of_numpy():
        if name in NAMES or _elsewhere(name) in known.functions:
            continue
        words = f"`xp.{RENAMED[name]}`" if name in RENAMED else HINTS.get(name, "")
        if not words and name in ELSEWHERE:
            words = f"`{ELSEWHERE[name]}`"
        if words:
            pieces = html.escape(words).split("`")
            code = "".join(f"<code>{p}</code>" if k % 2 else p for k, p in enumerate(pieces))
            start = f'<tr data-name="{theirs}"><th scope="row">{theirs}</th>'
            yield f'{start}<td class="words">{code}</td></tr>'
    yield "</tbody></table></div>"


def numpy_same(known: Table) -> Iterator[str]:
    """NumPy's functions that the standard has by the same name."""
    same = [name for _, name in _of_numpy() if name in NAMES]
    yield f"<p>{', '.join(f'<code>{name}</code>' for name in same)}</p>"


PARTS: dict[str, Any] = {
    "scipy-names": scipy,
    "scipy-absent": absent,
    "numpy-likewise": numpy_likewise,
    "numpy-standard": numpy_standard,
    "numpy-same": numpy_same,
}


def filled_in(text: str, known: Table) -> str:
    """A page with the tables in place of `<!-- table: NAME -->`."""
    return capabilities_page.filled_in(text, known, PARTS)
