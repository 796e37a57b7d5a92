"""On JAX a solver called again, outside of jit, with functions that read alike compiles nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise.optimize import (
    curve_fit,
    find_root,
    fixed_point,
    least_squares,
    lsq_linear,
    minimize,
    minimize_scalar,
    nnls,
    root,
    root_scalar,
)
from likewise.testing import count_compiles


def _stacked(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp.stack([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])


CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "root_scalar": lambda c, x, m: root_scalar(lambda v: v**3 - c * c, x0=c),
    "nelder-mead": lambda c, x, m: minimize(lambda v: c * (v[0] - 1) ** 2, x, method="Nelder-Mead"),
    "fixed_point": lambda c, x, m: fixed_point(lambda v: 0.5 * v + c, x),
    "minimize": lambda c, x, m: minimize(lambda v: c * (v[0] - 1) ** 2 + v[1] ** 2, x),
    "root": lambda c, x, m: root(lambda v: c * _stacked(v), x),
    "least_squares": lambda c, x, m: least_squares(lambda v: c * _stacked(v), x),
    "minimize_scalar": lambda c, x, m: minimize_scalar(lambda v: (v - c) ** 2, bounds=(-x[0], c)),
    "find_root": lambda c, x, m: find_root(lambda v: v**3 - c, (x[1] - 2, c)),
    "robust": lambda c, x, m: least_squares(lambda v: c * _stacked(v), x, loss="huber"),
    "bounded": lambda c, x, m: least_squares(lambda v: c * _stacked(v), x, bounds=(0.0, 3 * c)),
    "nnls": lambda c, x, m: nnls(m, m[:, 0]),
    "lsq_linear": lambda c, x, m: lsq_linear(m, m[:, 0]),
    "curve_fit": lambda c, x, m: curve_fit(lambda t, a: c * a * t, m[:, 0], m[:, 1], [1.0]),
}
QUICK = ("root_scalar", "nelder-mead", "fixed_point")


@pytest.mark.needs("jax")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in QUICK else pytest.mark.full) for n in CALLS]
)
def test_a_second_call_compiles_nothing(name: str) -> None:
    import jax.numpy as jnp

    rng = np.random.default_rng(0)
    x, m = jnp.asarray([2.0, 0.5]), jnp.asarray(rng.normal(size=(6, 2)))
    first, second = jnp.asarray(2.0), jnp.asarray(3.0)
    CALLS[name](first, x, m)
    with count_compiles():
        CALLS[name](second, x, m)


@pytest.mark.needs("jax")
@pytest.mark.parametrize(
    "name",
    [
        "root_scalar",
        *(pytest.param(n, marks=pytest.mark.full) for n in ("root", "minimize", "curve_fit")),
    ],
)
def test_another_number_compiles_nothing(name: str) -> None:
    import jax
    import jax.numpy as jnp

    t = jnp.linspace(0.0, 1.0, 8)
    calls: dict[str, Callable[[float], Any]] = {
        "root_scalar": lambda c: (
            root_scalar(lambda v: 2.0 * v**3.0 + v - c, x0=jnp.asarray(1.0)).root
        ),
        "root": lambda c: root(lambda v: 2.0 * v**3.0 + v - c, jnp.ones(2)).x[0],
        "minimize": lambda c: minimize(lambda v: jnp.sum((v - c) ** 2), jnp.ones(2)).x[0],
        "curve_fit": lambda c: curve_fit(lambda t, a: a * t + c, t, 2.0 * t + c, [1.0])[0][0] * c,
    }
    solve = calls[name]
    solve(2.0)
    with count_compiles():
        found = solve(3.0)
    expected = {"root_scalar": 1.0, "root": 1.0, "minimize": 3.0, "curve_fit": 6.0}[name]
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    if (
        name == "root_scalar"
    ):  # numbers are constants to derivatives, a negative base's exponent too
        start = jnp.asarray(-1.0)
        slope = jax.grad(lambda a: root_scalar(lambda v: v**2.0 - 3.0 * a, x0=start).root)(3.0)
        np.testing.assert_allclose(slope, -0.5, rtol=1e-4)


@pytest.mark.needs("jax")
def test_a_second_call_does_not_even_trace_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's function alone is traced: the method isn't looked at again."""
    import jax.numpy as jnp

    from likewise.optimize._scalar import _root_scalar

    def gone(*args: Any) -> Any:
        raise AssertionError

    def solve(c: Any) -> float:
        return float(root_scalar(lambda v: v**3 - c * c, x0=c).root)

    solve(jnp.asarray(2.0))
    monkeypatch.setattr(_root_scalar, "newton", gone)
    np.testing.assert_allclose(solve(jnp.asarray(3.0)), 9.0 ** (1 / 3))
