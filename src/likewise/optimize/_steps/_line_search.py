"""Line searches of many problems at once, each with its own step.

J. J. Moré, D. J. Thuente, Line search algorithms with guaranteed sufficient decrease, ACM TOMS
20(3), 1994: the conditions (1.1), (1.2), the algorithm of section 2 and the trial values of
section 4. W. W. Hager, H. Zhang, A new conjugate gradient method with guaranteed descent and an
efficient line search, SIAM J. Optim. 16(1), 2005, equation (4.1): the approximate conditions, which
can be met where rounding hides the decrease.

A search is a state that gives a step, and takes the value and the slope there to give the next. So
a loop has one evaluation in its body, and no problem waits for another's search.
"""

from typing import Any, NamedTuple

__all__ = ["Search", "Told", "advance", "begin", "longest"]

_SHRINK = 0.66  # of the interval in two steps: the least
_FARTHER = (1.1, 4.0)  # of the last stride: how far extrapolation goes
_BACK = 0.2  # of the way to a step where the function isn't finite
_ROUNDING = 10.0  # times eps: how wrong values may be, relatively


class Search(NamedTuple):
    """Hold the state of searches, (B,): `low` is the best step, `high` the interval's other end."""

    step: Any
    f0: Any
    slope0: Any
    low: Any
    f_low: Any
    slope_low: Any
    high: Any
    f_high: Any
    slope_high: Any
    bracketed: Any
    first_stage: Any
    width: Any
    width_before: Any
    least: Any
    most: Any
    cap: Any  # no step beyond: a bound, or where the function isn't finite
    count: Any


class Told(NamedTuple):
    """Hold the result of a search for an evaluation, (B,)."""

    good: Any  # take the step
    best: Any  # it ends without; take `low`, which is lower than the start
    failed: Any  # it ends with nothing
    lower: Any  # the step is the new `low`
    endless: Any  # each step was lower than the one before, to the last


def longest(xp: Any, x: Any) -> float:
    """Return the longest step of a search without bounds; its square doesn't overflow."""
    return float(xp.finfo(x.dtype).max) ** 0.5


def begin(xp: Any, step: Any, f: Any, slope: Any, cap: Any) -> Search:
    """Begin searches from value `f` and `slope` at 0, with a first `step`, at most `cap`."""
    zero, no = xp.zeros_like(f), xp.zeros_like(f, dtype=xp.bool)
    far = longest(xp, f)
    return Search(
        step=xp.minimum(step, cap),
        f0=f,
        slope0=slope,
        low=zero,
        f_low=f,
        slope_low=slope,
        high=zero,
        f_high=f,
        slope_high=slope,
        bracketed=no,
        first_stage=~no,
        width=xp.full_like(f, far),
        width_before=xp.full_like(f, 2 * far),
        least=zero,
        most=_FARTHER[1] * step,
        cap=cap,
        count=xp.zeros_like(f, dtype=xp.int32),
    )


def advance(
    xp: Any, s: Search, f: Any, slope: Any, usable: Any, c1: float, c2: float, most: int
) -> tuple[Search, Told]:
    """Continue searches with value `f` and `slope` at their steps, where `usable` (finite).

    After `most` evaluations they end with the best step so far.
    """
    f = xp.where(usable, f, s.f_low)
    slope = xp.where(usable, slope, s.slope_low)
    enough = s.f0 + c1 * s.step * s.slope0
    decreased = usable & (f <= enough)
    good = _good(xp, s, f, slope, usable, decreased, c1, c2)

    first = s.first_stage & ~(decreased & (slope >= min(c1, c2) * s.slope0))
    # While no step has met (1.1) with a positive slope: of f less the line that (1.1) asks for.
    tilt = xp.where(first & (f <= s.f_low) & (f > enough), c1 * s.slope0, xp.zeros_like(f))
    trial, interval = _trial(
        xp,
        (s.low, s.f_low - s.low * tilt, s.slope_low - tilt),
        (s.high, s.f_high - s.high * tilt, s.slope_high - tilt),
        (s.step, f - s.step * tilt, slope - tilt),
        s.bracketed,
        s.least,
        s.most,
    )
    bracketed, rises, turns = interval
    lower = usable & ~rises
    new_low, new_high = _ends(xp, s, (s.step, f, slope), lower, rises, turns)
    span = xp.abs(new_high[0] - new_low[0])
    halved = new_low[0] + 0.5 * (new_high[0] - new_low[0])
    trial = xp.where(bracketed & (span >= _SHRINK * s.width_before), halved, trial)
    stride = trial - new_low[0]
    least = xp.where(bracketed, xp.minimum(new_low[0], new_high[0]), trial + _FARTHER[0] * stride)
    farthest = xp.where(
        bracketed, xp.maximum(new_low[0], new_high[0]), trial + _FARTHER[1] * stride
    )
    trial = xp.clip(trial, xp.zeros_like(trial), s.cap)

    # Where the function isn't finite the step is too long; nothing else is learnt.
    back = s.low + _BACK * (s.step - s.low)
    moved = Search(
        step=xp.where(usable, trial, back),
        f0=s.f0,
        slope0=s.slope0,
        low=new_low[0],
        f_low=new_low[1],
        slope_low=new_low[2],
        high=xp.where(usable, new_high[0], s.high),
        f_high=xp.where(usable, new_high[1], s.f_high),
        slope_high=xp.where(usable, new_high[2], s.slope_high),
        bracketed=xp.where(usable, bracketed, s.bracketed),
        first_stage=xp.where(usable, first, s.first_stage),
        width=xp.where(usable & bracketed, span, s.width),
        width_before=xp.where(usable & bracketed, s.width, s.width_before),
        least=xp.where(usable, least, s.least),
        most=xp.where(usable, farthest, xp.minimum(s.most, s.step)),
        cap=xp.where(usable, s.cap, xp.minimum(s.cap, s.low + 0.5 * (s.step - s.low))),
        count=s.count + 1,
    )
    eps = float(xp.finfo(f.dtype).eps)
    stuck = bracketed & usable & (span <= 2 * eps * xp.maximum(new_low[0], new_high[0]))
    return moved, _told(s, moved, good, stuck, usable, lower, most)


def _ends(
    xp: Any, s: Search, point: tuple[Any, Any, Any], lower: Any, rises: Any, turns: Any
) -> tuple[list[Any], list[Any]]:
    """Update both ends of the interval.

    A higher step replaces `high`. Otherwise it replaces `low`, which becomes `high` if the slope
    changed sign.
    """
    low = (s.low, s.f_low, s.slope_low)
    high = (s.high, s.f_high, s.slope_high)
    new_high = [
        xp.where(rises, a, xp.where(turns, b, c)) for a, b, c in zip(point, low, high, strict=True)
    ]
    return [xp.where(lower, a, b) for a, b in zip(point, low, strict=True)], new_high


def _good(
    xp: Any, s: Search, f: Any, slope: Any, usable: Any, decreased: Any, c1: float, c2: float
) -> Any:
    """Return which steps are good: by both conditions within rounding, or at a bound."""
    good = decreased & (xp.abs(slope) <= -c2 * s.slope0)
    level = s.f0 + _ROUNDING * float(xp.finfo(f.dtype).eps) * xp.abs(s.f0)
    flat = (slope >= c2 * s.slope0) & (slope <= (2 * c1 - 1) * s.slope0) & (f <= level)
    good = good | (usable & flat)
    # Down to a bound, and it goes on beyond.
    return good | (decreased & (s.step >= s.cap) & (slope <= c1 * s.slope0))


def _told(
    s: Search, moved: Search, good: Any, stuck: Any, usable: Any, lower: Any, most: int
) -> Told:
    """Return the results of searches that have `moved`; `stuck` ones can't narrow."""
    stuck = stuck | (moved.step == s.step) | (moved.step == moved.low) | (moved.count >= most)
    ended = stuck & ~good
    best = ended & (moved.f_low < s.f0)
    endless = best & usable & ~moved.bracketed & (moved.count >= most)
    return Told(good, best, ended & ~best, lower, endless)


def _trial(
    xp: Any,
    low: tuple[Any, Any, Any],
    high: tuple[Any, Any, Any],
    point: tuple[Any, Any, Any],
    bracketed: Any,
    least: Any,
    most: Any,
) -> tuple[Any, tuple[Any, Any, Any]]:
    """The next step by section 4, and whether there is a bracket, and of what kind the step was."""
    (x, fx, dx), (y, _, _), (t, ft, dt) = low, high, point
    rises = ft > fx
    turns = ~rises & (dt * dx < 0)
    flattens = ~rises & ~turns & (xp.abs(dt) < xp.abs(dx))

    # Case 1, a higher value: between the cubic's minimum and the parabola's.
    cubic1, _ = _cubic(xp, low, point)
    parabola1 = x + 0.5 * _over(xp, dx, _over(xp, fx - ft, t - x) + dx) * (t - x)
    middle = cubic1 + 0.5 * (parabola1 - cubic1)
    case1 = xp.where(xp.abs(cubic1 - x) < xp.abs(parabola1 - x), cubic1, middle)

    # Case 2, the slope turned: the cubic's or the secant's, what is farther from here.
    cubic, ahead = _cubic(xp, point, low)
    secant = t + _over(xp, dt, dt - dx) * (x - t)
    farther = xp.where(xp.abs(cubic - t) > xp.abs(secant - t), cubic, secant)

    # Case 3, the slope got less: likewise, but the cubic may have its minimum on the other side.
    end = xp.where(t > x, most, least)
    cubic3 = xp.where(ahead, cubic, end)
    nearer = xp.where(xp.abs(cubic3 - t) < xp.abs(secant - t), cubic3, secant)
    limit = t + _SHRINK * (y - t)
    inside = xp.where(t > x, xp.minimum(limit, nearer), xp.maximum(limit, nearer))
    outside = xp.where(xp.abs(cubic3 - t) > xp.abs(secant - t), cubic3, secant)
    outside = xp.minimum(xp.maximum(outside, least), most)
    case3 = xp.where(bracketed, inside, outside)

    # Case 4, the slope got steeper: the cubic through the other end, or as far as allowed.
    case4 = xp.where(bracketed, _cubic(xp, point, high)[0], end)
    trial = xp.where(rises, case1, xp.where(turns, farther, xp.where(flattens, case3, case4)))
    return trial, (bracketed | rises | turns, rises, turns)


def _cubic(xp: Any, a: tuple[Any, Any, Any], b: tuple[Any, Any, Any]) -> tuple[Any, Any]:
    """The minimum of the cubic with these values and slopes, and whether it is not beyond a."""
    (u, fu, du), (v, fv, dv) = a, b
    theta = 3 * _over(xp, fu - fv, v - u) + du + dv
    size = xp.maximum(xp.abs(theta), xp.maximum(xp.abs(du), xp.abs(dv)))
    scale = xp.where(size > 0, size, xp.ones_like(size))
    square = (theta / scale) ** 2 - (du / scale) * (dv / scale)
    root = size * xp.sqrt(xp.maximum(square, xp.zeros_like(square)))
    gamma = xp.where(v < u, -root, root)
    r = _over(xp, (gamma - du) + theta, ((gamma - du) + gamma) + dv)
    return u + r * (v - u), (r < 0) & (gamma != 0)


def _over(xp: Any, a: Any, b: Any) -> Any:
    return a / xp.where(b == 0, xp.ones_like(b), b)
