"""What the tables name is there."""

import importlib
import warnings
from typing import Any

import array_api_strict
import pytest

from likewise._standard import ATTRIBUTES
from likewise.lint._names import (
    ELSEWHERE,
    HINTS,
    HOST_METHODS,
    METHODS,
    NAMES,
    NOTES,
    RENAMED,
    REVISIONS,
    SINCE,
    advice,
)
from likewise.lint._rooms import ROOMS, own


def test_old_names_are_not_in_the_standard() -> None:
    assert not NAMES & {*RENAMED, *ELSEWHERE, *HINTS}
    assert not set(RENAMED) & {*ELSEWHERE, *HINTS} and not set(ELSEWHERE) & set(HINTS)
    assert set(RENAMED.values()) <= NAMES
    assert set(NOTES) <= {*RENAMED, *ELSEWHERE}


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_are_as_their_packages_say(room: str) -> None:
    exported = importlib.import_module(f"likewise.{room}").__all__
    assert ROOMS[room] == tuple(name for name in exported if name[:1].islower())


@pytest.mark.parametrize(
    "path, ours",
    [
        ("median", "missing.median"),
        ("linalg.lstsq", "linalg.lstsq"),
        ("numpy.median", "missing.median"),
        ("jax.numpy.median", "missing.median"),
        ("jax.lax.scan", "transforms.scan"),
        ("torch.vmap", "transforms.vmap"),
        ("torch.func.hessian", "transforms.hessian"),
        ("scipy.optimize.root", "optimize.root"),
        ("scipy.special.erfinv", "special.erfinv"),
        ("scipy.signal.fftconvolve", "signal.fftconvolve"),
        ("scipy.fft.next_fast_len", "fft.next_fast_len"),
        ("random.randn", "random.normal"),
        ("jax.random.split", "random.split"),
        ("numpy.nanpercentile", "missing.nanquantile"),
    ],
)
def test_own(path: str, ours: str) -> None:
    assert own(path) == f"likewise.{ours}"


@pytest.mark.parametrize("path", ["split", "numpy.split", "map", "root", "scipy.ndimage.label", ""])
def test_none_of_ours(path: str) -> None:
    assert own(path) == ""


def test_advice_is_ours() -> None:
    """What the packages export is what the linter says, of namespaces and of arrays."""
    for name in {*ROOMS["missing"], *ROOMS["signal"]} - NAMES - {"at"}:
        assert own(name) and ELSEWHERE[name] == own(name), name
        assert own(name) in advice(name, "xp"), name


def test_functions_elsewhere_exist() -> None:
    for path in set(ELSEWHERE.values()):
        module, _, name = path.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name)), path


def refused(revision: str) -> set[str]:
    """The functions that array-api-strict refuses in a revision, whatever they are given."""
    found = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flags = array_api_strict.ArrayAPIStrictFlags(api_version=revision)
    with flags:
        for name in NAMES:
            value: Any = array_api_strict
            for part in name.split("."):
                value = getattr(value, part)
            try:
                if callable(value):
                    value()
            except RuntimeError:
                found.add(name)
            except (TypeError, ValueError):
                continue
    return found


@pytest.mark.parametrize("revision", REVISIONS)
def test_since(revision: str) -> None:
    unchecked = {"fft.fftfreq(dtype)", "fft.rfftfreq(dtype)"}
    newer = {name for name, since in SINCE.items() if since > revision}
    assert refused(revision) == newer - unchecked


def test_attributes_of_arrays() -> None:
    own = {n for n in dir(array_api_strict.asarray(1.0)) if not n.startswith("_")}
    assert own == ATTRIBUTES
    assert not (METHODS | HOST_METHODS) & ATTRIBUTES


@pytest.mark.parametrize(
    "name, said",
    [
        ("sum", "`np_.sum(x, ...)`"),
        ("cumsum", "`np_.cumulative_sum(x, ...)`"),
        ("copy", "`np_.asarray(x, copy=True)`"),
        ("ravel", "`np_.reshape(x, (-1,))`"),
        ("at", "`likewise.missing.at`"),
        ("kron", "`likewise.missing.kron`"),
        ("strides", ""),
    ],
)
def test_advice(name: str, said: str) -> None:
    assert advice(name, "np_") == said
