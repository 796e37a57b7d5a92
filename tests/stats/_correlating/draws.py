"""Random calls of functions of samples, and SciPy's results, a sample at a time."""

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from likewise import to_numpy

__all__ = ["compare", "pick", "sample"]


def pick(rng: np.random.Generator, *some: Any) -> Any:
    """Return one of the values."""
    return some[rng.integers(len(some))]


def sample(rng: np.random.Generator, *shape: int) -> Any:
    """Return normal numbers, rounded more or less or not at all, some of them with NaNs."""
    x = rng.normal(size=shape)
    x = pick(rng, x, x, x.round(1), (3 * x).round(), x * 1e-3)
    if rng.random() < 0.3:
        x = np.where(rng.random(shape) < 0.15, np.nan, x)
    return x


def compare(
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    args: Sequence[Any],
    options: dict[str, Any],
    fields: Sequence[str] = ("statistic", "pvalue"),
    axis: int | None = -1,
    rtol: float = 1e-10,
    atol: float = 1e-13,
    xp: Any = np,
) -> None:
    """Compare one call with SciPy's for each sample along the axis.

    Where SciPy raises an error for a sample, NaN is expected, or our ValueError if it is the only
    one.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = [xp.asarray(x) for x in args]
        axes = {} if axis is None else {"axis": axis}
        rows = [x.reshape(-1) if axis is None else np.moveaxis(x, axis, -1) for x in args]
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in rows))
        rows = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in rows]
        expected = {name: np.full(batch, np.nan) for name in fields}
        error = None
        for index in itertools.product(*map(range, batch)):
            try:
                found = theirs(*(x[index] for x in rows), **options)
            except (ValueError, ZeroDivisionError) as raised:
                error = raised
                continue
            for name in fields:
                expected[name][index] = getattr(found, name)
        try:
            got = ours(*given, **options, **axes)
        except ValueError:
            assert isinstance(error, ValueError), (args, options)
            return
    for name in fields:
        value = to_numpy(getattr(got, name))
        assert value.shape == batch, (name, value.shape, batch)
        np.testing.assert_allclose(
            value, expected[name], rtol=rtol, atol=atol, err_msg=f"{name} {args} {options}"
        )
