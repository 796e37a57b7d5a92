"""Sums of products against NumPy's."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import ArgumentError, ArrayTypeError, ShapeError
from likewise.missing import einsum
from likewise.testing import assert_close, check_function

RNG = np.random.default_rng(9)
A, B, C = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 4)), RNG.normal(size=(4, 2))
V, W, S = RNG.normal(size=3), RNG.normal(size=4), RNG.normal(size=(3, 3))
T, U = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 4, 3))

CASES: list[tuple[Any, ...]] = [
    # one operand
    ("ij", A),
    ("ba", A),
    ("ij->ji", A),
    ("ij->", A),
    ("ij->j", A),
    ("ii", S),
    ("ii->i", S),
    ("iij->ji", RNG.normal(size=(2, 2, 3))),
    ("iii->i", RNG.normal(size=(2, 2, 2))),
    ("ijij->", RNG.normal(size=(2, 3, 2, 3))),
    ("...ij->...ji", T),
    ("i...->...", T),
    ("...", T),
    ("", np.asarray(2.0)),
    # two
    ("i,i", V, V),
    ("i,j", V, W),
    ("i,j->ji", V, W),
    ("ij,j->i", A, V),
    ("ij,i->j", A, A[:, 0]),
    ("ij,jk", A, B),
    ("ij,jk->ki", A, B),
    ("ij,kj->ik", A, S),
    (" i j , j k -> i k ", A, B),
    ("ij,ij->", A, A),
    ("ij,ij->ij", A, A),
    ("ij,ij->ji", A, A),
    ("ij,ij->i", A, A),
    ("bij,bjk->bik", T, U),
    ("bij,bjk->kbi", T, U),
    ("ijk,ikj->", T, U),
    ("ijk,ikj->i", T, U),
    ("ijk,jl->kil", T, S),
    ("ijk,jkl->il", T, RNG.normal(size=(3, 4, 2))),
    ("abij,abjk->abik", T[:, None], U[:, None]),
    ("ii,ij->j", S, S),
    ("ii,jj->", S, S),
    ("ij,k->", A, W),
    ("...ij,...jk->...ik", T, U),
    ("...ij,jk", T, C),
    ("...,...", A, V),
    (",ij", np.asarray(3.0), A),
    # sizes of 1
    ("ij,jk", A[:, :1], B),
    ("ij,ij->ij", A, A[:1]),
    ("...i,...i", T, T[:1]),
    ("ii,ij->j", S[:1, :1], S),
    # more
    ("ij,jk,kl", A, B, C),
    ("ij,jk,kl->li", A, B, C),
    ("i,i,i->", V, V, V),
    ("i,j,k->kij", V, W, A[:, 0]),
    ("ij,jk,kl,lm,mn->in", A, B, C, A, B),
    ("...i,ij,...j->...", A, S, A),
    # nothing
    ("ij,jk", A[:, :0], B[:0]),
    ("ij->i", A[:0]),
    ("ij,jk,kl->il", A[:0], B, C),
]
IDS = [f"{i}: {c[0]}" for i, c in enumerate(CASES)]
FORMS = [("ij,jk->ik", A, B), ("bij,bjk->bik", T, U), ("ii->i", S), ("ij,jk,kl->il", A, B, C)]


@pytest.mark.parametrize("case", FORMS, ids=[f[0] for f in FORMS])
def test_everywhere(case: Any) -> None:
    check_function(
        lambda *a: einsum(case[0], *a),
        *case[1:],
        reference=lambda *a: np.einsum(case[0], *a),
        name="likewise.missing.einsum",
    )


@pytest.mark.full
def test_left_to_right_everywhere() -> None:
    """What no library's own routine does."""
    check_function(
        lambda *a: einsum("...ij,jk,kki->...i", *a, optimize=False),
        T.transpose(2, 0, 1),
        B,
        np.stack([C[:, :1] * C.T[:1]] * 2, axis=-1),
        reference=lambda *a: np.einsum("...ij,jk,kki->...i", *a),
        name="likewise.missing.einsum, left to right",
    )


def compare(lib: Any, got: Any, expected: Any) -> None:
    assert_close(got, np.asarray(expected), atol=1e-12 if lib.has_float64 else 1e-5)


@pytest.mark.parametrize("case", CASES, ids=IDS)
@pytest.mark.share(2)
def test_floating(lib: Any, case: Any) -> None:
    terms, arrays = case[0], [lib.asarray(x) for x in case[1:]]
    expected = np.einsum(*case)
    compare(lib, einsum(terms, *arrays), expected)
    compare(lib, einsum(terms, *arrays, optimize=False), expected)


@pytest.mark.parametrize("case", CASES, ids=IDS)
@pytest.mark.share(2)
def test_integers_booleans_complex(lib: Any, case: Any) -> None:
    for change in (
        lambda x: np.rint(3 * x).astype(np.int32),
        lambda x: x > 0,
        lambda x: x + 1j * x**2,
    ):
        found = [np.asarray(change(x)) for x in case[1:]]
        got = einsum(case[0], *[lib.asarray(x) for x in found])
        compare(lib, got, np.einsum(case[0], *found))


def test_native_is_generic(lib: Any) -> None:
    generic = einsum.generic  # type: ignore[attr-defined]
    special = np.asarray([1.0, np.nan, np.inf, -0.0])
    for case in (
        *CASES[4:60:5],
        ("i->", special),
        ("i,i->i", special, special),
        ("i,i->", special, special),
        ("ij,jk->ik", special[:2, None], special[None, :]),
    ):
        arrays = [lib.asarray(x) for x in case[1:]]
        found, expected = einsum(case[0], *arrays), generic(case[0], *arrays)
        assert_close(found, expected, atol=1e-12 if lib.has_float64 else 1e-5)


def test_dtypes(xp: Any) -> None:
    single, ints = xp.asarray(A, dtype=xp.float32), xp.asarray(np.rint(B).astype(np.int8))
    assert einsum("ij,jk", single, single.T).dtype == xp.float32
    assert xp.isdtype(einsum("ij,jk", single, ints).dtype, "real floating")
    assert einsum("ij->", ints).dtype == xp.int8
    assert einsum("ij,ij", ints, ints).dtype == xp.int8
    assert einsum(",ij", 2, ints).dtype == xp.int8
    assert einsum(",ij", 2.0, single).dtype == xp.float32
    assert einsum(",ij->ij", 1j, single).dtype == xp.complex64


def test_sums_of_many_booleans(xp: Any) -> None:
    x = xp.ones(256, dtype=xp.bool)
    assert bool(einsum("i,i", x, x))


def test_lists_of_numbers(xp: Any) -> None:
    a, b, t = xp.asarray(A), xp.asarray(B), xp.asarray(T)
    assert_close(einsum(a, [0, 1], b, [1, 2], [2, 0]), np.einsum(A, [0, 1], B, [1, 2], [2, 0]))
    assert_close(einsum(a, [7, 3]), np.einsum(A, [7, 3]))
    assert_close(einsum(t, [..., 5], [5, ...]), np.einsum(T, [..., 5], [5, ...]))
    many = [xp.asarray(A[:1, :1])] * 60
    args = [x for i, m in enumerate(many) for x in (m, [i, i + 1])]
    assert_close(einsum(*args, [0, 60]), A[:1, :1] ** 60)


def test_orders() -> None:
    expected = A @ B @ C
    for order in (
        True,
        "optimal",
        "dp",
        "auto-hq",
        "branch-2",
        [(1, 2), (0, 1)],
        ["einsum_path", (0, 1), (0, 1)],
        [(0, 1, 2)],
        [(2,), (0, 1), (0, 1)],
    ):
        assert_close(einsum("ij,jk,kl", A, B, C, optimize=order), expected)
    for bad in ("best", 3, [(0, 1)], [(0, 3), (0, 1)], [(0, 0), (0, 1)], [0, 1], None):
        with pytest.raises(ArgumentError, match="einsum: optimize must be"):
            einsum("ij,jk,kl", A, B, C, optimize=bad)


@pytest.mark.parametrize(
    ("error", "match", "args"),
    [
        (ArgumentError, "'ij,jk' names 2 operands, got 1", ("ij,jk", A)),
        (ArgumentError, "at least one operand", ("",)),
        (ArgumentError, "result 'ik' of 'ij->ik' names 'k' which is in no", ("ij->ik", A)),
        (ArgumentError, "names 'i' more than once", ("ij->ii", A)),
        (ArgumentError, "subscripts are letters", ("i1", A)),
        (ArgumentError, "subscripts are letters", ("i..j", A)),
        (ArgumentError, "subscripts are letters", ("ij->i->j", A)),
        (ArgumentError, "2 axes that the result lacks", ("...i->i", T)),
        (ArgumentError, "has 0 subscripts", ("......", A)),
        (ArgumentError, "a list of numbers", (A, [0, -1])),
        (ArgumentError, "a list of numbers", (A, "ij")),
        (ShapeError, "'ijk' of operand 0 has 3 subscripts, but the operand has 2 axes", ("ijk", A)),
        (ShapeError, "'...ijk' of operand 0 has 3 subscripts and one", ("...ijk", A)),
        (ShapeError, "'i' of operand 0 has 1 subscripts, but", ("i", A)),
        (
            ShapeError,
            r"subscript 'j' must have one size \(or 1\), but has 3 in operand 0 and 4 in operand 1",
            ("ij,kj", A, C.T),
        ),
        (ShapeError, "subscript 'i' must have one size", ("ii", A)),
        (ShapeError, "subscript 'i' must have one size", ("ii", A[:1])),
        (ShapeError, "subscript '...' must have one size", ("...,...", A, W)),
        (ShapeError, "subscript '1' must have one size", (A, [0, 1], C.T, [2, 1])),
        (ArrayTypeError, "argument 'operand 1' must be an array", ("i,i", V, None)),
    ],
)
def test_refuses(error: Any, match: str, args: Any) -> None:
    with pytest.raises(error, match=f"einsum: .*{match}" if "least" not in match else match):
        einsum(*args)


def test_what_runs() -> None:
    with likewise.trace_native() as log:
        einsum("ij,ij->", A, A)
        einsum("ij,jk", A, B)
    assert [r.routine for r in log] == ["generic", "numpy:einsum", "generic", "generic"]
