"""Correlation of frames against means over pairs of frames, taken one by one."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.signal import g2_from_twotime, multitau, twotime

RNG = np.random.default_rng(8)
FRAMES = RNG.poisson(2.0, size=(37, 3, 4)).astype(float) + 0.5
LABELS = np.asarray([[0, 2, -1, 0], [2, 2, 0, 5], [0, -7, 2, 2]])  # region 1 has no pixels


def averaged(x: Any, level: int) -> Any:
    for _ in range(level):
        m = len(x) // 2
        x = (x[: 2 * m : 2] + x[1 : 2 * m : 2]) / 2
    return x


def brute(x: Any, lags: Any, channels: int, pixels: Any = None) -> Any:
    """Return g2 at delays in frames; with `pixels` of them together."""
    found = []
    for k, lag in enumerate(lags):
        level = max(0, (k - channels // 2) // (channels // 2))
        y = averaged(x, level)
        y = y if pixels is None else y[:, pixels]
        step = int(lag) >> level
        a, b = y[: len(y) - step], y[step:]
        axis = 0 if pixels is None else None
        found.append((a * b).mean(axis) / a.mean(axis) / b.mean(axis))
    return np.stack(found)


def close(lib: Any, got: Any, expected: Any, tol: float = 1e-12) -> None:
    assert likewise.library(got) == lib.library
    got = lib.to_numpy(got)
    tol = tol if got.dtype == np.float64 else 2e-5
    np.testing.assert_allclose(got, expected, rtol=tol, atol=tol)


DELAYS = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24]


@pytest.mark.parametrize("chunk", [None, 5])
@pytest.mark.long("dask")
def test_pixels(lib: Any, chunk: int | None) -> None:
    lags, g2 = multitau(lib.asarray(FRAMES), channels=4, chunk_size=chunk)
    assert lib.to_numpy(lags).tolist() == DELAYS
    close(lib, g2, brute(FRAMES, DELAYS, 4))


@pytest.mark.parametrize("chunk", [None, 5])
def test_regions(lib: Any, chunk: int | None) -> None:
    _, g2 = multitau(lib.asarray(FRAMES), lib.asarray(LABELS), 3, channels=4, chunk_size=chunk)
    close(lib, g2[:, 0], brute(FRAMES, DELAYS, 4, LABELS == 0))
    close(lib, g2[:, 2], brute(FRAMES, DELAYS, 4, LABELS == 2))
    assert np.all(np.isnan(lib.to_numpy(g2)[:, 1]))


@pytest.mark.parametrize("sizes", [(64, 64, 9), (1, 2, 5, 40, 3, 86)])
def test_frames_that_come_in_pieces(lib: Any, sizes: tuple[int, ...]) -> None:
    """Whole numbers in pieces of any length, against means over pairs of all frames."""
    if lib.jit:
        return
    photons = RNG.poisson(2.0, size=(sum(sizes), 3, 4)).astype("uint16")
    delays = [*DELAYS, 32, 48, 64, 96]
    ends = np.cumsum(sizes)
    pieces = (
        lib.asarray(photons[end - m : end], "uint16") for m, end in zip(sizes, ends, strict=True)
    )
    ids = lib.asarray(LABELS)
    lags, g2 = multitau(pieces, ids, 3, channels=4, levels=6, chunk_size=5)
    assert lib.to_numpy(lags).tolist() == delays
    for k in (0, 2):
        close(lib, g2[:, k], brute(photons.astype(float), delays, 4, k == LABELS))
    assert np.all(np.isnan(lib.to_numpy(g2)[:, 1]))


def test_a_batch_of_few_frames_in_pieces(lib: Any) -> None:
    if lib.jit:
        return
    x = np.stack([FRAMES, FRAMES[::-1] + 1])[:, :5, ...]
    pieces = iter([lib.asarray(x[:, :2, ...]), lib.asarray(x[:, 2:, ...])])
    lags, g2 = multitau(pieces, lib.asarray(LABELS), 1, channels=4, levels=4, axis=1)
    assert lib.to_numpy(lags).tolist() == [0, 1, 2, 3]  # two frames of level 1 have no delay of 2
    close(lib, g2, np.stack([brute(y, range(4), 4, LABELS == 0)[:, None] for y in x]))


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_single_precision_of_any_size(lib: Any, size: float) -> None:
    """Intensities may be such that the product of two is out of range."""
    if lib.jit:
        return
    x, ids = lib.asarray(FRAMES.astype("float32") * np.float32(size), "float32"), LABELS == 2
    labels = lib.asarray(ids.astype("int64") - 1)
    close(lib, multitau(x, channels=4)[1], brute(FRAMES, DELAYS, 4))
    expected = brute(FRAMES, DELAYS, 4, LABELS == 2)
    close(lib, multitau(x, labels, 1, channels=4)[1][:, 0], expected)
    pieces = iter([x[:9, ...], x[9:, ...]])
    close(lib, multitau(pieces, labels, 1, channels=4, levels=4)[1][:, 0], expected)
    close(lib, twotime(x, labels, 1)[0, ...], two(FRAMES, LABELS == 2))


@pytest.mark.parametrize(
    "way", ["regions", *(pytest.param(w, marks=pytest.mark.full) for w in ("pixels", "pieces"))]
)
def test_memory_is_so_many_frames_a_level(way: str) -> None:
    n, channels, levels, shape = 1000, 16, 6, (128, 128)
    x = RNG.integers(6, size=(n, *shape), dtype="uint16")
    ids = np.arange(x[0].size).reshape(shape) % 3

    def call(x: Any, ids: Any) -> Any:
        if way == "pixels":
            return multitau(x, channels=channels)
        if way == "regions":
            return multitau(x, ids, 3, channels=channels)
        pieces = (x[i : i + 250] for i in range(0, n, 250))
        return multitau(pieces, ids, 3, channels=channels, levels=levels)

    call(x[:, :2, :2], ids[:2, :2])  # what is imported and remembered for next time
    tracemalloc.start()
    call(x, ids)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    frame = 8 * x[0].size  # in the dtype of the result
    assert held < (channels + 3) * levels * frame + 2**18  # for Python's own objects


def test_batches_levels_and_counts(lib: Any) -> None:
    if lib.jit:
        return
    batch = np.stack([FRAMES, FRAMES[::-1] + 1])
    lags, g2 = multitau(lib.asarray(batch), channels=4, levels=1, axis=1)
    assert lib.to_numpy(lags).tolist() == [0, 1, 2, 3]
    close(lib, g2, np.stack([brute(x, range(4), 4) for x in batch]))
    _, g2 = multitau(lib.asarray(batch), lib.asarray(LABELS), 1, channels=4, axis=1)
    close(lib, g2, np.stack([brute(x, DELAYS, 4, LABELS == 0)[:, None] for x in batch]))
    photons = (FRAMES - 0.5).astype("int32")
    lags, g2 = multitau(lib.asarray(photons[:30], "int32"), channels=4, levels=9)
    assert lib.to_numpy(lags).tolist() == DELAYS[:-1]  # the last of one pair
    close(lib, g2, brute(photons[:30], DELAYS[:-1], 4))
    few = multitau(lib.asarray(FRAMES[:3, 0, 0]), channels=8)
    assert lib.to_numpy(few[0]).tolist() == [0, 1, 2]
    close(lib, few[1], brute(FRAMES[:3, 0, 0], range(3), 8))


def test_single_precision_and_dark_pixels(lib: Any) -> None:
    x = FRAMES.astype("float32")
    x[:, 0, 0] = 0
    _, g2 = multitau(lib.asarray(x, "float32"), channels=4)
    assert lib.to_numpy(g2).dtype == np.float32
    assert np.isnan(lib.to_numpy(g2)).sum() == len(DELAYS)
    assert lib.to_numpy(twotime(lib.asarray(x, "float32"))).dtype == np.float32


def two(x: Any, pixels: Any) -> Any:
    y = x[:, pixels]
    mean = y.mean(axis=1)
    return (y[:, None] * y).mean(axis=2) / mean[:, None] / mean


def test_twotime(lib: Any) -> None:
    c = twotime(lib.asarray(FRAMES), lib.asarray(LABELS), 3)
    close(lib, c[0, ...], two(FRAMES, LABELS == 0))
    close(lib, c[2, ...], two(FRAMES, LABELS == 2))
    assert np.all(np.isnan(lib.to_numpy(c)[1]))
    every = twotime(lib.asarray(FRAMES))
    close(lib, every, two(FRAMES, LABELS < 9))


def test_labels_that_are_read() -> None:
    np.testing.assert_array_equal(twotime(FRAMES, LABELS), twotime(FRAMES, LABELS, 6))
    lags, g2 = multitau(FRAMES, LABELS)
    assert g2.shape == (len(lags), 6)
    batch = twotime(np.stack([FRAMES, 2 * FRAMES]), LABELS, 3, axis=1)
    np.testing.assert_allclose(batch[1, 2], two(FRAMES, LABELS == 2), rtol=1e-12)
    assert twotime(FRAMES, LABELS, 0).shape == (0, 37, 37)


def test_g2_from_twotime(lib: Any) -> None:
    c = RNG.normal(size=(2, 7, 7))
    expected = [[np.diagonal(x, lag).mean() for lag in range(7)] for x in c]
    close(lib, g2_from_twotime(lib.asarray(c)), expected)
    if lib.library == "numpy":
        c[0, 1, 3] = np.nan
        assert np.flatnonzero(np.isnan(g2_from_twotime(c)[0])).tolist() == [2]


@pytest.mark.parametrize("name", ["multitau", "regions", "pieces", "twotime"])
def test_gradients(lib: Any, name: str) -> None:
    """Of a random sum of results, against central differences."""
    if not lib.has_float64 or lib.jit:
        return
    x, labels = FRAMES[:11, :2, :2], LABELS[:2, :2]
    calls: dict[str, Any] = {
        "multitau": lambda x, ids: multitau(x, channels=4, chunk_size=3)[1],
        "regions": lambda x, ids: multitau(x, ids, 3, channels=4, chunk_size=3)[1][:, ::2],
        "twotime": lambda x, ids: twotime(x, ids, 3)[::2, ...],
        "pieces": lambda x, ids: multitau(
            iter([x[:4, ...], x[4:, ...]]), ids, 3, channels=4, levels=2
        )[1][:, ::2],
    }
    weights = RNG.normal(size=calls[name](x, labels).shape)
    held, ids = lib.asarray(weights), lib.asarray(labels)

    def loss(x: Any) -> Any:
        return likewise.array_namespace(x).sum(calls[name](x, ids) * held)

    got = lib.to_numpy(likewise.grad(loss)(lib.asarray(x)))
    for place in ((0, 0, 0), (4, 1, 0), (10, 0, 1)):
        h = np.zeros_like(x)
        h[place] = 1e-6
        up, down = (float(np.sum(calls[name](y, labels) * weights)) for y in (x + h, x - h))
        assert abs(got[place] - (up - down) / 2e-6) < 1e-7


BAD = {
    "no frames": (lambda: multitau(FRAMES[:0]), ShapeError, "at least one frame, got a numpy"),
    "labels": (lambda: multitau(FRAMES, LABELS[0]), ShapeError, r"\(3, 4\), got \(4,\)"),
    "kind": (lambda: twotime(FRAMES, LABELS + 0.5), DtypeError, "'labels' must hold integers"),
    "complex": (lambda: multitau(FRAMES + 1j), DtypeError, "must hold real numbers"),
    "odd": (lambda: multitau(FRAMES, channels=5), ArgumentError, "must be even, got 5"),
    "channels": (lambda: multitau(FRAMES, channels=0), ArgumentError, "channels"),
    "levels": (lambda: multitau(FRAMES, levels=0), ArgumentError, "levels"),
    "chunk": (lambda: multitau(FRAMES, chunk_size=0), ArgumentError, "chunk_size"),
    "count": (lambda: twotime(FRAMES, None, 3), ArgumentError, "but there are none"),
    "axis": (lambda: twotime(FRAMES, axis=3), ShapeError, r"must lie in \[-3, 2\]"),
    "square": (lambda: g2_from_twotime(np.ones((2, 3))), ShapeError, r"got \(2, 3\)"),
    "no labels": (lambda: multitau(iter([FRAMES])), ArgumentError, "labels is needed where frames"),
    "no levels": (lambda: multitau(iter([FRAMES]), LABELS), ArgumentError, "levels is needed"),
    "no pieces": (lambda: multitau(iter([]), LABELS, levels=2), ShapeError, "without arrays"),
    "pieces": (
        lambda: multitau(iter([FRAMES, FRAMES.astype("float32")]), LABELS, levels=2),
        ShapeError,
        "must be alike but for their number, got a numpy",
    ),
    "half": (lambda: twotime(FRAMES.astype("float16")), DtypeError, "float32, float64 or whole"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()


@pytest.mark.needs("jax")
def test_labels_that_cannot_be_read_need_their_number() -> None:
    import jax

    with pytest.raises(ArgumentError, match="num_labels is needed"):
        jax.jit(lambda ids: multitau(jax.numpy.asarray(FRAMES), ids))(jax.numpy.asarray(LABELS))
