"""Next to their zeros functions keep their digits, whatever the condition number allows.

XLA adds up two constants that are taken away one after the other, and then nothing is right there.
"""

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import likewise.special

ZEROS: dict[str, tuple[float, Callable[[Any], Any]]] = {
    "digamma": (1.4616321449683622, mp.digamma),
    "expi": (0.37250741078136663, mp.ei),
    "j0": (2.404825557695773, lambda x: mp.besselj(0, x)),
    "j1": (3.8317059702075125, lambda x: mp.besselj(1, x)),
    "y0": (0.8935769662791675, lambda x: mp.bessely(0, x)),
    "y1": (2.197141326031017, lambda x: mp.bessely(1, x)),
}


@pytest.mark.xp_skip({"dask": "its blocks are NumPy's, which has SciPy's rows"})
@pytest.mark.parametrize("name", ZEROS)
def test_next_to_a_zero(lib: Any, name: str, leave_out: Any) -> None:
    leave_out("float64", not lib.has_float64)
    zero, true = ZEROS[name]
    x = zero + np.arange(-3, 4) * np.spacing(zero)
    with mp.workdps(40):
        expected = np.asarray([float(true(mp.mpf(v))) for v in x])
    func = getattr(likewise.special, name).generic  # the body, as rows are SciPy's
    found = lib.to_numpy(func(lib.asarray(x)))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
