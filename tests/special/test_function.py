"""What all special functions share: arguments, dtypes, refusals, blocks, lazy arrays."""

import inspect
from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.errors import (
    ArgumentError,
    DtypeError,
    MixedLibrariesError,
    ShapeError,
    TransformError,
)
from likewise.special import expit, expm1, kl_div, xlog1py
from likewise.special._function import by_region, elementwise, no_derivative
from likewise.transforms import grad


def test_numbers_of_every_kind(lib: Any) -> None:
    x = np.asarray([0, 1, 3])
    for given in (x, x > 0):
        got = lib.to_numpy(expit(lib.asarray(given)))
        assert got.dtype.kind == "f"
        np.testing.assert_allclose(got, 1 / (1 + np.exp(-given.astype(float))), rtol=1e-6)
    single = lib.to_numpy(xlog1py(lib.asarray(x, "float32"), 2.0))
    assert single.dtype == np.float32  # a number is weak
    both = lib.to_numpy(xlog1py(2, lib.asarray(x, "float32")))
    assert both.dtype == np.float32
    np.testing.assert_allclose(both, 2 * np.log1p(x), rtol=1e-6)


def test_numbers_alone() -> None:
    assert float(expit(0.0)) == 0.5
    assert float(kl_div(1, 1)) == 0.0
    np.testing.assert_allclose(expit([0.0, np.inf]), [0.5, 1.0])


def test_shapes(lib: Any) -> None:
    for shape in [(), (0, 1), (2, 0, 3), (3, 1)]:
        x = lib.asarray(np.ones(shape, "float32"))
        assert tuple(lib.to_numpy(expit(x)).shape) == shape
        y = lib.asarray(np.ones(3, "float32"))
        assert tuple(lib.to_numpy(kl_div(x, y)).shape) == np.broadcast_shapes(shape, (3,))
    with pytest.raises(ShapeError, match="kl_div: shapes must broadcast"):
        kl_div(lib.asarray(np.ones(2, "float32")), lib.asarray(np.ones(3, "float32")))


def test_what_is_refused(lib: Any) -> None:
    z = lib.asarray(np.asarray([1j], "complex64"))
    with pytest.raises(
        DtypeError, match=r"expit: argument 'x' must hold real numbers.*taken by .*expm1"
    ):
        expit(z)
    assert lib.to_numpy(expm1(z)).dtype == np.complex64
    with pytest.raises(DtypeError, match="kl_div: argument 'y' must hold real numbers"):
        kl_div(1.0, z)


@pytest.mark.parametrize("name", likewise.special.__all__)
def test_an_error_of_the_call_names_the_function(name: str) -> None:
    func = getattr(likewise.special, name)
    every = inspect.signature(func).parameters
    needed = [p for p in every.values() if p.default is p.empty]
    x = np.ones(3)
    for args, kwargs, reason in (
        *(((x,) * i, {}, f"missing.*'{p.name}'") for i, p in enumerate(needed)),
        ((x,) * len(every) + (x,), {}, "too many|takes"),
        ((x,) * len(needed), {"nonsense": x}, "nonsense"),
    ):
        with pytest.raises(TypeError, match=rf"(?s){name}\b.*({reason})"):
            func(*args, **kwargs)


def test_arguments_by_name() -> None:
    x, y = np.asarray([0.5, 0.25]), np.asarray([0.3, 0.9])
    np.testing.assert_array_equal(kl_div(y=y, x=x), kl_div(x, y))


@pytest.mark.needs("torch")
def test_mixed_libraries() -> None:
    import torch

    with pytest.raises(MixedLibrariesError, match="kl_div: arrays of one library"):
        kl_div(np.ones(2), torch.ones(2))


def test_inputs_are_left_alone(lib: Any, rng: Any) -> None:
    x = np.abs(rng.normal(size=40_000)).astype("float32")
    kept = x.copy()
    got = lib.to_numpy(kl_div(lib.asarray(x), 1.5))
    np.testing.assert_array_equal(x, kept)
    np.testing.assert_allclose(got, x * np.log(x / 1.5) - x + 1.5, atol=1e-5)


def made(derivative: Any) -> Any:
    @elementwise(derivatives=(derivative,))
    def halved(x: Any) -> Any:
        """Halve."""
        return x / 2

    return halved


def test_no_derivative(lib: Any) -> None:
    x = lib.asarray(np.asarray(1.0, "float32"))
    with pytest.raises(TransformError, match="halved: none in x"):
        grad(made(no_derivative("halved: none in x")))(x)
    np.testing.assert_allclose(lib.to_numpy(grad(made(lambda y, x: 7.0 + 0 * x))(x)), 7.0)


def test_a_derivative_that_nobody_asks_for_is_not_taken(lib: Any) -> None:
    @elementwise(derivatives=(lambda z, x, y: y, no_derivative("product: none in y")))
    def product(x: Any, y: Any) -> Any:
        """Multiply."""
        return x * y

    x = lib.asarray(np.asarray(2.0, "float32"))
    assert float(lib.to_numpy(grad(lambda a: product(a, 3.0 * x))(x * 0))) == 6.0


@pytest.mark.parametrize("n", [5, 100, 40_000])
def test_regions(lib: Any, n: int) -> None:
    """The first region counts; with many elements each function gets those of its own."""
    x = np.linspace(-3, 3, n).astype("float32")
    a = lib.asarray(x)
    xp = likewise.array_namespace(a)
    got = by_region((a,), (a < -1, lambda x: -x), (a < 1, lambda x: x * x), rest=lambda x: 2 * x)
    expected = np.where(x < -1, -x, np.where(x < 1, x * x, 2 * x))
    np.testing.assert_allclose(lib.to_numpy(got), expected)
    same = by_region((a,), (a < 9, xp.abs), rest=xp.exp)
    np.testing.assert_allclose(lib.to_numpy(same), np.abs(x))


@pytest.mark.needs("dask")
def test_dask_has_one_task_a_chunk() -> None:
    import dask.array as da

    x = da.from_array(np.linspace(0.1, 2, 12), chunks=4)
    y = da.from_array(np.linspace(1, 2, 3)[:, None], chunks=2)
    got = kl_div(x, y)
    assert likewise.is_lazy(got) and got.dtype == np.float64
    assert len([k for k in got.__dask_graph__() if str(k).startswith("('kl_div")]) == 6
    np.testing.assert_allclose(got.compute(), kl_div(x.compute(), y.compute()))


def test_too_many_dtypes_are_an_error() -> None:
    with pytest.raises((DtypeError, ArgumentError)):
        expit(np.asarray(["a"]))


def test_psi_is_named_in_its_errors() -> None:
    with pytest.raises(DtypeError, match="^psi: .*'z'.*Complex numbers are taken by"):
        likewise.special.psi(1j)


def test_what_numpys_ufuncs_take() -> None:
    """`out` and `where` are taken where they say nothing, and refused where they do."""
    x = np.asarray([0.5, 1.0])
    np.testing.assert_array_equal(
        likewise.special.erf(x, out=None, where=True), likewise.special.erf(x)
    )
    np.testing.assert_array_equal(
        likewise.special.beta(x, 2.0, out=None), likewise.special.beta(x, 2.0)
    )
    for given in ({"out": x}, {"where": x > 0.7}):
        with pytest.raises(TypeError, match="it takes x"):
            likewise.special.erf(x, **given)
