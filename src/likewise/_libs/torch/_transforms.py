"""PyTorch's own program transforms, in JAX's forms and with JAX's meaning."""

from typing import Any

import numpy as np
import torch
from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter
from torch.autograd import forward_ad
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

from ... import errors
from ..._library import RULES, Transforms
from ._states import plain

__all__ = ["TRANSFORMS", "lanes"]


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
    """Call torch.func.jvp, which refuses views whose elements share memory (from expand).

    Its tangent of `sign` where there are no dimensions is float64.
    """
    primals = tuple(x.contiguous() for x in primals)
    out, moved, *aux = torch.func.jvp(fun, primals, tuple(tangents), has_aux=has_aux)
    moved = tree_map(lambda y, t: _computed(t).to(y.dtype), out, moved)
    return out, moved, *aux


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
    if plain(x):
        return x, x
    return lanes_of(x), ~lanes_of(~x)


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
            host = [
                x.numpy(force=True) if isinstance(x, torch.Tensor) else np.asarray(x) for x in args
            ]
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


class _Elementwise(torch.autograd.Function):
    """One class for all functions: torch.compile can't follow how a class is made."""

    @staticmethod
    def forward(fun: Any, derivatives: Any, *args: Any) -> Any:
        return fun(*args)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.derivatives = inputs[1]
        ctx.set_materialize_grads(False)  # else a derivative is taken for tangents of zeros
        ctx.save_for_backward(output, *inputs[2:])
        ctx.save_for_forward(output, *inputs[2:])

    @staticmethod
    def backward(ctx: Any, cotangent: Any) -> Any:
        y, *args = ctx.saved_tensors
        wanted = ctx.needs_input_grad[2:]
        return (
            None,
            None,
            *(
                (cotangent * torch.conj(derivative(y, *args))).sum_to_size(x.shape)
                if asked and cotangent is not None
                else None
                for derivative, x, asked in zip(ctx.derivatives, args, wanted, strict=True)
            ),
        )

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        def rule(values: Any, tangents: Any) -> Any:
            y, *args = values
            moved = [
                t * derivative(y, *args)
                for derivative, t in zip(ctx.derivatives, tangents, strict=True)
                if t is not None
            ]
            return y, (sum(moved[1:], moved[0]).expand_as(y),)

        return _with_derivatives(rule, ctx.saved_tensors, tangents[2:])[0]

    @staticmethod
    def vmap(info: Any, in_dims: Any, fun: Any, derivatives: Any, *args: Any) -> Any:
        lanes = [
            x.unsqueeze(0) if d is None else x.movedim(d, 0)
            for x, d in zip(args, in_dims[2:], strict=True)
        ]
        return _apply(fun, derivatives, *lanes), 0


_apply: Any = _Elementwise.apply


def elementwise(fun: Any, derivatives: Any) -> Any:
    return lambda *args: _apply(fun, derivatives, *args)


def _step(name: str, args: Any, kwargs: Any) -> Any:
    """A call of a rule, as one operation to Dynamo. It makes no classes, takes an autograd.Function
    of a variable number of arguments for one with a context, and looks past its rule under
    torch.func. AOTAutograd, which comes next, does what torch does without a compiler."""
    return RULES[name](*args, **kwargs)


_marked: Any = None


def _mark() -> bool:
    global _marked
    _marked = _marked or torch._dynamo.nonstrict_trace(_step)
    return True


# Dynamo calls it and doesn't read it: what torch.compiler.assume_constant_result does, too, which
# imports Dynamo, and that takes as long as importing torch.
_mark._dynamo_marked_constant = True  # type: ignore[attr-defined]


def one_step() -> Any:
    return _marked if torch.compiler.is_dynamo_compiling() and _mark() else None


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


TRANSFORMS = Transforms(
    vjp=vjp,
    jvp=jvp,
    vmap=vmap,
    custom_vjp=custom_vjp,
    custom_jvp=custom_jvp,
    elementwise=elementwise,
    linear_solve=linear_solve,
    pure_callback=pure_callback,
    one_step=one_step,
)
