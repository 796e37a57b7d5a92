"""Programs for any number of lanes."""

from typing import Any

import numpy as np
import pytest

from likewise import array_namespace, fori_loop
from likewise._namespace import hooks_of
from likewise.transforms import _loops
from likewise.transforms._recordings._recording import record
from likewise.transforms._recordings._sized import sized

from .test_recording import same


def test_a_loop_with_slices_up_to_the_number_of_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_loops, "LEAST", 3)

    def fun(a: Any, b: Any) -> Any:
        def step(i: Any, v: Any) -> Any:
            last = a.shape[0] - 1
            return v * 0.5 + array_namespace(v).concat([v[:last, ...], v[-1:, ...]]) + a

        return fori_loop(0, 6, step, a * b)

    def given(n: int) -> list[Any]:
        rng = np.random.default_rng(n)
        return [rng.normal(size=(n, 2)), rng.normal(size=(n, 2))]

    programs = []
    for n in (30, 7):
        found, _, why = record(hooks_of(given(n)[0]), fun, given(n), lanes=n)
        assert found is not None and not why
        programs.append(found.program)
    made = sized(programs[0], 30, programs[1], 7)
    assert made is not None
    for n in (30, 7, 12, 1000):
        same(made.run(n, *given(n)), fun(*given(n)))
