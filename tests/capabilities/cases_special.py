"""Special functions, each at a few of its reference points; the others against SciPy."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.special

from likewise.special._function import _COMPLEX

from ..special.reference import names, read
from .case import REAL, Case, case

TAKE_COMPLEX = {*_COMPLEX, "log1p", "xlog1py", "xlogy"}
X = np.asarray([0.3, 0.6, 1.2, 2.5])
K, N, P = np.asarray([1, 2, 3]), np.asarray([4, 5, 7]), np.asarray([0.2, 0.5, 0.7])
WHOLE = {"expn": 0, "lambertw": 1, "polygamma": 0}  # the argument that is a whole number


def points(name: str) -> tuple[tuple[Any, ...], Any]:
    """Four points of middling size, where rounding an argument changes little."""
    table = read(name, "float32")
    size, values = table.condition(), np.abs(table.value)
    middling = [(np.abs(a) > 0.05) & (np.abs(a) < 20) for a in table.args]
    # Off the real axis, on which cuts lie.
    middling += [np.abs(a.imag) > 0.05 for a in table.args if a.dtype.kind == "c"]
    good = (size < 8) & (values > 1e-3) & (values < 1e4) & np.all(middling, axis=0)
    (found,) = np.nonzero(good)
    if found.size < 4:
        (found,) = np.nonzero((size < 1e3) & np.isfinite(values))
    chosen = found[np.linspace(0, found.size - 1, min(4, found.size)).astype(int)]
    own = table.of(chosen)
    return own.args, own.value


def tabled() -> Iterator[Case]:
    for name in names():
        args, value = points(name)
        args = tuple(
            np.real(a).astype(np.int64) if WHOLE.get(name) == k else a for k, a in enumerate(args)
        )
        judge = getattr(scipy.special, name, None)
        options: dict[str, Any] = {"reference": judge or value}
        options["complex"] = True if name in TAKE_COMPLEX else REAL
        options["tol"] = {"float64": 1e-10, "float32": 1e-4}
        yield case(f"special.{name}", *args, batch=True, **options)


def by_scipy(name: str, *args: Any, **options: Any) -> Case:
    options = {"reference": getattr(scipy.special, name), "complex": REAL} | options
    return case(f"special.{name}", *args, **options)


SPECIAL = [
    *tabled(),
    *(by_scipy(f, K, N, P, batch=True) for f in ("bdtr", "bdtrc", "nbdtr")),
    *(by_scipy(f, N, X[:3], batch=True) for f in ("chdtr", "chdtrc")),
    by_scipy("chdtri", N, P, batch=True),
    *(by_scipy(f, K, X[:3], batch=True) for f in ("pdtr", "pdtrc")),
    *(by_scipy(f, 3, X + 1) for f in ("jn", "yn", "kn")),
    by_scipy("psi", X, batch=True),
    by_scipy(
        "legendre_p", 3, P, reference=lambda n, z: ((5 * z**3 - 3 * z) / 2)[None], complex=True
    ),
    by_scipy("sph_harm_y", 3, 2, X[:3], P),
    by_scipy("gdtr", X[:3], N, X[1:], batch=True),
    by_scipy("loggamma", X, complex=True, batch=True),
    by_scipy("multigammaln", X + 3, 2, batch=True),
    by_scipy("gammasgn", np.asarray([-1.5, 0.5, -0.5]), batch=True),
    by_scipy("logsumexp", X, kwargs={"axis": -1}, batch=True, complex=True),
    by_scipy("softmax", X, kwargs={"axis": -1}, batch=True, complex=True),
    by_scipy("log_softmax", X, kwargs={"axis": -1}, batch=True),
    *(by_scipy(f, N, K, batch=True) for f in ("comb", "perm")),
    by_scipy("factorial", np.asarray([0, 1, 4]), batch=True),
    by_scipy("factorial2", np.asarray([0, 1, 5]), batch=True),
    *(
        by_scipy(f, np.asarray([0.5, 1.3, -2.5]), kwargs={"extend": "complex"}, batch=True)
        for f in ("factorial", "factorial2")
    ),
]
