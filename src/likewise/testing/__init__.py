"""The test kit: test that code runs on every array library without converting to NumPy.

A pytest plugin (`likewise.testing.plugin`, which needs no configuration) provides the fixture
``xp``; use the functions here inside tests, with or without it. Functions are imported on first
use.
"""

import importlib
from typing import TYPE_CHECKING, Any

__all__ = [
    "Cell",
    "HostCopyError",
    "RecompileError",
    "Record",
    "Variant",
    "Verdict",
    "Verification",
    "assert_close",
    "assert_equal",
    "check_function",
    "check_grads",
    "count_compiles",
    "no_host_copies",
    "refusing",
    "tolerance",
    "variants",
    "verify",
]

_SOURCES = {
    "_compare": ("assert_close", "assert_equal", "tolerance"),
    "_compiles": ("RecompileError", "count_compiles"),
    "_function": ("check_function",),
    "_grads": ("check_grads",),
    "_host": ("HostCopyError", "no_host_copies"),
    "_proxy": ("refusing",),
    "_report": ("Cell", "Record"),
    "_variants": ("Variant", "variants"),
    "_verify": ("Verdict", "Verification", "verify"),
}
_HOMES = {name: module for module, names in _SOURCES.items() for name in names}

if TYPE_CHECKING:
    from ._compare import assert_close, assert_equal, tolerance
    from ._compiles import RecompileError, count_compiles
    from ._function import check_function
    from ._grads import check_grads
    from ._host import HostCopyError, no_host_copies
    from ._proxy import refusing
    from ._report import Cell, Record
    from ._variants import Variant, variants
    from ._verify import Verdict, Verification, verify


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'likewise.testing' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"likewise.testing.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
