"""Random `while_loop`s in recordings: the same bits as without one, and as Python's own loop."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import (
    array_namespace,
    cond,
    fori_loop,
    grad,
    jit,
    jvp,
    missing,
    scan,
    vmap,
    while_loop,
)
from likewise.transforms import _loops, compile_log
from likewise.transforms._recordings import _program

from .test_fuzz_recordings import outcome, same

BLOCK = 25  # programs in one test
CASES = {"numpy": 1000, "strict": 200}
QUICK: dict[str, int] = {"numpy": 0, "strict": 0}  # blocks that run without --full
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
SHAPES = [(), (2,), (3,), (2, 3), (3, 3)]
LANES = 3

Value = tuple[Any, ...]


def python_loop(test: Any, body: Any, value: Any) -> Any:
    while bool(test(value)):
        value = body(value)
    return value


class Loop:
    """A random loop ``f(limit, w, *start)``: at most `limit` steps, of arrays of random shapes."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.shapes = [SHAPES[i] for i in rng.integers(len(SHAPES), size=rng.integers(1, 4))]
        self.single = rng.random() < 0.2
        self.outside = rng.uniform(-1, 1, 3)
        self.grows = float(rng.uniform(0.5, 6)) if rng.random() < 0.6 else None
        self.swaps = bool(rng.random() < 0.2)
        self.stays = bool(rng.random() < 0.2)
        self.looks = False
        self.ops = [self.drawn() for _ in range(rng.integers(1, 6))]
        self.inner = bool(rng.random() < 0.25)
        self.after = int(rng.integers(4))
        self.smooth = True

    def drawn(self) -> tuple[str, int, int, float]:
        names = """sin tanh add mul where set sum sort flip matmul outside iota clip write fori
        scan cond key""".split()
        rng = self.rng
        return (
            names[rng.integers(len(names))],
            int(rng.integers(len(self.shapes))),
            int(rng.integers(len(self.shapes))),
            float(rng.uniform(-1, 1)),
        )

    def points(self, count: int) -> list[Value]:
        """Arguments, with all numbers of steps from none on."""
        rng, dtype = self.rng, np.float32 if self.single else np.float64
        out = []
        for k in range(count):
            limit = np.asarray([0, 1, 5, 2, 9][k % 5] if k else int(rng.integers(10)))
            arrays = [rng.uniform(-1, 1, s).astype(dtype) for s in [(3,), *self.shapes]]
            out.append((limit, *arrays))
        return out

    # -- the program, in the standard --------------------------------------------------------------

    def step(self, xp: Any, values: list[Any], w: Any, outside: Any, k: Any) -> list[Any]:
        values = list(values)
        for name, i, j, c in self.ops:
            x, y = values[i], values[j]
            if name == "sin":
                x = xp.sin(x) + c
            elif name == "tanh":
                x = xp.tanh(x + xp.sum(y) * c)
            elif name == "add":
                x = x + xp.mean(y) * c
            elif name == "mul":
                x = x * (1 + 0.1 * c) + xp.sum(w) * 0.1
            elif name == "where":
                x = xp.where(x > c, x * 0.5, x + 0.25)
            elif name == "set" and x.ndim:
                x = missing.at(x)[0].set(c)
            elif name == "write" and x.ndim:
                x = x + 0 * x
                x[0] = xp.sum(y) * 0.1
            elif name == "sum" and x.ndim:
                x = 0.5 * x + 0.1 * xp.sum(x, axis=0)
            elif name == "sort" and x.ndim:
                x = 0.9 * xp.sort(x, axis=-1)
            elif name == "flip" and x.ndim:
                x = xp.flip(x, axis=0)
            elif name == "matmul" and x.shape == (3, 3):
                x = xp.tanh(x @ x)
            elif name == "outside":
                x = x * 0.5 + xp.sum(w * outside) * c
            elif name == "iota":
                x = x * 0.9 + xp.astype(k, x.dtype) * 0.01
            elif name == "clip":
                x = xp.clip(x, -0.5, 0.75)
            elif name == "key":
                x = x + 0.1 * xp.take(w, xp.reshape(k % 3, (1,)), axis=0)[0]
            elif name == "fori":
                x = fori_loop(0, 2, lambda i, v: v * 0.5 + i * 0.1, x)
            elif name == "scan" and x.ndim:
                x = 0.1 * x + 0.1 * scan(lambda s, u: (s + u, s), 0 * x[0], x)[0]
            elif name == "cond":
                x = xp.where(xp.sum(x) > c, x, x * 0.5)
            values[i] = x
        if self.inner:
            values[0] = self.inside(xp, values[0], w)
        if self.swaps and len(values) > 1 and values[0].shape == values[1].shape:
            values[:2] = values[1::-1]
        return values

    def inside(self, xp: Any, x: Any, w: Any) -> Any:
        """A loop in the loop, which often takes no step."""
        size = array_namespace(x).sum(x * x)
        begun = (x, 0 * size)
        loop = self.loop
        return loop(
            lambda v: (v[1] < 2.5) & (array_namespace(v[0]).sum(v[0] * v[0]) > 0.5),
            lambda v: (v[0] * 0.7, v[1] + 1),
            begun,
        )[0]

    def program(
        self, loop: Callable[..., Any], limit: Any, outside: Any, w: Any, *start: Any
    ) -> Any:
        self.loop = loop
        xp = array_namespace(limit, w, *start)

        def test(v: Any) -> Any:
            goes = v[0] < limit
            if self.grows is not None:
                goes = goes & (xp.sum(xp.abs(v[1])) < self.grows)
            return goes

        def body(v: Any) -> Any:
            new = self.step(xp, list(v[1:]), w, outside, v[0])
            if self.stays:
                new[-1] = v[-1]
            return (v[0] + 1, *new)

        count, *found = loop(test, body, (0 * limit, *start))
        if self.after == 1:
            found = [xp.sum(x * x) for x in found]
        elif self.after == 2:
            found = [x + xp.astype(count, x.dtype) for x in found]
        elif self.after == 3:
            found = [xp.sum(x, axis=0) if x.ndim else x for x in found]
        return count, found


def check(seed: int, library: str) -> dict[str, bool]:
    """Compare a loop in all ways; say which were recorded."""
    maker = Loop(seed)

    def array(x: Any) -> Any:
        return x if library == "numpy" else likewise.asarray(np.array(x), namespace=library)

    outside = array(maker.outside.astype(np.float32 if maker.single else np.float64))
    points = [tuple(array(x) for x in p) for p in maker.points(5)]
    batches = [
        tuple(array(np.stack(list(xs))) for xs in zip(*maker.points(LANES), strict=True))
        for _ in range(4)
    ]

    def itself(*x: Any) -> Any:
        return maker.program(while_loop, x[0], outside, *x[1:])

    def pushed(*x: Any) -> Any:
        return jvp(lambda *y: itself(x[0], *y), x[1:], x[1:])

    def scalar(limit: Any, *y: Any) -> Any:
        xp = array_namespace(*y)
        return sum(xp.sum(v) for v in itself(limit, *y)[1])

    def sequence(*x: Any) -> Any:
        def step(c: Any, u: Any) -> Any:
            limit, w, *start = u
            count, found = itself(limit, w + 0.1 * c, *start)
            return c * 0.5 + sum(array_namespace(w).sum(v) for v in found) * 0.01, (count, found)

        return scan(step, 0 * x[1][0, 0], x)

    def chosen(*x: Any) -> Any:
        return cond(x[1][0] > 0, itself, lambda *y: itself(y[0], *[v * 0.5 for v in y[1:]]), *x)

    slope = grad(scalar, tuple(range(1, 2 + len(maker.shapes))))
    ways: dict[str, tuple[Callable[..., Any], list[Value]]] = {
        "itself": (itself, points),
        "vmap": (vmap(itself), batches),
        "jvp": (pushed, points),
        "vmap of jvp": (vmap(pushed), batches),
        "jvp of vmap": (
            lambda *x: jvp(lambda *y: vmap(itself)(x[0], *y), x[1:], x[1:]),
            batches,
        ),
        "scan": (sequence, batches),
        "grad": (slope, points),
        "vmap of grad": (vmap(slope), batches),
        "vmap of cond": (vmap(chosen), batches),
    }
    told = {}
    for what, (fun, given) in ways.items():
        made = jit(fun)
        expected = [outcome(fun, args) for args in given]
        with compile_log() as log:
            for k in (0, 1, 2, 3, 0, 1, 2, 3):
                same(outcome(made, given[k]), expected[k], f"{what}, seed {seed}")
        told[what] = not any(one.reason.startswith("runs") for one in log)
    for p in points:  # Python's own loop, of the library's own arrays
        found = outcome(lambda *x: maker.program(python_loop, x[0], outside, *x[1:]), p)
        same(outcome(itself, p), found, f"Python's loop, seed {seed}")
    return told


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("library", "block"), PLACES)
def test_random_loops(library: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_program, "_TEXT_AFTER", 2)
    monkeypatch.setattr(_program, "_LEAST", 1)  # every dead array is written to
    monkeypatch.setattr(_loops, "LEAST", LANES)
    monkeypatch.setattr(_loops, "_FAILED", {})
    told = [check(seed, library) for seed in range(block * BLOCK, (block + 1) * BLOCK)]
    assert sum(t["itself"] for t in told) > BLOCK // 2
    assert sum(t["vmap"] for t in told) > BLOCK // 2
