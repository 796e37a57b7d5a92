"""The periodogram of samples at any times against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise import signal
from likewise.errors import ArgumentError, DtypeError, ShapeError


def drawn(rng: Any) -> tuple[Any, Any, Any]:
    t = np.sort(rng.uniform(0, 20, 23))
    return t, np.cos(1.3 * t + 0.4) + 0.2 * rng.normal(size=23) + 1, np.linspace(0.1, 3, 9)


@pytest.mark.parametrize("floating_mean", [True, False])
def test_equals_scipy(lib: Any, rng: Any, floating_mean: bool) -> None:
    arrays = drawn(rng)
    weights = rng.uniform(0, 1, 23)
    dtype = "float64" if lib.has_float64 else "float32"
    for normalize in (True,) if lib.jit else (False, True, "power", "normalize", "amplitude"):
        for w in (weights,) if lib.jit else (None, weights):
            options: dict[str, Any] = {"normalize": normalize, "floating_mean": floating_mean}
            expected = scipy.signal.lombscargle(*arrays, weights=w, **options)
            ours = None if w is None else lib.asarray(w, dtype)
            got = signal.lombscargle(
                *(lib.asarray(a, dtype) for a in arrays), weights=ours, **options
            )
            assert likewise.library(got) == lib.library
            rough = 1e-10 if lib.has_float64 else 2e-3
            np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=rough, atol=rough)
    single = signal.lombscargle(*(lib.asarray(a, "float32") for a in arrays))
    assert single.dtype == lib.xp.float32


def test_gradient(lib: Any, rng: Any) -> None:
    """Against differences of SciPy's values, in a random direction."""
    if not lib.has_float64 or lib.jit:
        return
    t, y, f = drawn(rng)
    along, weights = rng.normal(size=23), rng.normal(size=9)

    def loss(t: Any, y: Any) -> Any:
        xp = likewise.array_namespace(y)
        power = signal.lombscargle(t, y, lib.asarray(f), floating_mean=True)
        return xp.sum(power * lib.asarray(weights))

    def judge(h: float, i: int) -> float:
        at = [t, y]
        at[i] = at[i] + h * along
        return float(np.sum(scipy.signal.lombscargle(*at, f, floating_mean=True) * weights))

    for i in (0, 1):
        got = likewise.grad(loss, argnums=i)(lib.asarray(t), lib.asarray(y))
        found = lib.to_numpy(got) @ along
        np.testing.assert_allclose(found, (judge(1e-5, i) - judge(-1e-5, i)) / 2e-5, rtol=1e-5)


def test_refuses(rng: Any) -> None:
    t, y, f = drawn(rng)
    for args in ((t[:3], y, f), (t[:, None], y, f), (t, y, f[:0]), (t, y, f[:, None])):
        with pytest.raises(ShapeError, match="lombscargle: "):
            signal.lombscargle(*args)
    for weights in (-y, 0 * y):
        with pytest.raises(ArgumentError, match="weights must not be negative, and not all zero"):
            signal.lombscargle(t, y, f, weights=weights)
    with pytest.raises(ArgumentError, match="normalize must be one of .*, got 'x'"):
        signal.lombscargle(t, y, f, normalize="x")
    with pytest.raises(DtypeError):
        signal.lombscargle(t, y * 1j, f)


def test_precenter_is_scipys_and_deprecated(lib: Any, rng: Any) -> None:
    t, y, f = drawn(rng)
    arrays = [lib.asarray(a) for a in (t, y, f)]
    for precenter in (True, False):
        with pytest.warns(DeprecationWarning, match="lombscargle: precenter is deprecated"):
            got = signal.lombscargle(*arrays, precenter=precenter)
        expected = scipy.signal.lombscargle(t, y - y.mean() if precenter else y, f)
        np.testing.assert_allclose(
            lib.to_numpy(got), expected, rtol=1e-9 if lib.has_float64 else 1e-3
        )


def test_a_normalization_is_a_bool_or_a_name() -> None:
    one = np.ones(3)
    with pytest.raises(ArgumentError, match="normalize must be one of .*, got 10"):
        signal.lombscargle(one, one, one, normalize=10)
