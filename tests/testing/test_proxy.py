"""Arrays that refuse: everything of the standard passes, nothing becomes NumPy's."""

import operator
from typing import Any

import numpy as np
import pytest
import scipy.special

import likewise
from likewise import array_namespace
from likewise.testing import HostCopyError, Variant, assert_close, refusing
from likewise.testing._proxy import revealed


def test_standard_code_runs(xp: Any, rng: np.random.Generator) -> None:
    values = rng.normal(size=(3, 4))

    def standard(x: Any) -> Any:
        ns = array_namespace(x)
        y = ns.exp(x) @ ns.permute_dims(x, (1, 0)) + 2
        y = ns.concat([y, ns.zeros((1, 3), dtype=x.dtype, device=likewise.device(x))])
        y = ns.where(y > 0, y, -y)[1:, :] / 3
        return ns.sum(1 - y, axis=0), y.shape, ns.result_type(y, x)

    x = xp.asarray(values)
    total, shape, dtype = standard(refusing(x))
    plain = standard(x)
    assert shape == plain[1] and dtype == plain[2]
    assert_close(revealed(total), plain[0])
    assert array_namespace(refusing(x)) is array_namespace(refusing(x), total)


def test_extensions_and_methods(xp: Any, lib: Variant) -> None:
    x = refusing(xp.asarray(np.eye(3)))
    if lib.has_extensions:
        assert_close(revealed(array_namespace(x).linalg.trace(x)), xp.asarray(np.asarray(3.0)))
    if lib.library != "dask":  # whose arrays have no mT
        assert_close(revealed(x.mT), xp.asarray(np.eye(3)))
    assert len(x) == 3
    assert all(row.shape == (3,) for row in x)
    with pytest.raises(AttributeError, match="standard arrays have no 'astype'"):
        x.astype


@pytest.mark.parametrize(
    "escape",
    [
        np.asarray,
        np.array,
        np.sin,
        np.mean,
        np.from_dlpack,
        scipy.special.j0,
        lambda x: np.ones(2) + x,
    ],
    ids=["asarray", "array", "ufunc", "function", "dlpack", "scipy", "operator"],
)
def test_refuses(xp: Any, escape: Any) -> None:
    """JAX's arrays too, which NumPy reads unseen."""
    x = refusing(xp.asarray(np.ones(2)))
    with pytest.raises((HostCopyError, TypeError, AttributeError)) as caught:
        escape(x)
    assert (
        "array" in str(caught.value) or "operand" in str(caught.value) or "sum" in str(caught.value)
    )


def test_single_values_can_be_read(xp: Any) -> None:
    x = refusing(xp.asarray(np.asarray(3.0)))
    assert float(x) == 3.0 and bool(x > 2) and int(x) == 3
    assert operator.index(refusing(xp.asarray(np.asarray(2)))) == 2


def test_structures_stay(xp: Any) -> None:
    found = refusing({"a": [xp.ones(1), 2], "b": "text"})
    assert found["a"][1:] == [2] and found["b"] == "text"
    assert likewise.library(revealed(found)["a"][0]) == likewise.library(xp.ones(1))
