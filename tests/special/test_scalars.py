"""Plain numbers: what comes of them on NumPy, and that nothing is warned of on the way."""

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.transforms import grad

# Those that take whole numbers first; all others get real ones.
WHOLE: dict[str, tuple[int, ...]] = {"jn": (3,), "kn": (3,), "yn": (3,), "factorial2": (5,)}
WHOLE["sph_harm_y"] = (3, 2)
# Results have a dimension of their own.
WIDER = ("legendre_p", *(n for n in likewise.special.__all__ if n.startswith("roots_")))


@pytest.mark.parametrize("name", sorted(set(likewise.special.__all__).difference(WIDER)))
def test_numbers_give_scalars(name: str) -> None:
    func: Any = getattr(likewise.special, name)
    parameters = inspect.signature(func).parameters.values()
    count = sum(p.default is p.empty for p in parameters)
    whole = WHOLE.get(name, ())
    for kind, wide in ((float, "64"), (np.float64, "64"), (np.float32, "32")):
        real: list[Any] = [kind(x) for x in (0.75, 0.5, 0.25, 0.5)[len(whole) : count]]
        if name == "multigammaln":
            real = [kind(2.5), 3]
        for call in (func, func.generic):
            got = call(*whole, *real)
            if name == "factorial2":
                assert type(got) is np.float64
            elif np.iscomplexobj(got):
                assert type(got) is {"64": np.complex128, "32": np.complex64}[wide]
            else:
                assert type(got) is {"64": np.float64, "32": np.float32}[wide]


@pytest.mark.parametrize("name", ["binom", "poch", "beta", "betaln", "comb", "perm"])
def test_gradients_of_elements_in_silence(name: str) -> None:
    func: Any = getattr(likewise.special, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for numbers in ([5.0, 2.0], [3.0, 5.0], [0.3, 2.0]):
            apart = grad(func, (0, 1))(*map(np.asarray, numbers))
            found = grad(lambda p: func(p[0], p[1]))(np.asarray(numbers))
            np.testing.assert_allclose(found, np.stack(apart), rtol=1e-13)
