"""Results in files: HDF5, with the names of NeXus's application definition NXxpcs. Needs h5py."""

from typing import Any

import h5py
import numpy as np

from likewise import asarray, to_numpy

from .correlation import Averaged
from .geometry import Detector

Array = Any


def save(
    path: Any,
    lags: Array,
    g2: Averaged,
    q: Array,
    between: float,
    detector: Detector,
    labels: Array,
    *,
    name: str,
    intensity: Array | None = None,
) -> None:
    """Write delays in frames, g2 (delays, regions) with errors, and what they were made with.

    `name` identifies the run. Lengths are in mm, q in 1/Angstrom, energies in keV, `between` in s;
    `intensity` the mean over all pixels of each frame.
    """
    with h5py.File(path, "w") as file:
        file.attrs["default"] = "entry"
        entry = _group(file, "entry", "NXentry")
        entry.attrs["default"] = "data"
        entry["definition"], entry["entry_identifier"] = "NXxpcs", name
        data = _group(entry, "data", "NXdata")
        data.attrs["signal"], data.attrs["axes"] = "g2", ["delay_difference", "."]
        for key, values in (("g2", g2.value), ("g2_derr", g2.error)):
            _field(data, key, values, "").attrs["storage_mode"] = "one_array"
        _field(data, "delay_difference", lags, "count").attrs["storage_mode"] = "one_array"
        if intensity is not None:
            _field(data, "frame_average", intensity, "count")
        instrument = _group(entry, "instrument", "NXinstrument")
        beam = _group(instrument, "incident_beam", "NXbeam")
        _field(beam, "incident_energy", detector.energy, "keV")
        flat = _group(instrument, "detector", "NXdetector")
        row, column = detector.center
        for key, value, unit in (
            ("distance", detector.distance, "mm"),
            ("frame_time", between, "s"),
            ("beam_center_x", column * detector.pixel, "mm"),
            ("beam_center_y", row * detector.pixel, "mm"),
            ("x_pixel_size", detector.pixel, "mm"),
            ("y_pixel_size", detector.pixel, "mm"),
        ):
            _field(flat, key, value, unit)
        masks = _group(instrument, "masks", "NXnote")
        _field(masks, "dynamic_roi_map", to_numpy(labels) + 1, "")  # where 0 is no region
        _field(masks, "dynamic_q_list", q, "1/angstrom")


def load(path: Any, like: Array) -> tuple[Array, Averaged, Array, float]:
    """Return delays, g2 with errors, q of the regions, and the time between frames.

    Arrays are on the library and device of `like`, and of its dtype; delays are whole numbers.
    """
    with h5py.File(path) as file:
        definition = file["entry/definition"].asstr()[()]
        if definition != "NXxpcs":
            raise ValueError(f"load: {path} has entries of {definition}, expected NXxpcs")
        held = {key: file[f"entry/data/{key}"][()] for key in ("delay_difference", "g2", "g2_derr")}
        q = file["entry/instrument/masks/dynamic_q_list"][()]
        between = float(file["entry/instrument/detector/frame_time"][()])
    lags = asarray(held.pop("delay_difference"), like=like)
    g2, error, q = (asarray(a, like=like, dtype=like.dtype) for a in (*held.values(), q))
    return lags, Averaged(g2, error), q, between


def _group(parent: Any, name: str, kind: str) -> Any:
    group = parent.create_group(name)
    group.attrs["NX_class"] = kind
    return group


def _field(group: Any, name: str, value: Any, unit: str) -> Any:
    number = np.asarray(value) if isinstance(value, float | int) else to_numpy(value)
    field = group.create_dataset(name, data=number)
    if unit:
        field.attrs["units"] = unit
    return field
