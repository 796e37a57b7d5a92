"""Changes of band in zeros and poles, against SciPy, on every library."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, ShapeError
from likewise.signal import bilinear_zpk, lp2bp_zpk, lp2bs_zpk, lp2hp_zpk, lp2lp_zpk

from ..designs import close, in_use

Z, P, K = np.asarray([1 + 2j, 1 - 2j]), np.asarray([-1.0, -2 + 1j, -2 - 1j]), 3.0
CASES = {
    "lp2lp_zpk": (lp2lp_zpk, (2.5,)),
    "lp2hp_zpk": (lp2hp_zpk, (2.5,)),
    "lp2bp_zpk": (lp2bp_zpk, (2.5, 3.5)),
    "lp2bs_zpk": (lp2bs_zpk, (2.5, 3.5)),
    "bilinear_zpk": (bilinear_zpk, (2.5,)),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_scipy(lib: Any, name: str) -> None:
    """But for the order of the two poles that a real one becomes, which hangs on a zero's sign."""

    def ordered(out: Any) -> Any:
        return (*(x[np.argsort(np.imag(x))] for x in out[:2]), out[2])

    func, rest = CASES[name]
    expected = ordered(getattr(scipy.signal, name)(Z, P, K, *rest))
    got = func(lib.asarray(Z), lib.asarray(P), K, *rest)
    close(ordered(tuple(lib.to_numpy(x) for x in got)), expected)
    close(ordered(in_use(lib, lambda: func(list(Z), list(P), K, *rest))), expected)


def test_derivative_in_the_frequency(lib: Any) -> None:
    if not lib.has_float64 or lib.jit:
        return
    w, b = lib.asarray(np.asarray(2.5)), lib.asarray(np.asarray(3.5))

    def loss(w: Any, b: Any) -> Any:
        z, p, k = lp2bs_zpk(lib.asarray(Z), lib.asarray(P), K, w, b)
        z, _, k = bilinear_zpk(z, p, k, 1.5)
        xp = likewise.array_namespace(z)
        return xp.sum(xp.real(z * z) + 2 * xp.imag(z) ** 2) + 3 * k

    def plain(w: float, b: float) -> Any:
        z, _, k = scipy.signal.bilinear_zpk(*scipy.signal.lp2bs_zpk(Z, P, K, w, b), 1.5)
        return np.sum((z * z).real + 2 * z.imag**2) + 3 * k

    got = [lib.to_numpy(likewise.grad(loss, argnums=i)(w, b)) for i in (0, 1)]
    h = 1e-6
    expected = [
        (plain(2.5 + h, 3.5) - plain(2.5 - h, 3.5)) / (2 * h),
        (plain(2.5, 3.5 + h) - plain(2.5, 3.5 - h)) / (2 * h),
    ]
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_bad_input_says_what_to_do() -> None:
    for func, rest in CASES.values():
        with pytest.raises(ArgumentError, match="got 3 poles and 4 zeros"):
            func([1, 2, 3, 4], P, K, *rest)
        with pytest.raises(ShapeError, match="z must have one dimension"):
            func([[1.0]], P, K, *rest)
        with pytest.raises(ArgumentError, match="k must be one number"):
            func(Z, P, [1.0, 2.0], *rest)
    with pytest.raises(ArgumentError, match="fs, the sampling rate, must be a number, got None"):
        bilinear_zpk(Z, P, K, None)
