"""`associative_scan` in recordings: of `jit`, under derivatives and lanes, and of solvers."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.optimize import curve_fit
from likewise.transforms import associative_scan, compile_log, grad, jit, jvp, vmap

RNG = np.random.default_rng(5)


def joined(before: Any, after: Any) -> Any:
    """One linear step after another."""
    return after[0] * before[0], after[0] * before[1] + after[1]


def recursion(decay: Any, more: Any) -> Any:
    return associative_scan(joined, (decay, more), axis=-1)[1]


def squares(decay: Any, more: Any) -> Any:
    return likewise.array_namespace(decay, more).sum(recursion(decay, more) ** 2)


FORMS: dict[str, Any] = {
    "values": recursion,
    "gradients": grad(squares, (0, 1)),
    "lanes": vmap(recursion),
    "gradients of lanes": vmap(grad(squares, (0, 1))),
    "tangents": lambda decay, more: jvp(recursion, (decay, more), (more, decay))[1],
    "second derivatives": grad(lambda d, m: likewise.array_namespace(d).sum(grad(squares)(d, m))),
}


@pytest.mark.parametrize("library", ["numpy", "strict"])
@pytest.mark.parametrize("form", FORMS)
def test_recorded_once_with_the_same_bits(library: str, form: str) -> None:
    xp, call = likewise.namespace(library), FORMS[form]
    with compile_log() as log:
        recorded = jit(lambda decay, more: call(decay, more))
        for size in (1, 9):
            shape = (3, size) if "lanes" in form else (size,)
            for _ in range(3):
                given = xp.asarray(RNG.uniform(0.5, 1, shape)), xp.asarray(RNG.normal(size=shape))
                both = call(*given), recorded(*given)
                plain, again = (v if isinstance(v, tuple) else (v,) for v in both)
                for one, two in zip(plain, again, strict=True):
                    np.testing.assert_array_equal(np.asarray(one), np.asarray(two))
    assert len(log) == 2  # one for each size, and none discarded


def test_in_a_fit() -> None:
    """A model by `associative_scan` is fitted as the same one in closed form."""
    t = np.arange(12.0)

    def by_steps(t: Any, a: Any, share: Any) -> Any:
        xp = likewise.array_namespace(t, a, share)
        return recursion(share * xp.ones_like(t), a * xp.ones_like(t))

    def closed(t: Any, a: Any, share: Any) -> Any:
        return a * (1 - share ** (t + 1)) / (1 - share)

    y = closed(t, 2.0, 0.7) + 0.01 * RNG.normal(size=t.shape)
    one, two = (curve_fit(f, t, y, p0=[1.0, 0.5])[0] for f in (by_steps, closed))
    np.testing.assert_allclose(one, two, rtol=1e-6)
