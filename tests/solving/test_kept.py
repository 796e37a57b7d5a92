"""Derivatives that are kept by what a function's trace reads."""

from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.errors import TransformError
from likewise.optimize import curve_fit, minimize
from likewise.solving import _kept
from likewise.solving._kept import kept
from likewise.transforms import grad
from likewise.transforms._recordings._cache import Cache

X = np.asarray([0.5, -1.5])


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(_kept, "_KEPT", Cache(256))
    return _kept


def recordings() -> int:
    return sum(made is not None for _, made in _kept._KEPT.values())


def waves(c: Any, raw: Any = None) -> Any:
    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        y = xp.sin(c * x) if raw is None else xp.sin(c * x) * raw
        return xp.sum(y)

    return fun


def test_new_functions_that_read_alike_have_one_recording() -> None:
    for _ in range(3):
        np.testing.assert_allclose(kept(grad, waves(2.0), X)(X), 2 * np.cos(2 * X), rtol=1e-14)
    assert recordings() == 1


def test_what_a_function_closes_over_is_that_of_the_call() -> None:
    for raw in (np.asarray([1.0, 2.0]), np.asarray([3.0, -4.0])):
        got = kept(grad, waves(2.0, raw), X)(X + 1)
        np.testing.assert_allclose(got, 2 * np.cos(2 * (X + 1)) * raw, rtol=1e-14)
    assert recordings() == 1
    got = kept(grad, waves(2.0, np.asarray(5.0)), X)(X)
    np.testing.assert_allclose(got, 10 * np.cos(2 * X), rtol=1e-14)
    assert recordings() == 2  # of another shape


@pytest.mark.parametrize("others", [(1.0, 1), (0.0, -0.0), (1.0, True), (2.0, 2.0 + 1e-15)])
def test_constants_are_told_apart_by_type_and_bits(others: Any) -> None:
    for c in others:
        got = kept(grad, waves(c), X)(X)
        np.testing.assert_array_equal(got, grad(waves(c))(X))
    assert recordings() == 2


def test_what_looks_at_values_or_changes_its_mind_is_followed_as_ever() -> None:
    def branches(x: Any) -> Any:
        return x[0] ** 2 if float(np.asarray(x.shape[0])) > 0 and x[0] > 0 else x[1] ** 3

    def counts(x: Any, seen: list[int] = []) -> Any:  # noqa: B006
        seen.append(1)
        return len(seen) * array_namespace(x).sum(x)

    np.testing.assert_allclose(kept(grad, branches, X)(X), [1.0, 0.0])
    np.testing.assert_allclose(kept(grad, branches, X)(-X), [0.0, 6.75])
    before = kept(grad, counts, X)(X)
    assert (kept(grad, counts, X)(X) > before).all()
    assert recordings() == 0


def test_errors_are_those_of_the_function() -> None:
    def fun(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        kept(grad, fun, X)(X)


def test_what_is_read_ends_with_the_reading() -> None:
    leaked = []

    def fun(x: Any) -> Any:
        leaked.append(x * 2)
        return array_namespace(x).sum(x)

    kept(grad, fun, X)
    with pytest.raises(TransformError, match="is used after the transform has ended"):
        leaked[0] + 1


def test_within_transforms_nothing_is_kept() -> None:
    def outer(c: Any) -> Any:
        return kept(grad, lambda x: array_namespace(x, c).sum(c * x**2), X)(X)[0]

    assert float(grad(outer)(np.asarray(3.0))) == 1.0
    assert recordings() == 0


def test_kinds_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kept._KEPT, "size", 3)
    for c in range(8):
        kept(grad, waves(float(c)), X)
    assert len(_kept._KEPT) == 3


def test_a_function_that_itself_comes_here() -> None:
    """A fit in an objective: what is made for the one makes something for the other."""
    t = np.linspace(0.0, 1.0, 12)

    def objective(p: Any) -> Any:
        found = curve_fit(lambda t, a: a * np.exp(-2 * t), t, np.exp(-2 * t) * p[0], p0=[1.0])
        return (found[0][0] - 3.0) ** 2

    for _ in range(2):
        np.testing.assert_allclose(minimize(objective, np.ones(1)).x, 3.0, rtol=1e-5)
    assert len(_kept._KEPT) > 1
