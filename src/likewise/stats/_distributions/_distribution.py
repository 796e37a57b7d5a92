"""Distributions: parameters, moments, random numbers, frozen objects."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ... import _plan
from ..._dtypes import default_floating
from ..._namespace import array_namespace, is_concrete, is_neutral
from ..._namespace import device as device_of
from ...errors import ArgumentError
from ...missing._axes import numeric
from ...random import key as make_key
from ...special._function import _as_given
from ...transforms import register_tree
from ._elements import beside_numbers, elements, light, usual
from ._parameters import Parameter, domain, read

__all__ = ["Distribution", "Frozen", "FrozenContinuous", "FrozenDiscrete", "of_raw"]


_X = ("x",)


class Distribution:
    """A distribution with parameters; calling it with them gives a frozen one.

    A class is a row: `parameters` with their domains, `support` of the standard form, and the
    methods with an underscore that are known, as functions of arrays of one dtype whose shapes
    broadcast. What a row lacks comes from the classes `Continuous` and `Discrete`.
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    whole: ClassVar[frozenset[str]] = frozenset()
    light: ClassVar[frozenset[str]] = frozenset()  # what has few operations
    support_ends: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    usual: ClassVar[tuple[float, ...]] = ()  # parameters, where middles of domains don't fit
    moving: ClassVar[tuple[Parameter, ...]]  # loc, and scale of a continuous one
    frozen: ClassVar[type["Frozen"]]

    def __init__(self) -> None:
        self._every = (*self.parameters, *self.moving)
        self._count = len(self.parameters)
        self._bare = "d" * len(self._every)
        self._together = type(self)._valid is not Distribution._valid
        self._bodies: dict[tuple[str, str], Callable[..., Any]] = {}

    def __reduce__(self) -> Any:
        return self.name  # found in the module by its name

    def __repr__(self) -> str:
        return f"<likewise.stats.{self.name}>"

    @property
    def shapes(self) -> str | None:
        """Names of the parameters besides loc and scale, separated by commas; None of none."""
        return ", ".join(p.name for p in self.parameters) or None

    @property
    def numargs(self) -> int:
        """The number of parameters besides loc and scale."""
        return self._count

    def __call__(self, *args: Any, **kwargs: Any) -> "Frozen":
        """Return the distribution with its parameters fixed."""
        return self.frozen(self, tuple(read(self.name, self._every, args, kwargs)))

    def freeze(self, *args: Any, **kwargs: Any) -> "Frozen":
        """Return the distribution with its parameters fixed."""
        return self(*args, **kwargs)

    # -- elementwise calls -------------------------------------------------------------------------

    def _evaluate(self, what: str, x: Any, args: Sequence[Any], kwargs: Any) -> Any:
        function = f"{self.name}.{what}"
        if not (args or kwargs or self._count):
            body = self._body(what, self._bare)
            return beside_numbers(body, x, ()) if usual(x) else elements(function, _X, body, x)
        values = read(function, self._every, args, kwargs)
        kinds, names, given = domain(self._every, values)
        body = self._body(what, kinds)
        if "c" not in kinds and usual(x):
            return beside_numbers(body, x, given)
        return elements(function, ("x", *names), body, x, *given)

    def _of_parameters(self, what: str, args: Sequence[Any], kwargs: Any) -> Any:
        """Return what is computed of the parameters alone: moments, entropy, ends."""
        function = f"{self.name}.{what}"
        values = read(function, self._every, args, kwargs)
        kinds, names, given = domain(self._every, values)
        return elements(function, ("x", *names), self._body(what, kinds), 0.0, *given)

    def _body(self, what: str, kinds: str) -> Callable[..., Any]:
        body = self._bodies.get((what, kinds))
        if body is None:
            plain = "c" not in kinds and kinds.endswith("d" * len(self.moving))
            if plain and what in self.whole:  # the row's function as it stands
                body = getattr(self, f"_{what}")
            else:
                told = [i for i, k in enumerate(kinds) if k != "d"]
                places = tuple(told.index(i) if i in told else None for i in range(len(kinds)))
                checked = tuple(i for i, k in enumerate(kinds) if k == "c")
                method = getattr(self, f"_at_{what}")
                body = functools.partial(self._run, method, places, checked)
            if what in self.light:
                body = light(body)
            self._bodies[what, kinds] = body
        return body

    def _run(
        self,
        method: Callable[..., Any],
        places: tuple[int | None, ...],
        checked: tuple[int, ...],
        x: Any,
        *given: Any,
    ) -> Any:
        values = [None if i is None else given[i] for i in places]
        xp = array_namespace(x, *given)
        shapes = tuple(values[: self._count])
        y = method(xp, x, shapes, *values[self._count :])
        good = self._valid(xp, *shapes) if self._together else None
        for i in checked:
            inside = self._every[i].inside(values[i])
            good = inside if good is None else good & inside
        return y if good is None else xp.where(good, y, xp.nan)

    def _valid(self, xp: Any, *shapes: Any) -> Any:
        """Tell where parameters fit together; None if their domains say all."""
        return None

    def _within(self, xp: Any, *shapes: Any) -> tuple[Any, ...]:
        """The shapes, and usual ones where they are no parameters: a search there has no end."""
        good = self._valid(xp, *shapes) if self._together else None
        for p, s in zip(self.parameters, shapes, strict=True):
            inside = p.inside(s)
            good = inside if good is None else good & inside
        usual = self.usual or tuple(p.middle() for p in self.parameters)
        return tuple(xp.where(good, s, v) for s, v in zip(shapes, usual, strict=True))

    def _support(self, xp: Any, *shapes: Any) -> tuple[Any, Any]:
        """The ends of the standard form, numbers or arrays of the parameters."""
        return self.support_ends

    # -- moments -----------------------------------------------------------------------------------

    def stats(self, *args: Any, moments: str = "mv", **kwargs: Any) -> Any:
        """Return mean ('m'), variance ('v'), skewness ('s') and excess kurtosis ('k').

        Parameters
        ----------
        *args, **kwargs : array
            The parameters.
        moments : str, optional
            Which, in any order; also by position, after the parameters.

        Returns
        -------
        array or tuple of array
            One for each letter, in the order m, v, s, k.
        """
        if args and isinstance(args[-1], str):
            args, moments = args[:-1], args[-1]
        if not moments or set(moments) - set("mvsk"):
            raise ArgumentError(
                f"{self.name}.stats: moments must be letters of 'mvsk', got {moments!r}"
            )
        words = {"m": "mean", "v": "var", "s": "skewness", "k": "kurtosis"}
        found = [self._of_parameters(words[m], args, kwargs) for m in "mvsk" if m in moments]
        return found[0] if len(found) == 1 else tuple(found)

    def mean(self, *args: Any, **kwargs: Any) -> Any:
        """Return the mean."""
        return self._of_parameters("mean", args, kwargs)

    def var(self, *args: Any, **kwargs: Any) -> Any:
        """Return the variance."""
        return self._of_parameters("var", args, kwargs)

    def std(self, *args: Any, **kwargs: Any) -> Any:
        """Return the standard deviation."""
        return self._of_parameters("std", args, kwargs)

    def moment(self, order: int, *args: Any, **kwargs: Any) -> Any:
        """Return the raw moment of an order, about 0: the mean is the first."""
        fits = is_neutral(order) and not isinstance(order, str | list | tuple)
        if not fits or order != (n := int(order)) or n < 0:
            raise ArgumentError(
                f"{self.name}.moment: order must be an integer from 0 on, got {order!r}"
            )
        return self._of_parameters(f"moment{n}", args, kwargs)

    def expect(self, func: Any = None, *args: Any, **options: Any) -> Any:
        """Return the expected value of a function."""
        raise NotImplementedError

    def median(self, *args: Any, **kwargs: Any) -> Any:
        """Return the median."""
        return self._evaluate("ppf", 0.5, args, kwargs)

    def entropy(self, *args: Any, **kwargs: Any) -> Any:
        """Return the (differential) entropy, in nats."""
        return self._of_parameters("entropy", args, kwargs)

    def support(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Return the ends of the support."""
        return tuple(self._of_parameters(end, args, kwargs) for end in ("low", "high"))

    def interval(self, confidence: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Return the ends of the interval around the median that has a probability.

        Parameters
        ----------
        confidence : array
            The probability, between 0 and 1.
        *args, **kwargs : array
            The parameters.
        """
        if not isinstance(confidence, float | int):
            xp = array_namespace(confidence, *args, *kwargs.values())
            confidence = numeric(f"{self.name}.interval", xp, "confidence", confidence, real=True)
        inside = (confidence >= 0) & (confidence <= 1)
        if not _certain(inside):
            raise ArgumentError(
                f"{self.name}.interval: confidence must be between 0 and 1, got {confidence}"
            )
        tail = (1 - confidence) * 0.5
        low = self._evaluate("ppf", tail, args, kwargs)
        return low, self._evaluate("isf", tail, args, kwargs)

    def _at_std(self, xp: Any, x: Any, shapes: Any, *moved: Any) -> Any:
        return xp.sqrt(self._at_var(xp, x, shapes, *moved))

    def _moments(self, xp: Any, *shapes: Any) -> tuple[Any, Any, Any, Any]:
        """Mean, variance, skewness and excess kurtosis of the standard form; None of what is
        not known."""
        return None, None, None, None

    def _raw_moment(self, xp: Any, order: int, *shapes: Any) -> Any:
        """The raw moment of the standard form, of an order from 1 on; None if it isn't known."""
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_at_moment"):
            return functools.partial(self._raw, int(name.removeprefix("_at_moment")))
        if name.startswith("_at_break"):
            return functools.partial(self._at_break, int(name.removeprefix("_at_break")))
        raise AttributeError(f"likewise.stats.{type(self).name} has no attribute {name!r}")

    def _raw(self, order: int, xp: Any, x: Any, shapes: Any, loc: Any, scale: Any = None) -> Any:
        """The raw moment: of the standard form, then by the binomial theorem."""
        own = [self._standard_moment(xp, k, x, shapes) for k in range(order + 1)]
        if loc is None:
            return own[order] if scale is None else own[order] * scale**order
        scale = x + 1.0 if scale is None else scale
        terms = (math.comb(order, k) * loc ** (order - k) * scale**k * m for k, m in enumerate(own))
        return functools.reduce(lambda a, b: a + b, terms)

    def _standard_moment(self, xp: Any, order: int, x: Any, shapes: Any) -> Any:
        if order == 0:
            return x + 1.0
        raw = self._raw_moment(xp, order, *shapes)
        if raw is not None:
            return x + raw
        if order > 4:
            return self._mean_of(xp, x, shapes, lambda z: z**order)
        m, v, s, k = (x + self._known(xp, i, x, shapes) if i < order else x for i in range(4))
        if order == 1:
            return m
        if order == 2:
            return v + m * m
        third = s * v * xp.sqrt(v)
        if order == 3:
            return third + 3 * m * v + m**3
        return (k + 3) * v * v + 4 * third * m + 6 * m * m * v + m**4

    def _known(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        """Mean, variance, skewness or excess kurtosis: in closed form, else by quadrature."""
        found = self._moments(xp, *shapes)[i]
        if found is not None:
            return found
        raw = [self._raw_moment(xp, k, *shapes) for k in range(1, i + 2)]
        if raw[-1] is not None:
            return of_raw(xp, *raw)
        return self._by_quadrature(xp, i, x, shapes)

    def _by_quadrature(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        mean = self._known(xp, 0, x, shapes) if i else 0.0
        if i < 2:
            return self._mean_of(xp, x, shapes, lambda z: (z - mean) ** (i + 1))
        spread = xp.sqrt(x + self._known(xp, 1, x, shapes))
        found = self._mean_of(xp, x, shapes, lambda z: ((z - mean) / spread) ** (i + 1))
        return found if i == 2 else found - 3.0

    def _mean_of(self, xp: Any, x: Any, shapes: Any, function: Callable[[Any], Any]) -> Any:
        """The expected value of a function of the standard form; x holds zeros."""
        raise NotImplementedError

    # -- random numbers ----------------------------------------------------------------------------

    def rvs(
        self,
        *args: Any,
        size: Any = None,
        key: Any = None,
        namespace: Any = None,
        device: Any = None,
        like: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Draw random numbers, the same on all libraries.

        Parameters
        ----------
        *args, **kwargs : array
            The parameters; behind the last one, `size` may stand as in SciPy.
        size : int or tuple of int, optional
            The shape of the result, with which the parameters broadcast. Default: their own.
        key : key or int
            A key of `likewise.random`, or a seed; needed.
        namespace, device, like : optional
            Library and device of the result where no parameter is an array, as for
            `likewise.random.key`.

        Returns
        -------
        array
            Of the parameters' dtype; of a discrete distribution, integers.

        Raises
        ------
        ArgumentError
            If a parameter can be read and lies outside of its domain. Where it can't, as under
            jit, a continuous distribution gives NaN, and a discrete one -1.
        TypeError
            If there is no key.

        Notes
        -----
        ``loc + scale * z``, and z of the quantile function, unless a distribution says otherwise:
        gradients pass from the numbers to the parameters. There is no ``random_state``. In one
        dtype, the numbers are the same on all libraries.
        """
        function = f"{self.name}.rvs"
        if len(args) == len(self._every) + 1 and size is None:
            size, args = args[-1], args[:-1]
        values = read(function, self._every, args, kwargs)
        if key is None:
            raise TypeError(
                f"{function}: give key=likewise.random.key(seed), or a seed: there is no hidden "
                "state that numbers could come from"
            )
        kinds, names, given = domain(self._every, values)
        first = like if like is not None else next((v for v in given if hasattr(v, "shape")), None)
        if hasattr(key, "__index__") and not getattr(key, "ndim", 0):
            key = make_key(key.__index__(), namespace=namespace, device=device, like=first)
        xp = array_namespace(key, *given)
        arrays = (
            _plan.common_floating(function, xp, tuple(names), *given, real=True) if given else ()
        )
        arrays = tuple(map(xp.asarray, arrays)) if given and is_neutral(arrays[0]) else arrays
        shape = _shape(function, xp, size, names, arrays)
        dtype = arrays[0].dtype if arrays else default_floating(xp, device_of(key))
        left = iter(arrays)
        parts = [None if k == "d" else next(left) for k in kinds]
        shapes = parts[: self._count]
        for p, v in zip(self._every, parts, strict=True):
            if v is not None and not _certain(p.inside(v)):
                raise ArgumentError(f"{function}: {p.name} is outside of its domain: {v}")
        if self._together and not _certain(self._valid(xp, *shapes)):
            raise ArgumentError(f"{function}: the parameters don't fit together: {shapes}")
        z = self._draw(xp, key, shape, dtype, *self._within(xp, *shapes))
        body = self._body("moved", kinds)
        z = self._drawn(xp, xp.reshape(body(z, *arrays), shape))
        return _as_given(z, given if shape == () else (z,))

    def _drawn(self, xp: Any, z: Any) -> Any:
        """Return numbers of the kind that the distribution has."""
        return z

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, *shapes: Any) -> Any:
        raise NotImplementedError


def _certain(inside: Any) -> bool:
    """Tell if all is inside, or can't be read."""
    if isinstance(inside, bool) or not is_concrete(inside):
        return inside is not False
    return bool(array_namespace(inside).all(inside))


def of_raw(xp: Any, *raw: Any) -> Any:
    """Mean, variance, skewness or excess kurtosis, the last one that the raw moments give."""
    mean = raw[0]
    if len(raw) == 1:
        return mean
    var = xp.where(xp.isinf(mean), xp.inf, raw[1] - mean * mean)
    if len(raw) == 2:
        return var
    third = raw[2] - mean * (3 * var + mean * mean)
    if len(raw) == 3:
        return third / (var * xp.sqrt(var))
    fourth = raw[3] - mean * (4 * third + mean * (6 * var + mean * mean))
    return fourth / (var * var) - 3.0


def _shape(function: str, xp: Any, size: Any, names: Any, arrays: Any) -> tuple[int, ...]:
    shapes = {n: a.shape for n, a in zip(names, arrays, strict=True)}
    own = _plan.broadcast(function, **shapes) if shapes else ()
    if size is None:
        return own
    try:
        shape = (int(size),) if hasattr(size, "__index__") else tuple(int(n) for n in size)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{function}: size must be an integer or a tuple of integers, got {size!r}"
        ) from None
    if _plan.broadcast(function, size=shape, parameters=own) != shape:
        raise ArgumentError(
            f"{function}: size {shape} doesn't hold the parameters, whose shape is {own}"
        )
    return shape


class Frozen:
    """A distribution with its parameters: its methods take what is left.

    A tree of arrays, the parameters: it passes through `jit`, `vmap` and `grad` of
    `likewise.transforms`; `jax.jit` takes its parameters.
    """

    __slots__ = ("args", "dist")

    def __init__(self, dist: Distribution, args: tuple[Any, ...]) -> None:
        self.dist, self.args = dist, args

    def rvs(self, size: Any = None, key: Any = None, **where: Any) -> Any:
        """Draw random numbers; see the distribution's method."""
        return self.dist.rvs(*self.args, size=size, key=key, **where)

    def stats(self, moments: str = "mv") -> Any:
        """Return moments by their letters; see the distribution's method."""
        return self.dist.stats(*self.args, moments=moments)

    def moment(self, order: int) -> Any:
        """Return the raw moment of an order."""
        return self.dist.moment(order, *self.args)

    def interval(self, confidence: Any) -> tuple[Any, Any]:
        """Return the ends of the interval around the median that has a probability."""
        return self.dist.interval(confidence, *self.args)

    def expect(
        self,
        func: Any = None,
        lb: Any = None,
        ub: Any = None,
        conditional: bool = False,
        **options: Any,
    ) -> Any:
        """Return the expected value of a function; see the distribution's method."""
        options |= {"lb": lb, "ub": ub, "conditional": conditional}
        n = self.dist.numargs
        moved = zip(self.dist.moving, self.args[n:], strict=True)
        named = {p.name: v for p, v in moved if v is not None}
        return self.dist.expect(func, self.args[:n], **named, **options)

    def __reduce__(self) -> Any:
        return type(self), (self.dist, self.args)

    def __repr__(self) -> str:
        given = [
            f"{p.name}={v!r}"
            for p, v in zip(self.dist._every, self.args, strict=True)
            if v is not None
        ]
        return f"{self.dist.name}({', '.join(given)})"


def _elementwise(name: str) -> Any:
    # Three, as SciPy's argument has three names.
    def of_number(self: Frozen, x: Any) -> Any:
        return getattr(self.dist, name)(x, *self.args)

    def of_count(self: Frozen, k: Any) -> Any:
        return getattr(self.dist, name)(k, *self.args)

    def of_probability(self: Frozen, q: Any) -> Any:
        return getattr(self.dist, name)(q, *self.args)

    others = dict.fromkeys(("pmf", "logpmf"), of_count) | dict.fromkeys(
        ("ppf", "isf"), of_probability
    )
    method = others.get(name, of_number)
    method.__name__, method.__doc__ = name, f"Return the distribution's `{name}`."
    return method


def _of_parameters(name: str) -> Any:
    def method(self: Frozen) -> Any:
        return getattr(self.dist, name)(*self.args)

    method.__name__, method.__doc__ = name, f"Return the distribution's `{name}`."
    return method


class FrozenContinuous(Frozen):
    """A continuous distribution with its parameters."""

    __slots__ = ()


class FrozenDiscrete(Frozen):
    """A discrete distribution with its parameters."""

    __slots__ = ()


for _kind, _names in (
    (FrozenContinuous, "pdf logpdf"),
    (FrozenDiscrete, "pmf logpmf"),
    (Frozen, "cdf logcdf sf logsf ppf isf"),
):
    for _name in _names.split():
        setattr(_kind, _name, _elementwise(_name))
for _name in "mean var std median entropy support".split():
    setattr(Frozen, _name, _of_parameters(_name))
for _kind in (FrozenContinuous, FrozenDiscrete):
    register_tree(
        _kind, lambda f: (f.args, f.dist), lambda dist, args: dist.frozen(dist, tuple(args))
    )
