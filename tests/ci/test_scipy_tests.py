"""The script that runs SciPy's tests of statistics: seeds, reasons, what stands in whose place."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.stats

import likewise.stats

CI = Path(__file__).parents[2] / "ci"


@pytest.fixture(scope="module")
def script() -> Any:
    sys.path.insert(0, str(CI))
    try:
        spec = importlib.util.spec_from_file_location("likewise_ci_scipy", CI / "scipy_tests.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(CI))
    return module


def test_a_generator_gives_another_seed_each_time_and_a_number_its_own(script: Any) -> None:
    rng = np.random.default_rng(1)
    assert script.seed_of(rng) != script.seed_of(rng)
    assert script.seed_of(1) == script.seed_of(np.random.default_rng(1))
    assert script.seed_of(1, old=True) == script.seed_of(np.random.RandomState(1))


def test_calls_reach_ours_with_keys_and_the_librarys_arrays(script: Any) -> None:
    place = script.Place("strict", "multivariate")
    room = script.Room(scipy.stats, likewise.stats, place)
    place.converts = True
    found = room.skew(np.asarray([1.0, 2.0, 9.0]), axis=0)
    assert isinstance(found, np.floating) and place.reached == 1
    assert np.isclose(found, scipy.stats.skew([1.0, 2.0, 9.0]))
    frozen = room.multivariate_normal(np.asarray([1.0, 2.0]))
    assert type(frozen.ours.mean).__module__.startswith("array_api_strict")
    drawn = frozen.rvs(size=3, random_state=1)
    assert isinstance(drawn, np.ndarray) and drawn.shape == (3, 2)
    assert not np.array_equal(drawn, frozen.rvs(size=3, random_state=2))
    with pytest.raises(likewise.errors.ArgumentError, match="nan_policy"):
        room.skew(np.ones(3), nan_policy="none")


def test_what_likewise_lacks_stays_scipys(script: Any) -> None:
    room = script.Room(scipy.stats, likewise.stats, script.Place("numpy", "stats"))
    assert room.levy_stable is scipy.stats.levy_stable
    # In files about statistics, distributions make data.
    assert room.norm is scipy.stats.norm
    other = script.Room(scipy.stats, likewise.stats, script.Place("numpy", "fit"))
    assert other.norm.ours is likewise.stats.norm
    assert isinstance(other._stats_py, ModuleType)


def test_names_of_tests_are_without_libraries(script: Any) -> None:
    for name in ("T::t[numpy-1-a]", "T::t[torch-1-a]", "T::t[1-array_api_strict-a]", "T::t[1-a]"):
        assert script.short(f"f.py::{name}") == "T::t[1-a]"
    for name in ("t[torch]", "t"):
        assert script.short(f"f.py::{name}") == "t"
    assert script.short("f.py::T::t[1-numpy]") == "T::t[1]"


def test_failures_have_reasons(script: Any) -> None:
    outcomes = {"f::a": "passed", "f::b[1]": "failed", "f::C::c": "failed", "f::d": "failed"}
    why = {"f::d": "ArgumentError: f: method must be one of"}
    reasons, without, used = script.judged(outcomes, why, {}, {})
    assert not reasons and not used
    assert [w.partition(":")[0] for w in without] == ["b[1]", "C", "d"]
    listed, words = {"one": ["b", "a"], "two": ["C"]}, {"method must": "three"}
    reasons, without, used = script.judged(outcomes, why, listed, words)
    assert reasons == {"one": 1, "two": 1, "three": 1} and not without and used == {"b", "C"}


def test_each_reason_is_of_a_file_that_is_run(script: Any) -> None:
    table = script.tomllib.loads(script.REASONS.read_text())
    assert table.keys() <= {
        *script.EVERY,
        *script.DISTRIBUTIONS,
        "words",
        "without",
    }
    found = [*table.pop("words").values(), *table.pop("without").values()]
    reasons = [*found, *(r for t in table.values() for r in t)]
    assert all(len(reason) > 20 for reason in reasons)
