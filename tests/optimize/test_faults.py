"""What solvers say of a user's function that is wrong: the same words, whichever the solver."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import likewise
from likewise.errors import (
    ArgumentError,
    ArrayTypeError,
    DerivativeWarning,
    DtypeError,
    MixedDevicesError,
    ShapeError,
)
from likewise.optimize import (
    bracket_minimum,
    bracket_root,
    curve_fit,
    find_minimum,
    find_root,
    fixed_point,
    fmin_l_bfgs_b,
    least_squares,
    minimize,
    minimize_scalar,
    root,
    root_scalar,
)

# On Dask the function is called when the result is computed: see the end.
pytestmark = pytest.mark.xp_skip({"dask": "the function is called when the result is computed"})

# Each solver calls `f(x)` of one problem, `wrong` makes what it returns of what it should return;
# `elementwise` ones get points in one dimension, of which there are two, others get a vector.
Call = Callable[[Any, Callable[[Any], Any]], Any]

ELEMENTWISE: dict[str, tuple[str, Call]] = {
    "find_root": ("f", lambda x, f: find_root(f, (x - 4, x + 4.5))),
    "find_minimum": ("f", lambda x, f: find_minimum(f, (x - 4, x, x + 4.5))),
    "bracket_root": ("f", lambda x, f: bracket_root(f, x)),
    "bracket_minimum": ("f", lambda x, f: bracket_minimum(f, x)),
    "root_scalar": ("f", lambda x, f: root_scalar(f, bracket=(x - 4, x + 4.5))),
    "root_scalar secant": ("f", lambda x, f: root_scalar(f, x0=x, x1=x + 1)),
    "root_scalar newton": ("f", lambda x, f: root_scalar(f, x0=x)),
    "minimize_scalar": ("fun", lambda x, f: minimize_scalar(f, (x, x + 1.0))),
    "bounded": ("fun", lambda x, f: minimize_scalar(f, bounds=(x - 4, x + 4.5))),
    "fixed_point": ("func", lambda x, f: fixed_point(f, x, full_output=True)),
}
VECTORS: dict[str, tuple[str, Call]] = {
    "anderson": ("func", lambda x, f: fixed_point(f, x, method="anderson", full_output=True)),
    "root": ("fun", lambda x, f: root(f, x)),
    "root lm": ("fun", lambda x, f: root(f, x, method="lm")),
    "least_squares": ("fun", lambda x, f: least_squares(f, x)),
    "curve_fit": (
        "f",
        lambda x, f: curve_fit(lambda t, a: f(a + t), x, x, [1.0], full_output=True),
    ),
    "minimize": (
        "fun",
        lambda x, f: minimize(lambda v: _summed(f, v), x),
    ),
}
SOLVERS = ELEMENTWISE | VECTORS


def _summed(f: Callable[[Any], Any], v: Any) -> Any:
    out = f(v)
    if getattr(out, "shape", None) != v.shape:
        return out
    return likewise.array_namespace(out).sum(out * out)


def _points(lib: Any, dtype: Any = None) -> Any:
    return lib.asarray([0.25, 0.5]) if dtype is None else lib.asarray([0.25, 0.5], dtype=dtype)


def _said(name: str, call: Call, x: Any, f: Any, error: type[Exception], label: str) -> str:
    """What is said, without what differs: the solver, its function's name, and the shape."""
    with pytest.raises(error) as caught:
        call(x, f)
    text = str(caught.value)
    function = name.split()[0]
    function = {"bounded": "minimize_scalar", "anderson": "fixed_point"}.get(function, function)
    start = f"{function}: {label} "
    assert text.startswith(start), text
    return re.sub(r"shape \([\d, n]*\)", "shape", text[len(start) :])


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_wrong_shape(lib: Any, solver: str) -> None:
    label, call = SOLVERS[solver]

    def wrong(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.stack([x, x, x])[:, None, ...] + xp.zeros_like(x)

    text = _said(solver, call, _points(lib), wrong, ShapeError, label)
    assert re.match(r"must return an? .* array of .*float\d\d, shape.*, got a .* of .*float", text)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_wrong_dtype(lib: Any, solver: str) -> None:
    label, call = SOLVERS[solver]

    def wrong(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.astype(x, xp.int32)

    text = _said(solver, call, _points(lib), wrong, DtypeError, label)
    assert re.match(
        r"must return an? .* array of .*float.*, shape.*, got a .* of .*int\d\d, ", text
    )
    assert "Is there an array constant of another dtype" in text


@pytest.mark.parametrize("solver", SOLVERS)
def test_complex_numbers_of_real_ones(lib: Any, solver: str) -> None:
    label, call = SOLVERS[solver]

    def wrong(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.astype(x, xp.complex64 if x.dtype == xp.float32 else xp.complex128)

    text = _said(solver, call, _points(lib), wrong, DtypeError, label)
    assert re.match(r"must return an? .* array of .*float.*, shape.*, got a .* of .*complex", text)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_wrong_library(solver: str) -> None:
    label, call = SOLVERS[solver]
    text = _said(
        solver,
        call,
        np.asarray([0.25, 0.5]),
        lambda x: strict.ones(tuple(x.shape)),
        ArrayTypeError,
        label,
    )
    assert text.startswith(
        "must return a numpy array of float64, shape, on cpu, got a strict array of "
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_wrong_device(solver: str) -> None:
    label, call = SOLVERS[solver]
    elsewhere = strict.Device("device1")
    x = strict.asarray([0.25, 0.5])

    def wrong(x: Any) -> Any:
        return strict.ones(tuple(x.shape), dtype=strict.float64, device=elsewhere)

    text = _said(solver, call, x, wrong, MixedDevicesError, label)
    assert re.match("must return .*, shape, on .*CPU_DEVICE.*, got .*device1", text)


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_array(lib: Any, solver: str) -> None:
    label, call = SOLVERS[solver]
    text = _said(solver, call, _points(lib), lambda x: "none", ArrayTypeError, label)
    assert re.match("must return .* array of .*float.*, got str 'none'", text)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_error_of_the_functions_own(lib: Any, solver: str) -> None:
    label, call = SOLVERS[solver]

    def broken(x: Any) -> Any:
        raise KeyError("of mine")

    with pytest.raises(KeyError, match="of mine") as caught:
        call(_points(lib), broken)
    notes = " ".join(getattr(caught.value, "__notes__", []))
    assert re.search(rf": {label} raised this, called with a .* array of .*float", notes)


@pytest.mark.parametrize("solver", SOLVERS)
def test_not_a_number_at_the_start(lib: Any, solver: str) -> None:
    """A status, of no success, and no error."""
    _, call = SOLVERS[solver]

    def lost(x: Any) -> Any:
        return x * likewise.array_namespace(x).nan

    found = call(_points(lib), lost)
    success = found.success if isinstance(found.success, bool) else lib.to_numpy(found.success)
    assert not np.any(success)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.share(2)
@pytest.mark.long("strict-minimal", "dask")
def test_a_function_that_writes_to_its_input(lib: Any, solver: str) -> None:
    """It may, where arrays can be written to; where not, an error says what to write instead."""
    _, call = SOLVERS[solver]
    x = _points(lib)
    before = np.array(lib.to_numpy(x))

    def pure(x: Any) -> Any:
        return 0.5 * x - 0.25

    def writing(x: Any) -> Any:
        out = pure(x)
        if getattr(x, "ndim", 0):
            x[...] = 7.0
        return out

    expected = call(x, pure)
    try:
        found = call(x, writing)
    except ArgumentError as error:
        assert "writes to an array that can't be written to" in str(error)
        assert "missing.at(x)[i].set(v)" in str(error)
    else:
        np.testing.assert_array_equal(lib.to_numpy(_answer(found)), lib.to_numpy(_answer(expected)))
    np.testing.assert_array_equal(lib.to_numpy(x), before)


def _answer(result: Any) -> Any:
    for name in ("x", "root", "popt", "bracket"):
        if name in result:
            found = result[name]
            return found[0] if isinstance(found, tuple) else found
    raise AssertionError(result)


# -- Dask, whose blocks are NumPy's arrays ---------------------------------------------------------


BLOCKS: dict[str, tuple[str, Call]] = {
    "find_root": ("find_root: f", lambda x, f: find_root(f, (x - 4, x + 4.5)).x),
    "minimize_scalar": ("minimize_scalar: fun", lambda x, f: minimize_scalar(f, (x, x + 1.0)).x),
    "curve_fit": (
        "curve_fit: f",
        lambda x, f: curve_fit(lambda t, a: f(a + t), x, x[None], [1.0], full_output=True).popt,
    ),
}


@pytest.mark.needs("dask")
@pytest.mark.parametrize("solver", BLOCKS)
def test_faults_are_told_before_blocks_are_computed(solver: str) -> None:
    """In the same words, of one of NumPy's arrays of no problems."""
    import dask.array as da

    name, call = BLOCKS[solver]
    x = da.from_array(np.asarray([1.0, 2.0, 3.0]), chunks=3)
    with pytest.raises(ShapeError, match=f"{name} must return a numpy array of float64, .*got"):
        call(x, lambda v: np.stack([v, v], axis=-1))
    with pytest.raises(DtypeError, match=f"{name} must return .*got a numpy array of float32"):
        call(x, lambda v: np.asarray(v, np.float32))

    def raises(v: Any) -> Any:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        call(x, raises)
    assert caught.value.__notes__[0].startswith(f"{name} raised this, called with a numpy array")


ARGUMENTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "find_root": lambda x, f, c: find_root(f, (x - 4, x + 4.5), args=(c,)),
    "find_minimum": lambda x, f, c: find_minimum(f, (x - 4, x, x + 4.5), args=(c,)),
    "bracket_root": lambda x, f, c: bracket_root(f, x, args=(c,)),
    "bracket_minimum": lambda x, f, c: bracket_minimum(f, x, args=(c,)),
    "root_scalar": lambda x, f, c: root_scalar(f, bracket=(x - 4, x + 4.5), args=(c,)),
    "minimize_scalar": lambda x, f, c: minimize_scalar(f, (x, x + 1.0), args=(c,)),
    "fixed_point": lambda x, f, c: fixed_point(f, x, args=(c,), full_output=True),
    "anderson": lambda x, f, c: fixed_point(f, x, (c,), method="anderson", full_output=True),
    "root": lambda x, f, c: root(f, x, (c,)),
    "least_squares": lambda x, f, c: least_squares(f, x, args=(c,)),
    "least_squares by name": lambda x, f, c: least_squares(f, x, kwargs={"c": c}),
    "minimize": lambda x, f, c: minimize(lambda v, c: _summed(lambda w: f(w, c), v), x, (c,)),
    "minimize of one alone": lambda x, f, c: minimize(
        lambda v, c: _summed(lambda w: f(w, c), v), x, c
    ),
}


@pytest.mark.parametrize(
    ("solver", "kind"),
    [*((s, "float") for s in ARGUMENTS), *((s, "bool") for s in ("root", "minimize"))],
)
def test_a_function_that_writes_to_its_arguments(lib: Any, solver: str, kind: str) -> None:
    """The caller's array stays as it is, or an error says what to write instead."""
    x = _points(lib)
    c = lib.asarray([0.25, 0.25] if kind == "float" else [True, True])
    before = np.array(lib.to_numpy(c))

    def writing(x: Any, c: Any) -> Any:
        xp = likewise.array_namespace(x)
        out = x - (c if kind == "float" else xp.where(c, 0.25, 0.0 * x))
        c[...] = 0.0 if kind == "float" else False
        return out

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DerivativeWarning)
            ARGUMENTS[solver](x, writing, c)
    except ArgumentError as error:
        assert "writes to an array that can't be written to" in str(error)
    except likewise.errors.TransformError as error:  # where it is followed, before it is called
        assert "missing.at" in str(error)
    np.testing.assert_array_equal(lib.to_numpy(c), before)
    assert lib.to_numpy(c).dtype == before.dtype


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "solver", ["fmin_l_bfgs_b", "minimize", "least_squares", "root", "differences"]
)
def test_arguments_are_room_to_work_in(solver: str, read_only: bool) -> None:
    """A function may write to arrays of `args`: to copies, which are what was given in each call."""
    room = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    room.flags.writeable = not read_only
    before = room.copy()

    def wanting(x: Any, c: Any) -> Any:
        assert c.flags.f_contiguous and c[2, 1] == 5.0
        c[2, :] = x
        return 0.5 * x - c[2, 0] + 0.25  # 0 at 0.5

    def summed(x: Any, c: Any) -> Any:
        return np.sum(wanting(x, c) ** 2)

    x = np.asarray([2.0])
    calls: dict[str, Callable[[], Any]] = {
        "fmin_l_bfgs_b": lambda: fmin_l_bfgs_b(summed, x, args=(room,), approx_grad=True)[0],
        "minimize": lambda: minimize(summed, x, (room,)).x,
        "least_squares": lambda: least_squares(wanting, x, args=(room,)).x,
        "root": lambda: root(wanting, x, (room,)).x,
        "differences": lambda: root(wanting, x, (room,), jac="2-point").x,
    }
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = calls[solver]()
    assert {w.category for w in told} == (set() if solver == "differences" else {DerivativeWarning})
    np.testing.assert_allclose(found, 0.5, rtol=1e-6)
    np.testing.assert_array_equal(room, before)
