"""Reads the values by mpmath in ``references/``, and measures a function's error against them.

An error is in units of the last place, over 1 + the condition number: what rounding the arguments
alone would change counts as one unit.
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Table", "kind", "names", "read", "worst"]

FOLDER = Path(__file__).parent / "references"


@dataclass(frozen=True)
class Table:
    """The points of one function: regions, arguments, values and partial derivatives."""

    name: str
    regions: Any
    args: tuple[Any, ...]
    value: Any
    rest: Any  # what the value has beyond double precision
    partials: tuple[Any, ...]

    def of(self, mask: Any) -> "Table":
        return Table(
            self.name,
            self.regions[mask],
            tuple(a[mask] for a in self.args),
            self.value[mask],
            self.rest[mask],
            tuple(d[mask] for d in self.partials),
        )

    def condition(self) -> Any:
        """The relative change of the value for one of the arguments, of each of them."""
        with np.errstate(all="ignore"):
            terms = [
                np.abs(x * d / self.value) for x, d in zip(self.args, self.partials, strict=True)
            ]
        return np.nansum(terms, axis=0)  # infinite at a zero of the function


def names() -> list[str]:
    return sorted(p.stem for p in FOLDER.glob("*.csv"))


def read(name: str, dtype: str = "float64") -> Table:
    """The points whose arguments a dtype holds, and whose values are normal in it."""
    with (FOLDER / f"{name}.csv").open() as file:
        header, *rows = csv.reader(file)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))

    def numbers(column: str) -> Any:
        return np.asarray([float.fromhex(v) for v in columns[column]])

    args = [c for c in header if c.startswith("x")]
    points, slopes = tuple(map(numbers, args)), tuple(numbers(f"d{a}") for a in args)
    value, rest = numbers("value"), numbers("rest")
    if "imag" in header:  # of a complex number, in two columns
        value, rest = value + 1j * numbers("imag"), rest + 1j * numbers("imag_rest")
        points = (points[0] + 1j * points[1], *points[2:])
        slopes = (slopes[0] + 1j * slopes[1], *slopes[2:])
    table = Table(name, np.asarray(columns["region"]), points, value, rest, slopes)
    if dtype == "float64":
        return table
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        exact = np.all([a.astype(kind(dtype, a)) == a for a in table.args], axis=0)
    size = np.abs(table.value)
    return table.of(exact & (size < info.max) & ((size > info.smallest_normal) | (size == 0)))


def kind(dtype: str, like: Any) -> str:
    """The dtype of that precision, complex where an array is."""
    return (
        {"float64": "complex128", "float32": "complex64"}[dtype]
        if like.dtype.kind == "c"
        else dtype
    )


def errors(table: Table, got: Any) -> Any:
    """Units in the last place of the result's dtype over 1 + the condition number."""
    with np.errstate(all="ignore"):
        off = np.abs((got.astype(table.value.dtype) - table.value) - table.rest)
        unit = np.spacing(np.abs(table.value).astype(got.real.dtype)).astype(np.float64)
        found = off / unit / (1 + table.condition())
    return np.where(np.isfinite(got), found, np.inf)


def worst(table: Table, func: Callable[..., Any], dtype: str = "float64") -> dict[str, float]:
    """The worst error of a function of NumPy's arrays in each region."""
    with np.errstate(all="ignore"):
        got = np.asarray(func(*(a.astype(kind(dtype, a)) for a in table.args)))
    assert got.dtype == kind(dtype, table.value), (table.name, got.dtype)
    found = errors(table, got)
    return {str(r): float(np.max(found[table.regions == r])) for r in dict.fromkeys(table.regions)}
