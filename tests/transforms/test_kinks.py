"""Values where a derivative has several to choose from, and the pages that show them."""

import math
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import TransformError
from likewise.interop import to_numpy
from likewise.transforms import grad, jvp, vjp, vmap
from likewise.transforms._following._instructions import INSTRUCTIONS
from likewise.transforms._following._interpreter import interpreted
from likewise.transforms._following._reasons import REASONS

from . import tables
from .kinks import KINKS, Kink, of_interpreter


@pytest.mark.parametrize(
    "library", ["strict", "numpy", pytest.param("torch", marks=pytest.mark.needs("torch"))]
)
@pytest.mark.parametrize("kink", [pytest.param(k, id=k.text) for k in KINKS])
def test_fixed_value(kink: Kink, library: str) -> None:
    np.testing.assert_allclose(of_interpreter(kink, library), kink.value, rtol=1e-14)


def test_powers_of_zero() -> None:
    p = np.asarray([0.0, 1.0, 2.0, 2.5])
    x = np.zeros(4)
    _, pull = vjp(lambda x, p: x**p, x, p)
    np.testing.assert_array_equal(pull(np.ones(4))[0], [0, 1, 0, 0])
    np.testing.assert_array_equal(pull(np.ones(4))[1], 0)


def test_twice_at_the_kink_of_abs() -> None:
    second = grad(grad(lambda x: abs(x) * x))
    assert second(np.asarray(0.0)) == 0
    assert second(np.asarray(-1.5)) == -2


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("correction", [0.0, 1.0])
def test_equal_numbers_have_no_spread_to_differentiate(axis: Any, correction: float) -> None:
    """Their mean may be off by a last digit, as that of three 0.1 is."""
    x = np.stack([np.zeros(3) + 0.1, np.zeros(3) + 0.1])

    def fun(x: Any) -> Any:
        return likewise.array_namespace(x).std(x, axis=axis, correction=correction)

    out, pull = vjp(fun, x)
    np.testing.assert_array_equal(pull(np.ones_like(out))[0], 0)
    np.testing.assert_array_equal(jvp(fun, (x,), (np.arange(6.0).reshape(2, 3),))[1], 0)
    np.testing.assert_array_equal(vmap(lambda x: vjp(fun, x)[1](np.ones_like(out))[0])(x[None]), 0)


def test_infinities_and_nan_have_no_spread_at_all() -> None:
    fun = grad(lambda x: likewise.array_namespace(x).std(x))
    with np.errstate(invalid="ignore"):
        assert np.isnan(fun(np.asarray([math.inf, math.inf]))).all()
    assert np.isnan(fun(np.asarray([math.nan, 1.0]))).all()


def test_extremes_of_nan_have_nan_in_both_modes(place: Any) -> None:
    if place.native:
        return
    xp = place.xp
    rows = [[1.0, math.nan, 3.0], [1.0, 1.0, 3.0]]
    for name, one in (("max", [0.0, 0.0, 1.0]), ("min", [0.5, 0.5, 0.0])):

        def fun(x: Any, name: str = name) -> Any:
            return getattr(likewise.array_namespace(x), name)(x, axis=-1)

        x = place.array(rows)
        g = vjp(fun, x)[1](xp.ones_like(x[:, 0]))[0]
        t = jvp(fun, (x,), (place.array([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]]),))[1]
        np.testing.assert_array_equal(to_numpy(g), [[math.nan] * 3, one])
        np.testing.assert_array_equal(to_numpy(t), [math.nan, 4.0 if name == "max" else 1.5])


def test_nan_in_the_sorted_array_comes_last() -> None:
    """In a batch as in one lane."""
    rows = np.asarray([[-1.0, 0.5, math.nan], [0.0, 1.0, 2.0]])
    wanted = np.asarray([[0.5, math.nan, 3.0], [0.5, math.nan, -3.0]])
    xp = likewise.namespace("numpy")
    for side in ("left", "right"):
        with interpreted():
            found = vmap(
                lambda a, v, side=side: likewise.array_namespace(a).searchsorted(a, v, side=side)
            )(rows, wanted)
        expected = [xp.searchsorted(a, v, side=side) for a, v in zip(rows, wanted, strict=True)]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", sorted({n for n, kind in REASONS if kind == "derivative"}))
def test_refusal_says_why(name: str) -> None:
    def fun(x: Any) -> Any:
        return getattr(likewise.array_namespace(x), name)(x)

    with pytest.raises(TransformError, match="has no derivative.*equal elements"):
        vjp(fun, np.ones(3))
    with pytest.raises(TransformError, match="has no rule for batches.*size of the result"):
        vmap(fun)(np.ones((2, 3)))


@pytest.mark.parametrize("name", sorted(INSTRUCTIONS))
def test_every_function_has_rules_and_cases_or_a_reason(name: str) -> None:
    has = tables.tested()
    for what in tables.CELLS:
        kind = "batch" if what == "batch" else "derivative"
        if tables.cell(name, what) in ("no", "loop"):
            assert (name, kind) in REASONS, f"{name}: {what}"
        else:
            assert (name, what) in has, f"{name}: {what}"


def _page(name: str) -> str:
    return (tables.DOCS / name).read_text(encoding="utf-8")


def test_page_of_rules_is_up_to_date() -> None:
    assert _page("transforms_table.md") == tables.rules_page(), "run ci/pages/transforms_tables.py"


@pytest.mark.needs("jax", "torch")
@pytest.mark.full
def test_page_of_kinks_is_up_to_date() -> None:
    old = _page("transforms_kinks.md")
    jax, torch = tables.versions()
    new = tables.kinks_page()
    if f"JAX {jax} | PyTorch {torch}" not in old:  # other versions' values: our own columns count
        old, new = (["|".join(r.split("|")[:3]) for r in page.splitlines()] for page in (old, new))
    assert old == new, "run ci/pages/transforms_tables.py"
