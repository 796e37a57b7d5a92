"""Solvers of one problem on Python's numbers: the same bits as on arrays."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace
from likewise._namespace import hooks_of
from likewise._native import switched
from likewise.errors import DtypeError, LikewiseError, ShapeError
from likewise.optimize import (
    bracket_minimum,
    bracket_root,
    find_minimum,
    find_root,
    fixed_point,
    minimize_scalar,
    root_scalar,
)
from likewise.solving import _numbers
from likewise.solving._numbers import _followed, on_numbers
from likewise.transforms import while_loop
from likewise.transforms._following._instructions import MOVED

VALUES = (0.0, -0.0, 1.0, -2.5, 1e-310, 1e300, math.inf, -math.inf, math.nan)


def one(x: float) -> Any:
    return np.asarray([x])


def same(a: Any, b: Any) -> bool:
    """Equal bits, but for the sign of NaN, which means nothing."""
    return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def of_two(name: str) -> Callable[..., Any]:
    def call(ask: Any, x: Any, y: Any) -> Any:
        xp = array_namespace(x, y)
        fun = getattr(xp, name)
        if name.startswith(("bitwise", "logical")):
            x, y = x > 0, y > 0
        if name == "where":
            return [fun(x > y, x, y)]
        if name in ("any", "all", "max", "min"):
            return [fun(x if name.startswith("m") else x > 0)]
        unary = "positive negative abs sign sqrt square isnan isfinite isinf".split()
        unary += ["bitwise_invert", "logical_not"]
        return [fun(x) if name in unary else fun(x, y)]

    return call


@pytest.mark.parametrize("name", sorted(set(_numbers._WORDS) - MOVED))
def test_each_instruction_is_what_it_is_on_arrays(name: str) -> None:
    fun = of_two(name)
    found = _followed(fun, [one(1.5), one(2.5)])
    assert found is not None
    with np.errstate(all="ignore"):
        for x, y in itertools.product(VALUES, VALUES):
            if name in ("maximum", "minimum") and x == y == 0:
                continue  # which of two zeros is larger depends on the processor
            (expected,) = fun(None, one(x), one(y))
            (ours,) = found[1](x, y)
            wide = expected.item()
            assert type(ours) is type(wide)
            assert same(ours, wide), (x, y, ours, wide)


def test_shapes_dtypes_and_loops() -> None:
    def fun(ask: Any, x: Any) -> Any:
        xp = array_namespace(x)
        scalar = xp.reshape(x, ())
        y = xp.broadcast_to(xp.expand_dims(scalar, axis=0), (1,)) ** 2 + xp.full_like(x, -0.5)
        count = xp.astype(x > 1, xp.int32) + 1

        def body(carry: Any) -> Any:
            k, z, n = carry
            inner = while_loop(lambda v: xp.all(v < z), lambda v: v + scalar, xp.zeros_like(z))
            return k + 1, z + inner / 4, n + count

        k, z, n = while_loop(lambda c: xp.all(c[0] < 5), body, (xp.zeros((1,)), y, count))
        turned = xp.matrix_transpose(xp.permute_dims(xp.flip(z)[None, :], (1, 0)))
        z = xp.linalg.diagonal(xp.linalg.matrix_transpose(xp.moveaxis(turned, 0, 1)))
        return [xp.astype(n, xp.float64), z[...], xp.squeeze(z[None, :], axis=0), k, n]

    found = _followed(fun, [one(1.5)])
    assert found is not None
    for x in (0.3, 1.5, 2.0):
        expected = [v.item() for v in fun(None, one(x))]
        ours = found[1](x)
        assert ours == expected
        assert list(map(type, ours)) == list(map(type, expected))


@pytest.mark.parametrize(
    "body",
    [
        lambda x: array_namespace(x).exp(x),  # Python's is another one
        lambda x: x**3,
        lambda x: array_namespace(x).concat([x, x]),
        lambda x: x if x > 0 else -x,
        lambda x: x * np.asarray([2.0]),
        lambda x: array_namespace(x).sum(x),
        lambda x: array_namespace(x).astype(x, array_namespace(x).float32),
        lambda x: (x > 0) + (x < 0),
    ],
)
def test_what_python_has_no_words_for_is_left(body: Any) -> None:
    assert _followed(lambda ask, x: [body(x)], [one(1.0)]) is None


def test_it_is_followed_at_the_third_call_and_few_are_kept(monkeypatch: Any) -> None:
    calls: list[int] = []

    def double(ask: Any, x: Any) -> Any:
        calls.append(1)
        return [ask("f", x, 1)[0] + x]

    key = object()
    found = [on_numbers(key, double, [one(1.0)]) for _ in range(5)]
    assert found[:2] == [None, None]
    assert found[2] is not None
    assert found[2] is found[4]
    assert len(calls) == 1
    names, run = found[2]
    assert names == ("f",)
    assert run(lambda x: [10 * x], 2.0) == [22.0]
    monkeypatch.setattr(_numbers._KEPT, "size", 3)
    for k in range(9):
        on_numbers(k, double, [one(1.0)])
    assert len(_numbers._KEPT) <= 3
    # Inside of a transform nothing has a number.
    assert likewise.transforms.vmap(
        lambda x: x + (on_numbers(key, double, [one(1.0)]) is not None)
    )(np.zeros(2)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "state",
    [
        lambda: np.errstate(over="raise"),
        lambda: likewise.use(dtype="float32"),
        lambda: likewise.prefer("generic"),
    ],
)
def test_what_was_followed_in_one_state_serves_in_no_other(state: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(_numbers, "_AFTER", 0)
    usual = np.geterr()

    def solve(ask: Any, x: Any) -> Any:
        usual_default = likewise.xp.zeros(1).dtype == np.float64
        return [x * (2.0 if usual_default and not switched() else 3.0)]

    key = object()
    for _ in range(2):
        first = on_numbers(key, solve, [one(1.0)])
        assert first[1](1.0) == [2.0]
        with state():
            found = on_numbers(key, solve, [one(1.0)])
            assert found is not first
            assert found[1](1.0) == [2.0 if np.geterr() != usual else 3.0]


# -- the solvers -----------------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "cubic": lambda x: x**3 - 2 * x - 5,
    "flat": lambda x: (x - 1) ** 3,
    "step": lambda x: array_namespace(x).sign(x - 1.7),
    "nan": lambda x: array_namespace(x).sqrt(x - 1.5),
    "pole": lambda x: 1 / (x - 1.5),
    "number": lambda x: 3.0,
    "wave": lambda x: array_namespace(x).cos(3 * x),
}


def fields(solve: Callable[[], Any]) -> Any:
    with np.errstate(all="ignore"):
        try:
            found = solve()
        except (LikewiseError, ValueError) as error:
            return type(error), str(error)
    out: list[Any] = []
    names = found.keys()
    for value in (getattr(found, k, None) for k in names):
        for v in value if isinstance(value, tuple) else (value,):
            if isinstance(v, np.ndarray | np.generic):
                out += [v.dtype, v.shape, v.tobytes()]
            else:
                out.append(v)
    return out


def slope(f: Any) -> Any:
    return lambda x: (f(x + 1e-6) - f(x - 1e-6)) / 2e-6


SOLVERS: dict[str, Callable[[Any, float, float], Any]] = {
    **{
        m: lambda f, a, b, m=m: root_scalar(f, bracket=(a, b), method=m)
        for m in ("brentq", "brenth", "bisect", "chandrupatla")
    },
    "few": lambda f, a, b: root_scalar(f, bracket=(a, b), maxiter=2),
    "exact": lambda f, a, b: root_scalar(lambda x: f(x) + 0 * x, x0=a),
    "newton": lambda f, a, b: root_scalar(f, x0=b, fprime=slope(f)),
    "halley": lambda f, a, b: root_scalar(f, x0=b, fprime=slope(f), fprime2=slope(slope(f))),
    "joined": lambda f, a, b: root_scalar(lambda x: (f(x), slope(f)(x)), x0=b, fprime=True),
    "secant": lambda f, a, b: root_scalar(f, x0=a, x1=b),
    "beside": lambda f, a, b: root_scalar(f, x0=a, method="secant", maxiter=7),
    "find_root": lambda f, a, b: find_root(f, (a, b)),
    "find_minimum": lambda f, a, b: find_minimum(f, (a, 0.5 * (a + b), b)),
    "bracket_root": lambda f, a, b: bracket_root(f, a, b),
    "bracket_minimum": lambda f, a, b: bracket_minimum(f, a, xmax=9.0),
    "brent": lambda f, a, b: minimize_scalar(f, bracket=(a, b)),
    "three": lambda f, a, b: minimize_scalar(f, bracket=(a, 0.5 * (a + b), b)),
    "bounded": lambda f, a, b: minimize_scalar(f, bounds=(a, b), method="bounded"),
    "golden": lambda f, a, b: minimize_scalar(f, method="golden"),
    "fixed": lambda f, a, b: fixed_point(lambda x: x - f(x) / 8, a, full_output=True),
    "plain": lambda f, a, b: fixed_point(
        lambda x: x - f(x) / 8, a, method="iteration", full_output=True, maxiter=30
    ),
}


@pytest.mark.parametrize("solver", sorted(SOLVERS))
@pytest.mark.share(2)
def test_solvers_give_the_same_bits(solver: str, monkeypatch: Any) -> None:
    solve = SOLVERS[solver]
    library: Any = hooks_of(one(1.0))
    served: list[bool] = []

    def counted(*args: Any) -> Any:
        found = on_numbers(*args)
        served.append(found is not None)
        return found

    monkeypatch.setattr("likewise.solving._elementwise.on_numbers", counted)
    monkeypatch.setattr(_numbers, "_AFTER", 0)
    for name, f in FUNCTIONS.items():
        for a, b in ((1.0, 3.0), (-1.0, 1.5), (math.nan, 1.0)):
            with likewise.prefer("generic"):
                ours = fields(lambda: solve(f, a, b))  # noqa: B023
                with monkeypatch.context() as patch:
                    patch.setattr(library.__class__, "floats", False)
                    expected = fields(lambda: solve(f, a, b))  # noqa: B023
            assert ours == expected, (name, a, b)
    assert sum(served) >= len(FUNCTIONS)


def test_arguments_and_errors_are_as_on_arrays(monkeypatch: Any) -> None:
    monkeypatch.setattr(_numbers, "_AFTER", 0)
    with likewise.prefer("generic"):
        found = root_scalar(lambda x, c, k: x**3 - c - k, (np.asarray(2.0), 1), bracket=(0.0, 3.0))
        assert type(found.root) is type(find_root(lambda x: x - 1, (0.0, 3.0)).x)
        np.testing.assert_allclose(found.root, 3 ** (1 / 3), rtol=1e-12)
        with pytest.raises(ShapeError, match="f"):
            root_scalar(lambda x: np.zeros(3), bracket=(0.0, 3.0))
        with pytest.raises(DtypeError, match="complex"):
            root_scalar(lambda x: x + 1j, bracket=(0.0, 3.0))

        def failing(x: Any) -> Any:
            raise KeyError("of the user")

        with pytest.raises(KeyError, match="of the user"):
            root_scalar(failing, bracket=(0.0, 3.0))
        seen: list[Any] = []
        root_scalar(lambda x: seen.append(x) or x - 1, bracket=(0.0, 3.0))  # type: ignore[func-returns-value]
        assert {type(x) for x in seen} == {np.float64}
