"""Maps that run lane after lane are seen, and others are not."""

import numpy as np
import pytest

from likewise.testing._loops import loops_of_lanes
from likewise.transforms import vmap
from likewise.transforms._rules._batching import BATCHING


def test_true_batches_are_none() -> None:
    with loops_of_lanes() as loops:
        vmap(lambda x: x * 2)(np.ones((2, 3)))
    assert loops == set()


def test_loops_of_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    import likewise

    monkeypatch.setitem(BATCHING, "sin", "loop")
    with loops_of_lanes() as loops:
        vmap(lambda x: likewise.array_namespace(x).sin(x))(np.ones((2, 3)))
    assert loops == {"sin"}


@pytest.mark.needs("torch")
def test_torchs_own() -> None:
    import torch

    test = torch.asarray([2, 9])
    with loops_of_lanes() as loops:
        vmap(lambda x: torch.isin(x, test))(torch.asarray([[1, 2], [9, 4]]))
    assert len(loops) == 1 and "isin" in loops.pop()
