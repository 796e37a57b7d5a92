"""Derivatives from elsewhere: JAX's own rules, or differences of high order in 60 digits.

Everything here is on NumPy's arrays, and nothing of it is likewise's.
"""

import functools
import zlib
from typing import Any

import mpmath
import numpy as np

from .cases import Case

__all__ = ["Reference", "as_tuple", "close", "directions", "floating", "lanes", "reference"]

LANES = 3


def as_tuple(out: Any) -> tuple[Any, ...]:
    return tuple(out) if isinstance(out, tuple | list) else (out,)


def floating(case: Case) -> tuple[int, ...]:
    """Which arguments are differentiated."""
    if case.diff is not None:
        return case.diff
    return tuple(i for i, a in enumerate(case.args) if np.asarray(a).dtype.kind in "fc")


def _rng(case: Case, use: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(f"{case.name} {case.label} {use}".encode()))


def _random(rng: np.random.Generator, like: Any) -> np.ndarray:
    like = np.asarray(like)
    x = rng.normal(size=like.shape)
    if like.dtype.kind == "c":
        x = x + 1j * rng.normal(size=like.shape)
    return np.asarray(x, dtype=like.dtype)


def directions(case: Case, outs: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """Random tangents of the arguments and cotangents of the results."""
    rng = _rng(case, "directions")
    tangents = [_random(rng, case.args[i]) for i in floating(case)]
    return tangents, [_random(rng, y) for y in outs]


def lanes(case: Case) -> list[tuple[np.ndarray, ...]]:
    """Arguments for each lane of a batch; whole numbers stay whole, and ties and order with them.

    An array of whole numbers, mask or index is rolled along its last axis, what else is scaled.
    """
    rng = _rng(case, "lanes")
    out = []
    for k in range(LANES):
        args = []
        for a in map(np.asarray, case.args):
            whole = a == np.round(a) if a.dtype.kind in "fc" else np.ones(a.shape, bool)
            if k and whole.all():
                a = np.roll(a, k, axis=-1) if a.ndim else a
            elif k:
                a = np.where(whole, a, a * (1 + 0.05 * rng.uniform(-1, 1, a.shape)))
            args.append(a)
        out.append(tuple(args))
    return out


def close(found: Any, expected: Any, what: str, rtol: float = 1e-10) -> None:
    """Equal but for `rtol` of the largest element, and for what is 0 but for rounding."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{what}: {found.shape}, not {expected.shape}"
    assert found.dtype == expected.dtype, f"{what}: {found.dtype}, not {expected.dtype}"
    finite = np.abs(expected[np.isfinite(expected)])
    scale = finite.max() if finite.size else 0.0
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale + 1e-13, err_msg=what)


class Reference:
    """The right values for a case; `args` other than the case's for a lane."""

    def __init__(self, case: Case, args: tuple[Any, ...]) -> None:
        self.case, self.args, self.diff = case, args, floating(case)

    @functools.cached_property
    def outs(self) -> tuple[Any, ...]:
        import likewise

        xp = likewise.namespace("numpy")  # the standard's functions, and no transform
        return tuple(np.asarray(y) for y in as_tuple(self.case.fun(xp, *self.args)))

    @functools.cached_property
    def directions(self) -> Any:
        return directions(self.case, self.outs)

    @functools.cached_property
    def jvp(self) -> list[Any]:
        return self._by("jvp")

    @functools.cached_property
    def vjp(self) -> list[Any]:
        return self._by("vjp")

    @functools.cached_property
    def second(self) -> list[Any]:
        """The derivative of the vjp along the tangents."""
        return self._by("second")

    def _by(self, cell: str) -> list[Any]:
        if self.case.reference == "jax":
            import jax

            with jax.disable_jit():  # compiling each function would take most of the time
                found = getattr(_Jax(self.case, self.args, self.diff), cell)(*self.directions)
        else:
            found = getattr(_Differences(self.case, self.args, self.diff), cell)(*self.directions)
        like = self.outs if cell == "jvp" else [self.args[i] for i in self.diff]
        return [np.asarray(f, dtype=np.asarray(a).dtype) for f, a in zip(found, like, strict=True)]


class _Jax:
    def __init__(self, case: Case, args: tuple[Any, ...], diff: tuple[int, ...]) -> None:
        import jax
        import jax.numpy as jnp

        self.jax = jax
        args = tuple(map(jnp.asarray, args))
        self.primals = [args[i] for i in diff]

        def fun(*some: Any) -> Any:
            full = list(args)
            for i, x in zip(diff, some, strict=True):
                full[i] = x
            return as_tuple(case.fun(jnp, *full))

        self.fun = fun

    def jvp(self, tangents: Any, cotangents: Any) -> Any:
        moved = [self.jax.numpy.asarray(t) for t in tangents]
        return self.jax.jvp(self.fun, tuple(self.primals), tuple(moved))[1]

    def vjp(self, tangents: Any, cotangents: Any) -> Any:
        pull = self.jax.vjp(self.fun, *self.primals)[1]
        return pull(tuple(map(self.jax.numpy.asarray, cotangents)))

    def second(self, tangents: Any, cotangents: Any) -> Any:
        cts = tuple(map(self.jax.numpy.asarray, cotangents))
        moved = tuple(map(self.jax.numpy.asarray, tangents))
        return self.jax.jvp(
            lambda *x: self.jax.vjp(self.fun, *x)[1](cts), tuple(self.primals), moved
        )[1]


class _Differences:
    """Central differences in 60 digits; the standard's functions on arrays of mpmath's numbers."""

    step = mpmath.mpf(10) ** -15

    def __init__(self, case: Case, args: tuple[Any, ...], diff: tuple[int, ...]) -> None:
        from .multiprecision import exact

        self.case, self.diff = case, diff
        self.args = [exact(a) for a in args]
        self.sizes = [args[i] for i in diff]

    def _at(self, *moves: Any) -> Any:
        from .multiprecision import namespace

        args = list(self.args)
        for scale, along in moves:
            for i, t in zip(self.diff, along, strict=True):
                args[i] = args[i] + scale * t
        return [np.asarray(y) for y in as_tuple(self.case.fun(namespace, *args))]

    def _along(self, along: Any, *moves: Any) -> Any:
        h = self.step
        ends = self._at((h, along), *moves), self._at((-h, along), *moves)
        return [(a - b) / (2 * h) for a, b in zip(*ends, strict=True)]

    def jvp(self, tangents: Any, cotangents: Any) -> Any:
        with mpmath.workdps(60):
            return [_rounded(d) for d in self._along([_exact(t) for t in tangents])]

    def vjp(self, tangents: Any, cotangents: Any) -> Any:
        with mpmath.workdps(60):
            return self._pulled(cotangents, lambda e: self._along(e))

    def second(self, tangents: Any, cotangents: Any) -> Any:
        h = self.step
        with mpmath.workdps(60):
            t = [_exact(x) for x in tangents]

            def mixed(e: Any) -> Any:
                ends = self._along(e, (h, t)), self._along(e, (-h, t))
                return [(a - b) / (2 * h) for a, b in zip(*ends, strict=True)]

            return self._pulled(cotangents, mixed)

    def _pulled(self, cotangents: Any, derivative: Any) -> Any:
        """What pairs with each element as the derivative along it does with the cotangents."""
        found = []
        for k, like in enumerate(self.sizes):
            like = np.asarray(like)
            g = np.zeros(like.shape, dtype=like.dtype)
            for at in np.ndindex(like.shape):
                for unit in (1, 1j) if like.dtype.kind == "c" else (1,):
                    e = [np.zeros(np.shape(s), dtype=object) for s in self.sizes]
                    e[k][at] = mpmath.mpmathify(unit)
                    pairs = zip(cotangents, derivative(e), strict=True)
                    total = sum(mpmath.re(np.sum(_exact(c) * d)) for c, d in pairs)
                    g[at] += float(total) if unit == 1 else -1j * float(total)
            found.append(g)
        return found


def _exact(x: Any) -> Any:
    from .multiprecision import exact

    return exact(x)


def _rounded(x: Any) -> Any:
    x = np.asarray(x)
    if any(isinstance(v, mpmath.mpc) for v in x.flat):
        return np.asarray([complex(v) for v in x.flat]).reshape(x.shape)
    return np.asarray([float(v) for v in x.flat]).reshape(x.shape)


_CACHE: dict[Any, Reference] = {}


def reference(case: Case, lane: int | None = None) -> Reference:
    """Computed once for each case; its first lane is the case itself."""
    lane = lane or None
    key = (id(case), lane)
    if key not in _CACHE:
        _CACHE[key] = Reference(case, case.args if lane is None else lanes(case)[lane])
    return _CACHE[key]
