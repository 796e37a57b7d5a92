"""Random numbers against the libraries' own generators: ``ci/bench --only random``."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from likewise import random

# NumPy's PCG64 makes other numbers, and torch's too: what is asked of them is less than a key.
LIMIT = {"numpy": "12", "torch": "a figure", "jax": "1.2"}


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per library, function and size: label, peer, ours, theirs, inputs, limit."""
    sizes = (1000,) if quick else (1000, 1_000_000)
    for library, (to, wait) in libraries.items():
        if library not in LIMIT:
            continue
        for name in ("uniform", "normal"):
            for n in sizes:
                peer, ours, theirs, inputs = _pair(library, name, n, to)
                label = f"random.{name}, {library}{', jitted' * (library == 'jax')}, "
                calls = (lambda x, f=f, wait=wait: wait(f(x)) for f in (ours, theirs))
                dtype = "float32" if library == "jax" else "float64"
                yield f"{label}{dtype}, n = {n}", peer, *calls, inputs, LIMIT[library]


def _pair(
    library: str, name: str, n: int, to: Any
) -> tuple[str, Callable[[Any], Any], Callable[[Any], Any], list[Any]]:
    """Words, ours and theirs of a pair of a key and the peer's own state, and some pairs."""
    draw = getattr(random, name)
    if library == "jax":
        return _jax(name, n, draw)
    keys = [random.key(seed, like=to(np.ones(1))) for seed in range(4)]

    def ours(pair: Any) -> Any:
        return draw(pair[0], (n,))

    if library == "torch":
        import torch

        torch.set_num_threads(1)
        keys = [random.key(seed, namespace="torch") for seed in range(4)]
        call = torch.rand if name == "uniform" else torch.randn
        states = [torch.Generator().manual_seed(seed) for seed in range(4)]
        theirs = lambda pair: call(n, generator=pair[1], dtype=torch.float64)
        ours = lambda pair: draw(pair[0], (n,), torch.float64)
        return f"torch.{call.__name__}", ours, theirs, list(zip(keys, states, strict=True))
    generators = [np.random.default_rng(seed) for seed in range(4)]
    theirs = lambda pair: getattr(pair[1], name)(size=n)
    return "numpy PCG64", ours, theirs, list(zip(keys, generators, strict=True))


def _jax(name: str, n: int, draw: Any) -> Any:
    import jax

    ours = jax.jit(lambda pair: draw(pair[0], (n,), jax.numpy.float32))
    theirs = jax.jit(lambda pair: getattr(jax.random, name)(pair[1], (n,), jax.numpy.float32))
    pairs = [(random.key(seed, namespace="jax"), jax.random.key(seed)) for seed in range(4)]
    return f"jax.random.{name}, jitted", ours, theirs, pairs
