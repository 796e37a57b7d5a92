"""The table of the standard's functions, against array-api-strict, NumPy and PyTorch."""

import contextlib
import importlib.util
import inspect
import itertools
import operator
import warnings
from collections.abc import Iterator
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from likewise import _creation, namespace
from likewise._standard import (
    ARRAYS,
    FFT,
    FUNCTIONS,
    LINALG,
    OPERATORS,
    TABLE,
    VERSION,
    having,
)

LIBRARIES = ["numpy", "strict", *(["torch"] if importlib.util.find_spec("torch") else [])]
# What a call needs besides arrays, and what makes a difference to its result's memory.
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "astype": [{"dtype": "float64"}, {"dtype": "float64", "copy": False}],
    "broadcast_to": [{"shape": (2, 2)}],
    "diff": [{}, {"n": 0}],
    "expand_dims": [{"axis": 0}],
    "fft.fftn": [{}, {"axes": ()}],
    "fft.ifftn": [{}, {"axes": ()}],
    "flip": [{}, {"axis": ()}],
    "full_like": [{"fill_value": 2.0}],
    "linalg.matrix_power": [{"n": 2}, {"n": 1}],
    "moveaxis": [{"source": 0, "destination": -1}],
    "permute_dims": [{"axes": (1, 0)}, {"axes": (0,)}],
    "reshape": [{"shape": (-1,)}],
    "roll": [{"shift": 0}],
    "squeeze": [{"axis": ()}],
    "tile": [{"repetitions": (1,)}, {"repetitions": (2,)}],
}
AXES = "cumulative_sum cumulative_prod take take_along_axis repeat".split()
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, -1.0, 0.5]
SOME = [0.5, -0.5, 0.25, 0.75]


def function(xp: Any, name: str) -> Any:
    return operator.attrgetter(name)(xp)


def examples(xp: Any, values: list[Any]) -> Iterator[Any]:
    """Vectors and square matrices of the values, in some dtypes."""
    whole = [int(v) if abs(v) < 1e10 else 7 for v in np.nan_to_num(values, nan=2.0)]
    for one, dtype in [
        *((values, d) for d in ("float64", "complex128")),
        *((whole, d) for d in ("int64", "bool")),
    ]:
        x = xp.asarray(one, dtype=getattr(xp, dtype))
        yield x[:3]
        yield xp.reshape(x[:4], (2, 2))


def calls(xp: Any, name: str, values: list[Any]) -> Iterator[tuple[list[Any], Any]]:
    """Arrays, and what the function gives for them; an error where it refuses them."""
    row = FUNCTIONS[name]
    for x in examples(xp, values):
        given: list[Any] = [x for p in row.positional if p in ARRAYS and p not in row.defaults]
        if "indices" in row.positional:
            given[1] = xp.zeros(x.shape if name != "take" else (2,), dtype=xp.int64)
            given[1] += 9 * (values == SPECIAL)  # beyond its end
        if "repeats" in row.positional:
            given[1] = 2 if values != SPECIAL else -2
        if "condition" in row.positional:
            given[0] = x == x
        for settings in SETTINGS.get(name, [{}]):
            more = dict(settings)
            if more.get("dtype"):
                more["dtype"] = getattr(xp, more["dtype"])
            if name in AXES:
                more["axis"] = 0
            args = [(x, x)] if row.positional == ("arrays",) else list(given)
            args = [x, x] if row.rest == "arrays" else args
            args += [more.pop(p) for p in row.positional if p in more]
            try:
                with np.errstate(all="ignore"):
                    yield [x], function(xp, name)(*args, **more)
            except Exception as error:
                yield [x], error


CALLED = [n for n, r in FUNCTIONS.items() if not r.facts & {"creation", "inspection"}]


def results(xp: Any, name: str, values: list[Any] = SOME) -> list[tuple[list[Any], Any]]:
    found = [c for c in calls(xp, name, values) if not isinstance(c[1], Exception)]
    assert found, f"no example of {name} works"
    return found


def parts(out: Any) -> list[Any]:
    return list(out) if isinstance(out, tuple | list) else [out]


def memory(x: Any) -> Any:
    return getattr(x, "_array", x)


# -- names and parameters --------------------------------------------------------------------------


def test_every_function_has_one_row() -> None:
    whole = set(strict.__all__)
    found = {n for n in whole if inspect.isfunction(getattr(strict, n)) and "_flags" not in n}
    found |= {f"fft.{n}" for n in strict.fft.__all__}
    # Its __all__ forgets two that it has.
    found |= {f"linalg.{n}" for n in [*strict.linalg.__all__, "eig", "eigvals"]}
    assert set(FUNCTIONS) == found
    assert len(TABLE.strip().splitlines()) == len(found)
    assert {f"fft.{n}" for n in FFT} | {f"linalg.{n}" for n in LINALG} == {
        n for n in found if "." in n
    }
    assert strict.__array_api_version__ == VERSION


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_are_as_array_api_strict_has_them(name: str) -> None:
    row = FUNCTIONS[name]
    kinds: dict[Any, list[str]] = {}
    defaults = {}
    for p in inspect.signature(function(strict, name)).parameters.values():
        kinds.setdefault(p.kind, []).append(p.name)
        if p.default is not p.empty:
            defaults[p.name] = "None" if "UNDEF" in repr(p.default) else repr(p.default)
    kind = inspect.Parameter
    assert row.positional == tuple(kinds.pop(kind.POSITIONAL_ONLY, ()))
    assert row.either == tuple(kinds.pop(kind.POSITIONAL_OR_KEYWORD, ()))
    assert row.keywords == tuple(kinds.pop(kind.KEYWORD_ONLY, ()))
    assert [row.rest] == kinds.pop(kind.VAR_POSITIONAL, [""])
    assert not kinds
    assert row.defaults == defaults


def test_words_are_explained() -> None:
    text = inspect.getdoc(importlib.import_module("likewise._standard")) or ""
    words = {w for row in FUNCTIONS.values() for w in row.facts}
    for word in words:
        assert f"{word}: " in text or word.removeprefix("dtype:") in ("2024.12", "2025.12")


@pytest.mark.parametrize("python, sign, name", OPERATORS)
def test_operators(python: str, sign: str, name: str) -> None:
    x = strict.asarray([[7, 2], [3, 5]])
    y = strict.asarray([[2, 1], [3, 6]])
    if name == "divide":
        x, y = strict.astype(x, strict.float64), strict.astype(y, strict.float64)
    expected = function(strict, name)(x, y)
    for out in (getattr(operator, f"__{python}__")(x, y), eval(f"x {sign} y", {"x": x, "y": y})):
        assert bool(strict.all(out == expected)) and out.dtype == expected.dtype


def test_functions_that_make_arrays_by_default_know_their_kind() -> None:
    named = {n.rpartition(".")[2] for n in having("creation")}
    assert set(_creation._CREATION) == named - {"from_dlpack"}


# -- what is known ---------------------------------------------------------------------------------


def shared(x: Any, y: Any) -> bool:
    if not (hasattr(x, "untyped_storage") and hasattr(y, "untyped_storage")):
        return np.shares_memory(memory(x), memory(y))
    return bool(x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr() != 0)


def memory_of(name: str) -> None:
    facts = FUNCTIONS[name].facts
    assert len(facts & {"new", "view", "itself"}) <= 1
    found = {"shared": False, "itself": False}
    for library in LIBRARIES:
        xp = namespace(library)
        for given, out in results(xp, name):
            if isinstance(memory(given[0]), np.ndarray):  # their calls are recorded
                for a, b in itertools.combinations([*given, *parts(out)], 2):
                    assert not ("new" in facts and shared(a, b))
            found["itself"] |= any(o is g for o in parts(out) for g in given)
            found["shared"] |= any(shared(o, g) for o in parts(out) for g in given)
    if facts & {"composite", "view"}:
        assert found["shared"]
    elif "itself" in facts:
        assert found["itself"]
    else:
        assert not found["shared"]


def what_comes_out(name: str) -> None:
    facts = FUNCTIONS[name].facts
    xp = namespace("strict")
    found = results(xp, name)
    assert all(isinstance(out, tuple) == ("several" in facts) for _, out in found)
    truths = [all(o.dtype == xp.bool for o in parts(out)) for _, out in found]
    asked = [given[0].dtype != xp.bool for given, _ in found]
    assert ("truth" in facts) == all(t for t, a in zip(truths, asked, strict=True) if a)


def shapes_that_depend_on_values(name: str) -> None:
    xp = namespace("numpy")
    shapes: dict[Any, set[Any]] = {}
    for values in (SOME, [0.5, 0.5, 0.5, 0.5], [0.0, 0.0, 0.5, 0.25]):
        for k, (_, out) in enumerate(calls(xp, name, values)):
            if not isinstance(out, Exception):
                shapes.setdefault(k, set()).add(str([o.shape for o in parts(out)]))
    assert ("shaped" in FUNCTIONS[name].facts) == any(len(s) > 1 for s in shapes.values())


def elementwise(name: str) -> None:
    """A vector's results are those of its elements."""
    row, xp = FUNCTIONS[name], namespace("numpy")
    needed = {*row.positional, *row.either} - row.defaults.keys()
    if not needed <= ARRAYS - {"arrays"} | {"dtype"} or "like" in row.facts:
        assert "elementwise" not in row.facts
        return
    x = xp.asarray([0.5, -0.25, 0.75]) if "bitwise" not in name else xp.asarray([3, 1, 2])
    dtype = [xp.float32] * (name == "astype")
    count = len([p for p in row.positional if p in ARRAYS])
    given = [x[[1, 2, 0]] if i % 2 else x for i in range(count)]
    given = [x > 0, *given[1:]] if name == "where" else given
    if name in ("take", "take_along_axis", "repeat"):
        given[1] = xp.asarray([1, 2, 0 if "take" in name else 1])  # places, or how many
    try:
        with np.errstate(all="ignore"):
            whole = function(xp, name)(*given, *dtype)
            alone = [function(xp, name)(*(g[k : k + 1] for g in given), *dtype) for k in range(3)]
        same = whole.shape == x.shape and np.array_equal(whole, xp.concat(alone), equal_nan=True)
    except (ValueError, IndexError, AttributeError, np.linalg.LinAlgError):
        same = False
    assert same == ("elementwise" in row.facts)


def numbers_beside_arrays(name: str) -> None:
    refused: list[bool] = []
    for x in examples(namespace("strict"), [1.0, 1.0, 1.0, 1.0]):
        number = {"bool": True, "int64": 1}.get(str(x.dtype).rpartition(".")[2], 1.0)
        for args in ((x, number), (number, x)):
            arrays = [x == x, *args] if name == "where" else args
            try:
                function(strict, name)(*arrays)
                refused.append(False)
            except (TypeError, AttributeError, ValueError):
                refused.append(True)
    assert ("arrays" in FUNCTIONS[name].facts) == all(refused)


def what_may_raise_or_warn(name: str) -> None:
    facts, xp = FUNCTIONS[name].facts, namespace("numpy")
    told = [
        [type(out) if isinstance(out, Exception) else None for _, out in calls(xp, name, values)]
        for values in (SOME, SPECIAL, SPECIAL[3:] + SPECIAL[:3], [0.0] * 4, [-1.0] * 4)
    ]
    if not facts & {"raises", "shaped"}:
        assert all(t == told[0] for t in told)
    if "quiet" in facts or ("view" in facts and "elementwise" not in facts):
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("error")
            patch.setattr(np, "errstate", lambda **kwargs: contextlib.nullcontext())
            assert [o for _, o in calls(xp, name, SPECIAL) if isinstance(o, Warning)] == []


@pytest.mark.parametrize("name", CALLED)
def test_what_is_known(name: str) -> None:
    memory_of(name)
    what_comes_out(name)
    shapes_that_depend_on_values(name)
    what_may_raise_or_warn(name)
    if FUNCTIONS[name].parameters:
        elementwise(name)
    if {"x1", "x2"} <= set(FUNCTIONS[name].parameters):
        numbers_beside_arrays(name)
