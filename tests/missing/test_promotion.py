"""One rule of dtypes for all functions that take several arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise import device, linalg, missing, result_type
from likewise.errors import ArrayTypeError, DtypeError

# Functions of two arrays of one size, of numbers of any kind.
ANY: dict[str, Callable[[Any, Any], Any]] = {
    "block_diag": linalg.block_diag,
    "convolve": missing.convolve,
    "diff": lambda x, y: missing.diff(x, append=y),
    "einsum": lambda x, y: missing.einsum("i,i->i", x, y),
    "hankel": linalg.hankel,
    "kron": missing.kron,
    "select": lambda x, y: missing.select([x == x], [x], y),
    "toeplitz": linalg.toeplitz,
    "union1d": lambda x, y: missing.union1d(x, y, size=3, fill_value=0),
}
# Of floating numbers: what integers alone become is the default floating dtype.
FLOATING: dict[str, Callable[[Any, Any], Any]] = {
    "interp": lambda x, y: missing.interp(x, y, y),
    "safe_divide": missing.safe_divide,
    "trapezoid": missing.trapezoid,
}


@pytest.mark.parametrize("name", [*ANY, *FLOATING])
def test_integers_beside_floating_arrays(lib: Any, name: str) -> None:
    """They take the floating dtype, whatever the sizes, and so do booleans."""
    func = ANY.get(name) or FLOATING[name]
    for other in ("int8", "int32", "bool") if not lib.jit else ("int32",):
        x, y = lib.asarray([1, 1], "float32"), lib.asarray([1, 0], other)
        assert func(x, y).dtype == func(y, x).dtype == lib.xp.float32
        assert func(x, y).dtype == result_type(x, y)


@pytest.mark.parametrize("name", ANY)
def test_kinds_of_integers(lib: Any, name: str) -> None:
    """The smallest dtype that holds both; the standard leaves open what booleans do."""
    func = ANY[name]
    cases = [("int8", "uint8", "int16"), ("uint8", "int32", "int32"), ("bool", "int8", "int8")]
    for one, two, expected in cases if not lib.jit else cases[:1]:
        got = func(lib.asarray([1, 0], one), lib.asarray([0, 1], two))
        assert got.dtype == getattr(lib.xp, expected), (one, two)


@pytest.mark.parametrize("name", ANY)
def test_integers_without_a_common_dtype(lib: Any, name: str) -> None:
    if not lib.has_float64:
        return  # there is no uint64
    x, y = lib.asarray([1, 2], "int8"), lib.asarray([1, 2], "uint64")
    with pytest.raises(DtypeError, match=rf"^{name}: got integers of .*int8 and .*uint64"):
        ANY[name](x, y)


def test_weak_numbers(xp: Any) -> None:
    """Scalars and lists give way; of a higher kind they give the default dtype of it."""
    x = xp.asarray([1, 2], dtype=xp.int8)
    default = xp.__array_namespace_info__().default_dtypes(device=device(x))
    assert missing.kron(x, [1, 2]).dtype == missing.kron(x, np.int64(2)).dtype == xp.int8
    assert missing.kron(x, []).dtype == xp.int8
    assert missing.convolve(x, 1.5).dtype == default["real floating"]
    assert missing.convolve(x, 1j).dtype == default["complex floating"]
    assert missing.diff(x == x, prepend=1).dtype == default["integral"]
    y = xp.asarray([1, 2], dtype=xp.float32)
    assert linalg.block_diag(y, [1.5]).dtype == linalg.block_diag(y, True).dtype == xp.float32
    assert linalg.block_diag(y, 1j).dtype == xp.complex64


@pytest.mark.parametrize("bad", [None, "a", object(), {}, [[1], [1, 2]], np.asarray(["a"])])
def test_errors_name_what_was_called(bad: Any) -> None:
    """And no function inside of it."""
    x = np.ones(3)
    for name in ("median", "nansum", "toeplitz", "trapezoid", "cov", "union1d", "geomspace"):
        with pytest.raises((ArrayTypeError, DtypeError)) as caught:
            getattr(linalg if name == "toeplitz" else missing, name)(
                bad, *([x] if name in ("union1d", "geomspace") else [])
            )
        assert str(caught.value).startswith(f"{name}: argument "), caught.value
