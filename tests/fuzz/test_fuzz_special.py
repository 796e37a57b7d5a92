"""Special functions against SciPy's in double precision: shapes, dtypes, views and edges at random.

A result may be off by what SciPy's changes when the arguments are rounded a little, and by 64 units
in the last place. Where it is off by more, or infinite or NaN where SciPy's isn't, it must be what
mpmath has (`EXACT`), or the difference must be among `KNOWN`.
"""

import contextlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import likewise.special
from likewise._namespace import load
from likewise._native import ROWS
from likewise._rooms import furnish

pytestmark = [pytest.mark.full, pytest.mark.needs("scipy")]

CASES = 60  # for each function
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 170.0, np.inf, -np.inf, np.nan]
TINY = [1e-310, -1e-310, 5e-324, 1e-40, -1e-40, 1e-30]
HUGE = [1e5, -1e5, 1e30, -1e30, 1e200, -1e300]
# Arguments that SciPy truncates, or sums up to.
WHOLE = {
    "expn": (0,),
    "bdtr": (0, 1),
    "bdtrc": (0, 1),
    "nbdtr": (0, 1),
    "pdtr": (0,),
    "pdtrc": (0,),
}
# Where SciPy's and ours differ, ours is compared with these by mpmath, of 400 digits.
EXACT: dict[str, Callable[..., Any]] = {
    "beta": lambda a, b: mp.gammaprod([a, b], [a + b]),
    "betaln": lambda a, b: mp.log(abs(mp.gammaprod([a, b], [a + b]))),
    "binom": lambda n, k: mp.gammaprod([n + 1], [k + 1, n - k + 1]),
    "poch": lambda a, m: mp.gammaprod([a + m], [a]),
    "kl_div": lambda x, y: x * mp.log(x / y) - x + y,
    "ndtri_exp": lambda y: mp.findroot(
        lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2) - y, -mp.sqrt(-2 * y)
    ),
    "j0": lambda x: mp.besselj(0, x),
    "j1": lambda x: mp.besselj(1, x),
    "y0": lambda x: mp.bessely(0, x),
    "y1": lambda x: mp.bessely(1, x),
    "expn": lambda n, x: mp.expint(n, x) if n < 1e9 else mp.exp(-x) / (n + x),
    "gammainc": lambda a, x: mp.gammainc(a, 0, x, regularized=True),
    "gdtr": lambda a, b, x: mp.gammainc(b, 0, a * x, regularized=True),
    "pseudo_huber": lambda delta, r: delta * delta * (mp.sqrt(1 + (r / delta) ** 2) - 1),
}
# Where neither says more: of the arguments and both results.
KNOWN: dict[str, tuple[Callable[..., Any], str]] = {
    **dict.fromkeys(
        ("beta", "betaln"),
        (
            lambda a, b, y, z: np.isinf(y) & (np.minimum(a, b) < 0) & (np.minimum(a, b) > -1e-38),
            "one over a subnormal number below 0 is infinite",
        ),
    ),
    **dict.fromkeys(
        ("binom", "poch"),
        (
            lambda a, b, y, z: (np.isinf(a) & np.isnan(z) & (y == 0)) | (np.isneginf(b) & (z == 0)),
            "SciPy has NaN for limits that are 0, and 0 for binom(n, -inf)",
        ),
    ),
    **dict.fromkeys(
        ("chdtri", "gammaincinv", "gammainccinv"),
        (
            lambda a, p, y, z: (np.abs(a) < 1e-307) & (np.isnan(z) | (z == 0)),
            "without a distribution SciPy has 0, and NaN for a subnormal shape",
        ),
    ),
    **dict.fromkeys(
        ("betaincinv", "betainccinv"),
        (
            lambda a, b, p, y, z: p < 1e-307,
            "SciPy has NaN for tails, or stops, where they are subnormal",
        ),
    ),
    **dict.fromkeys(
        ("fdtr", "fdtrc"),
        (
            lambda m, n, x, y, z: (
                np.isnan(z) & (np.maximum(m, n) > 1e100) | (np.minimum(m, n) < 1e-307)
            ),
            "SciPy has NaN for huge degrees of freedom, and at 0 something else for subnormal ones",
        ),
    ),
    "stdtrit": (lambda df, p, y, z: np.abs(z) > 1e150, "SciPy's end at 1e154"),
    "bdtrc": (
        lambda k, n, p, y, z: (n < 0) & np.isnan(z),
        "SciPy has NaN for a negative n before k is looked at",
    ),
    "voigt_profile": (
        lambda x, s, g, y, z: (s < 0) | (g < 0) | (s < 1e-307) & (z == 0),
        "SciPy is 0 where sigma is subnormal; where it is negative the result means nothing",
    ),
}


def functions() -> Iterator[str]:
    import scipy.special

    for name in likewise.special.__all__:
        func = getattr(likewise.special, name)
        peer = getattr(scipy.special, name, None)
        count = len(inspect.signature(func).parameters)
        if (
            isinstance(peer, np.ufunc)
            and count == peer.nin
            and any("d->d" in t for t in peer.types)
        ):
            yield name


def numbers(rng: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """Ordinary numbers, edges among them, and now and then tiny and huge ones."""
    scale = rng.choice([0.5, 1.0, 5.0, 40.0])
    x = np.asarray(rng.uniform(0 if rng.random() < 0.6 else -scale, scale, shape))
    some = EDGES + TINY * (rng.random() < 0.3) + HUGE * (rng.random() < 0.3)
    x = np.where(rng.random(shape) < 0.2, rng.choice(some, shape), x)
    if dtype == "int64":
        return np.asarray(np.round(np.clip(np.nan_to_num(x), -200, 200)), "int64")
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(x, dtype)


def view(rng: Any, shape: tuple[int, ...], dtype: str) -> Any:
    """An array of a shape: contiguous, reversed, with steps, transposed, or repeated in place."""
    how = rng.choice(["plain", "reversed", "steps", "transposed", "repeated"])
    if how == "steps" and shape:
        return numbers(rng, (*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    if how == "transposed":
        return numbers(rng, shape[::-1], dtype).T
    if how == "repeated" and shape:
        return np.broadcast_to(numbers(rng, (1, *shape[1:]), dtype), shape)
    x = numbers(rng, shape, dtype)
    return x[tuple(slice(None, None, -1) for _ in shape) or ...] if how == "reversed" else x


def arguments(rng: Any, count: int) -> list[Any]:
    """Arrays whose shapes broadcast, Python's numbers among them, never alone."""
    whole = [(), (0,), (1,), (7,), (3, 1, 4), (2, 5), (130,), (0, 3)][rng.integers(8)]
    floating = str(rng.choice(["float64", "float32"]))
    out: list[Any] = []
    for i in range(count):
        cut = tuple(1 if rng.random() < 0.2 else n for n in whole)[rng.integers(len(whole) + 1) :]
        dtype = "int64" if rng.random() < 0.15 and i else floating
        if rng.random() < 0.15 and i:
            out.append(float(rng.choice([0.5, 2.0, 3.0])))
        else:
            out.append(view(rng, whole if i == 0 else cut, dtype))
    return out


def in_double(args: list[Any], eps: float, moved: int | None = None, by: float = 0.0) -> list[Any]:
    found = [np.ascontiguousarray(np.asarray(a, "float64")).reshape(np.shape(a)) for a in args]
    if moved is not None:
        found[moved] = found[moved] * (1 + by * eps)
    return found


def is_exact(name: str, at: list[float], got: Any, room: Any) -> bool:
    with mp.workdps(400):
        try:
            return bool(abs(EXACT[name](*map(mp.mpf, at)) - float(got)) <= float(room))
        except (ValueError, ZeroDivisionError, mp.NoConvergence):
            return False


def wrong(name: str, func: Any, peer: Any, args: list[Any]) -> Iterator[str]:
    kinds = {a.dtype for a in args if isinstance(a, np.ndarray)} - {np.dtype("int64")}
    dtype = np.dtype("float64") if np.dtype("float64") in kinds else np.dtype("float32")
    mixed = any(isinstance(a, np.ndarray) and a.dtype.kind == "i" for a in args)
    got = func(*args)
    if not mixed:
        assert got.dtype == dtype, (name, got.dtype, dtype)
    info = np.finfo(got.dtype)
    assert got.shape == np.broadcast_shapes(*map(np.shape, args)), name
    doubles = in_double(args, 0.0)
    want = np.asarray(peer(*doubles))
    eps = float(info.eps)
    near = [
        np.asarray(peer(*in_double(args, eps, i, by))) for i in range(len(args)) for by in (-4, 4)
    ]
    with np.errstate(all="ignore"):
        spread = np.max([np.abs(n - want) for n in near], axis=0)
        # A value that is on the edge of the range, or infinite next to it, may be on either side.
        most = np.abs(np.stack([want, *near])).max(axis=0)
        loose = (most > info.max / 4) | np.isnan(most) & ~np.isnan(want) | ~np.isfinite(spread)
        off = np.abs(got.astype("float64") - want)
        bad = ~(off <= 2 * spread + 64 * eps * np.abs(want) + 4 * float(info.tiny))
        bad &= ~((got == want) | (np.isnan(got) & np.isnan(want)))
        bad &= ~(loose & (np.isinf(got) | np.isinf(want) | (off < 1e-3 * np.abs(want))))
        ones = np.broadcast_arrays(*doubles)
        if name in KNOWN:
            bad &= ~KNOWN[name][0](*ones, got, want)
    for i in np.argwhere(np.atleast_1d(bad))[:9]:
        k = tuple(i) if bad.ndim else ()
        if name in EXACT:
            room = 2 * np.nan_to_num(spread[k]) + 64 * eps * np.abs(got[k]) + 4 * float(info.tiny)
            if np.isfinite(got[k]) and is_exact(name, [float(a[k]) for a in ones], got[k], room):
                continue
        yield f"{name}{tuple(float(a[k]) for a in ones)} {got.dtype}: {got[k]!r}, SciPy {want[k]!r}"


@pytest.mark.parametrize("name", list(functions()) if find_spec("scipy") else [])
def test_as_scipy(name: str) -> None:
    import scipy.special

    peer, func = getattr(scipy.special, name), getattr(likewise.special, name)
    rng = np.random.default_rng([*name.encode()])
    warnings.simplefilter("ignore")  # SciPy's, of numbers that it truncates
    found: list[str] = []
    with np.errstate(all="ignore"):
        for _ in range(CASES):
            args = arguments(rng, peer.nin)
            for i in WHOLE.get(name, ()):
                args[i] = np.asarray(np.round(args[i])) if hasattr(args[i], "dtype") else args[i]
            kept = [np.copy(a) for a in args]
            for body in (func, func.generic):
                found += wrong(name, body, peer, args)
            for a, b in zip(args, kept, strict=True):
                np.testing.assert_array_equal(a, b)
    assert not found, "\n".join(sorted(set(found)))


def routines() -> Iterator[Any]:
    """The rows of torch.special, torch and jax.scipy.special; SciPy's own are with NumPy."""
    known = set(functions()) if find_spec("scipy") else set()
    furnish(likewise.special)
    for row in ROWS:
        name = row.generic.__name__.removeprefix("_")
        for library in ("torch", "jax"):
            if name in known and row.routines.get(library, "scipy").split(".")[0] != "scipy":
                marks = pytest.mark.needs(library)
                yield pytest.param(name, library, id=f"{name}-{library}", marks=marks)


@pytest.mark.parametrize(("name", "library"), list(routines()))
def test_routines_of_libraries(name: str, library: str) -> None:
    """Compare with SciPy on arrays of one shape, as JAX compiles for each."""
    import scipy.special

    peer, func = getattr(scipy.special, name), getattr(likewise.special, name)
    rng = np.random.default_rng([*name.encode()])
    warnings.simplefilter("ignore")
    switch = load("jax").variant(True) if library == "jax" else contextlib.nullcontext()
    found: list[str] = []

    def on_library(*args: Any) -> Any:
        return likewise.to_numpy(func(*(likewise.asarray(a, namespace=library) for a in args)))

    with switch, np.errstate(all="ignore"):
        for _ in range(CASES // 2):
            for dtype in ("float64", "float32"):
                args = [numbers(rng, (50,), dtype) for _ in range(peer.nin)]
                tiny = float(np.finfo(dtype).smallest_normal)
                # A subnormal number may be taken for 0.
                args = [np.where(np.abs(a) < tiny, np.zeros_like(a), a) for a in args]
                found += wrong(name, on_library, peer, args)
    assert not found, "\n".join(sorted(set(found)))
