"""Fingerprints: equal for equal functions in any process, different where results would differ."""

import functools
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.chunks._fingerprint import digest, fingerprint
from likewise.signal import sosfilt

SCALE = 2.0


def helper(x: Any) -> Any:
    return x + 1


def through(x: Any) -> Any:
    return SCALE * helper(x)


class Model:
    def __init__(self, k: float) -> None:
        self.k = k

    def fit(self, x: Any) -> Any:
        return self.k * x


def of(fun: Any) -> str:
    return fingerprint(fun)[0]


def closing(value: Any) -> Any:
    return lambda x: x * value


def test_equal_functions() -> None:
    assert of(closing(2.0)) == of(closing(2.0))
    assert of(closing(np.ones(3))) == of(closing(np.ones(3)))
    assert of(functools.partial(sosfilt, np.ones((1, 6)))) == of(
        functools.partial(sosfilt, np.ones((1, 6)))
    )
    assert of(Model(1.0).fit) == of(Model(1.0).fit)
    assert of(likewise.jit(helper)) == of(likewise.jit(helper))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: x + 1, lambda x: x + 2),
        (lambda x: x + 1, lambda x: x - 1),
        (lambda x, a=1: x + a, lambda x, a=2: x + a),
        (lambda x, *, a=1: x + a, lambda x, *, a=2: x + a),
        (lambda x: np.sin(x), lambda x: np.cos(x)),
        (lambda x: (lambda: 1)() + x, lambda x: (lambda: 2)() + x),
        (closing(1.0), closing(1)),
        (closing(np.ones(3)), closing(np.zeros(3))),
        (closing([1, {"a": 2}]), closing([1, {"a": 3}])),
        (Model(1.0).fit, Model(2.0).fit),
        (functools.partial(sosfilt, axis=0), functools.partial(sosfilt, axis=1)),
        (likewise.jit(lambda x: x + 1), likewise.jit(lambda x: x + 2)),
        (likewise.vmap(lambda x: x + 1), likewise.vmap(lambda x: x + 2)),
        (likewise.vmap(helper, in_axes=0), likewise.vmap(helper, in_axes=1)),
        (np.sin, np.cos),
    ],
)
def test_other_functions(one: Any, other: Any) -> None:
    assert of(one) != of(other)


def test_what_a_function_calls_and_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    first = of(through)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    second = of(through)
    monkeypatch.setitem(globals(), "helper", lambda x: x + 5)
    assert len({first, second, of(through)}) == 3


def test_what_is_not_seen_is_named() -> None:
    rng = np.random.default_rng(0)
    assert fingerprint(closing(rng))[1] == ["an object of numpy.random._generator.Generator"]
    assert fingerprint(lambda x: pytest.approx(x))[1] == ["pytest"]
    assert fingerprint(through)[1] == []


def test_recursion_and_circles() -> None:
    def again(x: Any) -> Any:
        return again(x - 1) if x > 0 else x

    circle: list[Any] = []
    circle.append(circle)
    assert of(again) and of(closing(circle)) == of(closing(circle))


def test_other_processes() -> None:
    """Where strings have other hashes."""
    code = (
        "import functools, numpy as np\n"
        "from likewise.chunks._fingerprint import digest, fingerprint\n"
        "def f(x): return x in {'a', 'b', 'c', 'd'} and np.sin(x)\n"
        "print(fingerprint(f), digest({'a': np.ones(3), 'b': {'x', 'y'}}))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


@pytest.mark.needs("torch")
def test_networks() -> None:
    """By their parameters."""
    import torch

    net = torch.nn.Linear(3, 2)
    first = of(net)
    assert of(net) == first
    with torch.no_grad():
        net.bias += 1
    assert of(net) != first
    assert digest(torch.ones(3)) != digest(np.ones(3))
