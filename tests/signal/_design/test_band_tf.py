"""Changes of band in coefficients, against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise.errors import ArgumentError, ShapeError
from likewise.signal import bilinear, lp2bp, lp2bs, lp2hp, lp2lp

from ..designs import close, in_use

CASES = {
    "lp2lp": (lp2lp, (2.5,)),
    "lp2hp": (lp2hp, (2.5,)),
    "lp2bp": (lp2bp, (2.5, 3.5)),
    "lp2bs": (lp2bs, (2.5, 3.5)),
    "bilinear": (bilinear, (2.5,)),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_scipy(lib: Any, name: str) -> None:
    func, rest = CASES[name]
    for b, a in [([1.0], [1.0, 2.0]), ([2.0, 0.5, 3.0], [1.0, 4.0]), ([1.0, 2.0], [3.0, 1.0, 2.0])]:
        expected = getattr(scipy.signal, name)(b, a, *rest)
        close(in_use(lib, lambda b=b, a=a: func(b, a, *rest)), expected)


def test_of_complex_coefficients() -> None:
    b, a = np.asarray([1.0, 2.0 + 1j]), np.asarray([1.0, 1j, 3.0])
    for name, (func, rest) in CASES.items():
        close(func(b, a, *rest), getattr(scipy.signal, name)(b, a, *rest))


def test_bad_input_says_what_to_do() -> None:
    for func, rest in CASES.values():
        with pytest.raises(ArgumentError, match="the denominator must have a coefficient"):
            func([1.0], [0.0], *rest)
        with pytest.raises(ShapeError, match="b must have one dimension"):
            func([[1.0]], [1.0], *rest)
    with pytest.raises(ArgumentError, match="wo must be a real number, got None"):
        lp2lp([1.0], [1.0], None)
