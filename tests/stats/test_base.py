"""Samples as rows: axes, pairs, NaNs."""

from typing import Any

import numpy as np
import pytest

from likewise import errors
from likewise.stats import kendalltau, mannwhitneyu
from likewise.stats._base._samples import count, enough, mean, samples


def test_axes_go_to_the_end_and_come_back(xp: Any) -> None:
    x = xp.reshape(xp.arange(24.0, dtype=xp.float64), (2, 3, 4))
    (rows,), back = samples("f", (0, 2), "propagate", keepdims=True, a=x)
    assert rows.x.shape == (3, 8) and count(rows) == 8
    found = back(mean(rows)[..., 0])
    assert found.shape == (1, 3, 1)
    assert np.allclose(np.asarray(found)[0, :, 0], np.arange(24.0).reshape(2, 3, 4).mean((0, 2)))


def test_pairs_are_left_out_together() -> None:
    x = np.asarray([1.0, np.nan, 3.0, 4.0])
    y = np.asarray([np.nan, 2.0, 3.0, 5.0])
    (a, b), _ = samples("f", 0, "omit", paired=True, x=x, y=y)
    assert count(a)[0] == 2 and mean(b)[0] == 4.0


def test_small_samples_are_told() -> None:
    (rows,), _ = samples("f", 0, "propagate", a=np.zeros(1))
    with pytest.warns(errors.SmallSampleWarning, match="2 are needed"):
        assert enough("f", rows, least=2) is False
    (rows,), _ = samples("f", 1, "omit", a=np.asarray([[1.0, np.nan], [1.0, 2.0]]))
    with pytest.warns(errors.SmallSampleWarning, match="after omitting"):
        assert list(enough("f", rows, least=2)) == [False, True]


def test_nans_raise() -> None:
    with pytest.raises(errors.ArgumentError, match="contains nan values"):
        samples("f", 0, "raise", a=np.asarray([np.nan]))
    with pytest.raises(errors.ArgumentError, match="nan_policy"):
        samples("f", 0, "drop", a=np.asarray([np.nan]))


@pytest.mark.filterwarnings("ignore:Dynamo detected:UserWarning")
@pytest.mark.needs("torch")
def test_an_exact_test_compiles_after_an_eager_call() -> None:
    import torch

    x, y = (torch.asarray(v, dtype=torch.float64) for v in ([1.0, 3, 2, 5, 4], [2.0, 1, 3, 5, 4]))

    def both(x: Any, y: Any) -> Any:
        return kendalltau(x, y).pvalue, mannwhitneyu(x, y + 0.5).pvalue

    expected = both(x, y)
    found = torch.compile(both, fullgraph=True, backend="eager")(x, y)
    assert [float(v) for v in found] == [float(v) for v in expected]
