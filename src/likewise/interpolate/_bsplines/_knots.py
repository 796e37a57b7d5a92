"""Knots of splines through points."""

from typing import Any

__all__ = ["around", "circle", "clamped", "not_a_knot"]


def not_a_knot(xp: Any, x: Any, k: int) -> Any:
    """Return knots for as many coefficients as points."""
    n = x.shape[-1]
    if k % 2:
        inner = x[..., (k + 1) // 2 : n - (k + 1) // 2]
    else:
        inner = (x[..., 1:] + x[..., :-1])[..., k // 2 : n - 1 - k // 2] / 2
    return xp.concat([x[..., :1]] * (k + 1) + [inner] + [x[..., -1:]] * (k + 1), axis=-1)


def clamped(xp: Any, x: Any, k: int) -> Any:
    """Return the points as knots, the ends k + 1 times."""
    return xp.concat([x[..., :1]] * k + [x] + [x[..., -1:]] * k, axis=-1)


def circle(xp: Any, x: Any, k: int) -> Any:
    """Knots (b, n + 2 k) that go on with the period."""
    n = x.shape[1]
    if k % 2 == 0:
        inner = x[:, 1:-1] - (x[:, 1:-1] - x[:, :-2]) / 2
        x = xp.concat([x[:, :1], inner, x[:, -1:]], axis=1)
    gaps = x[:, 1:] - x[:, :-1]
    turns = -(-k // (n - 1))
    gaps = xp.concat([gaps] * turns, axis=1)
    after = x[:, -1:] + xp.cumulative_sum(gaps[:, :k], axis=1)
    before = x[:, :1] - xp.flip(
        xp.cumulative_sum(xp.flip(gaps[:, gaps.shape[1] - k :], axis=1), axis=1), axis=1
    )
    return xp.concat([before, x, after], axis=1)


def around(xp: Any, inner: Any, start: Any, end: Any, k: int) -> Any:
    """Return knots that go on with the period, of inner ones (n,) and the ends (1,)."""
    n, parts = inner.shape[0] + 1, []
    low = -k // n
    for turn in range(low, k // n + 2):
        away = turn * (end - start)
        parts += [end + (turn - 1) * (end - start) if turn > 0 else start + away, inner + away]
    return xp.concat(parts, axis=0)[-k - low * n : n + k + 1 - low * n]
