"""Names and arguments of CuPy's wheel, for the stand-in of ``tests/simulated``.

They are read without a GPU: ``ci/cupy-import`` installs the wheel and runs ``--check``. With
``--write``, in its environment, the file is made for a new version.
"""

import argparse
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cupy
import cupy.fft
import cupy.linalg
import numpy

import likewise
from likewise._native import ROWS

FILE = Path(__file__).parents[1] / "tests" / "simulated" / "cupy_names.json"
Entry = tuple[str, str]


def modules() -> list[str]:
    """CuPy's, that array-api-compat and likewise take names from, and those that rows name."""
    for module in pkgutil.walk_packages(likewise.__path__, "likewise."):
        room = module.name.split(".")[1]
        if room not in ("_libs", "__main__", "cli", "demo", "testing"):
            importlib.import_module(module.name)
    named = (row.routines.get("cupy", "").partition(":")[0] for row in ROWS)
    rows = {name for name in named if name.partition(".")[0] in ("cupy", "cupyx")}
    return sorted({"cupy", "cupy.fft", "cupy.linalg"} | rows)


def arguments(routine: Any) -> str:
    """Return what stands between the parentheses of a signature; '' where none can be read."""
    try:
        signature = inspect.signature(routine)
    except (ValueError, TypeError):  # of C; Cython writes it into the docstring
        first = (routine.__doc__ or "").partition("\n")[0]
        found = re.fullmatch(r"[\w.]+(\(.*\))( -> .*)?", first)
        if found is None:
            return ""
        text = re.sub(r"\b(int|bool|tuple|Py_ssize_t|_ndarray_base) (?=\w)", "", found[1])
        return text.replace("=float", "=None").replace("(self, ", "(").replace("(self)", "()")
    given = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    plain = [
        p if p.default is p.empty or not callable(p.default) else p.replace(default=None)
        for p in given
    ]
    return str(inspect.Signature([p for p in plain if p.name != "self"]))


def entries(module: str) -> Iterator[Entry]:
    found, unknown = importlib.import_module(module), object()
    for name in dir(found):
        value = getattr(found, name)
        if name.startswith("_") or inspect.ismodule(value):
            continue
        if isinstance(value, cupy.ufunc):
            # 64-bit integers have two letters, of which NumPy's dtypes show one.
            same = str.maketrans({"q": "l", "Q": "L", "-": ""})
            loops = [t.translate(same) for t in value.types]
            yield f"{module}.{name}", " ".join(["ufunc", *dict.fromkeys(loops)])
        elif value is getattr(numpy, name, unknown):
            yield f"{module}.{name}", "numpy"
        elif not isinstance(value, type) and callable(value) and (text := arguments(value)):
            yield f"{module}.{name}", text


def members() -> Iterator[Entry]:
    for name in dir(cupy.ndarray):
        value = getattr(cupy.ndarray, name)
        if name.startswith("__"):
            if value is not getattr(object, name, None):
                yield f"cupy.ndarray.{name}", "special"
        elif not name.startswith("_"):
            yield f"cupy.ndarray.{name}", arguments(value) if callable(value) else "property"


def written() -> str:
    found = {"version": cupy.__version__}
    for module in modules():
        found |= sorted(entries(module))
    return json.dumps(found | dict(members()), indent=0, ensure_ascii=False) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="make the file anew")
    parser.add_argument("--check", action="store_true", help="fail if the file isn't the wheel's")
    options = parser.parse_args()
    new = written()
    if options.write:
        FILE.write_text(new, encoding="utf-8")
    if options.check and FILE.read_text(encoding="utf-8") != new:
        known = json.loads(FILE.read_text(encoding="utf-8"))
        if known["version"] == cupy.__version__:
            sys.exit(
                f"{FILE.name} isn't what CuPy {cupy.__version__} has; run ci/cupy_names.py --write"
            )
        lost = [f"{k}: {v!r}" for k, v in known.items() if json.loads(new).get(k) != v][1:]
        print(f"{FILE.name} is of CuPy {known['version']}, this is {cupy.__version__}. It changed:")
        print("\n".join(lost) or "nothing that was there")


if __name__ == "__main__":
    main()
