"""Windows by name."""

import difflib
import inspect
from collections.abc import Callable
from typing import Any

from ..._native import public
from ...errors import ArgumentError
from .._base._places import follows_like, integer, number
from . import _cosines, _optimal, _shapes

__all__ = ["get_window", "refused"]

_SPELLINGS: dict[Callable[..., Any], tuple[str, ...]] = {
    _shapes.barthann: ("barthann", "brthan", "bth"),
    _shapes.bartlett: ("bartlett", "bart", "brt"),
    _cosines.blackman: ("blackman", "black", "blk"),
    _cosines.blackmanharris: ("blackmanharris", "blackharr", "bkh"),
    _shapes.bohman: ("bohman", "bman", "bmn"),
    _shapes.boxcar: ("boxcar", "box", "ones", "rect", "rectangular"),
    _optimal.chebwin: ("chebwin", "cheb"),
    _shapes.cosine: ("cosine", "halfcosine"),
    _optimal.dpss: ("dpss",),
    _shapes.exponential: ("exponential", "poisson"),
    _cosines.flattop: ("flattop", "flat", "flt"),
    _shapes.gaussian: ("gaussian", "gauss", "gss"),
    _cosines.general_cosine: ("general cosine", "general_cosine"),
    _shapes.general_gaussian: (
        "general gaussian",
        "general_gaussian",
        "general gauss",
        "general_gauss",
        "ggs",
    ),
    _cosines.general_hamming: ("general hamming", "general_hamming"),
    _cosines.hamming: ("hamming", "hamm", "ham"),
    _cosines.hann: ("hann", "han"),
    _optimal.kaiser: ("kaiser", "ksr"),
    _optimal.kaiser_bessel_derived: ("kaiser bessel derived", "kaiser_bessel_derived", "kbd"),
    _shapes.lanczos: ("lanczos", "sinc"),
    _cosines.nuttall: ("nuttall", "nutl", "nut"),
    _shapes.parzen: ("parzen", "parz", "par"),
    _optimal.taylor: ("taylor", "taylorwin"),
    _shapes.triang: ("triangle", "triang", "tri"),
    _shapes.tukey: ("tukey", "tuk"),
}
_BY_NAME = {name: func for func, names in _SPELLINGS.items() for name in names}


@public
@follows_like
def get_window(
    window: Any,
    Nx: int,
    fftbins: bool = True,
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return the window with a given name and parameters.

    Parameters
    ----------
    window : str, float or tuple
        The name of a function of `likewise.signal.windows`, or SciPy's short name; a tuple of a
        name and parameters; or the `beta` of a Kaiser window. A name that ends in '_symmetric' or
        '_periodic' overrides `fftbins`.
    Nx : int
        The positive number of points.
    fftbins : bool, optional
        Whether the window is one period, for spectra; otherwise it is symmetric, for filters.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (Nx,)
        The window, in the default real floating dtype.

    Raises
    ------
    ArgumentError
        If the name is unknown, it has too few or too many parameters, `Nx` is not a positive
        integer, or `fftbins` is not a bool.

    Notes
    -----
    As for the window.

    Examples
    --------
    >>> from likewise.signal import get_window
    >>> get_window("hann", 4)
    array([0. , 0.5, 1. , 0.5])
    >>> get_window(("tukey", 0.5), 5, fftbins=False)
    array([0., 1., 1., 1., 0.])
    """
    n = integer("get_window", "Nx", Nx, 1)
    if not isinstance(Nx, int) and not hasattr(Nx, "__index__"):
        raise ArgumentError(f"get_window: Nx must be an integer, got {Nx!r}")
    if not isinstance(fftbins, bool):
        raise ArgumentError(f"get_window: fftbins must be True or False, got {fftbins!r}")
    if not isinstance(window, str | tuple):
        try:
            beta = number("get_window", "window", window)
        except (ArgumentError, TypeError) as error:
            raise ArgumentError(
                "get_window: window must be a name, a tuple of a name and parameters, or a number, "
                f"the beta of a Kaiser window, got {window!r}"
            ) from error
        return _optimal.kaiser(n, beta, not fftbins, xp=xp, device=device)
    name, parameters = (window, ()) if isinstance(window, str) else (window[:1], window[1:])
    if isinstance(name, tuple):
        if not (name and isinstance(name[0], str)):
            raise ArgumentError(
                f"get_window: the first of the tuple must be the name of a window, got {window!r}"
            )
        name = name[0]
    sym = not fftbins
    for ending, meant in (("_symmetric", True), ("_periodic", False)):
        if name.endswith(ending):
            name, sym = name.removesuffix(ending), meant
    func = _named(name)
    _check_parameters(func, name, parameters)
    if func is _cosines.general_cosine:
        if xp is not None or device is not None:
            raise ArgumentError(
                "get_window: xp and device must be None for 'general_cosine', whose weights decide"
            )
        return func(n, *parameters, sym=sym)
    return func(n, *parameters, sym=sym, xp=xp, device=device)


def refused(function: str, error: ArgumentError) -> ArgumentError:
    """Return the error for a window that is an argument of another function, with its name."""
    return ArgumentError(f"{function}: window: {str(error).removeprefix('get_window: ')}")


def _named(name: str) -> Callable[..., Any]:
    func = _BY_NAME.get(name)
    if func is None:
        near = difflib.get_close_matches(name, _BY_NAME, n=3)
        advice = (
            f"Did you mean {' or '.join(map(repr, near))}?"
            if near
            else "There are " + (", ".join(names[0] for names in _SPELLINGS.values()))
        )
        raise ArgumentError(f"get_window: there is no window {name!r}. {advice}")
    return func


def _check_parameters(func: Callable[..., Any], name: str, given: tuple[Any, ...]) -> None:
    """Refuse too few or too many parameters, by the window's signature."""
    signature = inspect.signature(func).parameters
    own = [p for n, p in signature.items() if n not in ("M", "sym", "xp", "device", "like")]
    if func is _optimal.dpss:
        own = own[:1]
    needed = sum(p.default is inspect.Parameter.empty for p in own)
    if not needed <= len(given) <= len(own):
        names = ", ".join(p.name for p in own) or "none"
        raise ArgumentError(
            f"get_window: the parameters of {name!r} are {names}"
            f"{'' if needed == len(own) else ', which may be left out'}, got {given!r}"
        )
