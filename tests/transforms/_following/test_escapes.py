"""Where an array of a transform can't go: errors that name the line and say what to write."""

import math
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal
import scipy.special
import scipy.stats
from scipy.special import logsumexp as lse

import likewise
from likewise import array_namespace, special
from likewise.errors import TransformError
from likewise.interop import to_numpy
from likewise.transforms import grad, jit, jvp, vjp, vmap
from likewise.transforms._following._interpreter import interpreted

X = np.asarray([1.0, 2.0, 3.0])


def assert_says_where(error: BaseException) -> None:
    text = "\n".join([str(error), *getattr(error, "__notes__", [])])
    assert "test_escapes.py" in text, text
    assert "line " in text
    assert "xp." in text or "rite " in text  # what to write


ESCAPES: dict[str, Callable[[Any], Any]] = {
    "ufunc out": lambda x: np.add(X, X, out=x),
    "ufunc at": lambda x: np.add.at(X.copy(), [0], x[0]),
    "ufunc without a counterpart": np.spacing,
    "function without a counterpart": lambda x: np.polyfit(x, X, 1),
    "ufunc dtype": lambda x: np.add(x, X, dtype=np.float32),
    "sum where": lambda x: np.sum(x, where=X > 1),
    "max initial": lambda x: np.max(x, initial=0.0),
    "method sort": lambda x: x.sort(),
    "method fill": lambda x: x.fill(1.0),
    "method tolist": lambda x: x.tolist(),
    "full": lambda x: np.full(3, x[0]),
    "asarray": np.asarray,
    "array": np.array,
    "array of objects": lambda x: np.array([x], dtype=object),
    "array of a list": lambda x: np.array([x[0], x[1]]),
    "array of a list of arrays": lambda x: np.asarray([x, x]),
    "fromiter": lambda x: np.fromiter(x, float),
    "number": lambda x: np.float64(x[0]),
    "random": lambda x: np.random.default_rng(0).normal(x),
    "permutation": lambda x: np.random.default_rng(0).permutation(x),
    "from_dlpack": np.from_dlpack,
    "memoryview": memoryview,
    "float": lambda x: float(x[0]),
    "int": lambda x: int(x[0]),
    "complex": lambda x: complex(x[0]),
    "math": lambda x: math.sin(x[0]),
    "range": lambda x: range(x[0]),
    "round": lambda x: round(x[0]),
    "format": lambda x: f"{x[0]:.3f}",
    "pow of three": lambda x: pow(x, 2, 3),
    "divmod": lambda x: divmod(x, 2),
    "divmod right": lambda x: divmod(2, x),
    "unpacked": lambda x: [*x[0]],
    "pickle": pickle.dumps,
    "method item": lambda x: x[0].item(),
    "raw index": lambda x: X[array_namespace(x).astype(x, array_namespace(x).int64)],
    "raw element": lambda x: operator.setitem(X.copy(), 0, x[0]),
    "raw elements": lambda x: operator.setitem(X.copy(), slice(None), x),
    "in place": lambda x: operator.iadd(X.copy(), x),
}
# What is followed of NumPy's arrays, and of no others.
FOLLOWED: dict[str, Callable[[Any], Any]] = {
    "ufunc": np.sin,
    "ufunc raw first": lambda x: np.add(X, x),
    "ufunc second": lambda x: np.multiply(x, X),
    "ufunc reduce": np.add.reduce,
    "isnan": np.isnan,
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "std": np.std,
    "median": np.median,
    "cumsum": np.cumsum,
    "concatenate": lambda x: np.concatenate([X, x]),
    "stack": lambda x: np.stack([X, x]),
    "hstack": lambda x: np.hstack([x, X]),
    "norm": np.linalg.norm,
    "solve": lambda x: np.linalg.solve(np.eye(3), x),
    "fft": np.fft.fft,
    "einsum": lambda x: np.einsum("i,i", x, X),
    "dot": lambda x: np.dot(X, x),
    "method dot": lambda x: X.dot(x),
    "matmul": lambda x: np.matmul(X, x),
    "where": lambda x: np.where(X > 1, x, 0.0),
    "clip": lambda x: np.clip(x, 0.0, 1.0),
    "clip bound": lambda x: np.clip(X, 0.0, x),
    "sort": np.sort,
    "argsort": np.argsort,
    "unique": np.unique,
    "searchsorted": lambda x: np.searchsorted(X, x),
    "interp": lambda x: np.interp(x, X, X),
    "reshape": lambda x: np.reshape(x, (3, 1)),
    "zeros_like": np.zeros_like,
    "full_like": lambda x: np.full_like(X, x[0]),
    "linspace": lambda x: np.linspace(x[0], 1.0, 3),
    "method sum": lambda x: x.sum(),
    "method copy": lambda x: x.copy(),
}


@pytest.mark.parametrize("transform", [grad, vmap])
@pytest.mark.parametrize("escape", [pytest.param(f, id=n) for n, f in ESCAPES.items()])
def test_escapes_name_the_line(escape: Any, transform: Any) -> None:
    def fun(x: Any) -> Any:
        y = escape(x)
        assert not isinstance(y, np.ndarray), "an array came out of it"
        return array_namespace(x).sum(y)

    x = X if transform is grad else np.stack([X, X])
    with pytest.raises((TypeError, ValueError, AttributeError)) as raised:
        transform(fun)(x)
    assert not isinstance(raised.value, AssertionError)
    assert_says_where(raised.value)


@pytest.mark.needs("array_api_strict")
@pytest.mark.parametrize("transform", [grad, vmap])
@pytest.mark.parametrize("call", [pytest.param(f, id=n) for n, f in FOLLOWED.items()])
def test_numpys_functions_follow_numpys_arrays_alone(call: Any, transform: Any) -> None:
    import array_api_strict as strict

    x = strict.asarray(X if transform is grad else np.stack([X, X]))
    with pytest.raises((TypeError, AttributeError)) as raised:
        transform(call)(x)
    assert_says_where(raised.value)


def test_conversions_are_errors_of_ours() -> None:
    for escape in (float, int, complex, np.asarray, np.frexp, math.sqrt):
        with pytest.raises(TransformError, match="line .*test_escapes.py"):
            grad(lambda x, f=escape: f(x))(np.asarray(1.0))


@pytest.mark.needs("torch")
def test_torch_functions() -> None:
    import torch

    for escape in (torch.sin, torch.as_tensor, lambda x: torch.stack([x, x]), torch.from_numpy):
        for transform in (grad, vmap):
            with pytest.raises(TypeError) as raised:
                transform(escape)(X)
            assert_says_where(raised.value)


@pytest.mark.needs("torch")
def test_raw_torch_tensors_and_an_index() -> None:
    import torch

    raw = torch.arange(4.0)
    x = torch.tensor([1.0, 2.0, 3.0, 0.0])
    for index in (
        lambda xp, x: xp.astype(x, xp.int64),
        lambda xp, x: xp.argmax(x),
        lambda xp, x: x > 1,
        lambda xp, x: (xp.argmax(x), None),
    ):
        with interpreted(), pytest.raises((TypeError, IndexError)) as raised:
            grad(lambda x, i=index: raw[i(array_namespace(x), x)])(x)
        assert_says_where(raised.value)


@pytest.mark.needs("dask")
def test_unknown_number_of_elements() -> None:
    import dask.array as da

    x = da.from_array(X)

    def fun(x: Any) -> Any:
        return array_namespace(x).sum(x[x > 1.5] ** 2)

    for transform in (grad, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(TransformError, match=r"line \d+ of .*test_escapes.py.*xp.where"):
            transform(fun)(x)


@pytest.mark.needs("jax")
def test_jax_functions() -> None:
    import jax.numpy as jnp

    for escape in (jnp.sin, jnp.asarray, lambda x: jnp.dot(x, X), jnp.stack):
        for transform in (grad, vmap):
            with pytest.raises(TypeError) as raised:
                transform(lambda x, f=escape: f(x * 1))(X)
            assert_says_where(raised.value)


def test_if_asks_for_one_answer() -> None:
    def fun(x: Any) -> Any:
        return x * 2 if x > 2 else -x

    assert grad(fun)(np.asarray(3.0)) == 2.0
    assert grad(fun)(np.asarray(1.0)) == -1.0
    for f in (fun, lambda x: max(x, 1.0), lambda x: x if x > 0 and x < 1 else x * 2):
        with pytest.raises(TransformError, match=r"line \d+ of .*test_escapes.py.*xp.where"):
            vmap(f)(X)
        with pytest.raises(TransformError, match="xp.where"):
            vmap(grad(f))(X)
    # One answer for all lanes.
    assert vmap(lambda x, n: x * 2 if n > 0 else x, in_axes=(0, None))(X, np.asarray(1.0))[0] == 2


# What NumPy doesn't hand on, and what the first line says to write.
MENDS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "array": (lambda x: np.array([x[0], x[1]]), "np.stack([x[0], x[1]]) or xp.stack("),
    "asarray": (lambda x: np.asarray(x), "Leave np.asarray out"),
    "full": (lambda x: np.full(3, x[0]), "xp.full(3, x[0])"),
    "math": (lambda x: math.exp(x[0]), "np.exp or xp.exp"),
    "method dot": (lambda x: X.dot(x), "np.dot(X, x)"),
    "float": (lambda x: float(x[0]), "in float(x[0])"),
    "in place": (lambda x: np.add(X, X, out=x), "y = np.add(a, b)"),
    "no counterpart": (lambda x: np.frexp(x), "numpy.frexp: has no counterpart"),
    "of special": (
        lambda x: scipy.special.struve(0, x),
        "scipy.special.struve: has no counterpart",
    ),
    "special's": (lambda x: scipy.special.logsumexp(x), "Write likewise.special.logsumexp(x). "),
    "by a name": (lambda x: lse(x), "Write likewise.special.logsumexp(x). "),
    "of signal": (lambda x: scipy.signal.sosfilt(X, x), "Write likewise.signal.sosfilt(X, x). "),
    "of stats": (lambda x: scipy.stats.norm.pdf(x), "likewise has no pdf: write it in functions"),
    "argument": (lambda x: np.mean(x, where=X > 1), "numpy.mean: takes no where="),
}


@pytest.mark.parametrize("name", MENDS)
def test_the_first_line_says_what_to_write(name: str) -> None:
    call, words = MENDS[name]
    for transform, x in ((grad, X), (vmap, np.stack([X, X]))):
        with pytest.raises(TransformError) as raised:
            transform(call)(x)
        first = str(raised.value).splitlines()[0]
        assert words in first
        assert "test_escapes.py, in " in first


UNARY = [
    name
    for name in special.__all__  # which a room of files that load when asked for has not in vars()
    if isinstance(theirs := getattr(scipy.special, name, None), np.ufunc)
    and (theirs.nin, theirs.nout) == (1, 1)
]


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_scipys_special_are_ours(name: str) -> None:
    """The values, dtypes and derivatives of ours of the name."""
    ours, theirs = getattr(special, name), getattr(scipy.special, name)
    for dtype in (np.float64, np.float32):
        x = np.asarray([0.25, 0.5, 0.75], dtype)
        rtol = 20 * float(np.finfo(dtype).eps)
        if name != "wofz":  # of float32, SciPy's is complex128
            assert vmap(theirs)(x).dtype == theirs(x).dtype
        np.testing.assert_allclose(vmap(theirs)(x), ours(x), rtol=rtol)
        (_, slopes), (_, known) = (jvp(f, (x,), (np.ones_like(x),)) for f in (theirs, ours))
        np.testing.assert_allclose(slopes, known, rtol=rtol)


@pytest.mark.parametrize("k", [0, -1])
def test_lambertw_of_scipys_is_ours(k: int) -> None:
    """SciPy's is a function of Python around one of three arguments."""
    x = np.asarray(-0.2)
    found = grad(lambda x: scipy.special.lambertw(x, k).real)(x)
    w = scipy.special.lambertw(-0.2, k).real
    np.testing.assert_allclose(found, w / (-0.2 * (1 + w)), rtol=1e-12)
    mapped = vmap(lambda x: scipy.special.lambertw(x, k))(np.asarray([-0.2, -0.1]))
    np.testing.assert_allclose(mapped, scipy.special.lambertw([-0.2, -0.1], k), rtol=1e-12)


def test_zeta_of_scipys_is_ours() -> None:
    """SciPy's is a function of Python around two others."""
    for q in (None, 1.5):
        found = grad(lambda x, q=q: scipy.special.zeta(x, q))(np.asarray(2.5))
        assert found == grad(lambda x, q=q: special.zeta(x, q))(np.asarray(2.5)) < -0.1


def test_functions_of_scipys_special_beside_constants() -> None:
    def fun(x: Any) -> Any:
        shape = np.asarray([0.5, 1.5, 2.5])
        out = scipy.special.gammainc(shape, x) + scipy.special.xlogy(2, x)
        return np.sum(out + scipy.special.betainc(x, 2.0, 0.25))

    def ours(x: Any) -> Any:
        shape = np.asarray([0.5, 1.5, 2.5])
        out = special.gammainc(shape, x) + special.xlogy(2, x)
        return np.sum(out + special.betainc(x, 2.0, 0.25))

    for way in (grad, lambda f: jit(grad(f)), lambda f: grad(jit(f))):
        np.testing.assert_allclose(way(fun)(X), grad(ours)(X), rtol=1e-12)
    np.testing.assert_allclose(jvp(fun, (X,), (X,))[1], jvp(ours, (X,), (X,))[1], rtol=1e-12)


@pytest.mark.needs("array_api_strict")
def test_scipys_functions_of_strict_arrays_name_ours() -> None:
    import array_api_strict as strict

    with pytest.raises(TransformError, match=r"^scipy.special.erf .*Write likewise.special.erf\("):
        grad(lambda x: scipy.special.erf(x))(strict.asarray(1.0))


@pytest.mark.needs("torch")
@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")
@pytest.mark.parametrize("transform", ["grad", "jvp", "vmap", "vmap of grad"])
def test_torchs_own_transforms_say_where_an_array_left(transform: str) -> None:
    import torch

    def written(x: Any) -> Any:
        z = np.zeros(3)
        z[:] = x
        return z.sum()

    def by_elements(x: Any) -> Any:
        z = np.zeros(3)
        z[0] = x[0]
        return z.sum()

    calls: list[tuple[Callable[[Any], Any], str]] = [
        (written, "In place of z[:] = value write z = likewise.missing.at(z)"),
        (lambda x: np.array([x[0] - 1, x[1]]).sum(), "xp.stack([x[0] - 1, x[1]])"),
        (lambda x: scipy.special.erf(x).sum(), "Write likewise.special.erf(x). "),
    ]
    if "vmap" not in transform:
        calls.append((by_elements, "its result, which is NumPy's"))
    ways: dict[str, Callable[[Any, Any], Any]] = {
        "grad": lambda f, x: grad(f)(x[0]),
        "jvp": lambda f, x: jvp(f, (x[0],), (x[0],)),
        "vmap": lambda f, x: vmap(f)(x),
        "vmap of grad": lambda f, x: vmap(grad(f))(x),
    }
    for fun, words in calls:
        with pytest.raises(TransformError) as raised:
            ways[transform](fun, torch.as_tensor(np.stack([X, X])))
        assert words in str(raised.value)
        assert_says_where(raised.value)


def test_an_element_of_a_raw_array() -> None:
    raw = np.zeros(3)

    def fun(x: Any) -> Any:
        raw[0] = x[1]
        return np.sum(raw)

    with pytest.raises((TransformError, ValueError)) as raised:  # NumPy's own, with a note
        grad(fun)(X)
    text = "\n".join([str(raised.value), *getattr(raised.value, "__notes__", [])])
    assert "raw = likewise.missing.at(raw)[0].set(value)" in text


def test_other_errors_have_no_note() -> None:
    def fun(x: Any) -> Any:
        raise ValueError("of the user")

    with pytest.raises(ValueError) as raised:
        grad(fun)(X)
    assert not hasattr(raised.value, "__notes__")


# What a function that closes over the namespace of its data may call.
CLOSED = {
    "elementwise": lambda n, x: n.sum(n.exp(x)),
    "reduction": lambda n, x: n.sum(x * x),
    "list": lambda n, x: n.sum(n.stack([x, x])),
    "linalg": lambda n, x: n.sum(n.linalg.outer(x, x)),
    "fft": lambda n, x: n.sum(n.abs(n.fft.rfft(x))),
    "repaired": lambda n, x: n.sum(n.expm1(x) + n.tanh(x)),
    "dtype": lambda n, x: n.sum(n.asarray(x, dtype=x.dtype)),
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_namespace_from_outside_works_or_says_where(xp: Any, lib: Any, name: str) -> None:
    if name in ("linalg", "fft") and not lib.has_extensions:
        return
    x = xp.asarray([1.0, 2.0, 3.0])
    outside = array_namespace(x)

    def fun(y: Any) -> Any:
        return CLOSED[name](outside, y)

    def good(y: Any) -> Any:
        return CLOSED[name](array_namespace(y), y)

    transforms = {
        "grad": lambda f: grad(f)(x),
        "jvp": lambda f: jvp(f, (x,), (x,))[1],
        "vjp": lambda f: vjp(f, x)[1](f(x))[0],
        "vmap": lambda f: vmap(f)(xp.stack([x, x])),
    }
    for transform in transforms.values():
        followed = likewise.library(x) == "numpy" and name != "dtype"
        if followed or likewise.library(x) in ("torch", "jax"):  # which see every function
            found, expected = to_numpy(transform(fun)), to_numpy(transform(good))
            np.testing.assert_allclose(found, expected, rtol=1e-5)
        else:
            pattern = r"line .*test_escapes.py.*likewise.array_namespace\(x\)"
            with pytest.raises(TransformError, match=pattern):
                transform(fun)


def test_an_error_of_the_users_in_a_library_is_left() -> None:
    def key(a: Any) -> Any:
        raise TypeError("of the user")

    with pytest.raises(TypeError, match="^of the user$") as raised:
        grad(lambda x: np.apply_along_axis(key, 0, X) * x)(X)
    assert type(raised.value) is TypeError


def test_errors_of_a_library_that_are_not_of_its_arguments_are_left() -> None:
    def asserting(x: Any) -> Any:
        np.testing.assert_(x[0] > 5)
        return x[0]

    with pytest.raises(AssertionError) as failed:
        grad(asserting)(X)
    assert not hasattr(failed.value, "__notes__")


@pytest.mark.needs("jax")
def test_wrong_options_of_a_library_are_left() -> None:
    import jax

    with pytest.raises(TypeError, match="not callable") as raised:
        grad(lambda x: jax.tree_util.tree_map(5, x))(X)
    assert type(raised.value) is TypeError


@pytest.mark.needs("array_api_strict")
def test_the_first_line_says_what_where_and_what_to_write() -> None:
    import array_api_strict as strict

    xp = likewise.namespace("strict")

    def loss(x: Any) -> Any:
        return 1 + xp.exp(x)[0]

    first = (
        r"^grad or vjp: xp.exp\(x\) \(line \d+ of .*test_escapes.py, in loss\) can't be followed.*"
        r"Inside the function take xp = likewise.array_namespace\(x\)"
    )
    with pytest.raises(TransformError, match=first):
        grad(loss)(strict.asarray(X))
