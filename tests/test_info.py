"""What is installed, and what each library can do."""

import dataclasses
import importlib.metadata
import importlib.util
import os
import platform
import re
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import likewise
from likewise import _info
from likewise._default import KNOWN
from likewise.errors import ArgumentError, ArrayTypeError, LibraryNotInstalled

HERE = [n for n, k in KNOWN.items() if k.host and _info.installed(n)]
NATIVE = {"torch", "jax"}


class Foreign:
    """A standard array of nobody's library."""

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return strict


def test_of_an_array_and_by_name(lib: Any) -> None:
    assert likewise.info(lib.asarray([1.0])) == likewise.info(lib.library)
    assert likewise.info(lib.library).library == lib.library


@pytest.mark.parametrize("name", HERE)
def test_version(name: str) -> None:
    package = {"strict": "array_api_strict"}.get(name, name)
    found = likewise.info(name).version.partition("+")[0]  # torch names its build: 2.13.0+cu130
    assert found == importlib.metadata.version(package).partition("+")[0]


@pytest.mark.parametrize("name", HERE)
def test_transforms(name: str) -> None:
    found = likewise.info(name)
    native = name in NATIVE
    assert found.jit == ("native" if native else "no" if name == "dask" else "recorded")
    assert (found.grad, found.vmap) == ("native" if native else "traced",) * 2


@pytest.mark.parametrize("name", HERE)
def test_mutable_is_what_an_assignment_says(name: str) -> None:
    x = likewise.namespace(name).zeros(3)
    try:
        x[0] = 1
    except TypeError:
        mutable = False
    else:
        mutable = float(likewise.to_numpy(x)[0]) == 1
    assert likewise.info(name).mutable is mutable


def test_lazy(lib: Any) -> None:
    assert likewise.info(lib.library).lazy is likewise.is_lazy(lib.asarray([1.0]))


def test_float64(lib: Any) -> None:
    expected = lib.name != "jax-x32"
    assert likewise.info(lib.library).float64 is expected


def test_default_dtypes(lib: Any) -> None:
    found = likewise.info(lib.library).default_dtypes
    assert set(found) == {"real floating", "complex floating", "integral", "indexing"}
    made = {"real floating": 1.5, "complex floating": 1j, "integral": 1}
    xp = likewise.namespace(lib.library)  # on its default device
    for kind, value in made.items():
        assert likewise.to_numpy(xp.asarray([value])).dtype.name == found[kind]


def test_extensions(lib: Any) -> None:
    found = likewise.info(lib.library)
    assert found.fft is lib.has_extensions
    assert found.linalg is (lib.name != "strict-minimal")


def test_shapes_that_depend_on_data(lib: Any) -> None:
    """As the libraries say: JAX can't inside jit, array-api-strict by its flags."""
    found = likewise.info(lib.library)
    expected = lib.library != "jax" and lib.name != "strict-minimal"
    assert found.boolean_indexing is expected
    assert found.data_dependent_shapes is expected


@pytest.mark.parametrize("name", HERE)
def test_devices(name: str) -> None:
    found = likewise.devices(name)
    assert found == likewise.info(name).devices
    assert found[0].kind == "cpu"
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for d in found:
        assert isinstance(d.name, str)
        assert d.name
        assert isinstance(d.memory, int)
        assert likewise.device(likewise.namespace(name).zeros(1, device=d.device)) == d.device
    assert found[0].memory == total


def test_devices_of_strict() -> None:
    assert [d.device for d in likewise.devices("strict")] == [
        strict.Device(n) for n in ("CPU_DEVICE", "device1", "device2", "no_float64", "no_x64")
    ]


def test_device_prints_itself() -> None:
    gpu = _info.DeviceInfo("gpu", "H200", 139 * 2**30, None)
    assert str(gpu) == "gpu (H200, 139.0 GiB)"
    assert str(dataclasses.replace(gpu, memory=None)) == "gpu (H200)"


@pytest.mark.parametrize("name", HERE)
def test_info_prints_itself(name: str) -> None:
    found = likewise.info(name)
    first, *lines = str(found).split("\n")
    assert first == f"{name} {found.version}"
    table = dict(re.fullmatch(r"  (\S.*?) {2,}(.*)", line).groups() for line in lines)  # type: ignore[union-attr]
    assert list(table) == [f.name.replace("_", " ") for f in dataclasses.fields(found)[2:]]
    assert table["jit"] == found.jit
    assert table["fft"] == "yes"
    assert table["lazy"] == ("yes" if name == "dask" else "no")
    assert f"real floating {found.default_dtypes['real floating']}, " in table["default dtypes"]
    assert table["devices"] == "; ".join(map(str, found.devices))


def test_report() -> None:
    report = likewise.info()
    assert report.python == platform.python_version()
    assert list(report.libraries) == list(KNOWN)
    assert {"numpy", "cupy", "torch", "jax", "dask", "strict"} <= {*KNOWN}
    for name in HERE:
        assert report.libraries[name] == likewise.info(name)
    assert report.default == "numpy"


def test_report_says_the_default() -> None:
    with likewise.use("strict", device="cpu", dtype="float32"):
        assert likewise.info().default == "strict, cpu, float32"


def test_report_prints_itself() -> None:
    report = likewise.info()
    text = str(report)
    first = f"likewise {report.version}, Python {platform.python_version()}; default: numpy"
    assert text.startswith(first + "\nnumpy " + np.__version__ + "\n")
    for name in HERE:
        assert str(likewise.info(name)) in text


def test_report_of_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_info, "installed", lambda name: name == "numpy")
    report = likewise.info()
    assert report.libraries["cupy"] == report.libraries["strict"] == "not installed"
    assert "\nstrict: not installed" in str(report)
    assert report.libraries["numpy"] == likewise.info("numpy")


def test_report_survives_a_broken_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> Any:
        if name == "strict":
            raise OSError("libstrict.so.7: no such file")
        return likewise.namespace(name)

    monkeypatch.setattr(_info, "namespace", broken)
    report = likewise.info()
    text = "installed, but fails: libstrict.so.7: no such file"
    assert report.libraries["strict"] == text
    assert f"\nstrict: {text}" in str(report)
    assert report.libraries["numpy"] == likewise.info("numpy")


def test_records_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        likewise.info("numpy").jit = "native"


def test_bad_input() -> None:
    with pytest.raises(ArgumentError, match="no library 'polars'; there are numpy"):
        likewise.info("polars")
    with pytest.raises(ArgumentError, match="no library 'polars'; there are numpy"):
        likewise.devices("polars")
    with pytest.raises(ArrayTypeError, match=r"numpy.ma.MaskedArray"):
        likewise.info(np.ma.ones(2))
    with pytest.raises(ArrayTypeError, match=r"float 1.5"):
        likewise.info(1.5)
    with pytest.raises(LibraryNotInstalled, match=r"^info: nothing is known of .*test_info's"):
        likewise.info(Foreign())
