"""Filters that run forward and backward, without delay."""

from typing import Any, Literal

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, device
from ..._native import Lines, along, native, public
from ...errors import ArgumentError, ShapeError
from ...linalg import lstsq
from .._base._recursions import axis_of, lanes, pieces, unlaned, values
from ._lfilter import check_first, coefficients, filtered, filtered_along, lfilter_zi
from ._sosfilt import by_sections, cascaded, cascaded_along, check_leading, sections_of, sosfilt_zi

__all__ = ["filtfilt", "sosfiltfilt"]

Padding = Literal["odd", "even", "constant"]
_PADDINGS = ("odd", "even", "constant")
_METHODS = ("pad", "gust")


@public
def filtfilt(
    b: Any,
    a: Any,
    x: Any,
    axis: int = -1,
    padtype: Padding | str | None = "odd",
    padlen: int | None = None,
    method: Literal["pad", "gust"] | str = "pad",
    irlen: int | None = None,
) -> Any:
    """Filter forward and backward along an axis by numerator and denominator.

    Parameters
    ----------
    b, a : array, shape (m,) and (n,)
        As for `lfilter`.
    x : array
        Real or complex signals; all other dimensions are a batch.
    axis : int, optional
        The axis to filter along.
    padtype : {'odd', 'even', 'constant', None}, optional
        How to extend signals beyond their ends to avoid transients: rotated about the last point,
        mirrored, or constant; None for no extension.
    padlen : int, optional
        The number of added samples, less than the length of the signals. Default: ``3 max(m, n)``.
    method : {'pad', 'gust'}, optional
        'gust' pads nothing, and chooses the initial states by least squares so that the order of
        the two directions makes no difference.
    irlen : int, optional
        For 'gust', the length after which the filter's impulse response is treated as zero.

    Returns
    -------
    array
        The filtered signals, of the shape of `x` and the common floating dtype.

    Raises
    ------
    ShapeError
        If coefficients aren't sequences, there is no such axis, or signals aren't longer than
        `padlen`.
    ArgumentError
        If an option is unknown, or ``a[0]`` is zero (checked only if its value is available).
    ArrayTypeError, DtypeError, MixedDevicesError
        If arguments are not numbers of one library and device.

    Notes
    -----
    Calls `lfilter` twice, starting from steady states; 'gust' follows F. Gustafsson, IEEE Trans.
    Signal Process. 44, 988, 1996. Differentiable.

    Differs from SciPy: integers become the library's default floating dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import filtfilt
    >>> filtfilt([0.5, 0.5], [1.0], np.asarray([0.0, 0.0, 1.0, 0.0, 0.0]), padlen=1)
    array([0.  , 0.25, 0.5 , 0.25, 0.  ])
    """
    b, a = beside(x, b, a)
    xp = array_namespace(b, a, x)
    b, a, x = _plan.common_floating("filtfilt", xp, ("b", "a", "x"), b, a, x)
    b, a = coefficients("filtfilt", xp, b, a)
    axis = axis_of("filtfilt", x, axis)
    _plan.choice("filtfilt", "method", method, _METHODS)
    if method == "pad":
        taps = max(b.shape[0], a.shape[0])
        padtype, padlen = _edge("filtfilt", padtype, padlen, x.shape[axis], 3 * taps)
    elif irlen is not None and not (isinstance(irlen, int) and irlen > 0):
        raise ArgumentError(f"filtfilt: irlen must be a positive integer, got {irlen!r}")
    try:
        if method == "pad" and len(pieces(x, axis)) > 1:
            zi = lfilter_zi(b, a)

            def one_way(v: Any) -> Any:
                return filtered_along(b, a, v, v.ndim - 1, v[..., :1] * zi)[0]

            return _in_parts(x, axis, padtype, padlen, one_way)
        return _filtfilt(b, a, x, axis, padtype, padlen, method, irlen)
    except ValueError:  # of a routine; the error is ours
        check_first("filtfilt", a)
        raise


def _edge(
    function: str, padtype: Any, padlen: Any, n: int, usual: int
) -> tuple[str | None, int | None]:
    """Return the kind of padding and its length; refuse invalid ones."""
    if padtype is None:
        padlen = 0
    else:
        _plan.choice(function, "padtype", padtype, _PADDINGS)
    if padlen is not None and not (hasattr(padlen, "__index__") and padlen.__index__() >= 0):
        raise ArgumentError(f"{function}: padlen must be a nonnegative integer, got {padlen!r}")
    edge = usual if padlen is None else padlen.__index__()
    if n <= edge:
        raise ShapeError(
            f"{function}: x must have more samples along the axis than padlen, {edge}, got {n}. "
            "Give a smaller padlen, or padtype=None."
        )
    return padtype, edge


def _some(
    b: Any, a: Any, x: Any, axis: int, padtype: Any, padlen: Any, method: str, irlen: Any
) -> bool:
    """signals that aren't empty, filters that aren't a factor, untraced arrays; real ones for
    'gust'."""
    if b.shape[0] == a.shape[0] == 1:  # SciPy finds no states
        return False
    if method == "gust" and "complex" in str(a.dtype):  # SciPy takes real parts of the answers
        return False
    return 0 not in x.shape and type(a) is type(b) is type(x)


def _in_parts(x: Any, axis: int, padtype: Any, edge: Any, one_way: Any) -> Any:
    """Filter signals that come in parts along the axis."""
    xp = array_namespace(x)
    return xp.moveaxis(_both_ways(xp.moveaxis(x, axis, -1), padtype, edge, one_way), -1, axis)


def _in_blocks(b: Any, a: Any, x: Any, axis: int, *options: Any) -> Lines:
    return along(x, (axis,), place=2)


@native(numpy="scipy.signal:filtfilt", torch="scipy.signal:filtfilt", when=_some, blocks=_in_blocks)
def _filtfilt(
    b: Any, a: Any, x: Any, axis: int, padtype: Any, padlen: Any, method: str, irlen: Any
) -> Any:
    rows = lanes(x, axis)
    if method == "gust":
        return unlaned(_gustafsson(b, a, rows, irlen), x.shape, axis)
    zi = lfilter_zi(b, a)[None, :]

    def one_way(v: Any) -> Any:
        return filtered(b, a, v, v[:, :1] * zi)[0]

    return unlaned(_both_ways(rows, padtype, padlen, one_way), x.shape, axis)


def _both_ways(x: Any, padtype: Any, edge: int, one_way: Any) -> Any:
    """Filter the last axis, extended by an edge at each end, forward and backward."""
    xp, n = array_namespace(x), x.shape[-1]
    if edge:
        first, last = x[..., :1], x[..., n - 1 :]
        if padtype == "constant":
            ones = xp.ones((edge,), dtype=x.dtype, device=device(x))
            before, after = first * ones, last * ones
        else:
            before = xp.flip(x[..., 1 : edge + 1], axis=-1)
            after = xp.flip(x[..., n - 1 - edge : n - 1], axis=-1)
            if padtype == "odd":
                before, after = 2 * first - before, 2 * last - after
        x = xp.concat((before, x, after), axis=-1)
    y = one_way(xp.flip(one_way(x), axis=-1))
    return xp.flip(y, axis=-1)[..., edge : edge + n]


def _gustafsson(b: Any, a: Any, x: Any, irlen: Any) -> Any:
    """Filter rows both ways, from the states that minimise the effect of the order."""
    xp, n = array_namespace(b, a, x), x.shape[-1]
    size = max(b.shape[0], a.shape[0]) - 1
    if not size:
        return (b[0] / a[0]) ** 2 * x
    m = n if irlen is None or n <= 2 * irlen else irlen

    def back(v: Any) -> Any:
        return xp.flip(v, axis=-1)

    def run(v: Any) -> Any:
        return filtered(b, a, v, None)[0]

    # What each state gives of zeros, and that backward: rows of states, columns of samples.
    units = xp.eye(size, dtype=x.dtype, device=device(x))
    seen = filtered(b, a, xp.zeros((size, m), dtype=x.dtype, device=device(x)), units)[0]
    again = run(back(seen))
    forward, backward = back(run(back(run(x)))), run(back(run(back(x))))
    gap = backward - forward
    if m == n:
        system = xp.concat((back(again) - seen, back(seen) - again), axis=0)
        moves = xp.concat((back(again), back(seen)), axis=0)
    else:
        none = xp.zeros_like(seen)
        gap = xp.concat((gap[:, :m], gap[:, n - m :]), axis=-1)
        system = xp.concat(
            (
                xp.concat((back(again) - seen, none), axis=-1),
                xp.concat((none, back(seen) - again), axis=-1),
            ),
            axis=0,
        )
        moves = xp.concat(
            (xp.concat((back(again), none), axis=-1), xp.concat((none, back(seen)), axis=-1)),
            axis=0,
        )
    states = lstsq(xp.matrix_transpose(system), xp.matrix_transpose(gap))[0]
    moved = xp.matmul(xp.matrix_transpose(states), moves)
    if m < n:
        none = xp.zeros((x.shape[0], n - 2 * m), dtype=x.dtype, device=device(x))
        moved = xp.concat((moved[:, :m], none, moved[:, m:]), axis=-1)
    return forward + moved


@public
def sosfiltfilt(
    sos: Any,
    x: Any,
    axis: int = -1,
    padtype: Padding | str | None = "odd",
    padlen: int | None = None,
) -> Any:
    """Filter forward and backward along an axis by second-order sections.

    Parameters
    ----------
    sos : array, shape (sections, 6)
        As for `sosfilt`.
    x, axis, padtype, padlen
        As for `filtfilt`; the default of `padlen` is three times the number of coefficients, not
        counting zeros at the ends of sections if values are available.

    Returns
    -------
    array
        The filtered signals, of the shape of `x` and the common floating dtype.

    Raises
    ------
    ShapeError, ArgumentError, ArrayTypeError, DtypeError, MixedDevicesError
        As for `sosfilt` and `filtfilt`.

    Notes
    -----
    Calls `sosfilt` twice, starting from steady states. Differentiable.

    Differs from SciPy: integers become the library's default floating dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import butter, sosfiltfilt
    >>> sosfiltfilt(butter(2, 0.5, output="sos"), np.ones(10))[:3].round(6)
    array([1., 1., 1.])
    """
    given = sos
    (sos,) = beside(x, sos)
    xp = array_namespace(sos, x)
    sos, x = _plan.common_floating("sosfiltfilt", xp, ("sos", "x"), sos, x)
    sos = sections_of("sosfiltfilt", xp, sos)
    axis = axis_of("sosfiltfilt", x, axis)
    # Values of NumPy's tell more than those of a lazy array.
    known = given if getattr(given, "ndim", 0) == 2 else sos
    taps = 2 * sos.shape[0] + 1 - (_spare(known) if padlen is None else 0)
    padtype, padlen = _edge("sosfiltfilt", padtype, padlen, x.shape[axis], 3 * taps)
    if len(pieces(x, axis)) > 1:
        zi = sosfilt_zi(sos)

        def one_way(v: Any) -> Any:
            states = xp.moveaxis(v[..., :1, None] * zi, -2, 0)
            return by_sections("sosfiltfilt", cascaded_along, sos, v, v.ndim - 1, states)[0]

        return _in_parts(x, axis, padtype, padlen, one_way)
    return by_sections("sosfiltfilt", _sosfiltfilt, sos, x, axis, padtype, padlen)


def _spare(sos: Any) -> int:
    """Return how many sections' last coefficients are zero."""
    known = values(sos)
    return 0 if known is None else int(min((known[:, 2] == 0).sum(), (known[:, 5] == 0).sum()))


def _sections_in_blocks(sos: Any, x: Any, axis: int, *options: Any) -> Lines:
    return along(x, (axis,), place=1)


def _some_sections(sos: Any, x: Any, *options: Any) -> bool:
    """signals that aren't empty, and untraced arrays."""
    return 0 not in x.shape and 0 not in sos.shape and type(sos) is type(x)


@native(
    numpy="scipy.signal:sosfiltfilt",
    torch="scipy.signal:sosfiltfilt",
    when=_some_sections,
    blocks=_sections_in_blocks,
)
def _sosfiltfilt(sos: Any, x: Any, axis: int, padtype: Any, padlen: Any) -> Any:
    check_leading("sosfiltfilt", sos)
    rows, zi = lanes(x, axis), sosfilt_zi(sos)[None, :, :]

    def one_way(v: Any) -> Any:
        return cascaded(sos, v, v[:, :1, None] * zi)[0]

    return unlaned(_both_ways(rows, padtype, padlen, one_way), x.shape, axis)
