"""Each way to the host is planted, and found with its line."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import likewise
from likewise.errors import ArgumentError
from likewise.testing import HostCopyError, Variant, no_host_copies, variants

# What leaves the library, on those that have it.
COPIES: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "asarray": (lambda x: np.asarray(x), ("torch", "jax", "dask", "strict")),
    "array": (lambda x: np.array(x), ("torch", "jax", "dask", "strict")),
    "ufunc": (np.sin, ("torch",)),
    "function": (lambda x: np.percentile(x, 50), ("torch", "jax")),
    "scipy": (scipy.special.j0, ("torch",)),
    "scipy-function": (lambda x: scipy.integrate.simpson(x), ("torch", "jax")),
    "numpy-method": (lambda x: x.numpy(), ("torch",)),
    "cpu": (lambda x: x.cpu(), ("torch",)),
    "tolist": (lambda x: x.tolist(), ("torch", "jax")),
    "compute": (lambda x: x.compute(), ("dask",)),
    "persist": (lambda x: x.persist(), ("dask",)),
    "to_numpy": (likewise.to_numpy, ("torch", "jax", "dask", "strict")),
}
SCALARS: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "bool": (bool, ("torch", "jax", "dask", "strict")),
    "int": (int, ("torch", "jax", "dask")),
    "float": (float, ("torch", "jax", "dask", "strict")),
    "complex": (complex, ("torch", "jax", "dask", "strict")),
    "item": (lambda x: x.item(), ("torch", "jax")),
    "asarray": (lambda x: np.asarray(x), ("torch", "jax")),
}


@pytest.mark.parametrize("name", COPIES)
def test_whole_arrays(lib: Variant, name: str) -> None:
    escape, where = COPIES[name]
    x = lib.asarray([1.0, 2.0, 3.0])
    if lib.library not in where:
        return
    with pytest.raises(HostCopyError, match=r"shape \(3,\).*test_host.py:\d+"):
        with no_host_copies(scalars=1000):
            escape(x)


@pytest.mark.parametrize("name", SCALARS)
def test_single_values(lib: Variant, name: str) -> None:
    read, where = SCALARS[name]
    x = lib.asarray(1.0)
    if lib.library not in where:
        return
    with pytest.raises(HostCopyError, match="1 reads of single values, 0 declared"):
        with no_host_copies():
            read(x)
    with no_host_copies(scalars=2) as reads:
        read(x)
        read(x)
    assert len(reads.scalars) == 2 and not reads.copies
    assert "test_host.py" in reads.scalars[0]
    with pytest.raises(HostCopyError, match="3 reads"), no_host_copies(scalars=2):
        for _ in range(3):
            read(x)


@pytest.mark.needs("jax")
def test_jax_device_get() -> None:
    import jax

    with pytest.raises(HostCopyError, match="device_get"), no_host_copies():
        jax.device_get(jax.numpy.ones(3))


def test_what_a_device_does_is_no_copy(lib: Variant) -> None:
    x = lib.asarray([1.0, 2.0, 3.0])
    with no_host_copies():
        y = lib.xp.sum(lib.xp.exp(x) * 2) + lib.xp.stack([x, x])[0, 1]
    assert lib.to_numpy(y) == pytest.approx(np.sum(np.exp([1.0, 2.0, 3.0]) * 2) + 2)


def test_numpy_is_at_home(lib: Variant) -> None:
    with no_host_copies():
        assert float(np.asarray(np.ones(3)).sum()) == 3.0
        np.ones(3).tolist()


def test_per_iteration(lib: Variant) -> None:
    """Lines that read are counted, not how often they do."""

    def halvings(x: Any) -> int:
        n = 0
        while bool(x > 1):
            x, n = x / 2, n + 1
        return n

    x = lib.asarray(100.0)
    if lib.library == "numpy":
        return
    with no_host_copies(scalars=1, per="iteration") as reads:
        assert halvings(x) == 7
    assert reads.counted == 1 < len(reads.scalars)
    with pytest.raises(HostCopyError, match="2 places that read values, 1 declared"):
        with no_host_copies(scalars=1, per="iteration"):
            halvings(x)
            float(x)


def test_said_again_where_code_caught_it(lib: Variant) -> None:
    def careless(x: Any) -> Any:
        try:
            return np.asarray(x)
        except Exception:
            return x

    x = lib.asarray([1.0, 2.0])
    if lib.library == "numpy":
        return
    with pytest.raises(HostCopyError, match="asarray"), no_host_copies():
        careless(x)


def test_nothing_stays_patched(lib: Variant) -> None:
    x = lib.asarray([1.0, 2.0])
    rows = [row for library in likewise._namespace.loaded() for row in library.host_reads]
    before = [vars(owner).get(name) for owner, name, _ in rows]
    with no_host_copies(), no_host_copies():
        pass
    assert [vars(owner).get(name) for owner, name, _ in rows] == before
    np.asarray(likewise.to_numpy(x)), bool(lib.xp.all(x > 0))


def test_error_of_the_code_goes_first() -> None:
    with pytest.raises(ZeroDivisionError), no_host_copies():
        1 / 0


@pytest.mark.parametrize("options", [{"scalars": -1}, {"per": "line"}])
def test_wrong_arguments(options: Any) -> None:
    with pytest.raises(ArgumentError, match="no_host_copies"), no_host_copies(**options):
        pass


def test_every_library_has_rows() -> None:
    for variant in variants():
        if variant.why_not() is None and variant.library != "numpy":
            library = likewise._namespace.load(variant.library)
            assert library.host_reads


def test_arrays_inside_of_arguments(lib: Variant) -> None:
    """Lists of arrays, and arguments by name; the reads inside don't count once more."""
    if lib.library == "numpy":
        return
    x = lib.asarray([1.0, 2.0, 3.0])
    for escape in (lambda: np.asarray([x, x]), lambda: np.array(object=x)):
        with pytest.raises(HostCopyError, match="numpy.a"):
            with no_host_copies():
                escape()
    with no_host_copies(scalars=2) as reads:
        np.asarray([x[0], x[1]]) if lib.library in ("torch", "jax") else (float(x[0]), float(x[1]))
    assert len(reads.scalars) == 2


@pytest.mark.needs("jax")
def test_jax_device_get_of_a_structure() -> None:
    import jax

    with pytest.raises(HostCopyError, match="device_get"):
        with no_host_copies():
            jax.device_get({"a": [jax.numpy.ones(3)]})


@pytest.mark.needs("dask")
def test_computations_of_dask_by_any_way() -> None:
    import dask
    import dask.array as da

    x = da.ones(6, chunks=2)
    ways = (
        lambda: dask.compute([x]),
        lambda: dask.compute({"a": x}),
        lambda: dask.compute(1, x),
        lambda: x.to_delayed()[0].compute(),
        lambda: x[x > 0].compute_chunk_sizes(),
        lambda: dask.persist(x),
    )
    for way in ways:
        with pytest.raises(HostCopyError, match="a computation of lazy arrays at .*test_host"):
            with no_host_copies():
                way()
