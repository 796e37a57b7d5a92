"""Rooms that load lazily: a name's file is loaded when the name is first used (PEP 562)."""

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from ._library import LOADING

__all__ = ["furnish", "lazily"]


def lazily(
    room: str, files: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    room : str
        The package.
    files : mapping
        The names from each of its files, separated by spaces. The same names are imported under
        ``if TYPE_CHECKING``, for type checkers and import-linter; a test compares.
    """
    homes = {name: file for file, names in files.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in homes and name not in files:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        with LOADING:
            file = importlib.import_module(f"{room}.{homes.get(name, name)}")
        value = getattr(file, name) if name in homes else file
        setattr(sys.modules[room], name, value)
        return value

    return get, lambda: list(sys.modules[room].__all__)


def furnish(*rooms: Any) -> None:
    """Load all public names of rooms and their rooms, so that every row is entered."""
    for room in rooms:
        for name in getattr(room, "__all__", ()):
            getattr(room, name)
        inside = [v for v in vars(room).values() if isinstance(v, ModuleType)]
        furnish(*(v for v in inside if v.__name__.startswith(f"{room.__name__}.")))
