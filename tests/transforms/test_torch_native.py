"""PyTorch's own transforms on the functions of the standard, as the namespace repairs them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, grad, hessian, jacfwd, jacrev, jvp, vmap
from likewise.linalg import lu_factor, lu_solve, solve
from likewise.transforms import tree_leaves

from ._rules.test_rules import ALL, Here, _name
from .cases import Case
from .reference import floating, lanes

pytestmark = pytest.mark.needs("torch")


def _array(values: Any) -> Any:
    return likewise.asarray(np.asarray(values), namespace="torch")


def _close(found: Any, expected: Any, rtol: float = 1e-8) -> None:
    a, b = likewise.to_numpy(found), np.asarray(expected)
    assert a.shape == b.shape
    scale = float(np.max(np.abs(b), initial=1.0))
    np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * scale)


# -- what torch makes lazily -----------------------------------------------------------------------


def _imaginary(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.imag(xp.fft.ifft(x))


def _of_conjugates(x: Any) -> Any:
    xp = array_namespace(x)
    z = xp.conj(xp.exp(xp.astype(x, xp.complex128) * (1 + 2j)))
    return xp.imag(xp.conj(z) * z * z)


# Of exp((1 + 2i) x): -e^{3x} sin(2x), its derivative, its second derivative.
_RATES: tuple[Callable[[Any], Any], ...] = (
    lambda x: -np.exp(3 * x) * np.sin(2 * x),
    lambda x: -np.exp(3 * x) * (3 * np.sin(2 * x) + 2 * np.cos(2 * x)),
    lambda x: -np.exp(3 * x) * (5 * np.sin(2 * x) + 12 * np.cos(2 * x)),
)


def test_imag_of_ifft_of_reals() -> None:
    x = np.random.default_rng(0).normal(size=(3, 4))
    _close(vmap(_imaginary)(_array(x)), np.fft.ifft(x).imag)
    matrix = np.fft.ifft(np.eye(4)).imag.T  # linear
    for jacobian in (jacfwd, jacrev):
        _close(jacobian(_imaginary)(_array(x[0])), matrix)
        _close(vmap(jacobian(_imaginary))(_array(x)), np.stack([matrix] * 3))

    def squares(x: Any) -> Any:
        return array_namespace(x).sum(_imaginary(x) ** 2)

    _close(hessian(squares)(_array(x[0])), 2 * matrix.T @ matrix)
    _close(vmap(hessian(squares))(_array(x)), np.stack([2 * matrix.T @ matrix] * 3))


def test_conjugates_in_batches_of_derivatives() -> None:
    x = np.linspace(-0.5, 0.7, 4)
    _close(vmap(_of_conjugates)(_array(x)), _RATES[0](x))
    _close(vmap(grad(_of_conjugates))(_array(x)), _RATES[1](x))
    _close(vmap(grad(grad(_of_conjugates)))(_array(x)), _RATES[2](x))
    _close(vmap(hessian(_of_conjugates))(_array(x)), _RATES[2](x))


def test_lanes_that_are_conjugates() -> None:
    z = np.asarray([[1 + 2j, 3 - 1j], [0.5j, -1.0]])
    lanes = _array(z).conj()
    _close(vmap(lambda v: array_namespace(v).imag(v))(lanes), -z.imag)


def test_zeros_without_memory_come_out_as_arrays() -> None:
    x = _array(np.asarray([[2.0, 1.0], [0.5, 3.0]]))

    def sign(x: Any) -> Any:
        return array_namespace(x).linalg.slogdet(x)[0]

    out, moved = jvp(sign, (x,), (x,))
    assert moved.numpy() == 0.0
    assert out.numpy() == 1.0
    assert not vmap(jacfwd(sign))(_array(np.stack([np.eye(2)] * 3))).numpy().any()


# -- what torch has wrong --------------------------------------------------------------------------


@pytest.mark.parametrize("own", [False, True], ids=["linalg", "missing"])
def test_solve_in_batches_of_forward_derivatives(own: bool) -> None:
    """d(A⁻¹b) = -A⁻¹ dA A⁻¹ b, lane by lane."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 4, 4)), rng.normal(size=(3, 4))

    def solved(a: Any, b: Any) -> Any:
        return solve(a, b) if own else array_namespace(a).linalg.solve(a, b)

    inverse = np.linalg.inv(a)
    x = np.einsum("bij,bj->bi", inverse, b)
    by_a = -np.einsum("bij,bk->bijk", inverse, x)
    _close(vmap(jacfwd(solved))(_array(a), _array(b)), by_a)
    _close(vmap(jacfwd(solved, argnums=1))(_array(a), _array(b)), inverse)
    _close(vmap(jacfwd(lambda b: solved(_array(a[0]), b)))(_array(b)), np.stack([inverse[0]] * 3))
    found = vmap(jacfwd(jacfwd(solved)))(_array(a), _array(b))
    # x_i by a_jm, then by a_kl: both orders of -A⁻¹ E A⁻¹ F x.
    expected = np.einsum("bij,bmk,bl->bijmkl", inverse, inverse, x)
    expected = expected + np.einsum("bik,blj,bm->bijmkl", inverse, inverse, x)
    _close(found, expected)


@pytest.mark.parametrize("trans", [0, 1, 2])
def test_lu_solve_with_factors_that_broadcast(trans: int) -> None:
    rng = np.random.default_rng(2)
    a = rng.normal(size=(3, 4, 4)) + 1j * rng.normal(size=(3, 4, 4))
    b = rng.normal(size=(3, 5, 4, 2)) + 0j
    matrix = [a, a.mT, a.conj().mT][trans]
    expected = np.linalg.solve(matrix[:, None], b)
    lu, pivots = lu_factor(_array(a))
    _close(lu_solve((lu[:, None], pivots[:, None]), _array(b), trans=trans), expected)

    def one(lu: Any, pivots: Any, b: Any) -> Any:
        return vmap(lambda c: lu_solve((lu, pivots), c, trans=trans))(b)

    _close(vmap(one)(lu, pivots, _array(b)), expected)


def test_pow_of_a_complex_base_and_a_real_exponent() -> None:
    z, p = np.asarray([1.2 + 0.3j, -0.4 + 2j]), np.asarray([2.0, -1.5])

    def raised(z: Any, p: Any) -> Any:
        return array_namespace(z).pow(z, p)

    moved = jvp(raised, (_array(z), _array(p)), (_array(z * 0), _array(p * 0 + 1)))[1]
    _close(moved, z**p * np.log(z))


@pytest.mark.parametrize("name", ["sum", "prod", "cumulative_sum", "cumulative_prod"])
def test_reductions_of_reals_in_complex_numbers(name: str) -> None:
    x = np.asarray([1.5, -2.0, 0.5])

    def total(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.sum(xp.real(getattr(xp, name)(x, dtype=xp.complex128)))

    expected = {
        "sum": np.ones(3),
        "prod": np.asarray([-1.0, 0.75, -3.0]),
        "cumulative_sum": np.asarray([3.0, 2.0, 1.0]),
        "cumulative_prod": np.asarray([-2.0, 2.25, -3.0]),
    }[name]
    _close(grad(total)(_array(x)), expected)


# -- the table -------------------------------------------------------------------------------------

# Where a case of the interpreter's table is not torch's to get right.
_LEFT_OUT = {
    "remainder number": "an operator of a number and a tensor, which torch has no derivative of",
    "pow exponent of 0": "torch's reverse derivative of the reverse derivative is NaN",
    "linalg.det 0 and 1": "torch's second derivative at singular matrices is NaN",
    "setitem array": "torch.func.vmap refuses to assign batches of different depth at arrays",
    "setitem arrays": "as above",
}


def _real_cases() -> Iterator[Any]:
    for family, case in ALL:
        here = floating(case)
        fits = set(case.only) >= {"jvp", "vjp", "batch"} and case.batch is None
        fits = fits and _name(case) not in _LEFT_OUT
        if here and fits and all(np.asarray(case.args[i]).dtype.kind == "f" for i in here):
            yield pytest.param(case, id=f"{family}-{_name(case)}")


def _squares(here: Here, others: list[Any]) -> Callable[..., Any]:
    def of(*some: Any) -> Any:
        full = list(others)
        for i, x in zip(here.diff, some, strict=True):
            full[i] = x
        total: Any = 0.0
        for y in here.all(*full):
            xp = array_namespace(y)
            if xp.isdtype(y.dtype, "complex floating"):
                y = xp.abs(y)
            if xp.isdtype(y.dtype, "real floating"):
                total = total + xp.sum(y * y)
        return total

    return of


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:There is a performance drop")  # of what torch loops over lanes
@pytest.mark.parametrize("case", list(_real_cases()))
def test_batches_of_derivatives_are_those_of_the_lanes(case: Case) -> None:
    """In a batch torch's rules differ from those of one lane, where they are one text for all."""
    here, per_lane = Here(case, "torch"), lanes(case)
    places = tuple(range(len(here.diff)))
    stacked = [here.array(np.stack([lane[i] for lane in per_lane])) for i in range(len(case.args))]
    transforms = [lambda f: jacrev(f, argnums=places), lambda f: jacfwd(f, argnums=places)]
    if "second" in case.only:
        transforms += [lambda f: hessian(f, argnums=places)]
    for number, transform in enumerate(transforms):

        def one(*args: Any, transform: Any = transform) -> Any:
            return transform(_squares(here, list(args)))(*(args[i] for i in here.diff))

        found = tree_leaves(vmap(one)(*stacked))
        # The lane alone goes back only: reverse over reverse where the batch goes forward.
        single = transforms[0] if number < 2 else _twice_back(places)
        for k, lane in enumerate(per_lane):
            args = [here.array(x) for x in lane]
            back = single(_squares(here, args))(*(args[i] for i in here.diff))
            for f, e in zip(found, tree_leaves(back), strict=True):
                _close(f[k, ...], likewise.to_numpy(e))


def _twice_back(places: tuple[int, ...]) -> Callable[..., Any]:
    return lambda f: jacrev(jacrev(f, argnums=places), argnums=places)
