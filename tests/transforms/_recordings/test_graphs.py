"""Loops of batches, traced for two numbers of lanes and replayed for others."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, fori_loop, scan, vmap, while_loop
from likewise._namespace import hooks_of
from likewise.transforms import _loops
from likewise.transforms._derivatives import forward_several
from likewise.transforms._following._kinds import exact
from likewise.transforms._recordings._program import Program
from likewise.transforms._recordings._recording import record
from likewise.transforms._scans import Loop
from likewise.transforms._tree import flatten

from .test_recording import same

TRACED = 3, 11
LANES = 1, 7


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops of few steps are followed, too."""
    monkeypatch.setattr(_loops, "LEAST", 3)
    monkeypatch.setattr(_loops, "_FAILED", {})


# -- models of one lane ----------------------------------------------------------------------------


def decays(a: Any, b: Any, t: Any) -> Any:
    """A scan along the times, each with its result."""
    xp = array_namespace(a, t)

    def step(value: Any, now: Any) -> Any:
        value = value * xp.exp(-a * 0.01) + now * b
        return value, xp.sin(value)

    return scan(step, xp.zeros_like(a + b), t)[1]


def counts(a: Any, b: Any, t: Any) -> Any:
    """A counted loop with an array in the carry, and an index."""
    xp = array_namespace(a, t)
    return fori_loop(
        0, 9, lambda i, v: v * xp.exp(-a) + t[i] * b / (i + 1) + t, xp.zeros_like(t + a)
    )


def grows(a: Any, b: Any, t: Any) -> Any:
    """Each lane ends when it is large enough."""
    xp = array_namespace(a, t)
    return while_loop(lambda v: v[0] < b, lambda v: v * 1.1 + a, xp.ones_like(t + a))


def nested(a: Any, b: Any, t: Any) -> Any:
    xp = array_namespace(a, t)

    def outer(i: Any, v: Any) -> Any:
        v = while_loop(lambda w: xp.sum(w) < b, lambda w: w + xp.exp(w * 0.01) * a, v * 0.5 - i)
        return fori_loop(0, 5, lambda j, w: w * 0.99 + t[j] * 0.001 * a, v)

    return fori_loop(0, 4, outer, t[:3] * a)


def chooses(a: Any, b: Any, t: Any) -> Any:
    xp = array_namespace(a, t)

    def step(value: Any, now: Any) -> Any:
        value = xp.where(value < b, value + now, value * 0.5 - a)
        return value, xp.stack([value, now * value])

    return xp.sum(scan(step, a, t, reverse=True)[1], axis=1)


MODELS = [decays, counts, grows, nested, chooses]


# -- models of lanes -------------------------------------------------------------------------------


def lanes_alone(model: Any) -> Any:
    return lambda a, b, t: vmap(model, in_axes=(0, 0, None))(a, b, t)


def with_tangents(fun: Any) -> Any:
    def several(a: Any, b: Any, t: Any) -> Any:
        value, found = forward_several(lambda a, b: fun(a, b, t), (), (a, b))
        return value, *found

    return several


def jointly(a: Any, b: Any, t: Any) -> Any:
    """The lanes together, as with ``vectorized=True``: parameters (B, 1), results (B, n)."""
    xp = array_namespace(a, t)

    def step(value: Any, now: Any) -> Any:
        value = value * xp.exp(-a * 0.01) + now * b
        return value, value[:, 0] / value.shape[0]

    most = fori_loop(0, 5, lambda i, v: v * 0.9 + xp.broadcast_to(t[i], v.shape), a * b)
    found = xp.moveaxis(scan(step, xp.zeros_like(a + b), t)[1], 0, 1)
    return found + most + while_loop(lambda v: xp.any(v < 9), lambda v: v + xp.sin(a) ** 2, a)


WAYS = {f"{m.__name__}, lanes": (lanes_alone(m), ()) for m in MODELS}
WAYS |= {f"{m.__name__}, tangents": (with_tangents(lanes_alone(m)), ()) for m in MODELS}
WAYS |= {"jointly": (jointly, (1,)), "jointly, tangents": (with_tangents(jointly), (1,))}


def points(array: Any, lanes: int, more: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(lanes)
    a, b = rng.uniform(0.5, 1, (lanes, *more)), rng.uniform(5, 20, (lanes, *more))
    return [array(a), array(b), array(np.linspace(0.5, 1, 12))]


class Differ(Exception):
    """Two loops differ in more than integers."""


def varied(one: Any, two: Any, lanes: int) -> Any:
    """The values for a number of lanes: integers are a multiple of it, plus a constant."""
    if isinstance(one, tuple | slice) and type(one) is type(two):
        if isinstance(one, slice):
            return slice(
                *[varied(*ends, lanes) for ends in zip(parts(one), parts(two), strict=True)]
            )
        if len(one) != len(two):
            raise Differ
        return tuple([varied(a, b, lanes) for a, b in zip(one, two, strict=True)])
    if type(one) is type(two) is int and one != two:
        slope, rest = divmod(two - one, TRACED[1] - TRACED[0])
        if rest == 0:
            return one + slope * (lanes - TRACED[0])
    if exact(one, trusted=True) != exact(two, trusted=True):
        raise Differ
    return one


def parts(x: slice) -> tuple[Any, ...]:
    return x.start, x.stop, x.step


def sized(one: Loop, two: Loop, lanes: int) -> Loop:
    if one.form() != two.form():
        raise Differ
    return one.with_values(varied(one.values(), two.values(), lanes))


def traced(fun: Any, given: list[Any]) -> tuple[Program, list[Any]]:
    found, out, why = record(hooks_of(given[0]), fun, given)
    assert not why
    same(out, fun(*given))
    assert found is not None
    return found.program, [*given, *(found.found() or [])]


def loops(program: Program) -> list[Any]:
    """The loops' calls, under the check of what they give."""
    calls = [getattr(s.call, "__wrapped__", s.call) for s in program.steps]
    return [call for call in calls if isinstance(call, Loop)]


def replay(program: Program, given: list[Any], instead: dict[Any, Any]) -> list[Any]:
    """Run a program call after call, with other loops in place of its own."""
    values = dict(enumerate([*given, *program.constants]))
    for step in program.steps:
        call = instead.get(id(getattr(step.call, "__wrapped__", None)), step.call)
        out = call(*[values[s] for s in step.operands], **step.settings)
        found = [out] if step.shape == "one" else flatten(out)[0]
        values.update(zip(step.results, found, strict=True))
    return [values[r.slot] for r in program.results]


FEW = [pytest.param("strict", w, marks=pytest.mark.needs("array_api_strict")) for w in [*WAYS][:3]]


@pytest.mark.parametrize(("name", "way"), [*[("numpy", w) for w in WAYS], *FEW])
def test_loops_of_other_numbers_of_lanes(name: str, way: str) -> None:
    fun, more = WAYS[way]

    def array(x: Any) -> Any:
        return likewise.asarray(np.asarray(x), namespace=name)

    one, two = (traced(fun, points(array, n, more))[0] for n in TRACED)
    both = list(zip(loops(one), loops(two), strict=True))
    assert both
    for n in LANES:
        program, given = traced(fun, points(array, n, more))
        own = loops(program)
        made = [sized(a, b, n) for a, b in both]
        assert made == own  # what it would have been, had it been traced
        instead = {id(a): b for a, b in zip(own, made, strict=True)}
        for _ in range(2):
            same(replay(program, given, instead), flatten(fun(*given[:3]))[0])
        other = [array(np.asarray(x)[::-1].copy()) for x in given[:3]]
        same(replay(program, [*other, *given[3:]], instead), flatten(fun(*other))[0])


def test_loops_that_differ_in_more() -> None:
    def ladder(a: Any, b: Any, t: Any) -> Any:  # another function for many lanes
        times = 0.5 if a.shape[0] > 5 else 0.25
        return fori_loop(0, 8, lambda i, v: v * times + a, b)

    def longer(a: Any, b: Any, t: Any) -> Any:  # of a length that isn't linear
        return fori_loop(0, a.shape[0] ** 2, lambda i, v: v + a, b)

    def more(a: Any, b: Any, t: Any) -> Any:
        return fori_loop(0, 8, lambda i, v: v + a if a.shape[0] < 5 else v + a + a, b)

    for fun in (ladder, more):
        one, two = (loops(traced(fun, points(np.asarray, n, ()))[0])[0] for n in TRACED)
        assert (one.form() == two.form()) == (fun is ladder)
        with pytest.raises(Differ):
            sized(one, two, 5)
    one, two = (loops(traced(longer, points(np.asarray, n, ()))[0])[0] for n in TRACED)
    assert sized(one, two, 11) == two
    assert sized(one, two, 5) != loops(traced(longer, points(np.asarray, 5, ()))[0])[0]
