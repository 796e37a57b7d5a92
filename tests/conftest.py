"""What all tests share. The libraries and their modes come from `likewise.testing.plugin`."""

import ctypes
import gc
import importlib.metadata
import importlib.util
import os
import re
import sys
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("JAX_ENABLE_X64", "1")  # outside the variants

import numpy as np

import likewise
from likewise.testing import Variant
from likewise.testing._variants import VARIANTS

from .capabilities.listed import WITHOUT


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="the long checks, and every variant")


# XLA spends most of the suite's time on programs that run once: without its optimisations, a quarter
# of it. Set XLA_FLAGS to have them compiled as users do; the weekly workflow does. A flag that XLA
# doesn't know ends the process, so these are for the versions that were tried.
QUICK_XLA = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
)

# The tests of arrays over several devices are those of a process that has them.
EIGHT_DEVICES = "--xla_force_host_platform_device_count=8"


# They find what a GPU would refuse, where there is none: ``--xp=cupy-simulated,torch-simulated``.
SIMULATED = {
    "cupy-simulated": "CuPy's names and refusals, NumPy's values: simulated",
    "torch-simulated": "PyTorch, a device that isn't the CPU, its values: simulated",
}


def _simulated(config: pytest.Config) -> bool:
    return any(name in config.getoption("--xp") for name in SIMULATED)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if _simulated(config):
        _simulate(config)
    if config.getoption("--full"):
        config.option.xp = config.getoption("--xp") or "*"
    given = os.environ.get("XLA_FLAGS")
    if given not in (None, EIGHT_DEVICES) or not importlib.util.find_spec("jaxlib"):
        return
    if (0, 8) <= _numbers(importlib.metadata.version("jaxlib")) <= (0, 10):
        os.environ["XLA_FLAGS"] = " ".join([*QUICK_XLA, *([given] if given else [])])


def _simulate(config: pytest.Config) -> None:
    """Put stand-ins in the place of a GPU's libraries in this process, as variants of their own."""
    if set(config.getoption("--xp").split(",")) - set(SIMULATED):
        raise pytest.UsageError(f"--xp: {', '.join(SIMULATED)} stand alone: a process has one CuPy")
    if config.getoption("--xp-report"):
        raise pytest.UsageError("--xp-report: what is simulated is no record")
    from .simulated import cupy_stand_in, torch_device

    cupy_stand_in.install()
    torch_device.install()
    for name, about in SIMULATED.items():
        VARIANTS[name] = torch_device.OnDevice(name, about)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if _simulated(config):
        terminalreporter.write_line(
            "simulated: what passed above ran on stand-ins for CuPy and for a GPU of torch's, on neither"
        )


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


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, Any, Any]:
    """Keep the garbage collector from the million objects of modules and tests, which stay to the end.

    It took half of the time that collecting takes, and a second of each of many tests.
    """
    gc.disable()
    try:
        found = yield
    finally:
        gc.enable()
    if hasattr(session.config, "workerinput"):  # nobody reads how many were left out
        session.config.pluginmanager.getplugin("terminalreporter").stats.clear()
    gc.collect()  # the tests that were left out
    _trim()
    gc.freeze()
    return found


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Let workers forget at once the tests that are left out: in all they take 700 MB."""
    found = yield
    if isinstance(found, list) and hasattr(collector.config, "workerinput"):
        return [
            i
            for i in found
            if not (isinstance(i, pytest.Item) and _is_left_out(collector.config, i))
        ]
    return found


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the files that make meshes of devices when they are loaded, without the devices."""
    return True if "sharded" in collection_path.parts and not _spread() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left = [item for item in items if _is_left_out(config, item)]
    if left:
        config.hook.pytest_deselected(items=left)
        chosen = set(left)
        items[:] = [item for item in items if item not in chosen]


def _is_left_out(config: pytest.Config, item: pytest.Item) -> bool:
    inside = "simulated" in item.path.parts
    if _simulated(config):  # the tests without a variant are the other lanes'
        other = not inside and _variant(item) not in SIMULATED
    else:
        other = inside
    if other or (not _spread() and _is_sharded(item)):
        return True
    return not config.getoption("--full") and _is_for_full(item)


def _spread() -> bool:
    return EIGHT_DEVICES in os.environ.get("XLA_FLAGS", "")


def _is_sharded(item: pytest.Item) -> bool:
    return getattr(getattr(item, "callspec", None), "params", {}).get("group") == "sharded"


def _variant(item: pytest.Item) -> str:
    params = getattr(getattr(item, "callspec", None), "params", {})
    return str(params.get("xp", params.get("place")))


# In these variants these tests run without --full, and a share of the others. A line is a public
# function and a test, without the variant, that checks its values; test_surface.py reads them.
SURFACE = Path(__file__).with_name("surface.txt")
_LINES = [line.split(" ", 1) for line in SURFACE.read_text().splitlines()]
_ON_THE_SURFACE = {
    # What has a case is compiled there, which takes a fraction of the time: test_compiled.py.
    "jax-jit": {test for name, test in _LINES if name in WITHOUT},
    **{lane: {test for _, test in _LINES} for lane in ("strict-minimal", "torch", "numpy")},
}
# Of so many tests of a variant, or of a place where transforms run, one runs without --full; a mark
# `share` says it of the cases of one test.
_SHARES = {
    "jax-jit": 1024,
    "strict-minimal": 18,
    "torch": 12,
    "strict-jit": 3,
    "dask": 4,
    "jax": 18,
    "jax-x32": 12,
    "torch-interpreted": 3,
}
# Values at edges are those of the bodies on array-api-strict, where no row names a routine.
_EDGES = re.compile("test_edges|test_extremes|at_the_ends|test_subnormal|test_next_to_a_zero")


def _is_for_full(item: pytest.Item) -> bool:
    """Tell whether a test runs only with --full: it takes long, or is one of many alike."""
    if item.get_closest_marker("full"):  # keywords have the names of folders, too
        return True
    # They run a function on every library in every way, and take seconds each.
    name = item.nodeid.partition("::")[2].partition("[")[0]
    if name.endswith("everywhere") or name.startswith("test_capabilities"):
        return True
    variant = _variant(item)
    if any(variant in mark.args for mark in item.iter_markers("long")):
        return True
    share = max((mark.args[0] for mark in item.iter_markers("share")), default=1)
    test = item.nodeid.removeprefix("tests/")
    if variant in _SHARES and not (variant == "strict-minimal" and _EDGES.search(test)):
        share = max(share, _SHARES[variant])
    if variant in _ON_THE_SURFACE:
        test = without_variant(test, variant)
        if test in _ON_THE_SURFACE[variant]:
            return False
    return zlib.crc32(test.encode()) % share > 0


def without_variant(test: str, variant: str) -> str:
    """Return the test's name as it stands in surface.txt."""
    return re.sub(rf"\[{variant}(-|(?=\]))", "[", test).replace("[]", "")


# Why a test leaves out a part of its cases.
LEFT_OUT = {
    "long": "takes long: only with --full",
    "float64": "needs float64",
    "glibc": "is about the GNU C library",
    "compiled": "torch.compile knows no class of tensors but torch's own",
    "whole": "looks at what a whole run with JAX has collected",
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


@pytest.fixture
def once(request: pytest.FixtureRequest, lib: Variant) -> bool:
    """True if one case of a test is enough: each is compiled anew, and this is not --full."""
    return lib.jit and not request.config.getoption("--full")


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    """Each test starts at the program's first default."""
    likewise.reset_default()
    yield
    likewise.reset_default()


_MOST_MEMORY = 900_000_000  # bytes of a process, beyond which JAX is to forget its programs
_GROWTH = 200_000_000  # since it last did, as not all that a process holds is JAX's
_left = [0]


@pytest.fixture(autouse=True)
def _compiled_programs_are_dropped() -> Iterator[None]:
    """Drops what JAX has compiled when it has grown large: in all it takes gigabytes."""
    yield
    if "jax" in sys.modules and _resident() > max(_MOST_MEMORY, _left[0] + _GROWTH):
        sys.modules["jax"].clear_caches()
        gc.collect()
        _trim()
        _left[0] = _resident()


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


_STATES: dict[str, Any] = {}


@pytest.fixture(autouse=True)
def _numbers_of_a_module_begin_anew(request: pytest.FixtureRequest) -> None:
    """A test has the same numbers whichever tests ran before."""
    found = getattr(request.module, "RNG", None)
    if isinstance(found, np.random.Generator):
        name, state = request.module.__name__, found.bit_generator.state
        found.bit_generator.state = _STATES.setdefault(name, state)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)


@pytest.fixture
def tolerance() -> Any:
    """Relative tolerance of a dtype: some hundred units in the last place."""

    def of(dtype: Any) -> float:
        return 200 * float(np.finfo(dtype).eps)

    return of
