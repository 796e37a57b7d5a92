"""Functions of many problems that are recorded once and replayed for any number of them."""

import collections
import gc
import itertools
import threading
import weakref
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace, linalg, missing, vmap
from likewise.solving import _lanes
from likewise.solving._lanes import OverLanes, once_for
from likewise.transforms import compile_log, jvp, scan
from likewise.transforms._following._interpreter import interpreted

pytestmark = pytest.mark.xp_skip(
    {"dask": "it isn't recorded", "jax": "it isn't recorded, but compiled"}
)
SIZES = (40, 40, 40, 12, 3, 2, 1, 5, 25, 40, 64)


@pytest.fixture(autouse=True)
def _nothing_known() -> None:
    _lanes._KEPT.kept.clear()


def wave(t: Any, a: Any, b: Any) -> Any:
    xp = array_namespace(t, a)
    return xp.where(t < 0.5, a * xp.sin(b * t), xp.exp(-b * t))


def slope(t: Any, a: Any, b: Any) -> Any:
    return jvp(vmap(wave, in_axes=(None, 0, 0)), (t, a, b), (0 * t, a, b))


class Called:
    """A function that counts its calls where it isn't asked what it changes."""

    def __init__(self, fun: Any) -> None:
        self.fun, self.calls = fun, 0

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        return self.fun(*args)


def over(fun: Any, axes: Any, **options: Any) -> tuple[OverLanes, Called]:
    """Return the recorded function, and what counts calls of the function itself."""
    called = Called(fun)

    def own(*args: Any) -> Any:
        return called(*args)

    return OverLanes(own, axes, **options), called


def arrays(xp: Any, rng: Any, n: int) -> tuple[Any, ...]:
    t = xp.asarray(np.linspace(0.0, 1.0, 7))
    return t, xp.asarray(rng.normal(size=n)), xp.asarray(rng.normal(size=n))


def same(found: Any, expected: Any) -> None:
    for a, b in zip(found, expected, strict=True):
        assert type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
        assert bool(array_namespace(a).all((a == b) | ((a != a) & (b != b))))


def test_one_recording_serves_any_number(xp: Any, rng: Any) -> None:
    recorded, called = over(slope, (None, 0, 0))
    counts = []
    with interpreted():
        for n in SIZES:
            args = arrays(xp, rng, n)
            same(recorded(*args), slope(*args))
            counts.append(called.calls)
    # As it is; two traces; no call; sizes below the lesser trace, once each; 64 is above both.
    assert counts == [1, 3, 3, 3, 4, 5, 6, 6, 6, 6, 7]
    assert not recorded.why


def test_the_size_of_something_else(xp: Any, rng: Any) -> None:
    """Seven lanes of seven times: no trace of them tells what is what."""
    recorded, called = over(slope, (None, 0, 0))
    with interpreted():
        for n in (7, 7, 7, 9, 7, 12, 7):
            args = arrays(xp, rng, n)
            same(recorded(*args), slope(*args))
        before = called.calls
        same(recorded(*(args := arrays(xp, rng, 10))), slope(*args))
    assert called.calls == before and not recorded.why


def test_a_function_that_knows_the_number(xp: Any, rng: Any) -> None:
    def fun(x: Any) -> Any:
        return x * 2 if x.shape[0] > 10 else x * 3

    def by_number(x: Any) -> Any:
        return x * float(x.shape[0])

    def of_more(x: Any) -> Any:
        return x * 2 if x.shape[0] < 50 else x * 3

    for one in (fun, by_number, of_more):
        recorded = OverLanes(one, (0,))
        with compile_log() as log:
            for n in SIZES:
                x = xp.asarray(rng.normal(size=n))
                same([recorded(x)], [one(x)])
        assert "another number of problems" in recorded.why
        (said,) = log
        assert said.function == one.__name__ and recorded.why in said.reason


def test_a_function_that_looks(xp: Any, rng: Any) -> None:
    def fun(x: Any) -> Any:
        return x * 2 if float(x[0]) > 0 else x * 3

    recorded = OverLanes(fun, (0,))
    for n in (6, 6, 6, 9, 4):
        x = xp.asarray(rng.normal(size=n))
        same([recorded(x)], [fun(x)])
    assert "value" in recorded.why


class Slotted:
    __slots__ = ("total",)

    def __init__(self) -> None:
        self.total = 0

    def add(self, x: Any) -> Any:
        self.total += 1
        return x * 2


class Shared:
    total = 0

    def add(self, x: Any) -> Any:
        Shared.total += 1
        return x * 2


def with_attribute(x: Any) -> Any:
    with_attribute.total += 1  # type: ignore[attr-defined]
    return x * 2


def test_a_function_with_state(xp: Any, rng: Any) -> None:
    """Change in each call what it changes: a list, a variable, an object, an array, a class."""
    counts, last = [0], collections.deque([0], maxlen=1)
    many: Any = collections.Counter()
    array = np.zeros(2)
    times = 0

    class Counter:
        total = 0

        def add(self, x: Any) -> Any:
            self.total += 1
            return x * 2

    def of_list(x: Any) -> Any:
        counts[0] += 1
        return x * 2

    def of_variable(x: Any) -> Any:
        nonlocal times
        times += 1
        return x * 2

    def of_counter(x: Any) -> Any:
        many["calls"] += 1
        return x * 2

    def of_deque(x: Any) -> Any:
        last.append(last[0] + 1)
        return x * 2

    def of_array(x: Any) -> Any:
        array[0] += 1
        return x * 2

    counter, slotted, shared = Counter(), Slotted(), Shared()
    with_attribute.total = Shared.total = 0  # type: ignore[attr-defined]
    plain = [of_list, of_variable, of_counter, of_deque, of_array, with_attribute]
    x = xp.asarray(rng.normal(size=6))
    for fun in (*plain, counter.add, slotted.add, shared.add):
        recorded = OverLanes(fun, (0,), of=fun)
        for _ in range(6):
            same([recorded(x)], [x * 2])
        assert "changes" in recorded.why
    # One call more than asked for: what a trace has stored must not stay.
    found = [counts[0], times, many["calls"], last[0], int(array[0]), with_attribute.total]  # type: ignore[attr-defined]
    assert [*found, counter.total, slotted.total, Shared.total] == [7] * 9


def test_what_a_function_stores_is_not_of_a_trace(xp: Any, rng: Any) -> None:
    """A derivative that reads it finds an array."""
    stored: dict[str, Any] = {}

    def fun(x: Any) -> Any:
        stored["sine"] = array_namespace(x).sin(x)
        return stored["sine"] * 2

    recorded = OverLanes(fun, (0,), of=fun)
    for _ in range(3):
        x = xp.asarray(rng.normal(size=6))
        recorded(x)
        same([stored["sine"] * 1], [xp.sin(x)])


def test_a_constant_that_changes(xp: Any, rng: Any) -> None:
    """A number that differs from call to call is no part of a program."""
    numbers = iter(range(100))
    recorded = OverLanes(lambda x: x * float(next(numbers)), (0,))
    x = xp.asarray(rng.normal(size=6))
    found = [recorded(x) for _ in range(6)]
    assert recorded.why
    values = [float(a[0] / x[0]) for a in found]
    assert all(b > a for a, b in itertools.pairwise(values))


def test_an_error_is_the_functions_own(xp: Any, rng: Any) -> None:
    """One lane's matrix is singular."""
    recorded = OverLanes(lambda a: vmap(linalg.inv)(a), (0,))
    a = xp.asarray(rng.normal(size=(6, 2, 2)))
    for _ in range(4):
        recorded(a)
    bad = xp.asarray(np.stack([np.eye(2), np.zeros((2, 2))] * 3))
    found = []
    for fun in (recorded, recorded.own):
        try:
            found.append(fun(bad))
        except Exception as error:
            found.append((type(error), str(error)))
    if isinstance(found[0], tuple):
        assert found[0] == found[1]
    else:
        same([found[0]], [found[1]])
    same([recorded(a)], [recorded.own(a)])


def test_another_shape_the_second_time(xp: Any, rng: Any) -> None:
    def fun(x: Any) -> Any:
        return missing.nonzero(x > 0, size=None)[0] if hasattr(missing, "nonzero") else x[x > 0]

    recorded = OverLanes(fun, (0,))
    for _ in range(8):
        x = xp.asarray(rng.normal(size=12))
        same([recorded(x)], [fun(x)])


def test_a_loop_is_one_instruction(xp: Any, rng: Any) -> None:
    def fun(x: Any) -> Any:
        def one(v: Any) -> Any:
            return scan(lambda c, _: (0.5 * array_namespace(c).sin(c) + v, c), v, None, length=30)

        return jvp(vmap(one), (x,), (x,))

    recorded = OverLanes(fun, (0,))
    with interpreted():
        for n in SIZES:
            x = xp.asarray(rng.normal(size=n))
            for a, b in zip(recorded(x), recorded.fun(x), strict=True):
                same(a, b)
    ((known, _),) = recorded.known.values()
    assert [s.name for s in known.program.program.steps].count("scan") == 1
    assert len(known.program.program.steps) < 12


def test_arrays_that_it_closes_over(xp: Any, rng: Any) -> None:
    """They may be written to; what they are is found anew for each object, and not kept alive."""

    def make(c: Any) -> Any:
        return lambda x: x * c[0] + c[1]

    refs = []
    for k in range(3):
        c = xp.asarray([float(k), 2.0])
        recorded = OverLanes(make(c), (0,))
        for n in (6, 6, 8, 6):
            x = xp.asarray(rng.normal(size=n))
            same([recorded(x)], [x * k + 2])
        assert not recorded.why
        refs += [weakref.ref(c), weakref.ref(x)]
        del c, x, recorded
    gc.collect()
    assert [ref() for ref in refs] == [None] * 6


def test_arrays_of_the_batch_that_it_closes_over(xp: Any, rng: Any) -> None:
    """A few of the lanes don't fit to them: so it can't be recorded for any number."""
    c = xp.asarray(rng.normal(size=6))
    recorded = OverLanes(lambda x: x * c, (0,))
    for _ in range(4):
        x = xp.asarray(rng.normal(size=6))
        same([recorded(x)], [x * c])
    joint = OverLanes(lambda x: x * c, (0,), joint=True)
    for _ in range(4):
        x = xp.asarray(rng.normal(size=6))
        same([joint(x)], [x * c])
    assert recorded.why and not joint.why


def test_code_that_says_it_all_is_traced_once(xp: Any, rng: Any) -> None:
    calls = []
    for _ in range(3):
        recorded, called = over(slope, (None, 0, 0), of=slope)
        with interpreted():
            for n in (12, 12, 30, 12):
                args = arrays(xp, rng, n)
                same(recorded(*args), slope(*args))
        calls.append(called.calls)
    assert calls == [4, 0, 0]


@pytest.mark.xp_skip({"strict": "its arrays' values are not at hand", "torch": "as strict"})
def test_arrays_in_code_that_says_it_all(xp: Any, rng: Any) -> None:
    """Arrays with the same values are the same code; other values are another."""
    calls = []
    for k in (1.0, 1.0, 2.0, 1.0):
        c = xp.asarray([k, 2.0])

        def fun(x: Any, c: Any = c) -> Any:
            return x * c[0] + c[1]

        recorded, called = over(fun, (0,), of=fun)
        for n in (12, 12, 30, 12):
            x = xp.asarray(rng.normal(size=n))
            same([recorded(x)], [x * k + 2])
        calls.append(called.calls)
    assert calls == [4, 0, 4, 0]


def test_many_kinds_are_not_kept(xp: Any) -> None:
    x = xp.asarray(np.ones(6))
    for k in range(2 * _lanes._KEPT.size):
        recorded = OverLanes(eval(f"lambda x: x * {k}.0 + {k % 7}"), (0,))
        for _ in range(2):
            recorded(x)
    assert len(_lanes._KEPT) <= _lanes._KEPT.size


def test_threads_share_a_recording(xp: Any, rng: Any) -> None:
    recorded = OverLanes(slope, (None, 0, 0))
    work = [arrays(xp, rng, n) for n in (40, 12, 25, 9) for _ in range(5)]
    with interpreted():
        expected = [slope(*args) for args in work]
    wrong: list[int] = []

    def run() -> None:
        with interpreted():
            for k, args in enumerate(work):
                try:
                    same(recorded(*args), expected[k])
                except AssertionError:
                    wrong.append(k)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_look_that_is_remembered(xp: Any) -> None:
    """Once for functions with the same code; each time for others."""
    looks = []

    def look() -> int:
        looks.append(1)
        return 5

    x = xp.asarray([1.0])
    for _ in range(3):
        assert once_for(eval("lambda x: x + 1.0"), x, look) == 5
    assert len(looks) in (1, 3)  # the code of each is a new one, and equal
    held = [1.0]
    before = len(looks)
    for _ in range(3):
        assert once_for(lambda x: x + held[0], x, look) == 5
    assert len(looks) == before + 3
