"""A `while_loop` in a recording: one call, which takes as many steps as its test says, by lane."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise import (
    array_namespace,
    cond,
    explain,
    fori_loop,
    grad,
    jit,
    jvp,
    missing,
    scan,
    stop_gradient,
    vmap,
    while_loop,
)
from likewise.transforms import _loops, compile_log

from ._recordings.test_recording import Counted, same

STARTS = [[1.0, 2.0], [30.0, 2.0], [0.1, -2.0], [70.0, 80.0]]  # the last takes no step


@pytest.fixture(
    params=["numpy", pytest.param("strict", marks=pytest.mark.needs("array_api_strict"))]
)
def array(request: Any) -> Any:
    return lambda x: likewise.asarray(np.asarray(x), namespace=request.param)


def grown(x: Any, bound: Any = 99.0) -> Any:
    """As many steps as the values ask for."""
    xp = array_namespace(x, bound)
    x = xp.asarray(x)
    return while_loop(
        lambda v: (xp.sum(v[0]) < bound) & (v[1] < 40),
        lambda v: (v[0] * 1.5 + xp.sin(v[0]), v[1] + 1),
        (x, xp.asarray(0)),
    )


def replayed(fun: Any, *points: Any, follows: int = 1) -> Any:
    """The function, which calls what it is given so often for all of the points; bits as before."""
    one = Counted(fun)
    made = jit(one)
    for _ in range(2):
        for x in points:
            same(made(x), fun(x))
    assert one.calls == follows
    return made


def test_steps_as_the_values_ask_for(array: Any) -> None:
    points = [array(x) for x in STARTS[:3]]
    text = str(explain(replayed(grown, *points), points[0]))
    assert "while the test holds" in text
    assert text.count("sin(") == 1


def test_lanes_in_a_step_that_reads_an_array_from_outside(
    array: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One loop with the lanes' loops in it, although `vmap` makes a proxy of the array each time."""
    monkeypatch.setattr(_loops, "LEAST", 3)
    bounds = array([20.0, 90.0, 5.0])

    def turned(x: Any, bounds: Any) -> Any:
        lanes = vmap(lambda x, bound: grown(x, bound)[0])
        return fori_loop(0, 7, lambda i, v: lanes(v * 0.5, bounds), x)

    x = array(STARTS[:3])
    replayed(lambda x: turned(x, bounds), x, x * 0.5)
    replayed(lambda x: jvp(lambda x: turned(x, bounds), (x,), (x,)), x)
    made = jit(turned)
    for _ in range(2):
        same(made(x, bounds), turned(x, bounds))
        same(made(x, bounds * 2), turned(x, bounds * 2))
    text = str(explain(made, x, bounds))
    assert "7 steps" in text and text.count("while the test holds") == 2


def test_no_step_at_first(array: Any) -> None:
    """It is followed anew when a step comes; what it gives without one is laid out as before."""
    first = lambda x: grown(x)[0]  # noqa: E731
    replayed(first, *map(array, reversed(STARTS)), follows=2)
    never = array([[99.0, 99.0], [80.0, 80.0]])
    replayed(lambda x: grown(x[0, :])[0] + 1, never)


def test_lanes_end_one_by_one(array: Any) -> None:
    batches = [array([STARTS[i] for i in some]) for some in ((0, 1, 3), (2, 0, 1), (3, 3, 3))]
    lanes = vmap(grown)
    replayed(lanes, *batches)
    for x in batches:
        found, counts = jit(lanes)(x)
        for k in range(3):
            one, count = grown(x[k, :])
            np.testing.assert_allclose(np.asarray(found[k, :]), np.asarray(one), rtol=1e-14)
            assert int(counts[k]) == int(count)


WAYS = {
    "jvp": lambda x: jvp(lambda x: grown(x)[0], (x,), (x,)),
    "jvp of lanes": lambda x: jvp(lambda x: vmap(grown)(x)[0], (x[None, ...],), (x[None, ...],)),
    "lanes of jvp": lambda x: vmap(WAYS["jvp"])(array_namespace(x).stack([x, 3 * x])),
    "lanes of lanes": lambda x: vmap(vmap(grown))(
        array_namespace(x).stack([x, 3 * x, 9 * x, x - 1])[:, None, :]
        * array_namespace(x).asarray([[[1.0], [7.0], [0.1]]])
    ),
    "a bound by lane": lambda x: vmap(lambda b: grown(x, b))(
        array_namespace(x).asarray([0.0, 9.0, 99.0])
    ),
    "lanes that don't count": lambda x: vmap(lambda b: b * grown(array_namespace(b).asarray(x))[0])(
        x
    ),
    "lanes in the carry alone": lambda x: vmap(
        lambda b: while_loop(lambda v: v[0] < x[0], lambda v: (v[0] + 1, v[1] * b), (0 * x[1], x))
    )(x),
    "a constant gradient": lambda x: grad(
        lambda y: array_namespace(y).sum(y * stop_gradient(grown(stop_gradient(y))[0]))
    )(x),
    "in a loop": lambda x: while_loop(
        lambda v: array_namespace(v).sum(v * v) < 1e4, lambda v: 2 * grown(v, 20.0)[0], x
    ),
    "in a scan": lambda x: scan(
        lambda c, u: (0.1 * c + 0.1 * grown(array_namespace(c).sin(c) * u, 9.0)[0], c),
        x,
        array_namespace(x).asarray([0.5, 1.0, 2.0]),
    ),
    "in a branch by lane": lambda x: vmap(
        lambda y: array_namespace(y).where(y > 0, grown(y[None])[0][0], y)
    )(x),
    "to a counter of an array": lambda x: fori_loop(
        array_namespace(x).astype(0 * x[0], array_namespace(x).int64),
        array_namespace(x).astype(array_namespace(x).abs(x[1]) + 1, array_namespace(x).int64),
        lambda i, v: v * 1.1 + array_namespace(i, v).astype(i, v.dtype),
        x,
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_in_and_under_others(array: Any, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_loops, "LEAST", 3)  # a scan is followed, too
    replayed(WAYS[way], *map(array, STARTS[:3]))


def test_gradients_are_as_without_a_recording(array: Any) -> None:
    """How often to go back is a value: the function runs as it is."""
    x = array([1.0, 2.0])
    for fun in (
        lambda x: array_namespace(x).sum(grown(x)[0]),
        lambda x: array_namespace(x).sum(  # a linear step keeps nothing that would tell how often
            while_loop(lambda v: array_namespace(v).all(v < 40), lambda v: 1.5 * v + x, x)
        ),
    ):
        with compile_log() as log:
            for way in (grad(fun), lambda x: vmap(grad(fun))(x[None, :])):  # noqa: B023
                made = jit(way)
                same(made(x), way(x))
                same(made(3 * x), way(3 * x))
        assert ["looks at a value" in one.reason for one in log] == [True, True]


def test_arrays_from_outside(array: Any) -> None:
    """Of the step, and of the test: their values are those of the call."""
    bound, step = np.asarray(20.0), np.asarray([1.0, 2.0])

    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        test = lambda v: xp.sum(v) < bound  # noqa: E731
        return while_loop(test, lambda v: v + step, x), vmap(
            lambda y: while_loop(lambda v: v < bound, lambda v: v + xp.sum(xp.asarray(step)), y)
        )(x)

    x, made = np.asarray([1.0, 2.0]), jit(fun)
    for new in (20.0, 5.0, 60.0):
        bound[...] = new
        step[0] = new / 10
        same(made(x), fun(x))
    assert explain(made, x).program


def test_writing_in_the_step(array: Any) -> None:
    def own(v: Any) -> Any:
        xp = array_namespace(v)
        new = v + xp.zeros(2)
        new[0] = 2 * v[1]
        return missing.at(new)[1].set(v[0])

    def fun(x: Any) -> Any:
        return while_loop(lambda v: array_namespace(v).sum(v) < 50, own, x)

    x = array([1.0, 2.0])
    replayed(fun, x, array([5.0, 1.0]))
    replayed(vmap(fun), array([[1.0, 2.0], [5.0, 1.0]]))
    same(x, array([1.0, 2.0]))

    def outside(x: Any) -> Any:
        kept = x + 0

        def body(v: Any) -> Any:
            kept[0] = v[0]
            return v + kept

        return while_loop(lambda v: array_namespace(v).sum(v) < 50, body, x)

    with compile_log() as log:
        same(jit(outside)(x), outside(x))
    assert "looks at a value" in log[0].reason


def test_checks_are_made_in_each_step() -> None:
    """An index that goes too far: as without a recording, after so many steps."""

    def fun(x: Any, by: Any) -> Any:
        xp = array_namespace(x, by)

        def body(v: Any) -> Any:
            place = missing.ravel_multi_index((xp.reshape(v[1], (1,)),), (4,))
            return v[0] + xp.take(v[0], place)[0], v[1] + by

        return while_loop(lambda v: v[0][0] < 1e3, body, (x, 0 * by))[0]

    made, x = jit(fun), np.asarray([0.1, 9.0, 9.0, 200.0])
    same(made(x, np.asarray(0)), fun(x, np.asarray(0)))
    for by in (1, 3, 0, 2):
        found = []
        for one in (fun, made):
            try:
                found.append(one(x, np.asarray(by)))
            except (ValueError, IndexError) as error:
                found.append(np.asarray(list(str(error).encode())))
        same(*found)
    assert explain(made, x, np.asarray(0)).program


def test_lanes_that_have_ended_wait_where_they_were() -> None:
    """The inner loop would not end at the values on which a lane of the outer one has ended."""

    def fun(x: Any) -> Any:
        def halved(v: Any) -> Any:
            return while_loop(lambda u: u > 0.6, lambda u: u - v, 2 * v) + v

        return while_loop(lambda v: (v > 0.5) & (v < 9), lambda v: halved(v) - 0.7, x)

    batches = [np.asarray(x) for x in ([0.9, 5.0, 0.1], [0.2, 0.95, 1.0], [8.0, 0.75, 0.6])]
    replayed(vmap(fun), *batches)


def test_loops_that_take_steps_at_one_call_and_none_at_another() -> None:
    """Two, of which one takes no step: they are followed anew so often, and no more."""

    def fun(x: Any) -> Any:
        return [while_loop(lambda v: v[0] < 5, lambda v: v + 1, y) for y in (x, 6 - x)]

    one = Counted(fun)
    made = jit(one)
    with compile_log() as log:
        for k in range(40):
            x = np.asarray([6.0 * (k % 2)])
            same(made(x), fun(x))
    assert "takes steps at one call and none at another" in log[-1].reason
    assert one.calls > 30


def test_errors_and_conditions_are_those_of_the_loop() -> None:
    x = np.asarray([1.0, 2.0])
    for test, body in (
        (lambda v: v < 3, lambda v: v + 1),  # no scalar
        (lambda v: v[0] < 3, lambda v: (v, v)),
        (lambda v: v[0] < 3, lambda v: v[:1]),
        (lambda v: v[0], lambda v: v + 1),
    ):
        fun = lambda x: while_loop(test, body, x)  # noqa: B023, E731
        with pytest.raises(likewise.errors.TransformError) as found:
            jit(fun)(x)
        with pytest.raises(likewise.errors.TransformError) as expected:
            fun(x)
        assert str(found.value) == str(expected.value)


def test_a_function_of_no_values_is_unrolled() -> None:
    """Its test is called once for each step, and once more."""
    tests = Counted(lambda v: v[1] < 3)
    made = jit(lambda x: while_loop(tests, lambda v: (2 * v[0], v[1] + 1), (x, 0)))
    same(made(np.ones(2)), (np.full(2, 8.0), 3))
    assert tests.calls == 4
    calls = Counted(lambda x: x + 1)
    made = jit(lambda x: while_loop(lambda v: calls.calls % 3 < 2, calls, x))
    same(made(np.ones(2)), np.full(2, 3.0))
    assert calls.calls == 2


def test_branches_that_hold_loops(array: Any) -> None:
    """A look by `cond` is one, whatever is in its branches."""
    fun = lambda x: cond(x[0] > 1, lambda x: grown(x)[0], lambda x: x, x)  # noqa: E731
    with compile_log() as log:
        made = jit(fun)
        for x in map(array, STARTS):
            same(made(x), fun(x))
    assert len(log) == 1
    assert "cond looks at a value" in log[0].reason


def _beside(x: Any) -> Any:
    """A body that writes to its carry, of which the array before the loop is read afterwards."""

    def body(v: Any) -> Any:
        v[1][0] = v[1][0] + 1
        return v[0] + 1, v[1], 2 * v[2] + v[1]

    y = x * 1.0
    return y, while_loop(lambda v: v[0] < 3, body, (0 * x[0], y, x + 1))


def _twice(x: Any) -> Any:
    """A body that writes to its carry, in which an array stands twice."""

    def body(v: Any) -> Any:
        v[1][0] = v[1][0] + 1
        return v[0] + 1, v[1] * 1.0, v[2] + v[1]

    y = x * 1.0
    return while_loop(lambda v: v[0] < 3, body, (0 * x[0], y, y))


def _in_the_test(x: Any) -> Any:
    def test(v: Any) -> Any:
        v[1][0] = v[1][0] + 1
        return v[0] < 3

    return while_loop(test, lambda v: (v[0] + 1, v[1] * 1.0), (0 * x[0], x * 1.0))


def _written(i: Any, c: Any) -> Any:
    c[0] = c[0] + 1
    return c


def _counted(x: Any) -> Any:
    y = x * 1.0
    return y, fori_loop(0, 200, _written, y)


@pytest.mark.parametrize("fun", [_beside, _twice, _in_the_test, _counted])
def test_a_carry_that_is_written_to(fun: Any, array: Any) -> None:
    """Others may hold the array: it is written to as without a recording."""
    x = array(np.zeros(2))
    expected, made = fun(x), jit(fun)
    for _ in range(3):
        same(made(x), expected)
    assert x[0] == 0


def test_a_carry_that_is_written_to_for_long() -> None:
    y = np.zeros(2)
    last = while_loop(lambda c: c[0] < 700, lambda c: _written(0, c), y)
    assert last[0] == y[0] == 700


@pytest.mark.parametrize("loop", ["while", "test", "fori", "long"])
def test_an_error_state_that_is_set_within(loop: str) -> None:
    """What overflows raises where the step says so, on every replay."""

    def body(v: Any) -> Any:
        with np.errstate(over="raise"):
            return v[0] + 1, v[1] * 1e200

    def test(v: Any, last: Any) -> Any:
        with np.errstate(over="raise"):
            return (v[0] < last) & (v[1] * 1e200 > 0)

    def step(i: Any, v: Any) -> Any:
        with np.errstate(over="raise"):
            return 1.01 * v

    def fun(x: Any) -> Any:
        if loop == "fori":
            return fori_loop(0, 200, step, 1e307 * x)
        if loop == "long":
            return fori_loop(0, 2000, step, 1e304 * x)
        if loop == "test":
            quiet = lambda v: (v[0] + 1, v[1] * 1e100)  # noqa: E731
            return while_loop(lambda v: test(v, x), quiet, (0 * x, x))
        return while_loop(lambda v: v[0] < x, body, (0 * x, x))

    made = jit(fun)
    with np.errstate(over="ignore"):
        same(made(np.asarray(1e-9)), fun(np.asarray(1e-9)))
        for _ in range(2):
            with pytest.raises(FloatingPointError):
                made(np.asarray(3.0))
