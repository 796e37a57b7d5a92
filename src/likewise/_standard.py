"""The array API standard, revision 2025.12: a row for each of its functions, and its other names.

A row has the function's name, what is known of it, and its parameters. As in Python, those before
a slash are given by position, and those after a star by name. What may be left out has its default,
or a question mark where that is None. The words in the middle:

- creation: makes an array of what is none; like: makes one that is like another;
- inspection: tells something, without looking at values; composite: written in other functions;
- elementwise: each element of the result is computed from one of each operand, which broadcast;
- arrays: neither x1 nor x2 may be a number, as one of them may elsewhere;
- several: gives several arrays; truth: gives truth values;
- shaped: the shape of the result depends on values; picked: it does where there are arrays besides
  the first;
- new: the result lies in new memory, on each library whose calls are recorded;
- view: the result shares memory with the first array, where arrays can be written to;
- itself: for some arguments the result is the first array itself, on some libraries;
- raises: may raise an error for some values and not for others, for all that is known;
- quiet: never warns, and so do views that are not elementwise;
- the revision in which the function, or the parameter before the colon, came, if not the first.
"""

import functools
from typing import Any, NamedTuple

__all__ = [
    "ARRAYS",
    "ATTRIBUTES",
    "DTYPES",
    "FFT",
    "FUNCTIONS",
    "LINALG",
    "NUMBERS",
    "OPERATORS",
    "STANDARD",
    "VERSION",
    "Function",
    "having",
    "rows",
]

VERSION = "2025.12"

TABLE = """
abs                  | elementwise new quiet    | x /
acos                 | elementwise new          | x /
acosh                | elementwise new          | x /
add                  | elementwise new          | x1 x2 /
all                  | truth new                | x / * axis? keepdims=False
any                  | truth new                | x / * axis? keepdims=False
arange               | creation new             | start / stop? step=1 * dtype? device?
argmax               | new                      | x / * axis? keepdims=False
argmin               | new                      | x / * axis? keepdims=False
argsort              | new                      | x / * axis=-1 descending=False stable=True
asarray              | creation                 | obj / * dtype? device? copy?
asin                 | elementwise new          | x /
asinh                | elementwise new          | x /
astype               | elementwise itself       | x dtype / * copy=True device?
atan                 | elementwise new          | x /
atan2                | elementwise new          | x1 x2 /
atanh                | elementwise new          | x /
bitwise_and          | elementwise new          | x1 x2 /
bitwise_invert       | elementwise new          | x /
bitwise_left_shift   | elementwise new          | x1 x2 /
bitwise_or           | elementwise new          | x1 x2 /
bitwise_right_shift  | elementwise new          | x1 x2 /
bitwise_xor          | elementwise new          | x1 x2 /
broadcast_arrays     | composite several        | *arrays
broadcast_shapes     | inspection 2025.12       | *shapes
broadcast_to         | view                     | x / shape
can_cast             | inspection               | from_ to /
ceil                 | elementwise itself       | x /
clip                 | elementwise              | x / min? max?
concat               | new quiet                | arrays / * axis=0
conj                 | elementwise itself       | x /
copysign             | elementwise new          | x1 x2 /
cos                  | elementwise new          | x /
cosh                 | elementwise new          | x /
count_nonzero        | new 2024.12              | x / * axis? keepdims=False
cumulative_prod      | new 2024.12              | x / * axis? dtype? include_initial=False
cumulative_sum       | new                      | x / * axis? dtype? include_initial=False
diff                 | itself 2024.12           | x / * axis=-1 n=1 prepend? append?
divide               | elementwise new          | x1 x2 /
empty                | creation new             | shape * dtype? device?
empty_like           | like new                 | x / * dtype? device?
equal                | elementwise truth new    | x1 x2 /
exp                  | elementwise new          | x /
expand_dims          | view                     | x / axis
expm1                | elementwise new          | x /
eye                  | creation new             | n_rows n_cols? / * k=0 dtype? device?
finfo                | inspection               | type /
flip                 | view                     | x / * axis?
floor                | elementwise itself       | x /
floor_divide         | elementwise new          | x1 x2 /
from_dlpack          | creation                 | x / * device? copy?
full                 | creation new             | shape fill_value * dtype? device?
full_like            | like new                 | x / fill_value * dtype? device?
greater              | elementwise truth new    | x1 x2 /
greater_equal        | elementwise truth new    | x1 x2 /
hypot                | elementwise new          | x1 x2 /
iinfo                | inspection               | type /
imag                 | elementwise view         | x /
isdtype              | inspection               | dtype kind
isfinite             | elementwise truth new    | x /
isin                 | truth 2025.12            | x1 x2 / * invert=False
isinf                | elementwise truth new    | x /
isnan                | elementwise truth new    | x /
less                 | elementwise truth new    | x1 x2 /
less_equal           | elementwise truth new    | x1 x2 /
linspace             | creation new             | start stop / num * dtype? device? endpoint=True
log                  | elementwise new          | x /
log10                | elementwise new          | x /
log1p                | elementwise new          | x /
log2                 | elementwise new          | x /
logaddexp            | elementwise new          | x1 x2 /
logical_and          | elementwise truth new    | x1 x2 /
logical_not          | elementwise truth new    | x /
logical_or           | elementwise truth new    | x1 x2 /
logical_xor          | elementwise truth new    | x1 x2 /
matmul               | arrays new               | x1 x2 /
matrix_transpose     | view                     | x /
max                  | new                      | x / * axis? keepdims=False
maximum              | elementwise new          | x1 x2 /
mean                 | new                      | x / * axis? keepdims=False
meshgrid             | composite several        | *arrays indexing='xy'
min                  | new                      | x / * axis? keepdims=False
minimum              | elementwise new          | x1 x2 /
moveaxis             | view                     | x source destination /
multiply             | elementwise new          | x1 x2 /
negative             | elementwise new quiet    | x /
nextafter            | elementwise new 2024.12  | x1 x2 /
nonzero              | several shaped           | x /
not_equal            | elementwise truth new    | x1 x2 /
ones                 | creation new             | shape * dtype? device?
ones_like            | like new                 | x / * dtype? device?
permute_dims         | view                     | x / axes
positive             | elementwise itself quiet | x /
pow                  | elementwise new raises   | x1 x2 /
prod                 | new                      | x / * axis? dtype? keepdims=False
real                 | elementwise view         | x /
reciprocal           | elementwise new 2024.12  | x /
remainder            | elementwise new          | x1 x2 /
repeat               | picked raises            | x repeats / * axis?
reshape              | view                     | x / shape * copy?
result_type          | inspection               | *arrays_and_dtypes
roll                 |                          | x / shift * axis?
round                | elementwise              | x /
searchsorted         | raises                   | x1 x2 / * side='left' sorter?
sign                 | elementwise new          | x /
signbit              | elementwise truth new    | x /
sin                  | elementwise new          | x /
sinh                 | elementwise new          | x /
sort                 | new                      | x / * axis=-1 descending=False stable=True
sqrt                 | elementwise new          | x /
square               | elementwise new          | x /
squeeze              | view                     | x / axis
stack                | new quiet                | arrays / * axis=0
std                  | new                      | x / * axis? correction=0.0 keepdims=False
subtract             | elementwise new          | x1 x2 /
sum                  | new                      | x / * axis? dtype? keepdims=False
take                 | raises                   | x indices / * axis?
take_along_axis      | raises 2024.12           | x indices / * axis=-1
tan                  | elementwise new          | x /
tanh                 | elementwise new          | x /
tensordot            | arrays                   | x1 x2 / * axes=2
tile                 | quiet                    | x repetitions /
tril                 | quiet                    | x / * k=0
triu                 | quiet                    | x / * k=0
trunc                | elementwise itself       | x /
unique_all           | several shaped           | x /
unique_counts        | several shaped           | x /
unique_inverse       | several shaped           | x /
unique_values        | shaped                   | x /
unstack              | several view             | x / * axis=0
var                  | new                      | x / * axis? correction=0.0 keepdims=False
vecdot               | arrays                   | x1 x2 / * axis=-1
where                | elementwise new quiet    | condition x1 x2 /
zeros                | creation new             | shape * dtype? device?
zeros_like           | like new                 | x / * dtype? device?
__array_namespace_info__ | inspection               |
fft.fft              |                          | x / * n? axis=-1 norm='backward'
fft.ifft             |                          | x / * n? axis=-1 norm='backward'
fft.fftn             | itself                   | x / * s? axes? norm='backward'
fft.ifftn            | itself                   | x / * s? axes? norm='backward'
fft.rfft             |                          | x / * n? axis=-1 norm='backward'
fft.irfft            |                          | x / * n? axis=-1 norm='backward'
fft.rfftn            |                          | x / * s? axes? norm='backward'
fft.irfftn           |                          | x / * s? axes? norm='backward'
fft.hfft             |                          | x / * n? axis=-1 norm='backward'
fft.ihfft            |                          | x / * n? axis=-1 norm='backward'
fft.fftfreq          | creation new dtype:2024.12 | n / * d=1.0 dtype? device?
fft.rfftfreq         | creation new dtype:2024.12 | n / * d=1.0 dtype? device?
fft.fftshift         |                          | x / * axes?
fft.ifftshift        |                          | x / * axes?
linalg.cholesky      | new raises               | x / * upper=False
linalg.cross         | arrays                   | x1 x2 / * axis=-1
linalg.det           | new raises               | x /
linalg.diagonal      | view                     | x / * offset=0
linalg.eig           | several raises 2025.12   | x /
linalg.eigh          | several raises           | x /
linalg.eigvals       | raises 2025.12           | x /
linalg.eigvalsh      | raises                   | x /
linalg.inv           | new raises               | x /
linalg.matmul        | arrays new               | x1 x2 /
linalg.matrix_norm   | raises                   | x / * keepdims=False ord='fro'
linalg.matrix_power  | itself raises            | x n /
linalg.matrix_rank   | raises                   | x / * rtol?
linalg.matrix_transpose | view                     | x /
linalg.outer         | arrays                   | x1 x2 /
linalg.pinv          | raises                   | x / * rtol?
linalg.qr            | several raises           | x / * mode='reduced'
linalg.slogdet       | several raises           | x /
linalg.solve         | arrays new raises        | x1 x2 /
linalg.svd           | several raises           | x / * full_matrices=True
linalg.svdvals       | raises                   | x /
linalg.tensordot     | arrays                   | x1 x2 / * axes=2
linalg.trace         | new                      | x / * offset=0 dtype?
linalg.vecdot        | arrays                   | x1 x2 / * axis=-1
linalg.vector_norm   | new raises               | x / * axis? keepdims=False ord=2
"""
# The parameters that are arrays, or may be; of functions that don't create one.
ARRAYS = frozenset(
    """append arrays condition indices max min prepend repeats sorter start stop x x1 x2""".split()
)
DTYPES = """
bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128
""".split()
CONSTANTS = "e inf nan newaxis pi".split()
# What arrays have, besides operators.
ATTRIBUTES = frozenset("T device dtype mT ndim shape size to_device".split())
# Their methods that give a number of Python's.
NUMBERS = "__bool__ __complex__ __float__ __index__ __int__".split()
# Python's name of an operator of two operands, its sign, the function.
OPERATORS = tuple(
    tuple(line.split())
    for line in """
    add + add
    sub - subtract
    mul * multiply
    truediv / divide
    floordiv // floor_divide
    mod % remainder
    pow ** pow
    matmul @ matmul
    and & bitwise_and
    or | bitwise_or
    xor ^ bitwise_xor
    lshift << bitwise_left_shift
    rshift >> bitwise_right_shift
    eq == equal
    ne != not_equal
    lt < less
    le <= less_equal
    gt > greater
    ge >= greater_equal
    """.strip().splitlines()
)


class Function(NamedTuple):
    """A row of the table: what is known of a function, and its parameters by how they are given."""

    name: str
    facts: frozenset[str]
    positional: tuple[str, ...]  # before the slash
    either: tuple[str, ...]
    keywords: tuple[str, ...]
    rest: str  # any number of operands, by position; '' if there is none
    defaults: dict[str, str]  # as text

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.positional + self.either + self.keywords


def rows(text: str) -> dict[str, Function]:
    """Read a table, by name."""
    words = functools.cache(lambda facts: frozenset(facts.split()))  # many have the same
    parameters = functools.cache(_parameters)
    found = {}
    for line in text.strip().splitlines():
        name, facts, given = line.split("|", 2)
        found[name.rstrip()] = Function(name.rstrip(), words(facts), *parameters(given))
    return found


def _parameters(text: str) -> tuple[Any, ...]:
    positional: list[str] = []
    either: list[str] = []
    keywords: list[str] = []
    rest, into, defaults = "", either, {}
    for word in text.split():
        if word == "/":
            positional, either = either, positional
            into = either
        elif word[0] == "*":
            rest, into = word[1:], keywords
        elif word[-1] == "?":
            into.append(word[:-1])
            defaults[word[:-1]] = "None"
        else:
            key, _, default = word.partition("=")
            into.append(key)
            if default:
                defaults[key] = default
    return tuple(positional), tuple(either), tuple(keywords), rest, defaults


FUNCTIONS = rows(TABLE)


def having(fact: str) -> frozenset[str]:
    """Return the names of the functions of which this is known."""
    return frozenset(name for name, row in FUNCTIONS.items() if fact in row.facts)


def _of(extension: str) -> frozenset[str]:
    return frozenset(n.rpartition(".")[2] for n in FUNCTIONS if n.rpartition(".")[0] == extension)


FFT = _of("fft")
LINALG = _of("linalg")
STANDARD = frozenset([*_of(""), *DTYPES, *CONSTANTS, "fft", "linalg"])
