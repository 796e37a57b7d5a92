"""The driver against plain loops over one problem after another."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import likewise
from likewise.solving._driver import Method, again, iterate, joined, taken
from likewise.solving._outcome import Outcome, outcomes
from likewise.solving._watch import Watch, keeping
from likewise.transforms import vmap

by_values = pytest.mark.xp_skip({"dask": "the iterations look at values"})


class Memory(NamedTuple):
    """A matrix of each problem, and what there is none of."""

    last: Any
    nothing: Any = None


class State(NamedTuple):
    """Heron's iteration for a root of each of two numbers."""

    x: Any  # (B, 2)
    memory: Memory
    status: Any
    nit: Any


class Problems(NamedTuple):
    numbers: Any  # (B, 2)
    far: Any  # (B,) or (1,): how close to come


def start(problems: Problems) -> State:
    c = problems.numbers
    xp = likewise.array_namespace(c)
    first = outcomes(c[:, 0], (xp.any(~(c > 0), axis=1), Outcome.NOT_FINITE))
    zero = xp.zeros_like(first)
    return State(xp.ones_like(c), Memory(c[:, :, None] * c[:, None, :]), first, zero)


def step(problems: Problems, s: State) -> State:
    c = problems.numbers
    xp = likewise.array_namespace(c)
    x = 0.5 * (s.x + xp.abs(c) / s.x)  # what has ended runs along
    size = xp.max(xp.abs(x - s.x) / x, axis=1)
    code = outcomes(size, (size <= problems.far, Outcome.CONVERGED))
    return State(x, Memory(s.memory.last + x[:, :, None]), code, s.nit + 1)


HERON = Method(start, step)


def one(c: Any, far: float, limit: int) -> tuple[Any, Any, int, int]:
    """The same of one problem, by itself."""
    if not np.all(c > 0):
        return np.ones(2), np.outer(c, c), Outcome.NOT_FINITE, 0
    x, last = np.ones(2), np.outer(c, c)
    for i in range(limit):
        before, x = x, 0.5 * (x + c / x)
        last = last + x[:, None]
        if np.max(np.abs(x - before) / x) <= far:
            return x, last, Outcome.CONVERGED, i + 1
    return x, last, Outcome.LIMIT, limit


def numbers(count: int) -> Any:
    c = np.random.default_rng(5).lognormal(0.0, 4.0, size=(count, 2))
    c[3 % count, 1] = -1.0
    return c


def same(lib: Any, found: State, c: Any, far: float = 1e-3, limit: int = 7) -> None:
    wanted = [one(row, far, limit) for row in c]
    got = (found.x, found.memory.last, found.status, found.nit)
    for a, b in zip(got, zip(*wanted, strict=True), strict=True):
        rtol = 1e-9 if lib.has_float64 else 1e-4
        np.testing.assert_allclose(lib.to_numpy(a), np.stack(b), rtol=rtol)
    assert found.memory.nothing is None


@by_values
@pytest.mark.parametrize("count, width", [(1, None), (5, None), (300, None), (300, 40), (5, 2)])
def test_as_one_after_another(lib: Any, count: int, width: int | None) -> None:
    c = numbers(count)
    found = iterate(HERON, Problems(lib.asarray(c), lib.asarray([1e-3])), 7, width=width)
    same(lib, found, c)


@by_values
@pytest.mark.parametrize("width", [None, 40])
def test_problems_on_the_last_axis(lib: Any, width: int | None) -> None:
    class Rows(NamedTuple):
        data: Any  # (B, 3)
        start: Any  # (2, B)

        def by_row(self) -> set[str]:
            return {"data"}

    class Sums(NamedTuple):
        total: Any  # (2, B)
        status: Any

    def first(rows: Rows) -> Sums:
        return Sums(rows.start, outcomes(rows.start[0, :]))

    def further(rows: Rows, s: Sums) -> Sums:
        xp = likewise.array_namespace(s.total)
        total = s.total + xp.sum(rows.data, axis=1)
        return Sums(total, outcomes(total[0, :], (total[1, :] > 9.0, Outcome.CONVERGED)))

    data = np.random.default_rng(1).uniform(0.1, 2.0, size=(200, 3))
    begin = np.random.default_rng(2).uniform(size=(2, 200))
    rows = Rows(lib.asarray(data), lib.asarray(begin))
    found = iterate(Method(first, further, axis=-1), rows, width=width)
    wanted = begin.copy()
    for _ in range(100):
        wanted = np.where(wanted[1] > 9.0, wanted, wanted + data.sum(axis=1))
    np.testing.assert_allclose(lib.to_numpy(found.total), wanted, rtol=1e-5)
    assert np.all(lib.to_numpy(found.status) == Outcome.CONVERGED)
    if lib.library == "numpy" and width is not None:  # in one loop, where a step may be mapped

        def mapped(more: Any) -> Any:
            def step(rows: Rows, s: Sums) -> Sums:
                new = further(rows, s)
                return new._replace(total=new.total + more)

            return iterate(Method(first, step, axis=-1), rows, width=width).total

        np.testing.assert_allclose(vmap(mapped)(np.asarray([0.0]))[0], wanted)


@by_values
@pytest.mark.parametrize("width", [None, 40])
def test_some_once_more(lib: Any, width: int | None) -> None:
    c = numbers(200)
    problems = Problems(lib.asarray(c), lib.asarray([1e-3]))
    found = iterate(HERON, problems, 7)

    def merged(new: State, old: State) -> State:
        return new._replace(nit=new.nit + old.nit)

    both = again(HERON, problems, found, found.status == Outcome.LIMIT, merged, width=width)
    nit = [n for *_, n in (one(row, 1e-3, 7) for row in c)]
    full = [one(row, 1e-3, 999) for row in c]
    wanted = [n + (m if n == 7 and m > 7 else 0) for n, (*_, m) in zip(nit, full, strict=True)]
    np.testing.assert_array_equal(lib.to_numpy(both.nit), wanted)
    good = lib.to_numpy(both.status) == Outcome.CONVERGED
    assert np.all(good == np.all(c > 0, axis=1))


@pytest.mark.parametrize("width", [None, 30])
def test_what_is_kept(width: int | None) -> None:
    class End(NamedTuple):
        root: Any
        status: Any

    c = numbers(200)
    method = HERON._replace(end=lambda s: End(s.x, s.status))
    found = iterate(method, Problems(c, np.asarray([1e-3])), 7, width=width)
    assert isinstance(found, End)
    np.testing.assert_allclose(found.root, np.stack([one(row, 1e-3, 7)[0] for row in c]))


def sizes(width: int | None, **options: Any) -> list[int]:
    """How many problems each step saw."""
    seen = []

    def watched(problems: Problems, s: State) -> State:
        seen.append(s.x.shape[0])
        return step(problems, s)

    problems = Problems(numbers(600), np.asarray([1e-3]))
    iterate(HERON._replace(step=watched), problems, width=width, **options)
    return seen


def test_room_is_made() -> None:
    assert sizes(None)[0] == 600 and min(sizes(None)) < 200
    assert set(sizes(None, joint=True)) == set(sizes(100, joint=True)) == {600}
    rounds = sizes(100)
    assert max(rounds) == 100 and rounds.count(100) > len(rounds) // 2
    assert sum(rounds) < sum(sizes(None, joint=True))


@by_values
def test_a_limit_of_no_steps(lib: Any) -> None:
    problems = Problems(lib.asarray(numbers(5)), lib.asarray([1e-3]))
    for width in (None, 2):
        found = iterate(HERON, problems, 0, width=width)
        codes = lib.to_numpy(found.status)
        assert codes[3] == Outcome.NOT_FINITE and np.sum(codes == Outcome.LIMIT) == 4


def test_what_a_step_closes_over_may_be_mapped() -> None:
    """The status has values before the first step, and none after it."""
    c = numbers(200)
    problems = Problems(c, np.asarray([1e-3]))

    def root(shift: Any) -> Any:
        def shifted(problems: Problems, s: State) -> State:
            xp = likewise.array_namespace(problems.numbers, shift)
            return step(Problems(xp.asarray(problems.numbers) + shift, problems.far), s)

        return iterate(HERON._replace(step=shifted), problems, 90, width=50).x

    found = vmap(root)(np.asarray([0.0, 0.5]))
    for x, shift in zip(found, (0.0, 0.5), strict=True):
        good = np.all(c > 0, axis=1)
        wanted = np.stack([one(row + shift, 1e-3, 90)[0] for row in c[good]])
        np.testing.assert_allclose(np.asarray(x)[good], wanted)


@pytest.mark.parametrize("width", [None, 30])
def test_an_interruption_keeps_what_is_done(width: int | None) -> None:
    told = []
    calls = [0]

    def slow(problems: Problems, s: State) -> State:
        calls[0] += 1
        if calls[0] == 9:
            raise KeyboardInterrupt
        return step(problems, s)

    c = numbers(200)
    problems = Problems(c, np.asarray([1e-3]))
    watch = Watch(lambda done, total, text: told.append((done, total)), 200, keeps=True)
    found = iterate(HERON._replace(step=slow), problems, width=width, watch=watch)
    full = [one(row, 1e-3, 999) for row in c]
    ended = found.status != Outcome.INTERRUPTED
    assert 0 < np.sum(ended) < 200 and watch.halted and told[0][1] == 200
    np.testing.assert_allclose(found.x[ended], np.stack([r[0] for r in full])[ended])
    calls[0] = 0
    with keeping(True):
        alike = iterate(HERON._replace(step=slow), problems, width=width)
    np.testing.assert_array_equal(alike.status, found.status)
    for watch in (None, Watch(None, 200)):
        with pytest.raises(KeyboardInterrupt), keeping(False):
            calls[0] = 0
            iterate(HERON._replace(step=slow), problems, width=width, watch=watch)


def test_everybody_is_told_of_once() -> None:
    told = []
    watch = Watch(lambda done, total, text: told.append(done), 300)
    iterate(HERON, Problems(numbers(300), np.asarray([1e-3])), width=40, watch=watch)
    assert told[-1] == 300 and told == sorted(told)


@pytest.mark.xp_skip({"jax-jit": "traced, an array is another"})
def test_trees(lib: Any) -> None:
    a = lib.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    tree = (a, Memory(a[:, 0]), lib.asarray([7.0]), "x", None)
    some = taken(tree, slice(1, 3))
    np.testing.assert_array_equal(lib.to_numpy(some[0]), [[3.0, 4.0], [5.0, 6.0]])
    np.testing.assert_array_equal(lib.to_numpy(some[1].last), [3.0, 5.0])
    assert some[2] is tree[2] and some[3:] == ("x", None)
    both = joined([taken(tree[:2], slice(0, 2)), taken(tree[:2], slice(1, 3))])
    np.testing.assert_array_equal(lib.to_numpy(both[1].last), [1.0, 3.0, 3.0, 5.0])


class Falling(NamedTuple):
    """Takes 2 and the root until it is below 1; of what is below 2 there is no root."""

    x: Any
    status: Any
    nit: Any


def falling(xp: Any) -> Method:
    def begin(problems: tuple[Any]) -> Falling:
        zero = xp.zeros_like(problems[0], dtype=xp.int32)
        return Falling(problems[0], zero, zero)

    def one(problems: tuple[Any], s: Falling) -> Falling:
        x = xp.sqrt(xp.where(s.x < 2, xp.nan, s.x - 2))
        code = outcomes(x, (x < 1, Outcome.CONVERGED), (x > 50, Outcome.FLAT))
        return Falling(x, code, s.nit + 1)

    return Method(begin, one, value=lambda s: (s.x, s.x[:, None], s.x == s.x))


@by_values
def test_what_is_not_finite_ends(lib: Any) -> None:
    """At the start, after a step, and at the limit; what failed by itself stays what it is."""
    start = np.asarray([11.0, 2.5, np.inf, np.nan, 4e3, 1.0, 3.5])
    out = iterate(falling(lib.xp), (lib.asarray(start),), 1)
    C, N = Outcome.CONVERGED, Outcome.NOT_FINITE
    expected = [Outcome.LIMIT, C, N, N, Outcome.FLAT, N, Outcome.LIMIT]
    np.testing.assert_array_equal(lib.to_numpy(out.status), expected)
    np.testing.assert_array_equal(lib.to_numpy(out.nit), [1, 1, 0, 0, 1, 1, 1])
    out = iterate(falling(lib.xp), (lib.asarray(start),), 9, width=2)
    np.testing.assert_array_equal(lib.to_numpy(out.status), [N, C, N, N, Outcome.FLAT, N, N])
