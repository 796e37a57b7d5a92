"""Linear algebra, against NumPy's and SciPy's."""

from typing import Any

import numpy as np
import scipy.linalg

from likewise import array_namespace, linalg

from .case import REAL, Case, case

A = np.asarray([[4.0, 1.0, -0.5], [0.3, 3.0, 1.2], [1.0, -0.7, 5.0]])
B = np.asarray([[1.0, -2.0], [0.5, 0.25], [2.0, 1.0]])
TALL = np.asarray([[1.0, 0.5], [-0.3, 2.0], [0.7, 0.1], [1.1, -1.0]])
C, R = np.asarray([1.0, -0.5, 2.0]), np.asarray([1.0, 3.0, 0.25, -1.0])
MINIMAL = {"strict-minimal": "there is no linalg"}
SINGLE = {"float64": 1e-10, "float32": 1e-4}
CHECKED = {"scalars": 1}  # whether all is finite


def symmetric(a: Any) -> Any:
    """A Hermitian matrix of any, so that each entry can be differentiated by."""
    xp = array_namespace(a)
    other = xp.matrix_transpose(a)
    return (a + (xp.conj(other) if xp.isdtype(a.dtype, "complex floating") else other)) / 2


def halves(a: Any) -> Any:
    return (a + np.conj(a.T)) / 2


LOOKS = """cho_factor cho_solve cholesky inv solve solve_banded solve_toeplitz
solve_triangular""".split()


def linear(name: str, *args: Any, **options: Any) -> Case:
    reads = {"scalars": 2} if name in LOOKS else {}  # whether a matrix is singular
    return case(f"linalg.{name}", *args, **({"tol": SINGLE} | reads | options))


def banded(ab: Any, b: Any) -> Any:
    return scipy.linalg.solve_banded((1, 1), ab, b)


def dense(dl: Any, d: Any, du: Any) -> Any:
    return np.diag(d) + np.diag(dl[1:], -1) + np.diag(du[:-1], 1)


D, E = np.asarray([5.0, 4.0, 6.0, 5.5]), np.asarray([0.5, -1.0, 0.7])
AB = np.asarray([[0.0, 1.0, -0.5, 0.3], [5.0, 4.0, 6.0, 5.5], [0.4, -0.6, 1.0, 0.0]])
SIDE = np.asarray([[1.0], [2.0], [-1.0], [0.5]])
LOWER = np.tril(A)
# A matrix that each of these words describes.
DIAGONAL = np.diag([4.0, 3.0, 5.0])
ASSUMED = (
    *("general", "gen", "banded", "diagonal", "tridiagonal", "upper triangular"),
    *("lower triangular", "symmetric", "sym", "hermitian", "her", "positive definite", "pos"),
)
VALUES: dict[str, Any] = {"eigh": {"eigvals_only": True}}
ALONE: dict[str, Any] = {"eig": {"right": False}}
RANK = np.asarray([[1.0, 2.0], [2.0, 4.0], [-1.0, -2.0]])
LINALG = [
    *(
        linear(
            "solve",
            DIAGONAL,
            B,
            kwargs={"assume_a": word},
            reference=lambda a, b, assume_a: np.linalg.solve(a, b),
        )
        for word in ASSUMED
    ),
    *(
        linear(
            "inv",
            DIAGONAL,
            kwargs={"assume_a": word},
            reference=lambda a, assume_a: np.linalg.inv(a),
        )
        for word in ASSUMED
    ),
    linear("solve", A, B, reference=np.linalg.solve, batch=True, complex=True),
    linear("inv", A, reference=np.linalg.inv, batch=True, complex=True),
    linear(
        "expm", A, reference=scipy.linalg.expm, eager=MINIMAL, batch=True, complex=True, scalars=1
    ),
    linear("det", A, reference=np.linalg.det, batch=True, complex=True),
    *(
        linear(
            "solve_triangular",
            LOWER,
            B,
            kwargs={"lower": True, "trans": trans},
            reference=scipy.linalg.solve_triangular,
            batch=True,
            complex=True,
        )
        for trans in (0, 1, 2, "N", "T", "C")
    ),
    linear(
        "solve_banded",
        AB,
        SIDE,
        by=lambda ab, b: linalg.solve_banded((1, 1), ab, b),
        reference=banded,
        batch=True,
        complex=True,
    ),
    linear(
        "tridiagonal_solve",
        *(AB[2], AB[1], AB[0], SIDE),
        reference=lambda dl, d, du, b: np.linalg.solve(dense(dl, d, du), b),
        batch=True,
        complex=True,
    ),
    linear(
        "eigh_tridiagonal",
        D,
        E,
        by=lambda d, e: linalg.eigh_tridiagonal(d, e, eigvals_only=True),
        reference=lambda d, e: scipy.linalg.eigvalsh_tridiagonal(d, e),
        eager=MINIMAL,
        batch=True,
        complex=REAL,
        **CHECKED,
    ),
    *(
        linear(
            "lstsq",
            TALL,
            SIDE,
            by=lambda a, b, driver=driver: linalg.lstsq(a, b, lapack_driver=driver).x,
            reference=lambda a, b: np.linalg.lstsq(a, b)[0],
            eager=MINIMAL,
            batch=True,
            complex=True,
            **CHECKED,
        )
        for driver in (None, "gelsd", "gelsy", "gelss")
    ),
    linear(
        "pinv", TALL, reference=np.linalg.pinv, eager=MINIMAL, batch=True, complex=True, **CHECKED
    ),
    linear(
        "pinvh",
        A,
        by=lambda a: linalg.pinvh(symmetric(a)),
        reference=lambda a: np.linalg.inv(halves(a)),
        eager=MINIMAL,
        batch=True,
        complex=True,
        **CHECKED,
    ),
    linear(
        "lu_factor",
        A,
        by=lambda a: linalg.lu_factor(a)[0],
        reference=lambda a: scipy.linalg.lu_factor(a)[0],
        batch=True,
        complex=True,
        scalars=2,
    ),
    *(
        linear(
            "lu", A, reference=scipy.linalg.lu, kwargs=given, batch=True, complex=True, scalars=1
        )
        for given in ({}, {"permute_l": True}, {"p_indices": True})
    ),
    *(
        linear(
            "matrix_balance",
            A * np.asarray([1.0, 100.0, 0.01]),
            reference=scipy.linalg.matrix_balance,
            kwargs=given,
            batch=True,
            complex=True,
            empty=True,
            scalars=16,  # whether a step has changed something
        )
        for given in ({}, {"permute": False, "scale": True})
    ),
    linear(
        "solve_toeplitz",
        C + np.asarray([4.0, 0.0, 0.0]),
        B,
        reference=scipy.linalg.solve_toeplitz,
        batch=True,
        complex=True,
    ),
    *(
        linear(
            "lu_solve",
            A,
            B,
            by=lambda a, b, trans: linalg.lu_solve(linalg.lu_factor(a), b, trans),
            kwargs={"trans": trans},
            reference=lambda a, b, trans: scipy.linalg.lu_solve(
                scipy.linalg.lu_factor(a), b, {"N": 0, "T": 1, "C": 2}.get(trans, trans)
            ),
            batch=True,
            complex=True,
            scalars=2,
        )
        for trans in (0, 1, 2, "N", "T", "C")
    ),
    linear(
        "cho_factor",
        A,
        by=lambda a: linalg.cho_factor(symmetric(a), lower=True)[0],
        reference=lambda a: np.linalg.cholesky(halves(a)),
        batch=True,
        complex=True,
    ),
    linear(
        "cho_solve",
        A,
        B,
        by=lambda a, b: linalg.cho_solve(linalg.cho_factor(symmetric(a)), b),
        reference=lambda a, b: np.linalg.solve(halves(a), b),
        batch=True,
        complex=True,
    ),
    *(
        linear(f, C, R, reference=getattr(scipy.linalg, f), batch=True, complex=True)
        for f in ("toeplitz", "hankel")
    ),
    linear("circulant", C, reference=scipy.linalg.circulant, batch=True, complex=True),
    linear(
        "block_diag",
        A,
        B,
        C,
        reference=scipy.linalg.block_diag,
        complex=True,
        batch="of matrices, which the vectors here are not",
        empty=True,
    ),
    *(
        linear(
            name,
            A,
            by=lambda a, name=name: getattr(linalg, name)(symmetric(a), **VALUES.get(name, {})),
            reference=lambda a, name=name: np.linalg.eigvalsh(halves(a)),
            eager=MINIMAL,
            batch=True,
            empty=True,
            complex=True,
        )
        for name in ("eigh", "eigvalsh")
    ),
    *(
        linear(
            name,
            A,
            by=lambda a, name=name: abs(getattr(linalg, name)(a, **ALONE.get(name, {}))),
            reference=lambda a: abs(np.linalg.eigvals(a)),
            eager=MINIMAL,
            batch=True,
            complex=True,
            **CHECKED,
        )
        for name in ("eig", "eigvals")
    ),
    linear(
        "svd",
        TALL,
        by=lambda a: linalg.svd(a, compute_uv=False),
        reference=lambda a: np.linalg.svd(a, compute_uv=False),
        eager=MINIMAL,
        batch=True,
        complex=True,
    ),
    linear(
        "svdvals", TALL, reference=scipy.linalg.svdvals, eager=MINIMAL, batch=True, complex=True
    ),
    linear(
        "qr",
        TALL,
        by=lambda a: abs(linalg.qr(a, mode="economic")[1]),
        reference=lambda a: abs(np.linalg.qr(a)[1]),
        eager=MINIMAL,
        batch=True,
        complex=True,
    ),
    linear(
        "polar",
        TALL,
        by=lambda a: linalg.polar(a)[1],
        reference=lambda a: scipy.linalg.polar(a)[1],
        eager=MINIMAL,
        batch=True,
        complex=True,
    ),
    linear(
        "cholesky",
        A,
        by=lambda a: linalg.cholesky(symmetric(a)),
        reference=lambda a: scipy.linalg.cholesky(halves(a)),
        batch=True,
        complex=True,
    ),
    *(
        linear(
            name,
            RANK,
            by=lambda a, name=name: abs(getattr(linalg, name)(a, rcond=1e-3)),
            reference=lambda a, name=name: abs(getattr(scipy.linalg, name)(a)),
            eager=MINIMAL | {"dask": "the rank is looked at"},
            batch="of one matrix",
            empty=True,
            grad="the basis hangs on the rank",
            vmap="the rank is looked at",
            jit="the rank is looked at",
            compile="the rank is looked at",
            complex=True,
            scalars=1,
        )
        for name in ("null_space", "orth")
    ),
    linear(
        "norm",
        TALL,
        reference=np.linalg.norm,
        eager=MINIMAL,
        batch="over all",
        empty=True,
        complex=True,
    ),
]
