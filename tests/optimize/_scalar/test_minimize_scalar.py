"""Minima of scalar functions against SciPy and closed forms, on every library."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.errors import ArgumentError, DtypeError, NotSupported, OptimizeWarning, ShapeError
from likewise.optimize import MinimizeScalarResult, minimize_scalar
from likewise.testing import check_function
from likewise.transforms import grad

C = np.asarray([-2.0, 0.3, 1.0, 6.0])


def well(x: Any, c: Any) -> Any:
    """Least at c, not symmetric."""
    xp = likewise.array_namespace(x)
    return xp.exp(x - c) - (x - c)


WAYS: dict[str, dict[str, Any]] = {
    "brent": {},
    "brent from two points": {"bracket": (-1.0, 3.0)},
    "brent from three points": {"bracket": (-3.0, C - 0.1, 8.0)},
    "chandrupatla": {"method": "chandrupatla"},
    "bounded": {"bounds": (-3.0, 9.0)},
    "bounded at an end": {"bounds": (0.0, 2.0)},
}


def of_scipy(way: str, **options: Any) -> Any:
    given = {k: v for k, v in WAYS[way].items() if k != "method"}
    found = []
    for c in C:
        here = {k: tuple(v if np.ndim(v) == 0 else c - 0.1 for v in p) for k, p in given.items()}
        found.append(scipy.optimize.minimize_scalar(well, args=(c,), **here, **options))
    return found


@pytest.mark.parametrize("way", WAYS)
def test_ways_equal_scipy(lib: Any, way: str) -> None:
    given = {
        k: v if isinstance(v, str) else tuple(p if np.ndim(p) == 0 else lib.asarray(p) for p in v)
        for k, v in WAYS[way].items()
    }
    found = minimize_scalar(well, args=(lib.asarray(C),), **given)
    expected = of_scipy(way)
    assert isinstance(found, MinimizeScalarResult)
    out = lib.to_numpy(found.x)
    assert out.dtype == ("float64" if lib.has_float64 else "float32") and out.shape == (4,)
    tol = (1e-5 if "bounded" in way else 1e-7) if lib.has_float64 else 3e-3
    np.testing.assert_allclose(out, [r.x for r in expected], atol=tol)
    # Flat at a minimum; at a bound the slope is less than 1.
    off = tol if way == "bounded at an end" else tol * tol
    value = 1e-6 if not lib.has_float64 else 1e-14
    np.testing.assert_allclose(
        lib.to_numpy(found.fun), [r.fun for r in expected], rtol=value, atol=off
    )
    assert np.all(lib.to_numpy(found.success))
    for field in (found.status, found.nit, found.nfev):
        assert lib.to_numpy(field).dtype == np.int32


@pytest.mark.parametrize("way", [w for w in WAYS if w != "chandrupatla"])
def test_evaluations_are_scipys(way: str) -> None:
    """In bounds and from three points exactly; the searches for a bracket are not the same."""
    found = minimize_scalar(well, args=(C,), **WAYS[way])
    calls = [r.nfev for r in of_scipy(way)]
    if way in ("brent", "brent from two points"):
        assert np.sum(found.nfev) <= 1.05 * np.sum(calls)
    else:
        np.testing.assert_allclose(found.nfev, calls, atol=1)


@pytest.mark.parametrize("a", [-3.0, -2.0, -1.2])
@pytest.mark.parametrize("name", ["wave", "quartic", "peaks"])
def test_evaluations_are_scipys_in_bounds(name: str, a: float) -> None:
    """The same parabolas are refused."""
    g = {
        "wave": lambda x: np.sin(3 * x) + 0.3 * x * x,
        "quartic": lambda x: (x - 0.3) ** 4 + (x - 0.3) ** 2,
        "peaks": lambda x: np.cos(2 * x) - np.exp(-((x - 0.4) ** 2)),
    }[name]
    found = minimize_scalar(g, bounds=(np.asarray([a, a]), np.asarray([1.0, 2.5])))
    each = [scipy.optimize.minimize_scalar(g, bounds=(a, b)) for b in (1.0, 2.5)]
    np.testing.assert_allclose(found.x, [r.x for r in each], atol=1e-5)
    np.testing.assert_array_equal(found.nfev, [r.nfev for r in each])


@pytest.mark.parametrize("ends", [(-7.0, 6.25), (-3.5, 10.0), (-9.5, -1.5)])
def test_a_parabola_that_leaves_the_bracket_is_refused(ends: tuple[float, float]) -> None:
    for g in (
        lambda x: np.exp(x) - x,
        lambda x: np.sin(3 * x) + 0.1 * x * x,
        lambda x: -x * x * x,
    ):
        found = minimize_scalar(g, bounds=ends)
        assert found.nfev == scipy.optimize.minimize_scalar(g, bounds=ends).nfev


def test_tolerances_and_limits() -> None:
    rough = minimize_scalar(well, args=(C,), tol=1e-2)
    fine = minimize_scalar(well, args=(C,), options={"xtol": 1e-9})
    assert np.all(rough.nfev < fine.nfev)
    near = minimize_scalar(well, bounds=(-3.0, 9.0), args=(C,), options={"xatol": 1e-9})
    np.testing.assert_allclose(near.x, C, atol=3e-8)
    short = minimize_scalar(well, args=(C,), options={"maxiter": 3})
    assert np.all(short.status == -2) and np.all(short.nit == 3)
    one = minimize_scalar(lambda x: (x - 2) ** 2)
    assert one.x.shape == () and abs(float(one.x) - 2) < 1e-8


def test_statuses_one_by_one(lib: Any) -> None:
    """No minimum, a good one, NaN."""
    c = lib.asarray([1.0, 0.0, np.nan])

    def f(x: Any, c: Any) -> Any:
        return x * x * (1 - c) - c * x

    for method in ("brent", "chandrupatla"):
        found = minimize_scalar(f, args=(c,), method=method, bracket=(0.25, 1.0))
        np.testing.assert_array_equal(lib.to_numpy(found.status) == 0, [False, True, False])
        assert abs(lib.to_numpy(found.x)[1]) < 1e-6 and np.all(np.isnan(lib.to_numpy(found.x)[::2]))
    bounds = (lib.asarray([0.0, 2.0, np.nan]), 1.0)
    found = minimize_scalar(lambda x: (x - 0.5) * (x - 0.5), bounds=bounds)
    np.testing.assert_array_equal(lib.to_numpy(found.status), [0, -1, -3])
    if lib.library != "dask":
        assert "1 of 3 problems converged" in found.summary()


def test_many_problems_are_those_one_by_one() -> None:
    c = np.linspace(-3.0, 7.0, 700)
    for options in ({}, {"bounds": (-4.0, 8.0)}, {"method": "chandrupatla"}):
        found = minimize_scalar(well, args=(c,), **options)  # type: ignore[arg-type]
        np.testing.assert_allclose(found.x, c, atol=1e-4)
        for i in (0, 333, 699):
            one = minimize_scalar(well, args=(float(c[i]),), **options)  # type: ignore[arg-type]
            assert int(one.nfev) == found.nfev[i] and float(one.x) == found.x[i]


@pytest.mark.xp_skip({"dask": "its blocks are solved when they are computed"})
def test_gradients(lib: Any, rng: Any) -> None:
    """exp(x - c) - s x is least at x = c + log s; at a bound nothing moves."""
    cotangent = rng.normal(size=4)

    def total(c: Any, s: Any) -> Any:
        def f(x: Any, c: Any) -> Any:
            xp = likewise.array_namespace(x)
            return xp.exp(x - c) - s * x

        found = minimize_scalar(f, bounds=(lib.asarray(-4.0), 3.0), args=(c,))
        return likewise.array_namespace(found.x).sum(found.x * lib.asarray(cotangent))

    by_c, by_s = grad(total, argnums=(0, 1))(lib.asarray(C), lib.asarray(1.5))
    free = cotangent * (C < 3)  # the last one would lie outside
    tol = 1e-5 if lib.has_float64 else 2e-2
    np.testing.assert_allclose(lib.to_numpy(by_c), free, rtol=tol, atol=tol)
    np.testing.assert_allclose(lib.to_numpy(by_s), np.sum(free) / 1.5, rtol=tol, atol=tol)


@pytest.mark.xp_skip({"dask": "its blocks are solved when they are computed"})
def test_gradient_of_the_minimum(lib: Any, rng: Any) -> None:
    """s (exp(c - x) + x) is s (1 + c) at its minimum x = c; one lies beyond the bound 3."""
    cotangent = rng.normal(size=4)

    def total(c: Any, s: Any) -> Any:
        def f(x: Any, c: Any) -> Any:
            xp = likewise.array_namespace(x)
            return s * xp.exp(c - x) + s * x

        found = minimize_scalar(f, bounds=(lib.asarray(-4.0), 3.0), args=(c,)).fun
        return likewise.array_namespace(found).sum(found * lib.asarray(cotangent))

    by_c, by_s = grad(total, argnums=(0, 1))(lib.asarray(C), lib.asarray(1.5))
    end = np.minimum(C, 3)
    slopes = np.where(C < 3, 1.5, 1.5 * np.exp(C - 3)), np.exp(C - end) + end
    tol = 1e-4 if lib.has_float64 else 2e-2
    np.testing.assert_allclose(lib.to_numpy(by_c), cotangent * slopes[0], rtol=tol, atol=tol)
    np.testing.assert_allclose(lib.to_numpy(by_s), cotangent @ slopes[1], rtol=tol, atol=tol)


def test_gradient_of_brents_method() -> None:
    by_c = grad(lambda c: minimize_scalar(well, args=(c,)).x)(np.asarray(0.3))
    np.testing.assert_allclose(by_c, 1.0, rtol=1e-6)


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "callable": (lambda: minimize_scalar(1), TypeError, "must be callable"),
    "method": (
        lambda: minimize_scalar(well, args=(C,), method="silver"),
        ArgumentError,
        "'brent', 'bounded', 'chandrupatla'",
    ),
    "bounds": (
        lambda: minimize_scalar(well, bounds=(0, 1), args=(C,), method="brent"),
        ArgumentError,
        "'brent' takes no bounds",
    ),
    "no bounds": (
        lambda: minimize_scalar(well, args=(C,), method="bounded"),
        ArgumentError,
        "needs bounds",
    ),
    "both": (
        lambda: minimize_scalar(well, (0, 1), (0, 1), args=(C,)),
        ArgumentError,
        "takes bounds, and no bracket",
    ),
    "bracket": (lambda: minimize_scalar(well, (0,), args=(C,)), ArgumentError, "two or three"),
    "no name": (
        lambda: minimize_scalar(well, args=(C,), method=len),
        NotSupported,
        "method must be a name",
    ),
    "tol": (lambda: minimize_scalar(well, args=(C,), tol=-1), ArgumentError, "tol must be"),
    "complex": (lambda: minimize_scalar(well, args=(1j * C,)), DtypeError, r"'args\[0\]' must"),
    "shape": (
        lambda: minimize_scalar(lambda x, c: x[:1], args=(C,)),
        ShapeError,
        "fun must return",
    ),
}


def test_habits_of_scipy(capsys: Any) -> None:
    """Names in any case, one that is stood in for, bounds in other forms, options to no effect."""
    found = minimize_scalar(well, args=(C,), method="Golden", options={"disp": 1})
    assert found.note == "method 'brent' stood in for 'golden'"
    np.testing.assert_array_equal(found.x, minimize_scalar(well, args=(C,), method="Brent").x)
    assert f"{C.size} of {C.size} problems converged" in capsys.readouterr().out
    plain = minimize_scalar(well, bounds=(-3.0, 9.0), args=(C,)).x
    for bounds in (np.asarray([-3.0, 9.0]), scipy.optimize.Bounds(-3.0, 9.0)):
        np.testing.assert_array_equal(minimize_scalar(well, bounds=bounds, args=(C,)).x, plain)
    one = minimize_scalar(well, bounds=scipy.optimize.Bounds(-3.0, 9.0), args=(0.3,))
    assert one.x.shape == ()
    with pytest.warns(OptimizeWarning, match="unknown option 'atol' .* has xtol, maxiter"):
        minimize_scalar(well, args=(C,), options={"atol": 1e-3})


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words) as caught:
        call()
    assert str(caught.value).startswith("minimize_scalar:")


@pytest.mark.full
def test_capabilities() -> None:
    record = check_function(
        lambda c: minimize_scalar(well, bounds=(c - 3.0, c + 5.0), args=(c,)).x,
        C,
        reference=lambda c: C,
        tol={"float64": 1e-5, "float32": 5e-3},
        compile="the iterations look at values",
        grad=False,
        scalars=2,
        per="iteration",
        interpreted=True,
        name="likewise.optimize.minimize_scalar",
    )
    assert record.cells["numpy"]["eager"].status == "yes"


def test_bounded_visits_scipys_points() -> None:
    """The first three: the golden section of the bounds, one of the rest, a parabola's."""
    seen: list[float] = []

    def fun(x: Any) -> Any:
        seen.extend(np.ravel(x).tolist())
        return (x - 3.2) ** 2

    minimize_scalar(fun, bounds=(3.0, 4.0))
    ours = seen[:3]
    seen.clear()
    scipy.optimize.minimize_scalar(fun, bounds=(3.0, 4.0))
    np.testing.assert_allclose(ours, seen[:3], rtol=1e-12)
