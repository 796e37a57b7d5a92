"""Names of the standard with their revisions, and replacements for names that it lacks."""

from .._standard import FUNCTIONS, STANDARD
from ._rooms import OWN

__all__ = [
    "ELSEWHERE",
    "HINTS",
    "HOST_METHODS",
    "METHODS",
    "NAMES",
    "NOTES",
    "RENAMED",
    "REVISIONS",
    "SINCE",
    "advice",
]

REVISIONS = ("2023.12", "2024.12", "2025.12")

NAMES = STANDARD.union(FUNCTIONS)
# Names that came with a revision, if that is newer than the first of those above; and keywords.
SINCE = {
    f"{name}({keyword})" if keyword else name: revision
    for name, row in FUNCTIONS.items()
    for keyword, _, revision in (fact.rpartition(":") for fact in row.facts)
    if revision in REVISIONS
}

# A library's name and the standard's, for the same function of the data.
RENAMED = dict(
    line.split()
    for line in """
    Inf inf
    NaN nan
    absolute abs
    alltrue all
    amax max
    amin min
    arccos acos
    arccosh acosh
    arcsin asin
    arcsinh asinh
    arctan atan
    arctan2 atan2
    arctanh atanh
    around round
    array asarray
    asanyarray asarray
    ascontiguousarray asarray
    as_tensor asarray
    bitwise_not bitwise_invert
    bool_ bool
    cat concat
    cdouble complex128
    clamp clip
    concatenate concat
    conjugate conj
    cross linalg.cross
    csingle complex64
    cumprod cumulative_prod
    cumsum cumulative_sum
    diagonal linalg.diagonal
    double float64
    fabs abs
    float_ float64
    identity eye
    in1d isin
    infty inf
    invert bitwise_invert
    left_shift bitwise_left_shift
    mod remainder
    movedim moveaxis
    outer linalg.outer
    permute permute_dims
    power pow
    product prod
    right_shift bitwise_right_shift
    rint round
    round_ round
    single float32
    sometrue any
    tensor asarray
    trace linalg.trace
    transpose permute_dims
    true_divide divide
    unsqueeze expand_dims
    """.strip().splitlines()
)

# A name, and the function that does it on every library.
ELSEWHERE = {name: path for name, path in OWN.items() if name not in NAMES and name != "at"} | dict(
    line.split()
    for line in """
    asnumpy likewise.to_numpy
    atleast_1d array_api_extra.atleast_nd
    atleast_2d array_api_extra.atleast_nd
    atleast_3d array_api_extra.atleast_nd
    piecewise array_api_extra.apply_where
    """.strip().splitlines()
)

# What to say besides, for names of the two tables above.
NOTES = {
    "atleast_1d": ", with `ndim=1`",
    "atleast_2d": ", with `ndim=2`",
    "atleast_3d": ", with `ndim=3`",
    "cumprod": "; it needs `axis` for more than one dimension",
    "cumsum": "; it needs `axis` for more than one dimension",
    "linalg.norm": ", or `xp.linalg.vector_norm` and `xp.linalg.matrix_norm`",
    "nan_to_num": ", or `xp.where(xp.isfinite(x), x, value)`",
    "nanpercentile": ", of a hundredth",
    "random.default_rng": ", and the functions of `likewise.random`, which take a key",
    "transpose": "; it needs the axes (a matrix has `.mT`)",
    "unique": ", or `xp.unique_values` where the shape may depend on the data",
    "vectorize": ", or what works on arrays already",
}

# A name, and what to write in its place.
HINTS = {
    "append": "`xp.concat`",
    "argwhere": "`xp.stack(xp.nonzero(x), axis=-1)`",
    "array_split": "slices",
    "average": "`xp.sum(weights * x) / xp.sum(weights)`, or `xp.mean`",
    "column_stack": "`xp.stack(arrays, axis=-1)` for vectors, `xp.concat` for matrices",
    "copy": "`xp.asarray(x, copy=True)`",
    "delete": "a mask, or `xp.take` of the indices to keep",
    "diag": "`array_api_extra.create_diagonal` to build a matrix, `xp.linalg.diagonal` to read one",
    "dot": "`xp.matmul` or `@` for matrices, `xp.vecdot` for vectors",
    "dstack": "`xp.concat` or `xp.stack`",
    "exp2": "`2.0 ** x`",
    "flatten": "`xp.reshape(x, (-1,))`",
    "fliplr": "`xp.flip(x, axis=1)`",
    "flipud": "`xp.flip(x, axis=0)`",
    "float": "`xp.float64`",
    "from_numpy": "`xp.asarray`",
    "hstack": "`xp.concat(arrays, axis=1)`, for vectors `axis=0`",
    "inner": "`xp.vecdot`, or `xp.tensordot(a, b, axes=((-1,), (-1,)))`",
    "int": "`xp.int64`",
    "int_": "`xp.int64`",
    "intp": '`xp.__array_namespace_info__().default_dtypes()["indexing"]`',
    "iscomplexobj": '`xp.isdtype(x.dtype, "complex floating")`',
    "issubdtype": "`xp.isdtype(dtype, kind)`",
    "ix_": "`xp.meshgrid(..., indexing='ij')`, or broadcasting",
    "linalg.LinAlgError": "a test of the result; what is raised differs from library to library",
    "linalg.multi_dot": "`@`",
    "mgrid": "`xp.meshgrid(..., indexing='ij')`",
    "ndarray": "`array_api_compat.is_array_api_obj(x)` to ask for any array",
    "ndim": "`x.ndim`",
    "ogrid": "`xp.arange` and broadcasting",
    "promote_types": "`xp.result_type`",
    "ptp": "`xp.max(x) - xp.min(x)`",
    "random": "`likewise.random`, whose functions take a key, or numbers that the caller passes in",
    "ravel": "`xp.reshape(x, (-1,))`",
    "row_stack": "`xp.concat(arrays, axis=0)`, for vectors `xp.stack`",
    "shape": "`x.shape`",
    "size": "`x.size`",
    "split": "slices",
    "swapaxes": "`xp.moveaxis` or `xp.permute_dims`",
    "vdot": "`xp.vecdot`",
    "vstack": "`xp.concat(arrays, axis=0)`, for vectors `xp.stack`",
}

# Methods by which data comes to the host.
HOST_METHODS = frozenset("asnumpy cpu get item numpy tobytes tofile to_numpy tolist".split())
# Methods of some libraries' arrays that give an array, so that what follows them is one too.
METHODS = frozenset(
    """all any argmax argmin argsort astype clip conj conjugate copy cumprod cumsum diagonal dot
    flatten imag max mean min prod ravel real repeat reshape round squeeze std sum swapaxes take
    trace transpose var""".split()
)
METHOD_HINTS = {
    "at": "`likewise.missing.at`",
    "copy": "`xp.asarray(x, copy=True)`",
    "dim": "`x.ndim`",
    "fill": "`xp.full_like`",
    "itemsize": "`xp.finfo(x.dtype).bits // 8` or `xp.iinfo`",
    "nbytes": "`x.size` and the bits of the dtype",
    "numel": "`x.size`",
    "to": "`x.to_device` or `xp.astype`",
    "view": "`xp.astype` to convert, `xp.reshape` to reshape",
}


def advice(name: str, xp: str) -> str:
    """Return what to write for an attribute that standard arrays don't have; '' if unknown."""
    if name in METHOD_HINTS:
        return METHOD_HINTS[name].replace("xp.", f"{xp}.")
    if name in STANDARD:
        return f"`{xp}.{name}(x, ...)`" if name not in ("imag", "real") else f"`{xp}.{name}(x)`"
    if name in RENAMED:
        return f"`{xp}.{RENAMED[name]}(x, ...)`"
    if name in ELSEWHERE:
        return f"`{ELSEWHERE[name]}`"
    return HINTS.get(name, "").replace("xp.", f"{xp}.")
