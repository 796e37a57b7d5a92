"""Fast lengths against SciPy's."""

import pytest
import scipy.fft

from likewise.errors import ArgumentError
from likewise.fft import next_fast_len, prev_fast_len


@pytest.mark.parametrize("real", [False, True])
def test_equals_scipy(real: bool) -> None:
    numbers = [*range(1, 3000), 10**6 + 1, 2**31 + 1, 123456789]
    assert [next_fast_len(n, real) for n in numbers] == [
        scipy.fft.next_fast_len(n, real) for n in numbers
    ]
    assert [prev_fast_len(n, real) for n in numbers] == [
        scipy.fft.prev_fast_len(n, real) for n in numbers
    ]


@pytest.mark.parametrize("target", [-1, 2.0, "8", None])
def test_refuses(target: object) -> None:
    with pytest.raises(ArgumentError, match="next_fast_len: target"):
        next_fast_len(target)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="prev_fast_len: target"):
        prev_fast_len(target)  # type: ignore[arg-type]


def test_zero() -> None:
    assert next_fast_len(0) == prev_fast_len(0) == 0
