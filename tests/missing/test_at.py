"""Out-of-place updates against NumPy's item assignment."""

from typing import Any

import array_api_strict
import numpy as np
import pytest

import likewise
from likewise.errors import ArrayTypeError, DtypeError, MixedLibrariesError, ShapeError
from likewise.missing import at
from likewise.missing._at import _set
from likewise.testing import assert_close, assert_equal, check_function

CASES = {
    "integer": ((1, ...), 5.0),
    "negative": ((-1, ...), 5.0),
    "row": ((1, slice(None)), [1.0, 2.0, 3.0, 4.0]),
    "column": ((slice(None), 2), 7.0),
    "slice": ((slice(0, 3, 2), slice(1, None)), 8.0),
    "ellipsis": ((..., 1), [1.0, 2.0, 3.0]),
    "nothing": ((slice(0, 0), slice(None)), 1.0),
}


@pytest.mark.parametrize("index", [([2, -3],), ([2, -3], ...), ([0, 0], [1, -1])])
@pytest.mark.xp_skip({"dask": "its own assignment takes one list at most"})
def test_set_of_index_arrays(lib: Any, index: Any, rng: np.random.Generator) -> None:
    """Beside an ellipsis, and of fewer axes than there are, which the standard's indexing lacks."""
    x = rng.normal(size=(3, 4)).astype("float32")
    expected = x.copy()
    expected[index] = 5.0
    arrays = tuple(lib.asarray(i, "int64") if isinstance(i, list) else i for i in index)
    for out in (at(lib.asarray(x))[arrays].set(5.0), _set(lib.asarray(x), arrays, 5.0)):
        np.testing.assert_array_equal(lib.to_numpy(out), expected)


@pytest.mark.parametrize("case", CASES)
def test_equals_numpy(lib: Any, case: str, rng: np.random.Generator) -> None:
    index, value = CASES[case]
    x = rng.normal(size=(3, 4)).astype("float32")
    expected = x.copy()
    expected[index] = value
    a = lib.asarray(x)
    v = value if isinstance(value, float) else lib.asarray(value, "float32")
    for out in (at(a)[index].set(v), None if lib.library == "dask" else _set(a, index, v)):
        if out is None:  # Dask finds no positions: its own assignment is the only way
            continue
        got = lib.to_numpy(out)
        assert got.dtype == np.float32
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(lib.to_numpy(a), x)


@pytest.mark.parametrize("index", [(0, 1), (slice(None), 1), (..., 0), (slice(0, 1), slice(1, 3))])
def test_set_keeps_the_layout(index: Any) -> None:
    """As a write in place does, so that later sums have the same bits; in what jit records, too."""
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))

    def write(y: Any) -> Any:
        y = y + 0.0
        y[index] = 7.0
        return y

    for a, layout in ((x, lambda a: a), (array_api_strict.asarray(x), lambda a: a._array)):
        plain = write(a)
        assert layout(plain).flags.f_contiguous
        made = likewise.jit(write)
        for out in (at(a)[index].set(7.0), made(a), made(a)):
            assert layout(out).strides == layout(plain).strides
            np.testing.assert_array_equal(layout(out), layout(plain))


def test_mask(lib: Any) -> None:
    x = lib.asarray([1.0, -2.0, 3.0], "float32")
    for way in (lambda: at(x)[x < 0].set(0.0), lambda: _set(x, x < 0, 0.0)):
        native = way.__code__.co_names[0] == "at"
        if (lib.name == "strict-minimal" and native) or (lib.library == "dask" and not native):
            continue  # strict's own arrays refuse masks there; Dask finds no positions
        np.testing.assert_array_equal(lib.to_numpy(way()), [1.0, 0.0, 3.0])


@pytest.mark.needs("jax", "torch")
def test_integer_arrays() -> None:
    import jax.numpy as jnp
    import torch

    for xp in (np, jnp, torch):
        x, i = xp.zeros(5), xp.asarray([3, 0])
        for out in (at(x)[i].set(xp.asarray([1.0, 2.0])), _set(x, i, xp.asarray([1.0, 2.0]))):
            assert [float(v) for v in out] == [2.0, 0.0, 0.0, 1.0, 0.0]


@pytest.mark.needs("jax")
def test_jit_and_gradient() -> None:
    import jax
    import jax.numpy as jnp

    x, w = jnp.arange(4.0), jnp.asarray([1.0, 2.0, 3.0, 4.0])
    for way in (lambda x, v: at(x)[1:3].set(v), lambda x, v: _set(x, slice(1, 3), v)):
        out = jax.jit(way)(x, jnp.asarray([7.0, 8.0]))
        assert out.tolist() == [0.0, 7.0, 8.0, 3.0]
        dx, dv = jax.grad(lambda x, v, way=way: jnp.sum(w * way(x, v)), argnums=(0, 1))(x, x[:2])
        assert dx.tolist() == [1.0, 0.0, 0.0, 4.0] and dv.tolist() == [2.0, 3.0]


@pytest.mark.needs("torch")
def test_torch_vmap() -> None:
    import torch

    out = torch.func.vmap(lambda v: at(torch.zeros(3))[0].set(v))(torch.arange(3.0))
    assert out[:, 0].tolist() == [0.0, 1.0, 2.0] and out.shape == (3, 3)


def test_refuses() -> None:
    with pytest.raises(ArrayTypeError, match="at: argument 'x' must be an array"):
        at([1.0, 2.0])


def test_capabilities(rng: np.random.Generator) -> None:
    x, v = rng.normal(size=(3, 4)), rng.normal(size=3)
    expected = x.copy()
    expected[:, 2] = v
    check_function(
        lambda x, v: at(x)[:, 2].set(v), x, v, reference=expected, name="likewise.missing.at"
    )


OPERATIONS = {
    "add": np.add,
    "multiply": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "min": np.minimum,
    "max": np.maximum,
}
INTEGERS = {
    "rows": (np.asarray([1, 1, -1]),),
    "pairs": (np.asarray([1, 1, -1]), np.asarray([0, 0, 2])),
    "integer and array": (2, np.asarray([0, 0, 2])),
    "table": (np.asarray([[0, 1], [1, 0]]),),
    "slice": (slice(1, None), 2),
    "none": (np.zeros(0, dtype=int),),
}


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, "rows") for name in OPERATIONS]
    + [(name, case) for name in ("add", "divide") for case in INTEGERS if case != "rows"],
)
def test_updates_equal_numpy(lib: Any, name: str, case: str, rng: np.random.Generator) -> None:
    """Elements that are named twice are updated twice."""
    x, index = rng.uniform(1.0, 2.0, size=(3, 4)), INTEGERS[case]
    v = rng.uniform(0.5, 2.0, size=x[index].shape)
    expected = x.copy()
    OPERATIONS[name].at(expected, index, v)
    own = tuple(lib.asarray(i) if isinstance(i, np.ndarray) else i for i in index)
    a = lib.asarray(x)
    got = getattr(at(a)[own[0] if len(own) == 1 else own], name)(lib.asarray(v))
    assert_close(got, expected, rtol=None if lib.has_float64 else 1e-5)
    assert_close(a, x, rtol=1e-6)


@pytest.mark.parametrize("name", OPERATIONS)
def test_masks(lib: Any, name: str, rng: np.random.Generator) -> None:
    """Without indices, so that they run compiled: a number, a row, as many as there are places."""
    x = rng.uniform(1.0, 2.0, size=(3, 4))
    rtol = None if lib.has_float64 else 1e-5
    for mask, v in (
        (x > 1.5, np.asarray(1.5)),
        (x > 1.5, rng.uniform(size=np.count_nonzero(x > 1.5))),
        (x[:, 0] > 1.5, rng.uniform(size=4)),
        (np.zeros((3, 4), dtype=bool), np.zeros(0)),
    ):
        expected = x.copy()
        expected[mask] = OPERATIONS[name](expected[mask], v)
        a, m = lib.asarray(x), lib.asarray(mask)
        assert_close(getattr(at(a)[m], name)(lib.asarray(v)), expected, rtol=rtol)
        expected[mask] = v
        assert_close(at(a)[m].set(lib.asarray(v)), expected, rtol=rtol)


def test_mask_with_another_number_of_values(lib: Any) -> None:
    """Refused where it can be seen; elsewhere the last is repeated."""
    x, v = lib.asarray([1.0, 2.0, 3.0]), lib.asarray([5.0, 6.0])
    if lib.library == "dask":
        assert_close(at(x)[x > 0].set(v), [5.0, 6.0, 6.0])
    else:
        with pytest.raises(ShapeError, match="the mask has 3 places, got 2 values"):
            at(x)[x > 0].set(v)


def test_get(lib: Any) -> None:
    x = lib.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert_close(at(x)[1, :].get(), [3.0, 4.0])


def test_dtype_is_kept(lib: Any) -> None:
    x = lib.asarray([1.0, 2.0], "float32")
    i = lib.asarray([0, 0])
    assert at(x)[i].add(lib.asarray([1.0, 2.0], "float64")).dtype == lib.xp.float32
    assert at(x)[0].set(np.float64(2)).dtype == lib.xp.float32
    n = lib.asarray([1, 2], "int32")
    assert_equal(at(n)[i].add(3), np.asarray([7, 2], dtype="int32"))
    assert_equal(at(n)[i].power(3), np.asarray([1, 2], dtype="int32"))
    assert_equal(at(n)[i].max(3), np.asarray([3, 2], dtype="int32"))
    for wrong in (1.5, lib.asarray([1.5, 2.5])):
        with pytest.raises(DtypeError, match="at: add can't cast"):
            at(n)[i].add(wrong)
    with pytest.raises(DtypeError, match="divide needs a floating array"):
        at(n)[0].divide(2)


def test_zeros_keep_their_sign(lib: Any) -> None:
    x = lib.asarray([-0.0, 1.0])
    got = lib.to_numpy(at(x)[lib.asarray([1])].add(1.0))
    assert got.tolist() == [0.0, 2.0]
    assert np.signbit(got[0]) or lib.library == "dask"  # whose sums of blocks begin with 0.0


@pytest.mark.needs("torch")
def test_out_of_range() -> None:
    import torch

    for xp in (np, torch):
        for index in (xp.asarray([0, 3]), xp.asarray([-4])):
            with pytest.raises(IndexError, match="^at: .*out of (range|bounds) for"):
                at(xp.zeros(3))[index].add(1.0)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.needs(n)) for n in ("dask", "jax")]
)
def test_out_of_range_on_libraries_that_are_silent(name: str) -> None:
    """Numbers, wherever they stand among arrays, masks and what takes no axis."""
    xp = likewise.namespace(name)
    x, i = xp.zeros((3, 4)), xp.asarray([0, 1])
    mask = xp.asarray([True, False, True])
    for index, number, axis, size in (
        ((i, 7), 7, 1, 4),
        ((-4, i), -4, 0, 3),
        ((..., i, -5), -5, 1, 4),
        ((None, i, 4), 4, 1, 4),
        ((mask, 4), 4, 1, 4),
    ):
        where = f"at: index {number} is out of range for axis {axis}, of size {size}"
        with pytest.raises(IndexError, match=where):
            at(x)[index]
    at(x)[i, 3], at(x)[None, -3, ..., i], at(x)[xp.zeros((3, 4), dtype=xp.bool)]


def test_errors_name_the_function(lib: Any) -> None:
    x = lib.asarray(np.zeros((2, 3)))
    if lib.library in ("jax", "dask"):  # there it is left out, or found later
        return
    for index in ((5, 0), (0, 0, 0)):
        for call in ("get", "set", "add"):
            some = at(x)[index]
            with pytest.raises(IndexError, match=rf"at: ({call}: .*\(2, 3\)|.* out of range)"):
                some.get() if call == "get" else getattr(some, call)(1.0)


@pytest.mark.needs("jax")
def test_out_of_range_is_left_out() -> None:
    import jax
    import jax.numpy as jnp

    x = jnp.ones(3)
    for name in ("add", "multiply", "min"):
        out = jax.jit(lambda x, i, name=name: getattr(at(x)[i], name)(0.0))(x, jnp.asarray([5, 0]))
        assert out.tolist() == [1.0 if name == "add" else 0.0, 1.0, 1.0]


def test_value_that_does_not_broadcast() -> None:
    with pytest.raises(ValueError, match="broadcast"):  # NumPy's own words
        at(np.zeros(3))[np.asarray([0, 1])].add(np.ones(3))
    with pytest.raises(ShapeError, match="a mask must have the shape"):
        at(np.zeros(3))[np.ones(2, dtype=bool)].add(1.0)


@pytest.mark.parametrize("name", ["add", "divide", "min"])
def test_capabilities_of_updates(name: str, rng: np.random.Generator) -> None:
    x, v = rng.uniform(1.0, 2.0, size=5), rng.uniform(0.5, 3.0, size=4)
    i = np.asarray([3, 0, 3, 1])
    expected = x.copy()
    OPERATIONS[name].at(expected, i, v)
    check_function(
        lambda x, i, v: getattr(at(x)[i], name)(v),
        x,
        i,
        v,
        reference=expected,
        scalars=2,  # the smallest and the largest index
        name=f"likewise.missing.at.{name}",
    )


def test_capabilities_of_masks(rng: np.random.Generator) -> None:
    x, v = rng.uniform(1.0, 2.0, size=(2, 3)), rng.uniform(size=4)
    mask = np.asarray([[True, False, True], [True, True, False]])
    expected = x.copy()
    expected[mask] *= v
    check_function(
        lambda x, mask, v: at(x)[mask].multiply(v),
        x,
        mask,
        v,
        reference=expected,
        scalars=1,
        name="likewise.missing.at",
    )


@pytest.mark.parametrize("op", ["add", "multiply", "divide", "power", "min", "max", "set"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_parity(lib: Any, op: str, dtype: str, rng: np.random.Generator) -> None:
    """The library's own way and the generic one, ``.generic`` of a method: value, dtype, shape."""
    if dtype == "int32" and op in ("divide", "power"):
        return  # floating results
    x = lib.asarray(rng.uniform(1, 9, size=5).astype(dtype))
    index = lib.asarray(np.asarray([3, 0, 3, 4]) if op != "set" else np.asarray([3, 0, 2, 4]))
    values = lib.asarray(rng.uniform(1, 3, size=4).astype(dtype))
    own = getattr(at(x)[index], op)(values)
    with likewise.prefer(force="generic"):
        generic = getattr(at(x)[index], op)(values)
    a, b = lib.to_numpy(own), lib.to_numpy(generic)
    assert a.dtype == b.dtype and a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=1e-5 if a.dtype == np.float32 else 1e-13)


@pytest.mark.parametrize("index", [2, -3, [0, 2], "array", "column", "last"])
def test_eager_index_out_of_range(xp: Any, lib: Any, index: Any) -> None:
    x = lib.asarray([1.0, 2.0], "float32")
    if index in ("array", "column", "last"):
        i = lib.asarray([0, 5], "int64")
        if lib.library == "dask":
            return  # lazy: nothing is known of its values
        x, index = {
            "array": (x, i),
            "column": (xp.reshape(x, (1, 2)), (slice(None), i)),
            "last": (xp.reshape(x, (1, 2)), (..., 2)),
        }[index]
    elif isinstance(index, list) and lib.library == "strict":
        return  # which refuses lists
    for call in (
        lambda: at(x)[index].set(1.0),
        lambda: at(x)[index].get(),
        lambda: at(x)[index].add(1.0),
    ):
        with pytest.raises(IndexError):
            call()


@pytest.mark.needs("jax")
def test_index_out_of_range_under_jit() -> None:
    import jax
    import jax.numpy as jnp

    x, i = jnp.asarray([1.0, 2.0]), jnp.asarray([0, 5])
    assert jax.jit(lambda x, i: at(x)[i].get())(x, i).tolist() == [1.0, 2.0]
    assert jax.jit(lambda x, i: at(x)[i].set(9.0))(x, i).tolist() == [9.0, 2.0]
    assert jax.jit(lambda x, i: at(x)[i].add(1.0))(x, i).tolist() == [2.0, 2.0]
    # What stands beside the entry that is looked at: a new axis, a mask, a scalar of NumPy's.
    assert at(x)[None, np.int64(1)].get().tolist() == [2.0]
    assert at(x[None, :, None])[jnp.asarray([[True, False]]), 0].get().tolist() == [1.0]


def test_indices_of_every_dtype(lib: Any) -> None:
    """Bytes are no booleans, and what is too large is no place counted from the end."""
    x = lib.asarray([1.0, 2.0, 3.0])
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
        index = lib.asarray([1, 0, 1], dtype)
        assert lib.to_numpy(at(x)[index].add(1.0)).tolist() == [2.0, 4.0, 3.0]
        assert lib.to_numpy(at(x)[index].set(0.0)).tolist() == [0.0, 0.0, 3.0]
        assert lib.to_numpy(at(x)[index].get()).tolist() == [2.0, 1.0, 2.0]


def test_records() -> None:
    with pytest.raises(DtypeError, match="at: argument 'x' must hold numbers or booleans, got"):
        at(np.zeros(3, dtype=[("a", int)]))


def test_a_mask_in_a_tuple_and_arrays_beside_an_ellipsis(lib: Any) -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    x, mask = lib.asarray(a), a[:, 0, 0] > 5
    expected = a.copy()
    expected[mask] = -1.0
    assert_equal(at(x)[(lib.asarray(mask),)].set(-1.0), expected)
    if lib.library in ("strict", "dask"):  # which take no arrays of two dimensions here
        return
    places = np.asarray([[0, 1], [1, 1]])
    expected = a.copy()
    expected[places, ..., 2] = 7.0
    assert_equal(at(x)[lib.asarray(places), ..., 2].set(7.0), expected)


def test_index_of_another_library() -> None:
    foreign = array_api_strict.asarray([0])
    for index in (foreign, (foreign,), foreign == 0):
        with pytest.raises(MixedLibrariesError, match="at: the index must be of the library of x"):
            at(np.ones(3))[index].set(1.0)
        with pytest.raises(MixedLibrariesError, match="got a strict array.*like=x"):
            at(np.ones(3))[index].get()
