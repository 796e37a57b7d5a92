"""PyTorch."""

import ast
import contextlib
import dataclasses
import functools
import itertools
import re
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import array_api_compat.torch as compat
import numpy as np
import torch
from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter
from torch.autograd import forward_ad
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

from ... import errors
from ..._namespace import standard
from ...errors import ArgumentError
from ._repairs import REPAIRS

name = "torch"
namespace = standard(name, compat, REPAIRS)


CONVOLUTION = {  # as for NumPy
    "routine": (35.0, 24.0, 0.3, 0.3, 0.0),
    "sums": (300.0, 0.0, 12.0, 50.0, 5e5),
    "fft": (80.0, 7.0, 18.0, 3e4),
}


def version() -> str:
    return str(torch.__version__)


def own_types() -> tuple[type, ...]:
    return (torch.Tensor, torch.nn.Parameter)


def is_array(x: object) -> bool:
    return isinstance(x, torch.Tensor)


def refusal(x: object) -> str | None:
    return None


def device(x: Any) -> Any:
    return x.device


DEVICES = (torch.device,)


def devices() -> list[Any]:
    found = [torch.device("cpu")]
    found += [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append(torch.device("mps"))
    return found


def describe_device(device: Any) -> tuple[str, str, int | None]:
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        return "gpu", properties.name, int(properties.total_memory)
    return "cpu" if device.type == "cpu" else "gpu", device.type, None


def find_device(name: str) -> Any:
    kind, _, index = name.partition(":")
    if kind == "cpu" and index in ("", "0"):
        return torch.device("cpu")
    if kind == "gpu":
        return [d for d in devices() if d.type != "cpu"][int(index or 0)]
    raise LookupError(name)


def _plain(x: Any) -> bool:
    # torch.compile can't trace the question, and has no such tensors.
    return torch.compiler.is_compiling() or not (torch._C._functorch.is_functorch_wrapped_tensor(x))


def is_lazy(x: Any) -> bool:
    return bool(torch.compiler.is_compiling() or x.device.type == "meta" or not _plain(x))


def is_host(x: Any) -> bool:
    return bool(x.device.type == "cpu")


def to_numpy(x: Any) -> Any:
    return x.numpy(force=True)  # of conjugates, negatives and zeros not yet computed, too


def from_numpy(x: Any, device: Any) -> Any:
    if not x.flags.writeable or any(s < 0 or s % x.itemsize for s in x.strides):
        x = x.copy()  # torch has no read-only tensors, no negative strides, no parts of elements
    found = torch.from_numpy(x)
    return found if device is None else found.to(device)


def free_memory(device: Any) -> int | None:
    if device.type != "cuda":
        return None
    return int(torch.cuda.mem_get_info(device)[0])


def facts() -> dict[str, Any]:
    return {
        "jit": "native",
        "grad": "native",
        "vmap": "native",
        "mutable": True,
        "lazy": False,
        "float64": True,
    }


def at_set(x: Any, index: Any, value: Any) -> Any:
    parts = (value, *index) if isinstance(index, tuple) else (value, index)
    followed = [v for v in parts if isinstance(v, torch.Tensor) and not _plain(v)]
    if followed:
        # torch.func can't write what it batches into what it doesn't: `x`, in as many batches.
        same = functools.reduce(torch.logical_and, [(v.detach() == 0).any() for v in followed])
        out = torch.where(same, x, x)
    else:
        out = x.clone()
    out[index] = value
    return out


def recorded(x: Any) -> bool:
    """Tell if derivatives may be asked for of what `x` was computed of."""
    return bool(x.requires_grad or forward_ad._current_level >= 0 or is_lazy(x))


unrecorded = torch.no_grad
one_thread = True  # forward mode's level is global to all threads, in torch.autograd.forward_ad


def lacking(error: NotImplementedError) -> str | None:
    """The dtype that torch has in name only, for which it has not the function called.

    "index_select" not implemented for 'UInt64'
    """
    found = re.search(r"not implemented for 'UInt(16|32|64)'", str(error))
    return None if found is None else f"uint{found[1]}"


def stranger(error: Exception) -> bool:
    """Tell if an error comes of an index that torch takes for a tuple, as it doesn't know it."""
    return isinstance(error, IndexError) and "too many indices for tensor" in str(error)


def out_of_memory(error: Exception) -> bool:
    """On the CPU it is a RuntimeError like any other, by its words alone."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or (
        isinstance(error, RuntimeError) and "DefaultCPUAllocator" in str(error)
    )


def see_through(cls: type) -> None:
    names = [f.name for f in dataclasses.fields(cls)]
    torch.utils._pytree.register_dataclass(cls, field_names=names)


def viewable(*arrays: Any) -> bool:
    """Tell if NumPy can see the tensors as they are: plain memory, nobody tracing or recording."""
    if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
        return False
    if forward_ad._current_level >= 0 or torch._C._len_torch_dispatch_stack() > 0:
        return False
    return all(
        type(x) is torch.Tensor
        and x.device.type == "cpu"
        and not x.requires_grad
        and x.layout is torch.strided
        and not x.is_conj()
        and not x.is_neg()
        and _plain(x)
        for x in arrays
        if isinstance(x, torch.Tensor)
    )


# Kept from import on: the test kit watches the attribute for copies, and this makes none.
_view = torch.Tensor.numpy


def through_numpy(routine: Any) -> Any:
    """Call a NumPy routine on views of the tensors, and view the result as a tensor."""

    def call(*args: Any) -> Any:
        views = [_view(a) if isinstance(a, torch.Tensor) else a for a in args]
        return from_numpy(routine(*views), None)

    return call


@contextlib.contextmanager
def default_floating(name: str) -> Iterator[None]:
    """A context with another default dtype."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, name))
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _of_its_own(fun: Any) -> Any:
    """With code of its own: torch counts compilations by the code object, and ends after eight."""
    code = fun.__code__.replace(co_name=f"{fun.__code__.co_name}_{next(_trials)}")
    return types.FunctionType(code, fun.__globals__, None, fun.__defaults__, fun.__closure__)


def trial(fun: Any) -> Any:
    """Compiled as one graph, without code generation: quick, and as strict."""
    compiled: Any = torch.compile(_of_its_own(fun), fullgraph=True, backend="eager")

    def call(*args: Any) -> Any:
        with warnings.catch_warnings():
            # array_api_compat caches; that torch looks past the cache is no fault of the function.
            warnings.filterwarnings("ignore", "Dynamo detected a call to a `functools.lru_cache`")
            return compiled(*args)

    return call


_trials = itertools.count()


def _own_error(text: str) -> Exception | None:
    """The error of likewise that torch's compiler tells of."""
    for kind, message in re.findall(r"raised exception (\w+)\((.*)\)$", text, re.MULTILINE):
        found = getattr(errors, kind, None)
        if isinstance(found, type) and issubclass(found, errors.LikewiseError):
            with contextlib.suppress(SyntaxError, ValueError):
                return found(ast.literal_eval(message))
    return None


def jitted(fun: Any, static_argnums: Any, static_argnames: Any, tell: Any, flatten: Any) -> Any:
    """The function compiled; `tell` hears of each compilation: static values, arguments."""
    known: dict[Any, Any] = {}

    def compiled_for(static: dict[Any, Any]) -> Any:
        """A function of the other arguments; torch would make numbers symbols of one graph."""
        key = tuple((place, type(value), value) for place, value in static.items())
        try:
            found = known.get(key)
        except TypeError as error:
            raise ArgumentError(f"jit: static arguments must be hashable: {error}") from error
        if found is None:

            def bound(*args: Any, **kwargs: Any) -> Any:
                full = list(args)
                for place, value in static.items():
                    if isinstance(place, int):
                        full.insert(place, value)
                    else:
                        kwargs[place] = value
                return fun(*full, **kwargs)

            target = _of_its_own(bound) if static else fun
            found = known[key] = torch.compile(target, fullgraph=True)
        return found

    @functools.wraps(fun)
    def call(*args: Any, **kwargs: Any) -> Any:
        if (
            torch.compiler.is_compiling()
            or torch._C._functorch.peek_interpreter_stack() is not None
        ):
            return fun(*args, **kwargs)  # torch compiles neither twice, nor within torch.func
        places = sorted({i % len(args) for i in static_argnums if -len(args) <= i < len(args)})
        static: dict[Any, Any] = {i: args[i] for i in places}
        static |= {n: kwargs[n] for n in static_argnames if n in kwargs}
        compiled = compiled_for(static)
        before = compiles()
        moving = [a for i, a in enumerate(args) if i not in static]
        named = {n: a for n, a in kwargs.items() if n not in static}
        try:
            out = compiled(*moving, **named)
        except torch._dynamo.exc.Unsupported as error:
            own = _own_error(str(error))
            if own is None:
                raise
            raise own from error
        if compiles() > before:
            told = {f"args[{i}]": f"{args[i]!r}" for i in places}
            told |= {f"kwargs[{n!r}]": f"{kwargs[n]!r}" for n in static_argnames if n in kwargs}
            tell(name, told, args, kwargs)
        return out

    return call


def compiles() -> int:
    """How many graphs have been compiled so far."""
    if "torch._dynamo" not in sys.modules:  # whose import takes a second
        return 0
    return int(torch._dynamo.utils.counters["stats"]["unique_graphs"])


def vjp(fun: Any, *primals: Any, has_aux: bool = False) -> Any:
    """Do what jax.vjp does, whose cotangents are not conjugated where torch's are.

    Results that are whole numbers, which torch refuses, travel as auxiliary data.
    """
    box: list[Any] = []

    def floating(*args: Any) -> Any:
        out, *aux = fun(*args) if has_aux else (fun(*args),)
        leaves, structure = tree_flatten(out)
        live = [x.is_floating_point() or x.is_complex() for x in leaves]
        box[:] = [structure, live]
        some = tuple(x for x, y in zip(leaves, live, strict=True) if y)
        some = some or (primals[0].new_zeros(()),)  # torch wants one
        return some, ([x for x, y in zip(leaves, live, strict=True) if not y], *aux)

    made: Any = torch.func.vjp(floating, *primals, has_aux=True)
    found, pull, (others, *aux) = made
    structure, live = box
    first, second = iter(found), iter(others)
    out = tree_unflatten([next(first if y else second) for y in live], structure)

    def pullback(cotangent: Any) -> Any:
        leaves = [c for c, y in zip(tree_leaves(cotangent), live, strict=True) if y]
        leaves = leaves or [torch.zeros_like(found[0])]
        return tree_map(torch.conj, pull(tuple(map(torch.conj, leaves))))

    return out, pullback, *aux


def jvp(fun: Any, primals: Any, tangents: Any, *, has_aux: bool = False) -> Any:
    """Call torch.func.jvp, which refuses views whose elements share memory (from expand)."""
    primals = tuple(x.contiguous() for x in primals)
    out, moved, *aux = torch.func.jvp(fun, primals, tuple(tangents), has_aux=has_aux)
    return out, tree_map(_computed, moved), *aux


def _computed(x: Any) -> Any:
    """In place of torch's zeros that hold no memory, some that do."""
    if torch.compiler.is_compiling():  # torch.compile can't ask, and has no such zeros
        return x
    return torch.zeros_like(x) if x._is_zerotensor() else x


class _Lanes(torch.autograd.Function):
    """A condition's ``any`` over the lanes of each vmap around it, so that it has one value."""

    @staticmethod
    def forward(x: Any) -> Any:
        return x.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(output)

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any) -> Any:
        return lanes_of(x.any(dim=in_dims[0])), None


lanes_of: Any = _Lanes.apply


def lanes(x: Any) -> Any:
    """Tell if a condition holds in any lane, and if in all; None if it has no value yet."""
    if torch.compiler.is_compiling() or x.device.type == "meta":
        return None
    x = x.to(torch.bool)
    if _plain(x):
        return x, x
    return lanes_of(x), ~lanes_of(~x)


def stop_gradient(x: Any) -> Any:
    return x.detach()


def _zeros(found: Any, like: Any) -> list[Any]:
    return [torch.zeros_like(y) if t is None else t for t, y in zip(found, like, strict=True)]


def _fresh(found: Any, args: Any) -> tuple[Any, ...]:
    """Results, none of which is an argument itself: torch can't save such."""
    return tuple(y.view_as(y) if any(y is a for a in args) else y for y in found)


def custom_vjp(fun: Any, fwd: Any, bwd: Any) -> Any:
    """The rule runs `fwd` again on the way back, so that derivatives of derivatives see it."""

    class Custom(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*args: Any) -> Any:
            return _fresh(fun(*args), args)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*(x for x in inputs if isinstance(x, torch.Tensor)))
            ctx.others = [None if isinstance(x, torch.Tensor) else x for x in inputs]

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            saved = iter(ctx.saved_tensors)
            args = [next(saved) if x is None else x for x in ctx.others]
            out, kept = fwd(*args)
            found = bwd(kept, [torch.conj(c) for c in _zeros(cotangents, out)])
            return tuple(None if c is None else torch.conj(c) for c in found)

    return Custom.apply


def pure_callback(
    call: Any, specs: Any, leaves: Any, method: Any, no_derivative: Exception, no_method: Exception
) -> Any:
    """Call a function of NumPy's arrays under torch's transforms."""
    if torch.compiler.is_compiling():
        raise errors.NotSupported(
            "pure_callback: torch.compile can't leave the program that it compiles; call it "
            "outside of the compiled function"
        )

    class Call(torch.autograd.Function):
        @staticmethod
        def forward(*args: Any) -> Any:
            where = next(x.device for x in args if isinstance(x, torch.Tensor))
            host = [to_numpy(x) if isinstance(x, torch.Tensor) else np.asarray(x) for x in args]
            return tuple(torch.as_tensor(np.array(y), device=where) for y in call(host))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            whole = [y for y in output if not (y.is_floating_point() or y.is_complex())]
            ctx.mark_non_differentiable(*whole)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            raise no_derivative

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            raise no_derivative

        @staticmethod
        def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
            if method is None:
                raise no_method
            lanes = [
                apply(
                    *(
                        x if d is None else x.select(d, k)
                        for x, d in zip(args, in_dims, strict=True)
                    )
                )
                for k in range(info.batch_size)
            ]
            stacked = tuple(torch.stack(each) for each in zip(*lanes, strict=True))
            return stacked, (0,) * len(stacked)

    apply: Any = Call.apply
    return apply(*leaves)


def linear_solve(product: Any, solve: Any) -> Any:
    """Solve with a symmetric matrix; both modes solve again."""

    class Solve(torch.autograd.Function):
        @staticmethod
        def forward(b: Any) -> Any:
            return solve(b)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, cotangent: Any) -> Any:
            return solve(cotangent)

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return solve(tangent)

    return Solve.apply


def _with_derivatives(rule: Any, values: Any, tangents: Any) -> Any:
    """A rule's tangents, called so that outer forward modes see what it does.

    torch calls rules with forward mode off; the level that asks is left first.
    """
    current = torch._C._functorch.peek_interpreter_stack()
    if current is None or current.key() != torch._C._functorch.TransformType.Jvp:
        return tuple(rule(values, tangents)[1])
    level = current.level()

    def below(x: Any) -> Any:
        return torch._C._functorch._unwrap_for_grad(x, level) if torch.is_tensor(x) else x

    values, tangents = ([below(x) for x in xs] for xs in (values, tangents))
    lower = retrieve_current_functorch_interpreter().lower()
    with forward_ad._set_fwd_grad_enabled(True), lower:
        found = rule(values, tangents)[1]
    return tuple(torch._C._functorch._wrap_for_grad(t, level) for t in found)


def custom_jvp(fun: Any, jvp: Any) -> Any:
    class Custom(torch.autograd.Function):
        @staticmethod
        def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
            def mapped(values: Any, tangents: Any) -> Any:
                both = torch.func.vmap(lambda *x: jvp(x[: len(args)], x[len(args) :]), in_dims * 2)
                return both(*values, *tangents)

            lanes = torch.func.vmap(lambda *x: tuple(fun(*x)), in_dims)
            found = custom_jvp(lanes, mapped)(*args)
            return found, (0,) * len(found)

        @staticmethod
        def forward(*args: Any) -> Any:
            return _fresh(fun(*args), args)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
            ctx.save_for_backward(*tensors)
            ctx.save_for_forward(*tensors)
            ctx.others = [None if isinstance(x, torch.Tensor) else x for x in inputs]

        @staticmethod
        def args(ctx: Any) -> list[Any]:
            saved = iter(ctx.saved_tensors)
            return [next(saved) if x is None else x for x in ctx.others]

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            args = Custom.args(ctx)
            full = [
                torch.zeros_like(x) if t is None and isinstance(x, torch.Tensor) else t
                for t, x in zip(tangents, args, strict=True)
            ]
            return _with_derivatives(jvp, args, full)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            args = Custom.args(ctx)
            places = [i for i, x in enumerate(args) if isinstance(x, torch.Tensor)]

            def linear(*tangents: Any) -> Any:
                full = [0.0] * len(args)
                for i, t in zip(places, tangents, strict=True):
                    full[i] = t
                return tuple(jvp(args, full)[1])

            zeros = [torch.zeros_like(args[i]) for i in places]
            made: Any = torch.func.vjp(linear, *zeros)
            moved, pull = made
            found = dict(zip(places, pull(tuple(_zeros(cotangents, moved))), strict=True))
            return tuple(found.get(i) for i in range(len(args)))

    return Custom.apply


def _lane(x: Any) -> Any:
    """One lane where there is none, that functions can work on: 0, 1, or the identity matrix."""
    if not (x.is_floating_point() or x.is_complex()):
        return x.new_zeros((1, *x.shape[1:]))
    if x.ndim > 2 and x.shape[-1] == x.shape[-2]:
        one = torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)
        return one.expand(1, *x.shape[1:]).clone()
    return x.new_ones((1, *x.shape[1:]))


def vmap(fun: Any, in_axes: tuple[int, ...], out_axes: tuple[int, None]) -> Any:
    """Map a function that returns what is stacked, and what is not."""
    own: Any = torch.func.vmap
    mapped = own(fun, in_axes, out_axes)

    def call(*lanes: Any) -> Any:
        if all(x.shape[axis] for x, axis in zip(lanes, in_axes, strict=True)):
            return tree_map(_computed, mapped(*(x.resolve_conj() for x in lanes)))
        # torch refuses a batch of none: one lane runs, and is left out.
        one = [_lane(x.movedim(axis, 0)) for x, axis in zip(lanes, in_axes, strict=True)]
        one = [x.movedim(0, axis) for x, axis in zip(one, in_axes, strict=True)]
        stacked, alike = mapped(*one)
        return tuple(y[:0] for y in stacked), alike

    return call


HOST_READS = (
    *((torch.Tensor, n, "copy") for n in ("__array__", "cpu", "numpy", "tolist")),
    *(
        (torch.Tensor, n, "scalar")
        for n in ("__bool__", "__complex__", "__float__", "__index__", "__int__", "item")
    ),
    *((torch, n, "scalar") for n in ("allclose", "equal")),
)
