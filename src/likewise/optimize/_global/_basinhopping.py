"""Global minima by basin hopping: local minima from points that are moved at random."""

import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, describe, is_lazy, quiet
from ..._native import public
from ...errors import ArgumentError, ArrayTypeError, NotSupported
from ...solving._function import DIFFERENCES, arguments, check_callable
from ...solving._options import ENDLESS, count, table, tolerance
from ...solving._outcome import Outcome, outcomes
from ...solving._result import Result, result
from ...transforms import fori_loop
from .._minimize import MinimizeResult
from .._minimize._bounds import limits
from ._box import Box, plain
from ._draws import key_of, keys_for, uniforms
from ._ends import differentiable, minima

__all__ = ["BasinhoppingResult", "basinhopping"]


@result
class BasinhoppingResult(Result):
    """Hold the results of `basinhopping`: arrays, the batch's dimensions first.

    Attributes
    ----------
    x : array, shape (..., p)
        The lowest minima.
    fun : array, shape (...)
        The values at `x`.
    status : array of int32, shape (...)
        0, the lowest minimum is one where a local search converged; 1, no local search converged;
        99, as 0, ended by the callback. 0 and 99 are successes.
    nit, nfev, njev : array of int32, shape (...)
        Hops, and evaluations of `func` and of its gradient.
    minimization_failures : array of int32, shape (...)
        Local searches that did not converge.
    lowest_optimization_result : MinimizeResult
        The local searches that ended at `x`: x, fun, jac, status, nit, nfev, njev.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.STALLED: 1,
        Outcome.STEP: 99,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "requested number of basinhopping iterations completed successfully",
        Outcome.STALLED: "no local search converged: see minimizer_kwargs",
        Outcome.STEP: "callback function requested stop early by returning True",
    }

    x: Any
    fun: Any
    outcome: Any
    nit: Any
    nfev: Any
    njev: Any
    minimization_failures: Any
    lowest_optimization_result: Any


class _State(NamedTuple):
    x: Any  # (B, p), where each hops from
    f: Any  # (B,)
    good: Any  # (B,), whether the local search converged there
    best_x: Any
    best: Any
    best_good: Any
    # Of the local search that ended there: the gradient (B, p), or (B, 0) without, and numbers.
    best_jac: Any
    best_outcome: Any
    best_nit: Any
    best_nfev: Any
    best_njev: Any
    size: Any  # (B,), of steps
    accepted: Any
    still: Any  # hops since the lowest minimum was found
    done: Any
    nit: Any
    nfev: Any
    njev: Any
    failures: Any


class _Settings(NamedTuple):
    temperature: float
    interval: int
    target: float
    factor: float
    patience: int


@public
def basinhopping(
    func: Callable[..., Any],
    x0: Any,
    niter: int = 100,
    T: float = 1.0,
    stepsize: float = 0.5,
    minimizer_kwargs: Mapping[str, Any] | None = None,
    take_step: Callable[..., Any] | None = None,
    accept_test: Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    interval: int = 50,
    disp: bool = False,
    niter_success: int | None = None,
    rng: int | None = None,
    *,
    target_accept_rate: float = 0.5,
    stepwise_factor: float = 0.9,
    key: Any = None,
    seed: int | None = None,
) -> BasinhoppingResult:
    """Find a global minimum by hops between local minima, from one start or from a batch of them.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, as for `minimize`; `args` are in `minimizer_kwargs`.
    x0 : array, shape (p,) or (..., p)
        Starts; leading dimensions are a batch of problems.
    niter : int, optional
        The number of hops; there is one local search more.
    T : float, optional
        The temperature of Metropolis' test, to be compared with differences between minima.
    stepsize : float, optional
        The first step: each variable moves by at most that.
    minimizer_kwargs : dict, optional
        Arguments of `minimize`, such as method, jac, bounds, args, tol, options.
    take_step : callable, optional
        ``take_step(x)``, which returns where the local search begins. Its attribute `stepsize`, if
        there is one, is adapted. For one problem whose arrays have values, as are the next two.
    accept_test : callable, optional
        ``accept_test(f_new=, x_new=, f_old=, x_old=)`` returns True, False or 'force accept'.
    callback : callable, optional
        ``callback(x, f, accept)`` after each hop, and before them with the first minimum, where the
        value is ignored; True or StopIteration ends the search.
    interval : int, optional
        After so many hops the step is adapted.
    disp : bool, optional
        Whether to print each hop.
    niter_success : int, optional
        Ends a problem whose lowest minimum stays the same for so many hops.
    rng : int, optional
        A seed, in place of `key`. A generator is refused.
    target_accept_rate, stepwise_factor : float, optional
        The share of hops to accept, and the factor by which the step is adapted, both in (0, 1).
    key : array, shape (2,), or int, optional
        A key (`likewise.random.key`), or a seed of one. Default: the seed 0.
    seed : int, optional
        As `rng`.

    Returns
    -------
    BasinhoppingResult
        x, fun, status, success, nit, nfev, njev, minimization_failures, lowest_optimization_result,
        message.

    Raises
    ------
    ArgumentError
        If an option is out of range, or `rng` is no integer.
    ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        As `minimize`.
    NotSupported
        For a function of the caller's, or `disp`, with a batch or with arrays without values.

    Notes
    -----
    D. J. Wales, J. P. K. Doye, J. Phys. Chem. A 101 (1997) 5111-5116. The local searches of a batch
    are one call of `minimize`; each problem has a key and a step of its own. A hop costs a local
    search.

    ``x`` and ``fun`` are differentiable with respect to args and to all arrays that `func` closes
    over, as those of `minimize` are; starts and keys have no derivatives. Runs under jax.jit.

    Differs from SciPy: batches; keys in place of generators, and the same search for the same
    arguments; a status.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import basinhopping
    >>> found = basinhopping(lambda x: np.cos(14.5 * x[0] - 0.3) + (x[0] + 0.2) * x[0], [1.0])
    >>> found.x.round(4), round(float(found.fun), 4)
    (array([-0.1951]), -1.0009)
    """
    name = "basinhopping"
    check_callable(name, func, "func")
    kwargs = table(name, "minimizer_kwargs", minimizer_kwargs)
    given = arguments(kwargs.pop("args", ()))
    xp = array_namespace(x0)
    (x,) = _plan.common_floating(name, xp, ("x0",), x0, real=True)
    x = plain(xp.reshape(x, (1,)) if x.ndim == 0 else x)
    xp = array_namespace(x)
    batch = tuple(x.shape[:-1]) if x.ndim > 1 else None
    x = xp.reshape(x, (-1, int(x.shape[-1]))) if 0 not in x.shape else x
    box = Box(None, None, None, batch)
    total = int(x.shape[0])
    keys = keys_for(key_of(name, key, rng, seed, x), total, box.single)
    hops = count(name, "niter", niter, 100)
    for label, value in (
        ("target_accept_rate", target_accept_rate),
        ("stepwise_factor", stepwise_factor),
    ):
        if not 0 < value < 1:
            raise ArgumentError(f"{name}: {label} has to be in range (0, 1), got {value!r}")
    patience = count(name, "niter_success", niter_success, ENDLESS, least=1)
    settings = _Settings(
        tolerance(name, "T", T, 1.0),
        count(name, "interval", interval, 50, least=1),
        float(target_accept_rate),
        float(stepwise_factor),
        patience,
    )
    users = {"take_step": take_step, "accept_test": accept_test, "callback": callback}
    for label, user in users.items():
        if user is not None and not callable(user):
            raise ArrayTypeError(f"{name}: {label} must be callable, got {describe(user)}")
    own = disp or any(user is not None for user in users.values())
    if own and (not box.single or is_lazy(x)):
        raise NotSupported(
            f"{name}: take_step, accept_test, callback and disp are for one problem whose values "
            f"are at hand, got x0 {describe(x)}"
        )

    def local(x: Any) -> dict[str, Any]:
        return minima(func, given, x, None, box, kwargs)

    with quiet(x):
        s = _begun(xp, local(x), tolerance(name, "stepsize", stepsize, 0.5), settings, hops)
        if own:
            s, stopped = _told(s, local, keys, settings, hops, users, disp)
        elif is_lazy(x):
            s = fori_loop(0, hops, lambda i, s: _hop(s, local, keys, settings), s)
            stopped = False
        else:
            for _ in range(hops):
                if bool(xp.all(s.done)):
                    break
                s = _hop(s, local, keys, settings)
            stopped = False
    code = Outcome.STEP if stopped else Outcome.CONVERGED
    outcome = outcomes(s.best, (s.best_good, code), otherwise=Outcome.STALLED)
    jac = kwargs.get("jac")
    jac = None if jac in DIFFERENCES or jac is False else jac
    sides = limits(xp, x, kwargs.get("bounds"))
    if sides is not None:
        lower, upper = (xp.broadcast_to(side, tuple(x.shape)) for side in sides)
        sides = lower, upper
    best_x, best = differentiable(name, func, given, s.best_x, s.best, sides, jac=jac)
    slopes = s.best_jac if s.best_jac.shape[1] else None
    numbers = (s.best_outcome, s.best_nit, s.best_nfev, s.best_njev, None)
    lowest = MinimizeResult(*map(box.shaped, (best_x, best, slopes, *numbers)))
    fields = (best_x, best, outcome, s.nit, s.nfev, s.njev, s.failures)
    made = [*map(box.shaped, fields), lowest]
    return BasinhoppingResult(*made)


def _begun(xp: Any, found: dict[str, Any], size: float, settings: _Settings, hops: int) -> _State:
    x, f, good = found["x"], found["fun"], found["outcome"] > 0
    zero = xp.zeros_like(found["outcome"])
    counts = (zero, zero, zero > 0, zero, found["nfev"], found["njev"])
    sizes, failures = xp.full_like(f, size), xp.astype(~good, zero.dtype)
    fields = [x, f, good, x, f, good, *_told_of(found), sizes, *counts, failures]
    return _State(*fields)


def _told_of(found: dict[str, Any]) -> list[Any]:
    """Return the gradient of a local search, (B, 0) if it has none, and its numbers."""
    slopes = found["x"][:, :0] if found["jac"] is None else found["jac"]
    return [slopes, *(found[name] for name in ("outcome", "nit", "nfev", "njev"))]


def _moved(s: _State, u: Any) -> Any:
    return s.x + s.size[:, None] * (2 * u - 1)


def _accepts(xp: Any, s: _State, f: Any, good: Any, u: Any, settings: _Settings) -> Any:
    """Tell by Metropolis' test which hops are accepted."""
    rise = f - s.f
    if settings.temperature > 0:
        ratio = xp.exp(-xp.maximum(rise, xp.zeros_like(rise)) / settings.temperature)
        low = ratio >= u
    else:
        low = rise <= 0
    return low & (good | ~s.good)


def _after(
    xp: Any, s: _State, found: dict[str, Any], accept: Any, settings: _Settings, adapts: bool = True
) -> _State:
    """Return the state after a hop."""
    x, f, good = found["x"], found["fun"], found["outcome"] > 0
    accepted = s.accepted + xp.astype(accept, s.accepted.dtype)
    nit = s.nit + 1
    size = s.size
    if adapts:
        often = xp.astype(accepted, size.dtype) > settings.target * xp.astype(nit, size.dtype)
        other = xp.where(often, size / settings.factor, size * settings.factor)
        size = xp.where(nit % settings.interval == 0, other, size)
    lower = accept & good & ((f < s.best) | ~s.best_good)
    still = xp.where(lower, xp.zeros_like(s.still), s.still + 1)
    before = (s.best_jac, s.best_outcome, s.best_nit, s.best_nfev, s.best_njev)
    told = (
        xp.where(lower if a.ndim == 1 else lower[:, None], a, b)
        for a, b in zip(_told_of(found), before, strict=True)
    )
    new = [
        xp.where(accept[:, None], x, s.x),
        xp.where(accept, f, s.f),
        xp.where(accept, good, s.good),
        xp.where(lower[:, None], x, s.best_x),
        xp.where(lower, f, s.best),
        xp.where(lower, good, s.best_good),
        *told,
        size,
        accepted,
        still,
        s.done | (still >= settings.patience),
        nit,
        s.nfev + found["nfev"],
        s.njev + found["njev"],
        s.failures + xp.astype(~good, s.failures.dtype),
    ]
    kept = (
        xp.where(s.done if a.ndim == 1 else s.done[:, None], a, b)
        for a, b in zip(s, new, strict=True)
    )
    return _State(*kept)


def _hop(s: _State, local: Callable[[Any], Any], keys: Any, settings: _Settings) -> _State:
    xp, p = array_namespace(s.x), int(s.x.shape[1])
    u = uniforms(keys, s.nit, p + 1, s.x)
    found = local(_moved(s, u[:, :p]))
    accept = _accepts(xp, s, found["fun"], found["outcome"] > 0, u[:, p], settings)
    return _after(xp, s, found, accept, settings)


def _told(
    s: _State,
    local: Callable[[Any], Any],
    keys: Any,
    settings: _Settings,
    hops: int,
    users: Mapping[str, Any],
    disp: bool,
) -> tuple[_State, bool]:
    """Take hops by functions of the caller's, and tell of them; True if they were ended."""
    xp, p = array_namespace(s.x), int(s.x.shape[1])
    step, test, callback = users["take_step"], users["accept_test"], users["callback"]
    adapts = step is None or hasattr(step, "stepsize")
    if step is not None and adapts:
        s = s._replace(size=xp.full_like(s.size, float(step.stepsize)))
    if callback is not None:
        try:
            callback(s.x[0, :], s.f[0], True)
        except StopIteration:
            return s, True
    for i in range(hops):
        u = uniforms(keys, s.nit, p + 1, s.x)
        if step is None:
            x = _moved(s, u[:, :p])
        else:
            if adapts:
                step.stepsize = float(s.size[0])  # likewise: ignore[LW203]: values are at hand
            x = xp.reshape(xp.asarray(step(xp.asarray(s.x[0, :], copy=True))), (1, p))
        found = local(x)
        accept = _accepts(xp, s, found["fun"], found["outcome"] > 0, u[:, p], settings)
        if test is not None:
            said = test(
                f_new=found["fun"][0], x_new=found["x"][0, :], f_old=s.f[0], x_old=s.x[0, :]
            )
            forced = isinstance(said, str)
            if forced and said != "force accept":
                raise ArgumentError(
                    "basinhopping: accept_test must return True, False or 'force accept', got "
                    f"{said!r}"
                )
            accept = (accept | forced) & bool(said)
        s = _after(xp, s, found, accept, settings, adapts)
        if disp:
            sys.stdout.write(
                f"basinhopping step {i + 1}: f {s.f[0]} trial_f {found['fun'][0]} accepted "
                f"{bool(accept[0])} lowest_f {s.best[0]}\n"
            )
        if callback is not None and _ends(
            callback, found["x"][0, :], found["fun"][0], bool(accept[0])
        ):
            return s, True
        if bool(s.done[0]):
            break
    return s, False


def _ends(callback: Callable[..., Any], x: Any, f: Any, accept: bool) -> bool:
    """Call the caller's function, and tell if it ends the search."""
    try:
        return bool(callback(x, f, accept))
    except StopIteration:
        return True
