"""Dask with its batch in chunks: a map over blocks, of few tasks, with NumPy's values."""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from .case import Case
from .test_every_function import CASES

pytestmark = pytest.mark.needs("dask")

MOST = 10  # tasks a chunk
CHUNKS, EACH = 4, 2
ROOMS = ("fft", "linalg", "missing", "signal", "spatial", "special")
# What asks for more tasks than that, and why.
MORE = {
    "linalg.eigh_tridiagonal": "what isn't finite is masked before and after",
    "linalg.pinv": "what isn't finite is masked before and after",
    "linalg.pinvh": "what isn't finite is masked before and after",
    "missing.corrcoef": "sums over all come first",
    "missing.gradient": "the ends have formulas of their own",
    "missing.isin": "all elements are searched",
    "missing.nanquantile": "the numbers in each row are counted first",
    "missing.searchsorted": "all elements are searched",
    "missing.unwrap": "jumps are added up",
    "signal.find_peaks": "properties are found one after the other",
    "signal.twotime": "pixels may be cut, too, and are summed",
    "spatial.distance.cdist": "sums over a point come first",
    "spatial.distance.correlation": "sums over a point come first",
    "spatial.distance.dice": "counts come first",
    "spatial.distance.jaccard": "counts come first",
    "spatial.distance.pdist": "sums over a point come first",
    "spatial.distance.rogerstanimoto": "counts come first",
    "spatial.distance.russellrao": "counts come first",
    "spatial.distance.sokalsneath": "counts come first",
    "spatial.distance.yule": "counts come first",
    "special.log_softmax": "sums over a vector come first",
    "special.logsumexp": "sums over a vector come first",
}


def floating(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def batched(found: Case) -> tuple[Any, ...]:
    """The case's arrays in a batch of different problems."""
    by = 1 + np.arange(CHUNKS * EACH) / 8
    return tuple(np.stack([a * s for s in by]) if floating(a) else a for a in found.args)


def parts(out: Any) -> list[Any]:
    return list(out) if isinstance(out, tuple | list) else [out]


@pytest.fixture
def unasked() -> Iterator[None]:
    import dask

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("computed unasked")

    with dask.config.set(scheduler=refuse), np.errstate(all="ignore"):
        yield


WITH_BATCH = [
    c
    for c in CASES
    if c.name.partition(".")[0] in ROOMS
    and c.options.get("batch") is True
    and any(map(floating, c.args))
    # Their other arrays would need a batch, too.
    and c.name not in ("signal.peak_prominences", "signal.peak_widths", "missing.lexsort")
]


@pytest.mark.filterwarnings("ignore:find_peaks:likewise.errors.RechunkWarning")
@pytest.mark.share(4)
@pytest.mark.usefixtures("unasked")
@pytest.mark.parametrize("found", WITH_BATCH, ids=str)
def test_a_batch_in_chunks(found: Case) -> None:
    import dask.array as da

    room, _, short = found.name.partition(".")
    function = found.func or getattr(importlib.import_module(f"likewise.{room}"), short)
    kwargs, args = found.options.get("kwargs") or {}, batched(found)
    expected = parts(function(*args, **kwargs))
    cut = [da.from_array(a, chunks=(EACH, *a.shape[1:])) if floating(a) else a for a in args]
    got = parts(function(*cut, **kwargs))
    for a, b in zip(got, expected, strict=True):
        assert isinstance(a, da.Array) and a.dtype == b.dtype == a._meta.dtype
        assert a._meta.ndim == a.ndim == b.ndim
        if found.name not in MORE:
            tasks = len(a.__dask_optimize__(a.dask, a.__dask_keys__()))
            assert tasks <= MOST * CHUNKS
            assert all(len(c) == 1 or min(c) >= EACH for c in a.chunks)
            assert sum(len(c) > 1 for c in a.chunks) <= 1
        value = a.compute(scheduler="synchronous")
        np.testing.assert_allclose(value, b, rtol=1e-9, atol=1e-11)


def test_the_list_is_of_functions_with_a_case() -> None:
    assert set(MORE) <= {c.name for c in WITH_BATCH}
