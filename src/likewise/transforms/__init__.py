"""Program transforms on every library, with JAX's names and meaning."""

from ._branches import cond, switch
from ._callback import pure_callback
from ._custom import custom_jvp, custom_vjp, stop_gradient
from ._derivatives import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from ._implicit import implicit_root
from ._jit import Compilation, compile_log, jit
from ._loops import associative_scan, fori_loop, map, scan, while_loop
from ._maps import vectorize, vmap
from ._tree import (
    register_tree,
    tree_flatten,
    tree_leaves,
    tree_leaves_with_path,
    tree_map,
    tree_map_with_path,
    tree_stack,
    tree_structure,
    tree_unflatten,
    tree_unstack,
)

__all__ = [
    "Compilation",
    "associative_scan",
    "compile_log",
    "cond",
    "custom_jvp",
    "custom_vjp",
    "fori_loop",
    "grad",
    "hessian",
    "hvp",
    "implicit_root",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "map",
    "pure_callback",
    "register_tree",
    "scan",
    "stop_gradient",
    "switch",
    "tree_flatten",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_with_path",
    "tree_stack",
    "tree_structure",
    "tree_unflatten",
    "tree_unstack",
    "value_and_grad",
    "vectorize",
    "vjp",
    "vmap",
    "while_loop",
]
