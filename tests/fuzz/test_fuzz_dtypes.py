"""Programs that mix dtypes, arrays and numbers: no transform changes a result's dtype."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, to_numpy
from likewise.errors import LikewiseError
from likewise.transforms import jacfwd, jacrev, jit, jvp, scan, value_and_grad, vmap

BLOCK = 100  # programs in one test
CASES = {"numpy": 3000, "strict": 600, "torch": 600, "jax": 100}
QUICK = {"numpy": 1, "strict": 1}
PLACES = [
    pytest.param(
        name,
        block,
        marks=[
            *([pytest.mark.needs(name)] if name not in QUICK else []),
            *([] if block < QUICK.get(name, 0) else [pytest.mark.full]),
        ],
    )
    for name, count in CASES.items()
    for block in range(count // BLOCK)
]
DTYPES = "float32 float64 int32 int64 complex64 bool".split()
FLOATS = ["float32", "float64"]
UNARY = (
    "sin exp sqrt abs square negative sum mean max cumulative_sum floor real sign expand".split()
)
BINARY = "add subtract multiply divide pow maximum minimum where arctan2 concat dot".split()
SCALARS: list[Any] = [
    2, 0.5, True, 1 + 1j, np.float32(1.5), np.float64(1.5), np.int32(2), np.int64(2), np.bool_(True),
    np.complex64(1 + 1j), np.float16(0.5),
]  # fmt: skip
Program = list[tuple[Any, ...]]


def made(
    rng: np.random.Generator, scalars: list[Any], kinds: list[str]
) -> tuple[Program, list[Any]]:
    """Steps on numbered values; and values beside the arguments: arrays, 0-d arrays, scalars."""
    constants: list[Any] = []
    for _ in range(int(rng.integers(0, 3))):
        kind = rng.integers(3)
        if kind == 0:
            constants.append(scalars[rng.integers(len(scalars))])
        else:
            dtype = str(rng.choice(kinds))
            values = rng.uniform(0.3, 2.0, (3,) if kind == 1 else ())
            constants.append(np.asarray(values).astype(dtype))
    steps: Program = []
    count = 2 + len(constants)
    for _ in range(int(rng.integers(1, 6))):
        if rng.random() < 0.4:
            steps.append((str(rng.choice(UNARY)), int(rng.integers(count))))
        else:
            i, j = (int(k) for k in rng.integers(count, size=2))
            steps.append((str(rng.choice(BINARY)), i, j))
        count += 1
    return steps, constants


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "negative": lambda a, _: -a,
    "abs": lambda a, _: abs(a),
    "square": lambda a, _: a * a,
}


class Unfit(Exception):
    """Says that a function wants an array, and is given a number."""


def run(library: str, program: Program, xp: Any, values: list[Any]) -> list[Any]:
    """All arrays that the steps make."""
    values = list(values)
    made = []
    for name, i, *more in program:
        a = values[i]
        b = values[more[0]] if more else None
        if name in OPERATORS:
            out = OPERATORS[name](a, b)
        else:
            out = called(library, name, xp, a, b)
        values.append(out)
        if hasattr(out, "dtype"):
            made.append(out)
    return made


def called(library: str, name: str, xp: Any, a: Any, b: Any) -> Any:
    for one in (a, b):
        foreign = isinstance(one, np.generic) and library != "numpy"  # a number, to others
        if one is not None and (foreign or not hasattr(one, "dtype")):
            raise Unfit
    if name == "cumulative_sum" and not a.ndim:
        raise Unfit
    if name == "where":
        return xp.where(a > b, a, b)
    if name == "concat":
        return xp.concat([xp.reshape(a, (-1,)), xp.reshape(b, (-1,))])
    if name == "dot":
        return xp.sum(a * b)
    if name == "expand":
        return a[None, ...]
    if name == "arctan2":
        return xp.atan2(a, b)
    return getattr(xp, name)(a) if b is None else getattr(xp, name)(a, b)


def dtypes(outputs: list[Any]) -> list[str]:
    return [str(to_numpy(x).dtype) for x in outputs]


def check(seed: int, library: str, compiled: bool = True) -> bool:
    """Compare dtypes; False if the library doesn't run the program."""
    rng = np.random.default_rng([seed, 28])
    strict = library == "strict"
    scalars = SCALARS[:4] if strict or library == "jax" else SCALARS
    # torch's own derivatives of powers and angles of bools are errors.
    among = DTYPES[:-1] if library == "torch" else DTYPES
    program, beside = made(rng, scalars, among)
    shapes = [(3,) if rng.random() < 0.7 else () for _ in range(2)]
    kinds = [str(rng.choice(FLOATS)), str(rng.choice(among))]
    lanes = [
        rng.uniform(0.3, 2.0, (2, *shape)).astype(kind)
        for shape, kind in zip(shapes, kinds, strict=True)
    ]

    def own(x: Any) -> Any:
        return likewise.asarray(x, namespace=library) if type(x) is np.ndarray else x

    constants = [own(x) for x in beside]
    xs, ys = (own(x) for x in lanes)
    x, y = xs[0, ...], ys[0, ...]
    if library == "numpy":
        x, y = np.asarray(x), np.asarray(y)
    x0 = x

    def f(x: Any, y: Any) -> list[Any]:
        xp = array_namespace(x)
        arrays = [xp.asarray(c) if type(c) is type(x0) else c for c in constants]
        out = run(library, program, xp, [x, xp.asarray(y), *arrays])
        return [z for z in out if library == "numpy" or type(z).__module__ != "numpy"]

    with np.errstate(all="ignore"):
        try:
            outputs = f(x, y)
        except (Unfit, TypeError, ValueError, RuntimeError, LikewiseError):
            return False
    expected = dtypes(outputs)
    floating = [k for k, d in enumerate(expected) if d in FLOATS]
    if not floating:
        return False
    last = floating[-1]

    def scalar(x: Any) -> Any:
        return array_namespace(x).sum(f(x, y)[last])

    def stepped(xs: Any, y: Any) -> Any:
        return scan(lambda c, x: (c, tuple(f(x, y))), x * 0, xs)[1]

    ways: dict[str, Callable[[], Any]] = {
        "vmap": lambda: vmap(f)(xs, ys),
        "vmap of one": lambda: vmap(f, in_axes=(0, None))(xs, y),
        "scan": lambda: stepped(xs, y),
    }
    if compiled:
        followed, mapped, scanned = jit(f), jit(vmap(f)), jit(stepped)
        ways |= {
            "jit": lambda: followed(x, y),
            "jit again": lambda: followed(x, y),
            "jit of other values": lambda: followed(xs[1, ...], ys[1, ...]),
            "jit of vmap": lambda: mapped(xs, ys),
            "jit of vmap again": lambda: mapped(xs, ys),
            "vmap of jit": lambda: vmap(followed)(xs, ys),
            "jit of scan": lambda: scanned(xs, y),
            "jit of scan again": lambda: scanned(xs, y),
        }
    with np.errstate(all="ignore"):
        for name, way in ways.items():
            assert dtypes(way()) == expected, (seed, name, dtypes(way()), expected, program, beside)
        value, slope = value_and_grad(scalar)(x)
        assert dtypes([value, slope]) == dtypes([scalar(x), x]), (seed, "grad", program, beside)
        out, along = jvp(scalar, (x,), (x,))
        assert dtypes([out, along]) == 2 * dtypes([scalar(x)]), (seed, "jvp", program, beside)
        both = dtypes([jacfwd(scalar)(x), jacrev(scalar)(x)])
        assert both == dtypes([scalar(x), x]), (seed, "jacobians", both, program, beside)
    return True


@pytest.mark.parametrize(("name", "block"), PLACES)
def test_no_transform_changes_a_dtype(name: str, block: int) -> None:
    seeds = range(block * BLOCK, (block + 1) * BLOCK)
    # torch's compiler takes seconds for a program.
    ran = [check(k, name, name != "torch" or k % 100 == 7) for k in seeds]
    assert sum(ran) > BLOCK // 10
