"""Integrals over boxes, against SciPy's and closed forms."""

import importlib
import itertools
import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si
import scipy.special as ss

import likewise
from likewise import array_namespace, transforms
from likewise.errors import ArgumentError, ShapeError
from likewise.integrate import cubature
from likewise.interop import to_numpy

from .closeness import near
from .test_adaptive import KAHANER, genz

PI = math.pi
A, B = np.asarray([0.0, 0.5]), np.asarray([1.0, 2.0])


def bell(x: Any, c: Any) -> Any:
    xp = array_namespace(x)
    return xp.exp(-c * xp.sum(x * x, axis=1))


def of_bell(a: Any, b: Any, c: float) -> Any:
    root = math.sqrt(c)
    return np.prod((ss.erf(root * b) - ss.erf(root * a)) * math.sqrt(PI) / 2 / root, axis=-1)


class Counted:
    """A function of points that counts them."""

    def __init__(self, fun: Any) -> None:
        self.fun, self.count = fun, 0

    def __call__(self, x: Any, *args: Any) -> Any:
        self.count += x.shape[0]
        return self.fun(x, *args)


@pytest.mark.parametrize("rule", ["gk21", "gk15", "genz-malik"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (A, B),
        (B, A),
        (A, B[::-1] * [1, -1]),
        (-np.inf * B, np.inf * B),
        (A, [np.inf, 1.0]),
        ([-np.inf, 1.0], B),
        ([np.inf, 1.0], [0.0, -np.inf]),
        ([0.0, 1.0], [0.5, 1.0]),
    ],
)
def test_rules_and_limits(rule: str, a: Any, b: Any) -> None:
    fun = Counted(bell)
    a, b = np.asarray(a), np.asarray(b)
    found = cubature(fun, a, b, rule=rule, rtol=1e-6, args=(1.5,))
    assert found.status == "converged" and found.neval == fun.count
    assert abs(found.estimate - of_bell(a, b, 1.5)) <= max(found.error, 1e-15)


@pytest.mark.parametrize("number", range(1, 22))
def test_kahaner(number: int) -> None:
    fun, a, b = KAHANER[number - 1]
    ours, theirs = Counted(lambda x: fun(x[:, 0])), Counted(lambda x: fun(x[:, 0]))
    found = cubature(ours, [a], [b], rtol=1e-7)
    si.cubature(theirs, [a], [b], rtol=1e-7)
    near_by = {"points": [0.3]} if number == 2 else {}
    exact = si.quad(fun, a, b, epsabs=1e-13, epsrel=1e-13, limit=400, **near_by)[0]
    assert found.status == "converged" and ours.count <= theirs.count
    assert abs(found.estimate - exact) <= max(found.error, 4e-16 * abs(exact))


def family(kind: str, a: Any, u: Any) -> tuple[Any, float]:
    """A family of A. C. Genz in several dimensions, and its integral over [0, 1]**d."""
    if kind == "oscillatory":
        parts = np.prod((np.exp(1j * a) - 1) / (1j * a))
        return (
            lambda x: np.cos(2 * PI * u[0] + x @ a),
            float(np.real(np.exp(2j * PI * u[0]) * parts)),
        )
    if kind == "corner peak":
        d = len(a)
        total = sum(
            (-1) ** sum(v) / (1 + np.dot(v, a)) for v in itertools.product((0, 1), repeat=d)
        )
        return (
            lambda x: (1 + x @ a) ** (-d - 1.0),
            float(total / (math.factorial(d) * np.prod(a))),
        )
    if kind == "discontinuous":
        bound = np.concatenate([u[:2], np.ones(len(a) - 2)])
        return (
            lambda x: np.where(np.any(x[:, :2] > u[:2], axis=1), 0.0, np.exp(x @ a)),
            float(np.prod(np.expm1(a * bound) / a)),
        )
    fun, exact = genz(kind, a, u)
    return lambda x: np.prod(fun(x, a, u), axis=1), float(np.prod(exact))


SMOOTH = ("oscillatory", "product peak", "corner peak", "gaussian")


@pytest.mark.parametrize("dims", [2, 3, 4, 5])
def test_genz(dims: int) -> None:
    rng = np.random.default_rng(dims)
    ends = np.zeros(dims), np.ones(dims)
    counts = np.zeros(2)
    for kind in (*SMOOTH, "continuous", "discontinuous") * 2:
        a = rng.uniform(0.5, 1.0, dims)
        smooth = kind in SMOOTH
        a, u = a * (6.0 if smooth else 3.0) / a.sum(), rng.uniform(0.1, 0.9, dims)
        fun, exact = family(kind, a, u)
        ours, theirs = Counted(fun), Counted(fun)
        options: Any = {"rule": "genz-malik", "rtol": 1e-4 if smooth else 1e-2, "atol": 1e-9}
        found = cubature(ours, *ends, **options, max_subdivisions=5000)
        if dims < 4 and smooth:
            si.cubature(theirs, *ends, **options)
            counts += ours.count, theirs.count
        # A jump may be missed by all nodes of a region.
        wrong = abs(found.estimate - exact)
        assert wrong <= (3 * found.error if kind == "discontinuous" else found.error), kind
    assert counts[0] <= 0.8 * counts[1] or dims >= 4


@pytest.mark.parametrize("kind", ["corner peak", "continuous", "discontinuous"])
def test_errors_where_rules_miss(kind: str) -> None:
    """Peaks, kinks and jumps, of which both rules of Genz and Malik may be equally wrong."""
    rng, good, counts = np.random.default_rng(8), 0, np.zeros(2)
    dims = 3 if kind == "corner peak" else 2
    for _ in range(20):
        a = rng.uniform(0.5, 1.0, dims)
        a, u = a * (3.0 * (dims - 1)) / a.sum(), rng.uniform(0.1, 0.9, dims)
        fun, exact = family(kind, a, u)
        ours, theirs = Counted(fun), Counted(fun)
        options: Any = {"rule": "genz-malik", "rtol": 1e-3 if dims == 3 else 1e-2}
        ends = np.zeros(dims), np.ones(dims)
        found = cubature(ours, *ends, **options)
        si.cubature(theirs, *ends, **options)
        good += abs(found.estimate - exact) <= found.error
        counts += ours.count, theirs.count
    assert good >= 19 and counts[0] <= counts[1]


def test_errors_of_jumps_by_products_of_kronrod() -> None:
    """Errors of two directions may cancel in the difference of the products."""
    rng = np.random.default_rng(0)
    for _ in range(12):
        a, u = rng.uniform(0.5, 3.0, 2), rng.uniform(0.1, 0.9, 2)
        fun, exact = family("discontinuous", a, u)
        found = cubature(fun, [0.0, 0.0], [1.0, 1.0], rtol=1e-2)
        assert abs(found.estimate - exact) <= found.error


def test_values_and_args() -> None:
    powers = np.arange(4.0)
    found = cubature(lambda x, n: x[:, :1] ** n, [0], [1], args=(powers,))
    assert np.allclose(found.estimate, 1 / (1 + powers), rtol=1e-14)
    found = cubature(lambda x: np.exp(1j * x[:, :, None] * np.ones(3)), [0.0], [PI])
    assert found.estimate.shape == found.error.shape == (1, 3)
    assert np.allclose(found.estimate, 2j, atol=1e-13) and found.error.dtype == np.float64
    found = cubature(lambda x: np.ones((len(x), 2), int), [0, 0], [2, 3], rule="genz-malik")
    assert np.allclose(found.estimate, 6.0)
    found = cubature(lambda x: x[:, 0], np.zeros(1, np.float32), np.ones(1, np.float32))
    assert found.estimate.dtype == np.float32


def test_points_and_regions() -> None:
    found = cubature(lambda x: np.sin(x[:, 0]) / x[:, 0], [-1], [1], points=[[0.0]])
    assert abs(found.estimate - 2 * 0.946083070367183) < 1e-14
    found = cubature(bell, A, [1.0, np.inf], args=(1.0,), points=[np.asarray([0.3, 1.0])])
    parts = found.regions
    assert len(parts) == found.subdivisions + 4
    assert abs(sum(p.estimate for p in parts) - found.estimate) < 1e-14
    assert max(p.b[1] for p in parts) == np.inf
    assert all(p.b[0] <= 0.3 or p.a[0] >= 0.3 for p in parts)
    outside = cubature(bell, A, B, args=(1.0,), points=[[0.3, 9.0]])
    assert outside.subdivisions == 0 and len(outside.regions) == 1


def test_a_limit_of_subdivisions() -> None:
    found = cubature(lambda x: np.cos(90 * x[:, 0]), [0.0], [9.0], max_subdivisions=5)
    assert found.status == "not_converged" and found.subdivisions == 5
    found = cubature(lambda x: x[:, 0] * np.nan, [0.0], [9.0])
    assert found.status == "not_converged"


def test_of_a_batch(xp: Any, once: bool, leave_out: Any) -> None:
    leave_out("lazy", likewise.is_lazy(xp.asarray(A)))
    leave_out("long", once or xp.variant.library == "jax")
    leave_out("float64", not xp.variant.has_float64)
    b = np.asarray([[1.0, 2.0], [3.0, np.inf], [0.0, 1.0]])
    c = np.asarray([1.5, 0.7, 2.0])
    found = cubature(
        bell, xp.asarray(A), xp.asarray(b), rule="genz-malik", rtol=1e-6, args=(xp.asarray(c),)
    )
    want = np.asarray([of_bell(A, ends, k) for ends, k in zip(b, c, strict=True)])
    near(xp, found.estimate, want, rtol=1e-6)
    assert found.error.shape == found.success.shape == found.subdivisions.shape == (3,)
    assert found.status == "converged"


def test_a_batch_of_vectors() -> None:
    a = np.zeros((2, 1, 1))
    b = np.asarray([[[1.0], [2.0], [3.0]]])
    found = cubature(lambda x, c: x ** np.arange(3) * c, a, b, args=(np.ones((2, 1, 3)),))
    want = b ** (1 + np.arange(3)) / (1 + np.arange(3))
    assert found.estimate.shape == (2, 3, 3)
    assert np.allclose(found.estimate, np.broadcast_to(want, (2, 3, 3)), rtol=1e-13)
    with pytest.raises(ArgumentError, match="one integral"):
        found.regions
    assert cubature(bell, np.zeros((0, 2)), 1.0 + A, args=(1.0,)).estimate.shape == (0,)


def test_errors() -> None:
    with pytest.raises(ValueError, match="unknown rule"):
        cubature(bell, A, B, rule="simpson")
    with pytest.raises(ArgumentError, match="2 dimensions or more"):
        cubature(bell, [0.0], [1.0], rule="genz-malik")
    with pytest.raises(ShapeError, match="nonempty"):
        cubature(bell, np.zeros(0), np.zeros(0))
    with pytest.raises(ShapeError, match="value for each"):
        cubature(lambda x: 1.0, A, B)
    with pytest.raises(ShapeError, match="points"):
        cubature(bell, A, B, args=(1.0,), points=[[0.0]])
    with pytest.raises(ArgumentError, match="rtol"):
        cubature(bell, A, B, args=(1.0,), rtol=-1.0)
    with pytest.raises(ShapeError, match="leading dimensions"):
        cubature(bell, np.zeros((2, 2)), B, args=(np.ones(3),))


@pytest.mark.parametrize(
    "library",
    [
        *(n for n in ("numpy", "torch") if find_spec(n)),
        *([pytest.param("jax", marks=pytest.mark.full)] if find_spec("jax") else []),
    ],
)
def test_derivatives(library: str) -> None:
    given = [A, np.asarray([1.5, 2.5]), np.asarray(1.1), np.asarray(3.0)]

    def total(a: Any, b: Any, c: Any, k: Any) -> Any:
        def fun(x: Any, c: Any) -> Any:
            return bell(x, c) * array_namespace(x).cos(x[:, 0] * k)

        return cubature(fun, a, b, args=(c,), rule="gk15", rtol=1e-10).estimate

    ours = [likewise.asarray(v, namespace=library) for v in given]
    found = transforms.grad(total, argnums=(0, 1, 2, 3))(*ours)
    for i, part in enumerate(found):
        for j in np.ndindex(given[i].shape):
            step = np.zeros(given[i].shape)
            step[j] = 1e-6
            ends = [
                to_numpy(total(*ours[:i], likewise.asarray(v, namespace=library), *ours[i + 1 :]))
                for v in (given[i] + step, given[i] - step)
            ]
            assert abs(to_numpy(part)[j] - (ends[0] - ends[1]) / 2e-6) < 1e-7


@pytest.mark.needs("jax")
def test_in_compiled_code() -> None:
    jax = importlib.import_module("jax")

    def total(c: Any) -> Any:
        ends = jax.numpy.zeros(2), jax.numpy.ones(2)
        found = cubature(bell, *ends, args=(c,), rule="genz-malik", rtol=1e-4, max_subdivisions=20)
        return found.estimate

    value, slope = jax.jit(jax.value_and_grad(total))(2.0)
    ones = np.ones(2)
    want = [of_bell(0 * ones, ones, c) for c in (2.0, 2.0 + 1e-5, 2.0 - 1e-5)]
    assert abs(value - want[0]) < 1e-4 and abs(slope - (want[1] - want[2]) / 2e-5) < 1e-3
