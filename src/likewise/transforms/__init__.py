"""Program transforms on every library, with JAX's names and meaning."""

from ._loops import while_loop

__all__ = ["while_loop"]
