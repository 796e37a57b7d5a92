"""Large arrays within replays, whose memory the next replay gets."""

import threading
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace, grad, jit, missing
from likewise.transforms._recordings import _buffers, _program

from .test_recording import same

SIZES = 1, 7, 64


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """All arrays are large, the first replay is compiled, and nothing is kept from other tests."""
    monkeypatch.setattr(_program, "LEAST", 1)
    monkeypatch.setattr(_program, "_LEAST", 1)
    monkeypatch.setattr(_program, "_TEXT_AFTER", 1)
    monkeypatch.setattr(_buffers, "_free", type(_buffers._free)())
    monkeypatch.setattr(_buffers, "_bytes", 0)


def six(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.sum(xp.sin(x) * xp.exp(-(x * x)))


def several(x: Any) -> Any:
    """Results that are temporaries of others, views, and an argument."""
    xp = array_namespace(x)
    a = xp.sin(x) * 2
    b = xp.exp(a) - x
    c = missing.at(b + 1)[:1].set(a[:1])
    return a, b[1:], c, xp.sqrt(xp.abs(a * b)) + c, x, {"t": (a + b)[None, :], "s": xp.sum(a / c)}


@pytest.mark.parametrize("fun", [grad(six), several])
def test_results_of_other_calls_stay(fun: Any) -> None:
    made, kept = jit(fun), []
    for k in range(40):
        x = np.random.default_rng(k).normal(size=SIZES[k % 3])
        kept.append((x.copy(), made(x)))
    assert _buffers.held() > 0
    for x, found in kept:
        same(found, fun(x))


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_buffers, "KEPT", 4000)
    made = jit(grad(six))
    for n in (*range(1, 60), 10, 400, 5000, 7, 8):
        for _ in range(3):
            x = np.full(n, 0.3)
            same(made(x), grad(six)(x))
        assert 0 <= _buffers.held() <= 4000
        assert _buffers.held() == sum(x.nbytes for free in _buffers._free.values() for x in free)
    assert _buffers.held() > 0
    assert len(_buffers._free) < 60


def test_an_error_in_a_replay() -> None:
    made = jit(lambda x: 1 / (array_namespace(x).sin(x) * x) + x * x)
    good, bad = np.linspace(1, 2, 9), np.zeros(9)
    with np.errstate(all="raise"):
        expected = made(good)
        made(good)
        for _ in range(3):
            with pytest.raises(FloatingPointError):
                made(bad)
            same(made(good), expected)


def test_threads_have_their_own() -> None:
    made, wrong = jit(grad(six)), []

    def work(seed: int) -> None:
        x = np.random.default_rng(seed).normal(size=5000)
        expected = grad(six)(x)
        for _ in range(100):
            if made(x).tobytes() != expected.tobytes():
                wrong.append(seed)

    made(np.zeros(5000))
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    held = sum(x.nbytes for free in _buffers._free.values() for x in free)
    assert _buffers.held() == held
