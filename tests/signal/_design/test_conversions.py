"""Conversions between coefficients, zeros and poles, and sections, against SciPy."""

import functools
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise import signal
from likewise.errors import ArgumentError, BadCoefficients, NotSupported, ShapeError
from likewise.signal import normalize, sos2tf, sos2zpk, tf2sos, tf2zpk, zpk2sos, zpk2tf

from ..designs import close, in_use

SOS = scipy.signal.ellip(5, 1, 40, 0.3, output="sos")
ZPK = scipy.signal.ellip(5, 1, 40, 0.3, output="zpk")
BA = scipy.signal.ellip(5, 1, 40, 0.3)


def by_size(out: Any) -> Any:
    """Roots in one order."""
    return (np.sort_complex(out[0] + 0j), np.sort_complex(out[1] + 0j), out[2])


def test_products(lib: Any) -> None:
    b, a = sos2tf(lib.asarray(SOS))
    rtol = 1e-10 if lib.has_float64 else 1e-5
    close((lib.to_numpy(b), lib.to_numpy(a)), scipy.signal.sos2tf(SOS), rtol)
    z, p, k = ZPK
    real = (lib.asarray(z.real), lib.asarray(p.real), k)
    got = tuple(lib.to_numpy(x) for x in zpk2tf(*real))
    close(got, scipy.signal.zpk2tf(z.real, p.real, k), rtol)
    close(in_use(lib, lambda: zpk2tf(list(z), list(p), float(k))), scipy.signal.zpk2tf(*ZPK))
    close(in_use(lib, lambda: sos2tf(SOS.tolist())), scipy.signal.sos2tf(SOS))


def test_roots(lib: Any) -> None:
    b, a = (list(x) for x in BA)
    close(by_size(in_use(lib, lambda: tf2zpk(b, a))), by_size(scipy.signal.tf2zpk(*BA)), 1e-8)
    got = in_use(lib, lambda: sos2zpk(SOS.tolist()))
    close(by_size(got), by_size(scipy.signal.sos2zpk(SOS)))
    close(in_use(lib, lambda: tf2sos(b, a)), scipy.signal.tf2sos(*BA), 1e-8)
    lists = (list(ZPK[0]), list(ZPK[1]), float(ZPK[2]))
    for pairing in ("nearest", "keep_odd", None):
        got = in_use(lib, lambda p=pairing: zpk2sos(*lists, p))
        close(got, scipy.signal.zpk2sos(*ZPK, pairing))
    got = in_use(lib, lambda: normalize([3.0, 2.0, 4.0], [0.0, 2.0, 1.0]))
    close(got, scipy.signal.normalize([3.0, 2.0, 4.0], [0.0, 2.0, 1.0]))


@pytest.mark.needs("torch", "array_api_strict")
@pytest.mark.parametrize("name", ["numpy", "strict", "torch"])
def test_values_of_arrays(name: str) -> None:
    """What reads values gives arrays of the argument's library and precision."""
    b, a = (likewise.asarray(x.astype("float32"), namespace=name) for x in BA)
    z, _, k = tf2zpk(b, a)
    assert likewise.library(z) == name and likewise.to_numpy(z).dtype == np.complex64
    assert likewise.to_numpy(k).dtype == np.float32
    z, p = (likewise.asarray(x, namespace=name) for x in ZPK[:2])
    close(likewise.to_numpy(zpk2sos(z, p, 2.0)), scipy.signal.zpk2sos(*ZPK[:2], 2.0))


def test_rows_of_zeros() -> None:
    z, k = np.asarray([[1.0, 2.0], [3.0, 4.0]]), np.asarray([1.0, 2.0])
    close(zpk2tf(z, np.asarray([0.5]), k), scipy.signal.zpk2tf(z, [0.5], k))


def test_roots_of_random_coefficients(rng: np.random.Generator) -> None:
    """Each root found is one: the polynomial of all roots has the coefficients."""
    for n in range(1, 14):
        c = rng.normal(size=n + 1) * 10.0 ** rng.integers(-2, 3, size=n + 1)
        z, _, k = tf2zpk(c, [1.0])
        np.testing.assert_allclose(k * np.poly(z), c, atol=1e-9 * np.max(np.abs(c)))
        assert np.iscomplexobj(z) == bool(np.any(np.roots(c).imag))


HIGH = {
    "butter": scipy.signal.butter(10, 0.3),
    "cheby1": scipy.signal.cheby1(8, 1, 0.3),
    "band": scipy.signal.butter(6, [0.2, 0.3], "bandpass"),
    "analog": scipy.signal.bessel(10, 100.0, analog=True),
    "many": (np.ones(30), np.concatenate([[1.0], np.zeros(28), [-0.9]])),
}


@pytest.mark.parametrize("name", HIGH)
def test_multiple_roots_together_are_the_polynomials(name: str) -> None:
    """Of zeros that lie together each loses digits, but not all of them the same ones."""
    for c, r in zip(normalize(*HIGH[name]), tf2zpk(*HIGH[name])[:2], strict=True):
        product = functools.reduce(np.polymul, [[1.0, -v] for v in r], np.ones(1))
        np.testing.assert_allclose(c[0] * product, c, rtol=0, atol=2e-13 * np.max(np.abs(c)))


@pytest.mark.parametrize("name", ["butter", "cheby1"])
def test_sections_of_high_order_answer_as_their_coefficients(name: str) -> None:
    w = np.linspace(0, np.pi, 200)
    got = scipy.signal.freqz_sos(tf2sos(*HIGH[name]), w)[1]
    close(got, scipy.signal.freqz(*HIGH[name], w)[1], 1e-11)


def test_no_roots_of_what_is_not_finite() -> None:
    assert np.all(np.isnan(tf2zpk([1.0, 2.0, np.nan, 3.0], [1.0])[0]))


def test_zeros_at_the_start() -> None:
    with pytest.warns(BadCoefficients, match="the numerator starts with coefficients of zero"):
        num, den = normalize([0.0, 2.0, 4.0], [0.0, 2.0, 1.0])
    close((num, den), (np.asarray([1.0, 2.0]), np.asarray([1.0, 0.5])))
    z, p, k = tf2zpk([1.0, -3.0, 2.0, 0.0, 0.0], [1.0])
    close((z, p, k), (np.asarray([2.0, 1.0, 0.0, 0.0]), np.ones(0), 1.0))


BAD = {
    "denominator": (lambda: tf2zpk([1.0], [0.0, 0.0]), ArgumentError, "isn't zero, got"),
    "two dimensions": (lambda: tf2zpk([[1.0]], [1.0]), ShapeError, "b must have one dimension"),
    "pairs": (lambda: zpk2sos([1j], [0.5], 1.0), ArgumentError, "z must be real or come in"),
    "gain": (lambda: zpk2sos([], [0.5], 1j), ArgumentError, "k must be one real number"),
    "pairing": (lambda: zpk2sos([], [0.5], 1, "any"), ArgumentError, "pairing must be one of"),
    "analog": (lambda: zpk2sos([], [], 1, "nearest", analog=True), ArgumentError, "'minimal'"),
    "zeros": (
        lambda: zpk2sos([1, 2], [1], 1, analog=True),
        ArgumentError,
        "at least as many poles",
    ),
    "none": (
        lambda: normalize(None, [1.0]),
        ArgumentError,
        "normalize: b must be numbers, got None",
    ),
    "no roots": (lambda: zpk2sos(None, [1.0], 1.0), ArgumentError, "z must be numbers, got None"),
    "sections": (lambda: sos2tf([[1.0, 2.0]]), ShapeError, r"\(sections, 6\), got \(1, 2\)"),
    "gains": (lambda: zpk2tf([[1.0]], [1.0], [1.0, 2.0]), ShapeError, "one for each row"),
    "denominators": (lambda: normalize([1.0], [[1.0]]), ShapeError, "one dimension"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()


def test_traced_values_are_refused() -> None:
    with pytest.raises(NotSupported, match="must have values"):
        likewise.grad(lambda b: tf2zpk(b, [1.0])[2])(np.asarray([1.0, 2.0]))


EMPTY_OR_NOT: list[Any] = [
    signal.normalize,
    signal.tf2zpk,
    signal.tf2sos,
    signal.tf2ss,
    signal.lp2lp,
]
EMPTY_OR_NOT += [signal.lp2hp, signal.lp2bp, signal.lp2bs, signal.bilinear, signal.freqz]


@pytest.mark.parametrize("func", [*EMPTY_OR_NOT, lambda b, a: signal.group_delay((b, a))])
def test_polynomials_without_coefficients_are_refused(func: Any) -> None:
    for b, a in (([], [1.0, 0.5]), ([1.0, 0.5], []), ([], [])):
        with pytest.raises(ShapeError, match="must have a coefficient"):
            func(np.asarray(b, dtype=float), np.asarray(a, dtype=float))


def test_no_sections_are_one() -> None:
    close(sos2tf(np.zeros((0, 6))), scipy.signal.sos2tf(np.zeros((0, 6))))


def test_on_numpy_gains_are_scalars_as_scipys() -> None:
    """Programs round and format them."""
    system = ([[-1.0, 2.0], [-2.0, -0.5]], [[1.0], [0.5]], [[1.0, -1.0]], [[0.25]])
    sos = scipy.signal.butter(3, 0.3, output="sos")
    for name, args in {
        "tf2zpk": ([1.0, 3.0], [1.0, 2.0, 5.0]),
        "ss2zpk": system,
        "sos2zpk": (sos,),
        "butter": (3, 0.3, "low", False, "zpk"),
        "ellip": (3, 1.0, 20.0, 0.3, "low", False, "zpk"),
    }.items():
        for made in (args, tuple(np.asarray(a) if isinstance(a, list) else a for a in args)):
            k = getattr(signal, name)(*made)[2]
            expected = getattr(scipy.signal, name)(*made)[2]
            assert type(k) is np.float64 and round(k, 6) == round(expected, 6), name
