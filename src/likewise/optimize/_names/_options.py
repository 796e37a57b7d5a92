"""The solvers' options, read from their own tables and docstrings."""

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from ... import _plan
from ...errors import ArgumentError
from .._minimize import minimize
from .._minimize._arguments import _method
from .._scalar import _minimize_scalar, _root_scalar, minimize_scalar, root_scalar
from .._systems import root
from .._systems._root import _row

__all__ = ["show_options"]

_SOLVERS: dict[str, tuple[Callable[..., Any], Callable[[str], Iterable[str]]]] = {
    "minimize": (minimize, lambda name: _of_row(_method(name, False))),
    "minimize_scalar": (minimize_scalar, lambda name: _of_minima(name)),
    "root": (root, lambda name: _of_row(*_row(name))),
    "root_scalar": (root_scalar, lambda name: _of_roots(name)),
}


def show_options(
    solver: str | None = None, method: str | None = None, disp: bool = True
) -> str | None:
    """Print the options of the solvers' methods, or return the text.

    Parameters
    ----------
    solver : {'minimize', 'minimize_scalar', 'root', 'root_scalar'}, optional
        The function. Default: all.
    method : str, optional
        One of its methods, in upper or lower case, or, but for `minimize`, a method of SciPy's that
        another one replaces. Default: all.
    disp : bool, optional
        Whether to print the text; otherwise it is returned.

    Returns
    -------
    str or None
        The text, if it isn't printed.

    Raises
    ------
    ArgumentError
        If there is no such solver or method, or a method is given without its solver.
    NotSupported
        If a method of SciPy's isn't supported; the message names an alternative.

    Examples
    --------
    >>> from likewise.optimize import show_options
    >>> print(show_options("minimize", "CG", disp=False).partition("\\n\\n")[0])
    minimize, method 'CG': gtol 1e-05, norm inf, maxiter 200 p, c1 0.0001, c2 0.2
    """
    if solver is None:
        if method is not None:
            raise ArgumentError(f"show_options: got method {method!r} of no solver: give one, too")
        text = "\n\n\n".join(map(_text, _SOLVERS))
    else:
        name = solver.lower() if isinstance(solver, str) else solver
        _plan.choice("show_options", "solver", name, tuple(_SOLVERS))
        text = _text(name)
        if method is not None:
            known = ", ".join(_SOLVERS[name][1](method))
            text = f"{name}, method {method!r}: {known}\n\n{text}"
    if not disp:
        return text
    print(text)
    return None


def _of_row(row: Any, note: str = "") -> list[str]:
    given = [f"{name} {value}" for name, value in row.options.items()]
    return [*given[:-1], *(f"{last} ({note})" if note else last for last in given[-1:])]


def _of_minima(method: str) -> tuple[str, ...]:
    known = _minimize_scalar._OPTIONS
    name = str(method).lower()
    name = _minimize_scalar._INSTEAD.get(name, name)
    _plan.choice("minimize_scalar", "method", name, tuple(known))
    return known[name]


def _of_roots(method: str) -> tuple[str, ...]:
    names = (*_root_scalar._BRACKETED, *_root_scalar._OPEN, *_root_scalar._INSTEAD)
    _plan.choice("root_scalar", "method", str(method).lower(), names)
    return _root_scalar._SETTINGS


def _text(solver: str) -> str:
    """Return the text on `options` in a solver's docstring."""
    said = inspect.getdoc(_SOLVERS[solver][0]) or ""
    found = re.search(r"^options : .*\n((?:(?: {4}.*)?\n)+)", said, re.MULTILINE)
    return f"{solver}\n{'=' * len(solver)}\n" + inspect.cleandoc(found[1] if found else "")
