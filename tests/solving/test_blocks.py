"""Solvers of arrays in blocks: lazy, a call a block, and the same as NumPy's call for all."""

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from likewise import array_namespace, optimize
from likewise.errors import (
    ArgumentError,
    ConvergenceError,
    ConvergenceWarning,
    LikewiseWarning,
    MixedLibrariesError,
    NotSupported,
    ShapeError,
)
from likewise.transforms import grad, hessian, jacfwd, jvp, stop_gradient, vjp, vmap

pytestmark = pytest.mark.needs("dask")

T = np.linspace(0.0, 2.0, 9)
SIZE = 12


def decay(t: Any, a: Any, k: Any) -> Any:
    return a * array_namespace(t, a, k).exp(-k * t)


def valley(x: Any, c: Any) -> Any:
    return x**2 / 2 + x**4 / 4 - x * c


def cubic(x: Any, c: Any) -> Any:
    return x + x**3 - c


def far(x: Any, c: Any) -> Any:
    return array_namespace(x, c).sum(valley(x, c))


def rest(x: Any, t: Any) -> Any:
    return decay(t, x[0], x[1]) - decay(t, 2.0, 1.3)


def shrunk(x: Any, c: Any) -> Any:
    return c / (1 + x**2 / 10)


class Solver(NamedTuple):
    """A call of arrays, and which of these have the batch first."""

    call: Callable[..., Any]
    arrays: tuple[Any, ...]
    batched: tuple[bool, ...]
    # What may differ where few are solved together: counts, and which of two tests was met.
    counts: tuple[str, ...] = ("nit", "nfev", "njev", "status", "hess_inv")


R = np.random.default_rng(31)
P = R.uniform([1.0, 0.5], [3.0, 2.0], size=(SIZE, 2))
Y = decay(T, P[:, :1], P[:, 1:]) + 0.01 * R.normal(size=(SIZE, 9))
A, B = R.normal(size=(SIZE, 6, 3)), R.normal(size=(SIZE, 6))
C, C2 = R.uniform(1.0, 3.0, size=SIZE), np.asarray([1.0, 3.0])
START = R.uniform(0.5, 1.5, size=(SIZE, 2))
COST = R.uniform(size=(SIZE, 3, 4))
WEIGHT = R.uniform(1.0, 2.0, size=9)


def of(name: str, *args: Any, **options: Any) -> Callable[..., Any]:
    return functools.partial(getattr(optimize, name), *args, **options)


SOLVERS = {
    "curve_fit": Solver(
        lambda t, y, p0, s: optimize.curve_fit(decay, t, y, p0, sigma=s, full_output=True),
        (T, Y, START, WEIGHT),
        (False, True, True, False),
    ),
    "curve_fit plain": Solver(lambda t, y: optimize.curve_fit(decay, t, y), (T, Y), (False, True)),
    "curve_fit masked": Solver(
        lambda t, y, m, low: optimize.curve_fit(
            decay, t, y, [1.0, 1.0], mask=m, bounds=(low, 9.0), full_output=True
        ),
        (T, Y, R.uniform(size=(SIZE, 9)) > 0.2, np.asarray([0.0, 0.1])),
        (False, True, True, False),
    ),
    "nnls": Solver(lambda a, b: optimize.nnls(a, b, full_output=True), (A, B), (True, True)),
    "nnls of one matrix": Solver(optimize.nnls, (A[0], B), (False, True)),
    "lsq_linear": Solver(
        lambda a, b, low: optimize.lsq_linear(a, b, (low, [1.0, 0.5, 0.2])),
        (A, B, -R.uniform(size=(SIZE, 3))),
        (True, True, True),
    ),
    "linear_sum_assignment": Solver(optimize.linear_sum_assignment, (COST,), (True,)),
    "isotonic_regression": Solver(
        lambda y, w: optimize.isotonic_regression(y, weights=w),
        (B, np.abs(A[0, :, 0])),
        (True, False),
    ),
    "least_squares": Solver(
        lambda x, t: optimize.least_squares(rest, x, bounds=(0.0, [9.0, 9.0]), args=(t,)),
        (START, T),
        (True, False),
    ),
    "least_squares lm": Solver(
        lambda x, t: optimize.least_squares(rest, x, method="lm", kwargs={"t": t}),
        (START, T),
        (True, False),
    ),
    "root": Solver(lambda x, c: optimize.root(cubic, x, (c,)), (START, C2), (True, False)),
    "root anderson": Solver(
        lambda x, c: optimize.root(lambda x, c: shrunk(x, c) - x, x, (c,), "anderson"),
        (START, C2),
        (True, False),
    ),
    "minimize": Solver(
        lambda x, c: optimize.minimize(far, x, (c,), tol=1e-10), (START, C2), (True, False)
    ),
    "minimize bounded": Solver(
        lambda x, c, high: optimize.minimize(
            far, x, (c,), bounds=optimize.Bounds(0.0, 5.0) if high is None else np_pairs(high)
        ),
        (START, C2, np.asarray([0.9, 1.1])),
        (True, False, False),
    ),
    "fixed_point": Solver(
        lambda x, c: optimize.fixed_point(shrunk, x, (c,), full_output=True), (C, C), (True, True)
    ),
    "fixed_point of vectors": Solver(
        lambda x, c: optimize.fixed_point(shrunk, x, (c,), method="anderson"),
        (START, C2),
        (True, False),
    ),
    "root_scalar": Solver(
        lambda x, c: optimize.root_scalar(cubic, (c,), x0=x), (C, C), (True, True)
    ),
    "minimize_scalar": Solver(
        lambda c: optimize.minimize_scalar(valley, bounds=(0.0, 4.0), args=(c,)), (C,), (True,)
    ),
    "find_root": Solver(
        lambda a, c: optimize.find_root(cubic, (a, 4.0), args=(c,)), (-C, C), (True, True)
    ),
    "find_minimum": Solver(
        lambda c: optimize.find_minimum(valley, (0.0, 1.0, 4.0), args=(c,)), (C,), (True,)
    ),
    "bracket_root": Solver(lambda c: optimize.bracket_root(cubic, c, args=(2 * c,)), (C,), (True,)),
    "bracket_minimum": Solver(
        lambda c: optimize.bracket_minimum(valley, c, args=(c,)), (C,), (True,)
    ),
    **{
        name: Solver(of(name, cubic, 0.0, 4.0), (C,), (True,))
        for name in ("bisect", "brenth", "brentq", "ridder", "toms748")
    },
    "newton": Solver(lambda x, c: optimize.newton(cubic, x, args=(c,)), (C, C), (True, True)),
    **{name: Solver(of(name, valley), (C,), (True,)) for name in ("brent", "golden")},
    "fminbound": Solver(of("fminbound", valley, 0.0, 4.0), (C,), (True,)),
}
for name in ("bisect", "brenth", "brentq", "ridder", "toms748", "brent", "golden", "fminbound"):
    SOLVERS[name] = SOLVERS[name]._replace(call=lambda c, call=SOLVERS[name].call: call(args=(c,)))


def np_pairs(high: Any) -> Any:
    return array_namespace(high).stack([0 * high, high], axis=-1)


def arrays_in(found: Any) -> dict[str, Any]:
    """Every array of a result, by its name."""
    if hasattr(found, "keys"):
        items = [(k, found[k]) for k in found.keys() if k != "unbounded_sol"]  # noqa: SIM118
    elif isinstance(found, tuple):
        items = [(str(i), x) for i, x in enumerate(found)]
    else:
        return {"": found} if hasattr(found, "dtype") else {}
    return {f"{k}.{n}": x for k, v in items for n, x in arrays_in(v).items()}


def cut(rng: Any, x: Any, batched: bool, whole: bool = False) -> Any:
    """The array as Dask's, in uneven pieces of the batch."""
    import dask.array as da

    if not batched:
        return da.from_array(
            x, chunks=-1 if whole else max(1, x.shape[0] // 2) if x.ndim == 1 else -1
        )
    places = sorted(rng.choice(np.arange(1, SIZE), rng.integers(0, SIZE - 1), replace=False))
    return da.from_array(x, chunks=(tuple(np.diff([0, *places, SIZE]).tolist()), *x.shape[1:]))


def refused() -> Any:
    """A context in which nothing may be computed."""
    from dask.callbacks import Callback

    def start(graph: Any) -> None:
        raise AssertionError("computed")

    return Callback(start=start)


def compared(solver: Solver, arrays: tuple[Any, ...], expected: dict[str, Any]) -> None:
    import dask

    with refused():
        found = arrays_in(solver.call(*arrays))
    assert list(found) == list(expected)
    values = dask.compute(*found.values(), scheduler="synchronous")
    for (name, lazy), got, wanted in zip(found.items(), values, expected.values(), strict=True):
        assert lazy.shape == got.shape == wanted.shape, name
        assert lazy.dtype == got.dtype == wanted.dtype == lazy._meta.dtype, name
        assert lazy._meta.ndim == got.ndim, name
        if name.partition(".")[0] not in solver.counts:
            tol = 1e-6 if wanted.dtype == np.float64 else 2e-3
            np.testing.assert_allclose(got, wanted, rtol=tol, atol=tol, err_msg=name)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_batch_in_blocks_is_numpys(name: str, rng: Any) -> None:
    solver = SOLVERS[name]
    expected = arrays_in(solver.call(*solver.arrays))
    arrays = [cut(rng, *pair) for pair in zip(solver.arrays, solver.batched, strict=True)]
    compared(solver, tuple(arrays), expected)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_block_is_one_task_of_the_solver(name: str) -> None:
    """Beside it there is one for each of its arrays that comes, and that is asked for."""
    import dask.array as da

    solver, cuts = SOLVERS[name], (5, 1, 6)
    arrays = [
        da.from_array(x, chunks=(cuts, *x.shape[1:])) if batched else x
        for x, batched in zip(solver.arrays, solver.batched, strict=True)
    ]
    with refused():
        found = arrays_in(solver.call(*arrays))
    for key, y in found.items():
        assert y.chunks[0] == cuts, key
        graph = y.__dask_optimize__(y.dask, y.__dask_keys__())
        assert len(graph) <= 10 * len(cuts), key
        assert y.numblocks[1:] == (1,) * (y.ndim - 1)


@pytest.mark.full
@pytest.mark.parametrize("name", SOLVERS)
def test_many_ways_to_cut(name: str, rng: Any) -> None:
    """Some arrays NumPy's, some Dask's, of either precision, in pieces of all sizes."""
    solver = SOLVERS[name]
    for k in range(20):
        dtype = np.float32 if k % 3 == 2 else np.float64
        some = [x.astype(dtype) if x.dtype == np.float64 else x for x in solver.arrays]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LikewiseWarning)
            expected = arrays_in(solver.call(*some))
            lazy = rng.integers(0, 2, len(some)).astype(bool)
            lazy[rng.integers(len(some))] = True
            arrays = [
                cut(rng, x, batched) if here else x
                for x, batched, here in zip(some, solver.batched, lazy, strict=True)
            ]
            compared(solver, tuple(arrays), expected)


@pytest.mark.parametrize("rows", [(1, 2), (3,)])
def test_a_batch_of_two_dimensions_stays_in_its_blocks(rows: Any) -> None:
    import dask.array as da

    y, a = Y.reshape(3, 4, 9), A.reshape(3, 4, 6, 3)
    popt, _ = optimize.curve_fit(decay, T, da.from_array(y, chunks=(rows, 3, -1)), [1.0, 1.0])
    assert popt.chunks == (rows, (3, 1), (2,))
    expected = optimize.curve_fit(decay, T, Y, [1.0, 1.0])[0]
    np.testing.assert_allclose(popt.compute().reshape(SIZE, 2), expected, rtol=1e-8)
    # The matrices differ along one axis of the batch, the right sides along the other.
    x, rnorm = optimize.nnls(da.from_array(a[:, :1], chunks=(rows, 1, -1, -1)), B[:4])
    assert x.shape == (3, 4, 3) and x.chunks[0] == rows and rnorm.chunks[0] == rows
    np.testing.assert_allclose(x, optimize.nnls(a[:, :1], B[:4])[0], atol=1e-12)


def test_blocks_are_as_large_as_those_that_came() -> None:
    """Of two arrays those of the one with more blocks, never those that both give together."""
    import dask.array as da

    a, b = da.from_array(A, chunks=(4, -1, -1)), da.from_array(B, chunks=((7, 5), -1))
    assert optimize.nnls(a, b)[0].chunks[0] == (4, 4, 4)
    assert optimize.nnls(a[:1], b)[0].chunks[0] == (7, 5)


def test_axes_of_one_problem_are_joined() -> None:
    import dask.array as da

    popt, _ = optimize.curve_fit(decay, da.from_array(T, chunks=2), da.from_array(Y, chunks=(5, 4)))
    np.testing.assert_allclose(popt, optimize.curve_fit(decay, T, Y)[0], rtol=1e-8)


def test_predictors_of_each_problem_and_of_all(rng: Any) -> None:
    """Two predictors stay two where a block has two problems."""
    import dask.array as da

    def plane(x: Any, a: Any, b: Any) -> Any:
        return a * x[0] + b * x[1]

    x = rng.normal(size=(2, 9))
    y = plane(x, P[:, :1], P[:, 1:])
    lazy = da.from_array(y, chunks=(2, -1))
    for given in (x, da.from_array(x), list(x)):
        np.testing.assert_allclose(optimize.curve_fit(plane, given, lazy)[0], P, rtol=1e-9)
    each = rng.normal(size=(SIZE, 9))
    y = decay(each, P[:, :1], P[:, 1:])
    for given in (each, da.from_array(each, chunks=(5, -1))):
        popt, _ = optimize.curve_fit(decay, given, da.from_array(y, chunks=(2, -1)))
        assert popt.chunks[0] == (2,) * 6
        np.testing.assert_allclose(popt, P, rtol=1e-7)
    both = rng.normal(size=(2, SIZE, 9))
    y = plane(both, P[:, :1], P[:, 1:])
    popt, _ = optimize.curve_fit(plane, both, da.from_array(y, chunks=(2, -1)))
    np.testing.assert_allclose(popt, P, rtol=1e-9)
    matrix = np.eye(9) + 0.1
    found = optimize.curve_fit(decay, T, da.from_array(Y, chunks=(5, -1)), sigma=matrix[None])
    expected = optimize.curve_fit(decay, T, Y, sigma=matrix[None])
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-7)


@pytest.mark.parametrize("cost", [1.5, 3.0])
def test_one_problem(cost: float) -> None:
    """Functions of one problem get one, as on NumPy."""
    import dask.array as da

    def jac(t: Any, a: Any, k: Any) -> Any:
        assert np.shape(a) == ()
        xp = array_namespace(t, a, k)
        e = xp.exp(-k * t)
        return xp.stack([e, -a * t * e], axis=-1)

    popt, pcov = optimize.curve_fit(decay, T, da.from_array(Y[0]), [1.0, 1.0], jac=jac)
    assert popt.shape == (2,) and pcov.shape == (2, 2)
    np.testing.assert_allclose(popt, optimize.curve_fit(decay, T, Y[0], [1.0, 1.0])[0], rtol=1e-7)
    found = optimize.brentq(cubic, 0.0, 4.0, (da.from_array(np.asarray(cost)),))
    assert found.shape == ()
    np.testing.assert_allclose(found, optimize.brentq(cubic, 0.0, 4.0, (cost,)))
    x = optimize.minimize(far, 0.0, (da.from_array(np.asarray([cost])),)).x
    np.testing.assert_allclose(x, optimize.minimize(far, 0.0, (np.asarray([cost]),)).x)


@pytest.mark.needs("xarray")
@pytest.mark.parametrize("dask", ["parallelized", "allowed"])
def test_fits_inside_of_xarray(dask: Any) -> None:
    """By blocks of xarray's own, or by ours."""
    import xarray

    y = xarray.DataArray(Y, dims=("pixel", "t"), coords={"t": T})

    def fit(y: Any) -> Any:
        return optimize.curve_fit(decay, T, y, [1.0, 1.0])[0]

    options = {"input_core_dims": [["t"]], "output_core_dims": [["parameter"]]}
    sizes = {"output_sizes": {"parameter": 2}} if dask == "parallelized" else None
    expected = xarray.apply_ufunc(fit, y, **options)
    np.testing.assert_array_equal(expected, fit(Y))
    with refused():
        found = xarray.apply_ufunc(
            *(fit, y.chunk(pixel=5)),
            dask=dask,
            output_dtypes=[float] if sizes else None,
            dask_gufunc_kwargs=sizes,
            **options,
        )
    assert found.dims == ("pixel", "parameter") and found.chunks[0] == (5, 5, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


# -- faults ----------------------------------------------------------------------------------------


def test_a_failed_problem_warns_when_its_block_is_computed() -> None:
    import dask.array as da

    y = Y.copy()
    y[7] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        popt, pcov = optimize.curve_fit(decay, T, da.from_array(y, chunks=(5, -1)), [1.0, 1.0])
    with pytest.warns(ConvergenceWarning, match="1 of 5 problems did not converge, the first at 2"):
        popt, pcov = (x.compute(scheduler="synchronous") for x in (popt, pcov))
    expected = optimize.curve_fit(decay, T, y, [1.0, 1.0], full_output=True)
    good = np.arange(SIZE) != 7
    np.testing.assert_allclose(popt[good], expected.popt[good], rtol=1e-8)
    np.testing.assert_allclose(pcov, expected.pcov, rtol=1e-6)
    assert (
        np.all(np.isnan(popt) == ~good[:, None])
        and np.all(np.isnan(pcov[7]))
        and np.count_nonzero(np.isnan(pcov)) == 4
    )


def test_one_failed_problem_raises_when_it_is_computed() -> None:
    import dask.array as da

    found = optimize.curve_fit(decay, T, da.from_array(Y[0]), [1.0, 1.0], max_nfev=1)
    with pytest.raises(ConvergenceError, match="max_nfev"):
        found[0].compute()


def test_bad_input_is_told_before_anything_is_computed() -> None:
    import dask.array as da

    y = da.from_array(Y, chunks=(5, -1))
    with refused():
        with pytest.raises(ShapeError, match=r"A must have shape .* \(0, 6, 3\) and \(0, 9\)"):
            optimize.nnls(A, y)
        with pytest.raises(ShapeError, match=r"A \(12,\) and b \(11,\)"):
            optimize.nnls(A, y[:11, :6])
        with pytest.raises(ArgumentError, match="maxiter"):
            optimize.nnls(A, y[:, :6], maxiter=-1)
        with pytest.raises(NotSupported, match="callback needs values"):
            optimize.minimize(far, y[:, :2], (C2,), callback=print)
        with pytest.raises(ShapeError, match="'ydata' must have a known shape"):
            optimize.curve_fit(decay, T, y[y[:, 0] > 2.0])


@pytest.mark.needs("torch")
def test_of_two_libraries() -> None:
    import dask.array as da
    import torch

    with pytest.raises(MixedLibrariesError):
        optimize.nnls(torch.ones((6, 3)), da.from_array(B))


# -- what functions refer to -----------------------------------------------------------------------

FAR: dict[str, Any] = {}
OUTSIDE: Any = None  # a test puts an array here


def _of_global(x: Any) -> Any:
    return far(x, OUTSIDE)


class Held:
    shared: Any

    def __init__(self, c: Any, other: Any = None) -> None:
        self.c, self.other = c, other

    def method(self, x: Any) -> Any:
        return far(x, self.c)

    def __call__(self, x: Any) -> Any:
        return far(x, self.c)

    def of_class(self, x: Any) -> Any:
        return far(x, self.shared)


class Slotted:
    __slots__ = ("c",)

    def __init__(self, c: Any) -> None:
        self.c = c

    def __call__(self, x: Any) -> Any:
        return far(x, self.c)


class Asking(Held):
    @property
    def asked(self) -> Any:
        return self.c

    def method(self, x: Any) -> Any:
        return far(x, self.asked)


class OnlyCalled(Held):
    def __call__(self, x: Any) -> Any:
        return far(x, self.other)


def _ways(c: Any) -> dict[str, Any]:
    def default(x: Any, c: Any = c) -> Any:
        return far(x, c)

    def by_name(x: Any, *, c: Any = c) -> Any:
        return far(x, c)

    def inner(x: Any) -> Any:
        return (lambda v: far(v, c))(x)

    space = types.SimpleNamespace(c=c)
    return {
        "closure": lambda x: far(x, c),
        "nested": inner,
        "in a list": lambda x, held=[c]: far(x, held[0]),
        "default": default,
        "keyword": by_name,
        "partial": functools.partial(far, c=c),
        "method": Held(c).method,
        "callable": Held(c),
        "slot": Slotted(c),
        "property": Asking(c).method,
        "class": type("Shared", (Held,), {"shared": c})(None).of_class,
        "attribute": lambda x: far(x, space.c),
        "global": _of_global,
    }


@pytest.mark.parametrize("way", _ways(None))
def test_an_array_from_outside_is_refused(way: str, monkeypatch: Any) -> None:
    import dask.array as da

    c, x = da.from_array(C2), da.from_array(START, chunks=(5, -1))
    monkeypatch.setitem(globals(), "OUTSIDE", c)
    with refused(), pytest.raises(ArgumentError, match="fun runs on one block .* outside, as '"):
        optimize.minimize(_ways(c)[way], x)
    monkeypatch.setitem(globals(), "OUTSIDE", C2)
    found = optimize.minimize(_ways(C2)[way], x, tol=1e-9).x
    np.testing.assert_allclose(found, optimize.minimize(far, START, (C2,), tol=1e-9).x, atol=1e-6)


def test_what_a_function_does_not_read_is_no_fault() -> None:
    import dask.array as da

    x = da.from_array(START, chunks=(5, -1))
    held = Held(C2, other=x)
    assert optimize.minimize(held.method, x).x.shape == (SIZE, 2)
    called = OnlyCalled(C2, other=x)
    assert optimize.minimize(called.method, x).x.shape == (SIZE, 2)
    assert optimize.minimize(lambda v: far(v, held.c), x).x.shape == (SIZE, 2)


# -- derivatives -----------------------------------------------------------------------------------

FOLLOWED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "curve_fit": (lambda y, t: optimize.curve_fit(decay, t, y, [1.0, 1.0])[0], (Y, T), (5, 9)),
    "nnls": (lambda a, b: optimize.nnls(a, b)[1], (A, B), (5, 5)),
    "nnls of one matrix": (lambda a, b: optimize.nnls(a, b)[1], (A[0], B), (6, 5)),
    "lsq_linear": (lambda a, b: optimize.lsq_linear(a, b).x, (A[:1], B), (1, 4)),
    "least_squares": (
        lambda t, x: optimize.least_squares(rest, stop_gradient(x), args=(t,)).x,
        (T, START[:3]),
        (9, 2),
    ),
    "minimize": (
        lambda c, x: optimize.minimize(far, stop_gradient(x), (c,), tol=1e-9).x,
        (C2, START[:3]),
        (2, 2),
    ),
    "root": (lambda c, x: optimize.root(cubic, stop_gradient(x), (c,)).x, (C2, START[:3]), (2, 2)),
    "find_root": (lambda c: optimize.find_root(cubic, (0.0, 4.0), args=(c,)).x, (C,), (5,)),
    "isotonic_regression": (lambda y: optimize.isotonic_regression(y).x, (B,), (5,)),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_derivatives_are_numpys(name: str, rng: Any) -> None:
    """Of arrays that the batch is cut along, and of such that all blocks share."""
    import dask.array as da

    fun, arrays, first = FOLLOWED[name]
    lazy = tuple(
        da.from_array(x, chunks=(n, *x.shape[1:])) for x, n in zip(arrays, first, strict=True)
    )
    weight = rng.normal(size=np.shape(fun(*arrays)))

    def total(*args: Any) -> Any:
        out = fun(*args)
        return array_namespace(out).sum(out * lazily(weight, out))

    def lazily(x: Any, like: Any) -> Any:
        return array_namespace(like).asarray(x)

    every = tuple(range(len(arrays)))
    expected = grad(total, argnums=every)(*arrays)
    with refused():
        found = grad(total, argnums=every)(*lazy)
        out, pulled = vjp(fun, *lazy)
        cotangents = pulled(da.from_array(weight))
        moved = jvp(fun, lazy, tuple(map(da.ones_like, lazy)))
    for one, other, wanted in zip(found, cotangents, expected, strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(other, wanted, rtol=1e-9, atol=1e-11)
        assert one.dtype == wanted.dtype and len(one.dask) < 400
    np.testing.assert_allclose(out, fun(*arrays), rtol=1e-9, atol=1e-11)
    wanted = jvp(fun, arrays, tuple(map(np.ones_like, arrays)))
    for one, two in zip(moved, wanted, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-11)


def test_second_derivatives_and_maps() -> None:
    import dask.array as da

    def fit(y: Any) -> Any:
        return optimize.curve_fit(decay, T, y, [1.0, 1.0])[0]

    def size(y: Any) -> Any:
        return array_namespace(y).sum(fit(y) ** 2)

    y = da.from_array(Y[:5], chunks=(2, -1))
    np.testing.assert_allclose(hessian(size)(y[0]), hessian(size)(Y[0]), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(jacfwd(fit)(y[0]), jacfwd(fit)(Y[0]), rtol=1e-8, atol=1e-10)
    mapped = vmap(fit)(y)
    assert mapped.chunks == ((2, 2, 1), (2,))
    np.testing.assert_allclose(mapped, fit(Y[:5]), rtol=1e-8)
    np.testing.assert_allclose(vmap(grad(size))(y), vmap(grad(size))(Y[:5]), rtol=1e-8, atol=1e-10)
    twice = vmap(lambda c: optimize.brentq(cubic, 0.0, 4.0, (c,)))(da.from_array(C, chunks=5))
    np.testing.assert_allclose(twice, optimize.brentq(cubic, 0.0, 4.0, (C,)))
