"""Under `jax.shard_map`, with its check of what varies, devices exchange nothing but loop tests."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from likewise import array_namespace, missing, optimize, signal, special, transforms

MESH = jax.make_mesh((8,), ("batch",), (jax.sharding.AxisType.Auto,))
EXCHANGE = re.compile(
    r"= \S+ (all-gather|all-reduce|all-to-all|collective-permute|reduce-scatter|collective-broadcast)"
)
R = np.random.default_rng(31)
T = np.linspace(0.0, 4.0, 25)
X = R.random((16, 120)) + 0.1
START = R.random((16, 3)) + 0.5
SOS = signal.butter(4, 0.2, output="sos")
BA = signal.butter(3, 0.2)


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * array_namespace(t, a).exp(-k * t) + c


def curves(y: Any) -> Any:
    return optimize.curve_fit(decay, T, y, p0=[1.0, 1.0, 0.0])


def ten(p: Any) -> Any:
    """A least-squares problem of each row: the first values of 2 exp(-0.3 t)."""
    t = jnp.arange(5.0, dtype=p.dtype)

    def rest(q: Any) -> Any:
        return q[0:1] * jnp.exp(-q[1:2] * t) - 2.0 * jnp.exp(-0.3 * t)

    return optimize.least_squares(rest, p).x


def bowls(p: Any) -> Any:
    return optimize.minimize(lambda q: jnp.sum((q - 2.0) ** 2 + (q - 1.0) ** 4, axis=-1), p).x


def cube_roots(c: Any) -> Any:
    ends = jnp.zeros_like(c), jnp.full_like(c, 5.0)
    return optimize.find_root(lambda x, c: x**3 - c, ends, args=(c,)).x


def bounded(a: Any, b: Any) -> Any:
    return optimize.lsq_linear(a, b, bounds=(0.0, 0.3)).x


Y = 2.0 * (1.0 + START[:, :1]) * np.exp(-0.7 * T) + 0.3
A, B = R.random((16, 6, 3)), R.random((16, 6))
FULL = pytest.mark.full
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], bool]] = {
    "curve_fit": (curves, (Y,), False),
    "least_squares": (ten, (START[:, :2] + 0.5,), False),
    "minimize": (bowls, (START,), False),
    "root": (lambda p: optimize.root(lambda q: q**3 + q - 2.0, p).x, (START,), False),
    "nnls": (lambda a, b: optimize.nnls(a, b)[0], (A, B), False),
    "lsq_linear": (bounded, (A, B), False),
    "find_root": (cube_roots, (START[:, 0] + 1.0,), True),
    "sosfilt": (lambda x: signal.sosfilt(SOS.astype(x.dtype), x), (X,), True),
    "sosfiltfilt": (lambda x: signal.sosfiltfilt(SOS.astype(x.dtype), x), (X,), False),
    "lfilter": (lambda x: signal.lfilter(*BA, x), (X,), False),
    "filtfilt": (lambda x: signal.filtfilt(*BA, x), (X,), False),
    "savgol_filter": (lambda x: signal.savgol_filter(x, 7, 2), (X,), False),
    "decimate": (lambda x: signal.decimate(x, 2), (X,), False),
    "resample_poly": (lambda x: signal.resample_poly(x, 3, 2, axis=-1), (X,), False),
    "welch": (lambda x: signal.welch(x, nperseg=32)[1], (X,), False),
    "hilbert": (signal.hilbert, (X,), False),
    "convolve2d": (lambda x: jax.vmap(signal.convolve2d)(x, x), (A,), False),
    "gammaln": (special.gammaln, (X,), True),
    "gammainc": (special.gammainc, (X, X), False),
    "gammaincinv": (special.gammaincinv, (X, X / 2), False),
    "betainc": (special.betainc, (X, X, X / 2), False),
    "lambertw": (special.lambertw, (X,), False),
    "j0": (special.j0, (X,), False),
    "logsumexp": (lambda x: special.logsumexp(x, axis=-1), (X,), False),
    "quantile": (lambda x: missing.quantile(x, 0.3, axis=-1), (X,), False),
    "nanvar": (lambda x: missing.nanvar(x, axis=-1), (X,), False),
    "map": (lambda x: transforms.map(lambda v: jnp.sin(v).sum(), x), (X,), False),
}


def mapped(fun: Callable[..., Any]) -> Any:
    return jax.jit(jax.shard_map(fun, mesh=MESH, in_specs=P("batch"), out_specs=P("batch")))


def spread(*arrays: Any) -> list[Any]:
    return [jax.device_put(a, NamedSharding(MESH, P("batch"))) for a in arrays]


def exchanges(compiled: Any, *arrays: Any) -> Counter[str]:
    return Counter(EXCHANGE.findall(compiled.lower(*arrays).compile().as_text()))


def numbers(tree: Any) -> list[Any]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


EACH = [
    pytest.param(name, dtype, marks=() if usual and dtype == "float64" else FULL)
    for name, (_, _, usual) in CASES.items()
    for dtype in ("float64", "float32")
]


@pytest.mark.parametrize(("name", "dtype"), EACH)
def test_nothing_is_exchanged(name: str, dtype: str) -> None:
    fun, arrays, _ = CASES[name]
    arrays = tuple(a.astype(dtype) for a in arrays)
    own = mapped(fun)
    assert exchanges(own, *spread(*arrays)) == {}
    found, due = own(*spread(*arrays)), fun(*(jnp.asarray(a) for a in arrays))
    # Of float32 the data alone: some constants of the cases are of float64.
    accuracy = 1e-9 if dtype == "float64" else 2e-4
    for a, b in zip(numbers(found), numbers(due), strict=True):
        np.testing.assert_allclose(a, b, rtol=accuracy, atol=accuracy)
    for leaf in jax.tree.leaves(found):
        assert leaf.sharding.spec[0] == "batch"


def test_exchanges_are_found() -> None:
    """The sum over the batch is one: what counts above counts something."""
    own = jax.jit(lambda x: jnp.sum(x, axis=0) + x)
    assert sum(exchanges(own, *spread(X)).values()) > 0


def test_a_mesh_of_explicit_axes() -> None:
    mesh = jax.make_mesh((8,), ("batch",), (jax.sharding.AxisType.Explicit,))
    own = jax.shard_map(CASES["sosfilt"][0], mesh=mesh, in_specs=P("batch"), out_specs=P("batch"))
    x = jax.device_put(X, NamedSharding(mesh, P("batch")))
    np.testing.assert_allclose(jax.jit(own)(x), signal.sosfilt(SOS, X), rtol=1e-12, atol=1e-12)


def test_loops_of_what_is_the_same_everywhere() -> None:
    """A loop that begins with constants, and meets the data by closure, or not at all."""

    def sums(x: Any) -> tuple[Any, ...]:
        zero = jnp.zeros(())
        total = transforms.fori_loop(0, 3, lambda i, s: s + jnp.sum(x), zero)
        below = transforms.while_loop(lambda s: s < 10.0, lambda s: s + jnp.sum(x), zero)
        chosen = transforms.cond(jnp.sum(x) > 1.0, lambda: jnp.ones(()), lambda: jnp.zeros(()))
        third = transforms.switch(jnp.asarray(1), [lambda: zero, lambda: jnp.sum(x)])
        none = transforms.scan(lambda c, v: (c + jnp.sum(v), v), zero, x[:0])[0]
        same = transforms.fori_loop(0, 3, lambda i, s: s + 1.0, zero)
        return tuple(v[None] for v in (total, below, chosen, third, none)), same[None]

    varying = (P("batch"),) * 5, P()
    own = jax.shard_map(sums, mesh=MESH, in_specs=P("batch"), out_specs=varying)
    (total, below, chosen, third, none), same = jax.jit(own)(*spread(X))
    each = X.reshape(8, -1).sum(axis=1)
    np.testing.assert_allclose(total, 3 * each, rtol=1e-12)
    np.testing.assert_allclose(below, each * np.ceil(10.0 / each), rtol=1e-12)
    np.testing.assert_allclose(third, each, rtol=1e-12)
    assert chosen.tolist() == (each > 1.0).tolist() and none.tolist() == [0.0] * 8
    assert same.tolist() == [3.0]


@pytest.mark.parametrize("name", ["lfilter", "gammaln"])
@FULL
def test_second_order(name: str) -> None:
    fun = CASES[name][0]

    def first(x: Any) -> Any:
        return jax.grad(lambda x: jnp.sum(fun(x) ** 2))(x)

    def second(x: Any) -> Any:
        return jax.grad(lambda x: jnp.sum(first(x) ** 2))(x)

    for g in (first, second, lambda x: jax.vmap(jax.grad(lambda v: jnp.sum(fun(v))))(x)):
        own = mapped(g)
        assert exchanges(own, *spread(X[:, :20])) == {}
        np.testing.assert_allclose(own(*spread(X[:, :20])), g(jnp.asarray(X[:, :20])), rtol=1e-9)
