"""NumPy's names, and the functions of the standard or of likewise that they call in a transform.

A row is NumPy's name, its target, and NumPy's parameters in NumPy's order. Targets are functions of
the standard (``xp.``), of `likewise.missing` and `likewise.linalg`, or NumPy's own signature
written in those (``numpy.``, in the files beside). Of parameters

- ``*a`` is an array, which goes by position; ``**a`` a sequence of arrays, ``***a`` all the rest;
- ``+a`` are settings by position, all the rest;
- ``?a`` an array that goes by position and may be a number or None;
- ``@a`` the same by its name;
- ``%a`` is a setting that is left out if it is None;
- ``-a`` is refused unless it has NumPy's default; ``~a`` makes no difference here;
- any other is a setting, handed on by its name, or by the one after a colon.
"""

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["ATTRIBUTES", "FUNCTIONS", "METHODS", "REDUCED", "REFLECTED", "UFUNCS", "Row"]

# Universal functions, of operands alone.
_UFUNCS = """
absolute xp.abs
add xp.add
arccos xp.acos
arccosh xp.acosh
arcsin xp.asin
arcsinh xp.asinh
arctan xp.atan
arctan2 xp.atan2
arctanh xp.atanh
bitwise_and xp.bitwise_and
bitwise_or xp.bitwise_or
bitwise_xor xp.bitwise_xor
cbrt numpy.cbrt
ceil xp.ceil
conjugate xp.conj
copysign xp.copysign
cos xp.cos
cosh xp.cosh
deg2rad missing.deg2rad
degrees missing.rad2deg
divide xp.divide
divmod numpy.divmod
equal xp.equal
exp xp.exp
exp2 numpy.exp2
expm1 xp.expm1
fabs numpy.fabs
float_power numpy.float_power
floor xp.floor
floor_divide xp.floor_divide
fmax numpy.fmax
fmin numpy.fmin
fmod numpy.fmod
greater xp.greater
greater_equal xp.greater_equal
heaviside numpy.heaviside
hypot xp.hypot
invert xp.bitwise_invert
isfinite xp.isfinite
isinf xp.isinf
isnan xp.isnan
left_shift xp.bitwise_left_shift
less xp.less
less_equal xp.less_equal
log xp.log
log10 xp.log10
log1p xp.log1p
log2 xp.log2
logaddexp xp.logaddexp
logaddexp2 numpy.logaddexp2
logical_and xp.logical_and
logical_not xp.logical_not
logical_or xp.logical_or
logical_xor xp.logical_xor
matmul xp.matmul
matvec numpy.matvec
maximum xp.maximum
minimum xp.minimum
modf numpy.modf
multiply xp.multiply
negative xp.negative
nextafter xp.nextafter
not_equal xp.not_equal
positive xp.positive
power xp.pow
rad2deg missing.rad2deg
radians missing.deg2rad
reciprocal xp.reciprocal
remainder xp.remainder
right_shift xp.bitwise_right_shift
rint xp.round
sign xp.sign
signbit xp.signbit
sin xp.sin
sinh xp.sinh
sqrt xp.sqrt
square xp.square
subtract xp.subtract
tan xp.tan
tanh xp.tanh
trunc xp.trunc
vecdot numpy.vecdot
vecmat numpy.vecmat
"""
# What `reduce` and `accumulate` of a universal function lead to.
REDUCED = {
    ("add", "reduce"): "sum",
    ("multiply", "reduce"): "prod",
    ("maximum", "reduce"): "max",
    ("minimum", "reduce"): "min",
    ("logical_and", "reduce"): "all",
    ("logical_or", "reduce"): "any",
    ("add", "accumulate"): "cumsum",
    ("multiply", "accumulate"): "cumprod",
}
# Which may be an operator with a NumPy scalar left of another library's array.
REFLECTED: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "divide": operator.truediv,
    "equal": operator.eq,
    "floor_divide": operator.floordiv,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "left_shift": operator.lshift,
    "less": operator.lt,
    "less_equal": operator.le,
    "matmul": operator.matmul,
    "multiply": operator.mul,
    "not_equal": operator.ne,
    "power": operator.pow,
    "remainder": operator.mod,
    "right_shift": operator.rshift,
    "subtract": operator.sub,
}
_FUNCTIONS = """
all xp.all *a axis -out keepdims -where
any xp.any *a axis -out keepdims -where
amax xp.max *a axis -out keepdims -initial -where
amin xp.min *a axis -out keepdims -initial -where
max xp.max *a axis -out keepdims -initial -where
min xp.min *a axis -out keepdims -initial -where
sum xp.sum *a axis dtype -out keepdims -initial -where
prod xp.prod *a axis dtype -out keepdims -initial -where
mean numpy.mean *a axis dtype -out keepdims -where
std numpy.std *a axis dtype -out ddof keepdims -where -mean correction
var numpy.var *a axis dtype -out ddof keepdims -where -mean correction
ptp numpy.ptp *a axis -out keepdims
average numpy.average *a axis @weights returned keepdims
median missing.median *a axis -out ~overwrite_input keepdims
percentile missing.percentile *a ?q axis -out ~overwrite_input method keepdims @weights
quantile missing.quantile *a ?q axis -out ~overwrite_input method keepdims @weights
argmax xp.argmax *a axis -out keepdims
argmin xp.argmin *a axis -out keepdims
count_nonzero xp.count_nonzero *a axis keepdims
cumsum numpy.cumsum *a axis dtype -out
cumprod numpy.cumprod *a axis dtype -out
cumulative_sum xp.cumulative_sum *x axis dtype -out include_initial
cumulative_prod xp.cumulative_prod *x axis dtype -out include_initial
nanmax missing.nanmax *a axis -out keepdims -initial -where
nanmin missing.nanmin *a axis -out keepdims -initial -where
nansum missing.nansum *a axis dtype -out keepdims -initial -where
nanprod missing.nanprod *a axis dtype -out keepdims -initial -where
nanmean missing.nanmean *a axis dtype -out keepdims -where
nanstd missing.nanstd *a axis -dtype -out ddof keepdims -where -mean correction
nanvar missing.nanvar *a axis -dtype -out ddof keepdims -where -mean correction
nanmedian missing.nanmedian *a axis -out ~overwrite_input keepdims
nanpercentile numpy.nanpercentile *a ?q axis -out ~overwrite_input method keepdims
nanquantile missing.nanquantile *a ?q axis -out ~overwrite_input method keepdims @weights
nanargmax missing.nanargmax *a axis -out keepdims
nanargmin missing.nanargmin *a axis -out keepdims
nancumsum missing.nancumsum *a axis dtype -out
nancumprod numpy.nancumprod *a axis dtype -out
cov numpy.cov *m @y rowvar bias ddof @fweights @aweights dtype
corrcoef numpy.corrcoef *x @y rowvar dtype
histogram missing.histogram *a bins range density @weights
histogram2d numpy.histogram2d *x *y bins range density @weights
bincount numpy.bincount *x @weights minlength
digitize missing.digitize *x *bins right
sort numpy.sort *a axis ~kind -order ~stable
argsort numpy.argsort *a axis ~kind -order stable
partition missing.partition *a kth axis ~kind -order
argpartition missing.argpartition *a kth axis ~kind -order
lexsort missing.lexsort **keys axis
searchsorted missing.searchsorted *a *v side @sorter
unique missing.unique *ar return_index return_inverse return_counts -axis
isin numpy.isin *element *test_elements ~assume_unique invert ~kind
intersect1d missing.intersect1d *ar1 *ar2
union1d missing.union1d *ar1 *ar2
setdiff1d missing.setdiff1d *ar1 *ar2
where numpy.where *condition ?x ?y
nonzero missing.nonzero *a
flatnonzero missing.flatnonzero *a
argwhere numpy.argwhere *a
select missing.select **condlist **choicelist @default
piecewise numpy.piecewise *x condlist funclist
compress missing.compress *condition *a axis -out
extract numpy.extract *condition *arr
take missing.take *a *indices axis -out mode
take_along_axis missing.take_along_axis *arr *indices axis
repeat missing.repeat *a *repeats axis
ravel_multi_index missing.ravel_multi_index **multi_index dims mode order
unravel_index missing.unravel_index *indices shape order
dot numpy.dot *a *b -out
inner numpy.inner *a *b
outer numpy.outer *a *b -out
vdot numpy.vdot *a *b
tensordot numpy.tensordot *a *b axes
einsum missing.einsum +operands -out ~optimize ~order
kron missing.kron *a *b
cross numpy.cross *a *b axisa axisb axisc axis
trace numpy.trace *a offset axis1 axis2 dtype -out
diagonal numpy.diagonal *a offset axis1 axis2
diag numpy.diag *v k
diagflat numpy.diagflat *v k
tril xp.tril *m k
triu xp.triu *m k
vander numpy.vander *x N increasing
convolve missing.convolve *a *v mode
correlate numpy.correlate *a *v mode
polyval numpy.polyval *p *x
reshape numpy.reshape *a shape order copy
ravel numpy.ravel *a order
transpose numpy.transpose *a axes
permute_dims numpy.transpose *a axes
matrix_transpose xp.matrix_transpose *x
swapaxes numpy.swapaxes *a axis1 axis2
moveaxis xp.moveaxis *a source destination
rollaxis numpy.rollaxis *a axis start
expand_dims numpy.expand_dims *a axis
squeeze numpy.squeeze *a axis
broadcast_to xp.broadcast_to *array shape ~subok
broadcast_arrays numpy.broadcast_arrays ***args ~subok
tile numpy.tile *A reps:repetitions
roll xp.roll *a shift axis
flip xp.flip *m axis
fliplr numpy.fliplr *m
flipud numpy.flipud *m
rot90 missing.rot90 *m k axes
atleast_1d numpy.atleast_1d ***arys
atleast_2d numpy.atleast_2d ***arys
atleast_3d numpy.atleast_3d ***arys
concatenate numpy.concatenate **arrays axis -out dtype ~casting
concat numpy.concatenate **arrays axis -out dtype ~casting
stack numpy.stack **arrays axis -out dtype ~casting
vstack numpy.vstack **tup dtype ~casting
hstack numpy.hstack **tup dtype ~casting
dstack numpy.dstack **tup
column_stack numpy.column_stack **tup
append numpy.append *arr *values axis
split numpy.split *ary indices_or_sections:sections axis
array_split numpy.array_split *ary indices_or_sections:sections axis
hsplit numpy.hsplit *ary indices_or_sections:sections
vsplit numpy.vsplit *ary indices_or_sections:sections
dsplit numpy.dsplit *ary indices_or_sections:sections
unstack xp.unstack *x axis
delete numpy.delete *arr obj:at axis
insert numpy.insert *arr obj:at @values axis
pad missing.pad *array pad_width mode constant_values end_values
meshgrid numpy.meshgrid ***xi -copy -sparse indexing
ix_ numpy.ix_ ***args
sliding_window_view missing.sliding_window_view *x window_shape axis ~subok ~writeable
astype numpy.astype *x dtype copy -device
copy numpy.copy *a order ~subok
clip numpy.clip *a @a_min @a_max -out @min @max
round missing.round *a decimals -out
around missing.round *a decimals -out
fix xp.trunc *x -out
real numpy.real *val
imag numpy.imag *val
angle missing.angle *z deg
sinc missing.sinc *x
unwrap missing.unwrap *p discont axis period
nan_to_num missing.nan_to_num *x ~copy @nan @posinf @neginf
diff numpy.diff *a n axis prepend append
ediff1d numpy.ediff1d *ary @to_end @to_begin
gradient numpy.gradient *f ***varargs axis edge_order
interp numpy.interp *x *xp *fp @left @right period
trapezoid missing.trapezoid *y @x dx axis
isclose missing.isclose *a *b rtol atol equal_nan
allclose missing.allclose *a *b rtol atol equal_nan
array_equal missing.array_equal *a1 *a2 equal_nan
isreal numpy.isreal *x
iscomplex numpy.iscomplex *x
isrealobj numpy.isrealobj *x
iscomplexobj numpy.iscomplexobj *x
isposinf numpy.isposinf *x -out
isneginf numpy.isneginf *x -out
shape numpy.shape *a
ndim numpy.ndim *a
size numpy.size *a axis
result_type xp.result_type ***arrays_and_dtypes
can_cast xp.can_cast ?from_ ?to ~casting
zeros_like numpy.zeros_like *a dtype ~order ~subok shape -device
ones_like numpy.ones_like *a dtype ~order ~subok shape -device
empty_like numpy.zeros_like *prototype dtype ~order ~subok shape -device
full_like numpy.full_like *a *fill_value dtype ~order ~subok shape -device
linspace numpy.linspace ?start ?stop num endpoint -retstep dtype -axis -device
logspace numpy.logspace ?start ?stop num endpoint @base dtype axis
geomspace numpy.geomspace ?start ?stop num endpoint dtype axis
linalg.solve xp.linalg.solve *a *b
linalg.inv xp.linalg.inv *a
linalg.det xp.linalg.det *a
linalg.slogdet xp.linalg.slogdet *a
linalg.eig xp.linalg.eig *a
linalg.eigvals xp.linalg.eigvals *a
linalg.eigh numpy.eigh *a UPLO
linalg.eigvalsh numpy.eigvalsh *a UPLO
linalg.svd numpy.svd *a full_matrices compute_uv -hermitian
linalg.svdvals xp.linalg.svdvals *x
linalg.qr numpy.qr *a mode
linalg.cholesky numpy.cholesky *a upper
linalg.pinv numpy.pinv *a rcond -hermitian rtol
linalg.lstsq numpy.lstsq *a *b rcond
linalg.norm numpy.norm *x ord axis keepdims
linalg.vector_norm xp.linalg.vector_norm *x axis keepdims ord
linalg.matrix_norm xp.linalg.matrix_norm *x keepdims ord
linalg.cond numpy.cond *x p
linalg.matrix_rank numpy.matrix_rank *A tol -hermitian rtol
linalg.matrix_power xp.linalg.matrix_power *a n
linalg.multi_dot numpy.multi_dot **arrays -out
linalg.matrix_transpose xp.matrix_transpose *x
linalg.matmul xp.matmul *x1 *x2
linalg.tensordot numpy.tensordot *x1 *x2 axes
linalg.vecdot numpy.vecdot *x1 *x2 axis
linalg.outer xp.linalg.outer *x1 *x2
linalg.cross xp.linalg.cross *x1 *x2 axis
linalg.diagonal xp.linalg.diagonal *x offset
linalg.trace xp.linalg.trace *x offset dtype
fft.fft xp.fft.fft *a n axis %norm -out
fft.ifft xp.fft.ifft *a n axis %norm -out
fft.fft2 numpy.fft2 *a s axes %norm -out
fft.ifft2 numpy.ifft2 *a s axes %norm -out
fft.fftn xp.fft.fftn *a s axes %norm -out
fft.ifftn xp.fft.ifftn *a s axes %norm -out
fft.rfft xp.fft.rfft *a n axis %norm -out
fft.irfft xp.fft.irfft *a n axis %norm -out
fft.rfft2 numpy.rfft2 *a s axes %norm -out
fft.irfft2 numpy.irfft2 *a s axes %norm -out
fft.rfftn xp.fft.rfftn *a s axes %norm -out
fft.irfftn xp.fft.irfftn *a s axes %norm -out
fft.hfft xp.fft.hfft *a n axis %norm -out
fft.ihfft xp.fft.ihfft *a n axis %norm -out
fft.fftshift xp.fft.fftshift *x axes
fft.ifftshift xp.fft.ifftshift *x axes
"""
# ndarray's methods that are the function of the same name, and those that differ.
_SAME = """all any argmax argmin argpartition argsort clip cumprod cumsum diagonal dot
max mean min nonzero prod ravel repeat round searchsorted squeeze std sum swapaxes take trace var"""
_METHODS = """
compress numpy.compressed *self *condition axis -out
astype numpy.astype *self dtype ~order ~casting ~subok copy
conj xp.conj *self
conjugate xp.conj *self
copy numpy.copied *self order
flatten numpy.flatten *self order
reshape numpy.reshaped *self +shape order copy
transpose numpy.transposed *self +axes
"""
ATTRIBUTES = {"real": "real", "imag": "imag"}


class Row(NamedTuple):
    """Hold the target and parameters of a NumPy name."""

    name: str
    target: str
    parameters: tuple[str, ...]


def _rows(text: str) -> dict[str, Row]:
    lines = (line.split() for line in text.strip().splitlines())
    return {name: Row(name, target, tuple(rest)) for name, target, *rest in lines}


UFUNCS = {name: row.target for name, row in _rows(_UFUNCS).items()}
FUNCTIONS = _rows(_FUNCTIONS)
METHODS = _rows(_METHODS) | {name: FUNCTIONS[name] for name in _SAME.split()}
