"""Each rule of the interpreter against derivatives from elsewhere, on several libraries."""

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.interop import to_numpy
from likewise.testing import check_grads
from likewise.transforms import grad, jvp, vjp, vmap
from likewise.transforms._following._interpreter import interpreted
from likewise.transforms._rules._rules import CONSTANT, RULES

from ...modes import agree
from ..cases import Case
from ..reference import LANES, Reference, as_tuple, close, floating, lanes, reference
from ..tables import CELLS, FAMILIES

LIBRARIES = ("strict", "numpy", "torch")
# Of so many cases one runs without --full: in all cells and on all libraries, as what takes long is
# to find what is right.
SHARES = dict.fromkeys(("elementwise", "linalg", "reductions", "structure"), 32)


ALL = [(family, case) for family, cases in FAMILIES.items() for case in cases]


def _name(case: Case) -> str:
    return f"{case.name} {case.label}".strip()


def _rows() -> Iterator[Any]:
    seen: set[str] = set()
    for family, case in ALL:
        again = case.name in seen
        seen.add(case.name)
        later = zlib.crc32(f"{family} {_name(case)}".encode()) % SHARES[family] > 0
        for library in LIBRARIES:
            for cell in case.only:
                marks = [pytest.mark.needs("torch")] if library == "torch" else []
                if later or (library != "strict" and cell in ("jvp", "second")):
                    marks.append(pytest.mark.full)  # the rules are one text for all libraries
                elif again and (cell == "second" or (cell == "jvp" and family == "linalg")):
                    marks.append(pytest.mark.full)  # one case of each function does
                if case.reference == "jax":
                    marks.append(pytest.mark.needs("jax"))
                yield pytest.param(
                    case, cell, library, marks=marks, id=f"{family}-{_name(case)}-{cell}-{library}"
                )


class Here:
    """A case on one library: its function of the differentiated arguments, and the arrays."""

    def __init__(self, case: Case, library: str, single: bool = False) -> None:
        self.case, self.diff = case, floating(case)
        self.library, self.single = library, single
        self.xp = likewise.namespace(library)
        self.args = [self.array(a) for a in case.args]

    def array(self, a: Any) -> Any:
        a = np.array(a)
        if self.single and a.dtype.kind in "fc":
            a = a.astype("float32" if a.dtype.kind == "f" else "complex64")
        if self.library == "numpy":
            a.setflags(write=False)
            return a
        return self.xp.asarray(a) if self.library == "strict" else self.xp.asarray(a.copy())

    def arrays(self, values: Any) -> list[Any]:
        return [self.array(v) for v in values]

    def all(self, *args: Any) -> Any:
        return as_tuple(self.case.fun(likewise.array_namespace(*args), *args))

    def fun(self, *some: Any) -> Any:
        full = list(self.args)
        for i, x in zip(self.diff, some, strict=True):
            full[i] = x
        return self.all(*full)

    @property
    def primals(self) -> tuple[Any, ...]:
        return tuple(self.args[i] for i in self.diff)


def check(found: Any, expected: Any, what: str) -> None:
    assert len(found) == len(expected), what
    for k, (f, e) in enumerate(zip(found, expected, strict=True)):
        close(to_numpy(f), e, f"{what}, number {k}")


def _jvp(here: Here, right: Reference) -> None:
    tangents = here.arrays(right.directions[0])
    outs, moved = jvp(here.fun, here.primals, tangents)
    check(outs, right.outs, "the value")
    check(moved, right.jvp, "the jvp")


def _vjp(here: Here, right: Reference) -> None:
    outs, pull = vjp(here.fun, *here.primals)
    check(outs, right.outs, "the value")
    cotangents = tuple(here.arrays(right.directions[1]))
    check(pull(cotangents), right.vjp, "the vjp")
    back = vjp(lambda *c: pull(c), *cotangents)[1](tuple(here.arrays(right.directions[0])))
    check(back, right.jvp, "the vjp of the pullback")


def _second(here: Here, right: Reference) -> None:
    """Second derivatives are symmetric: three ways through the rules, one right value."""
    tangents = tuple(here.arrays(right.directions[0]))
    cotangents = tuple(here.arrays(right.directions[1]))

    def pulled(*x: Any) -> Any:
        return vjp(here.fun, *x)[1](cotangents)

    def moved(*x: Any) -> Any:
        return jvp(here.fun, x, tangents)[1]

    check(jvp(pulled, here.primals, tangents)[1], right.second, "jvp of vjp")
    check(vjp(pulled, *here.primals)[1](tangents), right.second, "vjp of vjp")
    check(vjp(moved, *here.primals)[1](cotangents), right.second, "vjp of jvp")


def _batch(here: Here, right: Reference) -> None:
    case = here.case
    per_lane = lanes(case)
    several = [here.array(np.stack([lane[i] for lane in per_lane])) for i in range(len(case.args))]
    may = range(len(case.args)) if case.batch is None else case.batch
    choices = [tuple(may)] + [(i,) for i in may if len(may) > 1]
    for chosen in choices:
        args = [several[i] if i in chosen else here.args[i] for i in range(len(case.args))]
        found = vmap(here.all, in_axes=tuple(0 if i in chosen else None for i in range(len(args))))(
            *args
        )
        for k in range(LANES):
            lane = [per_lane[k][i] if i in chosen else case.args[i] for i in range(len(args))]
            expected = Reference(case, tuple(map(np.asarray, lane))).outs
            check([f[k, ...] for f in found], expected, f"lane {k} of vmap over {chosen}")
    if not here.diff or "vjp" not in case.only or case.batch is not None:
        return
    cotangents = tuple(here.arrays(right.directions[1]))

    def pulled(*args: Any) -> Any:
        def fun(*some: Any) -> Any:
            full = list(args)
            for i, x in zip(here.diff, some, strict=True):
                full[i] = x
            return here.all(*full)

        return vjp(fun, *(args[i] for i in here.diff))[1](cotangents)

    found = vmap(pulled)(*several)
    for k in range(LANES):
        expected = reference(case, k).vjp
        check([f[k, ...] for f in found], expected, f"lane {k} of vmap of vjp")

    def mapped(*some: Any) -> Any:
        full = list(several)
        for i, x in zip(here.diff, some, strict=True):
            full[i] = x
        return vmap(here.all)(*full)

    stacked = tuple(here.array(np.stack([c] * LANES)) for c in right.directions[1])
    found = vjp(mapped, *(several[i] for i in here.diff))[1](stacked)
    for k in range(LANES):
        check([f[k, ...] for f in found], reference(case, k).vjp, f"lane {k} of vjp of vmap")


_RUN = {"jvp": _jvp, "vjp": _vjp, "second": _second, "batch": _batch}


@pytest.mark.parametrize(("case", "cell", "library"), list(_rows()))
def test_rule(case: Case, cell: str, library: str) -> None:
    with interpreted():
        _RUN[cell](Here(case, library), reference(case))


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=f"{f}-{_name(c)}") for f, c in ALL if "vjp" in c.only]
)
@pytest.mark.share(4)
def test_single_precision_stays(case: Case) -> None:
    """Where the library has no silent promotion."""
    here = Here(case, "strict", single=True)
    with interpreted():
        outs, pull = vjp(here.fun, *here.primals)
        found = pull(tuple(here.xp.ones_like(y) for y in outs))
        moved = jvp(here.fun, here.primals, here.primals)[1] if "jvp" in case.only else outs
    assert [f.dtype for f in found] == [x.dtype for x in here.primals]
    assert [m.dtype for m in moved] == [y.dtype for y in outs]


# At a kink or a tie, where differences find something else than the value that is fixed.
KINKS = {
    *((name, "number") for name in ("maximum", "minimum")),
    *(("clip", "below"), ("max", "ties, all"), ("sort", "ties")),
    ("linalg.cholesky", "of the Hermitian part"),  # one triangle is read
    ("linalg.eigvalsh", "stack, of the Hermitian part"),
}


def differenced(name: str) -> int:
    """Compare all derivatives of an instruction with differences; return how many there are."""
    cases = [c for _, c in ALL if c.name == name and "vjp" in c.only]
    for case in (smooth := [c for c in cases if (name, c.label) not in KINKS]):
        here = Here(case, "numpy")
        with interpreted():
            check_grads(here.fun, *here.primals)
            agree(here.fun, *here.primals, forward="jvp" in case.only)
    return len(smooth)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", sorted(n for n, rule in RULES.items() if rule is not CONSTANT))
def test_each_rule_against_differences(name: str) -> None:
    """Quick, so that no rule is without a test by default."""
    assert differenced(name), f"no case for {name} in tests/transforms/cases_*.py"


@pytest.mark.parametrize("way", ["push", "pull"])
def test_a_rule_that_is_three_times_too_large_is_found(
    monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    (step,) = getattr(RULES["sinh"], way)
    wrong = (step._replace(call=lambda *args: 3 * step.call(*args)),)
    monkeypatch.setitem(RULES, "sinh", RULES["sinh"]._replace(**{way: wrong}))
    with pytest.raises(AssertionError, match="by its derivative|forwards and backwards differ"):
        differenced("sinh")


def test_cells_that_are_left_out_have_a_reason() -> None:
    for _, case in ALL:
        assert set(case.only) <= set(CELLS), _name(case)
        assert set(case.only) == set(CELLS) or case.reason, _name(case)


def test_angles_of_integers_and_bools() -> None:
    """The squares of integers don't fit into integers; bools have no negative."""
    x = np.asarray([1.0, 2.0])
    for other in (np.asarray([100_000, -3], np.int32), np.asarray([True, False])):
        wide = other.astype(float)
        expected = -wide / (wide**2 + x**2)
        np.testing.assert_allclose(grad(lambda x, o=other: np.sum(np.arctan2(o, x)))(x), expected)
        np.testing.assert_allclose(grad(lambda x, o=other: np.sum(np.arctan2(x, o)))(x),
                                   wide / (wide**2 + x**2))  # fmt: skip


@pytest.mark.needs("torch")
def test_tangents_of_signs_keep_the_dtype() -> None:
    import torch

    x = torch.tensor(1.5)
    xp = likewise.array_namespace(x)
    out, along = jvp(lambda x: xp.sum(xp.sign(x)), (x,), (x,))
    assert (out.dtype, along.dtype) == (torch.float32, torch.float32)
