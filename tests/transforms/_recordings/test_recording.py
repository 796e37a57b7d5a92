"""Functions that are recorded and replayed: `jit` where the library has no compiler."""

import enum
import gc
import pickle
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import (
    array_namespace,
    compile_log,
    cond,
    custom_jvp,
    custom_vjp,
    explain,
    grad,
    jit,
    jvp,
    missing,
    optimize,
    prefer,
    random,
    scan,
    signal,
    stop_gradient,
    trace_native,
    vmap,
    while_loop,
)
from likewise.errors import ArgumentError, TransformError
from likewise.transforms import pure_callback
from likewise.transforms._following._proxy import bottom
from likewise.transforms._recordings import _program, _replay

X = np.asarray([1.0, 2.0, 3.0])


class Counted:
    """A function that knows how often it was called."""

    def __init__(self, fun: Any) -> None:
        self.fun, self.calls = fun, 0
        self.__name__ = "counted"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return self.fun(*args, **kwargs)


def six(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.sum(xp.sin(x) * xp.exp(-(x * x)))


def same(found: Any, expected: Any) -> None:
    """The same classes, dtypes, shapes and bits."""
    ours, theirs = likewise.tree_leaves(found), likewise.tree_leaves(expected)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert type(a) is type(b)
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tobytes() == b.tobytes()


def recorded(fun: Any, *points: tuple[Any, ...]) -> Any:
    """A function that follows what it is given once, and computes the same bits as before."""
    one = Counted(fun)
    made = jit(one)
    for args in points:
        same(made(*args), fun(*args))
    assert one.calls == 1
    return made


def unrecorded(fun: Any, *points: tuple[Any, ...]) -> str:
    """Why it is called each time: with the same bits nevertheless."""
    one = Counted(fun)
    made = jit(one)
    with compile_log() as log:
        for args in points:
            same(made(*args), fun(*args))
    assert one.calls >= len(points)
    assert len(log) == 1
    return log[0].reason


@pytest.fixture(params=["numpy", "strict"])
def array(request: Any) -> Any:
    """Arrays of a library that is recorded."""
    return lambda x, dtype=None: likewise.asarray(np.array(x, dtype), namespace=request.param)


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are compiled at the first replay, and every dead array is written to."""
    monkeypatch.setattr(_program, "_TEXT_AFTER", 1)
    monkeypatch.setattr(_program, "_LEAST", 1)
    monkeypatch.setattr(_program, "LEAST", 1)


# -- what is recorded ------------------------------------------------------------------------------


@pytest.mark.parametrize("fun", [six, grad(six), lambda x: jvp(grad(six), (x,), (x,))])
def test_once_and_the_same_bits(array: Any, text: None, fun: Any) -> None:
    points = [(array(np.random.default_rng(k).normal(size=3)),) for k in range(4)]
    recorded(fun, *points)
    batches = [(array(np.random.default_rng(k).normal(size=(2, 3))),) for k in range(4)]
    recorded(vmap(fun), *batches)


def test_nested(array: Any) -> None:
    x, y = array(X), array(2 * X)
    inner = jit(six)
    recorded(jit(grad(jit(inner))), (x,), (y,))
    same(grad(inner)(x), grad(six)(x))
    same(vmap(inner)(array([X, 2 * X])), vmap(six)(array([X, 2 * X])))
    same(grad(inner)(y), grad(six)(y))
    recorded(lambda x: inner(x) + inner(2 * x), (x,), (y,))


def test_structures(array: Any, text: None) -> None:
    def fun(tree: Any, *, by: Any) -> Any:
        return {"b": [tree["x"] * by, None, 3], "a": (tree["x"], "name", ())}

    made = jit(fun)
    for k in (1.0, 2.0, 3.0):
        x = array(k * X)
        out = made({"x": x}, by=x)
        same(out, fun({"x": x}, by=x))
        assert list(out) == ["b", "a"]
        assert out["a"][0] is x


def test_scalars_and_no_dimensions(array: Any, text: None) -> None:
    def fun(x: Any, s: Any) -> Any:
        return array_namespace(x).sum(x) * s, x**2, s**2, abs(s) // 2, -s, x > s

    recorded(fun, *[(array(k * X), array(k)) for k in (1.5, -2.5, 3.5)])
    recorded(grad(lambda x: x**3), *[(array(k),) for k in (1.5, -2.5)])


def test_scalars_of_numpy(text: None) -> None:
    def fun(x: Any, s: Any) -> Any:
        return x * s, s**3, np.float64(2.0) * x

    recorded(fun, *[(np.asarray([k, 2 * k], "float32"), np.float64(k)) for k in (1.5, -2.5, 3.5)])


def test_functions_of_numpy(text: None) -> None:
    """They are noted as they are."""

    def fun(x: Any, c: Any) -> Any:
        y = np.exp(x) * np.sum(x, axis=0) + np.dot(x, x) + x.sum() + np.add.reduce(x)
        return np.where(y > 1, y, c), np.concatenate([x, y]), np.float64(2.0) * x, np.ndim(x)

    points = [(k * X, np.ones(3)) for k in (1.0, 2.0, 3.0)]
    recorded(fun, *points)
    recorded(grad(lambda x, c: np.sum(fun(x, c)[0])), *points)
    assert "exp(v0)" in str(explain(jit(lambda x: np.exp(x)), X))
    kept = np.zeros(3)
    made = jit(lambda x: np.add(x, x, out=kept))  # can't be followed
    for _ in range(3):
        assert made(X) is kept


def test_custom_rules(array: Any) -> None:
    @custom_vjp
    def double(x: Any) -> Any:
        return 2 * x

    double.defvjp(lambda x: (2 * x, x), lambda x, g: (10 * g * x,))

    @custom_jvp
    def triple(x: Any) -> Any:
        return 3 * x

    triple.defjvp(lambda x, t: (triple(*x), 7 * t[0] * x[0]))
    points = [(array(1.5),), (array(2.5),), (array(3.5),)]
    recorded(lambda x: double(x) + triple(x), *points)
    recorded(grad(lambda x: double(x) * triple(x) * stop_gradient(x)), *points)
    recorded(lambda x: jvp(triple, (x,), (x,)), *points)


def test_random_numbers(array: Any, text: None) -> None:
    keys = [random.key(k, namespace=likewise.library(array(0.0))) for k in range(3)]

    def fun(key: Any, x: Any) -> Any:
        keys = random.split(key)
        one, other = keys[0, :], keys[1, :]
        return random.normal(one, (3,)) * x, random.uniform(other, (3,))

    recorded(fun, *[(key, array(X)) for key in keys])


def test_two_threads_at_once() -> None:
    made = jit(grad(six))
    points = [np.random.default_rng(k).normal(size=3 + k % 3) for k in range(60)]
    expected = [grad(six)(x) for x in points]
    found: list[Any] = []
    start = threading.Barrier(2)

    def work() -> None:
        start.wait()
        found.append([made(x) for x in points * 4])

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 2
    for some in found:
        same(some, expected * 4)


# -- kinds -----------------------------------------------------------------------------------------


class Colour(enum.Enum):
    red = 1


def test_kinds_are_told_apart() -> None:
    one = Counted(lambda x, c: (x, c, str(type(c))))
    made = jit(one)
    values = [0.0, -0.0, 1, True, 1.0, 1 + 0j, float("nan"), "a", Colour.red, np.exp]
    for _ in range(2):
        for value in values:
            out = made(X, value)
            assert repr(out[1]) == repr(value)
            assert out[2] == str(type(value))
    assert one.calls == len(values)
    for x in (X[::-1], X[None], X.astype("float32"), np.ones((2, 2)), np.ones((2, 2), order="F")):
        before = one.calls
        made(x, 0.0), made(x, 0.0)
        assert one.calls == before + 1
    made((X, X), 0.0), made([X, X], 0.0), made((X, X), 0.0)
    assert one.calls == before + 3


def test_layouts() -> None:
    one = Counted(lambda x: x + 1)
    made = jit(one)
    c, f = np.ones((3, 2)), np.ones((3, 2), order="F")
    for x in (c, f, c[::-1], c, f):
        assert made(x).flags.f_contiguous == (x + 1).flags.f_contiguous
    assert one.calls == 3


def _written(x: Any, fresh: Any) -> Any:
    y = fresh(x)
    y[0, ...] = 2.0
    return y


@pytest.mark.parametrize("size", [3, 40])  # small arrays are made once
def test_layouts_of_fresh_arrays(text: None, size: int) -> None:
    """They are the operand's, as outside."""
    c = np.arange(4.0 * size).reshape(size, 2, 2)
    ways = [
        np.zeros_like,
        lambda x: np.full_like(x, 2.0),
        lambda x: array_namespace(x).ones_like(x, dtype=np.float32),
        lambda x: _written(x, np.ones_like),
        lambda x: _written(x, lambda x: x + 1),
        lambda x: missing.at(x)[0].add(1.0),
    ]
    for fun in ways:
        made = jit(fun)
        for x in (c, np.asfortranarray(c), c.transpose(1, 0, 2)):
            for _ in range(4):
                same(made(x), fun(x))
                assert made(x).strides == fun(x).strides
    x, seen = np.asfortranarray(c), []

    def total(x: Any) -> Any:
        seen.append(np.zeros_like(x))
        return np.sum(x * seen[-1])

    grad(total)(x)
    assert bottom(seen[0]).strides == x.strides
    assert vmap(total)(c).tolist() == [0.0] * size


def test_devices_and_defaults() -> None:
    one = Counted(lambda x: array_namespace(x).astype(x, likewise.xp.ones(1).dtype))
    made = jit(one)
    for _ in range(3):
        assert made(X).dtype == np.float64
        with likewise.use(dtype="float32"):
            assert made(X).dtype == np.float32
    assert one.calls == 2
    one = Counted(lambda x: x + 1)
    made = jit(one)
    strict = likewise.namespace("strict")
    devices = strict.__array_namespace_info__().devices()[:2]
    for _ in range(2):
        for device in devices:
            x = strict.ones(2, dtype=strict.float32, device=device)
            assert made(x).device == device
    assert one.calls == 2


def _objects(kinds: int) -> int:
    """How many objects there are more after so many kinds than after a few."""
    made = jit(lambda x, n: x + n)
    counts = []
    for n in range(kinds):
        made(np.ones(1), n)
        if n in (kinds // 2, kinds - 1):
            gc.collect()
            counts.append(len(gc.get_objects()))
    return counts[1] - counts[0]


def test_kinds_do_not_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_replay, "_KINDS", 8)
    assert _objects(200) < 100


@pytest.mark.full
def test_a_hundred_thousand_kinds_do_not_leak() -> None:
    assert _objects(100_000) < 100


def test_callbacks(array: Any, text: None) -> None:
    """They are called in each replay."""
    kept, seen = np.zeros(3), []

    def host(a: Any) -> Any:
        seen.append(1)
        kept[:] = np.sort(a)
        return kept

    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.sin(pure_callback(host, x, 2 * x)), pure_callback(host, x, x)

    x, y = array([2.0, 1.0, 3.0]), array([-1.0, 5.0, 0.0])
    recorded(fun, (x,), (y,), (x,))
    made = jit(lambda x: pure_callback(host, x, x))
    first = made(x)
    before = np.array(first)
    made(y)
    np.testing.assert_array_equal(np.asarray(first), before)
    seen.clear()
    made(x)
    assert seen == [1]
    vmapped = jit(vmap(lambda x: pure_callback(host, x, x, vmap_method="sequential")))
    xs = array([[2.0, 1.0, 3.0], [0.0, -1.0, 1.0]])
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(vmapped(xs)), np.sort(np.asarray(xs), axis=1))


def test_recordings_in_loops_and_batches(array: Any, text: None) -> None:
    inner = jit(lambda c, u: (array_namespace(c).sin(c) + u, c * u))
    x, us = array([1.0, 2.0]), array([[0.5, 1.0]] * 3)

    def fun(x: Any, us: Any) -> Any:
        return scan(inner, x, us), vmap(inner)(us, us)

    recorded(fun, (x, us), (2 * x, us), (x, us * 3))


def test_kinds_are_bounded() -> None:
    one = Counted(lambda x, n: x + n)
    made = jit(one)
    marks = []
    for n in range(1000):
        x = np.ones(2)
        marks.append(weakref.ref(x))
        assert made(x, n)[0] == 1 + n
    gc.collect()
    assert one.calls == 1000
    cells = [c.cell_contents for c in made.__closure__]
    held = next(c for c in cells if isinstance(c, dict) and np.ndarray in c)
    assert len(held[np.ndarray][-1].kinds) <= 256
    assert sum(m() is not None for m in marks) <= 1
    assert made(X, 5)[0] == 6


def test_static_arguments() -> None:
    made = jit(lambda x, n: x**n, static_argnums=1)
    same([made(X, 2), made(X, 3), made(X, 2)], [X**2, X**3, X**2])
    with pytest.raises(ArgumentError, match="hashable"):
        made(X, [2])
    assert jit(lambda x, o: o)(X, made) is made


def test_switches() -> None:
    """What runs follows `prefer`, and the error state."""
    made = jit(lambda x, y: signal.convolve(x, y))
    for _ in range(2):
        with trace_native() as usual:
            made(X, X)
        with trace_native() as other, prefer("generic"):
            made(X, X)
        assert usual[0].routine.startswith("scipy")
        assert other[0].routine == "generic"
    generic = jit(lambda x: signal.convolve.generic(x, x))
    for _ in range(3):
        with trace_native() as log:
            generic(X)
        assert {ran.routine for ran in log} == {"generic"}
    divide = jit(lambda x: 1 / x)
    with np.errstate(divide="ignore"):
        for _ in range(3):
            assert np.isinf(divide(np.zeros(1)))
    for _ in range(3):
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            divide(np.zeros(1))


def test_error_states_inside(text: None) -> None:
    def fun(x: Any) -> Any:
        with np.errstate(divide="ignore"):
            y = 1 / x
        return y, 1 / (x - 1)

    made = jit(fun)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        made(np.ones(1))
    for _ in range(3):
        assert np.isinf(made(np.zeros(1))[0])
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            made(np.ones(1))


# -- looks at values -------------------------------------------------------------------------------


def _branch(x: Any) -> Any:
    return x + 1 if x[0] > 1 else x - 1


def _caught(x: Any) -> Any:
    try:
        return x + 1 if x[0] > 1 else x - 1
    except BaseException:
        return x


def _loop(x: Any) -> Any:
    """A number in the carry is one of Python's, also where the loop ends."""
    return while_loop(lambda v: v[0][0] < 10, lambda v: (2 * v[0], v[1] + 1), (x, 0))


LOOKS = {
    "bool": _branch,
    "caught": _caught,
    "float": lambda x: x * float(x[0]),
    "int": lambda x: x * int(x[0]),
    "complex": lambda x: x * complex(x[0]).real,
    "index": lambda x: x[array_namespace(x).astype(x, array_namespace(x).int64)[0] - 1 :],
    "to_numpy": lambda x: x * float(likewise.to_numpy(x)[0]),
    "cond": lambda x: cond(x[0] > 1, lambda x: x + 1, lambda x: x - 1, x),
    "while_loop": _loop,
    "repr": lambda x: x * len(repr(x)),
    "of a gradient": lambda x: grad(lambda x: x[0] if x[0] > 1 else x[0] ** 2)(x),
}


@pytest.mark.parametrize("look", LOOKS)
def test_looks_at_values(array: Any, look: str) -> None:
    if look == "index" and likewise.library(array(X)) == "strict":
        return  # an array is no bound of a slice there
    why = unrecorded(LOOKS[look], (array(X),), (array(X + 1),), (array(X),))
    assert ("to_numpy" if look == "to_numpy" else "looks at a value") in why
    assert "test_recording.py" in why or look == "to_numpy"


def test_shapes_by_value() -> None:
    points = [(X - 2,), (0 * X,), (X - 2,)]
    for fun in (
        lambda x: x[x > 0] * (x[x > 0]).shape[0],
        lambda x: missing.union1d(x, x - 1),
        lambda x: array_namespace(x).unique_values(x > 0),
    ):
        one = Counted(fun)
        made = jit(one)
        for args in points * 2:
            same(made(*args), fun(*args))
        assert one.calls >= 4  # of 6: the first two tell nothing yet


def test_what_is_not_followed() -> None:
    assert "tobytes" in unrecorded(lambda x: x * len(x.tobytes()), (X,), (2 * X,))
    made = jit(lambda x: Box(x))
    for _ in range(2):
        assert made(X).item is X
    other = jit(lambda x, box: x * box.item)
    for k in (1.0, 2.0):  # a box is no value, and may have changed
        same(other(X, Box(k)), k * X)


class Box:
    def __init__(self, item: Any) -> None:
        self.item = item


def test_functions_that_are_called_back() -> None:
    def fun(x: Any) -> Any:
        return optimize.root_scalar(lambda t: t * t - x[0], bracket=(0.0, 9.0)).root * x

    made = jit(fun)
    for k in (1.0, 4.0, 9.0):
        same(made(k * X), fun(k * X))


# -- checks, errors --------------------------------------------------------------------------------


def test_checks_in_every_replay(array: Any, text: None) -> None:
    made = jit(lambda x, i: (missing.at(x)[i].set(0.0), missing.at(x)[i].set(1.0))[0])
    x = array(X)
    for _ in range(3):
        same(made(x, array([0, 1])), array([0.0, 0.0, 3.0]))
        with pytest.raises(IndexError):
            made(x, array([0, 9]))
    quantile = jit(lambda x: (missing.percentile(x, 50.0, nan_policy="raise"), 2 * x)[1])
    for _ in range(3):
        quantile(x)
        with pytest.raises(ValueError, match="nan"):
            quantile(array([1.0, np.nan, 2.0]))


def test_rows_run_as_they_would(text: None) -> None:
    made = jit(lambda x, y: signal.convolve(x, y))
    for _ in range(3):
        with trace_native() as log:
            same(made(X, X), signal.convolve(X, X))
        assert log[0].routine.startswith("scipy")


def test_errors_are_the_functions_own(array: Any) -> None:
    def fun(x: Any) -> Any:
        raise KeyError("mine")

    made = jit(fun)
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            made(array(X))
    inverse = jit(lambda a: array_namespace(a).linalg.inv(a))
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError):
            inverse(array([[0.0, 0.0], [0.0, 0.0]]))
        same(inverse(array([[2.0]])), array([[0.5]]))


def test_errors_that_are_caught() -> None:
    def fun(a: Any) -> Any:
        try:
            return array_namespace(a).linalg.inv(a)
        except np.linalg.LinAlgError:
            return 0 * a

    for first in (0.0, 1.0):
        made = jit(fun)
        for k in (first, 1.0, 0.0, 1.0):
            same(made(k * np.eye(2)), fun(k * np.eye(2)))


# -- arrays from outside ---------------------------------------------------------------------------


def test_arrays_from_outside_are_not_folded(array: Any, text: None) -> None:
    c = array(X)
    made = recorded(lambda x: x * c + array_namespace(x).sin(c), (array(X),), (array(2 * X),))
    c[0] = 7.0
    same(made(array(X)), array(X) * c + array_namespace(c).sin(c))
    made = jit(lambda x: x * array_namespace(x).asarray(c)[0])
    same(made(array(X)), array(X) * 7.0)
    c[0] = 8.0
    same(made(array(X)), array(X) * 8.0)


def test_arrays_from_outside_are_not_kept() -> None:
    box = [np.asarray([1.0, 2.0, 3.0])]
    one = Counted(lambda x: x * box[0])
    made = jit(one)
    made(X), made(X)
    mark = weakref.ref(box[0])
    box[0] = np.asarray([5.0, 5.0, 5.0])
    assert mark() is None
    same([made(X), made(X)], [5 * X, 5 * X])
    assert one.calls == 2
    for k in range(9):  # a new one for each call: it is no use
        box[0] = np.full(3, float(k))
        same(made(X), k * X)
    box[0].shape = (3, 1)
    assert made(X).shape == (3, 3)


def test_arrays_made_of_those_outside() -> None:
    c = np.asarray([1.0, 2.0, 3.0])
    why = unrecorded(lambda x: x + np.sin(c), (X,), (2 * X,))
    assert "makes of others" in why
    assert "test_recording.py" in why


def test_views_of_arrays_from_outside_in_each_call() -> None:
    outside = np.ones((2, 3))
    made = jit(lambda x: (x * 2, outside.T))
    assert [np.shares_memory(made(X)[1], outside) for _ in range(3)] == [True] * 3


def test_results_share_no_memory(array: Any, text: None) -> None:
    c, x = array(X), array(X)

    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        y, z = x * 2, x * 2
        return x, x[1:], xp.reshape(x, (3, 1)), c, y, z, xp.asarray([1.0, 2.0]), y

    made = jit(fun)
    calls = [made(x) for _ in range(4)]
    memory = np.asarray
    for out in calls:
        same(out, fun(x))
        assert out[0] is x
        assert out[4] is out[7]
        for part in out[1:]:
            assert not np.shares_memory(memory(part), memory(x))
            assert not np.shares_memory(memory(part), memory(c))
        assert not np.shares_memory(memory(out[4]), memory(out[5]))
        for other in calls:
            if other is not out:
                pairs = zip(out[1:], other[1:], strict=True)
                assert not any(np.shares_memory(memory(a), memory(b)) for a, b in pairs)


@pytest.mark.parametrize("fun", [lambda xp, w: xp.mean(w), lambda xp, w: xp.sum(w.T)])
def test_gradients_are_written_to(text: None, fun: Any) -> None:
    slope = grad(lambda w: fun(array_namespace(w), w))
    made = jit(slope)
    for _ in range(3):
        found, expected = made(np.ones((2, 3))), slope(np.ones((2, 3)))
        same(found, expected)
        assert found.flags.writeable
        found[0, 0] = 5.0
        assert np.count_nonzero(found == 5.0) == 1


def test_writing_to_an_argument(array: Any, text: None) -> None:
    def fun(x: Any) -> Any:
        x[0] = 9.0
        x += 1
        return x * 2

    made = jit(fun)
    for _ in range(3):
        x = array(X)
        same(made(x), array([20.0, 6.0, 8.0]))
        same(x, array(X))


# -- programs --------------------------------------------------------------------------------------


def lines(fun: Any, *args: Any) -> list[str]:
    return explain(jit(fun), *args).program.splitlines()


def test_what_is_left_out() -> None:
    def fun(x: Any) -> Any:
        a, b = xp_of(x).sin(x), xp_of(x).sin(x)  # once
        xp_of(x).cos(x)  # not at all
        return a * xp_of(x).ones(3) + b * 1  # without the first product

    found = lines(fun, X)
    calls = [line.split("(line")[0].split("=")[1].strip() for line in found[:-1]]
    assert calls == ["sin(v0)", "v4 * 1", "v4 + v5"]
    assert "test_recording.py" in found[0]
    assert len(lines(lambda x: (xp_of(x).fft.fftfreq(1000), x + 1)[1], X)) == 2
    assert len(lines(grad(six), X)) == 12


def test_what_may_raise_is_not_left_out() -> None:
    made = jit(lambda x, n: (x**n, x + 1)[1])
    x = np.asarray([2, 3])
    for n in (2, 1, 0):
        same(made(x, np.asarray([n, n])), x + 1)
    with pytest.raises(ValueError, match="negative integer powers"):
        made(x, np.asarray([1, -1]))


def xp_of(x: Any) -> Any:
    return array_namespace(x)


def _at(x: Any) -> Any:
    xp = array_namespace(x)
    y = xp.sin(x)
    z = y * y
    return xp.sum(z)


def test_derivatives_stand_at_the_line_of_what_they_are_of() -> None:
    first = _at.__code__.co_firstlineno
    text = str(explain(jit(grad(_at)), X))
    (cos,) = [line for line in text.splitlines() if "cos(" in line]
    assert f"(line {first + 2} of" in cos
    assert f"(line {first + 3} of" in text  # 2 y, of y * y
    assert ", in test_" not in "".join(text.splitlines()[2:])


def test_explain_says_why_not() -> None:
    text = str(explain(jit(_branch), X))
    assert "looks at a value" in text
    made = jit(_branch)
    made(X)
    assert str(explain(made, X)) == text.replace("\n", "\n")
    assert explain(jit(lambda n: n), 3).library is None


def test_dead_arrays_are_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_program, "_LEAST", 1)
    monkeypatch.setattr(_program, "LEAST", 1)
    compiled = []
    own = _program._compiled
    monkeypatch.setattr(_program, "_TEXT_AFTER", 1)
    monkeypatch.setattr(
        _program, "_compiled", lambda p: (compiled.append(_program._written(p)[0]), own(p))[1]
    )
    made = recorded(grad(six), (X,), (2 * X,), (3 * X,))
    assert sum(slot is not None for slot in compiled[0]) >= 5

    def view(x: Any) -> Any:
        y = x + 1
        return y[::-1], y * 2  # y lives on in a view

    recorded(view, (X,), (2 * X,), (3 * X,))
    assert compiled[1] == [None, None, None]
    assert made is not None


def test_functions_that_are_returned(array: Any) -> None:
    """They may hold what was followed, so the function runs as it is."""
    x = array([1.0, 2.0])
    pulled = jit(lambda x: likewise.vjp(lambda y: likewise.array_namespace(y).exp(y), x))
    for _ in range(3):
        value, pull = pulled(x)
        np.testing.assert_array_equal(likewise.to_numpy(pull(value)[0]), np.exp([1.0, 2.0]) ** 2)


# -- what is kept of the arrays inside -------------------------------------------------------------


def test_kept_arrays_hold_the_followed_calls_values(array: Any) -> None:
    kept: list[Any] = []

    def fun(x: Any) -> Any:
        kept.append(x * 2)
        kept.append(kept[0][1])
        return x + 1

    same(jit(fun)(array(X)), array(X + 1))
    same(np.asarray(kept[0]), X * 2)
    assert np.asarray(kept[0], dtype=np.float32).dtype == np.float32
    one = kept[1]
    assert (float(one), int(one), complex(one), bool(one)) == (4.0, 4, 4, True)
    for use in (lambda: one + 1, lambda: pickle.dumps(one), lambda: round(one)):
        with pytest.raises(TransformError, match="after the transform has ended"):
            use()


def test_kept_arrays_and_counters_of_loops() -> None:
    kept: list[Any] = []
    scan(lambda c, e: (kept.append(c), (c + e, c))[1], np.asarray(2.0), np.ones(300))
    assert [float(c) for c in kept[:2]] == [2.0, 3.0]
    assert f"{kept[1]:.1f}" == "3.0"
    kept.clear()
    likewise.fori_loop(0, 300, lambda i, x: (kept.append(i), x + i)[1], np.asarray(1.0))
    assert [int(i) for i in kept[:2]] == [0, 1]
    assert (kept[1] == 1, kept[1] + 1, 2 * kept[1], kept[1] < kept[0]) == (True, 2, 2, False)
    same(kept[1] * X, X)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG"])
def test_kept_values_of_an_objective(method: str) -> None:
    kept: list[Any] = []

    def objective(x: Any) -> Any:
        out = array_namespace(x).sum((x - 1) ** 2)
        kept.append(out)
        return out

    optimize.minimize(objective, X, method=method)
    assert float(kept[0]) == 5.0
    np.asarray(kept[0])


def test_kept_arrays_looked_at_in_another_recording() -> None:
    kept: list[Any] = []
    jit(lambda x: (kept.append(x * 2), x + 1)[1])(X)
    reason = unrecorded(lambda x: x * np.asarray(kept[0])[0], (X,), (2 * X,))
    assert "a conversion to NumPy" in reason
