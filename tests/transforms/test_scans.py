"""Scans whose step is followed at two points and replayed, under every transform."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import (
    array_namespace,
    cond,
    custom_jvp,
    custom_vjp,
    explain,
    fori_loop,
    grad,
    jit,
    jvp,
    missing,
    random,
    scan,
    signal,
    stop_gradient,
    vjp,
    vmap,
    while_loop,
)
from likewise.transforms import _loops, _scans
from likewise.transforms import map as mapped

from ._recordings.test_recording import same

N = 6


class Body:
    """A step that knows how often it was called."""

    def __init__(self, fun: Any) -> None:
        self.fun, self.calls = fun, 0

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        return self.fun(*args)


@pytest.fixture(autouse=True)
def _tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test keeps another from trying."""
    monkeypatch.setattr(_loops, "_FAILED", {})
    monkeypatch.setattr(_loops, "_PLAIN", 0)


def compare(monkeypatch: Any, fun: Any, *args: Any, calls: int = 3, exact: bool = True) -> None:
    """`fun(body, *args)`: the same bits with the step replayed, which is called a few times only."""
    steps = []
    for least in (4, 10**9):
        monkeypatch.setattr(_loops, "LEAST", least)
        steps.append(Body(fun.step))
        found = fun(steps[-1], *args)
        if least == 4:
            replayed = found
    if exact:
        same(replayed, found)
    else:  # sums of three and more are taken in another order
        pairs = zip(likewise.tree_leaves(replayed), likewise.tree_leaves(found), strict=True)
        for a, b in pairs:
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)
    assert steps[1].calls >= N
    if calls < 0:  # of a loop whose number of steps isn't known
        assert steps[0].calls <= -calls < 2 * N <= steps[1].calls
    else:
        assert steps[0].calls <= calls if calls < N else steps[0].calls >= N


def _step(c: Any, u: Any, w: Any) -> Any:
    xp = array_namespace(c, u, w)
    c = xp.tanh(c * w + u)
    return c, (c * u, {"sum": xp.sum(c)})


def total(step: Any, start: Any, us: Any, w: Any, reverse: bool = False) -> Any:
    xp = array_namespace(start, us, w)
    c, (ys, more) = scan(lambda c, u: step(c, u, w), start, us, reverse=reverse)
    return xp.sum(ys * c) + xp.sum(more["sum"] ** 2)


def _all(step: Any, *args: Any) -> Any:
    return scan(lambda c, u: step(c, u, args[2]), *args[:2])


every = (0, 1, 2)
WAYS = {
    "raw": _all,
    "reverse": lambda f, *a: total(f, *a, True),
    "grad": lambda f, *a: grad(lambda *x: total(f, *x), every)(*a),
    "grad, reverse": lambda f, *a: grad(lambda *x: total(f, *x, True), every)(*a),
    "grad of one": lambda f, s, u, w: grad(lambda s: total(f, s, u, w))(s),
    "grad of the closure": lambda f, s, u, w: grad(lambda w: total(f, s, u, w))(w),
    "vjp": lambda f, *a: (lambda pair: pair[1](pair[0]))(vjp(lambda *x: _all(f, *x), *a)),
    "jvp": lambda f, *a: jvp(lambda *x: total(f, *x), a, a),
    "jvp of all": lambda f, *a: jvp(lambda *x: _all(f, *x), a, a),
    "vmap": lambda f, *a: vmap(lambda *x: _all(f, *x), in_axes=(None, None, 0))(
        *a[:2], array_namespace(a[2]).stack([a[2], 2 * a[2]])
    ),
    "vmap of xs": lambda f, *a: vmap(lambda *x: _all(f, *x), in_axes=(None, 1, None))(
        a[0], array_namespace(a[1]).stack([a[1], 2 * a[1]], axis=1), a[2]
    ),
    "vmap of grad": lambda f, *a: vmap(
        grad(lambda *x: total(f, *x), every), in_axes=(0, None, None)
    )(array_namespace(a[0]).stack([a[0], 2 * a[0]]), *a[1:]),
}
NESTED = {
    "grad of grad": lambda f, *a: grad(
        lambda *x: array_namespace(*x).sum(grad(lambda *y: total(f, *y))(*x) ** 2), every
    )(*a),
    "jvp of grad": lambda f, *a: jvp(grad(lambda *x: total(f, *x), every), a, a),
    "grad of jvp": lambda f, *a: grad(
        lambda *x: jvp(lambda *y: total(f, *y), x, tuple(2 * y for y in x))[1], every
    )(*a),
    "grad of vmap": lambda f, *a: grad(
        lambda w: array_namespace(w).sum(vmap(lambda v: total(f, a[0], a[1], v))(w))
    )(array_namespace(a[2]).stack([a[2], 2 * a[2]])),
}


def _used_often(c: Any, u: Any, w: Any) -> Any:
    """The result is carried on, and everything is used several times."""
    xp = array_namespace(c, u, w)
    k = xp.sin(c * w) + u
    c = c + 0.1 * k * xp.cos(c + 0.5 * k * w) - u * w * c
    return c, (c, {"sum": c * u})


class Way:
    def __init__(self, way: Any, step: Any = _step) -> None:
        self.way, self.step = way, step

    def __call__(self, *args: Any) -> Any:
        return self.way(*args)


@pytest.fixture(params=["numpy", "strict"])
def arrays(request: Any) -> Any:
    rng = np.random.default_rng(0)
    shapes = (3,), (N, 3), (3,)
    return [likewise.asarray(rng.normal(size=s), namespace=request.param) for s in shapes]


@pytest.mark.parametrize("way", WAYS)
def test_the_same_bits(monkeypatch: pytest.MonkeyPatch, arrays: Any, way: str) -> None:
    compare(monkeypatch, Way(WAYS[way]), *arrays)


@pytest.mark.parametrize("way", NESTED)
def test_nested(monkeypatch: pytest.MonkeyPatch, arrays: Any, way: str) -> None:
    compare(monkeypatch, Way(NESTED[way]), *arrays)


def test_what_was_followed_is_followed_again(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    monkeypatch.setattr(_loops, "LEAST", 4)
    for _ in range(5):
        step = Body(_step)
        _all(step, *arrays)
        assert step.calls < N


def test_more_is_carried_than_comes_in(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    def run(f: Any, *args: Any) -> Any:
        return jvp(lambda s, u, w: scan(lambda c, v: f(c, v, w), (s, 2 * s), u), args, args)

    way = Way(run, lambda c, u, w: ((c[0] * w + u, c[1] * c[0]), c[1] - c[0]))
    compare(monkeypatch, way, *arrays)


@pytest.mark.parametrize("way", WAYS | NESTED)
def test_sums_of_many_terms(monkeypatch: pytest.MonkeyPatch, arrays: Any, way: str) -> None:
    """They are taken in the same order."""
    compare(monkeypatch, Way((WAYS | NESTED)[way], _used_often), *arrays)


@pytest.mark.parametrize("step", [_step, _used_often])
def test_in_a_recording(monkeypatch: pytest.MonkeyPatch, arrays: Any, step: Any) -> None:
    """A scan is one call of it, with a program of its own."""
    monkeypatch.setattr(_loops, "LEAST", 4)
    slope = grad(lambda *x: total(step, *x), every)
    made = jit(slope)
    for k in range(3):
        given = [a * (k + 1) for a in arrays]
        same(made(*given), slope(*given))
    text = str(explain(made, *arrays))
    assert f"{N} steps:" in text
    assert f"{N} steps, backwards:" in text
    assert text.count("cos(") in (0, 1 if step is _step else 2)
    calls = Body(step)
    made = jit(lambda *x: total(calls, *x))
    for _ in range(3):
        same(made(*arrays), total(step, *arrays))
    assert calls.calls == 2


def test_hidden_arrays_of_a_scan_in_a_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read at each call, and nobody keeps them."""
    monkeypatch.setattr(_loops, "LEAST", 4)
    box = [np.ones(3)]
    made = jit(lambda c, us: scan(lambda c, u: (c * box[0] + u, None), c, us)[0])
    c, us = np.ones(3), np.ones((N, 3))
    same(made(c, us), c * (N + 1))
    box[0][:] = 2.0
    same(made(c, us), c * (2.0 ** (N + 1) - 1))
    held = weakref.ref(box[0])
    box[0] = 3 * np.ones(3)
    gc.collect()
    assert held() is None
    same(made(c, us), scan(lambda c, u: (c * 3.0 + u, None), c, us)[0])


def test_scans_in_scans(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    def step(c: Any, u: Any, w: Any) -> Any:
        return scan(lambda d, v: (d * v + w, None), c, array_namespace(u).stack([u] * N))[0], (
            c,
            {"sum": array_namespace(c).sum(c)},
        )

    for way in ("raw", "grad", "jvp"):
        compare(monkeypatch, Way(WAYS[way], step), *arrays)


def test_map(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    way = Way(lambda f, s, u, w: grad(lambda u: array_namespace(u).sum(mapped(f, u)))(u))
    way.step = lambda u: array_namespace(u).sin(u) * u
    compare(monkeypatch, way, *arrays)


def _silent(i: Any, c: Any, w: Any) -> Any:
    try:
        return c * float(i // 4) + w
    except BaseException:
        return c


def _counted(f: Any, s: Any, u: Any, w: Any) -> Any:
    return fori_loop(2, N + 2, lambda i, c: f(i - 2, c, u, w), s)


def _summed(f: Any, *args: Any) -> Any:
    return array_namespace(*args).sum(_counted(f, *args) ** 2)


COUNTED = {
    "raw": _counted,
    "grad": lambda f, *a: grad(lambda *x: _summed(f, *x), every)(*a),
    "grad of grad": lambda f, *a: grad(
        lambda *x: array_namespace(*x).sum(grad(lambda *y: _summed(f, *y), 2)(*x) ** 2), every
    )(*a),
    "jvp": lambda f, *a: jvp(lambda *x: _counted(f, *x), a, a),
    "vmap": lambda f, *a: vmap(lambda w: _counted(f, a[0], a[1], w))(
        array_namespace(a[2]).stack([a[2], 2 * a[2]])
    ),
    "vmap of grad": lambda f, *a: vmap(lambda w: grad(lambda v: _summed(f, a[0], a[1], v))(w))(
        array_namespace(a[2]).stack([a[2], 2 * a[2]])
    ),
    "jit": lambda f, *a: jit(grad(lambda *x: _summed(f, *x), every))(*a),
}
BODIES = {
    "unused": lambda i, c, u, w: array_namespace(c).sin(c) * w,
    "arithmetic": lambda i, c, u, w: c * (i + 1) / (2 + i % 3) - (i // 4 - 0.5 * i) ** 2 * w,
    "an index": lambda i, c, u, w: missing.at(c)[i % 3].set(c[(i + 1) % 3] * 0.5 + c[0] * i),
    "added": lambda i, c, u, w: missing.at(c)[i % 3].add(c[i % 3 - 2] ** 2),
}


@pytest.mark.parametrize("way", COUNTED)
@pytest.mark.parametrize("body", BODIES)
def test_counters(monkeypatch: pytest.MonkeyPatch, arrays: Any, way: str, body: str) -> None:
    compare(monkeypatch, Way(COUNTED[way], BODIES[body]), *arrays)


def test_counters_in_an_array_from_outside(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    """Where a transform follows the array, too; nobody follows ``raw[i]``."""
    body = lambda i, c, u, w: c + w * u[i, ...] - u[i - 1, 0] * c  # noqa: E731
    for way in ("grad", "grad of grad", "jvp", "jit"):
        compare(monkeypatch, Way(COUNTED[way], body), *arrays)
    compare(monkeypatch, Way(COUNTED["raw"], body), *arrays, calls=N)


@pytest.mark.parametrize(
    "body",
    [
        lambda i, c, u, w: c + w if i == N - 1 else c * 2,
        lambda i, c, u, w: c * w[min(i, 2)],
        lambda i, c, u, w: c * [1.0, 2.0, 3.0][i // 2],
        lambda i, c, u, w: c[: 3 + 0 * i] * array_namespace(c).asarray([1.0] * (3 + 0 * i)),
        lambda i, c, u, w: c + float(isinstance(i, int)),
        lambda i, c, u, w: c + len(f"{i}"),
        lambda i, c, u, w: _silent(i, c, w),
    ],
)
def test_looks_at_counters(monkeypatch: pytest.MonkeyPatch, arrays: Any, body: Any) -> None:
    for way in ("raw", "grad"):
        compare(monkeypatch, Way(COUNTED[way], body), *arrays, calls=N)


WHILE = {
    "raw": lambda f, s, u, w: while_loop(
        lambda c: array_namespace(c[0]).sum(c[0]) < 99, lambda c: (f(c[0], w), c[1] + 1), (s, u)
    ),
    "grad": lambda f, *a: grad(
        lambda *x: array_namespace(*x).sum(WHILE["raw"](f, *x)[0] ** 2), every
    )(*a),
    "grad of grad": lambda f, *a: grad(
        lambda *x: array_namespace(*x).sum(WHILE["grad"](f, *x)[2] ** 2), (0, 2)
    )(*a),
    "jvp": lambda f, *a: jvp(lambda *x: WHILE["raw"](f, *x), a, a),
    "by arrays": lambda f, s, u, w: fori_loop(
        likewise.asarray(0, namespace=likewise.library(s)),
        likewise.asarray(2 * N, namespace=likewise.library(s)),
        lambda i, c: array_namespace(i, c).where(i < 5, f(c, w), c),
        s,
    ),
}


@pytest.mark.parametrize("way", WHILE)
def test_while_loop(monkeypatch: pytest.MonkeyPatch, arrays: Any, way: str) -> None:
    """After so many steps as are worth it."""
    step = lambda c, w: c + array_namespace(c).abs(w) * array_namespace(c).cos(c) + 1  # noqa: E731
    compare(monkeypatch, Way(WHILE[way], step), *arrays, calls=-7)


def test_while_loop_of_lanes_and_of_looks(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    def step(c: Any, w: Any) -> Any:
        return c + array_namespace(c).abs(w) + 1

    lanes = Way(
        lambda f, s, u, w: vmap(lambda w: WHILE["raw"](f, s, u, w))(
            array_namespace(w).stack([w, 2 * w])
        ),
        step,
    )
    compare(monkeypatch, lanes, *arrays, calls=N)

    def looks(c: Any, w: Any) -> Any:
        return c + 1 if c[0] > 0 else c + 2

    compare(monkeypatch, Way(WHILE["raw"], looks), *arrays, calls=N)


def test_numbers_and_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(c: Any, u: Any, w: Any) -> Any:
        x, n = c
        return (x * u + w, n + 1), (x, {"sum": n})

    x, us, w = np.asarray(1.5), np.arange(1.0, N + 1), np.asarray(2.0)

    def run(f: Any, x: Any, us: Any, w: Any) -> Any:
        return scan(lambda c, u: f(c, u, w), (x, np.asarray(0)), us)

    compare(monkeypatch, Way(run, step), x, us, w)
    slope = Way(lambda f, *a: grad(lambda *x: run(f, *x)[0][0], every)(*a), step)
    compare(monkeypatch, slope, x, us, w)


def test_rules_of_ones_own(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    @custom_vjp
    def double(x: Any) -> Any:
        return 2 * x

    double.defvjp(lambda x: (2 * x, x), lambda x, g: (7 * g * x,))

    @custom_jvp
    def triple(x: Any) -> Any:
        return 3 * x

    triple.defjvp(lambda x, t: (triple(*x), 5 * t[0] * x[0]))

    def step(c: Any, u: Any, w: Any) -> Any:
        c = array_namespace(c).tanh(double(c) + triple(u) + stop_gradient(w))
        return c, (c, {"sum": array_namespace(c).sum(c)})

    compare(monkeypatch, Way(WAYS["grad"], step), *arrays)

    def other(c: Any, u: Any, w: Any) -> Any:
        return triple(c) + u, (c * w, {"sum": array_namespace(c).sum(c)})

    compare(monkeypatch, Way(WAYS["jvp"], other), *arrays)


def test_public_functions_and_keys(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    def step(c: Any, u: Any, w: Any) -> Any:
        y = signal.convolve(c, u)[1:4] + missing.take(c, array_namespace(c).asarray([2, 1, 0]))
        return y / 10, (c, {"sum": array_namespace(c).sum(c)})

    compare(monkeypatch, Way(WAYS["raw"], step), *arrays)
    compare(monkeypatch, Way(WAYS["grad"], step), *arrays)
    keys = random.split(random.key(0, namespace=likewise.library(arrays[0])), N)

    def draw(c: Any, key: Any, w: Any) -> Any:
        return c + random.normal(key, (3,)), (c * w, {"sum": array_namespace(c).sum(c)})

    compare(monkeypatch, Way(WAYS["raw"], draw), arrays[0], keys, arrays[2])


@pytest.mark.needs("torch")
def test_loops_of_torch_run_as_they_are() -> None:
    """Torch records for itself: tensors that need a gradient have it, and nobody else follows."""
    import torch

    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    w = torch.tensor(0.99, dtype=torch.float64, requires_grad=True)
    step = Body(lambda c, u: (c * w + u, c))
    us = torch.zeros((200, 2), dtype=torch.float64)
    last, ys = scan(step, x, us)
    assert step.calls == 200
    assert ys.shape == (200, 2)
    last.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 0.99**200, rtol=1e-12)
    np.testing.assert_allclose(w.grad.item(), 3 * 200 * 0.99**199, rtol=1e-12)
    found = grad(lambda w: fori_loop(0, 200, lambda i, c: c * w + 0 * i, x.detach()).sum())(w)
    np.testing.assert_allclose(found.item(), 3 * 200 * 0.99**199, rtol=1e-12)


# -- what isn't replayed ---------------------------------------------------------------------------


def _looks(c: Any, u: Any, w: Any) -> Any:
    c = cond(array_namespace(c).sum(c) > 0, lambda c: c - u, lambda c: c * w + u, c)
    return c, (c, {"sum": array_namespace(c).sum(c)})


def _counting() -> Any:
    seen: list[int] = []

    def step(c: Any, u: Any, w: Any) -> Any:
        seen.append(1)
        return c * len(seen) + u, (c * w, {"sum": array_namespace(c).sum(c)})

    return step


def _catching(c: Any, u: Any, w: Any) -> Any:
    try:
        factor = 2.0 if c[0] > 0 else 3.0
    except BaseException:
        factor = 1.0
    return factor * u, (c * w, {"sum": array_namespace(c).sum(c)})


@pytest.mark.parametrize("way", ["raw", "grad", "jvp"])
@pytest.mark.parametrize("step", [_looks, _catching])
def test_looks_at_values(monkeypatch: pytest.MonkeyPatch, arrays: Any, way: str, step: Any) -> None:
    compare(monkeypatch, Way(WAYS[way], step), *arrays, calls=N, exact=way == "raw")


def test_a_step_that_changes_its_mind(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    monkeypatch.setattr(_loops, "LEAST", 4)
    step = Body(_counting())
    _all(step, *arrays)
    assert step.calls >= N


def test_errors_are_the_steps_own(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    monkeypatch.setattr(_loops, "LEAST", 4)

    def step(c: Any, u: Any, w: Any) -> Any:
        raise KeyError("mine")

    for way in ("raw", "grad"):
        with pytest.raises(KeyError, match="mine"):
            WAYS[way](step, *arrays)


def test_writing_outside(monkeypatch: pytest.MonkeyPatch, arrays: Any) -> None:
    """What the step does to an array from outside is done."""
    monkeypatch.setattr(_loops, "LEAST", 4)

    def loss(start: Any, us: Any) -> Any:
        kept = 0 * start

        def step(c: Any, u: Any) -> Any:
            kept[0] = c[0]
            return c + u, None

        return array_namespace(start).sum(scan(step, start, us)[0]) + kept[0]

    found = grad(loss)(*arrays[:2])
    np.testing.assert_allclose(np.asarray(found), [2.0, 1.0, 1.0])


def test_arrays_from_outside_that_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_loops, "LEAST", 4)
    start, us = np.ones(3), np.ones((N, 3))
    w = np.ones(3)

    def f() -> Any:
        return scan(lambda c, u: (c * w + u, None), start, us)[0]

    same(f(), np.ones(3) * (N + 1))
    w[:] = 2.0
    same(f(), np.ones(3) * (2 ** (N + 1) - 1.0))


def _written(size: int) -> Any:
    """A step that writes to an array, which it reads."""
    acc = np.zeros(size)

    def step(c: Any, u: Any) -> Any:
        acc[0] += 1.0
        return c + u * array_namespace(c, acc).sum(acc), c

    return step


@pytest.mark.parametrize("size", [1, 2**18])
def test_a_step_that_writes_to_what_it_reads(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(_loops, "LEAST", 4)
    x, us = np.zeros(2), np.ones(N)
    sums = np.cumsum(np.arange(N + 1.0))
    for reverse in (False, True):
        last, ys = scan(_written(size), x, us, reverse=reverse)
        same(last, x + sums[-1])
        same(ys[:, 0], sums[:-1][:: -1 if reverse else 1])
    step = _written(size)
    same(fori_loop(0, N, lambda i, c: step(c, 1.0)[0], x), x + sums[-1])
    step = _written(size)
    same(mapped(lambda u: step(0 * u, u)[0], us), np.arange(1.0, N + 1))
    step, test = _written(size), Body(lambda c: array_namespace(c).all(c < sums[-1]))
    same(while_loop(test, lambda c: step(c, 1.0)[0], x), x + sums[-1])


def test_a_while_loop_that_writes_to_what_its_test_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_loops, "LEAST", 4)
    acc = np.zeros(())

    def body(c: Any) -> Any:
        acc[...] += 1.0
        return c * 1.5

    def test(c: Any) -> Any:
        return array_namespace(c, acc).less(acc + 0 * c, 20.0)

    assert while_loop(test, body, np.ones(1)[0, ...]) == 1.5**20
    assert acc == 20.0


def test_a_step_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where two steps have been followed in vain."""
    monkeypatch.setattr(_loops, "LEAST", 4)
    x, us = np.zeros(2), np.ones(N)

    def drawing() -> Any:
        drawn = iter(range(1, N + 1))  # not one more
        return lambda c, u=1.0: (c + u * next(drawn), c)

    same(scan(drawing(), x, us)[0], x + 21)
    step = drawing()
    same(fori_loop(0, N, lambda i, c: step(c)[0], x), x + 21)
    step = drawing()
    same(mapped(lambda u: step(0 * u, u)[0], us), np.arange(1.0, N + 1))
    for end in range(1, N + 1):
        calls = Body(drawing())

        def test(c: Any, end: int = end) -> Any:
            return array_namespace(c).all(c < end * (end + 1) // 2)

        def count(_: Any, calls: Body = calls, end: int = end) -> bool:
            return calls.calls < end

        same(while_loop(count, lambda c, calls=calls: calls(c)[0], x), x + end * (end + 1) // 2)
        step = drawing()
        same(while_loop(test, lambda c, step=step: step(c)[0], x), x + end * (end + 1) // 2)


def test_a_step_is_taken_once_in_transforms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where two steps have been followed in vain."""
    monkeypatch.setattr(_loops, "LEAST", 4)
    x, us = np.ones(2), np.arange(1.0, N + 1)

    def loops(x: Any) -> Any:
        made = [Body(drawing()) for _ in range(3)]
        first = scan(lambda c, u: (made[0](c, u), c), x, us)
        second = fori_loop(0, N, lambda i, c: made[1](c, i), x)

        def body(v: Any) -> Any:
            return made[2](v[0], v[1]), v[1] + 1

        third = while_loop(lambda v: v[1] < N, body, (x, np.asarray(0)))
        assert [m.calls for m in made] == [N] * 3
        return first, second, third[0]

    def drawing() -> Any:
        drawn = iter(range(1, N + 1))
        return lambda c, u: c * (1 + u / next(drawn))

    expected = loops(x)
    same(jvp(loops, (x,), (x,))[0], expected)
    same(vmap(loops)(np.stack([x, x])), vmap(loops)(np.stack([x, x])))
    slope = vjp(loops, x)[1](expected)
    monkeypatch.setattr(_loops, "LEAST", 10 * N)
    same(vjp(loops, x)[1](expected), slope)


def test_a_step_is_taken_once_in_recordings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was followed in vain is noted as if it had been followed step by step."""
    monkeypatch.setattr(_loops, "LEAST", 4)
    x, us, outside = np.ones(2), np.arange(1.0, N + 1), np.asarray([0.5, 2.0])

    def drawing() -> Any:
        drawn = iter(range(1, N + 1))  # not one more

        def step(c: Any, u: Any) -> Any:
            xp = array_namespace(c * u)
            some = missing.ravel_multi_index((xp.asarray([1]),), (2,))
            ones = xp.zeros(2) + xp.sum(xp.asarray(outside)) + xp.take(c, some, axis=0)
            return c * (1 + u / next(drawn)) + ones

        return step

    def loops(x: Any) -> Any:
        made = [Body(drawing()) for _ in range(4)]
        first = scan(lambda c, u: (made[0](c, u), c), x, us, reverse=True)
        second = fori_loop(0, N, lambda i, c: made[1](c, i), x)
        third = mapped(lambda u: made[2](x, u), us)
        body = lambda v: (made[3](v[0], 1.0), v[1] + 1)  # noqa: E731
        fourth = while_loop(lambda v: made[3].calls < N, body, (x, x))
        assert [m.calls for m in made] == [N] * 4
        return first, second, third, fourth

    def total(x: Any) -> Any:
        return array_namespace(x).sum(loops(x)[0][0])

    for fun in (
        loops,
        grad(total),
        lambda x: jvp(loops, (x,), (x,)),
        lambda x: vmap(total)(x[None]),
    ):
        made = jit(fun)
        for point in (x, 2 * x, x):
            same(made(point), fun(point))
            outside += 1
        assert explain(made, x).program


def test_long_steps_are_replayed_in_long_loops_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no transform follows: a short one at once, a long one when there are more steps."""
    monkeypatch.setattr(_loops, "_PLAIN", 25)
    monkeypatch.setattr(_loops, "_CALLS", {})
    called = [0]

    def short(c: Any, _: Any) -> Any:
        called[0] += 1
        return c * 0.5, None

    def long(c: Any, _: Any) -> Any:
        called[0] += 1
        for _ in range(10):
            c = c * 0.5
        return c, None

    def calls(step: Any, n: int) -> int:
        called[0] = 0
        scan(step, np.ones(2), length=n)
        return called[0]

    assert [calls(short, n) for n in (127, 130, 130)] == [127, 2, 2]
    # How long it is is known when it was followed once.
    assert [calls(long, n) for n in (127, 249, 249, 250)] == [127, 2, 249, 2]
    assert jit(lambda c: scan(long, c, length=249)[0])(np.ones(2)) is not None


@pytest.mark.parametrize("least", [4, 10**9])
def test_gradients_of_writes_to_an_array_of_the_transform(
    monkeypatch: pytest.MonkeyPatch, least: int
) -> None:
    """Each step sees what the last one wrote; NumPy's own array says that it can't be followed."""
    monkeypatch.setattr(_loops, "LEAST", least)
    x, us = np.asarray([0.1, 0.2, 0.3]), np.linspace(0.5, 1.5, N)

    def total(x: Any, made: Any = None) -> Any:
        xp = array_namespace(x)
        buffer = xp.zeros(3) if made is None else made

        def step(c: Any, u: Any) -> Any:
            buffer[0] = c[0] * u + buffer[0]
            return c * 0.9 + buffer, None

        last = scan(step, x, us)[0]
        return xp.sum(last * last) + xp.sum(buffer)

    tangent = np.asarray([0.3, -0.5, 0.7])
    h = 1e-6
    expected = (total(x + h * tangent) - total(x - h * tangent)) / (2 * h)
    for way in (grad(total), jit(grad(total))):
        np.testing.assert_allclose(np.sum(way(x) * tangent), expected, rtol=1e-8)
    np.testing.assert_allclose(jvp(total, (x,), (tangent,))[1], expected, rtol=1e-8)
    with pytest.raises((TypeError, ValueError)) as found:
        grad(lambda x: total(x, np.zeros(3)))(x)
    text = "\n".join([str(found.value), *getattr(found.value, "__notes__", ())])
    assert "can't be followed" in text
    assert "test_scans.py" in text


# -- steps that calls share ------------------------------------------------------------------------


def _shared_step(c: Any, u: Any, w: Any) -> Any:
    xp = array_namespace(c, u)
    c = xp.tanh(c * xp.mean(w) + xp.sum(u) - xp.mean(c)) * 0.9
    return c, c * u


def test_calls_under_other_transforms_with_the_same_step(
    monkeypatch: pytest.MonkeyPatch, arrays: Any
) -> None:
    """The same calls on arrays of the same shapes, of which others are lanes, move or vary."""
    monkeypatch.setattr(_scans, "_STEPS", _scans.Cache(64))

    def total(c: Any, us: Any, w: Any) -> Any:
        xp = array_namespace(c)
        last, ys = scan(lambda c, u: _shared_step(c, u, w), c, us)
        return xp.sum(last) + xp.sum(ys * ys)

    ways: list[Any] = [
        lambda f, *a: f(*a),
        lambda f, *a: grad(f, (0, 1, 2))(*a),
        lambda f, *a: grad(f)(*a),
        lambda f, *a: grad(f, 2)(*a),
        lambda f, *a: jvp(f, a, a),
        lambda f, *a: jvp(lambda c: f(c, *a[1:]), a[:1], a[:1]),
        lambda f, *a: vmap(f, in_axes=(0, None, None))(*a),
        lambda f, *a: vmap(f, in_axes=(0, 1, 0))(*a),
        lambda f, *a: vmap(grad(f), in_axes=(0, None, 0))(*a),
        lambda f, *a: grad(lambda c: array_namespace(c).sum(vmap(lambda d: f(d, *a[1:]))(c)))(a[0]),
        lambda f, *a: jvp(grad(f), a, a),
        lambda f, *a: grad(lambda *b: array_namespace(b[0]).sum(grad(f)(*b)), 2)(*a),
        lambda f, *a: vmap(lambda c: jvp(lambda d: f(d, *a[1:]), (c,), (c,)))(a[0]),
    ]
    rng, xp = np.random.default_rng(8), array_namespace(*arrays)
    shapes = [((3, n), (N, 3, n), (3, n)) for n in (3, 3, 3, 2, 2)]
    given = [[xp.asarray(rng.normal(size=s)) for s in some] for some in shapes]
    order = [(way, args) for way in ways for args in given]
    for k in rng.permutation(len(order)):
        way, args = order[k]
        monkeypatch.setattr(_loops, "LEAST", 4)
        found = way(total, *args)
        monkeypatch.setattr(_loops, "LEAST", 10**9)
        same(found, way(total, *args))
    assert 0 < len(_scans._STEPS) <= 64


def test_steps_that_are_shared_hold_no_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_loops, "LEAST", 4)
    monkeypatch.setattr(_scans, "_STEPS", _scans.Cache(64))
    refs = []

    def call(way: Any) -> list[Any]:
        w, us, c = np.full((2, 300), 0.3), np.ones((N, 2, 300)), np.zeros((2, 300))

        def total(c: Any) -> Any:
            xp = array_namespace(c)
            return xp.sum(scan(lambda c, u: _shared_step(c, u, xp.sin(w)), c, us)[0])

        way(total)(c)
        return [weakref.ref(a) for a in (w, us, c)]

    for way in (grad, lambda f: lambda x: jvp(f, (x,), (x,)), lambda f: lambda x: f(x)):
        refs += [*call(way), *call(way)]
    gc.collect()
    assert [ref() for ref in refs] == [None] * len(refs)
    assert len(_scans._STEPS) >= 2


def test_the_users_calls_are_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their closures differ, and may hold arrays."""
    monkeypatch.setattr(_loops, "LEAST", 4)
    monkeypatch.setattr(_scans, "_STEPS", _scans.Cache(64))
    for factor in (2.0, 3.0):
        own = custom_jvp(lambda x: x * 1.0)
        own.defjvp(lambda p, t, k=factor: (p[0] * 1.0, t[0] * k))

        def total(c: Any, own: Any = own) -> Any:
            return array_namespace(c).sum(scan(lambda c, u: (own(c), None), c, length=N)[0])

        slope = grad(total)
        np.testing.assert_allclose(slope(np.ones(2)), factor**N)
    assert len(_scans._STEPS) == 0
