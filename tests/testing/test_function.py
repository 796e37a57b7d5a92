"""check_function finds what is planted, on the library where it is, and passes what is right."""

import functools
import math
from typing import Any, Literal

import numpy as np
import pytest

import likewise
from likewise import array_namespace, linalg, missing
from likewise.errors import ArgumentError
from likewise.missing import at
from likewise.testing import Cell, check_function, variants
from likewise.testing._options import choices
from likewise.transforms import while_loop

X = np.linspace(0.2, 2.0, 6)
HERE = {v.library for v in variants() if v.why_not() is None and not v.gpu}


def softplus(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.logaddexp(x, xp.zeros_like(x))


def reference(x: Any) -> Any:
    return np.log1p(np.exp(x))


def failing(func: Any, *args: Any, **options: Any) -> dict[tuple[str, str], str]:
    """The cells that failed, with their reasons."""
    with pytest.raises(AssertionError, match=r"checks failed") as caught:
        check_function(func, *args, **options)
    lines = [line.strip() for line in str(caught.value).splitlines()[1:]]
    heads = [line.partition(": ") for line in lines]
    return {tuple(head.split(", ")): text for head, _, text in heads}  # type: ignore[misc]


def test_right() -> None:
    record = check_function(softplus, X, reference=reference)
    assert set(record.cells) >= HERE
    signs = {
        library: {c: str(cell) for c, cell in row.items()} for library, row in record.cells.items()
    }
    for library in HERE:
        assert signs[library]["eager"] == signs[library]["float32"] == "yes"
    for library in HERE & {"jax", "torch"}:
        assert {signs[library][c] for c in ("jit", "grad", "vmap")} == {"yes"}
    assert signs["strict"]["device"] == "yes"
    assert "grad" not in signs["numpy"]
    assert record.function.endswith("test_function.softplus")
    assert "eager" in str(record) and "numpy" in str(record)
    assert record.values == "a function of the test"
    for library in HERE - {"jax", "dask"}:  # they have views
        cell = record.cells[library]["strided"]
        assert cell.status == "yes" and cell.error is not None and cell.tolerance is not None
        assert cell.error <= cell.tolerance < 1e-10
    assert record.failures() == []


def test_structures_and_options() -> None:
    def moments(data: Any, *, weights: Any, powers: tuple[int, ...]) -> dict[str, Any]:
        xp = array_namespace(data["x"])
        w = weights / xp.sum(weights)
        return {f"m{p}": xp.sum(w * data["x"] ** p) for p in powers} | {"kind": "moments"}

    record = check_function(
        moments,
        {"x": X, "unit": "m"},
        kwargs={"weights": X + 1, "powers": (1, 2)},
        reference=lambda data, *, weights, powers: {
            f"m{p}": np.average(data["x"] ** p, weights=weights) for p in powers
        },
        name="moments",
    )
    assert record.function == "moments"


def test_given_values_and_integers() -> None:
    def square(x: Any) -> Any:
        return array_namespace(x).multiply(x, x)

    check_function(square, np.asarray([1, 2, 3]), reference=np.asarray([1, 4, 9]))
    found = failing(square, np.asarray([1, 2, 3]), reference=np.asarray([1, 4, 8]))
    assert {(library, "eager") for library in HERE} == set(found)


# -- planted ---------------------------------------------------------------------------------------


def test_wrong_values() -> None:
    found = failing(lambda x: softplus(x) * (1 + 1e-9), X, reference=reference)
    assert set(found) == {(library, "eager") for library in HERE}
    assert "against the reference: values: 6 of 6 differ" in found["numpy", "eager"]


def test_numpy_escape() -> None:
    """On JAX, the eager call sees nothing of an ufunc; the traced one does."""

    def escape(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.asarray(np.exp(x) if likewise.library(x) == "jax" else np.exp(np.asarray(x)))

    found = failing(escape, X, reference=np.exp, libraries=["numpy", "torch", "jax", "strict"])
    assert "host copy of a whole array: numpy.asarray of a torch" in found["torch", "eager"]
    assert "test_function.py" in found["torch", "eager"]
    assert "TracerArrayConversionError" in found["jax", "jit"]
    assert ("numpy", "eager") not in found


def test_numpy_escape_where_values_are_needed() -> None:
    """Where jax.jit is declared not to work, inputs that refuse show it."""

    def loop(x: Any, escape: bool) -> Any:
        xp = array_namespace(x)
        while float(xp.max(x)) > 1:
            x = xp.asarray(np.multiply(x, 0.5)) if escape else x * 0.5
        return x

    options = {
        "reference": X / 4,
        "libraries": ["jax"],
        "jit": "a loop that looks at values",
        "grad": False,
        "vmap": False,
        "scalars": 1,
        "per": "iteration",
    }
    check_function(lambda x: loop(x, False), X * 2, **options | {"reference": X / 2})
    found = failing(lambda x: loop(x, True), X * 2, **options | {"reference": X / 2})
    assert set(found) == {("jax", "eager")}
    assert "host copy of a whole array" in found["jax", "eager"]


def test_undeclared_reads() -> None:
    def read(x: Any) -> Any:
        return x * float(x[0])

    found = failing(read, X, reference=lambda x: x * x[0], libraries=["torch", "strict"])
    assert "1 reads of single values, 0 declared" in found["torch", "eager"]
    assert ("strict", "eager") in found


def test_reads_of_likewise_are_not_the_users() -> None:
    """Rows of special functions, the solver and the search look at values, which says so there."""
    x = np.linspace(-3.0, 3.0, 300)
    options: Any = {"jit": False, "compile": False, "grad": False, "vmap": False}

    def complement(x: Any) -> Any:
        return likewise.special.erfc(x)

    def rate(y: Any) -> Any:
        t = array_namespace(y).arange(30, dtype=y.dtype, device=likewise.device(y))
        model = lambda t, a: array_namespace(t, a).exp(-a * t)  # noqa: E731
        return likewise.optimize.curve_fit(model, t, y, p0=[1.0])[0]

    def looking(x: Any) -> Any:
        return complement(x) if bool(array_namespace(x).all(x > -9)) else x

    check_function(complement, x, reference=lambda x: np.vectorize(math.erfc)(x), **options)
    quick = sorted(HERE - {"jax"})  # which compiles each step of the solver
    y = np.exp(-0.5 * np.arange(30))
    check_function(rate, y, reference=lambda y: [0.5], libraries=quick, **options)
    assert ("strict", "eager") in failing(looking, x, **options)
    with pytest.raises(AssertionError, match="1 reads of single values, 0 declared"):
        check_function(looking, x, libraries=["strict"], **options)


def test_wrong_library() -> None:
    found = failing(lambda x: np.ones(3), X)
    assert "library: a numpy.ndarray came out" in found["strict", "eager"]
    assert ("numpy", "eager") not in found


def test_wrong_device() -> None:
    def elsewhere(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.ones(x.shape, dtype=x.dtype)

    found = failing(elsewhere, X, libraries=["strict"])
    assert "device: " in found["strict", "eager"] and "device1" in found["strict", "eager"]


def test_dtype_leak() -> None:
    def leak(x: Any) -> Any:
        xp = array_namespace(x)
        return x * xp.ones(1, dtype=xp.float64, device=likewise.device(x))

    found = failing(leak, X, reference=X, libraries=["numpy", "strict", "torch"])
    assert set(found) == {(n, "float32") for n in ("numpy", "strict", "torch") if n in HERE}
    assert "float64 came out of float32" in found["numpy", "float32"]


def test_inputs_written_to() -> None:
    def write(x: Any) -> Any:
        x[0] = 0
        return x + 1

    found = failing(write, X, libraries=["numpy", "strict", "torch", "dask"])
    assert "read-only" in found["numpy", "eager"]
    assert "an input was written to" in found["strict", "eager"]
    assert "an input was written to" in found["torch", "eager"]


def test_what_only_strict_minimal_lacks() -> None:
    def positive(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.sum(x[x > 1])

    found = failing(positive, X, reference=np.sum(X[X > 1]), libraries=["numpy", "strict"])
    assert set(found) == {("strict", "eager")}
    assert "strict-minimal" in found["strict", "eager"]
    reason = {"strict-minimal": "boolean indexing"}
    record = check_function(
        positive, X, reference=np.sum(X[X > 1]), libraries=["numpy", "strict"], eager=reason
    )
    assert record.cells["strict"]["eager"].status == "no"


def test_dask_that_computes() -> None:
    found = failing(lambda x: x / x.max().compute(), X, libraries=["dask"])
    assert "compute of a dask array" in found["dask", "eager"] or "single" in found["dask", "eager"]


@pytest.mark.needs("torch", "jax")
def test_wrong_gradient() -> None:
    import jax
    import torch

    def stopped(x: Any) -> Any:
        stop = x.detach() if likewise.library(x) == "torch" else jax.lax.stop_gradient(x)
        return x * stop

    del torch
    found = failing(stopped, X, reference=X**2, libraries=["torch", "jax"])
    assert set(found) == {("torch", "grad"), ("jax", "grad")}


@pytest.mark.needs("torch", "jax")
def test_wrong_under_vmap_and_in_a_batch() -> None:
    def scaled(x: Any) -> Any:
        xp = array_namespace(x)
        return x / xp.max(x)  # over the batch as well

    check_function(scaled, X, reference=X / X.max(), grad=False, libraries=["torch", "jax"])
    found = failing(scaled, X, reference=X / X.max(), grad=False, batch=True, libraries=["torch"])
    assert "a loop over the batch" in found["torch", "batch"]

    def flat(x: Any) -> Any:  # looks at how many it gets
        return x * (1 if likewise.is_lazy(x) else 2)

    found = failing(flat, X, grad=False, jit=False, compile=False, libraries=["torch", "jax"])
    assert "against a loop" in found["torch", "vmap"] and "against a loop" in found["jax", "vmap"]


@pytest.mark.needs("torch")
def test_the_problems_of_a_batch_are_near_the_given_one() -> None:
    """So that what the function is defined for, they are within too."""
    seen = []

    def f(x: Any) -> Any:
        seen.append(x)
        return x * 2

    check_function(f, X, reference=2 * X, grad=False, batch=True, libraries=["torch", "strict"])
    values = [likewise.to_numpy(x) for x in seen if x.shape == X.shape and not likewise.is_lazy(x)]
    assert len(values) > 6
    assert any(np.max(np.abs(x / X - 1)) > 1e-3 for x in values)
    assert all(np.max(np.abs(x / X - 1)) < 0.1 for x in values)


@pytest.mark.needs("torch", "jax")
def test_not_for_tracing() -> None:
    def branch(x: Any) -> Any:
        xp = array_namespace(x)
        return x if bool(xp.all(x > 0)) else -x

    options: dict[str, Any] = {"scalars": 1, "grad": False, "vmap": False, "reference": X}
    found = failing(branch, X, libraries=["torch", "jax"], **options)
    assert set(found) == {("torch", "jit"), ("jax", "jit")}
    record = check_function(
        branch, X, libraries=["torch", "jax"], jit="a branch", compile="a branch", **options
    )
    assert [record.cells[n]["jit"].status for n in ("torch", "jax")] == ["no", "no"]
    assert record.cells["jax"]["jit"].reason == "a branch"


def test_declared_not_to_work_but_does() -> None:
    found = failing(softplus, X, eager={"numpy": "just so"}, libraries=["numpy", "strict"])
    assert found == {("numpy", "eager"): "declared not to work (just so), but it does"}


def test_loops_of_likewise() -> None:
    """A loop on values: traced by JAX, a look a step elsewhere, not for torch.compile or Dask."""

    def halve(x: Any) -> Any:
        xp = array_namespace(x)
        return while_loop(lambda v: xp.max(v) > 1, lambda v: at(v)[...].set(v / 2), x)

    record = check_function(
        halve,
        X * 2,
        reference=X / 2,
        scalars=1,
        per="iteration",
        compile="a loop on values",
        grad={"jax": "jax.lax.while_loop has no reverse mode", "torch": "a loop on values"},
        eager={"dask": "a loop on values"},
    )
    assert record.cells["jax"]["jit"].status == "yes" if "jax" in HERE else True


# -- what a record says ----------------------------------------------------------------------------


def scaled(x: Any, how: Literal["double", "half"] = "double", by: "Scale | None" = None) -> Any:
    factor = {"double": 2.0, "half": 0.5, "none": 1.0}
    return x * factor[how] * factor[by or "none"]


Scale = Literal["none", "half"]


def test_options_are_those_of_the_signature() -> None:
    assert choices(scaled) == {"how": ("'double'", "'half'"), "by": ("'none'", "'half'", "None")}
    assert choices(np.sin) == choices(functools.partial(np.sum, axis=0)) == {}
    options: Any = {"libraries": ["numpy"]}
    record = check_function(scaled, X, reference=2 * X, **options)
    assert record.options == {"how": ("'double'",), "by": ("None",)}
    half = functools.partial(scaled, how="half")
    record = check_function(half, X, kwargs={"by": "half"}, reference=X / 4, name="f", **options)
    assert record.options == {"how": ("'half'",), "by": ("'half'",)}
    assert record.values == "given values"


def test_routines_are_named_on_a_library_alone() -> None:
    record = check_function(
        missing.segment_sum,
        X[:3],
        np.asarray([0, 1, 1]),
        2,
        grad=False,
        vmap=False,
        libraries=["jax"],
    )
    assert record.routines["jax"]["segment"] == "likewise._libs.jax._natives:segment"


def test_a_routine_that_takes_no_views_is_met() -> None:
    lapack = "likewise._libs.numpy._lapack:substitute"
    record = check_function(
        linalg.solve_triangular, np.eye(3), X[:3], libraries=["numpy"], grad=False, vmap=False
    )
    assert record.routines["numpy"]["substitution"] == lapack


def test_there_are_no_views_of_no_axes() -> None:
    record = check_function(np.sqrt, np.asarray(2.0), libraries=["numpy"], grad=False, vmap=False)
    assert record.cells["numpy"]["strided"].status == "none"


def test_routines_that_ran_are_named() -> None:
    record = check_function(
        lambda a, b: likewise.signal.convolve(a, b, "same"),
        X,
        X[:2],
        reference=lambda a, b: np.convolve(a, b, "same"),
        libraries=["numpy", "strict"],
        scalars=1,
        name="likewise.signal.convolve, of a lambda",
    )
    assert "scipy.signal:convolve" in record.routines["numpy"].values()
    assert set(record.routines["strict"].values()) == {"generic"}


def test_views_with_gaps() -> None:
    def contiguous(x: Any) -> Any:
        return x * 2 if likewise.library(x) != "numpy" or x.flags.c_contiguous else x * 3

    found = failing(contiguous, X.reshape(2, 3), libraries=["numpy", "strict"])
    assert set(found) == {("numpy", "strided")}
    assert "against the call on arrays without gaps" in found["numpy", "strided"]


def test_complex_inputs() -> None:
    def square(x: Any) -> Any:
        return x * x

    options: Any = {"libraries": ["numpy", "strict"]}
    record = check_function(square, X, reference=np.square, complex=True, **options)
    assert record.cells["numpy"]["complex"].status == "yes" and record.values == "numpy.square"
    record = check_function(square, X + 1j, reference=np.square, **options)
    assert record.cells["numpy"]["complex"].status == "yes"
    found = failing(lambda x: abs(x) * x, X, reference=np.square, complex=True, **options)
    assert set(found) == {("numpy", "complex"), ("strict", "complex")}
    found = failing(square, X, complex="has no complex values", **options)
    assert found["numpy", "complex"].startswith("declared not to work")
    record = check_function(
        lambda x: array_namespace(x).floor(x), X, complex="has no order", **options
    )
    assert record.cells["strict"]["complex"] == Cell("no", "has no order")
    with pytest.raises(ArgumentError, match="a callable reference"):
        check_function(square, X, reference=X * X, complex=True, **options)


def test_empty_inputs() -> None:
    def total(x: Any) -> Any:
        return array_namespace(x).sum(x)

    def first(x: Any) -> Any:
        return x[0] + 0

    options: Any = {"libraries": ["numpy", "strict"]}
    record = check_function(total, X, reference=np.sum, empty=True, **options)
    assert record.cells["strict"]["empty"].status == "yes"
    record = check_function(total, X[:0], reference=np.sum, **options)
    assert record.cells["strict"]["empty"].status == "yes"
    found = failing(first, X, reference=X[0], empty=True, **options)
    assert set(found) == {("numpy", "empty"), ("strict", "empty")}
    record = check_function(first, X, reference=X[0], empty="there is no first", **options)
    assert record.cells["numpy"]["empty"] == Cell("no", "there is no first")
    assert "empty" not in check_function(first, X, reference=X[0], **options).cells["numpy"]


def test_a_batch_of_none() -> None:
    def scale(x: Any) -> Any:
        xp = array_namespace(x)
        return x / xp.max(x, axis=-1, keepdims=True)

    options: Any = {"reference": X / X.max(), "batch": True, "libraries": ["numpy"]}
    assert check_function(scale, X, **options).cells["numpy"]["empty"].status == "yes"
    found = failing(lambda x: scale(x) if x.size else X, X, **options)
    assert set(found) == {("numpy", "empty")}


def test_where_there_are_no_transforms_the_interpreter_has_them() -> None:
    options: Any = {"interpreted": True, "libraries": ["numpy", "strict", "jax"]}
    record = check_function(softplus, X, reference=reference, **options)
    for library in HERE & {"numpy", "strict", "jax"}:
        row = record.cells[library]
        assert [row[c].status for c in ("jit", "grad", "vmap")] == ["yes"] * 3

    def looking(x: Any) -> Any:
        return x if float(array_namespace(x).max(x)) > 0 else -x

    options["libraries"] = ["numpy"]
    record = check_function(
        looking, X, vmap="it looks at a value", grad="so, too", jit="no", **options
    )
    assert record.cells["numpy"]["vmap"] == Cell("no", "it looks at a value")
    assert record.cells["numpy"]["jit"].status == "yes"  # once looked at, it isn't recorded
    assert failing(looking, X, **options)["numpy", "vmap"].startswith("numpy-readonly: ")
    record = check_function(lambda x: array_namespace(x).argsort(x), X, **options)
    assert record.cells["numpy"]["grad"].status == "none"


# -- wrong use -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jit": ""}, "a 'no' needs a reason"),
        ({"jit": {"jax": " "}}, "a 'no' needs a reason"),
        ({"jit": {"tensorflow": "reason"}}, "names \\['tensorflow'\\]"),
        ({"dtypes": ("float16",)}, "dtypes are"),
        ({"libraries": ["tensorflow"]}, "no library 'tensorflow'"),
        ({"reference": softplus}, "the reference is the function itself"),
        ({"libraries": []}, "libraries is empty"),
        ({"tol": {"float": 1.0}}, "tol must be"),
        ({"tol": -1.0}, "tol must be"),
    ],
)
def test_wrong_arguments(options: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        check_function(softplus, X, **options)


# -- what must not fail ----------------------------------------------------------------------------


@pytest.mark.needs("torch")
@pytest.mark.full
def test_many_functions_in_one_process() -> None:
    """torch.compile gives up on a code object after eight compilations."""
    for i in range(12):
        record = check_function(lambda x, i=i: x * i + 1, X, libraries=["torch"], grad=False)
        assert record.cells["torch"]["jit"].status == "yes"
    found = failing(lambda x: x * 77, X, libraries=["torch"], compile="just so")
    assert found["torch", "jit"].startswith("declared not to work")


def test_results_that_are_not_arrays() -> None:
    def func(x: Any) -> Any:
        return {2: x * 2, "shape": x.shape, "text": ("kept", None, 3)}

    check_function(func, X, reference=lambda x: {2: x * 2, "shape": None, "text": 3})
    check_function(lambda x: x * 2, X, reference=(X * 2).tolist())


def test_expected_zeros_and_integers_to_floating() -> None:
    def zero(x: Any) -> Any:
        return array_namespace(x).sin(x * np.pi)

    check_function(zero, np.arange(4.0), reference=np.zeros(4), tol={"float32": 1e-5})

    def mean(n: Any) -> Any:
        xp = array_namespace(n)
        info = xp.__array_namespace_info__()
        dtype = info.default_dtypes(device=likewise.device(n))["real floating"]
        return xp.mean(xp.astype(n, dtype))

    check_function(mean, np.asarray([1, 2, 4]), reference=np.mean, tol=1e-6)


def test_options_of_single_libraries() -> None:
    record = check_function(softplus, X, libraries=["numpy", "jax"], jit={"jax": False})  # type: ignore[dict-item]
    assert "jit" not in record.cells.get("jax", {})
    record = check_function(softplus, X, libraries=["numpy"], eager={"numpy": True})  # type: ignore[dict-item]
    assert record.cells["numpy"]["eager"].status == "yes"
    record = check_function(softplus, X, libraries=["numpy"], eager=False)
    assert record.cells["numpy"] == {}


@pytest.mark.needs("jax")
def test_jax_escape_in_a_branch_for_eager_arrays() -> None:
    from numpy import sin  # bound to its name: no patch of the module reaches it

    def branch(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.sin(x) if likewise.is_lazy(x) else xp.asarray(sin(x))

    found = failing(branch, X, reference=np.sin, libraries=["jax"])
    assert set(found) == {("jax", "eager")}
    check_function(lambda x: at(x)[0].set(1.0), X, libraries=["jax"])


@pytest.mark.needs("jax")
def test_jax_device_get_of_a_tracer() -> None:
    import jax

    found = failing(
        lambda x: array_namespace(x).asarray(jax.device_get([x])[0]), X, libraries=["jax"]
    )
    assert ("jax", "eager") in found
