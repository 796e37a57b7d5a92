"""Sample parameters of every row, for the tests that walk all of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["ROWS", "Row"]


class Row(NamedTuple):
    """Parameters at which a row is compared with SciPy's.

    `bad` are parameters outside of the domain. `loose` are methods for which SciPy has not the
    digits, with the relative error that it may have. `ends` are values at both ends of the support
    where ours differ from SciPy's, `kinks` points without derivatives, and `step` is that of
    differences in a parameter, relative to it.
    """

    samples: tuple[tuple[float, ...], ...]
    bad: tuple[tuple[float, ...], ...] = ()
    loose: Mapping[str, float] = {}
    ends: Mapping[str, Any] = {}
    kinks: tuple[float, ...] = ()
    step: float = 0.003


ROWS: dict[str, Row] = {
    "beta": Row(((2.5, 0.75), (40.0, 7.0)), ((-1.0, 2.0), (2.0, 0.0))),
    "chi2": Row(((0.5,), (3.0,), (60.0,)), ((0.0,), (-1.0,))),
    "f": Row(((3.0, 9.5), (30.0, 12.0)), ((0.0, 2.0), (2.0, -1.0)), {"isf": 1e-7}),
    "gamma": Row(((0.5,), (2.25,), (70.0,)), ((0.0,), (-1.0,))),
    "norm": Row(((),)),
    "t": Row(((0.75,), (4.5,)), ((0.0,), (-2.0,))),
}


def named(name: str) -> Any:
    """Return our distribution and SciPy's."""
    import scipy.stats

    import likewise.stats

    return getattr(likewise.stats, name), getattr(scipy.stats, name)
