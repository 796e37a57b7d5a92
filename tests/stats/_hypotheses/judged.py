"""Compare results of tests with SciPy's, field by field."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from likewise import to_numpy

__all__ = ["agree", "agrees", "drawn"]


def agree(
    found: Any,
    expected: Any,
    fields: Sequence[str] = ("statistic", "pvalue"),
    rtol: float = 1e-10,
    atol: float = 1e-13,
) -> None:
    """Raise AssertionError unless fields of the results are equal, NaNs among them."""
    for name in fields:
        got, want = to_numpy(getattr(found, name)), np.asarray(getattr(expected, name))
        assert got.shape == want.shape, (name, got.shape, want.shape)
        np.testing.assert_allclose(
            got, want.astype(float), rtol=rtol, atol=atol, equal_nan=True, err_msg=name
        )


def agrees(
    ours: Callable[..., Any], theirs: Callable[..., Any], *args: Any, xp: Any = None, **options: Any
) -> None:
    """Call both with arrays, ours with those of a namespace, and compare."""
    comparing = {k: options.pop(k) for k in ("fields", "rtol", "atol") if k in options}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            expected = theirs(*args, **options)
        except (ValueError, TypeError) as error:
            expected = error
        given = [xp.asarray(a) if xp is not None and hasattr(a, "dtype") else a for a in args]
        if isinstance(expected, Exception):
            try:
                found = ours(*given, **options)
            except type(expected):
                return
            raise AssertionError(f"SciPy raises {expected!r}, we return {found!r}")
        if any("calculation unsuccessful" in str(w.message) for w in told):
            return  # SciPy's exact p-value rounds to more than 1, and is replaced by another
        found = ours(*given, **options)
    agree(found, expected, **comparing)


def drawn(rng: np.random.Generator, count: int, paired: bool = False, least: int = 0) -> Any:
    """Return samples of random sizes, in batches along a random axis, with ties and NaNs."""
    kind = rng.integers(4)
    ndim = int(rng.integers(1, 4))
    axis = int(rng.integers(ndim))
    batch = [int(n) for n in rng.integers(1, 4, size=ndim)]
    size = int(rng.integers(least, 4 if rng.random() < 0.3 else 14))
    samples = []
    for _ in range(count):
        shape = list(batch)
        shape[axis] = size if paired else max(least, size + int(rng.integers(-2, 3)))
        x = rng.normal(size=shape)
        x = np.round(x * 2) if kind == 1 else x
        if kind == 2:
            x[rng.random(shape) < 0.15] = np.nan
        samples.append(x)
    policy = str(rng.choice(["propagate", "omit"]))
    options = {"axis": None if rng.random() < 0.1 else axis, "nan_policy": policy}
    if rng.random() < 0.3:
        options["keepdims"] = True
    return samples, options
