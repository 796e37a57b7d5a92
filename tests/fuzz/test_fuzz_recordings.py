"""Random programs, recorded and replayed with other values: the same bits as without a recording."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, grad, jit, jvp, vmap
from likewise.transforms._recordings import _program

from .test_fuzz_transforms import Maker, functions

BLOCK = 25  # programs in one test
CASES = {"numpy": 5000, "strict": 200}
QUICK = {"numpy": 1, "strict": 0}  # blocks that run without --full
PLACES = [
    pytest.param(
        name,
        block,
        marks=[
            *([pytest.mark.needs("array_api_strict")] if name == "strict" else []),
            *([] if block < QUICK[name] else [pytest.mark.full]),
        ],
    )
    for name, count in CASES.items()
    for block in range(count // BLOCK)
]


def outcome(fun: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What a function returns, or the class of what it raises."""
    try:
        return likewise.tree_leaves(fun(*args))
    except (ValueError, IndexError, ZeroDivisionError, FloatingPointError) as error:
        return type(error)


def same(found: Any, expected: Any, what: str) -> None:
    """The same classes, dtypes, shapes and values, signs of zeros among them."""
    if isinstance(expected, type) or isinstance(found, type):
        assert found is expected, what
        return
    assert len(found) == len(expected), what
    for a, b in zip(found, expected, strict=True):
        assert type(a) is type(b), what
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape), what
        np.testing.assert_array_equal(a, b, err_msg=what)
        if a.dtype.kind == "f":  # which of two NaN it is nobody promises
            known = ~np.isnan(a)
            np.testing.assert_array_equal(np.signbit(a[known]), np.signbit(b[known]), what)


def check(seed: int, library: str) -> None:
    maker = Maker(seed)
    program = functions(maker, array_namespace)

    def array(x: Any) -> Any:
        return x if library == "numpy" else likewise.asarray(np.array(x), namespace=library)

    axes = tuple(maker.axes)
    points = [tuple(array(v) for v in lane[: maker.arguments]) for lane in maker.lanes]
    batches = [
        tuple(
            array(lanes[0][k] if axis is None else np.stack([lane[k] for lane in lanes], axis=axis))
            for k, axis in enumerate(axes)
        )
        for lanes in (maker.lanes, maker.lanes[::-1])
    ]
    slope = grad(program.scalar, tuple(range(maker.arguments)))
    ways: dict[str, tuple[Callable[..., Any], Any]] = {
        "itself": (program.arrays, points),
        "vmap": (vmap(program.arrays, in_axes=axes), batches),
    }
    if not maker.wild:
        ways["grad"] = slope, points
        ways["vmap of grad"] = vmap(slope, in_axes=axes), batches
        ways["jvp"] = lambda *x: jvp(program.arrays, x, x), points
    for what, (fun, given) in ways.items():
        copies = [np.array(v) for args in given for v in args]
        made = jit(fun)
        expected = [outcome(fun, args) for args in given]
        # The first two calls follow, for layouts may differ; then lists are run, then texts.
        for k in (0, 1, 0, 1, 0, 1):
            same(outcome(made, given[k]), expected[k], f"{what}, seed {seed}")
        for before, v in zip(copies, [v for args in given for v in args], strict=True):
            np.testing.assert_array_equal(before, np.asarray(v), f"{what}, an argument")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of infinities and NaN
@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize(("library", "block"), PLACES)
def test_random_programs(library: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_program, "_TEXT_AFTER", 2)
    monkeypatch.setattr(_program, "_LEAST", 1)  # every dead array is written to
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        check(seed, library)
