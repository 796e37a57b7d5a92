"""Integrals of samples and of functions, against SciPy's."""

from typing import Any

import numpy as np
import scipy.integrate as judge

from likewise import integrate

from .case import REAL, Case, case

__all__ = ["INTEGRATE"]

Y = np.asarray([0.3, -1.2, 2.0, 0.7, -0.4, 1.1, 0.9, -0.6, 1.5])
X = np.asarray([0.0, 0.4, 1.1, 1.3, 2.0, 2.6, 2.7, 3.5, 4.0])
LIMITS = np.asarray([0.1, 0.7, 1.2]), np.asarray([1.0, 1.9, 3.1])
MINIMAL: dict[str, Any] = {"dask": True}


def bell(x: Any) -> Any:
    return 1 / (1 + x * x)


INTEGRATE: list[Case] = [
    case(
        "integrate.cumulative_simpson",
        Y,
        X,
        by=lambda y, x: integrate.cumulative_simpson(y, x=x),
        reference=lambda y, x: judge.cumulative_simpson(y, x=x),
    ),
    case("integrate.romb", Y, reference=judge.romb),
    case(
        "integrate.fixed_quad",
        *LIMITS,
        by=lambda a, b: integrate.fixed_quad(bell, a, b, n=8)[0],
        reference=lambda a, b: np.asarray(
            [judge.fixed_quad(bell, *ends, n=8)[0] for ends in zip(a, b, strict=True)]
        ),
        complex=REAL,
    ),
]
