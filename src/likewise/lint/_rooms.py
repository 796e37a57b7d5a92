"""The project's own functions by name, for advice.

They are read from the source of `__all__`, because importing the packages would load array
libraries.
"""

import ast
import functools
import re
from pathlib import Path

__all__ = ["ALIASES", "FIRST_ALONE", "FOLLOWERS", "OWN", "ROOMS", "arrays_of", "own"]

LIKEWISE = Path(__file__).parents[1]

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
    "spatial.distance": ("distance", "spatial.distance"),
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


# What takes a function and follows what it does with its arguments.
FOLLOWERS = frozenset(
    """grad hessian jacfwd jacrev jit jvp linearize value_and_grad vectorize vjp vmap""".split()
)
# These give one array, unless a state or a sign is asked for besides.
FIRST_ALONE = frozenset("lfilter logsumexp sosfilt".split())
SECTION = r"^{}\n-+\n((?:.*\n?)*?)(?=^[A-Z]\w+\n-+\n|\Z)"


def _parsed(path: str) -> list[ast.stmt]:
    return ast.parse((LIKEWISE / path).read_text(encoding="utf-8")).body


def _exported(room: str) -> tuple[str, ...]:
    """Return the functions of a package, without its classes."""
    for node in _parsed(room.replace(".", "/") + "/__init__.py"):
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
    """Return our function for another library's, such as `linalg.lstsq`; '' if there is none.

    For a longer path, the last two names are compared, or all but the library's name.
    """
    parts = path.split(".")
    tries = (path, ".".join(parts[1:]), ".".join(parts[-2:]))
    return next((OWN[one] for one in tries if one in OWN), "")


@functools.cache
def arrays_of(path: str) -> tuple[bool, ...]:
    """Tell for each value that our function returns whether it is an array; () if none is.

    `path` is a name such as 'likewise.signal.welch'. The docstring has the types. Functions whose
    first argument is no array, such as the design of filters, don't count.
    """
    room, _, name = path.removeprefix("likewise.").rpartition(".")
    if not path.startswith("likewise.") or name not in ROOMS.get(room, ()):
        return ()
    text = _docstring(room.replace(".", "/"), name)
    first = re.search(SECTION.format("Parameters"), text, re.MULTILINE)
    given = first[1].partition("\n")[0].partition(":")[2] if first else ""
    found = re.search(SECTION.format("Returns"), text, re.MULTILINE)
    if "array" not in given or not found:
        return ()
    heads = [line for line in found[1].splitlines() if line[:1].strip()]
    if len(heads) == 1 and ":" not in heads[0]:
        several = re.search(r"tuple|or int", heads[0])
        return (True,) if heads[0].startswith("array") and not several else ()
    items: list[bool] = []
    for head in heads:
        names, _, kind = head.partition(":")
        items += [kind.strip().startswith("array")] * len(names.split(","))
    return tuple(items)


def _docstring(room: str, name: str) -> str:
    """Return a public function's docstring, of the one file that has it."""
    imports = ast.Module(_parsed(f"{room}/__init__.py"), [])
    for node in ast.walk(imports):  # under `if TYPE_CHECKING`
        if isinstance(node, ast.ImportFrom) and name in [a.name for a in node.names]:
            place = f"{room}/{(node.module or '').replace('.', '/')}.py"
            if (LIKEWISE / place).is_file():
                for one in _parsed(place):
                    if isinstance(one, ast.FunctionDef) and one.name == name:
                        return ast.get_docstring(one) or ""
    return ""
