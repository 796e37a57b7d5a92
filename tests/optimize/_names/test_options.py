"""Options are told by the solvers' own tables and docstrings."""

from typing import Any

import pytest

from likewise import optimize
from likewise.errors import ArgumentError
from likewise.optimize import show_options
from likewise.optimize._minimize._methods import METHODS


def test_all_solvers(capsys: Any) -> None:
    text = show_options(disp=False)
    assert text is not None
    for solver in ("minimize", "minimize_scalar", "root", "root_scalar"):
        part = show_options(solver, disp=False)
        assert part is not None and part.startswith(f"{solver}\n====") and part in text
        said = getattr(optimize, solver).__doc__
        lines = part.splitlines()[2:]
        assert len(lines) >= 1 and all(line.strip() in said for line in lines)
    assert show_options() is None and capsys.readouterr().out == text + "\n"


@pytest.mark.parametrize("name", METHODS)
def test_options_of_a_method(name: str) -> None:
    """Each by its name with its default, as the method's row has it; and the docstring knows it."""
    row = METHODS[name]
    text = show_options("minimize", name.upper(), disp=False)
    assert text is not None
    first, _, rest = text.partition("\n\n")
    for option, default in row.options.items():
        assert f"{option} {default}" in first and option in rest


def test_methods_that_others_stand_in_for() -> None:
    assert "xtol, maxiter" in str(show_options("minimize_scalar", "golden", disp=False))
    assert "rtol" in str(show_options("root_scalar", "toms748", disp=False))
    assert "is served by 'newton'" in str(show_options("root", "hybr", disp=False))


def test_refuses() -> None:
    for solver, method in (
        *((s, "x") for s in ("minimize", "minimize_scalar", "root", "root_scalar")),
        *(("linprog", None), (None, "BFGS"), (3, None)),
    ):
        with pytest.raises(ArgumentError):
            show_options(solver, method)  # type: ignore[arg-type]
