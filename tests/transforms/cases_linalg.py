"""Linear algebra and Fourier transforms."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .cases import Case

_rng = np.random.default_rng(7)


def _real(*shape: int) -> np.ndarray:
    return _rng.normal(size=shape)


def _complex(*shape: int) -> np.ndarray:
    return _rng.normal(size=shape) + 1j * _rng.normal(size=shape)


def _positive(x: np.ndarray) -> np.ndarray:
    return x @ np.conj(np.swapaxes(x, -1, -2)) + 0.5 * np.eye(x.shape[-1])


def _of_rank(n: int, rank: int, kind: Any = _real) -> np.ndarray:
    """Singular, in a stack with one that isn't."""
    return np.stack([kind(n, rank) @ kind(rank, n), kind(n, n)])


def _h(xp: Any, x: Any) -> Any:
    x = xp.matrix_transpose(x)
    return xp.conj(x) if "complex" in str(x.dtype) else x


def _steps(xp: Any, s: Any) -> Any:
    """A different number for each vector."""
    real = {"complex128": "float64", "complex64": "float32"}
    name = str(s.dtype).rpartition(".")[2]
    return xp.arange(1, s.shape[-1] + 1, dtype=getattr(xp, real.get(name, name)))


def _to_hermitian(xp: Any, x: Any) -> Any:
    return x + _h(xp, x)


def _cholesky(upper: bool) -> Callable[..., Any]:
    return lambda xp, x: xp.linalg.cholesky(_to_hermitian(xp, x), upper=upper)


def _qr(mode: str) -> Callable[..., Any]:
    def fun(xp: Any, x: Any) -> Any:
        if x.shape[-1] > x.shape[-2] and getattr(xp, "__name__", "") == "jax.numpy":
            q = xp.linalg.qr(x[..., : x.shape[-2]])[0]  # JAX has no rule for wide matrices
            r = _h(xp, q) @ x
        else:
            q, r = xp.linalg.qr(x, mode=mode)
        sign = xp.sign(xp.linalg.diagonal(r))
        back = xp.conj(sign) if "complex" in str(x.dtype) else sign
        return q * sign[..., None, :], r * back[..., :, None]

    return fun


def _svd(full_matrices: bool, left: bool = True) -> Callable[..., Any]:
    def fun(xp: Any, x: Any) -> Any:
        u, s, vh = xp.linalg.svd(x, full_matrices=full_matrices)
        step = _steps(xp, s)
        one = (u * step) @ _h(xp, u) if left else _h(xp, vh) @ (step[:, None] * vh)
        return s, (u * step) @ vh, one

    return fun


def _eigh(xp: Any, x: Any) -> Any:
    w, v = xp.linalg.eigh(_to_hermitian(xp, x))
    return w, (v * _steps(xp, w)) @ _h(xp, v)


def _eig_of(xp: Any, x: Any) -> Any:
    if getattr(xp, "__name__", "") == "jax.numpy":
        import jax  # its own function refuses derivatives of the vectors

        return jax.lax.linalg.eig(x, compute_left_eigenvectors=False, enable_eigvec_derivs=True)
    return xp.linalg.eig(x)


def _eig(xp: Any, x: Any) -> Any:
    """The vectors enter by the size of their elements too, which depends on their norm of 1."""
    w, v = _eig_of(xp, x)
    return w, (v * _steps(xp, w)) @ xp.linalg.inv(v), xp.abs(v)


def _eigvals(xp: Any, x: Any) -> Any:
    own = getattr(xp, "__name__", "") == "jax.numpy"  # which has no second derivative
    return _eig_of(xp, x)[0] if own else xp.linalg.eigvals(x)


def _norm(name: str, **settings: Any) -> Callable[..., Any]:
    return lambda xp, x: getattr(xp.linalg, name)(x, **settings)


CASES: list[Case] = []


def _case(name: str, fun: Callable[..., Any] | None, *args: Any, **more: Any) -> None:
    fun = fun or (lambda xp, *a, **k: getattr(xp.linalg, name)(*a))
    CASES.append(Case("linalg." + name, fun, args, **more))


# -- solve, inv, powers, pinv

_case("solve", None, _real(3, 3), _real(3), label="vector")
_case("solve", None, _real(3, 3), _real(3, 2), label="matrix")
_case("solve", None, _real(2, 3, 3), _real(3), label="stack, vector")
_case("solve", None, _complex(2, 1, 3, 3), _complex(3, 3, 2), label="complex, broadcast")
_case("solve", None, _real(3, 3), _real(3), label="of the matrix", diff=(0,))
_case("solve", None, _real(3, 3), _real(3, 2), label="of the right side", diff=(1,))
_case("inv", None, _real(2, 3, 3), label="stack")
_case("inv", None, _complex(3, 3), label="complex")
for _n in (3, 1, 0, -2):
    _case(
        "matrix_power", lambda xp, x, n=_n: xp.linalg.matrix_power(x, n), _real(3, 3), label=f"{_n}"
    )
_case(
    "matrix_power", lambda xp, x: xp.linalg.matrix_power(x, 2), _complex(2, 2, 2), label="complex"
)
_case("pinv", None, _real(2, 4, 3), label="tall")
_case("pinv", None, _real(2, 4), label="wide")
_case("pinv", None, _complex(3, 2), label="complex")
_case(
    "pinv",
    lambda xp, x: xp.linalg.pinv(x[:, :1] @ x[:1, :], rtol=1e-6),
    _real(3, 3),
    label="rank 1, rtol",
)

# -- det, slogdet

for _n in (1, 2, 3, 4):
    _case("det", None, _real(2, _n, _n), label=f"{_n}")
_case("det", None, _complex(5, 5), label="complex")
for _n, _rank in ((3, 1), (4, 3), (4, 2), (5, 2)):
    _case(
        "det",
        None,
        _of_rank(_n, _rank),
        label=f"{_n} of rank {_rank}",
        reference="differences",
    )
_case("det", None, _of_rank(4, 2, _complex), label="complex of rank 2", reference="differences")
_case("det", None, np.stack([0 * np.eye(4), np.eye(4)]), label="0 and 1", reference="differences")
_case("slogdet", lambda xp, x: tuple(xp.linalg.slogdet(x)), _real(2, 3, 3), label="stack")
_case("slogdet", lambda xp, x: tuple(xp.linalg.slogdet(x)), _complex(3, 3), label="complex")
_case("slogdet", lambda xp, x: xp.linalg.slogdet(x)[1], _complex(2, 2), label="logabsdet alone")

# -- factors

_case("cholesky", _cholesky(False), _positive(_real(2, 3, 3)), label="stack")
_case("cholesky", _cholesky(True), _positive(_real(3, 3)), label="upper")
_case("cholesky", _cholesky(False), _positive(_complex(3, 3)), label="complex")
_case("cholesky", _cholesky(True), _positive(_complex(2, 2)), label="complex, upper")
_case(
    "cholesky",
    None,
    _positive(_real(3, 3)),
    label="of the Hermitian part",
    only=("jvp", "vjp", "second"),
    reason="the value is JAX's only where the matrix is Hermitian, and a lane isn't",
)
_case("qr", _qr("reduced"), _real(2, 4, 3), label="tall")
_case("qr", _qr("reduced"), _complex(4, 2), label="complex, tall")
_case("qr", _qr("complete"), _real(3, 3), label="complete")
_case("qr", _qr("reduced"), _real(2, 3), label="wide")
_case("qr", _qr("complete"), _real(2, 3), label="wide, complete")
_case("qr", lambda xp, x: abs(xp.linalg.qr(x)[0]), _real(3, 2), label="q alone")
_case("qr", lambda xp, x: abs(xp.linalg.qr(x)[1]), _real(3, 2), label="r alone")
_case("svd", _svd(False), _real(2, 4, 3), label="tall")
_case("svd", _svd(False, left=False), _real(2, 4), label="wide")
_case("svd", _svd(True), _real(3, 3), label="square, full")
_case("svd", _svd(False), _complex(4, 2), label="complex, tall")
_case("svd", _svd(False, left=False), _complex(2, 3), label="complex, wide")
_case(
    "svd",
    lambda xp, x: xp.linalg.svd(x, full_matrices=False)[0][..., 0] ** 2,
    _real(3, 3),
    label="u alone",
)
_case(
    "svd",
    lambda xp, x: xp.linalg.svd(x, full_matrices=False)[2][..., 0, :] ** 2,
    _real(3, 3),
    label="vh alone",
)
_case("svdvals", None, _real(2, 3, 2), label="stack")
_case("svdvals", None, _complex(2, 3), label="complex")

# -- eigenvalues

_case("eigh", _eigh, _real(2, 3, 3), label="stack")
_case("eigh", _eigh, _complex(3, 3), label="complex")
_case(
    "eigh",
    lambda xp, x: xp.linalg.eigh(_to_hermitian(xp, x))[1] ** 2,
    _real(3, 3),
    label="vectors alone",
)
_case(
    "eigvalsh",
    None,
    _positive(_real(2, 3, 3)),
    label="stack, of the Hermitian part",
    only=("jvp", "vjp", "second"),
    reason="the value is JAX's only where the matrix is Hermitian, and a lane isn't",
)
_case(
    "eigvalsh",
    lambda xp, x: xp.linalg.eigvalsh(_to_hermitian(xp, x)),
    _complex(3, 3),
    label="complex",
)
_case("eig", _eig, _real(2, 3, 3), label="stack")
_case("eig", _eig, _complex(3, 3), label="complex")
_case("eigvals", _eigvals, _real(2, 3, 3), label="stack")
_case("eigvals", _eigvals, _complex(3, 3), label="complex")

# -- norms

for _ord in ("fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")):
    _case("matrix_norm", _norm("matrix_norm", ord=_ord), _real(2, 3, 2), label=f"{_ord}")
for _ord in ("fro", "nuc", 1, -2, float("inf")):
    _case("matrix_norm", _norm("matrix_norm", ord=_ord), _complex(2, 3), label=f"{_ord}, complex")
_case("matrix_norm", _norm("matrix_norm", keepdims=True), _real(2, 2, 3), label="keepdims")
_case(
    "matrix_norm",
    _norm("matrix_norm", ord=1),
    np.asarray([[1.0, 2.0], [3.0, -2.0]]),
    label="1 with a tie",
)
for _ord in (0, 1, 2, 3, 2.5, 0.5, -1, float("inf"), -float("inf")):
    _case("vector_norm", _norm("vector_norm", ord=_ord), _real(5), label=f"{_ord}")
for _ord in (1, 2, 3, float("inf")):
    _case("vector_norm", _norm("vector_norm", ord=_ord), _complex(4), label=f"{_ord}, complex")
_case(
    "vector_norm", _norm("vector_norm", axis=(0, -1), keepdims=True), _real(2, 3, 2), label="axes"
)
_case("vector_norm", _norm("vector_norm", axis=-2, ord=3), _real(2, 3, 2), label="axis=-2")
_case("vector_norm", _norm("vector_norm"), _real(2, 3), label="axis=None")
_case("vector_norm", lambda xp, x: xp.linalg.vector_norm(x) * x, np.asarray(-1.5), label="0-d")
_case(
    "vector_norm",
    _norm("vector_norm", ord=float("inf")),
    np.asarray([2.0, -2.0, 1.0]),
    label="inf with a tie",
)
_case("vector_norm", _norm("vector_norm", ord=3), np.asarray([1.5, 0.0, -0.5]), label="3 at a 0")
_case(
    "matrix_rank",
    None,
    _real(2, 3, 3),
    only=("batch",),
    reason="a whole number, with a derivative of 0",
)

# -- Fourier transforms

_INPUTS = {
    "fft": _complex,
    "ifft": _complex,
    "rfft": _real,
    "irfft": _complex,
    "hfft": _complex,
    "ihfft": _real,
}


def _fft_case(name: str, label: str, *args: Any, **settings: Any) -> None:
    fun = lambda xp, x: getattr(xp.fft, name)(x, **settings)  # noqa: E731
    CASES.append(Case("fft." + name, fun, args, label))


for _name, _kind in _INPUTS.items():
    _fft_case(_name, "as it is", _kind(5))
    _fft_case(_name, "cropped, axis=0", _kind(5, 2), n=4, axis=0)
    _fft_case(_name, "padded, ortho", _kind(2, 4), n=9, norm="ortho")
    _fft_case(_name, "forward", _kind(2, 3), norm="forward", axis=-1)
for _name, _kind in {k + "n": v for k, v in _INPUTS.items() if k[0] != "h" and k[1] != "h"}.items():
    _fft_case(_name, "as it is", _kind(3, 4))
    _fft_case(_name, "axes", _kind(3, 2, 4), axes=(0, -1), norm="forward")
    _fft_case(_name, "s", _kind(2, 3, 4), s=(5, 3), axes=(2, 0), norm="ortho")
for _name in ("fftshift", "ifftshift"):
    _fft_case(_name, "as it is", _real(3, 4))
    _fft_case(_name, "axes", _complex(3, 5), axes=-1)
