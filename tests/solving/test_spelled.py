"""Functions whose code tells what they do, and those of which it doesn't."""

import functools
import math
import random
import time
import types
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy import exp

import likewise
from likewise import array_namespace
from likewise.solving import _kept
from likewise.solving._kept import kept
from likewise.solving._spelled import spelled
from likewise.transforms import grad
from likewise.transforms._recordings._cache import Cache

X = np.asarray([0.5, -1.5])
SCALE = 2.0
LIST = [2.0]
ARRAY = np.asarray([1.0, 2.0])


def scaled(x: Any) -> Any:
    return array_namespace(x).sum(SCALE * x**2)


def through(x: Any) -> Any:
    return scaled(x) + math.pi


def closed(c: Any) -> Any:
    return lambda x: array_namespace(x).sum(c * x)


def defaults(x: Any, k: Any = 3) -> Any:
    return likewise.array_namespace(x).sum(x[:k] * exp(x)) + np.sin(x)[0]


def several(x: Any) -> Any:
    return sum(x[i] ** 2 for i in range(len(x)))


@pytest.mark.parametrize("f", [scaled, through, closed(2.0), closed((1, None)), defaults, several])
def test_of_these_the_code_tells(f: Any) -> None:
    assert spelled(f) is not None
    assert hash(spelled(f)) == hash(spelled(f))
    assert spelled(partial(f, k=2)) not in (None, spelled(f))


def test_arguments_by_place_and_by_name_are_told_apart() -> None:
    def f(*args: Any, **kwargs: Any) -> Any:
        return args[0]

    ways = [spelled(g) for g in (partial(f, "a", 1), partial(f, a=1), f)]
    assert None not in ways and len(set(ways)) == 3


def test_numbers_are_told_apart_by_type_and_bits() -> None:
    kinds = [spelled(closed(c)) for c in (1, 1.0, True, 0.0, -0.0, 2.0, "2.0", None, 1j)]
    assert len(set(kinds)) == len(kinds)
    assert spelled(closed(2.0)) == spelled(closed(2.0))


def counting(seen: Any) -> Any:
    def f(x: Any) -> Any:
        nonlocal seen
        seen = seen + 1
        return x

    return f


class Model:
    def value(self, x: Any) -> Any:
        return x

    def __call__(self, x: Any) -> Any:
        return x


def assigns(x: Any) -> Any:
    global SCALE
    SCALE = 3.0
    return x


def imports(x: Any) -> Any:
    from random import random as some

    return x * some()


def unbound() -> Any:
    def f(x: Any) -> Any:
        return x * later

    if X.shape == ():
        later = 2.0
    return f


@pytest.mark.parametrize(
    "f",
    [
        counting(0),
        closed([1.0]),
        closed(ARRAY),
        closed(np.float64(2.0)),
        closed(Model()),
        Model(),
        Model().value,
        assigns,
        imports,
        unbound(),
        lambda x: x * LIST[0],
        lambda x: x * ARRAY,
        lambda x: x * random.random(),
        lambda x: x * time.time(),
        lambda x: x * np.random.default_rng().normal(),
        lambda x: np.empty(2) * x,
        lambda x: x * kept.some,  # type: ignore[attr-defined]
        lambda x: x * id(x),
        lambda x: x * nowhere,  # type: ignore[name-defined] # noqa: F821
        lambda x: (lambda: LIST[0])() * x,
    ],
    ids=lambda f: getattr(f, "__name__", "object"),
)
def test_of_these_it_does_not(f: Any) -> None:
    assert spelled(f) is None


def test_a_global_that_changes_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kept, "_SPELLED", Cache(256))
    for scale in (2.0, -3.0, 2.0):
        monkeypatch.setitem(globals(), "SCALE", scale)
        got = kept(grad, lambda x: through(x), X, of=through)(X)
        np.testing.assert_array_equal(got, grad(through)(X))
        np.testing.assert_allclose(got, 2 * scale * X)
    assert len(_kept._SPELLED) == 2


def test_a_function_that_was_seen_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kept, "_SPELLED", Cache(256))
    kept(grad, scaled, X, of=scaled)
    monkeypatch.setattr(_kept, "_read", None)
    np.testing.assert_array_equal(kept(grad, scaled, X, of=scaled)(X + 1), grad(scaled)(X + 1))
    other = types.FunctionType(scaled.__code__, {**globals(), "SCALE": 5.0})
    with pytest.raises(TypeError):  # which is to be followed
        kept(grad, other, X, of=other)
    with pytest.raises(TypeError):
        kept(grad, scaled, X[:1], of=scaled)
    with np.errstate(over="raise"), pytest.raises(TypeError):
        kept(grad, scaled, X, of=scaled)


def test_kinds_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kept, "_SPELLED", Cache(256))
    monkeypatch.setattr(_kept._SPELLED, "size", 3)
    for c in range(8):
        f = closed(float(c))
        kept(grad, f, X, of=f)
    assert len(_kept._SPELLED) == 3


def test_what_looks_at_values_is_followed_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kept, "_SPELLED", Cache(256))

    def branches(x: Any) -> Any:
        return x[0] ** 2 if x[0] > 0 else x[1] ** 3

    np.testing.assert_allclose(kept(grad, branches, X, of=branches)(X), [1.0, 0.0])
    np.testing.assert_allclose(kept(grad, branches, X, of=branches)(-X), [0.0, 6.75])
    assert not _kept._SPELLED


def test_attributes_of_functions_are_not_said() -> None:
    """They may change; what `functools.wraps` sets doesn't count."""

    def settings() -> None: ...

    def fun(x: Any) -> Any:
        return x * settings.T  # type: ignore[attr-defined]

    assert spelled(fun) is not None
    settings.T = 2.0  # type: ignore[attr-defined]
    assert spelled(fun) is None

    @functools.wraps(len)
    def wrapped(x: Any) -> Any:
        return x + 1

    assert spelled(wrapped) is not None
