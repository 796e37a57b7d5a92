"""Files, masks and fits of images: all the plumbing there is."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import likewise
from likewise.missing import at
from likewise.optimize import FitResult, curve_fit

Array = Any  # of any library


class Model(NamedTuple):
    """A curve, where it is measured, and how its parameters are looked for."""

    f: Callable[..., Array]  # (x, *parameters) -> a curve
    x: Array
    names: tuple[str, ...]
    start: Callable[[Array], Array]  # curves (voxels, n) -> (voxels, parameters)
    low: tuple[float, ...]
    high: tuple[float, ...]


def fit_image(
    model: Model, data: Array, mask: Array, **options: Any
) -> tuple[dict[str, Array], FitResult]:
    """Fit a model to the last axis of `data` in the voxels of a mask; NaN elsewhere.

    Returns a map of each parameter, and one of the share that the model explains of a curve. And
    what the fits say of themselves, voxel after voxel. `options` are those of `curve_fit`.
    """
    if tuple(mask.shape) != tuple(data.shape[:-1]):
        shapes = f"{(*mask.shape,)} doesn't fit images of {(*data.shape[:-1],)}"
        raise ValueError(f"mask of shape {shapes}")
    curves = inside(data, mask)
    fit = curve_fit(
        model.f,
        model.x,
        curves,
        model.start(curves),
        bounds=(list(model.low), list(model.high)),
        vectorized=False,
        full_output=True,
        **options,
    )
    xp = likewise.array_namespace(curves)
    found = xp.where(fit.success[:, None], fit.popt, xp.nan)  # a fit that failed has no result
    maps = {name: outside(found[:, i], mask) for i, name in enumerate(model.names)}
    return maps | {"R2": outside(fit.r_squared, mask)}, fit


def inside(data: Array, mask: Array) -> Array:
    """Return what `data` has in the voxels of a mask: (voxels, ...)."""
    xp = likewise.array_namespace(data)
    rest = tuple(data.shape[mask.ndim :])
    return xp.take(xp.reshape(data, (-1, *rest)), _places(data, mask), axis=0)


def outside(values: Array, mask: Array) -> Array:
    """Return an image of values in the voxels of a mask, NaN in the others."""
    xp = likewise.array_namespace(values)
    shape = (math.prod(mask.shape), *values.shape[1:])
    image = xp.full(shape, xp.nan, dtype=values.dtype, device=likewise.device(values))
    image = at(image)[_places(values, mask)].set(values)
    return xp.reshape(image, (*mask.shape, *values.shape[1:]))


def _places(like: Array, mask: Array) -> Array:
    # A mask decides about shapes, so it is read on the host; what it picks stays where it is.
    chosen = likewise.to_numpy(mask)
    if strange := int(np.sum(np.isnan(chosen))):  # which NumPy takes for chosen
        raise ValueError(
            f"mask has NaN in {strange} of {chosen.size} voxels: write 1 in the voxels that are "
            "wanted and 0 in all others, mask = likewise.missing.nan_to_num(mask) > 0, say"
        )
    places = np.flatnonzero(chosen)
    return likewise.asarray(places.astype(np.int32), like=like)  # which every library has


def load(path: Any, **where: Any) -> Array:
    """Return the numbers of a NIfTI file as an array of any library, on any device.

    `where` is what `likewise.asarray` takes: ``namespace="torch", device="gpu", dtype="float32"``.
    """
    import nibabel  # here, so that models and fits need no files

    return likewise.asarray(np.asarray(nibabel.load(path).dataobj), **where)


def save(
    path: Any, image: Array, zooms: tuple[float, ...] = (1.0, 1.0, 1.0), *, where: Any = None
) -> None:
    """Write an array as NIfTI; `zooms`: a voxel's sides in mm, then a frame's time in s.

    `where` is a NIfTI file of the same voxels, which says in place of `zooms` how large they are,
    and where they lie in the patient (its affine).
    """
    import nibabel

    numbers = likewise.to_numpy(image)
    kind = np.uint8 if numbers.dtype == np.bool_ else np.float32
    file = nibabel.Nifti1Image(numbers.astype(kind), np.diag([*zooms[:3], 1.0]))
    units = ("mm", "sec")
    if where is not None:
        like = nibabel.load(where)
        if like.shape[:3] != numbers.shape[:3]:
            raise ValueError(f"save: image of shape {numbers.shape}, voxels of {like.shape[:3]}")
        zooms, units = like.header.get_zooms()[: numbers.ndim], like.header.get_xyzt_units()
        file.set_sform(*like.get_sform(coded=True))
        file.set_qform(*like.get_qform(coded=True))
    file.header.set_xyzt_units(*units)
    file.header.set_zooms(zooms + (1.0,) * (numbers.ndim - len(zooms)))
    nibabel.save(file, path)
