"""Where the transforms are tested: each library, and the interpreter in place of native ones."""

import contextlib
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.interop import to_numpy
from likewise.transforms._following._interpreter import interpreted


@dataclass(frozen=True)
class Place:
    """A library, native or interpreted."""

    name: str

    @property
    def library(self) -> str:
        return self.name.partition("-")[0]

    @property
    def native(self) -> bool:
        return self.name in ("torch", "jax")

    @property
    def xp(self) -> Any:
        return likewise.namespace(self.library)

    def array(self, values: Any, dtype: str = "float64") -> Any:
        """An array with a NumPy array's or nested lists' values."""
        xp = self.xp
        values = np.asarray(values)
        made = xp.asarray(values.ravel().tolist(), dtype=getattr(xp, dtype))
        return xp.reshape(made, values.shape)

    def same(self, found: Any, expected: Any, rtol: float = 1e-10) -> None:
        """Equal structures of arrays of this library, and equal values, dtypes and shapes."""
        if isinstance(expected, dict):
            assert type(found) is type(expected)
            assert set(found) == set(expected)
            for k in expected:
                self.same(found[k], expected[k], rtol)
        elif isinstance(expected, tuple | list):
            assert type(found) is type(expected), (found, expected)
            assert len(found) == len(expected)
            for f, e in zip(found, expected, strict=True):
                self.same(f, e, rtol)
        elif dataclasses.is_dataclass(expected):
            assert type(found) is type(expected)
            for field in dataclasses.fields(expected):
                self.same(getattr(found, field.name), getattr(expected, field.name), rtol)
        elif expected is None:
            assert found is None
        else:
            assert likewise.library(found) == self.library
            e = np.asarray(expected)
            f = to_numpy(found)
            assert f.shape == e.shape
            assert f.dtype == e.dtype
            np.testing.assert_allclose(f, e, rtol=rtol, atol=1e-12)


_NEEDS = {"torch": "torch", "torch-interpreted": "torch", "jax": "jax"}
ALL = ("strict", "numpy", "torch", "torch-interpreted", "jax")


@pytest.fixture(
    params=[
        pytest.param(name, marks=[pytest.mark.needs(_NEEDS[name])] if name in _NEEDS else [])
        for name in ALL
    ]
)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    found = Place(request.param)
    with interpreted() if found.name.endswith("interpreted") else contextlib.nullcontext():
        yield found
