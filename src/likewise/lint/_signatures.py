"""The signatures of the standard's functions, and what a call gives them wrongly."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["SIGNATURES", "Signature", "arrays_given", "misfits"]

# Parameters, a colon, the functions that have them. As in Python, those before / are positional
# and those after * are keywords; a question mark follows those that may be left out.
TABLE = """
*arrays : broadcast_arrays
*arrays indexing? : meshgrid
*arrays_and_dtypes : result_type
*shapes : broadcast_shapes
arrays / * axis? : concat stack
condition x1 x2 / : where
dtype kind : isdtype
from_ to / : can_cast
n / * d? dtype? device? : fft.fftfreq fft.rfftfreq
n_rows n_cols? / * k? dtype? device? : eye
obj / * dtype? device? copy? : asarray
shape * dtype? device? : empty ones zeros
shape fill_value * dtype? device? : full
start / stop? step? * dtype? device? : arange
start stop / num * dtype? device? endpoint? : linspace
type / : finfo iinfo
x / : abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag
x / : isfinite isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal round
x / : sign signbit sin sinh square sqrt tan tanh trunc matrix_transpose nonzero unique_all
x / : unique_counts unique_inverse unique_values linalg.det linalg.eig linalg.eigh linalg.eigvals
x / : linalg.eigvalsh linalg.inv linalg.matrix_transpose linalg.slogdet linalg.svdvals
x / * axes? : fft.fftshift fft.ifftshift
x / * axis? : flip unstack
x / * axis? correction? keepdims? : std var
x / * axis? descending? stable? : argsort sort
x / * axis? dtype? include_initial? : cumulative_prod cumulative_sum
x / * axis? dtype? keepdims? : prod sum
x / * axis? keepdims? : all any argmax argmin count_nonzero max mean min
x / * axis? keepdims? ord? : linalg.vector_norm
x / * axis? n? prepend? append? : diff
x / * device? copy? : from_dlpack
x / * dtype? device? : empty_like ones_like zeros_like
x / * full_matrices? : linalg.svd
x / * k? : tril triu
x / * keepdims? ord? : linalg.matrix_norm
x / * mode? : linalg.qr
x / * n? axis? norm? : fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft
x / * offset? : linalg.diagonal
x / * offset? dtype? : linalg.trace
x / * rtol? : linalg.matrix_rank linalg.pinv
x / * s? axes? norm? : fft.fftn fft.ifftn fft.rfftn fft.irfftn
x / * upper? : linalg.cholesky
x / axes : permute_dims
x / axis : expand_dims squeeze
x / fill_value * dtype? device? : full_like
x / min? max? : clip
x / shape : broadcast_to
x / shape * copy? : reshape
x / shift * axis? : roll
x dtype / * copy? device? : astype
x indices / * axis? : take take_along_axis
x n / : linalg.matrix_power
x repeats / * axis? : repeat
x repetitions / : tile
x source destination / : moveaxis
x1 x2 / : add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
x1 x2 / : copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp
x1 x2 / : logical_and logical_or logical_xor matmul maximum minimum multiply nextafter not_equal
x1 x2 / : pow remainder subtract linalg.matmul linalg.outer linalg.solve
x1 x2 / * axes? : tensordot linalg.tensordot
x1 x2 / * axis? : vecdot linalg.cross linalg.vecdot
x1 x2 / * invert? : isin
x1 x2 / * side? sorter? : searchsorted
"""

ARRAYS = ("condition", "indices", "x", "x1", "x2")  # parameters

# What other libraries call a parameter.
OTHER_NAMES = {
    "a_max": "max",
    "a_min": "min",
    "ddof": "correction",
    "dim": "axis",
    "dims": "axes",
    "keepdim": "keepdims",
    "unbiased": "correction",
}


@dataclass(frozen=True)
class Signature:
    """The parameters of a function, by the way in which they are given."""

    positional: tuple[str, ...]  # before the slash
    either: tuple[str, ...]
    keywords: tuple[str, ...]
    required: frozenset[str]
    variadic: bool

    @property
    def most(self) -> float:
        return float("inf") if self.variadic else len(self.positional) + len(self.either)


def parse(text: str) -> Signature:
    before, _, after = text.rpartition("/")
    either, _, keywords = after.partition("*")
    variadic = text.startswith("*")
    if variadic:
        either, keywords = "", " ".join(text.split()[1:])
    names = [part.split() for part in (before, either, keywords)]
    required = {n for part in names for n in part if not n.endswith("?")}
    first, second, third = (tuple(n.rstrip("?") for n in part) for part in names)
    return Signature(first, second, third, frozenset(required), variadic)


SIGNATURES = {
    name: parse(text.strip())
    for text, _, names in (line.partition(" : ") for line in TABLE.strip().splitlines())
    for name in names.split()
}


def arrays_given(name: str, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """The arguments by position that are arrays in the standard, and their parameters' names."""
    signature = SIGNATURES.get(name)
    if signature is None or name == "from_dlpack":
        return
    for parameter, argument in zip(
        signature.positional + signature.either, call.args, strict=False
    ):
        if isinstance(argument, ast.Starred):
            return
        if parameter == "arrays" and isinstance(argument, (ast.List, ast.Tuple)):
            yield from (("x", part) for part in argument.elts)
        elif parameter in ARRAYS:
            yield parameter, argument


def misfits(name: str, call: ast.Call) -> Iterator[tuple[ast.expr | ast.keyword, str]]:
    """The arguments of a call that the signature doesn't have, and why."""
    signature = SIGNATURES[name]
    given = [k.arg for k in call.keywords if k.arg is not None]
    unpacked = len(given) < len(call.keywords) or any(isinstance(a, ast.Starred) for a in call.args)
    plain = [a for a in call.args if not isinstance(a, ast.Starred)]
    if len(plain) > signature.most:
        yield plain[int(signature.most)], _too_many(signature, len(plain))
    for keyword in call.keywords:
        if keyword.arg in signature.positional:
            yield keyword, f"`{keyword.arg}` is given by position, not by name"
        elif keyword.arg is not None and keyword.arg not in (
            *signature.either,
            *signature.keywords,
        ):
            yield keyword, _unknown(signature, keyword.arg)
    if not unpacked and not signature.variadic:
        filled = {*(signature.positional + signature.either)[: len(plain)], *given}
        missing = [n for n in signature.positional + signature.either if n not in filled]
        missing = [n for n in missing if n in signature.required]
        if missing:
            yield call, f"it can't do without `{'`, `'.join(missing)}`"


def _too_many(signature: Signature, count: int) -> str:
    next_ones = signature.keywords[: count - int(signature.most)]
    if not next_ones:
        return f"it takes {int(signature.most)} by position, not {count}"
    return f"`{'`, `'.join(next_ones)}` must be given by name"


def _unknown(signature: Signature, name: str) -> str:
    other = OTHER_NAMES.get(name)
    if other in signature.either + signature.keywords:
        return f"`{name}` is called `{other}`"
    known = signature.either + signature.keywords
    has = f"its keywords are `{'`, `'.join(known)}`" if known else "it has no keywords"
    return f"there is no `{name}`; {has}"
