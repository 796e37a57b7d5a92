"""The script that runs other packages' tests: whom it serves, what it counts, what it calls wrong."""

import importlib.util
import pickle
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise.signal

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> Any:
    path = ROOT / "ci" / "downstream.py"
    spec = importlib.util.spec_from_file_location("likewise_ci_downstream", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ours_is_called_and_counted_but_not_for_scipy_or_our_rows(script: Any) -> None:
    calls: Counter[str] = Counter()
    stand_in = script.standing_in(lambda x: "ours", lambda x: "theirs", calls, "signal.welch")
    assert stand_in(1) == "ours"
    for package in ("scipy.stats._x", "likewise._native"):
        namespace = {"__name__": package, "f": stand_in}
        assert eval("f(1)", namespace) == "theirs"
    assert eval("f(1)", {"__name__": "scipyish", "f": stand_in}) == "ours"
    assert calls == {"signal.welch": 2}


def test_every_function_of_the_same_name_is_replaced(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = {
        room: {
            n: getattr(sys.modules[f"scipy.{room}"], n) for n in dir(sys.modules[f"scipy.{room}"])
        }
        for room in script.ROOMS
        if importlib.import_module(f"scipy.{room}")
    }
    for room, names in theirs.items():  # put back at the end
        for name, value in names.items():
            monkeypatch.setattr(f"scipy.{room}.{name}", value)
    calls = script.replace(script.ROOMS)
    changed = {
        room: {n for n, old in names.items() if getattr(sys.modules[f"scipy.{room}"], n) is not old}
        for room, names in theirs.items()
    }
    assert all(changed.values())
    assert {"curve_fit", "minimize"} <= changed["optimize"]
    assert not changed["optimize"] & {"Bounds", "OptimizeResult", "LinearConstraint"}
    taps = scipy.signal.firwin(5, 0.3)
    np.testing.assert_allclose(taps, likewise.signal.firwin(5, 0.3))
    assert calls == {"signal.firwin": 1}
    assert pickle.loads(pickle.dumps(scipy.signal.firwin)) is scipy.signal.firwin


def test_what_is_wrong(script: Any) -> None:
    before = {"a::t": "passed", "a::u[1]": "passed", "a::u[2]": "passed", "b::v": "failed"}
    compare = script.compare
    assert compare(before, before, {}) == ([], [])
    # Gone, failing and skipped are all not passed; what failed before doesn't count.
    after = {"a::t": "skipped", "a::u[1]": "failed"}
    assert compare(before, after, {}) == (["a::t", "a::u[1]", "a::u[2]"], [])
    assert compare(before, after, {"a::u": "why"}) == (["a::t"], [])
    assert compare(before, after, {"a::u[1]": "why"}) == (["a::t", "a::u[2]"], [])
    assert compare(before, after, {"a": "why"}) == ([], [])
    # A reason whose test passes is stale; one whose test didn't run (-k) is left alone.
    assert compare(before, before, {"a::u": "why", "z::w": "why"}) == ([], ["a::u"])


def test_every_reason_is_of_a_package_that_is_run_and_says_something(script: Any) -> None:
    reasons = script.tomllib.loads(script.EXPECTED.read_text())
    assert reasons.keys() <= script.PACKAGES.keys()
    assert all(len(why) > 20 for tests in reasons.values() for why in tests.values())


def test_a_test_that_goes_on_for_ever_fails(script: Any, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_endless():
            while True: pass

        def test_quick():
            pass
        """
    )
    recorder = script.Recorder(0.2)
    pytester.inline_run("-p", "no:likewise.testing.plugin", "-p", "no:zarr", plugins=[recorder])
    outcomes = {name.partition("::")[2]: o for name, o in recorder.outcomes.items()}
    assert outcomes == {"test_endless": "failed", "test_quick": "passed"}


def test_a_result_is_copied_into_an_array_of_the_caller(script: Any) -> None:
    place, found = np.zeros(2), np.ones(2)
    assert script.written(place, found) is place
    assert script.written(place, (2 * found, 5)) == 5  # of label
    np.testing.assert_array_equal(place, 2 * found)
