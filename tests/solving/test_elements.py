"""Programs of few elements on Python's numbers: the same bits as on arrays."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import likewise
from likewise import array_namespace
from likewise._namespace import hooks_of
from likewise.missing import take_along_axis
from likewise.optimize import least_squares, lsq_linear, minimize, nnls, root
from likewise.solving import _driver, _elements, _stepping
from likewise.solving._driver import Method, iterate
from likewise.solving._elements import entered, spelled_out
from likewise.solving._outcome import Outcome, outcomes
from likewise.transforms import cond
from likewise.transforms._recordings._cache import Cache
from likewise.transforms._recordings._recording import record
from likewise.transforms._tree import flatten

SPECIAL = (0.0, -0.0, 1.0, -2.5, 3.0, 1e-310, 1e300, -1e160, math.inf, -math.inf, math.nan)
SHAPES = ((), (1,), (2,), (3,), (1, 2), (2, 1), (2, 3), (1, 3, 2), (4, 2), (7,), (9,), (4, 4))
INTEGERS = (0, 1, -1, 2, 7, -5, 2**31 - 1, -(2**31))


@pytest.fixture(autouse=True)
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are written also where that takes as long as the calls."""
    monkeypatch.setattr(_elements, "_SHARE", math.inf)


def numbers(rng: Any, shape: tuple[int, ...]) -> Any:
    """Random numbers, half of them special."""
    plain = rng.normal(size=shape) * 10.0 ** rng.integers(-9, 9, size=shape)
    return np.asarray(np.where(rng.random(shape) < 0.4, rng.choice(SPECIAL, size=shape), plain))


def integers(rng: Any, shape: tuple[int, ...], dtype: Any = np.int32) -> Any:
    return np.asarray(rng.choice(INTEGERS, size=shape), dtype)


def same(a: Any, b: Any) -> bool:
    """Equal class, dtype, shape, layout and bits, but for the sign of NaN, which means nothing."""
    if type(a) is not type(b) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        nan = np.isnan(a) & np.isnan(b)
        alike = np.where(nan, 0, a).tobytes() == np.where(nan, 0, b).tobytes()
        return alike and bool(np.all(np.isnan(a) == np.isnan(b)))
    return bool(np.all(a == b))


def compared(fun: Callable[..., Any], draw: Callable[[], list[Any]], times: int = 20) -> Any:
    """Spell a function out, compare its results with its own, and return the program."""
    with np.errstate(all="ignore"):
        first = draw()
        found, _, why = record(hooks_of(first[0]), lambda *x: [*fun(*x), 0], first)
        assert found is not None and not why, why
        spelled = spelled_out(found.program, lambda step: None)
        assert spelled is not None
        for _ in range(times):
            given = draw()
            expected = fun(*given)
            got = spelled.run(*entered(given, spelled.forms))
            got = spelled.leave(*got[:-1])
            for a, b in zip(got, expected, strict=True):
                assert same(a, b), (fun, given, a, b)
    return found.program


def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the instructions that are left to the library."""
    names: list[str] = []
    own = _elements._Part.called

    def noted(self: Any, step: Any) -> None:
        names.append(step.name)
        own(self, step)

    monkeypatch.setattr(_elements._Part, "called", noted)
    return names


ONE = "abs negative square sqrt sign isnan isfinite isinf positive".split()
TWO = "add subtract multiply divide maximum minimum copysign".split()
TESTS = "equal not_equal less less_equal greater greater_equal".split()
LOGICAL = "bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor".split()


@pytest.mark.parametrize("name", [*ONE, *TWO, *TESTS, "where", "clip"])
def test_each_instruction_on_floats(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    left, rng = called(monkeypatch), np.random.default_rng(0)
    for shape in SHAPES:

        def fun(x: Any, y: Any) -> Any:
            xp = array_namespace(x, y)
            f = getattr(xp, name)
            if name == "where":
                return [f(x > y, x, y), f(x < 1, x, 1.5), f(x < y, 2.0, y)]
            if name == "clip":
                return [f(x, -0.0, 2.0)]
            return [f(x)] if name in ONE else [f(x, y), f(x, 1.5)]

        compared(fun, lambda shape=shape: [numbers(rng, shape), numbers(rng, shape)])
    assert not left or name in ("maximum", "minimum")  # where two zeros are another matter


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_wrap_as_the_librarys(dtype: Any) -> None:
    rng = np.random.default_rng(1)

    def fun(x: Any, y: Any) -> Any:
        xp = array_namespace(x, y)
        big = x * 2**30 if dtype is np.int64 else x
        tests = [getattr(xp, name)(x, y) for name in TESTS]
        wide = [xp.astype(x, xp.float64), xp.astype(x, xp.bool), xp.astype(x + y, xp.int32)]
        ends = [xp.maximum(x, y), xp.minimum(x, 3), xp.abs(y), -x, x + y, x - y, x * y, big * big]
        mixed = [x + 0.5 * xp.astype(y, xp.float64), x > 0.5, xp.where(x > y, x, 7)]
        return [*tests, *wide, *ends, *mixed, xp.sum(x), xp.max(x), xp.min(y), xp.argmax(x)]

    for shape in ((1,), (3,), (2, 2)):
        compared(fun, lambda s=shape: [integers(rng, s, dtype), integers(rng, s, dtype)])


def test_truth_values() -> None:
    rng = np.random.default_rng(2)

    def fun(x: Any, y: Any) -> Any:
        xp = array_namespace(x, y)
        both = [getattr(xp, name)(x, y) for name in LOGICAL]
        one = [~x, xp.logical_not(y), x == y, x != y, xp.where(x, y, ~y), xp.where(x, True, y)]
        wide = [xp.astype(x, xp.int32), xp.astype(x, xp.float64), xp.count_nonzero(x)]
        return [*both, *one, *wide, xp.any(x), xp.all(y), xp.sum(x), xp.any(x, axis=0)]

    for shape in ((1,), (3,), (2, 2)):
        compared(fun, lambda s=shape: [rng.random(s) < 0.5, rng.random(s) < 0.5])


@pytest.mark.parametrize("name", ["sum", "max", "min", "argmin", "argmax", "any", "count_nonzero"])
def test_reductions(name: str) -> None:
    rng = np.random.default_rng(3)
    for shape in SHAPES[1:]:
        axes = [None, 0, -1, *([(0, 1), (1, 0)] if len(shape) > 1 and name[:3] != "arg" else [])]

        def fun(x: Any, axes: list[Any] = axes, n: int = len(shape)) -> Any:
            xp = array_namespace(x)
            f = getattr(xp, name)
            turned = xp.permute_dims(x, tuple(range(n))[::-1])
            x = x > 0 if name == "any" else x
            out = [f(x, axis=a, keepdims=k) for a in axes for k in (False, True)]
            return [*out, f(turned, axis=0), f(xp.flip(x), axis=0), f(x[..., ::-1], axis=-1)]

        compared(fun, lambda shape=shape: [numbers(rng, shape)], 10)


def test_what_moves_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    left, rng = called(monkeypatch), np.random.default_rng(4)

    def fun(x: Any, y: Any) -> Any:
        xp = array_namespace(x, y)
        z = xp.reshape(x, (3, 2))
        stacked = xp.stack([y, x[:, 0], xp.ones_like(y)], axis=1)
        joined = xp.concat([x, xp.permute_dims(z, (1, 0)), y[:, None]], axis=1)
        wide = xp.broadcast_to(y[:, None], (2, 3)) * x
        return [
            z[1, :], x[0, 1] + y[0], stacked, joined, wide, x[..., ::-1], x[:, None, 1:],
            xp.squeeze(x[:1, :], axis=0), xp.matrix_transpose(x), xp.flip(y), xp.roll(y, 1),
            xp.expand_dims(y, axis=0), xp.moveaxis(x, 0, 1), xp.unstack(x)[1], xp.tile(y, (2,)),
            xp.repeat(y, 2), x - xp.asarray([1.0, -0.0, 2.0]),
        ]  # fmt: skip

    compared(fun, lambda: [numbers(rng, (2, 3)), numbers(rng, (2,))])
    assert left == ["repeat"]


def test_orders_and_places(monkeypatch: pytest.MonkeyPatch) -> None:
    left, rng = called(monkeypatch), np.random.default_rng(5)

    def fun(x: Any, k: Any) -> Any:
        xp = array_namespace(x)
        order = xp.argsort(x, axis=1, stable=True)
        some = xp.take_along_axis(x, k, axis=1)
        turned = xp.take_along_axis(xp.permute_dims(x, (1, 0)), order[:1, :2] * 0, axis=0)
        return [order, xp.take_along_axis(x, order, axis=1), some, turned]

    compared(fun, lambda: [numbers(rng, (2, 4)), rng.integers(0, 4, size=(2, 1))], 100)
    assert not left


def test_powers() -> None:
    """Squares, and powers of scalars: other ones are the library's."""
    rng = np.random.default_rng(6)

    def fun(x: Any, y: Any) -> Any:
        xp = array_namespace(x)
        one = x[0]
        scalars = [one**2, one**3, one**-1, one**0.5, one**-3, one ** x[1], one**0, one**1e3]
        return [x**2, xp.pow(x, 2), x**3, x**0.5, xp.pow(one, 2), y**2, *scalars]

    compared(fun, lambda: [numbers(rng, (3,)), numbers(rng, ())], 400)


def test_what_numbers_have_no_words_for_is_the_librarys(monkeypatch: pytest.MonkeyPatch) -> None:
    left, rng = called(monkeypatch), np.random.default_rng(7)

    def fun(x: Any, y: Any) -> Any:
        xp = array_namespace(x, y)
        turned = xp.matrix_transpose(x)
        out = [xp.exp(x), xp.sin(y[:1]), x @ y, turned @ x, x[:, :, None] * y, xp.log(x[0, 0])]
        return [*out, xp.cumulative_sum(y), xp.matmul(turned[:1, :], turned[:, :1])]

    compared(fun, lambda: [rng.normal(size=(2, 2)), rng.normal(size=(2,))], 50)
    assert set(left) == {"exp", "sin", "matmul", "log", "cumulative_sum"}


@pytest.mark.parametrize("state", ["warn", "raise"])
def test_errors_that_someone_hears_of_are_the_librarys(state: Any) -> None:
    x = np.asarray([1.0, 2.0])
    with np.errstate(all=state):
        found, _, _ = record(hooks_of(x), lambda x: [x / 2, 0], [x])
        assert found is not None
        assert spelled_out(found.program, lambda step: None) is None


def test_other_dtypes_and_larger_arrays_stay_arrays() -> None:
    rng = np.random.default_rng(8)

    def fun(x: Any, a: Any) -> Any:
        xp = array_namespace(x, a)
        low = xp.astype(x, xp.float32) / 3
        none = xp.concat([a[:0, :], xp.reshape(x[:0], (0, 3))], axis=0)
        empty = [none, xp.sum(none, axis=-2) + x, xp.all(none < 0), a[None, :, :0]]
        return [xp.astype(low, xp.float64) + x, low, a @ x, a * 2, xp.sum(a, axis=0) - x, *empty]

    compared(fun, lambda: [numbers(rng, (3,)), rng.normal(size=(30, 3))])


def test_where_little_is_gained_arrays_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        return [xp.exp(x), xp.sin(x) + 1, 0]

    x = np.asarray([1.0, 2.0])
    with np.errstate(all="ignore"):
        found, _, _ = record(hooks_of(x), fun, [x])
        assert found is not None
        assert spelled_out(found.program, lambda step: None) is not None
        monkeypatch.setattr(_elements, "_SHARE", 0.5)
        assert spelled_out(found.program, lambda step: None) is None


def test_branches_take_what_is_wanted() -> None:
    rng = np.random.default_rng(9)

    def fun(x: Any, y: Any) -> Any:
        xp = array_namespace(x, y)
        up = x[:1] > 0
        far = xp.where(up, xp.exp(y), xp.where(y > 1, y / x, x @ x + y))
        return [far, xp.where(up & (x[1:] > 0), far * 2, -far), xp.where(up[0], x, y)]

    compared(fun, lambda: [numbers(rng, (2,)), numbers(rng, (2,))], 100)


# -- random programs -------------------------------------------------------------------------------


def program(rng: Any) -> tuple[Callable[..., Any], list[tuple[int, ...]]]:
    """A random function of two arrays, with the shapes of these."""
    n = int(rng.integers(1, 5))
    plan = [(int(rng.integers(0, 24)), *rng.integers(0, 1000, size=3).tolist()) for _ in range(15)]

    def fun(x: Any, y: Any) -> Any:
        xp = array_namespace(x, y)
        pool = [x, y]
        for op, i, j, k in plan:
            a, b, c = (pool[m % len(pool)] for m in (i, j, k))
            unary = (xp.abs, xp.sqrt, xp.negative, xp.sign, xp.square, xp.exp, xp.flip)
            binary = (xp.add, xp.subtract, xp.multiply, xp.divide, xp.maximum, xp.minimum)
            if op < 7:
                out = unary[op](a)
            elif op < 13:
                out = binary[op - 7](a, b)
            elif op == 13:
                out = xp.where(a > b, b, c)
            elif op == 14:
                out = xp.where((a == b) | ~xp.isfinite(c), c, a)
            elif op == 15:
                out = xp.broadcast_to(xp.sum(a, axis=-1, keepdims=True), a.shape)
            elif op == 16:
                out = xp.broadcast_to(xp.max(a, axis=0), a.shape)
            elif op == 17:
                out = xp.matrix_transpose(xp.matrix_transpose(a) * 0.5)
            elif op == 18:
                out = take_along_axis(a, xp.argsort(b, axis=1, stable=True), axis=1)
            elif op == 19:
                out = xp.where(xp.any(a > b), c, b)
            elif op == 20:
                out = xp.concat([a[:, 1:], b[:, :1]], axis=1)
            elif op == 21:
                out = xp.reshape(xp.matmul(a, xp.matrix_transpose(b)), (-1,))[0] + c
            elif op == 22:
                out = a * xp.astype(xp.argmin(b, axis=1), xp.float64)[:, None]
            else:
                out = a**2 + xp.astype(xp.count_nonzero(b > 0), xp.int32)
            pool.append(out)
        return pool[2:]

    return fun, [(int(rng.integers(1, 4)), n)]


@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 5000), marks=pytest.mark.full)], ids=len
)
def test_random_programs(seeds: Any) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        fun, (shape,) = program(rng)
        compared(fun, lambda r=rng, s=shape: [numbers(r, s), numbers(r, s)], 6)


# -- solvers ---------------------------------------------------------------------------------------


def rosenbrock(x: Any) -> Any:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def valley(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.sum((x - xp.sin(x[::-1])) ** 2) + xp.exp(-x[0]) * x[0] ** 2


def circle(x: Any) -> Any:
    return array_namespace(x).stack([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])


def three(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.stack([10 * (x[1] - x[0] ** 2), xp.cos(x[0]) - x[1], x[0] * x[1] - 1])


MINIMA = ("BFGS", "L-BFGS-B", "Nelder-Mead", "CG", "trust-ncg")
SOLVERS: dict[str, Callable[[Any], Any]] = {
    **{m: lambda x, m=m: minimize(rosenbrock, x, method=m) for m in MINIMA},
    **{f"{m}, valley": lambda x, m=m: minimize(valley, x, method=m) for m in MINIMA},
    "BFGS, differences": lambda x: minimize(rosenbrock, x, method="BFGS", jac="2-point"),
    "L-BFGS-B, bounds": lambda x: minimize(valley, x, method="L-BFGS-B", bounds=[(-1, 0.5)] * 2),
    "Nelder-Mead, bounds": lambda x: minimize(
        rosenbrock, x, method="Nelder-Mead", bounds=[(-2, 0.9), (-2, 2)]
    ),
    **{f"root, {m}": lambda x, m=m: root(circle, x, method=m) for m in ("newton", "lm")},
    "anderson": lambda x: root(lambda v: v - 0.2 * circle(v), x * 0.1, method="anderson"),
    "least_squares, lm": lambda x: least_squares(three, x, method="lm"),
    "least_squares, trf": lambda x: least_squares(three, x),
    "nnls": lambda x: nnls(np.stack([x, x**2, 1 - x]), np.asarray([1.0, -2.0, 0.5]), maxiter=40),
    "lsq_linear": lambda x: lsq_linear(np.stack([x, x**2, 1 - x]), x[[0, 1, 0]], (-0.1, 0.3)),
}


def parts(result: Any) -> list[Any]:
    values = result if isinstance(result, tuple) else tuple(vars(result).values())
    return [np.asarray(x) for x in flatten(list(values))[0] if hasattr(x, "dtype")]


@pytest.fixture
def spelled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bool]]:
    """Kinds that nobody knows, and a list of the programs written: instructions, functions in it."""
    monkeypatch.setattr(_stepping, "_KEPT", Cache(256))
    monkeypatch.setattr(_stepping, "_TEXT_AFTER", 2)
    monkeypatch.setattr(_stepping, "_INNER_AFTER", 4)
    found: list[tuple[int, bool]] = []
    own = _stepping.spelled_out

    def noted(program: Any, inner: Any, loops: bool = False) -> Any:
        out = own(program, inner, loops)
        if out is not None:
            found.append((len(program.steps), any(inner(s) for s in program.steps if s.whole)))
        return out

    def failed(steps: Any, form: Any, error: Exception) -> Any:
        raise AssertionError("a program failed where the step doesn't") from error

    monkeypatch.setattr(_stepping, "spelled_out", noted)
    monkeypatch.setattr(_stepping.Stepping, "failed", failed)
    return found


def unrecorded(monkeypatch: pytest.MonkeyPatch, solve: Callable[[Any], Any], x: Any) -> list[Any]:
    with monkeypatch.context() as context:
        context.setattr(_driver, "stepping", lambda *given: None)
        return parts(solve(x))


QUICK = ("BFGS, valley", "Nelder-Mead", "root, newton", "least_squares, lm")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.full) for n in SOLVERS]
)
@pytest.mark.filterwarnings("ignore")
def test_solvers_have_the_same_bits(
    name: str, spelled: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(10)
    with likewise.prefer("generic"):
        for _ in range(3 if name in QUICK else 8):
            x = np.asarray([-1.2, 1.0]) + 0.4 * rng.normal(size=2)
            expected = unrecorded(monkeypatch, SOLVERS[name], x)
            for a, b in zip(parts(SOLVERS[name](x)), expected, strict=True):
                assert a.dtype == b.dtype
                assert a.tobytes() == b.tobytes()
    assert spelled
    assert any(inner for _, inner in spelled) or name in ("nnls", "lsq_linear")


def test_a_function_that_changes_is_another(
    spelled: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function's numbers are part of its key, and a callback may change them between steps."""
    c = 1.0
    start = np.asarray([-1.2, 1.0])

    def fun(x: Any) -> Any:
        return (x[1] - c * x[0] ** 2) ** 2 + (c - x[0]) ** 2

    def moved(x: Any) -> None:
        nonlocal c
        c += 0.01

    def solve(x: Any) -> Any:
        nonlocal c
        c = 1.0
        return minimize(fun, x, method="BFGS", callback=moved)

    with likewise.prefer("generic"):
        for other in (1.0, 2.0, 1.0):
            c = other
            solve_one = lambda x: minimize(fun, x, method="BFGS")  # noqa: E731
            expected = unrecorded(monkeypatch, solve_one, start)
            for _ in range(2):
                for a, b in zip(parts(solve_one(start)), expected, strict=True):
                    assert a.tobytes() == b.tobytes()
        assert any(inner for _, inner in spelled)
        expected = unrecorded(monkeypatch, solve, start)
        for _ in range(3):
            for a, b in zip(parts(solve(start)), expected, strict=True):
                assert a.tobytes() == b.tobytes()


def test_functions_that_are_new_in_each_call_are_called(
    spelled: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To write the code of a function that isn't seen again would take longer than the calls."""
    monkeypatch.setattr(_stepping, "_INNER_AFTER", 200)
    start = np.asarray([-1.2, 1.0])
    with likewise.prefer("generic"):
        for k in range(6):

            def fun(x: Any, c: float = 1.0 + k) -> Any:
                return (x[1] - c * x[0] ** 2) ** 2 + (c - x[0]) ** 2

            minimize(fun, start, method="BFGS", options={"maxiter": 30})
    assert spelled
    assert not any(inner for _, inner in spelled)


@pytest.mark.parametrize("library", ["strict", "torch"])
def test_other_libraries_keep_their_arrays(library: str, spelled: list[Any]) -> None:
    with likewise.use(library), likewise.prefer("generic"):
        x = likewise.xp.asarray([0.9, 0.8])
        for _ in range(3):
            minimize(rosenbrock, x, method="Nelder-Mead", options={"maxiter": 6})
    assert not spelled


class _State(NamedTuple):
    x: Any
    count: Any
    status: Any


def _halved(problems: Any, s: _State) -> _State:
    """A step of a sequence that takes two ways."""
    (rate,) = problems
    xp = array_namespace(s.x)
    x = cond(xp.all(s.x > 5), lambda x: x / 2 - rate, lambda x: x * 3 + xp.sqrt(rate), s.x)
    end = outcomes(x, (x > 90, Outcome.CONVERGED))
    return _State(x, s.count + 1, end)


@pytest.mark.parametrize("limit", [1, 2, 7, 30])
def test_several_steps_at_once(
    limit: int, spelled: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops end at the limit, at the end, and where another way begins."""
    monkeypatch.setattr(_halved, "__module__", "likewise.tests")  # only our own are recorded
    taken: list[int] = []
    own = _stepping.Stepping.take

    def noted(steps: Any, most: int = -1) -> Any:
        out = own(steps, most)
        taken.append(steps.steps)
        return out

    monkeypatch.setattr(_stepping.Stepping, "take", noted)

    def solve(x: Any) -> Any:
        def start(problems: Any) -> _State:
            zero = np.zeros(1, np.int32)
            return _State(x, zero, zero)

        with np.errstate(all="ignore"):
            return iterate(Method(start, _halved), (0.1 * x,), limit)

    most = 0
    for k in range(12):
        x = np.asarray([1.0 + k * k])
        expected = unrecorded(monkeypatch, lambda x: SimpleNamespace(**solve(x)._asdict()), x)
        taken.clear()
        got = solve(x)
        for a, b in zip(got, expected, strict=True):
            assert same(a, b)
        assert sum(taken) == int(got.count[0])
        most = max(most, *taken)
    assert spelled
    assert limit < 3 or most > 1
