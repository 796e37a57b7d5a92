"""Program transforms on every library, with JAX's names and meaning."""

from ._derivatives import vjp, vmap
from ._loops import while_loop

__all__ = ["vjp", "vmap", "while_loop"]
