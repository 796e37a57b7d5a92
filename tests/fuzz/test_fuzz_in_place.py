"""Random programs that write to their arrays, under nested transforms, against a complex step.

The program runs on complex arrays of NumPy's, which it writes to: its derivatives are the imaginary
parts of what an imaginary step gives, to rounding.
"""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace
from likewise.transforms import grad, jacfwd, jacrev, jit, jvp, vmap
from likewise.transforms._following._interpreter import interpreted

BLOCK = 25  # programs in one test
CASES = {"numpy": 1500, "strict": 300, "torch": 300}  # torch interpreted: its vmap refuses most
QUICK = {"numpy": 1, "strict": 1}
PLACES = [
    pytest.param(
        name,
        block,
        marks=[
            *([pytest.mark.needs("torch")] if name == "torch" else []),
            *([] if block < QUICK.get(name, 0) else [pytest.mark.full]),
        ],
    )
    for name, count in CASES.items()
    for block in range(count // BLOCK)
]
N = 3
LANES = 2
INDICES: list[Any] = [0, 1, -1, slice(1, None), slice(None, 2), slice(None)]
Program = list[tuple[Any, ...]]


def made(rng: np.random.Generator) -> Program:
    """Statements on numbered arrays: 0 is x, 1 is y, 2 a constant; others are made on the way."""
    program: Program = []
    count = 3

    def pick(least: int = 0) -> int:
        return int(rng.integers(least, count))

    for _ in range(int(rng.integers(3, 9))):
        kind = rng.choice(["new", "new", "fresh", "set", "augmented", "element", "whole"])
        if count == 3:
            kind = "new"
        if kind == "new":
            program.append(("new", str(rng.choice(["*", "+", "-", "sin"])), pick(), pick()))
            count += 1
        elif kind == "fresh":
            program.append(("fresh",))
            count += 1
        else:
            index = INDICES[rng.integers(3 if kind == "element" else len(INDICES))]
            other = INDICES[rng.integers(3)]
            sign = str(rng.choice(["*", "+", "-"]))
            program.append((kind, sign, pick(3), index, pick(), other, pick()))
    return program


def combined(sign: str, a: Any, b: Any) -> Any:
    return a * b if sign == "*" else a + b if sign == "+" else a - b


def run(program: Program, x: Any, y: Any, constant: Any) -> Any:
    """The sum of all arrays that the program has made."""
    xp = array_namespace(x)
    arrays = [x, y, xp.asarray(constant)]
    for kind, *rest in program:
        if kind == "new":
            sign, i, j = rest
            a, b = arrays[i], arrays[j]
            arrays.append(xp.sin(a) * 0.5 + b * 1.0 if sign == "sin" else combined(sign, a, b))
            continue
        if kind == "fresh":
            arrays.append(xp.zeros_like(x))
            continue
        sign, i, index, j, other, k = rest
        z = arrays[i]
        if kind == "set":
            z[index] = arrays[j][other]
        elif kind == "element":
            z[index] = combined(sign, arrays[j][other] * 1.0, arrays[k][other])
        elif kind == "augmented":
            part = arrays[j] * 1.0
            if sign == "*":
                z[index] *= part[index]
            elif sign == "+":
                z[index] += part[index]
            else:
                z[index] -= part[index]
        elif sign == "*":
            z *= arrays[j] * 1.0
        elif sign == "+":
            z += arrays[j] * 1.0
        else:
            z -= arrays[j] * 1.0
    total: Any = 0.0
    for number, z in enumerate(arrays[3:]):
        total = total + xp.sum(z) * (1 + 0.3 * number)
    return total


def slopes(program: Program, x: Any, y: Any, constant: Any) -> Any:
    """Derivatives by x, by an imaginary step."""
    out = np.empty(N)
    for k in range(N):
        moved = x.astype(complex)
        moved[k] += 1e-30j
        out[k] = run(program, moved, y.astype(complex), constant.astype(complex)).imag / 1e-30
    return out


def check(seed: int, library: str) -> None:
    rng = np.random.default_rng([seed, 7])
    program = made(rng)
    xs, ys = 0.9 * rng.uniform(-1, 1, (2, LANES, N))
    constant = 0.9 * rng.uniform(-1, 1, N)
    directions = rng.normal(size=(LANES, N))
    expected = np.stack([slopes(program, x, y, constant) for x, y in zip(xs, ys, strict=True)])
    along = (expected * directions).sum(1)
    values = np.asarray([run(program, x, y, constant) for x, y in zip(xs, ys, strict=True)])
    (xa, ya, ca, da) = (
        likewise.asarray(a, namespace=library) for a in (xs, ys, constant, directions)
    )

    def f(x: Any, y: Any) -> Any:
        return run(program, x, y, ca)

    def forth(x: Any, y: Any, v: Any) -> Any:
        return jvp(lambda x: f(x, y), (x,), (v,))[1]

    def second(x: Any, y: Any, v: Any) -> Any:
        return grad(lambda s: f(x + s * v, y))(array_namespace(x).asarray(0.0, dtype=x.dtype))

    def mixed(x: Any, y: Any, v: Any) -> Any:
        return jvp(lambda y: grad(f)(x, y), (y,), (v,))[1]

    def sums(x: Any, y: Any) -> Any:
        return array_namespace(x).sum(vmap(f)(x, y))

    ways: dict[str, tuple[Callable[..., Any], Any]] = {
        "vmap": (lambda: vmap(f)(xa, ya), values),
        "grad": (lambda: grad(f)(xa[0, :], ya[0, :]), expected[0]),
        "vmap of grad": (lambda: vmap(grad(f))(xa, ya), expected),
        "grad of vmap": (lambda: grad(sums)(xa, ya), expected),
        "vmap of jvp": (lambda: vmap(forth)(xa, ya, da), along),
        "vmap of grad of a closure": (lambda: vmap(second)(xa, ya, da), along),
        "jvp of grad": (
            lambda: mixed(xa[0, :], ya[0, :], da[0, :]),
            lambda: vmap(mixed)(xa, ya, da)[0, :],
        ),
        "jacobians of grad": (
            lambda: jacfwd(grad(f))(xa[0, :], ya[0, :]),
            lambda: vmap(jacrev(grad(f)))(xa, ya)[0, ...],
        ),
    }
    if library != "torch":
        ways["jit of vmap of grad"] = lambda: jit(vmap(grad(f)))(xa, ya), expected
        ways["vmap of jit of grad"] = lambda: vmap(jit(grad(f)))(xa, ya), expected
    for name, (way, answer) in ways.items():
        got = likewise.to_numpy(way())
        known = likewise.to_numpy(answer()) if callable(answer) else answer
        np.testing.assert_allclose(got, known, 1e-9, 1e-11, err_msg=f"{seed} {name} {program}")
    for a, b in ((xa, xs), (ya, ys), (ca, constant)):
        np.testing.assert_array_equal(likewise.to_numpy(a), b)


@pytest.mark.parametrize(("name", "block"), PLACES)
def test_as_a_complex_step(name: str, block: int) -> None:
    with interpreted() if name == "torch" else contextlib.nullcontext():
        for seed in range(block * BLOCK, (block + 1) * BLOCK):
            check(seed, name)
