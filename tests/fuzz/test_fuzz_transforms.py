"""Random programs in the standard, differentiated and mapped, against JAX's own transforms of them."""

import contextlib
import math
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

import likewise
from likewise import array_namespace, grad, hessian, jit, jvp, vjp, vmap
from likewise.transforms._following._interpreter import interpreted

pytestmark = [pytest.mark.full, pytest.mark.needs("jax")]

CASES = {"numpy": 400, "strict": 60, "torch": 60, "torch-interpreted": 60}
BLOCK = 20  # programs in one test
PLACES = [
    pytest.param(name, block, marks=pytest.mark.needs(needs) if needs else ())
    for name, needs in [
        ("numpy", None),
        ("strict", "array_api_strict"),
        ("torch", "torch"),
        ("torch-interpreted", "torch"),
    ]
    for block in range(CASES[name] // BLOCK)
]
SHAPES = [(), (), (0,), (1,), (3,), (2,), (3,), (2, 3), (1, 3), (3, 1), (2, 2), (0, 2), (2, 1, 3)]
NEAR = 1e-3  # nearer to a kink than this nothing is differentiated
LANES = 2


class Unfit(Exception):
    """Raised when an instruction has no derivative, or no agreed one, on these values."""


class Instruction(NamedTuple):
    """A function of the standard, or of `OWN`, of earlier values, which are known by their numbers."""

    name: str
    operands: tuple[int, ...]
    listed: bool = False  # as one list, as concat takes them
    options: Any = MappingProxyType({})


# What isn't called by its name with arrays first.
OWN: dict[str, Callable[..., Any]] = {
    "plus": lambda xp, x, c: 1 - (c + x) * 2,
    "over": lambda xp, x, c: c / x,
    "power": lambda xp, x, c: x**c,
    "modulo": lambda xp, x, c: x % c,
    "where": lambda xp, x, y, z, c: xp.where(x > c, y, z),
    "index": lambda xp, x, key: x[key],
    "gather": lambda xp, x, key: x[tuple(xp.asarray(k) if isinstance(k, list) else k for k in key)],
    "take": lambda xp, x, indices, axis: xp.take(x, xp.asarray(indices), axis=axis),
    "take_along_axis": lambda xp, x, by, axis: xp.take_along_axis(
        x, xp.argsort(by, axis=axis), axis=axis
    ),
    "moveaxis": lambda xp, x, source, destination: xp.moveaxis(x, source, destination),
    "tile": lambda xp, x, repetitions: xp.tile(x, repetitions),
    "repeat": lambda xp, x, repeats, axis: xp.repeat(x, repeats, axis=axis),
    "unstack": lambda xp, x, axis, k: xp.unstack(x, axis=axis)[k],
    "clip_arrays": lambda xp, x, y: xp.clip(x, y, y + 0.5),
    "vector_norm": lambda xp, x, **options: xp.linalg.vector_norm(x, **options),
    "matrix_norm": lambda xp, x, **options: xp.linalg.matrix_norm(x, **options),
    "outer": lambda xp, x, y: xp.linalg.outer(x, y),
    "trace": lambda xp, x: xp.linalg.trace(x),
    "diagonal": lambda xp, x, offset: xp.linalg.diagonal(x, offset=offset),
}


def run(program: Sequence[Instruction], xp: Any, args: Sequence[Any]) -> list[Any]:
    values = list(args)
    for name, operands, listed, options in program:
        given = [values[k] for k in operands]
        if name in OWN:
            values.append(OWN[name](xp, *given, **options))
        else:
            fun = getattr(xp, name)
            values.append(fun(given, **options) if listed else fun(*given, **options))
    return values


# -- which instructions have a derivative that all agree on ----------------------------------------


def apart(x: Any, axis: int | None = None) -> bool:
    """Whether no two are about equal."""
    gaps = np.diff(np.sort(x, axis=axis))
    return bool((gaps > NEAR).all())


def off(x: Any, *points: float) -> bool:
    return all(bool((abs(x - c) > NEAR).all()) for c in points)


# name: whether it can be differentiated on operands (NumPy's), which may be tied where they are
# `exact`, with nothing rounded: there the tables of kinks agree with JAX.
FIT: dict[str, Callable[..., bool]] = {
    "exp": lambda x, exact: bool((x < 3).all()),
    "expm1": lambda x, exact: bool((x < 3).all()),
    "sinh": lambda x, exact: bool((abs(x) < 3).all()),
    "log": lambda x, exact: bool((x > 0.1).all()),
    "log1p": lambda x, exact: bool((x > -0.9).all()),
    "sqrt": lambda x, exact: bool((x > 0.1).all()),
    "reciprocal": lambda x, exact: bool((abs(x) > 0.2).all()),
    "over": lambda x, exact, c: bool((abs(x) > 0.2).all()),
    "power": lambda x, exact, c: isinstance(c, int) or bool((x > 0.1).all()),
    "modulo": lambda x, exact, c: off(np.abs((x / c + 0.5) % 1 - 0.5), 0),
    "abs": lambda x, exact: off(x, 0),
    "sign": lambda x, exact: off(x, 0),
    "floor": lambda x, exact: off(x - np.round(x), 0),
    "divide": lambda x, y, exact: bool((abs(y) > 0.2).all()),
    "pow": lambda x, y, exact: bool((x > 0.1).all()),
    "atan2": lambda x, y, exact: bool((np.hypot(x, y) > 0.1).all() and (abs(x) > NEAR).all()),
    "hypot": lambda x, y, exact: bool((np.hypot(x, y) > 0.1).all()),
    "copysign": lambda x, y, exact: off(x, 0) and off(y, 0),
    "maximum": lambda x, y, exact: exact or off(x - y, 0),
    "minimum": lambda x, y, exact: exact or off(x - y, 0),
    "max": lambda x, exact, axis=None, keepdims=False: exact or apart(x),
    "min": lambda x, exact, axis=None, keepdims=False: exact or apart(x),
    "sort": lambda x, exact, axis=-1, descending=False: (exact and not descending) or apart(x),
    "take_along_axis": lambda x, by, exact, axis: x.shape == by.shape and apart(by),
    "clip": lambda x, exact, min, max: off(x, *(c for c in (min, max) if c is not None)),
    "clip_arrays": lambda x, y, exact: off(x - y, 0, 0.5),
    "where": lambda x, y, z, exact, c: off(x, c),
    "std": lambda x, exact, axis, keepdims, correction: bool(
        (np.std(x, axis=axis) > 0.05).all() and apart(x)
    ),
    "vector_norm": lambda x, exact, axis=None, keepdims=False, ord=2: (
        bool(x.size) and off(x, 0) and apart(abs(x))
    ),
    "matrix_norm": lambda x, exact, ord, keepdims=False: bool(x.size) and off(x, 0),
}
EXACT = set(
    "reshape permute_dims matrix_transpose expand_dims squeeze flip roll concat stack broadcast_to "
    "tile repeat moveaxis take index gather unstack negative diagonal abs where max min maximum "
    "minimum sort".split()
)


# -- random programs -------------------------------------------------------------------------------


def number(text: str) -> Callable[["Maker", Any], dict[str, Any]]:
    return lambda m, x: {"c": m.pick([float(t) if "." in t else int(t) for t in text.split()])}


class Maker:
    """Draws arguments, and instructions one after the other, trying each on all lanes."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.xp = array_namespace(np.ones(()))
        self.wild = seed % 8 == 7  # infinities and NaN, for values alone
        shapes = [self.pick(SHAPES) for _ in range(self.rng.integers(1, 4))]
        self.axes = [self.pick([None, *range(len(s) + 1)]) for s in shapes]
        if all(axis is None for axis in self.axes):
            self.axes[0] = 0
        first = [self.array(s) for s in shapes]
        others = [
            [
                x if axis is None else self.array(x.shape)
                for x, axis in zip(first, self.axes, strict=True)
            ]
            for _ in range(LANES - 1)
        ]
        self.lanes: list[list[Any]] = [first, *others]
        self.exact = [True] * len(shapes)
        self.program: list[Instruction] = []
        self.arguments = len(shapes)
        wanted = int(self.rng.integers(5, 11))
        for _ in range(400):
            if len(self.program) == wanted:
                break
            with contextlib.suppress(Unfit):
                self.add()
        assert len(self.program) == wanted

    def pick(self, options: Sequence[Any]) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def array(self, shape: tuple[int, ...]) -> Any:
        x = np.asarray(self.rng.normal(size=shape))
        view = self.rng.integers(5)
        if self.wild:
            pool = np.asarray([np.inf, -np.inf, np.nan, 0.0, 1.0, -2.0])
            drawn = pool[self.rng.integers(6, size=shape)]
            x = np.asarray(np.where(self.rng.random(size=shape) < 0.4, drawn, x))
        elif view == 0:
            x = np.asarray(self.rng.integers(-2, 3, size=shape) / 2)  # ties
        if view == 1 and x.ndim:
            x = np.flip(x, axis=int(self.rng.integers(x.ndim)))
        elif view == 2 and x.ndim and x.shape[0]:
            x = np.broadcast_to(x[:1], x.shape)
        elif view == 3:
            x = np.array(x.T, order="C").T
        return x

    def add(self) -> None:
        family = self.pick([self.unary, self.binary, self.reduction, self.structure, self.special])
        # The newest most often, so that programs are deep.
        last = len(self.lanes[0])
        k = last - 1 if self.rng.random() < 0.5 else int(self.rng.integers(last))
        instruction = family(k, self.lanes[0][k])
        self.exact.append(self.fits(instruction))
        try:
            with np.errstate(all="ignore"):
                new = [run([instruction], self.xp, lane)[-1] for lane in self.lanes]
        except (ValueError, IndexError):  # shapes that don't go together
            self.exact.pop()
            raise Unfit from None
        x = np.asarray(new[0])
        finite = all(bool((abs(v) < 30).all()) for v in new)  # NaN too is refused
        if x.size > 24 or x.ndim > 4 or not (finite or self.wild):
            self.exact.pop()
            raise Unfit
        for lane, value in zip(self.lanes, new, strict=True):
            lane.append(np.asarray(value))
        self.program.append(instruction)

    def fits(self, instruction: Instruction) -> bool:
        """Whether nothing has been rounded; raise where there is no derivative."""
        name, operands, _, options = instruction
        shapes = [self.lanes[0][k].shape for k in operands]
        matrices = ("tril", "triu", "trace", "diagonal", "matrix_norm", "matrix_transpose")
        if (
            (name in matrices and len(shapes[0]) < 2)
            or (name == "outer" and [len(s) for s in shapes] != [1, 1])
            or (name == "vecdot" and shapes[0][-1:] != shapes[1][-1:])
        ):
            raise Unfit  # outside the standard, though some libraries take it
        exact = all(self.exact[k] for k in operands)
        fit = FIT.get(name)
        if fit is not None and not (self.wild and name not in ("floor", "sign", "modulo")):
            for lane in self.lanes:
                with np.errstate(all="ignore"):
                    try:
                        good = fit(*(lane[k] for k in operands), exact=exact, **options)
                    except (ValueError, IndexError):
                        good = False
                if not good:
                    raise Unfit
        return exact and name in EXACT

    def other(self, x: Any) -> int:
        """The number of a value that x broadcasts with."""
        found = []
        for k, y in enumerate(self.lanes[0]):
            with contextlib.suppress(ValueError):
                np.broadcast_shapes(x.shape, y.shape)
                found.append(k)
        return int(self.pick(found))

    def axis(self, x: Any) -> int:
        if not x.ndim:
            raise Unfit
        return int(self.rng.integers(-x.ndim, x.ndim))

    def unary(self, k: int, x: Any) -> Instruction:
        names = (
            "sin cos tanh exp expm1 sinh log log1p sqrt square reciprocal abs sign floor atan asinh"
        )
        name = self.pick([*names.split(), "negative", "plus", "over", "power", "modulo"])
        options = {
            "plus": number("2 0.5 -1"),
            "over": number("1 2.5"),
            "power": number("2 3 0 1 0.5 1.5 -1.5"),
            "modulo": number("1.5 2 -1.25"),
        }.get(name)
        return Instruction(name, (k,), options=options(self, x) if options else {})

    def binary(self, k: int, x: Any) -> Instruction:
        names = "add subtract multiply divide maximum minimum hypot atan2 logaddexp pow copysign"
        name = self.pick([*names.split(), "clip_arrays", "where"])
        if name == "where":
            other = self.other(x)
            options = {"c": self.pick([0.0, 0.25])}
            return Instruction(name, (k, other, self.other(x)), options=options)
        return Instruction(name, self.pick([(k, self.other(x)), (self.other(x), k)]))

    def reduction(self, k: int, x: Any) -> Instruction:
        name = self.pick("sum mean prod max min std var vector_norm".split())
        axes = [None, *range(-x.ndim, x.ndim)]
        if x.ndim > 1:
            axes += [(0, 1), (-1, 0)]
        options: dict[str, Any] = {"axis": self.pick(axes), "keepdims": self.pick([False, True])}
        if name in ("std", "var"):
            options["correction"] = self.pick([0.0, 0.5, 1])
        elif name == "vector_norm":
            options["ord"] = self.pick([1, 2, 3, 0.5, math.inf, -math.inf])
        return Instruction(name, (k,), options=options)

    def structure(self, k: int, x: Any) -> Instruction:
        name = self.pick(
            "reshape permute_dims expand_dims squeeze flip roll concat stack broadcast_to tile repeat "
            "moveaxis take index gather unstack take_along_axis tril triu diff matrix_transpose".split()
        )
        if name in ("concat", "stack"):
            same = [j for j, y in enumerate(self.lanes[0]) if y.shape == x.shape]
            operands = (k, *(self.pick(same) for _ in range(self.rng.integers(0, 3))))
            axis = (
                self.axis(x)
                if name == "concat"
                else int(self.rng.integers(-x.ndim - 1, x.ndim + 1))
            )
            return Instruction(name, operands, True, {"axis": axis})
        if name in ("tril", "triu"):
            return Instruction(name, (k,), options={"k": int(self.rng.integers(-1, 2))})
        if name == "matrix_transpose":
            return Instruction(name, (k,))
        if name == "take_along_axis":
            return Instruction(name, (k, self.other(x)), options={"axis": self.axis(x)})
        return Instruction(name, (k,), options=self.how(name, x))

    def how(self, name: str, x: Any) -> dict[str, Any]:
        rng = self.rng
        if name == "reshape":
            return {
                "shape": self.pick([(x.size,), (-1, 1), (1, x.size), x.shape[::-1], (1, *x.shape)])
            }
        if name == "permute_dims":
            return {"axes": tuple(int(a) for a in rng.permutation(x.ndim))}
        if name == "expand_dims":
            return {"axis": int(rng.integers(-x.ndim - 1, x.ndim + 1))}
        if name == "broadcast_to":
            return {"shape": (2, *x.shape)}
        if name == "tile":
            return {"repetitions": self.pick([(2,), (1, 2), (2, *(1,) * x.ndim)])}
        if name == "index":
            return {"key": self.key(x)}
        axis = self.axis(x)
        n = x.shape[axis]
        indices = (
            rng.integers(0, n, size=self.pick([0, 1, 3])) if n else np.zeros(0, dtype=np.int64)
        )
        return {
            "squeeze": {"axis": axis},
            "flip": {"axis": self.pick([axis, None])},
            "roll": {"shift": int(rng.integers(-2, 4)), "axis": self.pick([axis, None])},
            "repeat": {"repeats": int(rng.integers(0, 3)), "axis": axis},
            "moveaxis": {"source": axis, "destination": self.axis(x)},
            "take": {"indices": indices.tolist() or np.zeros(0, dtype=np.int64), "axis": axis},
            "gather": {"key": self.places(x)},
            "unstack": {"axis": axis, "k": int(rng.integers(max(n, 1)))},
            "diff": {"axis": axis},
        }[name]

    def places(self, x: Any) -> Any:
        """Integers or arrays of them for each axis, as the standard wants it."""
        if not x.size:
            raise Unfit
        drawn = [self.rng.integers(-n, n, size=self.pick([3, (2, 1)])).tolist() for n in x.shape]
        return tuple(self.pick([d, d, 0]) if k else d for k, d in enumerate(drawn))

    def key(self, x: Any) -> Any:
        parts: list[Any] = []
        for n in x.shape:
            some = [slice(None), slice(None, None, -1), slice(1, None), slice(None, None, 2)]
            some += [slice(0, 0), None] if self.rng.random() < 0.3 else []
            some += [int(self.rng.integers(-n, n))] * 2 if n else []
            part = self.pick(some)
            parts += [None, slice(None)] if part is None else [part]
        cut = int(self.rng.integers(len(parts) + 1))
        middle = [...] if self.rng.random() < 0.3 else []
        return (*parts[:cut], *middle, *parts[cut:])

    def special(self, k: int, x: Any) -> Instruction:
        name = self.pick(
            "matmul vecdot tensordot cumulative_sum cumulative_prod sort clip outer trace diagonal "
            "matrix_norm".split()
        )
        if name in ("matmul", "vecdot", "outer", "tensordot"):
            y = int(self.rng.integers(len(self.lanes[0])))
            options = {"axes": self.pick([0, 1, 2])} if name == "tensordot" else {}
            return Instruction(name, (k, y), options=options)
        options = {}
        if name.startswith("cumulative"):
            options = {"axis": self.axis(x), "include_initial": self.pick([False, True])}
        elif name == "sort":
            options = {"axis": self.axis(x), "descending": self.pick([False, True])}
        elif name == "clip":
            options = self.pick([(-0.6, 0.7), (None, 0.3), (0.1, None)])
            options = {"min": options[0], "max": options[1]}
        elif name == "diagonal":
            options = {"offset": self.pick([-1, 0, 1])}
        elif name == "matrix_norm":
            options = {"ord": "fro", "keepdims": self.pick([False, True])}
        return Instruction(name, (k,), options=options)


# -- what is compared ------------------------------------------------------------------------------


class Functions(NamedTuple):
    """The program as a function to arrays and to a scalar, where `space` finds the namespace."""

    arrays: Callable[..., Any]
    scalar: Callable[..., Any]


def functions(maker: Maker, space: Callable[..., Any]) -> Functions:
    """Return all that no other instruction uses, as a tuple; and its sum with weights."""
    used = {k for i in maker.program for k in i.operands}
    ends = [k for k in range(maker.arguments, len(maker.lanes[0])) if k not in used]

    def arrays(*args: Any) -> Any:
        values = run(maker.program, space(*args), args)
        return tuple(values[k] for k in ends)

    def scalar(*args: Any) -> Any:
        xp = space(*args)
        found = arrays(*args)
        return sum(xp.sum(xp.sin((k + 1.0) * x)) for k, x in enumerate(found))

    return Functions(arrays, scalar)


def same(got: Any, expected: Any, what: str) -> None:
    got, expected = likewise.tree_leaves(got), likewise.tree_leaves(expected)
    assert len(got) == len(expected), what
    for k, (a, b) in enumerate(zip(got, expected, strict=True)):
        a, b = likewise.to_numpy(a), np.asarray(b)
        assert a.shape == b.shape, f"{what}, result {k}: {a.shape}, not {b.shape}"
        assert a.dtype == b.dtype, f"{what}, result {k}: {a.dtype}, not {b.dtype}"
        finite = b[np.isfinite(b)]
        scale = max(1.0, float(abs(finite).max(initial=0)))
        np.testing.assert_allclose(
            a, b, rtol=1e-9, atol=1e-10 * scale, err_msg=f"{what}, result {k}"
        )


def stacked(lanes: Sequence[Any], axis: int = 0) -> Any:
    return [
        np.stack([np.asarray(x) for x in leaves], axis=axis) for leaves in zip(*lanes, strict=True)
    ]


def by_jax(theirs: Functions, wild: bool) -> Callable[..., dict[str, Any]]:
    """All that JAX says of one lane, in one program: compiled by operation it takes much longer."""
    import jax

    def of_lane(x: Any, tangents: Any, cotangents: Any) -> dict[str, Any]:
        if wild:
            return {"values": theirs.arrays(*x)}
        slope = jax.grad(theirs.scalar, tuple(range(len(x))))
        out, pull = jax.vjp(theirs.arrays, *x)
        return {
            "values": out,
            "jvp": jax.jvp(theirs.arrays, x, tangents)[1],
            "vjp": pull(cotangents),
            "jvp of grad": jax.jvp(slope, x, tangents),
        }

    compiled: Callable[..., dict[str, Any]] = jax.jit(of_lane)
    return compiled


def units(shapes: Sequence[tuple[int, ...]]) -> list[tuple[Any, ...]]:
    """Tangents along each element of all arguments."""
    sizes = [math.prod(s) for s in shapes]
    ends = np.cumsum(sizes)[:-1]
    rows = np.eye(sum(sizes))
    return [
        tuple(part.reshape(s) for part, s in zip(np.split(row, ends), shapes, strict=True))
        for row in rows
    ]


def columns(bent: Any, shapes: Sequence[tuple[int, ...]]) -> Any:
    """The Hessian as one matrix."""
    blocks = [
        [
            likewise.to_numpy(h).reshape(math.prod(a), math.prod(b))
            for h, b in zip(row, shapes, strict=True)
        ]
        for row, a in zip(bent, shapes, strict=True)
    ]
    return np.concatenate([np.concatenate(row, axis=1) for row in blocks])


def check(maker: Maker, library: str) -> None:
    import jax

    name = library.removesuffix("-interpreted")
    rng = maker.rng
    ours, theirs = functions(maker, array_namespace), functions(maker, lambda *_: jax.numpy)

    def array(x: Any) -> Any:
        return x if name == "numpy" else likewise.asarray(np.array(x), namespace=name)

    lanes = [lane[: maker.arguments] for lane in maker.lanes]
    x = tuple(array(v) for v in lanes[0])
    batch = [
        array(lanes[0][k] if axis is None else np.stack([lane[k] for lane in lanes], axis=axis))
        for k, axis in enumerate(maker.axes)
    ]
    axes = tuple(maker.axes)
    values = ours.arrays(*x)
    tangents = tuple(np.asarray(rng.normal(size=v.shape)) for v in lanes[0])
    cotangents = tuple(np.asarray(rng.normal(size=v.shape)) for v in values)
    t, ct = tuple(map(array, tangents)), tuple(map(array, cotangents))
    copies = [tuple(np.array(v) for v in lane) for lane in lanes]
    reference = by_jax(theirs, maker.wild)
    expected, *others = [reference(lane, tangents, cotangents) for lane in copies]
    each = [expected, *others]
    same(values, expected["values"], "values")
    out_axis = int(rng.integers(1 + min(v.ndim for v in values)))
    mapped = vmap(ours.arrays, in_axes=axes, out_axes=out_axis)
    same(mapped(*batch), stacked([e["values"] for e in each], out_axis), "vmap")
    if maker.wild:
        same(jvp(ours.arrays, x, t)[0], expected["values"], "jvp's values")
        same(vjp(ours.arrays, *x)[0], expected["values"], "vjp's values")
        return
    every = tuple(range(len(x)))
    slope = grad(ours.scalar, every)
    same(jvp(ours.arrays, x, t), [expected["values"], expected["jvp"]], "jvp")
    out, pull = vjp(ours.arrays, *x)
    same([out, pull(ct)], [expected["values"], expected["vjp"]], "vjp")
    same(slope(*x), expected["jvp of grad"][0], "grad")
    same(
        vmap(slope, in_axes=axes)(*batch),
        stacked([e["jvp of grad"][0] for e in each]),
        "vmap of grad",
    )
    same(jvp(slope, x, t), expected["jvp of grad"], "jvp of grad")
    shapes = [v.shape for v in x]
    if 0 < sum(v.size for v in lanes[0]) <= 6:
        found = [reference(copies[0], unit, cotangents)["jvp of grad"][1] for unit in units(shapes)]
        rows = [np.concatenate([np.reshape(v, -1) for v in row]) for row in found]
        same(columns(hessian(ours.scalar, every)(*x), shapes), np.stack(rows, axis=1), "hessian")
    if name != "torch":  # which would compile for minutes
        same(jit(ours.arrays)(*x), expected["values"], "jit")
        same(grad(jit(ours.scalar), every)(*x), expected["jvp of grad"][0], "grad of jit")
        same(jit(jit(slope))(*x), expected["jvp of grad"][0], "jit of jit of grad")


def check_noted(seed: int, library: str) -> None:
    kept = interpreted() if library.endswith("interpreted") else contextlib.nullcontext()
    maker = Maker(seed)
    try:
        with kept:
            check(maker, library)
    except Exception as error:
        error.add_note(f"seed {seed} on {library}, in_axes {maker.axes}")
        for lane in maker.lanes:
            error.add_note(f"arguments {lane[: maker.arguments]!r}")
        for k, i in enumerate(maker.program):
            error.add_note(f"v{maker.arguments + k} = {i.name}{i.operands} {i.options}")
        raise


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of infinities and NaN
@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize(("library", "block"), PLACES)
def test_random_programs(library: str, block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        check_noted(seed, library)
