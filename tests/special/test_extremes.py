"""Values where a product, a quotient or a sum of arguments leaves the range, against mpmath's."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.special import poch, psi
from likewise.transforms import grad

# Computed with 60 digits; of shapes beyond 1e25 by the gamma distribution, which they approach.
DOUBLE: dict[str, list[tuple[tuple[float, ...], float]]] = {
    "betaincc": [
        ((1e-40, 1e-10, 0.3), 1.0000000000847296789e-30),  # 1 / (1 + b / a) and what x adds
        ((1e-33, 0.5, 1e-300), 6.9216182225933363e-31),  # of a alone: -a log(x / 4)
    ],
    "inv_boxcox": [((1e300, 1e10), 1.0000000713801404), ((0.5, 5e-324), 1.6487212707001282)],
    "ndtri_exp": [
        ((-1.7976931348623157e308,), -1.8961503816218352e154),
        ((-1e308,), -1.4142135623730951e154),
        ((-1e29,), -447213595499957.9),
    ],
    "pseudo_huber": [((1e-300, 1e10), 1e-290), ((1.0, 1e200), 1e200)],
}
SINGLE: dict[str, list[tuple[tuple[float, ...], float]]] = {
    "fdtr": [
        ((2.0, 1e30, 1e-10), 1e-10),  # 1 - exp(-x)
        ((2.0, 3e37, 1e-3), 9.995001666250083e-4),
        ((1e-3, 4.0, 1e-36), 0.955907924788),
        ((1e-2, 1e30, 1e-35), 0.652738687533),
    ],
    "fdtrc": [
        ((1e30, 2.0, 1e10), 1e-10),  # 1 - exp(-1 / x)
        ((1e30, 2.0, 3.0), 0.2834686894262107),
        ((3.0, 1e-3, 1e37), 0.954760986167),
    ],
    "kl_div": [((7.743583e37, 7.09314e35), 2.866726083051e38)],  # x log(x / y) alone is beyond
}
# Other libraries may take such numbers for 0.
SUBNORMAL = [
    ("betaincc", (1e-310, 2e-310, 0.4), 1 / 3),
    ("betainc", (1e-310, 2e-310, 0.4), 2 / 3),
    ("betainc", (5e-324, 0.5, 5e-324), 1.0),
    ("betaincc", (5e-324, 0.5, 5e-324), 3.686e-321),
    ("fdtr", (1e-4, 4.0, 5e-324), 0.9630000294690805),
    ("fdtr", (5e-324, 0.2, 23.6), 1.0),
    ("betainccinv", (5e-324, 0.5964743224167737, 5e-324), 0.670314946525545),
]


def check(lib: Any, name: str, dtype: str, points: Any, rtol: float) -> None:
    args = [lib.asarray(np.asarray(v, dtype)) for v in zip(*(at for at, _ in points), strict=True)]
    got = lib.to_numpy(getattr(likewise.special, name).generic(*args))
    np.testing.assert_allclose(got, [value for _, value in points], rtol=rtol)


@pytest.mark.parametrize("name", DOUBLE)
def test_double(lib: Any, name: str, leave_out: Any) -> None:
    leave_out("float64", not lib.has_float64)
    points = DOUBLE[name]
    if lib.library != "numpy":  # which may take a subnormal number for 0
        points = [p for p in points if 5e-324 not in p[0]]
    check(lib, name, "float64", points, 1e-14)


@pytest.mark.parametrize("name", SINGLE)
def test_single(lib: Any, name: str) -> None:
    check(lib, name, "float32", SINGLE[name], 3e-6)


@pytest.mark.parametrize(("name", "at", "value"), SUBNORMAL)
def test_subnormal(name: str, at: Any, value: float) -> None:
    got = getattr(likewise.special, name).generic(*map(np.float64, at))
    np.testing.assert_allclose(got, value, rtol=1e-14)


@pytest.mark.parametrize("name", ["betaincinv", "betainccinv"])
def test_a_quantile_of_an_infinite_shape(lib: Any, name: str) -> None:
    """They are, as SciPy has them, the limit where the other shape is 1."""
    a, b = (
        lib.asarray(np.asarray(v, "float32")) for v in ([1, np.inf, np.inf], [np.inf, 1, np.inf])
    )
    y = lib.asarray(np.full(3, 0.3, "float32"))
    got = lib.to_numpy(getattr(likewise.special, name).generic(a, b, y))
    np.testing.assert_array_equal(got, [0.0, 1.0, np.nan])


def test_poch_next_to_poles(lib: Any) -> None:
    """A tiny number and a whole one give the product of the factors, exactly."""
    cases = [(1e-17, -1), (-5.6e-19, -2), (1e-13, -3), (1e-10, -3), (1e-30, -3), (0.3, -5)]
    cases += [(-4.19e-9, 37), (1e-9, 40), (5.25, -7)]
    a, m = (np.asarray(x, "float32") for x in zip(*cases, strict=True))

    both: Any = (poch, vars(poch)["generic"])

    def exact(a: Any, m: Any) -> Any:
        x = Fraction(float(a))
        if m < 0:
            return 1 / math.prod(x - k for k in range(1, int(-m) + 1))
        return math.prod(x + k for k in range(int(m)))

    expected = np.asarray([float(exact(*x)) for x in zip(a, m, strict=True)])
    for func in both:
        got = lib.to_numpy(func(lib.asarray(a), lib.asarray(m)))
        np.testing.assert_allclose(got, expected, rtol=5e-6)
    if lib.has_float64:
        a, m = (np.asarray(x, "float64") for x in zip(*cases, strict=True))
        expected = np.asarray([float(exact(*x)) for x in zip(a, m, strict=True)])
        for func in both:
            got = lib.to_numpy(func(lib.asarray(a), lib.asarray(m)))
            np.testing.assert_allclose(got, expected, rtol=2e-14)

    def total(a: Any, m: Any) -> Any:
        return likewise.array_namespace(a).sum(poch(a, m))

    found = grad(total, (0, 1))(*(lib.asarray(x[:6], "float32") for x in (a, m)))
    a, m = (np.asarray(x[:6], "float32").astype("float64") for x in (a, m))
    small = np.asarray([float(exact(*x)) for x in zip(a, m, strict=True)])
    by_a = [
        -y * sum(1 / (x - k) for k in range(1, int(-n) + 1))
        for x, n, y in zip(a, m, small, strict=True)
    ]
    np.testing.assert_allclose(lib.to_numpy(found[0]), by_a, rtol=5e-6)
    # digamma(a + m) = digamma(a) - sum(1 / (a - k)), and digamma(a) = digamma(1 + a) - 1 / a
    by_m = small * (psi(1 + a) - 1 / a) + by_a
    np.testing.assert_allclose(lib.to_numpy(found[1]), by_m, rtol=1e-5)
