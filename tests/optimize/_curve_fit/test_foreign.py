"""Functions of NumPy and math in a model, and what is said of them."""

import math
import re
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import prefer
from likewise.errors import ArrayTypeError, DerivativeWarning, TransformError
from likewise.optimize import curve_fit, least_squares, minimize

T = np.linspace(0.0, 4.0, 20)
not_in_blocks = pytest.mark.xp_skip({"dask": "the model is called when the result is computed"})


@not_in_blocks
@pytest.mark.parametrize("single", [True, False])
def test_functions_of_numpy(lib: Any, single: bool) -> None:
    """On NumPy they are followed; elsewhere it is said what to write."""
    y = np.exp(-T) if single else np.stack([np.exp(-T), 2 * np.exp(-T)])
    if isinstance(lib.asarray(T), np.ndarray):
        popt, _ = curve_fit(lambda t, a, k: a * np.exp(-k * t), T, y, [1.0, 2.0])
        expected = [1.0, 1.0] if single else [[1.0, 1.0], [2.0, 1.0]]
        np.testing.assert_allclose(popt, expected, rtol=1e-7)
        return
    with pytest.raises((ArrayTypeError, TransformError), match=r"(np\.(exp|f)\(x\))") as caught:
        curve_fit(lambda t, a, k: a * np.exp(-k * t), lib.asarray(T), lib.asarray(y), [1.0, 2.0])
    if isinstance(caught.value, ArrayTypeError):
        assert re.search(r"curve_fit: f got .*test_foreign.*xp\.exp\(x\)", str(caught.value), re.S)


def _by_elements(t: Any, a: Any, k: Any) -> Any:
    return np.array([a * np.exp(-k * s) for s in t])


def _in_pieces(t: Any, place: Any, one: Any, two: Any) -> Any:
    return np.piecewise(t, [t < place], [lambda s: one * (s - place), lambda s: two * (s - place)])


def test_models_of_scipys() -> None:
    def gauss(x: Any, a: Any, m: Any, s: Any) -> Any:
        return a * np.exp(-((x - m) ** 2) / (2 * s**2)) / np.sqrt(2 * np.pi * s**2)

    x = np.linspace(-3, 3, 40)
    p = np.asarray([2.0, 0.3, 0.8])
    for dtype in (np.float64, np.float32):
        data = gauss(x, *p).astype(dtype)
        popt, _ = curve_fit(gauss, x.astype(dtype), data, [1.0, 0.0, 1.0])
        assert popt.dtype == dtype
        np.testing.assert_allclose(popt, p, rtol=1e-6 if dtype == np.float64 else 1e-3)
    popt, _ = curve_fit(_in_pieces, x, _in_pieces(x, 0.35, 2.0, -1.0), [0.0, 1.0, 0.0])
    np.testing.assert_allclose(popt, [0.35, 2.0, -1.0], rtol=1e-6)


@pytest.mark.parametrize("x", [[1, 2, 3], np.asarray([1.0, 2.0, 3.0])])
@pytest.mark.parametrize("y", [[1, 2, 3.1], np.asarray([1.0, 2.0, 3.1])])
def test_a_model_of_lists_that_cannot_be_followed(x: Any, y: Any) -> None:
    with pytest.warns(DerivativeWarning, match=r"jac='2-point'"):
        popt, _ = curve_fit(lambda t, a, b: a * np.asarray(t) + b, x, y)
    np.testing.assert_allclose(popt, np.polyfit([1, 2, 3], [1, 2, 3.1], 1), rtol=1e-6)


def test_a_model_that_cannot_be_followed() -> None:
    y = 2 * np.exp(-T)
    with pytest.warns(DerivativeWarning, match=r"jac='2-point'.*np\.array.*np\.stack"):
        popt, _ = curve_fit(_by_elements, T, y, [1.0, 0.5])
    np.testing.assert_allclose(popt, [2.0, 1.0], rtol=1e-6)
    popt, _ = curve_fit(_by_elements, T, y, [1.0, 0.5], jac="3-point")
    np.testing.assert_allclose(popt, [2.0, 1.0], rtol=1e-6)


@not_in_blocks
def test_a_number_taken_out_by_math(lib: Any) -> None:
    """Also where the library would give it away, and with it the derivative."""
    y = lib.asarray(2 * np.exp(-0.7 * T))
    x = lib.asarray(T)

    def model(t: Any, a: Any, k: Any) -> Any:
        return a * likewise.array_namespace(t).exp(-float(k) * t)

    if lib.library == "jax":
        with pytest.raises(ArrayTypeError, match=r"likewise\.array_namespace"):
            curve_fit(lambda t, a, k: a * math.exp(-k) * t, x, y, [1.0, 2.0])
        return
    with pytest.warns(DerivativeWarning, match="float"):
        popt, _ = curve_fit(model, x, y, [1.0, 2.0])
    np.testing.assert_allclose(lib.to_numpy(popt), [2.0, 0.7], rtol=1e-5)
    both = lib.asarray(np.stack([lib.to_numpy(y)] * 2))
    with pytest.raises((TypeError, ValueError, RuntimeError), match="float|convert"):
        curve_fit(model, x, both, [1.0, 2.0])  # a batch is not differenced


@not_in_blocks
def test_residuals_and_objectives(lib: Any) -> None:
    x = lib.asarray([1.0, 2.0])
    if isinstance(x, np.ndarray):
        found = least_squares(lambda v: np.concatenate([v * np.exp(v), [v[0]]]), x).x
        np.testing.assert_allclose(found, 0, atol=1e-6)
        found = minimize(lambda v: np.sum(np.exp(v) * v), x, tol=1e-9).x
        np.testing.assert_allclose(found, -1, rtol=1e-6)
        return
    with pytest.raises((ArrayTypeError, TransformError), match=r"likewise\.array_namespace"):
        least_squares(lambda v: v * np.exp(v), x)
    if lib.library == "strict":  # whose arrays NumPy takes: differenced
        with pytest.warns(DerivativeWarning):
            found = minimize(lambda v: np.sum(np.exp(v) * v), x).x
        np.testing.assert_allclose(lib.to_numpy(found), -1, rtol=1e-4)
        return
    with pytest.raises((ArrayTypeError, TransformError), match=r"likewise\.array_namespace"):
        minimize(lambda v: np.sum(np.exp(v) * v), x)


@not_in_blocks
def test_errors_of_the_caller_stay_as_they_are(lib: Any) -> None:
    def broken(t: Any, a: Any) -> Any:
        raise KeyError("of mine")

    with pytest.raises(KeyError, match="of mine"):
        curve_fit(broken, lib.asarray(T), lib.asarray(T), [1.0])


class _Mine(Exception):
    pass


@not_in_blocks
@pytest.mark.parametrize(
    "wrong", [_Mine, ValueError, TypeError, RuntimeError, StopIteration, FloatingPointError]
)
def test_errors_that_a_model_raises_stay_where_it_names_numpy(lib: Any, wrong: Any) -> None:
    def model(t: Any, a: Any, k: Any) -> Any:
        if a.shape == ():
            raise wrong("my own")
        return a * np.exp(-k * t)

    def errors(v: Any) -> Any:
        return model(t, v[0], v[1])

    t, two = lib.asarray(T), lib.asarray([1.0, 2.0])
    for call in (
        lambda: curve_fit(model, t, t, [1.0, 2.0]),
        lambda: curve_fit(model, t, t, [1.0, 2.0], bounds=(0.0, 3.0)),
        lambda: least_squares(errors, two),
        lambda: minimize(errors, two),
    ):
        with pytest.raises(wrong, match="my own") as caught:
            call()
        assert type(caught.value) is wrong


@not_in_blocks
def test_errors_of_numpy_that_met_no_array_of_ours_stay(lib: Any) -> None:
    def singular(t: Any, a: Any) -> Any:
        return a * t + np.linalg.inv(np.zeros((2, 2)))[0, 0]

    def negative(t: Any, a: Any) -> Any:
        return a * t + math.sqrt(-1.0)

    def missing(t: Any, a: Any) -> Any:
        return a * t + {}[np.pi]

    t = lib.asarray(T)
    for model, wrong in ((singular, np.linalg.LinAlgError), (negative, ValueError)):
        with pytest.raises(wrong) as caught:
            curve_fit(model, t, t, [1.0])
        assert type(caught.value) is wrong
    with pytest.raises(KeyError):
        curve_fit(missing, t, t, [1.0])


@not_in_blocks
def test_a_call_on_several_lines_is_explained(lib: Any) -> None:
    def model(t: Any, a: Any, k: Any) -> Any:
        # fmt: off
        return a * math.exp(
            -k * t
        )
        # fmt: on

    with pytest.raises(ArrayTypeError, match=r"NumPy or math \(line .*test_foreign.*xp\.exp\(x\)"):
        curve_fit(model, lib.asarray(T), lib.asarray(T), [1.0, 2.0])


@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), (-9.0, 9.0)])
@pytest.mark.parametrize("way", ["numpy", "generic"])
def test_a_model_may_keep_what_depends_on_xdata_alone(bounds: Any, way: str) -> None:
    def made() -> Any:
        kept: dict[str, Any] = {}

        def model(t: Any, a: Any, b: Any, c: Any) -> Any:
            if "e" not in kept:
                kept["e"] = np.exp(-t)
            return a * kept["e"] + b * t + c

        return model

    y, fresh = 2 * np.exp(-T) + T - 0.5, made()
    for model in (fresh, fresh, made()):
        with prefer(way):
            popt, _ = curve_fit(model, T, y, [1.0, 0.5, 0.0], bounds=bounds)
        np.testing.assert_allclose(popt, [2.0, 1.0, -0.5], rtol=1e-6)


@pytest.mark.parametrize("xdata", ["a", b"a"])
def test_words_for_xdata(lib: Any, xdata: Any) -> None:
    with pytest.raises(ArrayTypeError, match=r"curve_fit: xdata must be .*got .*a"):
        curve_fit(lambda t, a: a * t, xdata, lib.asarray(T), [1.0])
