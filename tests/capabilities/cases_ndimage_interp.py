"""Interpolation of images, against SciPy's."""

from typing import Any

import numpy as np
import scipy.ndimage as judge

from .case import Case, case
from .cases_ndimage_filters import IMAGE, filtered

__all__ = ["NDIMAGE_INTERP"]

# Between the elements, where splines of order 1 have derivatives, too.
AT = np.asarray([[0.3, 1.6, 1.2, 0.7], [2.4, 0.2, 1.7, 2.2]])
MATRIX = np.asarray([[0.9, 0.13], [-0.21, 0.8]])


def by(name: str, *args: Any, **kwargs: Any) -> Case:
    """A function of an image and of other arrays, that of the coordinates."""
    options = kwargs.pop("options", {})
    return case(
        f"ndimage.{name}",
        *args,
        kwargs=kwargs,
        reference=getattr(judge, name),
        **options,
    )


def _bent(at: Any) -> Any:
    return at[0] * 0.7 + 0.11, at[1] * at[0] * 0.3 + 0.17


NDIMAGE_INTERP = [
    filtered("spline_filter1d", complex=True),
    filtered("spline_filter", 2, batch=False),
    by("map_coordinates", IMAGE, AT),
    by("affine_transform", IMAGE, MATRIX, np.asarray([0.11, 0.32]), order=1, mode="mirror"),
    filtered("geometric_transform", _bent, batch=False, kwargs={"mode": "grid-wrap", "order": 1}),
    filtered("rotate", 10.0, kwargs={"axes": (-1, -2), "mode": "nearest", "order": 1}),
    by("shift", IMAGE, np.asarray([0.4, -0.3]), order=2, mode="grid-constant", cval=0.5),
    filtered("zoom", 1.3, batch=False),
]
