"""Every function of several arrays: one of them followed, the others closed over."""

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, linalg, missing, optimize, signal, to_numpy
from likewise.transforms import grad, jit, jvp, vmap
from likewise.transforms._tree import leaves, map_leaves

from .case import Case, case
from .cases_solvers import SOLVERS
from .test_every_function import CASES


def arrays_in(tree: Any) -> list[Any]:
    return [leaf for leaf in leaves(tree) if hasattr(leaf, "dtype")]


def _pair(name: str, seed: int) -> Case:
    """A symmetric and a positive definite matrix."""
    a, b = np.random.default_rng(seed).normal(size=(2, 3, 3))
    return case(name, a + a.T, b @ b.T + 3 * np.eye(3))


R = np.random.default_rng(28)
# Functions whose cases leave arrays out that they may take.
MORE = [
    *(_pair(f"linalg.{name}", 3) for name in ("eigh", "eigvalsh", "eigvals")),
    case("missing.cov", R.normal(size=(2, 6)), kwargs={"y": R.normal(size=(2, 6)),
        "aweights": R.uniform(0.5, 2.0, 6)}),
    case("missing.corrcoef", R.normal(size=(2, 6)), kwargs={"y": R.normal(size=(2, 6))}),
    case("missing.diff", R.normal(size=6), kwargs={"prepend": R.normal(size=2),
        "append": R.normal(size=1)}),
    case("missing.histogram", R.normal(size=8), kwargs={"bins": 3, "range": (-2.0, 2.0),
        "weights": R.uniform(0.5, 2.0, 8)}),
    case("special.logsumexp", R.normal(size=5), kwargs={"b": R.uniform(0.5, 2.0, 5)}),
    case("linalg.eig", *R.normal(size=(2, 3, 3)), by=lambda a, b: linalg.eig(a, b)[0] ** 2),
    case("missing.histogramdd", R.normal(size=(8, 2)), by=lambda x, w: missing.histogramdd(
        x, 3, [(-2.0, 2.0)] * 2, weights=w)[0], kwargs={"w": R.uniform(0.5, 2.0, 8)}),
    case("missing.repeat", R.normal(size=3), np.asarray([2, 0, 3]),
        kwargs={"total_repeat_length": 5}),
    *(case(f"missing.{name}", R.normal(size=4), R.normal(size=3),
        kwargs={"size": 7, "fill_value": 0})
        for name in ("intersect1d", "setdiff1d", "setxor1d", "union1d")),
    case("signal.multitau", R.uniform(size=(16, 6)), np.asarray([1, 1, 2, 2, 0, 1]),
        by=lambda x, labels: signal.multitau(x, labels, 2, channels=4)[1]),
    *SOLVERS,
]  # fmt: skip
SEVERAL = [
    c for c in [*CASES, *MORE] if len(arrays_in((c.args, c.options.get("kwargs") or {}))) > 1
]


def serves(found: Case, column: str, library: str) -> bool:
    """Tell whether a case doesn't declare that a transform doesn't work."""
    declared = found.options.get(column, True)
    if isinstance(declared, dict):
        declared = declared.get(library, True)
    return declared is True


def by_one(found: Case, xp: Any) -> Iterator[tuple[Any, Callable[[Any], list[Any]]]]:
    """Each array of a case, and the function of it alone."""
    room, _, short = found.name.partition(".")
    function = found.func or getattr(importlib.import_module(f"likewise.{room}"), short)
    given = found.args, found.options.get("kwargs") or {}
    tree = map_leaves(lambda x: xp.asarray(x) if isinstance(x, np.ndarray) else x, given)
    for place, array in enumerate(arrays_in(tree)):

        def call(x: Any, place: int = place) -> list[Any]:
            numbers = iter(range(len(arrays_in(tree))))

            def put(leaf: Any) -> Any:
                return x if hasattr(leaf, "dtype") and next(numbers) == place else leaf

            args, kwargs = map_leaves(put, tree)
            return arrays_in(function(*args, **kwargs))

        yield array, call


def weighed(xp: Any, outputs: list[Any]) -> Any:
    """A number that all floating results take part in."""
    total: Any = 0
    for number, x in enumerate(outputs):
        w = xp.asarray(np.random.default_rng(number).normal(size=x.shape))
        if xp.isdtype(x.dtype, "complex floating"):
            total = total + xp.sum(xp.real(x) * w) + xp.sum(xp.imag(x) * w**2)
        elif xp.isdtype(x.dtype, "real floating"):
            total = total + xp.sum(x * xp.astype(w, x.dtype))
    return total


@pytest.mark.parametrize(
    "library",
    [
        pytest.param("numpy", marks=pytest.mark.share(4)),
        pytest.param("strict", marks=pytest.mark.full),
        pytest.param("torch", marks=[pytest.mark.full, pytest.mark.needs("torch")]),
    ],
)
@pytest.mark.parametrize("found", SEVERAL, ids=str)
@pytest.mark.filterwarnings("ignore:.*performance")
def test_one_argument_alone(found: Case, library: str) -> None:
    with likewise.use(library):
        for x, call in by_one(found, likewise.xp):
            follow(found, library, x, call)


def follow(found: Case, library: str, x: Any, call: Callable[[Any], list[Any]]) -> None:
    """Compare what transforms make of a function with its values, and two modes of derivatives."""
    xp = likewise.xp
    expected = [to_numpy(y) for y in call(x)]
    scale = max((float(np.nanmax(abs(y))) for y in expected if y.size), default=1.0)

    def outputs(x: Any) -> Any:
        return tuple(call(x))

    def loss(x: Any) -> Any:
        return weighed(array_namespace(x), call(x))

    transformed = []
    if serves(found, "vmap", library):
        transformed.append([a[1, ...] for a in vmap(outputs)(xp.stack([x, x]))])
    if library != "torch" and serves(found, "jit", library):
        followed = jit(outputs)
        transformed += [followed(x), followed(x)]
    for got in transformed:
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(to_numpy(a), b, rtol=1e-8, atol=1e-9 * scale)
    floating = any(y.dtype.kind in "fc" for y in expected)
    if floating and xp.isdtype(x.dtype, "real floating") and serves(found, "grad", library):
        v = xp.asarray(np.random.default_rng(9).normal(size=x.shape), dtype=x.dtype)
        back, forth = to_numpy(xp.sum(grad(loss)(x) * v)), to_numpy(jvp(loss, (x,), (v,))[1])
        np.testing.assert_allclose(back, forth, rtol=1e-6, atol=1e-9 * scale)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("name", ["sosfilt", "sosfiltfilt", "ShortTimeFFT", "order_filter"])
def test_constants_are_read_inside_of_torchs_transforms(name: str) -> None:
    import torch

    sos = torch.as_tensor(signal.butter(3, 0.3, output="sos"))
    window = torch.hann_window(8, dtype=torch.float64)
    domain = torch.ones(3)
    x = torch.as_tensor(np.random.default_rng(0).normal(size=40))
    functions: dict[str, Any] = {
        "sosfilt": lambda x: signal.sosfilt(sos, x),
        "sosfiltfilt": lambda x: signal.sosfiltfilt(sos, x),
        "ShortTimeFFT": lambda x: abs(signal.ShortTimeFFT(window, 4, 1.0).stft(x)),
        "order_filter": lambda x: signal.order_filter(x, domain, 1),
    }
    f = functions[name]
    slope = torch.func.grad(lambda x: (f(x) ** 2).sum())(x)
    step = 1e-6 * torch.as_tensor(np.random.default_rng(1).normal(size=40))
    ahead, back = ((f(x + s) ** 2).sum() for s in (step, -step))
    np.testing.assert_allclose(float((slope * step).sum()), float(ahead - back) / 2, rtol=1e-5)
    lanes = torch.func.vmap(torch.func.grad(lambda x: (f(x) ** 2).sum()))(torch.stack([x, x]))
    np.testing.assert_allclose(lanes[1], slope, rtol=1e-9)


@pytest.mark.needs("torch")
def test_solvers_of_what_torch_maps_from_outside() -> None:
    import torch

    def solved(c: Any) -> Any:
        x, _ = optimize.leastsq(lambda x: x**3 + x - c, torch.ones(2, dtype=torch.float64))
        return x + optimize.root(lambda x: x**3 + x - c, torch.ones(2, dtype=torch.float64)).x

    x = torch.tensor([[1.0, 2.0], [-0.5, 0.3]], dtype=torch.float64)
    found = torch.func.vmap(solved)(x**3 + x)
    np.testing.assert_allclose(found, 2 * x, rtol=1e-6)
