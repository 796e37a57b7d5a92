"""The project's own functions by name, for advice.

They are read from the `__all__` of its packages, which would load array libraries if imported.
"""

import ast
from pathlib import Path

__all__ = ["ALIASES", "OWN", "ROOMS", "own"]

# Where the names of a package are found in another library's modules; the first that has one wins.
PLACES = {
    "linalg": ("", "linalg", "lax"),
    "missing": ("", "linalg", "numpy", "functional", "stats", "lax", "integrate", "interpolate"),
    "signal": ("", "signal"),
    "special": ("", "special"),
    "fft": ("fft",),
    "random": ("random",),
    "optimize": ("optimize",),
    "transforms": ("func", "jax", "lax"),
}
# Other libraries' names for the same thing.
ALIASES = dict(
    line.split()
    for line in """
    autograd.functional.hessian transforms.hessian
    autograd.functional.jacobian transforms.jacobian
    apply_along_axis transforms.vmap
    autograd.grad transforms.grad
    copyto missing.at
    cumtrapz missing.cumulative_trapezoid
    degrees missing.rad2deg
    extract missing.compress
    fill_diagonal missing.at
    func.grad_and_value transforms.value_and_grad
    grad transforms.grad
    jit transforms.jit
    lib.stride_tricks.sliding_window_view missing.sliding_window_view
    nanpercentile missing.nanquantile
    place missing.at
    putmask missing.at
    radians missing.deg2rad
    random.default_rng random.key
    random.rand random.uniform
    random.randint random.integers
    random.randn random.normal
    random.random random.uniform
    random.shuffle random.permutation
    random.standard_normal random.normal
    simps missing.simpson
    take_along_dim missing.take_along_axis
    trapz missing.trapezoid
    vectorize transforms.vectorize
    vmap transforms.vmap
    """.strip().splitlines()
)


def _exported(room: str) -> tuple[str, ...]:
    """Return the functions of a package, without its classes."""
    text = (Path(__file__).parents[1] / room / "__init__.py").read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return tuple(name for name in ast.literal_eval(node.value) if name[:1].islower())
    raise LookupError(f"likewise.{room} has no __all__")


ROOMS = {room: _exported(room) for room in PLACES}
OWN = {
    f"{place}.{name}".lstrip("."): f"likewise.{room}.{name}"
    for room, places in reversed(PLACES.items())
    for place in reversed(places)
    for name in ROOMS[room]
} | {name: f"likewise.{path}" for name, path in ALIASES.items()}


def own(path: str) -> str:
    """Return our function for another library's, such as `linalg.lstsq`; '' where there is none.

    Of a longer path the last two names count, or all but the library's.
    """
    parts = path.split(".")
    tries = (path, ".".join(parts[1:]), ".".join(parts[-2:]))
    return next((OWN[one] for one in tries if one in OWN), "")
