"""Write the page of the special functions' errors, docs/reference/special_accuracy.md.

    python ci/special/table.py                            write it
    python ci/special/table.py erf erfc                   measure these, and keep the others
    python ci/special/table.py --new                      measure those that aren't on it
    python ci/special/table.py --check                    compare, write nothing
    python ci/special/table.py --check --columns likewise,SciPy

A function is on the page if ``tests/special/references`` has its values. Errors are rounded up to
a step, because the exponential and the logarithm of libraries differ in the last place from one
processor to another; `--check` lets them be a step higher or lower than what is written. What
another version of a library gives is not compared.
"""

import argparse
import functools
import importlib
import importlib.metadata
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("JAX_ENABLE_X64", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from tests.special.reference import kind, names, read, worst

import likewise.special
from likewise._rooms import furnish

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "special_accuracy.md"
DTYPES = ("float64", "float32")
STEPS = (1, 2, 4, 8, 16, 32, *(10**k for k in range(2, 16)))
NOTHING, ALL, LOST = "", "all", "none"
COLUMNS = {"likewise": "", "SciPy": "scipy", "PyTorch": "torch", "JAX": "jax"}
# Functions that PyTorch has by another name.
TORCH = {
    **{f: f"bessel_{f}" for f in ("j0", "j1", "y0", "y1")},
    **{f: f"modified_bessel_{f}" for f in ("k0", "k1")},
    **{f"{f}e": f"scaled_modified_bessel_{f}" for f in ("k0", "k1")},
}
HEAD = """# Errors of the special functions

The tables list the worst error in each region, at the points in `tests/special/references`. These
include difficult points: near zeros and poles, where methods change, and at the ends of the range.
An error is in units of the last place, divided by 1 + the condition number, so the effect of
rounding the arguments counts as one. The reference values are mpmath's, with 60 and 120 digits.

Errors are rounded up to 1, 2, 4, 8, 16, 32, 100, 1000 and so on. *all* means that no digit is
right. *none* means that the function returns infinity or NaN in place of a finite value, or doesn't
return: a loop in JAX's `exp1` and `expn` doesn't end between 0 and 0.01, nor in its `expi` on the
other side of 0. A column is empty if the library lacks the function, or if the region has no points
in single precision. The errors of *likewise* are those of its own code on NumPy; on other libraries
they are the same within the limits of [the tests](../special.md). *Rows* names routines of other
packages that are faster. likewise calls them for arguments in
[their box](../special.md#how-accurate), where their error may be 32 units (64 for incomplete gamma
and beta functions, 80 for their inverses). `likewise.prefer("generic")` always uses likewise's own
code.

`ci/special/table.py` makes this page, with {versions}.

"""


def rounded(error: float, dtype: str) -> str:
    """A step that an error doesn't exceed."""
    if not math.isfinite(error):
        return LOST
    if error > min(0.5 / np.finfo(dtype).eps, STEPS[-1]):
        return ALL
    step = next(s for s in STEPS if error <= s)
    return str(step) if step < 1e4 else f"1e{round(math.log10(step))}"


def place(text: str) -> int:
    """Return where a cell stands among the steps."""
    if text in (NOTHING, LOST):
        return {NOTHING: -99, LOST: 99}[text]
    return len(STEPS) if text == ALL else STEPS.index(int(float(text)))


def of_likewise(name: str) -> Any:
    return getattr(likewise.special, name).generic


def of_scipy(name: str) -> Any:
    return getattr(importlib.import_module("scipy.special"), name, None)


def of_torch(name: str) -> Any:
    import torch

    func = getattr(torch.special, TORCH.get(name, name), None)
    if func is None:
        return None
    if name == "polygamma":  # of one order, a number
        func = _by_order(func)
    return lambda *args: func(*map(torch.from_numpy, args)).numpy()


def _by_order(func: Callable[..., Any]) -> Callable[..., Any]:
    def call(n: Any, x: Any) -> Any:
        y = x * 0
        for k in n.unique():
            y[n == k] = func(int(k), x[n == k])
        return y

    return call


def of_jax(name: str) -> Any:
    import jax

    func = getattr(importlib.import_module("jax.scipy.special"), name, None)
    if func is None:
        return None
    if name == "polygamma":  # of whole numbers
        return lambda n, x: func(jax.numpy.asarray(n, "int32"), jax.numpy.asarray(x))
    call = lambda *args: np.asarray(func(*map(jax.numpy.asarray, args)))
    sign = {"exp1": 1, "expn": 1, "expi": -1}.get(name)
    return call if sign is None else _not_tiny(call, sign)


def _not_tiny(func: Callable[..., Any], sign: int) -> Callable[..., Any]:
    """With NaN where a loop takes as many steps as 1 / x, which doesn't end."""

    def call(*args: Any) -> Any:
        x = sign * args[-1]
        ends = (x < 0) | (x >= 0.01)
        y = np.full_like(args[-1], np.nan)
        y[ends] = func(*(a[ends] for a in args))
        return y

    return call


OF = {"likewise": of_likewise, "SciPy": of_scipy, "PyTorch": of_torch, "JAX": of_jax}


@functools.cache
def measured(column: str, name: str, dtype: str) -> dict[str, float]:
    """The worst errors by region; nothing where the library doesn't have the function."""
    func, table = OF[column](name), read(name, dtype)
    if func is None or not table.value.size:
        return {}
    out = kind(dtype, table.value)
    return worst(table, lambda *args: np.asarray(func(*args)).astype(out), dtype)


def rows(name: str) -> str:
    """The routines that are called, by library."""
    furnish(likewise.special)
    row = next(
        (
            r
            for r in likewise._native.ROWS
            if r.generic.__name__ == f"_{name}"
            and r.generic.__module__.startswith("likewise.special.")
        ),
        None,
    )
    routines = {} if row is None else row.routines
    by_path: dict[str, list[str]] = {}
    for library, path in routines.items():
        by_path.setdefault(path, []).append(library)
    return ", ".join(f"`{path}` on {' and '.join(on)}" for path, on in by_path.items())


def cells(name: str, columns: list[str]) -> Iterator[list[str]]:
    """Lines of a function's table: the region, and for each dtype a cell for each column."""
    for region in dict.fromkeys(read(name).regions):
        found = [(c, d, measured(c, name, d).get(str(region))) for d in DTYPES for c in columns]
        yield [str(region), *(NOTHING if e is None else rounded(e, d) for _, d, e in found)]


def version(column: str) -> str:
    package = COLUMNS[column]
    if not package:
        return ""
    return ".".join(importlib.metadata.version(package).split("+")[0].split(".")[:2])


def page(kept: dict[str, dict[str, list[str]]]) -> str:
    """The page; what is kept of the one before isn't measured again."""
    columns = list(COLUMNS)
    versions = ", ".join(f"{c} {version(c)}" for c in columns[1:])
    header = ["region", *(f"{c}, {d}" for d in DTYPES for c in columns)]
    parts = [HEAD.format(versions=versions)]
    for name in names():
        told = rows(name)
        parts.append(f"## {name}\n\n" + (f"Rows: {told}\n\n" if told else ""))
        found = [[r, *c] for r, c in kept[name].items()] if name in kept else cells(name, columns)
        lines = [header, ["---", *["--:"] * (len(header) - 1)], *found]
        parts += ["| " + " | ".join(line) + " |\n" for line in lines] + ["\n"]
    return "".join(parts).rstrip("\n") + "\n"


def written(text: str) -> dict[str, dict[str, list[str]]]:
    """The cells of a page, by function and region."""
    found: dict[str, dict[str, list[str]]] = {}
    for part in text.split("\n## ")[1:]:
        name, _, rest = part.partition("\n")
        lines = [line for line in rest.splitlines() if line.startswith("|")][2:]
        found[name] = {r: c for r, *c in ([c.strip() for c in x.split("|")[1:-1]] for x in lines)}
    return found


def stale(text: str, columns: list[str]) -> Iterator[str]:
    """Return what a page says otherwise than the functions do."""
    found = written(text)
    if list(found) != names():
        yield f"functions: {sorted({*found} ^ {*names()})}"
    known = [c for c in columns if re.search(rf"{c} {version(c)}\b", text) or not COLUMNS[c]]
    order = [(d, c) for d in DTYPES for c in COLUMNS]
    at = [1 + order.index((d, c)) for d in DTYPES for c in known]
    for name in found:
        if f"## {name}\n\n" + (f"Rows: {rows(name)}\n" if rows(name) else "|") not in text:
            yield f"{name}: its rows are {rows(name) or 'none'}"
        for region, *now in cells(name, known):
            before = ["", *found[name].pop(region, [""] * len(order))]
            for k, cell in zip(at, now, strict=True):
                if abs(place(cell) - place(before[k])) > 1:
                    dtype, column = order[k - 1]
                    what = f"{before[k]} is written, {cell} found"
                    yield f"{name}, {region}, {column}, {dtype}: {what}"
        yield from (f"{name}: no region {region}" for region in found[name])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="functions to measure; all by default")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--columns", default=",".join(COLUMNS), help="columns to check")
    parser.add_argument("--new", action="store_true", help="measure those that aren't on the page")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # floating-point warnings of what others do at the edges
    before = PAGE.read_text("utf-8")
    if options.new:
        options.names = sorted({*names()} - {*written(before)})
        if not options.names:
            return 0
    if not options.check:
        old = written(before) if options.names else {}
        kept = {n: c for n, c in old.items() if n not in options.names}
        PAGE.write_text(page(kept), encoding="utf-8")
        return 0
    differences = list(stale(before, options.columns.split(",")))
    print(*differences, sep="\n")
    return bool(differences)


if __name__ == "__main__":
    raise SystemExit(main())
