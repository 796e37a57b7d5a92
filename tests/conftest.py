"""What all tests share. The libraries and their modes come from `likewise.testing.plugin`."""

import ctypes
import gc
import importlib.metadata
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("JAX_ENABLE_X64", "1")  # outside the variants

import numpy as np

import likewise
from likewise.testing import Variant


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="the long checks, and every variant")


# XLA spends most of the suite's time on programs that run once. Without its optimisations it takes a
# quarter of it; with --full they are compiled as users have them. A flag that XLA doesn't know ends
# the process, so they are for versions that were tried.
QUICK_XLA = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--full"):
        config.option.xp = config.getoption("--xp") or "*"
    elif importlib.util.find_spec("jaxlib") and (
        (0, 8) <= _numbers(importlib.metadata.version("jaxlib")) <= (0, 10)
    ):
        os.environ["XLA_FLAGS"] = " ".join((os.environ.get("XLA_FLAGS", ""), *QUICK_XLA)).strip()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for package in mark.args:
            name, _, least = package.partition(">=")
            if importlib.util.find_spec(name) is None:
                pytest.skip(f"{name} is not installed")
            if least and _numbers(importlib.metadata.version(name)) < _numbers(least):
                pytest.skip(f"{name} is older than {least}")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in version.split(".")[:2])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--full"):
        long = [item for item in items if "full" in item.keywords or _takes_long(item)]
        if long:
            config.hook.pytest_deselected(items=long)
            items[:] = [item for item in items if item not in long]


def _takes_long(item: pytest.Item) -> bool:
    """Whether the test is marked to take long in its variant."""
    variant = getattr(getattr(item, "callspec", None), "params", {}).get("xp")
    return any(str(variant) in mark.args for mark in item.iter_markers("long"))


# Why a test leaves out a part of its cases.
LEFT_OUT = {
    "long": "takes long: only with --full",
    "float64": "needs float64",
}


@pytest.fixture
def leave_out(request: pytest.FixtureRequest) -> Any:
    """``leave_out("long", condition)`` skips for one of the reasons above."""

    def decide(reason: str, condition: bool) -> None:
        if condition and not (reason == "long" and request.config.getoption("--full")):
            pytest.skip(LEFT_OUT[reason])

    return decide


@pytest.fixture
def lib(xp: Any) -> Variant:
    """The variant that a test runs in, for those that look at more than its namespace."""
    variant: Variant = xp.variant
    return variant


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    """Each test starts at the program's first default."""
    likewise.reset_default()
    yield
    likewise.reset_default()


_MOST_MEMORY = 1_000_000_000  # bytes of a process, beyond which JAX is to forget its programs


@pytest.fixture(autouse=True)
def _compiled_programs_are_dropped() -> Iterator[None]:
    """Drops what JAX has compiled when it has grown large: in all it takes gigabytes."""
    yield
    if "jax" in sys.modules and _resident() > _MOST_MEMORY:
        sys.modules["jax"].clear_caches()
        gc.collect()
        _trim()


def _resident() -> int:
    """Return the bytes of memory that this process holds; 0 where the system doesn't say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # not on Linux
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _trim() -> None:
    """Give freed memory back to the system, which glibc would keep."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)


@pytest.fixture
def tolerance() -> Any:
    """Relative tolerance of a dtype: some hundred units in the last place."""

    def of(dtype: Any) -> float:
        return 200 * float(np.finfo(dtype).eps)

    return of
