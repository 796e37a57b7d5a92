"""Responses of linear systems over time."""

import math
from typing import Any

from ..._native import public
from ...errors import ArgumentError, ShapeError
from ...linalg import expm
from ...missing import interp as interpolated
from .._base._places import Place, host, integer, read, vector
from ._discrete import held
from ._state_space import matrices, tf2ss, zpk2ss

__all__ = ["dimpulse", "dlsim", "dstep", "impulse", "lsim", "parts_of", "step"]


# -- systems as they are given ---------------------------------------------------------------------


def parts_of(function: str, system: Any, discrete: bool = False) -> tuple[tuple[Any, ...], Any]:
    """Return the two, three or four arrays of a system, and its time step."""
    parts = getattr(system, "parts", None)
    if parts is not None:
        if (system.dt is not None) != discrete:
            kind = "discrete, made with dt=" if discrete else "continuous, made without dt"
            raise ArgumentError(f"{function}: system must be {kind}, got dt={system.dt!r}")
        return parts, system.dt
    known = (3, 4, 5) if discrete else (2, 3, 4)
    if not isinstance(system, tuple | list) or len(system) not in known:
        what = "two, three or four arrays" + (" and the time step" if discrete else "")
        came = f"{len(system)} things" if isinstance(system, tuple | list) else repr(type(system))
        raise ArgumentError(
            f"{function}: system must be a tuple of {what}, or what lti and dlti make, got {came}"
        )
    return (tuple(system[:-1]), system[-1]) if discrete else (tuple(system), None)


def _states(
    function: str, system: Any, discrete: bool = False, **more: Any
) -> tuple[Place, list[Any], Any]:
    """Return the place of results, the state-space matrices, other arrays, and the time step."""
    parts, dt = parts_of(function, system, discrete)
    make: Any = {2: tf2ss, 3: zpk2ss}.get(len(parts))
    where, found = matrices(function, *(make(*parts) if make else parts))
    known = {name: x for name, x in more.items() if x is not None}
    others = dict(zip(known, read(function, **known)[1] if known else (), strict=True))
    if discrete:
        dt = 1.0 if dt is True else float(dt)
    return where, [*found, *(others.get(name) for name in more)], dt


def _start(function: str, x0: Any, n: int) -> Any:
    xp = host()
    if x0 is None:
        return xp.zeros(n)
    x0 = xp.reshape(x0, (-1,))
    if x0.shape[0] != n:
        raise ShapeError(f"{function}: the first state must have {n} numbers, got {x0.shape[0]}")
    return x0


def _inputs(function: str, u: Any, count: int, m: int) -> Any:
    """Return inputs as rows of m, one per time."""
    u = vector(host(), u)
    u = u[:, None] if u.ndim == 1 else u
    if u.shape != (count, m):
        raise ShapeError(
            f"{function}: inputs must have the shape {(count, m)}, one row a time, got {u.shape}"
        )
    return u


# -- continuous ------------------------------------------------------------------------------------


@public
def lsim(system: Any, U: Any, T: Any, X0: Any = None, interp: bool = True) -> tuple[Any, Any, Any]:
    """Simulate a continuous system's output for an input.

    Parameters
    ----------
    system : tuple or system
        Numerator and denominator; zeros, poles and gain; or four state-space matrices; or an object
        of `lti`.
    U : array, shape (n,) or (n, m), or None
        The inputs at each time; None or 0 means no input.
    T : array, shape (n,)
        Equally spaced times, the first not negative. The system is in the state `X0` at time zero.
    X0 : array, shape (k,), optional
        The initial state; zero by default.
    interp : bool, optional
        Whether inputs are linear between times; otherwise each is constant until the next.

    Returns
    -------
    T : array, shape (n,)
        The times.
    yout : array, shape (n,) or (n, q)
        The outputs.
    xout : array, shape (n,) or (n, k)
        The states.

    Raises
    ------
    ArgumentError
        If times aren't equally spaced, the first is negative, or the system is invalid.
    ShapeError
        If inputs or the initial state don't fit the system.
    NotSupported
        If an argument is traced or records gradients.

    Notes
    -----
    Exact for such inputs, by a matrix exponential (C. F. Van Loan, IEEE Trans. Autom. Control 23,
    395, 1978): O(n k**2) operations on the host. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import lsim
    >>> T, y, x = lsim(([1.0], [1.0, 1.0]), [1.0, 1.0, 1.0], [0.0, 1.0, 2.0])
    >>> y.round(6)
    array([0.      , 0.632121, 0.864665])
    """
    where, (A, B, C, D, T, U, X0), _ = _states("lsim", system, T=T, U=U, X0=X0)
    T, y, x = _driven("lsim", (A, B, C, D), U, T, X0, interp)
    return where.give(T), where.give(y), where.give(x)


def _driven(
    function: str, system: Any, U: Any, T: Any, X0: Any, interp: bool
) -> tuple[Any, Any, Any]:
    xp = host()
    A, B, C, D = system
    T = xp.reshape(T, (-1,))
    count, start = T.shape[0], _start(function, X0, A.shape[0])
    if count == 0:
        raise ArgumentError(f"{function}: T must hold a time, got none")
    if T[0] < 0:
        raise ArgumentError(f"{function}: the first time must not be negative, got {float(T[0])}")
    dt = float(T[1] - T[0]) if count > 1 else 0.0
    if count > 1 and not xp.all(xp.abs(xp.diff(T) - dt) <= 1e-8 + 1e-5 * abs(dt)):
        raise ArgumentError(f"{function}: times must be equally spaced, got {T[:4].tolist()} ...")
    idle = U is None or (U.shape in ((), (1,)) and not U.any())
    U = xp.zeros((count, B.shape[1])) if idle else _inputs(function, U, count, B.shape[1])
    x = expm(A * float(T[0])) @ start if T[0] > 0 else start
    step, now, change = held(A, B, dt)
    driven = U[:-1] @ now.T
    if interp:
        driven = driven + xp.diff(U, axis=0) @ change.T
    states = [x]
    for row in driven:
        states.append(step @ states[-1] + row)
    states = xp.stack(states)
    y = states @ C.T + U @ D.T
    return T, _squeezed(y), _squeezed(states)


def _squeezed(x: Any) -> Any:
    """Drop dimensions of a single element, as SciPy does."""
    return host().reshape(x, tuple(n for n in x.shape if n != 1))


def _times(A: Any, T: Any, N: Any) -> Any:
    """Return the given times, or times in which the slowest part decays to a thousandth."""
    xp = host()
    if T is not None:
        return xp.reshape(T, (-1,))
    slowest = float(xp.min(xp.abs(xp.real(xp.linalg.eigvals(A))))) or 1.0
    return xp.linspace(0.0, 7.0 / slowest, 100 if N is None else integer("N", "N", N, 1))


def _one_input(function: str, B: Any) -> None:
    if B.shape[1] != 1:
        raise ShapeError(f"{function}: the system must have one input, got {B.shape[1]}")


@public
def impulse(system: Any, X0: Any = None, T: Any = None, N: int | None = None) -> tuple[Any, Any]:
    """Return a continuous system's response to an impulse.

    Parameters
    ----------
    system
        As for `lsim`, with one input.
    X0 : array, shape (k,), optional
        The state before the impulse; zero by default.
    T : array, shape (n,), optional
        Equally spaced times. By default `N` times, up to seven times the slowest time constant.
    N : int, optional
        The number of times; 100 by default.

    Returns
    -------
    T : array, shape (n,)
        The times.
    yout : array, shape (n,) or (n, q)
        The outputs, without the direct feedthrough of the impulse.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `lsim`.

    Notes
    -----
    As for `lsim`.

    Examples
    --------
    >>> from likewise.signal import impulse
    >>> T, y = impulse(([1.0], [1.0, 1.0]), T=[0.0, 1.0])
    >>> y.round(6)
    array([1.      , 0.367879])
    """
    where, (A, B, C, D, X0, T), _ = _states("impulse", system, X0=X0, T=T)
    _one_input("impulse", B)
    start = B[:, 0] + _start("impulse", X0, A.shape[0])
    T, y, _ = _driven("impulse", (A, B, C, D), None, _times(A, T, N), start, False)
    return where.give(T), where.give(y)


@public
def step(system: Any, X0: Any = None, T: Any = None, N: int | None = None) -> tuple[Any, Any]:
    """Return a continuous system's response to a unit step at time zero.

    Parameters
    ----------
    system, X0, T, N
        As for `impulse`.

    Returns
    -------
    T, yout : array
        As from `impulse`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `lsim`.

    Notes
    -----
    As for `lsim`.

    Examples
    --------
    >>> from likewise.signal import step
    >>> T, y = step(([1.0], [1.0, 1.0]), T=[0.0, 1.0])
    >>> y.round(6)
    array([0.      , 0.632121])
    """
    where, (A, B, C, D, X0, T), _ = _states("step", system, X0=X0, T=T)
    _one_input("step", B)
    T = _times(A, T, N)
    T, y, _ = _driven("step", (A, B, C, D), host().ones(T.shape), T, X0, False)
    return where.give(T), where.give(y)


# -- discrete --------------------------------------------------------------------------------------


@public
def dlsim(system: Any, u: Any, t: Any = None, x0: Any = None) -> tuple[Any, ...]:
    """Simulate a discrete system's output for an input.

    Parameters
    ----------
    system : tuple or system
        As for `lsim`, followed by the time step; or an object of `dlti`.
    u : array, shape (n,) or (n, m)
        The inputs.
    t : array, shape (n,), optional
        The times of the inputs, which are linear in between. By default one per step.
    x0 : array, shape (k,), optional
        The initial state; zero by default.

    Returns
    -------
    tout : array, shape (s,)
        The times of the steps, up to the last of `t`.
    yout : array, shape (s, q)
        The outputs.
    xout : array, shape (s, k)
        The states; only for a system given by state-space matrices.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `lsim`.

    Notes
    -----
    Computes step by step, O(s k**2) operations on the host. Not differentiable; `lfilter` is.

    Examples
    --------
    >>> from likewise.signal import dlsim
    >>> t, y = dlsim(([1.0], [1.0, -0.5], 0.1), [1.0, 1.0, 1.0])
    >>> y[:, 0]
    array([0. , 1. , 1.5])
    """
    where, found, dt = _states("dlsim", system, True, u=u, t=t, x0=x0)
    tout, y, x = _stepped("dlsim", found[:4], dt, *found[4:])
    out = where.give(tout), where.give(y), where.give(x)
    return out if len(parts_of("dlsim", system, True)[0]) == 4 else out[:2]


def _stepped(
    function: str, system: Any, dt: float, u: Any, t: Any, x0: Any
) -> tuple[Any, Any, Any]:
    xp = host()
    A, B, C, D = system
    u = vector(xp, u)
    count = u.shape[0] if t is None else t.shape[0]
    u = _inputs(function, u, count, B.shape[1])
    x = _start(function, x0, A.shape[0])
    end = (count - 1) * dt if t is None else float(t[-1])
    # As SciPy counts: .9 // .1 is 8, as .1 is more than a tenth.
    tout = xp.linspace(0.0, end, math.floor(end / dt) + 1 if t is not None else count)
    if t is not None:
        u = xp.stack([interpolated(tout, t, u[:, k]) for k in range(u.shape[1])], axis=1)
    driven, states = u @ B.T, [x]
    for row in driven[:-1]:
        states.append(A @ states[-1] + row)
    states = xp.stack(states[: tout.shape[0]])
    return tout, states @ C.T + u @ D.T, states


def _each(function: str, system: Any, x0: Any, t: Any, n: Any, impulse: bool) -> tuple[Any, Any]:
    """Return the outputs for an impulse or a step in each input separately."""
    xp = host()
    where, (A, B, C, D, x0, t), dt = _states(function, system, True, x0=x0, t=t)
    count = 100 if n is None else integer(function, "n", n, 1)
    t = xp.linspace(0.0, count * dt, count, endpoint=False) if t is None else xp.reshape(t, (-1,))
    made = []
    tout = t
    for k in range(B.shape[1]):
        u = xp.zeros((t.shape[0], B.shape[1]))
        u[slice(0, 1 if impulse else None), k] = 1.0
        tout, y, _ = _stepped(function, (A, B, C, D), dt, u, t, x0)
        made.append(where.give(y))
    return where.give(tout), tuple(made)


@public
def dimpulse(
    system: Any, x0: Any = None, t: Any = None, n: int | None = None
) -> tuple[Any, tuple[Any, ...]]:
    """Return a discrete system's responses to an impulse in each input.

    Parameters
    ----------
    system, x0
        As for `dlsim`.
    t : array, shape (s,), optional
        The times. By default `n` steps.
    n : int, optional
        The number of steps; 100 by default.

    Returns
    -------
    tout : array, shape (s,)
        The times.
    yout : tuple of array, shape (s, q)
        The outputs for each input.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `lsim`.

    Notes
    -----
    As for `dlsim`.

    Examples
    --------
    >>> from likewise.signal import dimpulse
    >>> t, (y,) = dimpulse(([1.0], [1.0, -0.5], 1.0), n=4)
    >>> y[:, 0]
    array([0.  , 1.  , 0.5 , 0.25])
    """
    return _each("dimpulse", system, x0, t, n, True)


@public
def dstep(
    system: Any, x0: Any = None, t: Any = None, n: int | None = None
) -> tuple[Any, tuple[Any, ...]]:
    """Return a discrete system's responses to a unit step in each input.

    Parameters
    ----------
    system, x0, t, n
        As for `dimpulse`.

    Returns
    -------
    tout, yout
        As from `dimpulse`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `lsim`.

    Notes
    -----
    As for `dlsim`.

    Examples
    --------
    >>> from likewise.signal import dstep
    >>> t, (y,) = dstep(([1.0], [1.0, -0.5], 1.0), n=4)
    >>> y[:, 0]
    array([0.  , 1.  , 1.5 , 1.75])
    """
    return _each("dstep", system, x0, t, n, False)
