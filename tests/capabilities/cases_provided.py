"""Functions whose calls for providers name a reference: `likewise.testing._cases` has the record."""

import importlib
from collections.abc import Iterator

from likewise.testing._cases import CHECKED, calls

from .case import Case, case

__all__ = ["PROVIDED"]


def _provided() -> Iterator[Case]:
    for full, (module, check) in CHECKED.items():
        room, _, name = full.removeprefix("likewise.").partition(":")
        args, kwargs = calls(full, "float64")[0]
        reference = getattr(importlib.import_module(module), name)
        yield case(f"{room}.{name}", *args, kwargs=kwargs, reference=reference, **check)


PROVIDED = list(_provided())
