"""What the table of what runs where makes of the facts, and what comes with the package."""

from typing import Any

import pytest

from likewise import _capabilities
from likewise._capabilities import COLUMNS, LIBRARIES, Cell, Table

ALL = dict.fromkeys(
    ("eager", "jit", "grad", "vmap", "float32", "complex", "batch", "strided", "empty"), "yes"
)


def made(cells: dict[str, str], library: str = "torch", **facts: Any) -> Table:
    """A table of one function, known on one library."""
    own = {"run": 0, "values": ["numpy.sort"], "cells": cells, "notes": [], "errors": {}} | facts
    return Table(
        {
            "runs": [{"date": "2026-11-22", "commit": "abc", "versions": {}, "platform": "any"}],
            "not_run": {"jax (GPU)": "no GPU"},
            "rows": {
                "likewise.linalg._lu:lu": {"numpy": "scipy.linalg:lu", "torch": "torch.linalg:lu"},
                "likewise.signal._x:lu": {"torch": "elsewhere:lu"},
            },
            "functions": {
                "linalg.f": {"choices": {"mode": ["'a'", "'b'"]}, "libraries": {library: own}}
            },
        }
    )


WHOLE = {"options": {"mode": ["'a'", "'b'"]}, "routines": {"lu": "torch.linalg:lu"}}


def test_all_shown_is_yes() -> None:
    table = made(ALL, **WHOLE)
    found = table.cells("linalg.f", "torch")
    assert list(found) == list(COLUMNS)
    assert found["row"] == Cell("yes", "torch.linalg:lu")
    assert found["lazy"].status == found["device"].status == "n/a"
    assert table.overall("linalg.f", "torch") == "yes"
    assert table.counts("torch") == {"yes": 1, "part": 0, "no": 0, "not run": 0, "failed": 0}


@pytest.mark.parametrize("left", ["batch", "empty", "float32", "strided"])
def test_what_no_record_shows_is_part_and_named(left: str) -> None:
    table = made({c: text for c, text in ALL.items() if c != left}, **WHOLE)
    cell = table.cells("linalg.f", "torch")["eager"]
    assert cell == Cell("part", f"not shown: {_capabilities.INPUTS[left]}")
    assert table.overall("linalg.f", "torch") == "part"


def test_an_input_with_a_reason_is_not_missing() -> None:
    table = made(ALL | {"batch": "no: of one matrix", "complex": "no: real"}, **WHOLE)
    assert table.cells("linalg.f", "torch")["eager"] == Cell(
        "yes", "without a batch (of one matrix)"
    )
    assert table.overall("linalg.f", "torch") == "yes"


def test_an_input_that_some_calls_refuse_is_no_less_than_one_that_all_refuse() -> None:
    table = made(ALL | {"empty": "part: nothing to transform"}, **WHOLE)
    cell = table.cells("linalg.f", "torch")["eager"]
    assert cell == Cell("yes", "without empty inputs (nothing to transform)")
    table = made(ALL | {"empty": "failed: IndexError"}, **WHOLE)
    cell = table.cells("linalg.f", "torch")["eager"]
    assert cell == Cell("part", "not shown: empty inputs (IndexError)")


def test_no_views_are_asked_of_libraries_without_them() -> None:
    table = made({c: text for c, text in ALL.items() if c != "strided"}, "jax", **WHOLE)
    assert table.cells("linalg.f", "jax")["eager"].status == "yes"


def test_values_of_options_that_were_not_given() -> None:
    table = made(ALL, options={"mode": ["'a'"]}, routines={})
    assert table.cells("linalg.f", "torch")["eager"] == Cell("part", "not shown: mode='b'")


@pytest.mark.parametrize("column", ["jit", "grad", "vmap", "complex"])
def test_what_was_not_tried_is_not_run(column: str) -> None:
    table = made({c: text for c, text in ALL.items() if c != column}, **WHOLE)
    assert table.cells("linalg.f", "torch")[column].status == "not run"
    assert table.overall("linalg.f", "torch") == "part"


def test_nobody_ran_it() -> None:
    table = made(ALL, **WHOLE)
    assert set(table.cells("linalg.f", "jax (GPU)").values()) == {Cell("not run", "no GPU")}
    assert table.overall("linalg.f", "dask") == "not run"


def test_no_and_failed() -> None:
    assert made(ALL | {"grad": "no: sorts"}, **WHOLE).overall("linalg.f", "torch") == "part"
    assert made({"eager": "no: sorts"}, **WHOLE).overall("linalg.f", "torch") == "no"
    assert made(ALL | {"vmap": "failed: oh"}, **WHOLE).overall("linalg.f", "torch") == "failed"
    assert made(ALL | {"vmap": "loop: sort"}, **WHOLE).overall("linalg.f", "torch") == "yes"


def test_devices_and_lazy_arrays_where_there_are_such() -> None:
    for library, column in [("strict", "device"), ("torch (GPU)", "device"), ("dask", "lazy")]:
        assert made(ALL, library).cells("linalg.f", library)[column].status == "not run"
        known = made(ALL | {column: "yes"}, library).cells("linalg.f", library)
        assert known[column].status == "yes"


def test_rows() -> None:
    def row(library: str, **facts: Any) -> Cell:
        return made(ALL, library, **facts).cells("linalg.f", library)["row"]

    assert row("torch") == Cell("not run", "no test has looked")
    assert row("torch", routines={}).status == "n/a"
    met = row("torch", routines={"lu": "generic"})
    assert met.status == "part" and "torch.linalg:lu" in met.reason
    assert row("jax", routines={"lu": "generic"}).status == "n/a"


def test_what_comes_with_the_package() -> None:
    table = _capabilities.table()
    assert len(table.functions) > 250
    for name in table.functions:
        for library in LIBRARIES:
            cells = table.cells(name, library)
            assert {cell.status for cell in cells.values()} <= set(_capabilities.STATUSES)
            for cell in cells.values():
                assert cell.reason or cell.status in ("yes", "n/a"), (name, library, cells)
            if table.facts(name, library):
                assert table.run(name, library)["versions"]
    assert table.counts("jax (GPU)")["yes"] == 0 or "jax (GPU)" not in table.data["not_run"]


def test_every_part_names_what_is_missing() -> None:
    known = _capabilities.table()
    for name in known.functions:
        for library in _capabilities.LIBRARIES:
            if known.overall(name, library) == "part":
                cells = known.cells(name, library).values()
                assert any(c.status in ("part", "no", "not run") for c in cells)
                assert all(c.reason for c in cells if c.status in ("part", "no", "not run"))
