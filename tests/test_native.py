"""Rows of native routines: parity with the generic body, choice, explanation, and their cost."""

import contextlib
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import likewise
import likewise.optimize
import likewise.signal
from likewise import _native
from likewise._namespace import load
from likewise._native import PROVIDERS, ROWS, Row, native
from likewise._rooms import furnish
from likewise.errors import ArgumentError, NativeUnavailable, NotSupported, ShapeError
from likewise.optimize import minimize
from likewise.signal import convolve, fftconvolve

from .cases_rows import CASES, DTYPES, SEEN, arguments, key

furnish(likewise)
OWN = [r for r in ROWS if r.generic.__module__.startswith("likewise.") and r.routines]


def row_with_case(row: Any, library: str) -> Any:
    """A line of the table of parity. A row without a case ends the collection, and so the suite."""
    if key(row) not in CASES and next(arguments(row)("float64"), None) is None:
        raise LookupError(
            f"the row {key(row)} of {', '.join(row.routines)} has no case: enter one in "
            "tests/cases_rows.py, or take the row away"
        )
    compiles = [pytest.mark.full] if library == "jax" else []  # each step
    marks = [pytest.mark.needs(library, row.provider(library)), *compiles]
    return pytest.param(row, library, id=f"{key(row)}-{library}", marks=marks)


PARITY = [row_with_case(row, library) for row in OWN for library in row.routines]


def test_a_row_without_a_case_ends_the_collection() -> None:
    row = Row(np.sum, {"numpy": "numpy:sum"}, lambda *args: True)
    with pytest.raises(LookupError, match=r"the row numpy:sum of numpy has no case: enter one in"):
        row_with_case(row, "numpy")


def test_no_case_is_left_of_a_row_that_went() -> None:
    assert set(CASES) <= {key(row) for row in OWN}


def parts(out: Any) -> list[Any]:
    return [p for part in out for p in parts(part)] if isinstance(out, tuple) else [out]


# Bodies that loop until values say so, as Dask's arrays can't: there NumPy's are the reference.
LOOPING = ("ndimage._measuring._labels:label",)
# What only a routine does: the body says so.
ALONE = {
    "interpolate._points._triangles:delaunay": "install it",
    "optimize._programmes._milp:solved": "to_numpy",
}


@pytest.mark.filterwarnings("ignore::likewise.errors.RechunkWarning")
@pytest.mark.parametrize(("row", "library"), PARITY)
def test_parity(row: Any, library: str) -> None:
    """Value, dtype, shape and device of the routine are those of the generic body."""
    ran = 0

    def made(a: Any) -> Any:
        if isinstance(a, tuple):
            return a._make(map(made, a)) if hasattr(a, "_make") else tuple(map(made, a))
        if isinstance(a, np.dtype):
            return getattr(likewise.namespace(library), a.name)
        return likewise.asarray(a, namespace=library) if isinstance(a, np.ndarray) else a

    # JAX compiles: there single precision is for routines that serve no other. Dask makes graphs.
    few = {"jax": ("float64", "int64", "float32"), "dask": ("float64", "complex64", "int64")}
    dtypes = few.get(library, DTYPES)
    for dtype, x64 in ((d, d in ("float64", "complex128", "int64")) for d in dtypes):
        if library == "jax" and dtype == "float32" and ran:
            break
        switch = load(library).variant(True) if library == "jax" else contextlib.nullcontext()
        with switch, np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's own, of nothing but NaN
            for args in arguments(row)(dtype):
                given = tuple(map(made, args))
                found = row.named[row.find(given[0])]
                if found == "finufft is not installed":
                    return  # what the tests don't bring: there is nothing to compare
                when, routine = found
                got = routine(*given) if when(*given) else NotImplemented
                if got is NotImplemented:
                    continue
                ran += 1
                if key(row) in ALONE:
                    with pytest.raises(NotSupported, match=ALONE[key(row)]):
                        row.generic(*given)
                    continue
                lazy = library == "dask" and key(row) in LOOPING
                expected = row.generic(*(args if lazy else given))
                if key(row) in SEEN:
                    got, expected = (tuple(SEEN[key(row)](given, y)) for y in (got, expected))
                for a, b in zip(parts(got), parts(expected), strict=True):
                    same(a, b, 1e-11 if x64 else 2e-4)
    assert ran


def same(got: Any, expected: Any, tol: float) -> None:
    if expected is None or isinstance(expected, bool):
        assert got == expected
        return
    if not hasattr(expected, "dtype"):  # a status; what else a step keeps isn't a result
        assert not isinstance(expected, int) or got == expected
        return
    assert got.dtype == expected.dtype and tuple(got.shape) == tuple(expected.shape)
    assert likewise.device(got) == likewise.device(expected)
    a, b = likewise.to_numpy(got), likewise.to_numpy(expected)
    np.testing.assert_allclose(a, b, rtol=tol, atol=tol)


@pytest.mark.needs("torch")
def test_parity_of_nan_and_infinity() -> None:
    row = convolve_row()
    x, h = np.asarray([1.0, np.nan, 2.0, np.inf, 0.0]), np.asarray([1.0, -1.0, 2.0])
    for library in ("numpy", "torch"):
        a, b = (likewise.asarray(v, namespace=library) for v in (x, h))
        _, routine = row.named[row.find(a)]
        with np.errstate(invalid="ignore"):
            got = likewise.to_numpy(routine(a, b, "full", "direct"))
            expected = likewise.to_numpy(row.generic(a, b, "full", "direct"))
        np.testing.assert_array_equal(got, expected)


def convolve_row() -> Any:
    return next(row for row in ROWS if key(row) == "signal._convolving._convolution:convolve")


@pytest.fixture
def scratch() -> Iterator[None]:
    """Rows made in a test are forgotten after it."""
    before = len(ROWS)
    yield
    del ROWS[before:]


@pytest.mark.needs("torch")
def test_torch_row_sees_the_same_memory() -> None:
    import torch

    row = convolve_row()
    x = torch.ones(4, dtype=torch.float64)
    when, _ = row.named[row.find(x)]
    assert when(x, x, "full", "direct")
    assert not when(x.clone().requires_grad_(), x, "full", "direct")
    assert not when(x, (1j * x).conj(), "full", "direct")
    assert not when(torch.ones((9, 9)), torch.ones((9, 9)), "full", "direct")
    seen = []

    def routine(a: Any, b: Any) -> Any:
        seen.append(a)
        return a + b

    load("torch").through_numpy(routine)(x, x)
    assert seen[0].ctypes.data == x.data_ptr()
    torch.func.vmap(lambda a: convolve(a, x, method="direct"))(torch.ones((2, 4)).double())


def test_explain_names_routine_and_reasons() -> None:
    x = np.ones(9)
    told = likewise.explain(convolve, x, x, method="direct")
    assert (told.function, told.library, told.routine) == (
        "convolve",
        "numpy",
        "scipy.signal:convolve",
    )
    assert told.reasons == {"generic": "it comes later in the order"}
    assert "scipy.signal:convolve would run" in str(told)
    told = likewise.explain(convolve, np.ones((9, 9)), np.ones((9, 9)), method="direct")
    assert told.routine == "generic" and "one dimension" in told.reasons["scipy.signal:convolve"]
    told = likewise.explain(fftconvolve, x, x)
    assert told.routine == "generic" and "no routine for this library" in str(told)
    told = likewise.explain(convolve, in1=np.ones(9000), in2=np.ones(9000))
    assert (told.function, told.step, told.library) == ("convolve", "convolve_finite", "numpy")
    told = likewise.explain(likewise.optimize.linear_sum_assignment, np.eye(3))
    assert told.library == "numpy" and told.step  # the first row that it comes to
    told = likewise.explain(likewise.random.key, 1)
    assert told.routine == "generic" and "no rows" in str(told)


def test_explain_checks_as_a_call_does() -> None:
    with pytest.raises(ShapeError, match="convolve: in1 and in2"):
        likewise.explain(convolve, np.ones((3, 3)), np.ones(3))


def test_prefer_chooses_nests_and_restores() -> None:
    x = np.ones(9)

    def ran(**options: Any) -> str:
        with likewise.trace_native() as log:
            convolve(x, x, method="direct", **options)
        return log[0].routine

    assert ran() == "scipy.signal:convolve"
    with likewise.prefer("generic"):
        assert ran() == "generic"
        with likewise.prefer(["cupyx", "scipy", "generic"]):
            assert ran() == "scipy.signal:convolve"
        assert ran() == "generic"
        with pytest.raises(KeyError), likewise.prefer("scipy"):
            raise KeyError
        assert ran() == "generic"
    with likewise.prefer("cupyx"):  # of no use here: the usual choice
        assert ran() == "scipy.signal:convolve"
    assert ran() == "scipy.signal:convolve"
    assert _native.LIVE == 0


def test_force() -> None:
    x = np.ones((9, 9))
    with likewise.prefer(force="scipy"):
        convolve(x[0], x[0], method="direct")
        with pytest.raises(
            NativeUnavailable, match=r"^convolve: 'scipy' was forced.*one dimension"
        ):
            convolve(x, x, method="direct")
        with pytest.raises(NativeUnavailable, match="^minimize: 'scipy' was forced"):
            minimize(lambda x: np.sum(x * x), x[0], method="CG")
    with (
        likewise.prefer(force="cupyx"),
        pytest.raises(NativeUnavailable, match="'cupyx' was forced"),
    ):
        convolve(x[0], x[0], method="direct")
    with likewise.prefer(force="scipy"), pytest.raises(NativeUnavailable, match="no routine"):
        fftconvolve(x[0], x[0])


def test_prefer_refuses_nonsense() -> None:
    for options in ({"order": [1]}, {"order": 1}, {"force": 3}):
        with pytest.raises(ArgumentError, match="package names"), likewise.prefer(**options):  # type: ignore[arg-type]
            pass


def test_prefer_knows_the_packages_of_rows() -> None:
    known = "known are 'cupy', 'cupyx', .*'generic', .*'torch'"  # and those of examples
    for options in ({"order": "numpyy"}, {"order": ["scipy", "numpyy"]}, {"force": "numpyy"}):
        with pytest.raises(ArgumentError, match=f"package 'numpyy'; {known}"):
            with likewise.prefer(**options):
                pass
    for row in OWN:
        names = tuple({row.provider(library) for library in row.routines})
        with likewise.prefer(names), likewise.prefer(force="generic"):
            assert PROVIDERS.issuperset(names)


def test_a_row_of_another_package_can_be_preferred(monkeypatch: Any) -> None:
    row = Row(np.sin, {"numpy": "elsewhere.numbers:sin"}, lambda x: True)
    with pytest.raises(ArgumentError, match="elsewhere"), likewise.prefer("elsewhere"):
        pass
    monkeypatch.setattr("likewise._native.ROWS", [row])
    with likewise.prefer("elsewhere"):
        pass


def test_prefer_is_local_to_the_thread() -> None:
    x = np.ones(9)
    found = []

    def other() -> None:
        with likewise.trace_native() as log:
            convolve(x, x, method="direct")
        found.append(log[0].routine)

    with likewise.prefer("generic"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert found == ["scipy.signal:convolve"]


def test_generic_attribute_checks_and_takes_the_generic_body() -> None:
    x = np.ones(9)
    with likewise.trace_native() as log:
        y = convolve.generic(x, x, method="direct")  # type: ignore[attr-defined]
    assert log[0].routine == "generic"
    np.testing.assert_array_equal(y, convolve(x, x, method="direct"))
    with pytest.raises(ShapeError, match="convolve: in1 and in2"):
        convolve.generic(np.ones((2, 2)), x)  # type: ignore[attr-defined]


# No routine could stand in for them: they tell of sizes, of a window or of a choice.
TELLING = {"check_COLA", "check_NOLA", "choose_conv_method", "correlation_lags", "show_options"}


def test_every_public_function_of_an_algorithm_has_generic() -> None:
    for room in (likewise.signal, likewise.optimize):
        for name in room.__all__:
            func = getattr(room, name)
            if not isinstance(func, type) and name not in TELLING:
                assert callable(func.generic), name


def test_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "likewise.native"), likewise.trace_native():
        convolve(np.ones(9), np.ones(9), method="direct")
    assert "convolve on numpy: scipy.signal:convolve" in caplog.text


class _NoSciPy:
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "scipy":
            raise ModuleNotFoundError("No module named 'scipy'", name="scipy")


def test_same_error_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> tuple[type, str]:
        with pytest.raises(ShapeError) as caught:
            convolve(np.ones((2, 3)), np.ones((4, 3)), axes=-1, method="direct")
        return type(caught.value), str(caught.value)

    row = convolve_row()
    with_scipy = told()
    monkeypatch.setattr(row, "found", {})
    monkeypatch.setattr(row, "named", {})
    convolve.memo.clear()  # type: ignore[attr-defined]
    for name in [n for n in sys.modules if n.partition(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_NoSciPy(), *sys.meta_path])
    assert told() == with_scipy
    told_why = likewise.explain(convolve, np.ones(9), np.ones(9), method="direct")
    assert told_why.reasons == {"scipy.signal:convolve": "scipy is not installed"}
    np.testing.assert_allclose(convolve(np.ones(9), np.ones(9), method="direct")[:2], [1, 2])


def test_a_broken_package_is_not_taken_for_a_missing_one(scratch: None) -> None:
    @native(numpy="likewise.no_such_module:f")
    def _scratch(x: Any) -> Any:
        return x

    @native(numpy="likewise.signal:no_such_function")
    def _other(x: Any) -> Any:
        return x

    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        _scratch(np.ones(3))
    with pytest.raises(AttributeError, match="no_such_function"):
        _other(np.ones(3))


@pytest.mark.needs("jax")
def test_jit_then_prefer_on_jax(scratch: None) -> None:
    """What was compiled under one preference is not reused under another."""
    import jax
    import jax.numpy as jnp

    @native(jax="jax.numpy:negative")
    def _scratch(x: Any) -> Any:
        return x + 1

    run = jax.jit(lambda x: _scratch(x))
    x = jnp.ones(2)
    assert run(x)[0] == -1
    with likewise.prefer("generic"):
        assert run(x)[0] == 2
    assert run(x)[0] == -1


@pytest.mark.needs("torch")
def test_jit_then_prefer_on_torch(scratch: None) -> None:
    import torch

    @native(torch="torch:neg")
    def _scratch(x: Any) -> Any:
        return x + 1

    run = torch.compile(lambda x: _scratch(x), fullgraph=True, backend="eager")
    x = torch.ones(2)
    assert run(x)[0] == -1
    for _ in range(3):
        with likewise.prefer("generic"):
            assert run(x)[0] == 2
        with likewise.prefer("torch"):
            assert run(x)[0] == -1
    assert run(x)[0] == -1


@pytest.mark.needs("torch")
def test_torch_row_stands_back_where_somebody_watches() -> None:
    import torch
    from torch.autograd import forward_ad
    from torch.fx.experimental.proxy_tensor import make_fx

    x, h = torch.arange(4.0), torch.ones(2)
    with forward_ad.dual_level():
        out = convolve(forward_ad.make_dual(x, torch.ones(4)), h, method="direct")
        tangent = forward_ad.unpack_dual(out).tangent
    assert tangent.tolist() == [1.0, 2.0, 2.0, 2.0, 1.0]
    graph = make_fx(lambda x: convolve(x, h, method="direct"))(x)
    assert graph(2 * x).tolist() == [0.0, 2.0, 6.0, 10.0, 6.0]


@pytest.mark.needs("torch")
def test_trace_of_compiled_code() -> None:
    import torch

    run = torch.compile(lambda x: fftconvolve(x, x), fullgraph=True, backend="eager")
    with likewise.trace_native() as log:
        run(torch.ones(5))
    assert [ran.function for ran in log] == ["fftconvolve"]


def test_outer_trace_sees_what_the_inner_one_does() -> None:
    x = np.ones(9)
    with likewise.trace_native() as outer:
        fftconvolve(x, x)
        with likewise.trace_native() as inner:
            convolve(x, x, axes=-1, method="direct")
    assert [ran.function for ran in outer] == ["fftconvolve", "convolve"]
    assert inner == outer[1:]


def test_a_row_adds_few_calls(scratch: None) -> None:
    """Three functions of ours beside `when` and the body; ci/bench --only overheads measures."""

    def body(x: Any) -> None:
        return None

    row = native(numpy="scipy.signal:convolve", when=lambda x: False)(body)
    x = np.ones(3)
    row(x)
    frames: list[str] = []

    def note(frame: Any, event: str, arg: Any) -> None:
        if event == "call":
            frames.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        row(x)
    finally:
        sys.setprofile(None)
    assert frames[-2:] == ["<lambda>", "body"] and len(frames) <= 5, frames


@pytest.mark.needs("scipy")
def test_adapters_of_scipy_are_scipys() -> None:
    a, b = np.eye(3), np.arange(3.0)
    with likewise.prefer(force="scipy"):
        x, _ = likewise.optimize.nnls(a, b)
        assert likewise.explain(likewise.optimize.nnls, a, b).routine.endswith("_nonnegative:nnls")
    np.testing.assert_allclose(x, b)
    with likewise.prefer(force="likewise"), pytest.raises(NativeUnavailable):
        likewise.optimize.nnls(a, b)
