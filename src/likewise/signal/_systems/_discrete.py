"""Discretisation of continuous systems."""

from typing import Any

from ... import _plan
from ..._native import public
from ...errors import ArgumentError
from ...linalg import expm
from .._base._places import host, number
from ._state_space import matrices, ss2tf, ss2zpk, tf2ss, zpk2ss

__all__ = ["cont2discrete", "held"]

_ALPHA = {"bilinear": 0.5, "tustin": 0.5, "euler": 0.0, "forward_diff": 0.0, "backward_diff": 1.0}
_METHODS = ("gbt", *_ALPHA, "zoh", "foh", "impulse")


@public
def cont2discrete(system: Any, dt: float, method: str = "zoh", alpha: float | None = None) -> Any:
    """Convert a continuous system to a discrete one.

    Parameters
    ----------
    system : tuple or system
        Numerator and denominator; zeros, poles and gain; or four state-space matrices; or an object
        of `lti`.
    dt : float
        The time step.
    method : str, optional
        'gbt', the generalised bilinear transformation; 'bilinear' or 'tustin', 'euler' or
        'forward_diff', 'backward_diff', which are 'gbt' with `alpha` 1/2, 0 and 1; 'zoh' and 'foh',
        with inputs that are constant or linear between samples; 'impulse', which keeps the impulse
        response.
    alpha : float, optional
        The parameter of 'gbt', from 0 to 1.

    Returns
    -------
    tuple or system
        The system in the form of `system`, followed by `dt`, with the library, device and precision
        of its arrays.

    Raises
    ------
    ArgumentError
        If the method is unknown, `alpha` isn't from 0 to 1, or 'impulse' is used for a system with
        direct feedthrough.
    ShapeError, NotSupported
        As for `tf2ss` and `ss2tf`.

    Notes
    -----
    K. Ogata, Discrete-Time Control Systems, 2nd ed., section 5.5; G. Zhang, X. Chen and T. Chen,
    Int. J. Control 82, 521, 2009, for the bilinear methods. Other forms are converted to state
    space. Computes on the host, O(n**3) operations. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import cont2discrete
    >>> num, den, dt = cont2discrete(([1.0], [1.0, 1.0]), 0.5, "bilinear")
    >>> num, den
    (array([[0.2, 0.2]]), array([ 1. , -0.6]))
    """
    if hasattr(system, "to_discrete"):
        return system.to_discrete(dt, method=method, alpha=alpha)
    if not isinstance(system, tuple | list) or len(system) not in (2, 3, 4):
        raise ArgumentError(
            "cont2discrete: system must be a tuple of two, three or four arrays, or what lti "
            f"makes, got {type(system).__name__}"
        )
    dt = number("cont2discrete", "dt", dt)
    if len(system) == 2:
        return (*ss2tf(*cont2discrete(tf2ss(*system), dt, method, alpha)[:4]), dt)
    if len(system) == 3:
        return (*ss2zpk(*cont2discrete(zpk2ss(*system), dt, method, alpha)[:4]), dt)
    _plan.choice("cont2discrete", "method", method, _METHODS)
    where, (A, B, C, D) = matrices("cont2discrete", *system)
    if method in ("gbt", *_ALPHA):
        share = _share(_ALPHA.get(method, alpha))
        found = _bilinear(A, B, C, D, dt, share)
    elif method == "impulse":
        if D.any():
            raise ArgumentError(
                "cont2discrete: method 'impulse' takes systems that don't answer an input at once, "
                f"whose D is zero, got {D.tolist()}"
            )
        step = expm(A * dt)
        found = step, step @ B * dt, C, C @ B * dt
    else:
        step, now, change = held(A, B, dt)
        if method == "zoh":
            found = step, now, C, D
        else:
            found = step, now - change + step @ change, C, D + C @ change
    return (*(where.give(x) for x in found), dt)


def _share(alpha: Any) -> float:
    share = number("cont2discrete", "alpha", alpha)
    if not 0 <= share <= 1:
        raise ArgumentError(f"cont2discrete: alpha must be from 0 to 1, got {alpha!r}")
    return share


def _bilinear(A: Any, B: Any, C: Any, D: Any, dt: float, alpha: float) -> tuple[Any, ...]:
    xp = host()
    one = xp.eye(A.shape[0])
    late = one - alpha * dt * A
    step = xp.linalg.solve(late, one + (1 - alpha) * dt * A)
    inputs = xp.linalg.solve(late, dt * B)
    return step, inputs, xp.linalg.solve(late.T, C.T).T, D + alpha * (C @ inputs)


def held(A: Any, B: Any, dt: float) -> tuple[Any, Any, Any]:
    """Return the matrices of a step for the states, an input, and the next input's change.

    Uses one matrix exponential (C. F. Van Loan, IEEE Trans. Autom. Control 23, 395, 1978).
    """
    xp = host()
    n, m = B.shape
    above = xp.concat((A * dt, B * dt, xp.zeros((n, m))), axis=1)
    below = xp.concat((xp.zeros((m, n + m)), xp.eye(m)), axis=1)
    whole = expm(xp.concat((above, below, xp.zeros((m, n + 2 * m)))))[:n, :]
    return whole[:, :n], whole[:, n : n + m], whole[:, n + m :]
