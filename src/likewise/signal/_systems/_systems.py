"""Linear systems as objects."""

from typing import Any

from ...errors import ArgumentError
from .._base._places import host, read, vector
from .._design._conversions import normalized, tf2zpk, zpk2tf
from ._discrete import cont2discrete
from ._simulation import dimpulse, dlsim, dstep, impulse, lsim, step
from ._state_space import matrices, ss2tf, tf2ss, zpk2ss
from ._system_responses import bode, dbode, dfreqresp, freqresp

__all__ = ["StateSpace", "TransferFunction", "ZerosPolesGain", "dlti", "lti"]


class _System:
    """Base class of linear systems: arrays, a time step, and conversions."""

    _names: tuple[str, ...] = ()
    dt: Any = None

    @property
    def parts(self) -> tuple[Any, ...]:
        """The arrays of the system."""
        return tuple(getattr(self, name) for name in self._names)

    @property
    def zeros(self) -> Any:
        """The zeros."""
        return self.to_zpk().zeros

    @property
    def poles(self) -> Any:
        """The poles."""
        return self.to_zpk().poles

    def to_tf(self) -> "TransferFunction":
        """Return the system as numerator and denominator."""
        make: Any = {ZerosPolesGain: zpk2tf, StateSpace: ss2tf}.get(self._form())
        return TransferFunction(*(make(*self.parts) if make else self.parts), dt=self.dt)

    def to_zpk(self) -> "ZerosPolesGain":
        """Return the system as zeros, poles and gain."""
        if isinstance(self, ZerosPolesGain):
            return self
        return ZerosPolesGain(*tf2zpk(*self.to_tf().parts), dt=self.dt)

    def to_ss(self) -> "StateSpace":
        """Return the system in state space."""
        make: Any = {TransferFunction: tf2ss, ZerosPolesGain: zpk2ss}.get(self._form())
        return StateSpace(*(make(*self.parts) if make else self.parts), dt=self.dt)

    def _form(self) -> Any:
        return next(c for c in _FORMS if isinstance(self, c))

    def __repr__(self) -> str:
        lines = ",\n".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n{lines},\ndt: {self.dt!r}\n)"


class lti(_System):  # SciPy's name
    """Create a continuous linear system.

    Parameters
    ----------
    *system : arrays
        Numerator and denominator; zeros, poles and gain; or four state-space matrices.

    Returns
    -------
    TransferFunction, ZerosPolesGain or StateSpace
        The class depends on the number of arrays. All have ``to_tf``, ``to_zpk``, ``to_ss``,
        ``to_discrete``, ``zeros``, ``poles``, ``impulse``, ``step``, ``output``, ``bode`` and
        ``freqresp``.

    Raises
    ------
    ArgumentError
        If there are not two, three or four arrays.

    Examples
    --------
    >>> from likewise.signal import lti
    >>> lti([1.0], [1.0, 1.0]).poles
    array([-1.])
    """

    def __new__(cls, *system: Any, **_: Any) -> Any:
        return _made("lti", *system) if cls is lti else object.__new__(cls)

    def impulse(self, X0: Any = None, T: Any = None, N: int | None = None) -> tuple[Any, Any]:
        """Return the impulse response; see `likewise.signal.impulse`."""
        return impulse(self, X0=X0, T=T, N=N)

    def step(self, X0: Any = None, T: Any = None, N: int | None = None) -> tuple[Any, Any]:
        """Return the step response; see `likewise.signal.step`."""
        return step(self, X0=X0, T=T, N=N)

    def output(self, U: Any, T: Any, X0: Any = None) -> tuple[Any, Any, Any]:
        """Return the response to an input; see `likewise.signal.lsim`."""
        return lsim(self, U, T, X0=X0)

    def bode(self, w: Any = None, n: int = 100) -> tuple[Any, Any, Any]:
        """Return magnitude and phase; see `likewise.signal.bode`."""
        return bode(self, w=w, n=n)

    def freqresp(self, w: Any = None, n: int = 10000) -> tuple[Any, Any]:
        """Return the frequency response; see `likewise.signal.freqresp`."""
        return freqresp(self, w=w, n=n)

    def to_discrete(self, dt: float, method: str = "zoh", alpha: float | None = None) -> Any:
        """Return the discretised system; see `likewise.signal.cont2discrete`."""
        *parts, dt = cont2discrete(self.parts, dt, method, alpha)
        return self._form()(*parts, dt=dt)


class dlti(_System):  # SciPy's name
    """Create a discrete linear system.

    Parameters
    ----------
    *system : arrays
        As for `lti`.
    dt : float or True, optional
        The time step; True means an unspecified one.

    Returns
    -------
    TransferFunction, ZerosPolesGain or StateSpace
        As from `lti`, but without ``to_discrete``.

    Raises
    ------
    ArgumentError
        As for `lti`.

    Examples
    --------
    >>> from likewise.signal import dlti
    >>> dlti([1.0], [1.0, -0.5], dt=0.1).poles
    array([0.5])
    """

    def __new__(cls, *system: Any, dt: Any = True, **_: Any) -> Any:
        return _made("dlti", *system, dt=dt) if cls is dlti else object.__new__(cls)

    def impulse(self, x0: Any = None, t: Any = None, n: int | None = None) -> tuple[Any, Any]:
        """Return the impulse responses; see `likewise.signal.dimpulse`."""
        return dimpulse(self, x0=x0, t=t, n=n)

    def step(self, x0: Any = None, t: Any = None, n: int | None = None) -> tuple[Any, Any]:
        """Return the step responses; see `likewise.signal.dstep`."""
        return dstep(self, x0=x0, t=t, n=n)

    def output(self, u: Any, t: Any, x0: Any = None) -> tuple[Any, ...]:
        """Return the response to an input; see `likewise.signal.dlsim`."""
        return dlsim(self, u, t, x0=x0)

    def bode(self, w: Any = None, n: int = 100) -> tuple[Any, Any, Any]:
        """Return magnitude and phase; see `likewise.signal.dbode`."""
        return dbode(self, w=w, n=n)

    def freqresp(self, w: Any = None, n: int = 10000, whole: bool = False) -> tuple[Any, Any]:
        """Return the frequency response; see `likewise.signal.dfreqresp`."""
        return dfreqresp(self, w=w, n=n, whole=whole)


def _made(function: str, *system: Any, **dt: Any) -> Any:
    form = {2: TransferFunction, 3: ZerosPolesGain, 4: StateSpace}.get(len(system))
    if form is None:
        raise ArgumentError(
            f"{function}: two, three or four arrays were expected: numerator and denominator, "
            f"zeros, poles and gain, or matrices of states. Got {len(system)}"
        )
    return form(*system, **dt)


class _Form(_System):
    """Base class of a form; a system is discrete if it has a time step, else continuous."""

    _variants: tuple[Any, ...] = (lti, dlti)

    def __new__(cls, *system: Any, dt: Any = None) -> Any:
        if len(system) == 1 and isinstance(system[0], _System):
            dt = system[0].dt
        return object.__new__(cls if cls not in _FORMS else cls._variants[dt is not None])

    def __init__(self, *system: Any, dt: Any = None) -> None:
        if "dt" in self.__dict__:  # lti(...) made it, and Python asks once more
            return
        if len(system) == 1 and isinstance(system[0], _System):
            turned = {TransferFunction: "to_tf", ZerosPolesGain: "to_zpk", StateSpace: "to_ss"}
            dt, system = system[0].dt, getattr(system[0], turned[self._form()])().parts
        if len(system) != len(self._names):
            raise ArgumentError(
                f"{self._form().__name__}: {len(self._names)} arrays were expected, "
                f"{', '.join(self._names)}, got {len(system)}"
            )
        self.dt = True if dt is None and isinstance(self, dlti) else dt
        for name, x in zip(self._names, self._read(system), strict=True):
            setattr(self, name, x)

    def _read(self, system: tuple[Any, ...]) -> tuple[Any, ...]:
        raise NotImplementedError


class TransferFunction(_Form):
    """Create a system from a numerator and a denominator.

    Parameters
    ----------
    num, den : array, shape (m + 1,) or (r, m + 1), and (n + 1,)
        Coefficients, highest power first; or a system in another form.
    dt : float or True, optional
        The time step; without one the system is continuous.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `normalize`.

    Examples
    --------
    >>> from likewise.signal import TransferFunction
    >>> TransferFunction([2.0], [2.0, 4.0])
    TransferFunctionContinuous(
    array([1.]),
    array([1., 2.]),
    dt: None
    )
    """

    _names = ("num", "den")

    def _read(self, system: tuple[Any, ...]) -> tuple[Any, ...]:
        where, (num, den) = read("TransferFunction", num=system[0], den=system[1])
        num, den = normalized("TransferFunction", num, den, told=False)
        return where.give(num), where.give(den)


class ZerosPolesGain(_Form):
    """Create a system from zeros, poles and a gain.

    Parameters
    ----------
    zeros, poles : array, shape (m,) and (n,)
        Zeros and poles.
    gain : number
        The gain.
    dt : float or True, optional
        As for `TransferFunction`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, NotSupported
        If arguments are not arrays with values of one library and device.

    Examples
    --------
    >>> from likewise.signal import ZerosPolesGain
    >>> ZerosPolesGain([], [-2.0], 3.0).to_tf().den
    array([1., 2.])
    """

    _names = ("zeros", "poles", "gain")
    zeros: Any = None
    poles: Any = None

    def _read(self, system: tuple[Any, ...]) -> tuple[Any, ...]:
        where, (z, p, k) = read("ZerosPolesGain", zeros=system[0], poles=system[1], gain=system[2])
        return *(where.give(vector(host(), x)) for x in (z, p)), where.give(k)


class StateSpace(_Form):
    """Create a system from state-space matrices.

    Parameters
    ----------
    A, B, C, D : array, shape (n, n), (n, p), (q, n) and (q, p)
        The state, input, output and feedthrough matrices.
    dt : float or True, optional
        As for `TransferFunction`.

    Raises
    ------
    ShapeError
        If shapes don't match.
    ArrayTypeError, DtypeError, MixedDevicesError, NotSupported
        If arguments are not arrays with values of one library and device.

    Examples
    --------
    >>> from likewise.signal import StateSpace
    >>> StateSpace([[-2.0]], [[1.0]], [[3.0]], [[0.0]]).to_tf().num
    array([3.])
    """

    _names = ("A", "B", "C", "D")

    def _read(self, system: tuple[Any, ...]) -> tuple[Any, ...]:
        where, found = matrices("StateSpace", *system)
        return tuple(where.give(x) for x in found)


_FORMS = (TransferFunction, ZerosPolesGain, StateSpace)
for _form in _FORMS:
    _form._variants = tuple(
        type(f"{_form.__name__}{word}", (_form, kind), {"__doc__": _form.__doc__})
        for word, kind in (("Continuous", lti), ("Discrete", dlti))
    )
