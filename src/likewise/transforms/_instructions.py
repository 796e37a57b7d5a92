"""The standard as an instruction set: the operands and settings of each function.

An operand is an array or a scalar that a rule may differentiate or batch; a setting is not. Four
instructions are not functions of the standard: ``getitem``, ``setitem`` (out of place) and
``index_add``, whose setting ``index`` holds an index in which `HOLE` stands for each array, and
``stop_gradient``.
"""

import ast
from typing import Any, NamedTuple

__all__ = ["COMPOSITES", "CREATION", "HOLE", "INSPECTION", "INSTRUCTIONS", "Instruction"]


class _Hole:
    """Marks where an operand stands in an index."""

    def __repr__(self) -> str:
        return "HOLE"


HOLE = _Hole()
_UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor
imag isfinite isinf isnan log log10 log1p log2 logical_not negative positive real reciprocal round
sign signbit sin sinh sqrt square tan tanh trunc"""
_BINARY = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and
logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract"""
# name operands | settings with their defaults
_OTHERS = """
all x | axis=None keepdims=False
any x | axis=None keepdims=False
argmax x | axis=None keepdims=False
argmin x | axis=None keepdims=False
argsort x | axis=-1 descending=False stable=True
astype x | dtype copy=True device=None
broadcast_to x | shape
clip x min max |
concat *arrays | axis=0
count_nonzero x | axis=None keepdims=False
cumulative_prod x | axis=None dtype=None include_initial=False
cumulative_sum x | axis=None dtype=None include_initial=False
diff x prepend append | axis=-1 n=1
expand_dims x | axis
flip x | axis=None
isin x1 x2 | invert=False
linspace start stop | num dtype=None device=None endpoint=True
matmul x1 x2 |
matrix_transpose x |
max x | axis=None keepdims=False
mean x | axis=None keepdims=False
min x | axis=None keepdims=False
moveaxis x | source destination
nonzero x |
permute_dims x | axes
prod x | axis=None dtype=None keepdims=False
repeat x repeats | axis=None
reshape x | shape copy=None
roll x | shift axis=None
searchsorted x1 x2 sorter | side='left'
sort x | axis=-1 descending=False stable=True
squeeze x | axis
stack *arrays | axis=0
std x | axis=None correction=0.0 keepdims=False
sum x | axis=None dtype=None keepdims=False
take x indices | axis=None
take_along_axis x indices | axis=-1
tensordot x1 x2 | axes=2
tile x | repetitions
tril x | k=0
triu x | k=0
unique_all x |
unique_counts x |
unique_inverse x |
unique_values x |
unstack x | axis=0
var x | axis=None correction=0.0 keepdims=False
vecdot x1 x2 | axis=-1
where condition x1 x2 |
getitem x *indices | index
setitem x value *indices | index
index_add x value *indices | index
stop_gradient x |
fft.fft x | n=None axis=-1 norm='backward'
fft.ifft x | n=None axis=-1 norm='backward'
fft.fftn x | s=None axes=None norm='backward'
fft.ifftn x | s=None axes=None norm='backward'
fft.rfft x | n=None axis=-1 norm='backward'
fft.irfft x | n=None axis=-1 norm='backward'
fft.rfftn x | s=None axes=None norm='backward'
fft.irfftn x | s=None axes=None norm='backward'
fft.hfft x | n=None axis=-1 norm='backward'
fft.ihfft x | n=None axis=-1 norm='backward'
fft.fftshift x | axes=None
fft.ifftshift x | axes=None
linalg.cholesky x | upper=False
linalg.cross x1 x2 | axis=-1
linalg.det x |
linalg.diagonal x | offset=0
linalg.eig x |
linalg.eigh x |
linalg.eigvals x |
linalg.eigvalsh x |
linalg.inv x |
linalg.matmul x1 x2 |
linalg.matrix_norm x | keepdims=False ord='fro'
linalg.matrix_power x | n
linalg.matrix_rank x | rtol=None
linalg.matrix_transpose x |
linalg.outer x1 x2 |
linalg.pinv x | rtol=None
linalg.qr x | mode='reduced'
linalg.slogdet x |
linalg.solve x1 x2 |
linalg.svd x | full_matrices=True
linalg.svdvals x |
linalg.tensordot x1 x2 | axes=2
linalg.trace x | offset=0 dtype=None
linalg.vecdot x1 x2 | axis=-1
linalg.vector_norm x | axis=None keepdims=False ord=2
"""
# Written in others (see _composites); made without an array, or like one; answered without values.
COMPOSITES = frozenset("broadcast_arrays meshgrid".split())
CREATION = frozenset(
    """arange asarray empty eye from_dlpack full linspace ones zeros
    empty_like full_like ones_like zeros_like fft.fftfreq fft.rfftfreq""".split()
)
INSPECTION = frozenset(
    "broadcast_shapes can_cast finfo iinfo isdtype result_type __array_namespace_info__".split()
)


class Instruction(NamedTuple):
    """Hold the operands' names, and the settings' defaults; `...` means required."""

    name: str
    operands: tuple[str, ...]
    settings: dict[str, Any]
    rest: str | None  # the name of operands of any number, after the others

    def bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the operands and the passed settings of a call with the standard's signature."""
        if self.rest is not None and not self.operands:  # concat(arrays), stack(arrays)
            operands, left = tuple(args[0] if args else kwargs.pop(self.rest)), args[1:]
        elif self.rest is not None:  # getitem(x, *indices, index=...)
            operands, left = args, ()
        else:
            operands, left = args[: len(self.operands)], args[len(self.operands) :]
            names = self.operands[len(operands) :]
            more = [kwargs.pop(n, None) for n in names] if kwargs else []
            while more and more[-1] is None:
                more.pop()
            operands = (*operands, *more)
        if left:
            if len(left) > len(self.settings):
                raise TypeError(f"{self.name}: too many arguments ({len(args)})")
            kwargs = dict(zip(self.settings, left, strict=False)) | kwargs
        for key in kwargs:
            if key not in self.settings:
                raise TypeError(f"{self.name}: got an unexpected keyword argument {key!r}")
        return operands, kwargs


def _row(line: str) -> Instruction:
    before, _, after = line.partition("|")
    name, *operands = before.split()
    settings = {}
    for word in after.split():
        key, _, default = word.partition("=")
        settings[key] = ast.literal_eval(default) if default else ...
    rest = next((o[1:] for o in operands if o.startswith("*")), None)
    return Instruction(name, tuple(o for o in operands if o[0] != "*"), settings, rest)


INSTRUCTIONS: dict[str, Instruction] = {
    **{n: Instruction(n, ("x",), {}, None) for n in _UNARY.split()},
    **{n: Instruction(n, ("x1", "x2"), {}, None) for n in _BINARY.split()},
    **{row.name: row for row in map(_row, _OTHERS.strip().splitlines())},
}
