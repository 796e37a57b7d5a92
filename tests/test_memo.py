"""What is remembered of calls, what isn't, and that nobody can tell but by the clock."""

import inspect
import pickle
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import _memo, missing, ndimage
from likewise._namespace import array_namespace, is_concrete, quiet
from likewise._native import ROWS, native, public
from likewise.errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError

X = np.asarray([3.0, 1.0, 2.0])
likewise.namespace("numpy")  # until it is loaded, there is no class to remember by


@pytest.fixture(autouse=True)
def scratch() -> Iterator[None]:
    """Rows made in a test are forgotten after it."""
    before = len(ROWS)
    yield
    del ROWS[before:]


@native(numpy="numpy:add")
def _add(x: Any, y: Any) -> Any:
    return x + y


@native(numpy="numpy:negative")
def _negative(x: Any) -> Any:
    return -x


@native(numpy="numpy:full_like")
def _filled(x: Any, value: Any) -> Any:
    return array_namespace(x).full_like(x, value)


def remembers(func: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether calls of this kind go to the routine at once."""
    func.memo.clear()
    func(*args, **kwargs)
    return any(plan is not None for plan in func.memo.values())


# -- what is remembered ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("func", "peer", "args", "kwargs"),
    [
        (missing.nansum, np.nansum, (X,), {}),
        (missing.nanmax, np.nanmax, (X.reshape(1, 3),), {"axis": (0, 1), "keepdims": True}),
        (missing.partition, np.partition, (X, -1), {}),
        (missing.searchsorted, np.searchsorted, (np.sort(X), X), {"side": "right"}),
        (missing.interp, np.interp, (X, np.sort(X)), {"fp": np.asarray([5.0, 6.0, 7.0])}),
        (missing.safe_sqrt, np.sqrt, (X,), {}),
    ],
)
def test_results_stay_the_same(
    func: Any, peer: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    assert remembers(func, *args, **kwargs)
    for factor in (1.0, 2.0):  # the second time with other values
        there = [a * factor if isinstance(a, np.ndarray) else a for a in args]
        got, expected = func(*there, **kwargs), peer(*there, **kwargs)
        np.testing.assert_array_equal(got, expected)
        assert type(got) is type(expected) and got.dtype == expected.dtype


def test_arguments_are_found_by_position_and_name() -> None:
    @public
    def subtract(x: Any, unused: int = 0, *, y: Any) -> Any:
        """As reversed by the plan."""
        return _add(y, x) if unused else _add(x, y)

    one, two = np.ones(2), np.asarray(["a", "b"], dtype=object)
    for _ in range(2):
        assert list(subtract(two, y=two.copy())) == ["aa", "bb"]
        assert list(subtract(two, 1, y=two[::-1])) == ["ba", "ab"]
    assert len([p for p in subtract.memo.values() if p]) == 2  # type: ignore[attr-defined]
    np.testing.assert_array_equal(subtract(one, y=one), [2.0, 2.0])


def test_the_same_array_twice() -> None:
    @public
    def twice(x: Any, y: Any) -> Any:
        """Adds."""
        return _add(x, y)

    x, y = np.ones(2), np.full(2, 5.0)
    assert remembers(twice, x, x)
    for _ in range(2):
        np.testing.assert_array_equal(twice(x, y), [6.0, 6.0])
    np.testing.assert_array_equal(twice(x, x), [2.0, 2.0])


def test_options_that_are_equal_but_not_the_same() -> None:
    @public
    def filled(x: Any, value: Any) -> Any:
        """Tells options apart."""
        return _filled(x, f"{value!r}")

    x = np.asarray(["", ""], dtype="U12")
    options = [1, 1.0, True, 0.0, -0.0, 0, False, "0.0", None, (1, 2), (True, 2), (1.0, 2)]
    for _ in range(3):
        for value in options:
            assert filled(x, value)[0] == repr(value)


def test_short_lists_are_settings() -> None:
    memo = ndimage.correlate1d.memo
    memo.clear()
    x, weights = np.asarray([1.0, 2.0, 4.0]), [1.0, 0.0, 2.0]
    np.testing.assert_array_equal(ndimage.correlate1d(x, weights), [5.0, 9.0, 10.0])
    assert any(plan is not None for plan in memo.values())
    weights[1] = 1
    np.testing.assert_array_equal(ndimage.correlate1d(x, weights), [6.0, 11.0, 14.0])
    assert _memo.frozen([[0.0]]) != _memo.frozen([[-0.0]])
    assert _memo.frozen([1]) != _memo.frozen([True]) != _memo.frozen([1.0])
    assert _memo.frozen([x]) is _memo.frozen([1.0] * 1000) is NotImplemented


def test_nothing_is_kept_alive() -> None:
    x = np.arange(5.0)
    assert remembers(missing.nansum, x)
    gone = weakref.ref(x)
    del x
    assert gone() is None


def test_the_memory_is_bounded() -> None:
    for n in range(1, 2 * _memo._SIZE + 10):
        missing.nansum(np.ones(n))
    assert 0 < len(missing.nansum.memo) <= _memo._SIZE  # type: ignore[attr-defined]


def test_a_generic_body_is_remembered_too() -> None:
    looks = []

    @native()
    def _flipped(x: Any, back: bool) -> Any:
        xp = array_namespace(x)
        if is_concrete(x) and bool(xp.any(x < 0)):  # in each call
            looks.append(1)
        return xp.flip(x)

    @native()
    def _outer(x: Any) -> Any:
        return _inner(x, 1.0)

    @native(numpy="numpy:multiply")
    def _inner(x: Any, y: float) -> Any:
        return x * y

    assert remembers(public(lambda x: _flipped(x, True)), X)
    flip = public(lambda x: _flipped(x, True))
    for _ in range(5):
        np.testing.assert_array_equal(flip(-X), -X[::-1])
    assert len(looks) == 5
    outer = public(lambda x: _outer(x))
    assert remembers(outer, X)
    assert [p[0] for p in outer.memo.values()] == [np.multiply]  # type: ignore[attr-defined]


def test_the_choice_is_remembered() -> None:
    def long(x: Any) -> bool:
        """Several elements."""
        return x.shape[0] > 2

    @native(numpy="numpy:negative", when=long)
    def _negated(x: Any) -> Any:
        return -x

    negated = public(lambda x: _negated(x))
    assert remembers(negated, X) and remembers(negated, X[:2])
    for _ in range(2):
        negated(X), negated(X[:2])
    assert [p[0] is np.negative for p in negated.memo.values()] == [False, True]  # type: ignore[attr-defined]


def test_functions_are_asked_once_for_each_kind() -> None:
    asked = []

    @public
    def looking(x: Any) -> Any:
        """Looks at values."""
        if type(x) is _memo.Sketch:
            asked.append(x.shape)
        return _negative(x) if x[0] > 0 else x

    for n in (2, 3, 4):
        np.testing.assert_array_equal(looking(np.ones(n)), -np.ones(n))
    looking(np.ones((2, 2))[0]), looking(np.ones(2, dtype="float32"))
    assert asked == [(2,), (2,)]


def test_functions_that_call_numpy_are_asked_once() -> None:
    asked = []

    @public
    def sine(x: Any) -> Any:
        """Calls a routine of NumPy's."""
        if type(x) is _memo.Sketch:
            asked.append(x.shape)
        return np.sin(x)

    for n in (2, 3, 4):
        np.testing.assert_array_equal(sine(np.zeros(n)), np.zeros(n))
    assert asked == [(2,)]


SKETCHED: list[Callable[[Any], Any]] = [
    bool,
    float,
    int,
    len,
    iter,
    abs,
    str,
    np.asarray,
    np.sum,
    np.sin,
    np.asarray,
    np.from_dlpack,
    lambda s: s + 1,
    lambda s: 1 - s,
    lambda s: s == s,
    lambda s: s < 1,
    lambda s: s[0],
    lambda s: s @ s,
    lambda s: s.T,
    lambda s: s.flags,
    lambda s: hasattr(s, "strides"),
    lambda s: np.asarray([s]),
    lambda s: X + s,
    lambda s: X[s],
    is_concrete,
    quiet,
    lambda s: array_namespace(s).reshape(s, (-1,)),
    lambda s: array_namespace(s).ones_like(s),
]


@pytest.mark.parametrize("look", SKETCHED)
def test_a_sketch_tells_nothing_of_values(look: Callable[[Any], Any]) -> None:
    planning = _memo.Planning(likewise._namespace.library_of(X))
    with pytest.raises((_memo.Unplanned, TypeError)):
        look(_memo.Sketch(X, 0, planning))
    with pytest.raises((_memo.Unplanned, TypeError)):
        look(_memo.PlannedCall(np.negative, (X,)))


# -- what isn't ------------------------------------------------------------------------------------


def test_who_looks_at_values_is_not_remembered() -> None:
    @public
    def signed(x: Any) -> Any:
        """Decides by a value."""
        if is_concrete(x) and bool(np.any(x < 0)):
            return _negative(x)
        return _filled(x, 7.0)

    assert not remembers(signed, np.ones(2))
    np.testing.assert_array_equal(signed(-np.ones(2)), [1.0, 1.0])


def test_who_quietens_warnings_is_not_remembered() -> None:
    @public
    def quietly(x: Any) -> Any:
        """Without a warning."""
        with quiet(x):
            return _add(x, np.inf)

    for _ in range(3):
        assert quietly(np.asarray([-np.inf, 1.0]))[1] == np.inf


def test_who_changes_arguments_or_results_is_not_remembered() -> None:
    plans = {
        "another array": lambda x: _add(x, np.ones(2)),
        "a part": lambda x: _negative(x[:]),
        "a result of two": lambda x: _negative(_negative(x)),
        "a result thrown away": lambda x: (_negative(x), _filled(x, 1.0))[1],
        "a result worked on": lambda x: _negative(x) + 1,
        "the argument": lambda x: (_negative(x), x)[1],
        "a list": lambda x: _filled(x, [1.0, 2.0]),
    }
    for name, plan in plans.items():
        assert not remembers(public(lambda x, plan=plan: plan(x)), X[:2]), name
    assert remembers(public(lambda x: _negative(x)), X)


def test_an_array_that_serves_as_a_number_is_no_rule() -> None:
    @public
    def filled(x: Any, value: Any) -> Any:
        """Fills."""
        return _filled(x, int(value))

    for value in (np.asarray(3), np.asarray(4), np.asarray([5])[0]):
        assert filled(np.ones(1), value)[0] == value
    assert not any(filled.memo.values())  # type: ignore[attr-defined]


def test_a_routine_may_raise() -> None:
    @native(numpy="numpy.linalg:inv")
    def _inv(x: Any) -> Any:
        return x

    @public
    def inverse(x: Any) -> Any:
        """Of a singular matrix, the negative one."""
        try:
            return _inv(x)
        except np.linalg.LinAlgError:
            return _negative(x)

    assert remembers(inverse, np.eye(2))
    np.testing.assert_array_equal(inverse(np.zeros((2, 2))), np.zeros((2, 2)))
    np.testing.assert_array_equal(inverse(np.eye(2)), np.eye(2))
    np.testing.assert_array_equal(inverse.generic(np.eye(2)), np.eye(2))  # type: ignore[attr-defined]


def negative_if_possible(x: Any) -> Any:
    return NotImplemented if 0 in x else -x


def test_a_routine_may_refuse_values() -> None:
    @native(numpy=f"{__name__}:negative_if_possible")
    def _refusing(x: Any) -> Any:
        return _filled(x, 7.0)

    @public
    def negative(x: Any) -> Any:
        """Has another way."""
        return _refusing(x)

    for _ in range(3):
        assert list(negative(np.zeros(2))) == [7.0, 7.0]
        assert list(negative(np.ones(2))) == [-1.0, -1.0]
    assert any(negative.memo.values())  # type: ignore[attr-defined]


def test_results_that_are_everybodys() -> None:
    @native(numpy="numpy:any")
    def _any(x: Any) -> Any:
        return array_namespace(x).any(x)

    truth = public(lambda x: _any(x))
    assert remembers(truth, X)
    assert truth(X) and not truth(X * 0)


def test_a_public_function_inside_another() -> None:
    @public
    def inner(x: Any) -> Any:
        """Is remembered."""
        return _filled(x, 2.0)

    @public
    def outer(x: Any) -> Any:
        """Isn't: what runs first is not all."""
        inner(x)
        return _negative(x)

    x = np.ones(2)
    assert remembers(inner, x)
    assert not remembers(outer, x)
    np.testing.assert_array_equal(outer(x), [-1.0, -1.0])
    assert remembers(public(lambda x: inner(x)), x)  # the same in another's clothes


# -- errors ----------------------------------------------------------------------------------------


def test_errors_come_after_good_calls() -> None:
    x = np.arange(6.0)
    for _ in range(3):
        missing.partition(x, 2)
        with pytest.raises(ArgumentError, match="partition"):
            missing.partition(x, 6)
        with pytest.raises(ArgumentError, match="partition"):
            missing.partition(x[:2], 2)
        with pytest.raises(ShapeError, match="nanmax"):
            missing.nanmax(x, axis=1)
        missing.nanmax(x, axis=0)


def test_asking_hides_no_mistake() -> None:
    def mistaken(x: Any) -> Any:
        return {}[x.shape] if type(x) is _memo.Sketch else x

    with pytest.raises(KeyError):
        public(mistaken)(X)
    with pytest.raises(KeyError):  # in a body, which is asked what it would do
        public(lambda x: native()(mistaken)(x))(X)


def test_values_are_checked_in_each_call() -> None:
    x, good, bad = np.arange(4.0), np.asarray([0, 3]), np.asarray([0, 4])
    for _ in range(3):
        missing.take(x, good), missing.take_along_axis(x, good)
        for func in (missing.take, missing.take_along_axis):
            with pytest.raises(IndexError):
                func(x, bad)
        missing.quantile(x, np.asarray([0.5]))
        with pytest.raises(ArgumentError, match="quantile"):
            missing.quantile(x, np.asarray([1.5]))
        missing.digitize(x, np.asarray([0.0, 1.0]))
        with pytest.raises(ValueError, match="digitize|monoton"):
            missing.digitize(x, np.asarray([0.0, 2.0, 1.0]))
        missing.nanargmin(x)
        with pytest.raises(ValueError, match="nanargmin|NaN"):
            missing.nanargmin(np.full(4, np.nan))


def test_warnings_come_each_time() -> None:
    for _ in range(3):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            missing.nanmean(np.full(3, np.nan))
        assert [w.category for w in seen] == [RuntimeWarning]


def test_errors_name_function_and_argument() -> None:
    missing.searchsorted(X, X)
    with pytest.raises(ArrayTypeError, match="searchsorted: argument 'v'"):
        missing.searchsorted(X, object())


# -- who else is there -----------------------------------------------------------------------------


def test_what_looks_like_an_array_is_not_taken_for_one() -> None:
    class Own(np.ndarray):
        pass

    x = np.ones((2, 2))
    for _ in range(2):
        missing.nansum(x)
        assert type(missing.partition(x.view(Own), 1)) is Own
        for strange in (np.ma.masked_array(x), x.view(np.matrix)):
            with pytest.raises(ArrayTypeError, match="must be a standard array"):
                missing.nansum(strange)
        with pytest.raises(likewise.errors.MixedLibrariesError):
            missing.searchsorted(X, likewise.namespace("strict").ones(3))


def test_scalars_stay_weak_and_lists_are_taken() -> None:
    x = np.ones(3, dtype=np.float32)
    for _ in range(3):
        for y in (2.0, np.float64(2), [2.0, 2.0, 2.0]):
            assert missing.xlogy(x, y).dtype in (np.float32, np.float64)
        assert missing.xlogy(x, 2.0).dtype == missing.xlogy(x, np.float64(2)).dtype == np.float32
        assert missing.nansum([1.0, np.nan]) == 1.0  # type: ignore[type-var]


def test_read_only_and_strided_input() -> None:
    assert remembers(missing.partition, X, 1)
    x = X.copy()
    x.flags.writeable = False
    np.testing.assert_array_equal(missing.partition(x, 1), np.partition(X, 1))
    wide = np.repeat(X, 2)[::2]
    np.testing.assert_array_equal(missing.partition(wide, 1), np.partition(X, 1))
    np.testing.assert_array_equal(x, X)


def test_switches_are_seen_after_a_good_call() -> None:
    assert remembers(missing.nansum, X)
    with likewise.trace_native() as log:
        missing.nansum(X)
    assert log[-1].routine == "likewise._libs.numpy._natives:nansum"
    with likewise.prefer("generic"), likewise.trace_native() as log:
        missing.nansum(X)
    assert log[-1].routine == "generic"
    with likewise.trace_native() as log:
        missing.nansum.generic(X)  # type: ignore[attr-defined]
    assert log[-1].routine == "generic"
    assert likewise.explain(missing.partition, X, 1).routine == "numpy:partition"
    with pytest.raises(likewise.errors.NativeUnavailable), likewise.prefer(force="cupy"):
        missing.nansum(X)


def test_threads() -> None:
    shapes = [(n, m) for n in range(1, 12) for m in range(1, 12)]
    wrong: list[Any] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for k in rng.permutation(len(shapes) * 3):
            x = rng.normal(size=shapes[k % len(shapes)])
            axis = int(k % 2)
            if not np.array_equal(missing.nanmax(x, axis=axis), x.max(axis=axis)):
                wrong.append(x)
            if not np.array_equal(missing.nancumsum(x, axis), np.cumsum(x, axis)):
                wrong.append(x)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.needs("torch")
def test_compiled_by_torch_in_one_graph() -> None:
    import torch

    missing.nansum(X)
    run = torch.compile(lambda x: missing.nansum(x, axis=0), fullgraph=True, backend="eager")
    x = torch.asarray([[1.0, float("nan")], [2.0, 3.0]])
    assert run(x).tolist() == [3.0, 3.0]
    before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    missing.nansum(np.ones(7))
    missing.nanmax(np.ones(7))
    assert run(x).tolist() == [3.0, 3.0]
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == before


@pytest.mark.needs("torch")
def test_torch_is_remembered_where_nobody_follows() -> None:
    import torch

    from likewise.special import erf, gammaln, logsumexp

    x = torch.asarray([0.5, 1.5, 2.5], dtype=torch.float64)
    wanted = {erf: torch.special.erf, gammaln: torch.special.gammaln, logsumexp: None}
    for func, theirs in wanted.items():
        peer = theirs or (lambda x: torch.logsumexp(x, 0))
        assert remembers(func, x)
        slope = torch.func.grad(lambda x, f=peer: f(x).sum())(x)
        for found in (func(2 * x), func((2 * x).to(torch.float32)).to(torch.float64)):
            torch.testing.assert_close(found, peer(2 * x), rtol=1e-6, atol=0)
        followed = x.clone().requires_grad_()
        (got,) = torch.autograd.grad(func(followed).sum(), followed)
        torch.testing.assert_close(got, slope)
        got = torch.func.grad(lambda x, f=func: f(x).sum())(x)
        torch.testing.assert_close(got, slope)
        _, got = torch.func.jvp(lambda x, f=func: f(x).sum(), (x,), (torch.ones_like(x),))
        torch.testing.assert_close(got, slope.sum())
        got = torch.func.vmap(func)(torch.stack([x, 2 * x]))
        torch.testing.assert_close(got, torch.stack([peer(x), peer(2 * x)]))
        run = torch.compile(func, fullgraph=True, backend="eager")
        torch.testing.assert_close(run(x), peer(x))
        assert func(x.to("meta")).device.type == "meta"
        assert type(func(torch.nn.Parameter(x)).grad_fn) is not type(None)


@pytest.mark.needs("torch")
def test_torch_beside_what_it_does_not_go_with() -> None:
    import torch

    from likewise.errors import MixedDevicesError, MixedLibrariesError
    from likewise.special import gammaincc, xlogy

    x = torch.asarray([0.5, 1.5], dtype=torch.float64)
    for func in (xlogy, gammaincc):
        assert remembers(func, x, x)
        with pytest.raises(MixedDevicesError):
            func(x, torch.ones((), dtype=torch.float64, device="meta"))
        with pytest.raises(MixedLibrariesError):
            func(x, np.ones(2))
        torch.testing.assert_close(func(x, x.clone()[None].mT)[1, 1], func(x, x)[1])
        slope = torch.func.grad(lambda y, f=func: f(x, y).sum())(x)  # the first is closed over
        torch.testing.assert_close(
            slope, (func(x, x + 1e-6) - func(x, x - 1e-6)) / 2e-6, rtol=1e-6, atol=0
        )


@pytest.mark.needs("torch")
def test_a_sketch_is_refused_by_torch() -> None:
    import torch

    sketch = _memo.Sketch(torch.ones(2), 0, None)
    for look in (torch.sin, torch.sum, lambda x: torch.cat([x, x]), lambda x: torch.ones(2) + x):
        with pytest.raises(_memo.Unplanned):
            look(sketch)


@pytest.mark.needs("jax")
def test_compiled_by_jax() -> None:
    import jax
    import jax.numpy as jnp

    missing.nansum(X)
    assert float(jax.jit(missing.nansum)(jnp.asarray(X))) == 6.0
    assert jax.grad(missing.nansum)(jnp.asarray(X)).tolist() == [1.0, 1.0, 1.0]


# -- the wrapper -----------------------------------------------------------------------------------


def test_a_public_function_looks_like_itself() -> None:
    func = missing.nansum
    assert list(inspect.signature(func).parameters) == ["a", "axis", "dtype", "keepdims"]
    assert func.__name__ == "nansum" and func.__module__ == "likewise.missing._nan"
    assert "def nansum(" in inspect.getsource(func)
    assert pickle.loads(pickle.dumps(func)) is func
    with pytest.raises(TypeError, match=r"nansum\(\) missing 1 required positional argument"):
        func()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'axes'"):
        func(X, axes=1)  # type: ignore[call-arg]


def test_a_remembered_call_goes_straight_to_the_routine() -> None:
    """One function of ours runs, and no plan; ci/bench --only overheads says what it costs."""
    frames: list[str] = []

    def note(frame: Any, event: str, arg: Any) -> None:
        if event == "call":
            frames.append(frame.f_code.co_qualname)

    assert remembers(missing.safe_sqrt, X)
    sys.setprofile(note)
    try:
        missing.safe_sqrt(X)
    finally:
        sys.setprofile(None)
    assert len(frames) == 1, frames


def test_numbers_before_the_array() -> None:
    """An order, a number of degrees of freedom."""
    from likewise import special

    likewise.special.yn(3, X)
    assert remembers(special.yn, 3, X) and remembers(special.polygamma, 2, X)
    for _ in range(2):
        for n in (2, 3, 2.0, True):
            np.testing.assert_array_equal(special.yn(n, X), special.yn(int(n), X))
    with pytest.raises(ArgumentError):
        special.yn(2.5, X)


def test_converted_arrays_are_remembered() -> None:
    """Integers beside floating numbers, real numbers for a function of complex ones."""
    from likewise import special

    whole = np.asarray([3, 1, 2])
    assert remembers(special.beta, whole, X) and remembers(special.wofz, X)
    assert remembers(special.poch, X, 2.0)
    for _ in range(2):
        np.testing.assert_array_equal(special.beta(whole, X), special.beta(whole * 1.0, X))
        np.testing.assert_array_equal(special.beta(whole, whole), special.beta(X, X))
        assert special.wofz(X).dtype == np.complex128
        np.testing.assert_array_equal(special.poch(X, 3.0), special.poch(X, 0 * X + 3))


def test_a_function_of_elements_forgets_shapes_but_not_dtypes() -> None:
    from likewise import special

    for func in (special.erf, special.beta):
        args = (X,) * (1 + (func is special.beta))
        for _ in range(2):
            func(*args)
        for given in (
            [a.astype(np.float32) for a in args],
            [a.astype(">f8") for a in args],
            [a.astype(int) for a in args],
            [a[::2] for a in args],
            [a[None, :, None] for a in args],
            [a[:0] for a in args],
            [a[0] for a in args],
            [a[0, ...] for a in args],
            [np.tile(a, 30) for a in args],
        ):
            found, right = func(*given), func.generic(*given)
            assert type(found) is type(right) or np.ndim(right) == 0
            assert found.dtype == right.dtype and found.shape == right.shape
            np.testing.assert_allclose(found, right, rtol=1e-6)
        frozen = X.copy()
        frozen.flags.writeable = False
        assert func(frozen, *args[1:]).flags.writeable
        for a in (np.ma.masked_array(X), X.astype(object)):
            with pytest.raises((ArrayTypeError, DtypeError)):
                func(a, *args[1:])
    with pytest.raises(ShapeError):
        special.beta(X, np.ones(2))
    with likewise.prefer("generic"), likewise.trace_native() as log:
        special.beta(X, X)
    assert log[0].routine == "generic"
    assert likewise.explain(special.beta, X, X).routine == "scipy.special:beta"
    slope = likewise.grad(lambda b: special.beta(X, b).sum())(X)
    assert np.all(slope < 0)
