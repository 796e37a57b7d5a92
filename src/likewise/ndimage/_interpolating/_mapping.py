"""Images at other coordinates: given ones, those of a function, and of an affine map."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..._beside import beside as constants
from ..._namespace import array_namespace, device, is_concrete, is_neutral
from ..._native import Lines, Made, native, public
from ...errors import ArgumentError, ImageError
from .._base._arguments import beside
from .._base._dtypes import floating
from ._arguments import given, numbers, plain, real, result, shape_of
from ._evaluation import at_points, rounded
from ._lines import each, resampled

__all__ = ["affine_transform", "geometric_transform", "grid", "map_coordinates"]


@public
def map_coordinates(
    input: Any,
    coordinates: Any,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Interpolate an image at coordinates by splines.

    Parameters
    ----------
    input : array
        Numbers, of n dimensions.
    coordinates : array, shape (n, ...)
        The coordinates along each axis, in elements.
    output : dtype, optional
        The dtype of the result. Default: that of `input`.
    order : int, optional
        The order of the spline, from 0 (the nearest element) and 1 (linear) to 5.
    mode : {'constant', 'nearest', 'mirror', 'reflect', 'wrap', ...}, optional
        The image beyond its borders: `cval` outside of the centers of the first and last elements;
        the last element; the mirror image about the center or the edge of the last element; the
        other end, which falls on the first element. 'grid-constant' interpolates between elements
        and `cval`, 'grid-wrap' between the last element and the first one; 'grid-mirror' is
        'reflect'.
    cval : number, optional
        The value beyond the borders in the modes 'constant' and 'grid-constant'.
    prefilter : bool, optional
        False if `input` holds coefficients by `spline_filter` already, for orders above 1.

    Returns
    -------
    array
        The values, with the shape of ``coordinates[0]``.

    Raises
    ------
    ImageError
        If shapes don't fit, `order` isn't one of 0 to 5, or there is no such mode.
    DtypeError
        If coordinates are complex, or `cval` isn't a number.
    NotSupported
        If `output` is an array.

    Notes
    -----
    ``(order + 1)^n`` products a point, after `spline_filter` (P. Thevenaz, T. Blu, M. Unser,
    "Interpolation revisited", IEEE Trans. Med. Imaging 19, 2000). Coordinates that are NaN give
    `cval`, or NaN in the modes 'nearest' and 'grid-constant'. Results in integers are the nearest,
    and stop at the ends of the dtype. Differentiable with respect to `input`, and to `coordinates`
    from order 1 on.

    Differs from SciPy: `output` can't be an array; float32 is summed in float32 except by SciPy's
    routine.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import map_coordinates
    >>> x = np.arange(12.0).reshape(4, 3)
    >>> map_coordinates(x, [[0.5, 2.0], [0.5, 1.0]], order=1)
    array([2., 7.])
    """
    x, name, order, mode = given("map_coordinates", input, output, order, mode, cval)
    (coordinates,) = constants(x, coordinates)
    at = beside("map_coordinates", ("input", "coordinates"), x, coordinates)
    at = real("map_coordinates", "coordinates", at)
    if at.ndim < 2 or at.shape[0] != x.ndim:
        raise ImageError(
            f"map_coordinates: coordinates must have the shape ({x.ndim}, ...), with at least two "
            f"dimensions; got {tuple(at.shape)}"
        )
    return _map_coordinates(x, at, name, order, mode, cval, bool(prefilter))


def _points_in_blocks(x: Any, at: Any, output: str | None, *rest: Any) -> Lines:
    labels = tuple(range(at.ndim - 1))
    dtype = result(array_namespace(x), x, output)
    return Lines({1: (None, *labels)}, Made(tuple(at.shape[1:]), labels, dtype))


@native(
    numpy="scipy.ndimage:map_coordinates",
    torch="scipy.ndimage:map_coordinates",
    cupy="cupyx.scipy.ndimage:map_coordinates",
    when=plain,
    blocks=_points_in_blocks,
)
def _map_coordinates(
    x: Any, at: Any, output: str | None, order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    xp = array_namespace(x, at)
    flat = xp.reshape(at, (x.ndim, -1))

    def coordinates(i: int, j: int) -> list[Any]:
        return [flat[axis, i:j] for axis in range(x.ndim)]

    y = at_points(x, x.ndim, (flat.shape[1],), coordinates, order, mode, cval, prefilter)
    return rounded(xp, xp.reshape(y, tuple(at.shape[1:])), result(xp, x, output))


@public
def geometric_transform(
    input: Any,
    mapping: Callable[..., Sequence[Any]],
    output_shape: Sequence[int] | None = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
) -> Any:
    """Interpolate an image at the coordinates that a function returns for each output element.

    Parameters
    ----------
    input : array
        Numbers, of any number of dimensions.
    mapping : callable
        Takes a tuple of coordinates of output elements, and returns those in `input`, a sequence
        with one for each of its axes. They are floating arrays of many elements at once.
    output_shape : sequence of int, optional
        The shape of the result. Default: that of `input`.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.
    extra_arguments : sequence, optional
        Further arguments of `mapping`.
    extra_keywords : dict, optional
        Keyword arguments of `mapping`.

    Returns
    -------
    array
        The values, of the shape `output_shape`.

    Raises
    ------
    ImageError
        As for `map_coordinates`, and if `mapping` doesn't return a coordinate for each axis.
    NotSupported
        If `output` is an array.

    Notes
    -----
    As for `map_coordinates`. `mapping` is called for parts of the result, where that saves memory.

    Differs from SciPy, which calls `mapping` for each element with integers: here it gets arrays,
    so that conditions are written with ``where``. C functions are not called.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import geometric_transform
    >>> x = np.arange(12.0).reshape(4, 3)
    >>> geometric_transform(x, lambda at: (at[0] - 0.5, at[1] - 0.5)).round(3)
    array([[0.   , 0.   , 0.   ],
           [0.   , 1.362, 2.737],
           [0.   , 4.812, 6.187],
           [0.   , 8.262, 9.637]])
    """
    x, name, order, mode = given("geometric_transform", input, output, order, mode, cval)
    shape = shape_of("geometric_transform", output_shape, x)
    if not callable(mapping):
        raise ArgumentError(f"geometric_transform: mapping must be callable, got {mapping!r}")
    more = (tuple(extra_arguments), dict(extra_keywords or {}))
    return _geometric_transform(x, mapping, shape, name, order, mode, cval, bool(prefilter), *more)


def _mapped_whole(x: Any, mapping: Any, shape: Any, output: str | None, *rest: Any) -> Lines:
    return _made_whole(x, shape, output)


def _made_whole(x: Any, shape: tuple[int, ...], output: str | None) -> Lines:
    dtype = result(array_namespace(x), x, output)
    return Lines({0: (None,) * x.ndim}, Made(shape, (None,) * len(shape), dtype))


@native(blocks=_mapped_whole)
def _geometric_transform(
    x: Any,
    mapping: Callable[..., Sequence[Any]],
    shape: tuple[int, ...],
    output: str | None,
    order: int,
    mode: str,
    cval: Any,
    prefilter: bool,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    def coordinates(i: int, j: int) -> list[Any]:
        at = grid(x, shape, i, j)
        xp = array_namespace(*at)
        found = mapping(tuple(xp.broadcast_arrays(*at)), *arguments, **keywords)
        if len(found) != x.ndim:
            raise ImageError(
                f"geometric_transform: mapping must return {x.ndim} coordinates, one for each axis "
                f"of input; got {len(found)}"
            )
        size = (j - i, *shape[1:])
        xp = array_namespace(at[0], *(a for a in found if not is_neutral(a)))
        return [xp.broadcast_to(a + xp.zeros_like(at[0]), size) for a in found]

    y = at_points(x, x.ndim, shape, coordinates, order, mode, cval, prefilter)
    xp = array_namespace(x, y)
    return rounded(xp, y, result(xp, x, output))


def grid(x: Any, shape: tuple[int, ...], i: int, j: int) -> list[Any]:
    """Return the coordinates of elements of rows i to j, which broadcast."""
    xp, ndim = array_namespace(x), len(shape)
    dtype = floating(xp, xp.zeros((0,), dtype=xp.int32, device=device(x)))
    ends = [(i, j), *((0, n) for n in shape[1:])]
    return [
        xp.reshape(
            xp.arange(a, b, dtype=dtype, device=device(x)), (1,) * k + (-1,) + (1,) * (ndim - 1 - k)
        )
        for k, (a, b) in enumerate(ends)
    ]


@public
def affine_transform(
    input: Any,
    matrix: Any,
    offset: Any = 0.0,
    output_shape: Sequence[int] | None = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:
    """Interpolate an image at ``matrix @ o + offset`` for each output element at o.

    Parameters
    ----------
    input : array
        Numbers, of n dimensions.
    matrix : array, shape (n, m), (n,), (n, n + 1) or (n + 1, n + 1)
        The matrix, for a result of m dimensions; its diagonal; or the matrix with `offset` in the
        last column, with or without a last row of 0, ..., 0, 1.
    offset : float or array, shape (n,), optional
        The offset, of all axes or of each; not used where `matrix` holds it.
    output_shape : sequence of int, optional
        The shape of the result. Default: that of `input`.
    output, order, mode, cval, prefilter
        As for `map_coordinates`.

    Returns
    -------
    array
        The values, of the shape `output_shape`.

    Raises
    ------
    ImageError
        As for `map_coordinates`, and if `matrix` or `offset` have another shape.
    ArgumentError
        If the last row, where its values can be read, isn't 0, ..., 0, 1.
    NotSupported
        If `output` is an array.

    Notes
    -----
    As for `map_coordinates`; with a diagonal, sums run along one axis after the other. Also
    differentiable with respect to `matrix` and `offset`, from order 1 on.

    Differs from SciPy: as for `map_coordinates`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.ndimage import affine_transform
    >>> x = np.arange(6.0).reshape(2, 3)
    >>> affine_transform(x, [[0, 1], [1, 0]], output_shape=(3, 2), order=1)
    array([[0., 3.],
           [1., 4.],
           [2., 5.]])
    """
    x, name, order, mode = given("affine_transform", input, output, order, mode, cval)
    shape = shape_of("affine_transform", output_shape, x)
    matrix = _as_tuples(matrix)
    if not isinstance(matrix, tuple):
        matrix = beside("affine_transform", ("input", "matrix"), x, matrix)
        matrix = real("affine_transform", "matrix", matrix)
    found, n, m = _lengths(matrix), x.ndim, len(shape)
    if found == (n + 1, n + 1):
        _check_last(matrix, n)
    elif found not in ((n, n + 1), (n, m)) and not (found == (n,) and n == m):
        raise ImageError(
            f"affine_transform: matrix must have the shape ({n}, {m}), ({n},), ({n}, {n + 1}) or "
            f"({n + 1}, {n + 1}), got {found}"
        )
    if len(found) == 2 and found[1] == n + 1 and n != m:
        raise ImageError(f"affine_transform: output_shape must have {n} sizes, got {shape}")
    offset = numbers("affine_transform", "offset", x, offset)
    return _affine_transform(x, matrix, offset, shape, name, order, mode, cval, bool(prefilter))


def _as_tuples(matrix: Any) -> Any:
    """Return lists of numbers, or of rows of them, as tuples; anything else as it is."""
    if not isinstance(matrix, list | tuple) or not matrix:
        return matrix
    if all(isinstance(v, int | float) for v in matrix):
        return tuple(map(float, matrix))
    rows = [_as_tuples(row) for row in matrix if isinstance(row, list | tuple)]
    numbers = all(isinstance(row, tuple) and isinstance(row[0], float) for row in rows if row)
    one = len(rows) == len(matrix) and len(set(map(len, rows))) == 1
    return tuple(rows) if one and rows[0] and numbers else matrix


def _check_last(matrix: Any, n: int) -> None:
    if isinstance(matrix, tuple):
        fits = matrix[n] == (0.0,) * n + (1.0,)
    elif is_concrete(matrix):
        xp = array_namespace(matrix)
        fits = bool(xp.all(matrix[n, :n] == 0.0)) and bool(matrix[n, n] == 1.0)
    else:
        return
    if not fits:
        raise ArgumentError(
            "affine_transform: the last row of a homogeneous matrix must be 0, ..., 0, 1"
        )


def _affine_whole(
    x: Any, matrix: Any, offset: Any, shape: tuple[int, ...], output: str | None, *rest: Any
) -> Lines:
    return _made_whole(x, shape, output)


@native(
    numpy="likewise._libs.numpy._images:affine_transform",
    torch="likewise._libs.numpy._images:affine_transform",
    when=plain,
    blocks=_affine_whole,
)
def _affine_transform(
    x: Any,
    matrix: Any,
    offset: Any,
    shape: tuple[int, ...],
    output: str | None,
    order: int,
    mode: str,
    cval: Any,
    prefilter: bool,
) -> Any:
    n = x.ndim
    shifts, rows = each(offset, n), each(matrix, n)
    if len(_lengths(matrix)) == 1:
        return resampled(x, rows, shifts, shape, output, order, mode, cval, prefilter)
    columns = _lengths(matrix)[1]
    entries = [each(row, columns) for row in rows]
    if columns == n + 1:
        shifts = [row[n] for row in entries]

    def coordinates(i: int, j: int) -> list[Any]:
        at = grid(x, shape, i, j)
        return [
            sum((e * a for e, a in zip(row, at, strict=False)), shift)
            for row, shift in zip(entries, shifts, strict=True)
        ]

    y = at_points(x, n, shape, coordinates, order, mode, cval, prefilter)
    xp = array_namespace(x, y)
    return rounded(xp, y, result(xp, x, output))


def _lengths(matrix: Any) -> tuple[int, ...]:
    if not isinstance(matrix, tuple):
        return tuple(matrix.shape)
    return (len(matrix), len(matrix[0])) if isinstance(matrix[0], tuple) else (len(matrix),)
