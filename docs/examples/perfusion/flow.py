"""Blood flow from the first pass of a bolus, by deconvolution: no model of the tissue is needed."""

from typing import Any

from likewise import array_namespace
from likewise.missing import trapezoid
from likewise.signal import deconvolve_svd

Array = Any  # of any library


def flow(curves: Array, aif: Array, dt: float, **options: Any) -> dict[str, Array]:
    """Return maps of flow, volume and mean transit time from curves (..., n) at distances `dt`, s.

    CBF in ml/100 ml/min is the height of the residue function, CBV in ml/100 ml the ratio of areas,
    MTT in s their quotient (the central volume theorem). `options` are those of `deconvolve_svd`.
    L. Østergaard et al., Magn. Reson. Med. 36, 715 (1996).
    """
    xp = array_namespace(curves, aif)
    residue = deconvolve_svd(curves, aif, dt, **options)
    cbf = 6000 * xp.max(residue, axis=-1)
    cbv = 100 * trapezoid(curves, dx=dt) / trapezoid(aif, dx=dt)
    return {"CBF": cbf, "CBV": cbv, "MTT": 60 * cbv / cbf}
