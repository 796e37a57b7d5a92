"""Every library that is installed, in the modes that find mistakes.

A test that asks for the fixture `lib` runs once per variant. `--xp=numpy,torch` chooses, `--full`
adds the long checks and the rarer variants.
"""

import contextlib
import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

os.environ.setdefault("JAX_ENABLE_X64", "1")

import numpy as np

import likewise

REGISTRY: dict[tuple[str, str], str] = {
    # (variant, test): reason. The only place for a skip.
}
USUAL = ("numpy-readonly", "strict", "strict-device1", "strict-minimal", "torch", "jax", "dask")
RARE = ("numpy", "strict-no_float64", "torch-float64", "jax-x32")
GPU = ("cupy", "torch-cuda", "jax-cuda")
PACKAGES = {"strict": "array_api_strict"}


@dataclass(frozen=True)
class Variant:
    """A library in one of its modes."""

    variant: str

    @property
    def name(self) -> str:
        return self.variant.partition("-")[0]

    @property
    def xp(self) -> Any:
        return likewise.namespace(self.name)

    @property
    def device(self) -> Any:
        if self.variant in ("strict-device1", "strict-no_float64"):
            import array_api_strict

            return array_api_strict.Device(self.variant.partition("-")[2])
        if self.variant.endswith("-cuda"):
            return likewise.devices(self.name)[-1].device
        return None

    @property
    def has_float64(self) -> bool:
        return self.variant not in ("jax-x32", "strict-no_float64")

    @property
    def has_fft(self) -> bool:
        return self.variant != "strict-minimal"

    def asarray(self, values: Any, dtype: str | None = None) -> Any:
        """An array of the variant, read-only where that can be."""
        values = np.array(values, dtype=dtype)
        if not self.has_float64 and values.dtype.itemsize == 8 * (1 + (values.dtype.kind == "c")):
            values = values.astype({"f": "f4", "c": "c8", "i": "i4", "u": "u4"}[values.dtype.kind])
        if self.name == "numpy":
            if self.variant == "numpy-readonly":
                values.flags.writeable = False
            return values
        if self.name == "dask":
            import dask.array as da

            return da.from_array(values, chunks=tuple(max(1, -(-n // 2)) for n in values.shape))
        return self.xp.asarray(values, device=self.device)

    def to_numpy(self, x: Any) -> Any:
        """Values, after a check that they come from the library and device they should."""
        assert likewise.library(x) == self.name, f"{type(x)} came out of {self.variant}"
        if self.device is not None:
            assert likewise.device(x) == self.device
        return likewise.to_numpy(x)


def _usable(variant: str) -> str | None:
    """None, or why the variant can't run here."""
    name = variant.partition("-")[0]
    if importlib.util.find_spec(PACKAGES.get(name, name)) is None:
        return f"{name} is not installed"
    if variant in GPU:
        try:
            kinds = [d.kind for d in likewise.devices(name)]
        except Exception as error:  # a driver that is missing or too old, said in many ways
            return f"no usable GPU: {error}"
        if "gpu" not in kinds:
            return "no GPU"
    return None


@contextlib.contextmanager
def _mode(variant: str) -> Iterator[None]:
    """The global switches that a variant stands for."""
    if variant == "strict-minimal":
        import array_api_strict

        with array_api_strict.ArrayAPIStrictFlags(
            boolean_indexing=False, data_dependent_shapes=False, enabled_extensions=()
        ):
            yield
    elif variant == "torch-float64":
        import torch

        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        yield
        torch.set_default_dtype(before)
    elif variant == "jax-x32":
        import jax

        with jax.enable_x64(False):
            yield
    else:
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--xp", default="", help="variants to run, separated by commas")
    parser.addoption("--full", action="store_true", help="the long checks as well")


def _variants(config: pytest.Config) -> list[str]:
    chosen = [v for v in config.getoption("--xp").split(",") if v]
    known = (*USUAL, *RARE, *GPU)
    for v in chosen:
        if v not in (*known, "numpy", "torch", "jax", "dask", "cupy"):
            raise pytest.UsageError(f"--xp: no variant {v!r}; there are {', '.join(known)}")
    if chosen:
        return [v for v in known if v in chosen or (v.partition("-")[0] in chosen and v not in GPU)]
    return [*USUAL, *RARE] if config.getoption("--full") else list(USUAL)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "lib" in metafunc.fixturenames:
        metafunc.parametrize("lib", _variants(metafunc.config), indirect=True)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for package in mark.args:
            if importlib.util.find_spec(package) is None:
                pytest.skip(f"{package} is not installed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--full"):
        long = [item for item in items if "full" in item.keywords]
        if long:
            config.hook.pytest_deselected(items=long)
            items[:] = [item for item in items if item not in long]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    missing = {v: _usable(v) for v in (*_variants(config), *GPU)}
    for variant, reason in missing.items():
        if reason is not None:
            terminalreporter.write_line(f"not run: {variant} ({reason})")


@pytest.fixture
def lib(request: pytest.FixtureRequest) -> Iterator[Variant]:
    """A library in one of its modes."""
    variant = request.param
    reason = _usable(variant) or REGISTRY.get((variant, request.node.originalname))
    if reason is not None:
        pytest.skip(reason)
    with _mode(variant):
        yield Variant(variant)


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    """Each test starts at the program's first default."""
    likewise.reset_default()
    yield
    likewise.reset_default()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)


@pytest.fixture
def tolerance() -> Any:
    """Relative tolerance of a dtype: some hundred units in the last place."""

    def of(dtype: Any) -> float:
        return 200 * float(np.finfo(dtype).eps)

    return of
