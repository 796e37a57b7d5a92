"""The generated pages of the documentation: what has a rule, and the values at kinks."""

import importlib
import inspect
import math
from collections.abc import Iterator
from pathlib import Path

from likewise.transforms._following._instructions import INSTRUCTIONS
from likewise.transforms._following._numpys._dispatch import target
from likewise.transforms._following._numpys._table import FUNCTIONS, METHODS, REDUCED, UFUNCS, Row
from likewise.transforms._following._reasons import REASONS
from likewise.transforms._rules._batching import BATCHING
from likewise.transforms._rules._rules import CONSTANT, RULES

from .cases import Case
from .kinks import KINKS, of_interpreter, of_library

__all__ = [
    "FAMILIES",
    "PAGES",
    "cell",
    "kinks_page",
    "numpys_page",
    "rules_page",
    "tested",
    "write",
]

DOCS = Path(__file__).parents[2] / "docs" / "reference"
CELLS = ("jvp", "vjp", "second", "batch")
FAMILIES: dict[str, list[Case]] = {
    file.stem.removeprefix("cases_"): importlib.import_module("." + file.stem, __package__).CASES
    for file in sorted(Path(__file__).parent.glob("cases_*.py"))
}
_TEXTS = {
    "getitem": "x[index]",
    "setitem": "x[index] = value",
    "index_add": "missing.at(x)[index].add(value)",
    "stop_gradient": "transforms.stop_gradient",
}
_RULES = """# Rules of the transforms

This table lists what `likewise.transforms` supports for each function of the standard on libraries
without transforms of their own (NumPy, CuPy, array-api-strict, Dask). JAX and PyTorch use their own
transforms.

- *yes*: there is a rule, which uses the library's arithmetic; a batch is computed at once.
- *0*: the derivative is 0 wherever it exists.
- *loop*: the function is called once for each batch element.
- *no*: an error, for the given reason.

*second* is the derivative of a derivative: forward over reverse, reverse over reverse and reverse
over forward. A test checks each *yes* and *0* in float64, to a relative error of 1e-10 with random
tangents and cotangents, against JAX's own rule, or against central differences in 60 digits where
JAX has none or a wrong one. For batches it also checks the derivative of the batch and the batch of
derivatives. [Another page](transforms_kinks.md) lists the derivatives at kinks.

| function | jvp | vjp | second | batching |
|---|---|---|---|---|
"""
_KINKS = """# Derivatives at kinks

At a kink a derivative can take several values. The interpreter's choice is fixed: 0 at the kink of
an absolute value or norm; equal shares where extremes tie or a bound is met; and, where singular
values or eigenvalues repeat, the finite derivative of results that do not depend on the choice of
vectors. The table compares it with the derivatives of JAX and PyTorch, which apply to their arrays.
In the chain rule, the branch that `where` doesn't take still contributes: 0 times infinity is NaN,
unless its argument is made harmless first, as in the last row.

"""


def cell(name: str, what: str) -> str:
    """What the table says: 'yes', '0', 'loop' or 'no'."""
    if what == "batch":
        how = BATCHING.get(name)
        return "no" if how is None else "loop" if how == "loop" else "yes"
    rule = RULES.get(name)
    return "no" if rule is None else "0" if rule is CONSTANT else "yes"


def tested() -> set[tuple[str, str]]:
    """The cells that the cases test."""
    return {(c.name, what) for cases in FAMILIES.values() for c in cases for what in c.only}


def _cell(name: str, what: str) -> str:
    text = cell(name, what)
    why = REASONS.get((name, "batch" if what == "batch" else "derivative"))
    return f"{text}: {why}" if why and (what == "batch" or what == "jvp") else text


def rules_page() -> str:
    order = sorted(INSTRUCTIONS, key=lambda n: ("." in n, n))
    rows = (
        f"| `{_TEXTS.get(n, n)}` | {' | '.join(_cell(n, what) for what in CELLS)} |" for n in order
    )
    return _RULES + "\n".join(rows) + "\n"


def _number(x: float) -> str:
    return "NaN" if math.isnan(x) else f"{x:.4g}"


def versions() -> tuple[str, str]:
    """Of JAX and PyTorch, whose own values change with them."""
    import jax
    import torch

    return tuple(".".join(v.__version__.split(".")[:2]) for v in (jax, torch))  # type: ignore[return-value]


def kinks_page() -> str:
    jax, torch = versions()
    head = f"| derivative of | likewise | JAX {jax} | PyTorch {torch} |\n|---|--:|--:|--:|\n"
    rows = (
        f"| {k.text} | {_number(of_interpreter(k, 'numpy'))} "
        f"| {_number(of_library(k, 'jax'))} | {_number(of_library(k, 'torch'))} |"
        for k in KINKS
    )
    return _KINKS + head + "\n".join(rows) + "\n"


_NUMPYS = """# NumPy's functions in transforms

In a function that `grad`, `vmap` or a solver of `likewise.optimize` traces, you can call NumPy's
own functions and array methods, such as `np.exp(x)` and `x.sum()`, if the arrays are NumPy's. Each
calls the function in the second column: of the standard (`xp`), of `likewise.missing` or of
`likewise.linalg`, or the operation described there. Shapes, dtypes and defaults are NumPy's.
Arguments in brackets raise an error that names the line and says what to write; so do `out` and
`where` everywhere, and names that are not in the table. On other libraries `np.exp(x)` is an error:
write functions of the standard, which run everywhere.

## Universal functions

{reduced} lead to the functions of those names;
`outer` of two operands works, too.

| NumPy | here |
|---|---|
{ufuncs}

## Functions

| NumPy | here | arguments |
|---|---|---|
{functions}

## Methods of arrays

These are the functions of the same names: {same}. And

| NumPy | here | arguments |
|---|---|---|
{methods}
| `x.T` | `xp.permute_dims`, of any number of dimensions | |
| `x.real`, `x.imag` | as `np.real`, `np.imag` | |
"""


def _leads(path: str) -> str:
    """What a target of the table is, in words."""
    if path.startswith("numpy."):
        text = inspect.getdoc(target(None, path)) or ""
        return text.rstrip(".").replace("``", "`")
    return f"`{path}`"


def _argument(parameter: str) -> str:
    if parameter.startswith("-"):
        return f"[{parameter[1:]}]"
    name = parameter.lstrip("*+?@%~").partition(":")[0]
    return f"\\*{name}" if parameter.startswith(("***", "+")) else name


def numpys_page() -> str:
    def rows(of: dict[str, Row], prefix: str = "") -> str:
        def arguments(row: Row) -> str:
            return ", ".join(_argument(p) for p in row.parameters if p not in ("-out", "-where"))

        return "\n".join(
            f"| `{prefix}{r.name}` | {_leads(r.target)} | {arguments(r)} |" for r in of.values()
        )

    own = {n: r for n, r in METHODS.items() if r is not FUNCTIONS.get(n)}
    same = [f"`{n}`" for n in sorted(METHODS) if n not in own]
    reduced = [f"`{u}.{m}`" for u, m in REDUCED]
    return _NUMPYS.format(
        reduced=f"{', '.join(reduced[:-1])} and {reduced[-1]}",
        ufuncs="\n".join(f"| `{n}` | {_leads(t)} |" for n, t in UFUNCS.items()),
        functions=rows(FUNCTIONS),
        same=", ".join(same),
        methods=rows(own, "x."),
    )


PAGES = {
    "transforms_numpy.md": numpys_page,
    "transforms_table.md": rules_page,
    "transforms_kinks.md": kinks_page,
}


def write() -> Iterator[Path]:
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
        yield DOCS / name
