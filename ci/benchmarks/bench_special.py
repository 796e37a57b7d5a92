"""Special functions against SciPy, and on JAX against its own: ``ci/bench --only special``.

``python ci/benchmarks/bench_special.py [erf erfc ...]`` prints seconds of compilation on JAX, of
values and gradients.
"""

import argparse
import inspect
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.special

import likewise.special
from likewise._native import ROWS
from likewise._rooms import furnish

sys.path.insert(0, str(Path(__file__).parents[1] / "special"))
import table

Ranges = tuple[tuple[float, float], ...]
WIDE, POSITIVE, UNIT = (-5.0, 5.0), (0.1, 9.0), (0.01, 0.99)
# Where the arguments are drawn from; elsewhere between 0.01 and 0.99, as every function takes them.
RANGES: dict[str, Ranges] = {
    **dict.fromkeys("erf erfi dawsn sinc expit log_expit exprel expm1 cbrt ndtr".split(), (WIDE,)),
    **dict.fromkeys("i0 i0e i1 i1e j0 j1 log_ndtr erfc".split(), (WIDE,)),
    **dict.fromkeys("k0 k0e k1 k1e y0 y1 gamma gammaln rgamma digamma".split(), (POSITIVE,)),
    **dict.fromkeys("exp1 expi entr erfcx spence gammasgn".split(), (POSITIVE,)),
    **dict.fromkeys("gammainc gammaincc beta betaln poch rel_entr kl_div".split(), (POSITIVE,) * 2),
    **dict.fromkeys("xlogy xlog1py boxcox boxcox1p".split(), (POSITIVE,) * 2),
    **dict.fromkeys("gammaincinv gammainccinv".split(), (POSITIVE, UNIT)),
    **dict.fromkeys("betainc betaincc betaincinv betainccinv".split(), (POSITIVE, POSITIVE, UNIT)),
    "binom": ((0.0, 40.0), (0.0, 40.0)),
    "huber": ((0.1, 2.0), WIDE),
    "pseudo_huber": ((0.1, 2.0), WIDE),
    "erfinv": ((-0.99, 0.99),),
    "erfcinv": ((0.01, 1.99),),
    "ndtri_exp": ((-9.0, -0.01),),
    "zeta": ((1.1, 6.0), POSITIVE),
    "voigt_profile": (WIDE, (0.1, 2.0), (0.1, 2.0)),
}
MOST = {"stdtrit": "15", "betaincinv": "15", "betainccinv": "15"}
ACCURATE = {table.NOTHING, "1", "2", "4"}
furnish(likewise.special)
SPECIAL = {r.name: r for r in ROWS if r.generic.__module__.startswith("likewise.special.")}


def functions() -> dict[str, Callable[..., Any]]:
    """The functions of real numbers, element by element, that SciPy has, too."""
    return {
        name: getattr(likewise.special, name)
        for name in likewise.special.__all__
        if name in SPECIAL and name not in ("wofz", "polygamma", "expn", "gammasgn")
        if callable(getattr(scipy.special, name, None))
    }


def drawn(name: str, n: int | tuple[()], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    count = len(inspect.signature(getattr(likewise.special, name)).parameters)
    ranges = RANGES.get(name, (UNIT,) * count)[:count]
    return [np.asarray(rng.uniform(*r, n)) for r in ranges]


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per function and library: label, peer, ours, theirs, inputs, limit."""
    big = 20_000 if quick else 1_000_000
    for name, func in functions().items():
        for library, (to, wait) in libraries.items():
            if library in OF:
                yield from OF[library](name, func, to, wait, big)


def on_numpy(name: str, func: Any, to: Any, wait: Any, big: int) -> Iterator[Any]:
    peer = getattr(scipy.special, name)
    row = "numpy" in SPECIAL[name].routines
    for n in (big, 60, ()):
        inputs = [drawn(name, n, seed) for seed in range(3)]
        ours, theirs, body = (lambda args, f=f: f(*args) for f in (func, peer, func.generic))
        label = f"{name}, numpy, {f'n = {n}' if n else 'one number'}"
        if row:
            yield label, "scipy.special", ours, theirs, inputs, "1.05" if n == big else "a figure"
        if n == big or not row:
            limit = MOST.get(name, "6") if n == big else "a figure"
            yield f"{label}, body", "scipy.special", body, theirs, inputs, limit


def on_torch(name: str, func: Any, to: Any, wait: Any, big: int) -> Iterator[Any]:
    import torch

    peer = getattr(scipy.special, name)
    through = lambda args: torch.from_numpy(peer(*(x.numpy() for x in args)))
    inputs = [list(map(to, drawn(name, big, seed))) for seed in range(3)]
    label = f"{name}, torch, n = {big}"
    for what, f in (("", func), (", body", func.generic)):
        ours = lambda args, f=f: f(*args)
        yield label + what, "scipy.special and back", ours, through, inputs, "a figure"


def on_jax(name: str, func: Any, to: Any, wait: Any, big: int) -> Iterator[Any]:
    import jax

    inputs = [list(map(to, drawn(name, big, seed))) for seed in range(3)]
    own, limit, peer = getattr(jax.scipy.special, name, None), "1.2", "jax.scipy.special, jitted"
    if own is not None:
        cells = table.written(table.PAGE.read_text("utf-8")).get(name, {})
        if not all(c[3] in ACCURATE for c in cells.values()):
            limit, peer = "a figure", f"{peer}, inaccurate"
    else:
        limit, peer = "a figure", "scipy.special by a host callback"
        by_scipy = getattr(scipy.special, name)
        shape = jax.ShapeDtypeStruct((big,), "float64")
        own = lambda *args: jax.pure_callback(lambda *a: np.asarray(by_scipy(*a)), shape, *args)
    ours, theirs = (jax.jit(lambda *args, f=f: f(*args)) for f in (func, own))
    calls = (lambda args, f=f: wait(f(*args)) for f in (ours, theirs))
    yield f"{name}, jax, jitted, n = {big}", peer, *calls, inputs, limit


OF = {"numpy": on_numpy, "torch": on_torch, "jax": on_jax}


def _counts(n: int) -> list[Any]:
    rng = np.random.default_rng(0)
    many = np.floor(rng.uniform(5, 40, n))
    return [np.floor(many * rng.uniform(0.1, 0.9, n)), many, rng.uniform(*UNIT, n)]


def compiled_with(name: str, n: int) -> tuple[Callable[..., Any], list[Any], tuple[int, ...]]:
    """Return what is compiled, its arguments, and those in which there are derivatives."""
    func = getattr(likewise.special, name)
    few, many, share = _counts(n)
    whole = {
        **dict.fromkeys(("bdtr", "bdtrc", "nbdtr"), ([few, many, share], (2,))),
        **dict.fromkeys(("pdtr", "pdtrc"), ([few, many], (1,))),
        **dict.fromkeys(("comb", "perm"), ([many, few], ())),
        "factorial": ([many], ()),
        "factorial2": ([many.astype("int64")], ()),
        **dict.fromkeys(("expn", "polygamma"), ([np.floor(few % 5), share], (1,))),
        **dict.fromkeys(("softmax", "log_softmax", "logsumexp"), ([share], (0,))),
        "gammasgn": ([share], ()),
        "multigammaln": ([many], (0,)),
        "wofz": ([share + 1j * share], (0,)),
    }
    if name == "multigammaln":
        return lambda a: func(a, 3), *whole[name]
    if name in whole:
        return func, *whole[name]
    args = drawn(name, n)
    return func, args, tuple(range(len(args)))


def compiling(name: str, n: int = 100) -> tuple[float, float | None]:
    """Seconds of processor time for tracing and compiling the value, and value and gradient; from
    nothing, as of what JAX keeps of one it would take for another."""
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)
    func, arrays, mine = compiled_with(name, n)
    args = list(map(jax.numpy.asarray, arrays))
    total = lambda *args: jax.numpy.sum(jax.numpy.real(func(*args)))
    spent: list[float | None] = []
    for f in (func, jax.value_and_grad(total, mine) if mine else None):
        if f is None:
            spent.append(None)
            continue
        jax.clear_caches()
        jax.block_until_ready(jax.numpy.sin(args[0]) + 1)
        begun = time.process_time()
        jax.jit(lambda *args, f=f: f(*args)).lower(*args).compile()
        spent.append(time.process_time() - begun)
    assert spent[0] is not None
    return spent[0], spent[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="functions; all by default")
    names = parser.parse_args().names or list(likewise.special.__all__)
    if unknown := set(names) - set(likewise.special.__all__):
        raise SystemExit(f"not among the special functions: {', '.join(sorted(unknown))}")
    print("| function | value, at most 2 s | value and gradient, at most 4 s |\n|---|--:|--:|")
    for name in names:
        a, b = compiling(name)
        slope = "none" if b is None else f"{b:.2f}\u00a0s"
        print(f"| {name} | {a:.2f}\u00a0s | {slope} |", flush=True)


if __name__ == "__main__":
    main()
