"""Special functions under torch's compiler, values and gradients, against mpmath's."""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise import array_namespace
from likewise.transforms import grad, jit

from .reference import names, read

pytestmark = [pytest.mark.full, pytest.mark.needs("torch")]

POINTS = 5


def ordinary(name: str) -> Any:
    """Some points of a table that are neither edges nor next to one."""
    table = read(name)
    mine = [i for i in range(len(table.args)) if not whole(name, i)]
    with np.errstate(all="ignore"):
        parts = [(table.args[i], table.partials[i]) for i in mine]
        size = np.abs(np.stack([table.value, *(x for two in parts for x in two)]))
        condition = table.condition()
    inside = np.all((size > 1e-3) & (size < 40), axis=0) & (condition < 40)
    return table.of(np.flatnonzero(inside)[:: max(1, inside.sum() // POINTS)][:POINTS])


@pytest.fixture(autouse=True)
def _no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch traces functions and their derivatives, and leaves out what makes code of them."""
    import torch

    own = torch.compile

    def quick(f: Any, **options: Any) -> Any:
        return own(f, backend="aot_eager", **options)

    monkeypatch.setattr(torch, "compile", quick)


@pytest.mark.parametrize("name", names())
def test_values_and_gradients(name: str) -> None:
    import torch

    table, func = ordinary(name), getattr(likewise.special, name)
    assert table.value.size >= 3
    args = [torch.asarray(np.ascontiguousarray(a)) for a in table.args]
    got = jit(lambda *args: func(*args))(*args)
    np.testing.assert_allclose(got.numpy(), table.value, rtol=1e-12)
    if np.iscomplexobj(table.value):
        return
    mine = tuple(i for i in range(len(args)) if not whole(name, i))

    def total(*args: Any) -> Any:
        return array_namespace(args[0]).sum(func(*args))

    slopes = jit(lambda *args: grad(total, mine)(*args))(*args)
    for i, slope in zip(mine, slopes, strict=True):
        np.testing.assert_allclose(slope.numpy(), table.partials[i], rtol=1e-8)


def whole(name: str, place: int) -> bool:
    """Tell if an argument is a whole number, in which there is no derivative."""
    return name in ("expn", "polygamma", "lambertw") and place == (name == "lambertw")


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", ["expm1", "log1p", "loggamma", "xlog1py", "xlogy"])
def test_complex_values(name: str) -> None:
    import scipy.special
    import torch

    z = np.asarray([0.3 - 0.2j, -2.5 + 0.1j, 4j])
    args = (z,) if name in ("expm1", "log1p", "loggamma") else (z[::-1].copy(), z)
    func = getattr(likewise.special, name)
    got = jit(lambda *args: func(*args))(*map(torch.asarray, args))
    np.testing.assert_allclose(got.numpy(), getattr(scipy.special, name)(*args), rtol=1e-13)


def test_gradients_of_other_sizes() -> None:
    """From the second size on torch has symbols for them, which have no hash."""
    import torch

    func = likewise.special.xlogy
    slope = jit(lambda x, y: grad(lambda x, y: array_namespace(x).sum(func(x, y)), 1)(x, y))
    for n in (3, 4, 5):
        y = np.linspace(1.0, 2.0, n)
        got = slope(torch.ones(n, dtype=torch.float64), torch.asarray(y))
        np.testing.assert_allclose(got.numpy(), 1 / y, rtol=1e-14)
