"""The cost of a small call: ``ci/bench --only small``.

Every function of README's table, at the small case that the table is made from, on NumPy against
SciPy; and some on torch against torch's own, at four numbers. A summary follows: the median, the
share within twice the peer's time or 1.5 µs more, room by room, and the worst twenty.
"""

import functools
import statistics
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from likewise import fft as transforms
from likewise import linalg, missing, special

sys.path.insert(0, str(Path(__file__).parents[1] / "pages"))
import readme_table

LIMIT = {"numpy": "2 or 1.5 µs", "torch": "3 or 3 µs"}
WORST = 20


class _Called(Exception):
    """Carries out what a case calls its function with."""

    def __init__(self, args: Any, kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs


def _arguments(case: Callable[..., Any], to: Callable[[Any], Any]) -> tuple[Any, Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        raise _Called(args, kwargs)

    try:
        case(called, to)
    except _Called as found:
        return found.args, found.kwargs
    raise AssertionError("a case that calls nothing")


def _call(func: Callable[..., Any], args: Any, kwargs: Any) -> Callable[[Any], Any]:
    if not kwargs:
        return lambda _: func(*args)
    return lambda _: func(*args, **kwargs)


def _of_numpy() -> Iterator[Any]:
    for module, name, ours, theirs in readme_table.pairs():
        case = readme_table.case(name, ours)
        another = readme_table.THEIRS.get(name, case)
        room = ours.__module__.split(".")[1]
        yield (
            f"{room}.{name}, numpy",
            f"scipy.{module}",
            _call(ours, *_arguments(case, np.asarray)),
            _call(theirs, *_arguments(another, np.asarray)),
            [None],
            LIMIT["numpy"],
        )


def _of_torch() -> Iterator[Any]:
    import torch

    x = torch.tensor([0.2, 0.7, 1.1, 2.3], dtype=torch.float64)
    y = torch.tensor([0.4, 0.1, 1.5, 3.0], dtype=torch.float64)
    a = torch.tensor([[4.0, 1.0], [1.0, 3.0], [0.5, 0.2], [0.1, 2.0]], dtype=torch.float64)
    b = torch.tensor([1.0, 2.0, 0.5, -1.0], dtype=torch.float64)
    q = torch.tensor(0.3, dtype=torch.float64)
    own = torch.special
    unary = "erf erfc erfinv gammaln digamma i0 i1 i0e ndtr ndtri expm1 log1p entr sinc expit logit"
    for name in unary.split():
        yield f"special.{name}", getattr(special, name), getattr(own, name), (x * 0.4,)
    for name in ("gammainc", "gammaincc", "zeta", "xlogy", "xlog1py"):
        yield f"special.{name}", getattr(special, name), getattr(own, name), (x + 1.5, y)
    for name in ("softmax", "log_softmax", "logsumexp"):
        yield f"special.{name}", getattr(special, name), functools.partial(_first, name), (x,)
    yield "linalg.lstsq", linalg.lstsq, lambda a, b: torch.linalg.lstsq(a, b[:, None]), (a, b)
    yield "linalg.solve", linalg.solve, torch.linalg.solve, (a[:2], b[:2])
    yield "linalg.inv", linalg.inv, torch.linalg.inv, (a[:2],)
    yield "linalg.det", linalg.det, torch.linalg.det, (a[:2],)
    yield "missing.quantile", missing.quantile, torch.quantile, (x, q)
    yield "missing.median", missing.median, torch.median, (x,)
    yield "missing.interp", missing.interp, _interp, (y, x, b)
    yield "fft.fft", transforms.fft, torch.fft.fft, (x,)
    yield "fft.rfft", transforms.rfft, torch.fft.rfft, (x,)


def _first(name: str, x: Any) -> Any:
    import torch

    return getattr(torch.special, name)(x, 0)


def _interp(x: Any, xs: Any, ys: Any) -> Any:
    """By hand, as torch has none; inside of the points and outside."""
    import torch

    i = torch.searchsorted(xs, x).clamp(1, xs.shape[0] - 1)
    t = ((x - xs[i - 1]) / (xs[i] - xs[i - 1])).clamp(0.0, 1.0)
    return ys[i - 1] + t * (ys[i] - ys[i - 1])


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per function: label, peer, ours, theirs, inputs, limit."""
    warnings.simplefilter("ignore")  # SciPy's, of divisions by zero and of functions that it leaves
    if "numpy" in libraries:
        yield from _of_numpy()
    if "torch" in libraries:
        for name, ours, theirs, args in _of_torch():
            peer = "by hand" if theirs is _interp else "torch"
            pair = _call(ours, args, {}), _call(theirs, args, {})
            yield f"{name}, torch", peer, *pair, [None], LIMIT["torch"]


def summary(found: list[tuple[Any, float, float, float, float]]) -> Iterator[str]:
    """The lines' figures in a few: line, nearness to the limit, ratio, our seconds and theirs."""
    rooms: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for line, near, ratio, *_ in found:
        name, _, library = line[0].rpartition(", ")
        rooms[f"all, {library}"].append((near, ratio))
        rooms[f"{name.partition('.')[0]}, {library}"].append((near, ratio))
    yield ""
    yield "| room | functions | median | within | above 10 times |"
    yield "|---|--:|--:|--:|--:|"
    for room in sorted(rooms, key=lambda r: (r.rpartition(", ")[2], not r.startswith("all"), r)):
        near, ratios = zip(*rooms[room], strict=True)
        within = sum(n <= 1 for n in near) / len(near)
        above = sum(n > 1 and r > 10 for n, r in rooms[room])
        yield f"| {room} | {len(near)} | {statistics.median(ratios):.2f} | {within:.0%} | {above} |"
    yield ""
    yield f"The worst {WORST} of each library, times and µs more:"
    for library in ("numpy", "torch"):
        own = [f for f in found if f[0][0].endswith(library) and f[1] > 1]
        for line, _, ratio, ours, theirs in sorted(own, key=lambda f: -f[1])[:WORST]:
            yield f"- {line[0]}: {ratio:.1f}, {(ours - theirs) * 1e6:.1f} µs ({ours * 1e6:.1f})"
