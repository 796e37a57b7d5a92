"""SciPy's solvers of large linear systems, for one problem."""

from typing import Any

import numpy as np
import scipy.sparse.linalg as whole

# As they are now: a caller may put ours in their place.
_NAMES = ("bicg", "bicgstab", "cg", "cgs", "eigsh", "gmres", "lsmr", "lsqr", "minres")
_SOLVERS = {name: getattr(whole, name) for name in _NAMES}
_Operator = whole.LinearOperator
_CONVERGED, _LIMIT, _STALLED, _FLAT = 1, -1, -7, -6
_ENDED = {0: _CONVERGED, -10: _STALLED, -11: _FLAT}


def _operator(op: Any) -> Any:
    """Return an operator for SciPy, which takes less per product than SciPy's of a matrix."""
    if type(op).__name__ == "MatrixLinearOperator":
        matrix = op.A.reshape(op.shape[-2:])
        turned = matrix.conj().T
        return _Operator(matrix.shape, matrix.dot, turned.dot, matrix.dot, matrix.dtype, turned.dot)
    if len(op.shape) == 2:
        matvec, rmatvec = op._matvec, op._rmatvec
    else:
        lead = op.shape[:-2]

        def matvec(v: Any) -> Any:
            return op._matvec(v.reshape(*lead, -1)).reshape(-1)

        def rmatvec(v: Any) -> Any:
            return op._rmatvec(v.reshape(*lead, -1)).reshape(-1)

    dtype = np.float64 if op.dtype is None else op.dtype
    return _Operator(op.shape[-2:], matvec, rmatvec, dtype=dtype)


def square(b: Any, given: Any, setting: Any) -> Any:
    if not setting.most:
        return NotImplemented  # its gmres knows no such case, the others call it success
    more: dict[str, Any] = {"maxiter": setting.most}
    if setting.name == "minres":
        more["shift"] = setting.shift
    else:
        more["atol"] = setting.atol
    if given.M is not None:
        more["M"] = _operator(given.M)
    if given.x0 is not None:
        more["x0"] = given.x0[0]
    if setting.callback is not None:
        more["callback"] = setting.callback
    if setting.name == "gmres":
        more["restart"] = setting.restart
        more["callback_type"] = setting.callback_type
    solve, op = _SOLVERS[setting.name], _operator(given.A)
    try:
        x, info = solve(op, b[0], rtol=setting.rtol, **more)
    except ValueError as error:
        if (setting.name == "minres" and "non-symmetric" in str(error)) or "indefinite" in str(
            error
        ):
            return NotImplemented  # the body says it
        raise
    # That of conjugate gradients drifts by little more than rounding.
    sure = setting.name == "cg" and setting.rtol >= np.finfo(b.dtype).eps ** 0.5
    if info or sure or setting.name == "minres":
        if not np.all(np.isfinite(x)):
            return NotImplemented
    else:
        length = np.linalg.norm(b[0])
        atol = max(setting.rtol * length, setting.atol)
        if length and not np.linalg.norm(b[0] - op.matvec(x)) <= atol:
            # What it keeps of the residual drifted: the body goes on, but calls no callback twice.
            if setting.callback is None:
                return NotImplemented
            info = setting.most
    x = np.asarray(x, b.dtype)
    return x[None, :], np.asarray([_ENDED.get(info, _LIMIT)], np.int32)


def least(b: Any, given: Any, setting: Any) -> Any:
    if not setting.most or (given.x0 is not None and not np.any(b)):
        return NotImplemented  # of which it says that any x solves it
    tests = (setting.damp, setting.atol, setting.btol, setting.conlim, setting.most)
    more = {} if given.x0 is None else {"x0": given.x0[0]}
    op = _operator(given.A)
    if setting.name == "lsqr":
        out = _SOLVERS["lsqr"](op, b[0], *tests, calc_var=setting.variances, **more)
        names: tuple[str, ...] = ("r1norm", "normr", "norma", "conda", "normar", "normx")
        var = out[9] if setting.variances else out[9][:0]
    else:
        out = _SOLVERS["lsmr"](op, b[0], *tests, **more)
        names = ("normr", "normar", "norma", "conda", "normx")
        var = None
    x, stop, nit, *rest = out
    if not np.all(np.isfinite(x)):
        return NotImplemented
    dtype = b.real.dtype
    found = {k: np.asarray([v], dtype) for k, v in zip(names, rest, strict=False)}
    if var is not None:
        found["var"] = np.asarray(var, dtype)[None, :]
    status = _LIMIT if stop == 7 else 100 + stop
    counts = {"nit": np.asarray([nit], np.int32), "status": np.asarray([status], np.int32)}
    return {"x": np.asarray(x, b.dtype)[None, :], **found, **counts}


def eigsh(b: Any, given: Any, inverse: Any, setting: Any) -> Any:
    if np.iscomplexobj(b) and (setting.k >= b.shape[1] - 1 or setting.which == "BE"):
        return NotImplemented  # which ARPACK has for real matrices alone
    try:
        w, v = _SOLVERS["eigsh"](
            _operator(given.A),
            setting.k,
            which=setting.which,
            v0=b[0],
            ncv=setting.ncv,
            maxiter=setting.most,
            tol=setting.tol,
        )
    except whole.ArpackError:
        return NotImplemented
    order = np.argsort(w)
    return w[order][None, :], v[:, order][None, ...], np.asarray([_CONVERGED], np.int32)
