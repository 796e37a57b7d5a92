"""Special values as the standard lists them, and that ordinary values are as before."""

import cmath
import itertools
import math

import numpy as np
import pytest

import likewise

INF, NAN = math.inf, math.nan
# a and b of the argument, re and im of the result. What stands for several numbers: `+`, positive
# finite ones; `~`, finite ones but zero; `*`, finite ones; `?`, any number. A result with ± may
# have either sign. Arguments are given for b >= 0, the others follow: f(conj(x)) is conj(f(x)).
SPECIAL = """
acos   0 0 pi/2 -0 | -0 0 pi/2 -0 | 0 nan pi/2 nan | -0 nan pi/2 nan | * inf pi/2 -inf
acos   ~ nan nan nan | -inf + pi -inf | inf + 0 -inf | -inf inf 3pi/4 -inf | inf inf pi/4 -inf
acos   inf nan nan ±inf | -inf nan nan ±inf | nan * nan nan | nan inf nan -inf | nan nan nan nan
acosh  0 0 0 pi/2 | -0 0 0 pi/2 | * inf inf pi/2 | ~ nan nan nan | 0 nan nan ±pi/2 | -inf + inf pi
acosh  inf + inf 0 | -inf inf inf 3pi/4 | inf inf inf pi/4 | inf nan inf nan | -inf nan inf nan
acosh  nan * nan nan | nan inf inf nan | nan nan nan nan
asinh  0 0 0 0 | -0 0 -0 0 | + inf inf pi/2 | * nan nan nan | inf + inf 0 | inf inf inf pi/4
asinh  nan 0 nan 0 | nan + nan nan | nan inf ±inf nan | nan nan nan nan
atanh  0 0 0 0 | -0 0 -0 0 | 0 nan 0 nan | 1 0 inf 0 | + inf 0 pi/2 | ~ nan nan nan | inf + 0 pi/2
atanh  inf inf 0 pi/2 | inf nan 0 nan | nan * nan nan | nan inf ±0 pi/2 | nan nan nan nan
cosh   0 0 1 0 | 0 inf nan ±0 | 0 nan nan ±0 | ~ inf nan nan | ~ nan nan nan | inf 0 inf 0
cosh   inf inf ±inf nan | inf nan inf nan | nan 0 nan ±0 | nan ~ nan nan | nan nan nan nan
cosh   inf 2 -inf inf
exp    0 0 1 0 | -0 0 1 0 | * inf nan nan | * nan nan nan | inf 0 inf 0 | -inf 0 0 0 | -inf 2 -0 0
exp    inf 2 -inf inf | -inf inf ±0 ±0 | inf inf ±inf nan | -inf nan ±0 ±0 | inf nan ±inf nan
exp    nan 0 nan 0 | nan ~ nan nan | nan inf nan nan | nan nan nan nan
expm1  0 0 0 0 | -0 0 0 0 | * inf nan nan | * nan nan nan | inf 0 inf 0 | -inf 0 -1 0 | -inf 2 -1 0
expm1  inf 2 -inf inf | -inf inf -1 ±0 | inf inf ±inf nan | -inf nan -1 ±0 | inf nan ±inf nan
expm1  nan 0 nan 0 | nan ~ nan nan | nan inf nan nan | nan nan nan nan
log    -0 0 -inf pi | 0 0 -inf 0 | * inf inf pi/2 | * nan nan nan | -inf + inf pi | inf + inf 0
log    -inf inf inf 3pi/4 | inf inf inf pi/4 | inf nan inf nan | -inf nan inf nan | nan * nan nan
log    nan inf inf nan | nan nan nan nan | -1 0 0 pi
log1p  -1 0 -inf 0 | * inf inf pi/2 | * nan nan nan | -inf + inf pi | inf + inf 0
log1p  -inf inf inf 3pi/4 | inf inf inf pi/4 | inf nan inf nan | -inf nan inf nan | nan * nan nan
log1p  nan inf inf nan | nan nan nan nan
sign   0 0 0 0 | -0 0 0 0 | nan ? nan nan | * nan nan nan | 3 0 1 0
sinh   0 0 0 0 | -0 0 -0 0 | 0 inf ±0 nan | 0 nan ±0 nan | + inf nan nan | + nan nan nan | inf 0 inf 0
sinh   inf 2 -inf inf | inf inf ±inf nan | inf nan ±inf nan | nan 0 nan 0 | nan + nan nan
sinh   nan nan nan nan
sqrt   0 0 0 0 | -0 0 0 0 | ? inf inf inf | * nan nan nan | -inf + 0 inf | inf + inf 0
sqrt   -inf nan nan ±inf | inf nan inf nan | nan ~ nan nan | nan nan nan nan | -4 0 0 2
tanh   0 0 0 0 | -0 0 -0 0 | ~ inf nan nan | 0 inf 0 nan | ~ nan nan nan | 0 nan 0 nan | inf + 1 0
tanh   inf inf 1 ±0 | inf nan 1 ±0 | nan 0 nan 0 | nan + nan nan | nan nan nan nan
"""
POSITIVE = [0.25, 1.0, 2.0, 3.0]
MANY = {
    "+": POSITIVE,
    "~": [*POSITIVE, *(-x for x in POSITIVE)],
    "*": [*POSITIVE, *(-x for x in POSITIVE), 0.0, -0.0],
}
MANY["?"] = [*MANY["*"], INF, -INF, NAN]
ANGLES = {"pi": math.pi, "pi/2": math.pi / 2, "pi/4": math.pi / 4, "3pi/4": 3 * math.pi / 4}


def number(word: str) -> float:
    if word.startswith("-"):
        return -number(word[1:])
    return ANGLES[word] if word in ANGLES else float(word)


def cases(func: str, dtype: str) -> list[tuple[complex, str, str]]:
    """Arguments, and the two words of each result."""
    found = []
    large = float(np.finfo(dtype).max) / 4
    many = {word: [*numbers, large] for word, numbers in MANY.items()}
    for line in SPECIAL.split("\n"):
        name, _, rest = line.partition(" ")
        for case in rest.split("|") if name == func else []:
            a, b, re, im = case.split()
            for x in many.get(a) or [number(a)]:
                for y in [y for y in many.get(b, []) if math.copysign(1, y) > 0] or [number(b)]:
                    found.append((complex(x, y), re, im))
    return found


def agrees(found: float, word: str, eps: float, flip: bool = False) -> bool:
    either, expected = word.startswith("±"), number(word.removeprefix("±"))
    expected = -expected if flip else expected
    if math.isnan(expected):
        return math.isnan(found)
    if either:
        found, expected = abs(found), abs(expected)
    if expected == 0 or math.isinf(expected):
        return found == expected and math.copysign(1, found) == math.copysign(1, expected)
    return math.isclose(found, expected, rel_tol=8 * eps)


FUNCTIONS = sorted({line.partition(" ")[0] for line in SPECIAL.split("\n")} - {""})
ON = [
    *((name, func) for name in ("numpy", "strict") for func in ("expm1", "sign", "tanh")),
    *(pytest.param("jax", func, marks=pytest.mark.needs("jax")) for func in FUNCTIONS),
]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(("name", "func"), ON)
def test_as_the_standard_lists_them(name: str, func: str, dtype: str) -> None:
    xp = likewise.namespace(name)
    rows = cases(func, dtype)
    assert len(rows) > 4
    args = np.asarray([x for x, *_ in rows], dtype=dtype)
    args.flags.writeable = False
    for conjugate in (False, True):
        x = likewise.asarray(np.conj(args) if conjugate else args, namespace=name)
        with np.errstate(all="ignore"):
            out = getattr(xp, func)(x)
        assert out.dtype == getattr(xp, dtype)
        eps = float(np.finfo(dtype).eps)
        for (arg, re, im), y in zip(rows, likewise.to_numpy(out), strict=True):
            assert agrees(y.real, re, eps), (arg, conjugate, y, re)
            # Of zero, sign knows no direction.
            flip = conjugate and not (func == "sign" and arg == 0)
            assert agrees(y.imag, im, eps, flip), (arg, conjugate, y, im)


@pytest.mark.needs("jax")
@pytest.mark.parametrize("func", ["acos", "atanh", "cosh", "exp", "expm1", "sinh", "tanh"])
def test_subnormal_numbers_are_not_zero(func: str) -> None:
    """Though XLA's comparisons say so."""
    xp = likewise.namespace("jax")
    for x in (complex(5e-324, NAN), complex(NAN, 5e-324)):
        y = complex(getattr(xp, func)(xp.asarray(x)))
        assert math.isnan(y.real)
        assert math.isnan(y.imag)


PLACES = (0.0, -0.0, 0.25, 2.0, -2.0, INF, -INF, NAN)


@pytest.mark.needs("jax")
@pytest.mark.parametrize(
    ("func", "other"),
    [("sin", "sinh"), ("tan", "tanh"), ("asin", "asinh"), ("atan", "atanh"), ("cos", "cosh")],
)
def test_circular_ones_follow_from_hyperbolic_ones(func: str, other: str) -> None:
    """``f(x)`` is ``-1j * g(1j * x)``, and ``cos(x)`` is ``cosh(1j * x)``, in their parts."""
    xp = likewise.namespace("jax")
    x = [complex(a, b) for a, b in itertools.product(PLACES, PLACES)]
    turned = [complex(-z.imag, z.real) for z in x]
    found = likewise.to_numpy(getattr(xp, func)(xp.asarray(x)))
    for z, y, w in zip(
        x, found, likewise.to_numpy(getattr(xp, other)(xp.asarray(turned))), strict=True
    ):
        parts = (w.real, w.imag) if func == "cos" else (w.imag, -w.real)
        for got, want in zip((y.real, y.imag), parts, strict=True):
            if math.isnan(want):
                assert math.isnan(got), z
            elif math.isnan(z.real) or math.isnan(z.imag):  # whose signs are unspecified
                assert math.isclose(abs(got), abs(want), rel_tol=1e-15), z
            else:
                assert math.isclose(got, want, rel_tol=1e-15), z
                assert math.copysign(1, got) == math.copysign(1, want), z


@pytest.mark.needs("jax")
@pytest.mark.parametrize(("func", "base"), [("log2", 2.0), ("log10", 10.0)])
def test_logarithms_to_a_base_keep_infinities(func: str, base: float) -> None:
    xp = likewise.namespace("jax")
    x = xp.asarray([complex(-INF, 1), complex(INF, NAN), complex(0, 0), 100j, -1 - 0j])
    found = likewise.to_numpy(getattr(xp, func)(x))
    want = likewise.to_numpy(xp.log(x))
    for part in ("real", "imag"):
        scaled = getattr(want, part) / math.log(base)
        np.testing.assert_allclose(getattr(found, part), scaled, rtol=1e-15)


# -- ordinary values -------------------------------------------------------------------------------

NUMPY_NAMES = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
}
REPAIRED = [*FUNCTIONS, "asin", "atan", "cos", "log10", "log2", "sin", "tan"]


@pytest.mark.parametrize(
    ("name", "func"),
    [
        *((name, func) for name in ("numpy", "strict") for func in ("expm1", "sign", "tanh")),
        *(pytest.param("jax", func, marks=pytest.mark.needs("jax")) for func in REPAIRED),
    ],
)
def test_ordinary_values(name: str, func: str, rng: np.random.Generator) -> None:
    """In single precision against double: a few units in the last place of the whole number."""
    xp = likewise.namespace(name)
    x = rng.normal(size=2000) + 1j * rng.normal(size=2000)
    x = np.concatenate([x, x * 1e-3, 4 * x, x.real + 0j, 1j * x.imag]).astype(np.complex64)
    found = likewise.to_numpy(getattr(xp, func)(likewise.asarray(x, namespace=name)))
    assert found.dtype == np.complex64
    want = getattr(np, NUMPY_NAMES.get(func, func))(x.astype(np.complex128))
    assert np.max(np.abs(found - want) / np.abs(want)) < 20 * np.finfo(np.float32).eps


@pytest.mark.needs("jax")
@pytest.mark.parametrize("func", ["cosh", "sinh", "cos", "sin"])
def test_each_part_is_exact_by_itself(func: str) -> None:
    """Also near zero and near overflow, where differences of exponentials are not."""
    xp = likewise.namespace("jax")
    numbers = (1e-200, 1e-9, 0.3, -2.0, 30.0, 355.5, 709.9, -710.3)
    x = [complex(a, b) for a, b in itertools.product(numbers, numbers)]
    found = likewise.to_numpy(getattr(xp, func)(xp.asarray(x)))
    want = np.asarray([getattr(cmath, func)(z) for z in x])
    tiny = float(np.finfo(float).smallest_normal)  # XLA has nothing below
    np.testing.assert_allclose(found.real, want.real, rtol=1e-14, atol=tiny)
    np.testing.assert_allclose(found.imag, want.imag, rtol=1e-14, atol=tiny)
    far = likewise.to_numpy(xp.cosh(xp.asarray(711 + 1e-3j)))  # an overflow in one part only
    assert math.isinf(far.real)
    assert math.isclose(far.imag, math.sin(1e-3) * math.exp(709) * math.e**2 / 2, rel_tol=1e-13)


@pytest.mark.parametrize("name", ["numpy", "strict"])
def test_expm1_where_only_exp_overflows(name: str) -> None:
    xp = likewise.namespace(name)
    with np.errstate(all="ignore"):
        y = complex(xp.expm1(xp.asarray([800 + 0j, 0.5 + 0j]))[0])
    assert (y.real, y.imag) == (INF, 0.0)


@pytest.mark.needs("jax")
@pytest.mark.parametrize("func", sorted(set(REPAIRED) - {"sign"}))
@pytest.mark.share(3)
def test_derivatives(func: str) -> None:
    """JAX's own, and finite, on the real axis as beside it; of the second order too."""
    import jax

    xp, native = likewise.namespace("jax"), getattr(jax.numpy, func)
    repaired = getattr(xp, func)
    x = xp.asarray([0.3 + 0.4j, -0.7 + 2j, 0.5 + 0j, 2.5 - 0j, 1.5j])
    for times in (1, 2):
        f, g = repaired, native
        for _ in range(times):
            f, g = jax.grad(f, holomorphic=True), jax.grad(g, holomorphic=True)
        found = jax.jit(jax.vmap(f))(x)
        assert bool(xp.all(xp.isfinite(found)))
        np.testing.assert_allclose(found, jax.vmap(g)(x), rtol=1e-12)
    real = xp.asarray([0.3, 0.8])
    np.testing.assert_array_equal(repaired(real), native(real))
    assert repaired(xp.asarray([0.3], dtype=xp.float32)).dtype == xp.float32


# -- real functions --------------------------------------------------------------------------------


@pytest.mark.needs("jax")
@pytest.mark.parametrize(
    ("func", "python"), [("floor_divide", "__floordiv__"), ("remainder", "__mod__")]
)
def test_zeros_have_python_s_signs(func: str, python: str) -> None:
    import jax

    xp = likewise.namespace("jax")
    pairs = list(itertools.product((0.0, -0.0, 1.0, -1.0, 2.5, -4.0), (1.0, -1.0, 2.0, -2.0, 3.5)))
    pairs += [*itertools.product((0.0, -0.0), (INF, -INF)), (3.0, INF), (-3.0, -INF)]
    want = [getattr(a, python)(b) for a, b in pairs]
    x1, x2 = xp.asarray(pairs).T
    for f in (getattr(xp, func), jax.jit(getattr(xp, func))):
        found = likewise.to_numpy(f(x1, x2))
        np.testing.assert_array_equal(found, want)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(want))


@pytest.mark.parametrize(
    "name", ["numpy", "strict", pytest.param("jax", marks=pytest.mark.needs("jax"))]
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int64"])
def test_real_sign(name: str, dtype: str) -> None:
    xp = likewise.namespace(name)
    values = [-0.0, 0.0, 3.0, -2.0, INF, -INF, NAN] if dtype.startswith("float") else [0, 3, -2]
    found = xp.sign(xp.asarray(values, dtype=getattr(xp, dtype)))
    assert found.dtype == getattr(xp, dtype)
    want = [0.0, 0.0, 1.0, -1.0, 1.0, -1.0, NAN] if len(values) > 3 else [0, 1, -1]
    np.testing.assert_array_equal(likewise.to_numpy(found), want)
    if dtype.startswith("float"):
        assert not np.any(np.signbit(likewise.to_numpy(found)[:2]))


@pytest.mark.needs("jax")
@pytest.mark.parametrize("func", ["floor_divide", "remainder"])
def test_dtypes_and_derivatives_of_two_arguments(func: str) -> None:
    import jax

    xp, native = likewise.namespace("jax"), getattr(jax.numpy, func)
    repaired = getattr(xp, func)
    x = xp.asarray([7.0, -3.5], dtype=xp.float32)
    for args in ((x, 2), (2.0, x), (x, x), (xp.arange(1, 3), 2), (5, xp.arange(1, 3))):
        assert repaired(*args).dtype == native(*args).dtype
        np.testing.assert_array_equal(repaired(*args), native(*args))
    for of in (0, 1):
        for args in ((4.0, 2.0), (7.0, -2.5)):
            found = jax.grad(repaired, of)(*args)
            assert math.isfinite(found)
            assert found == jax.grad(native, of)(*args)


@pytest.mark.parametrize("name", ["numpy", pytest.param("jax", marks=pytest.mark.needs("jax"))])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_finfo(name: str, dtype: str) -> None:
    xp = likewise.namespace(name)
    real = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    digits, top, bits = (24, 128, 32) if real == "float32" else (53, 1024, 64)
    array = xp.ones(2, dtype=getattr(xp, dtype))
    for argument in (getattr(xp, dtype), array, array.dtype):
        found = xp.finfo(argument)
        assert found.dtype == getattr(xp, real)
        assert type(found.bits) is int
        numbers = (found.eps, found.max, found.min, found.smallest_normal)
        assert {type(x) for x in numbers} == {float}
        largest = math.ldexp(2 - 2.0 ** (1 - digits), top - 1)
        assert (found.bits, *numbers) == (
            bits,
            2.0 ** (1 - digits),
            largest,
            -largest,
            2.0 ** (2 - top),
        )
