"""Random functions of lanes and random fits, recorded for any number of lanes: the same bits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, jvp, vmap
from likewise.solving._lanes import OverLanes
from likewise.transforms import fori_loop, scan, while_loop
from likewise.transforms._following._interpreter import interpreted
from likewise.transforms._recordings import _program

from .test_fuzz_transforms import Maker, functions

BLOCK = 25  # functions in one test
CASES = {"numpy": 5000, "strict": 200, "torch": 200}
QUICK = {"numpy": 1, "strict": 0, "torch": 0}  # blocks that run without --full
PACKAGES = {"strict": "array_api_strict", "torch": "torch"}
PLACES = [
    pytest.param(
        name,
        block,
        marks=[
            *([pytest.mark.needs(PACKAGES[name])] if name in PACKAGES else []),
            *([] if block < QUICK[name] else [pytest.mark.full]),
        ],
    )
    for name, count in CASES.items()
    for block in range(count // BLOCK)
]


def same(found: Any, expected: Any, what: str) -> None:
    """Check for the same classes, dtypes, shapes and values, signs of zeros among them."""
    found, expected = likewise.tree_leaves(found), likewise.tree_leaves(expected)
    assert len(found) == len(expected), what
    for a, b in zip(found, expected, strict=True):
        assert type(a) is type(b), what
        a, b = likewise.to_numpy(a), likewise.to_numpy(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape), what
        np.testing.assert_array_equal(a, b, err_msg=what)
        if a.dtype.kind == "f":
            known = ~np.isnan(a)
            np.testing.assert_array_equal(np.signbit(a[known]), np.signbit(b[known]), what)


def looped(program: Callable[..., Any], kind: int) -> Callable[..., Any]:
    """Return a function with a loop, after which a program runs."""

    def fun(*args: Any) -> Any:
        xp = array_namespace(*args)
        x, *rest = args

        def body(c: Any) -> Any:
            return 0.5 * xp.sin(c) + 0.25 * x

        if kind == 1:
            x = scan(lambda c, _: (body(c), None), x, None, length=20)[0]
        elif kind == 2:
            x = fori_loop(0, 20, lambda i, c: body(c) + i / 64, x)
        elif kind == 3:
            start = xp.asarray(0, device=likewise.array_namespace(x) and None)
            x = while_loop(lambda s: s[0] < 20, lambda s: (s[0] + 1, body(s[1])), (start, x))[1]
        return program(*xp_where(xp, x), *rest)

    def xp_where(xp: Any, x: Any) -> tuple[Any]:
        return (xp.where(x > 0.25, x, 0.5 * x),)

    return fun


def check(seed: int, library: str) -> None:
    maker = Maker(seed)
    program = looped(functions(maker, array_namespace).arrays, seed % 4)
    axes = tuple(maker.axes)
    rng = np.random.default_rng(seed)

    def batch(n: int) -> list[Any]:
        picks = [maker.lanes[int(k)] for k in rng.integers(len(maker.lanes), size=n)]
        arrays = [
            picks[0][k] if axis is None else np.stack([lane[k] for lane in picks], axis=axis)
            for k, axis in enumerate(axes)
        ]
        if seed % 5 == 0:  # failures in single lanes
            arrays = [np.where(rng.random(a.shape) < 0.1, np.nan, a) for a in arrays]
        return [a if library == "numpy" else likewise.asarray(a, namespace=library) for a in arrays]

    mapped = vmap(program, in_axes=axes)
    ways = {"values": mapped}
    if not maker.wild:
        ways["tangents"] = lambda *x: jvp(mapped, x, x)
    for what, fun in ways.items():
        recorded = OverLanes(fun, axes)
        sizes = [int(k) for k in rng.choice([1, 2, 3, 4, 5, 6, 8, 12, 25, 40], size=8)]
        for n in (sizes[0], sizes[0], *sizes, sizes[0]):
            args = batch(n)
            copies = [likewise.to_numpy(a).copy() for a in args]
            with interpreted():
                expected = recorded.fun(*args)
                same(recorded(*args), expected, f"{what}, seed {seed}, {n} lanes")
            for before, a in zip(copies, args, strict=True):
                np.testing.assert_array_equal(before, likewise.to_numpy(a))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of infinities and NaN
@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize(("library", "block"), PLACES)
def test_random_functions_of_lanes(
    library: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_program, "_LEAST", 1)  # every dead array is written to
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        check(seed, library)
