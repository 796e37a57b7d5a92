"""The transforms against numpy.fft."""

from typing import Any

import numpy as np
import pytest
import scipy.fft

import likewise
from likewise import fft as f
from likewise.errors import ArgumentError, DtypeError, ExtensionMissing, ShapeError
from likewise.testing import check_function

ALONG = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
OVER = ["fftn", "ifftn", "rfftn", "irfftn"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"]
OF_REAL = ("rfft", "rfftn", "rfft2", "ihfft", "ihfftn", "ihfft2")


def drawn(rng: Any, name: str, *shape: int) -> Any:
    x = rng.normal(size=shape)
    return x if name in OF_REAL else x + 1j * rng.normal(size=shape)


def given(lib: Any, x: Any) -> Any:
    """An array in double precision where there is one."""
    if not lib.has_float64:
        x = x.astype("complex64" if x.dtype.kind == "c" else "float32")
    return lib.asarray(x)


def close(lib: Any, got: Any, expected: Any) -> None:
    found = lib.to_numpy(got)
    single = expected.dtype in (np.float32, np.complex64) or not lib.has_float64
    assert found.shape == expected.shape and found.dtype.kind == expected.dtype.kind
    if lib.has_float64:
        assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 if single else 1e-11)


@pytest.mark.parametrize("name", ALONG)
def test_along_an_axis(lib: Any, rng: Any, name: str) -> None:
    x = drawn(rng, name, 3, 6)
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match=f"{name}: needs the array API extension 'fft'"):
            getattr(f, name)(given(lib, x))
        return
    judge = getattr(np.fft, name)
    settings: list[dict[str, Any]] = [{}, {"n": 4, "axis": 0, "norm": "ortho"}]
    if not lib.jit:
        settings += [{"n": 9, "norm": "forward"}, {"n": 5}, {"axis": -2, "norm": "backward"}]
    for options in settings:
        close(lib, getattr(f, name)(given(lib, x), **options), judge(x, **options))
    single = x.astype("float32" if name in OF_REAL else "complex64")
    close(lib, getattr(f, name)(lib.asarray(single)), judge(single))


@pytest.mark.parametrize("name", OVER)
def test_along_axes(lib: Any, rng: Any, name: str) -> None:
    if not lib.has_extensions:
        return
    x, judge = drawn(rng, name, 3, 4, 5), getattr(np.fft, name)
    settings: list[dict[str, Any]] = [{}, {"s": (4, 3), "axes": (2, 0), "norm": "ortho"}]
    if not lib.jit:
        settings += [{"axes": (0, -1)}, {"axes": (1,)}, {"s": (-1, 6), "axes": (0, 1)}]
    for options in settings:
        close(lib, getattr(f, name)(given(lib, x), **options), judge(x, **options))
    if not lib.jit:
        plain = getattr(f, name)(given(lib, x), s=(6, 2))
        close(lib, plain, judge(x, s=(6, 2), axes=(-2, -1)))


@pytest.mark.parametrize("name", [*OVER, *TWO, "hfftn", "ihfftn", "dctn", "dstn"])
def test_lengths_and_axes_in_arrays(rng: Any, name: str) -> None:
    """Sizes and axes may be an array, or one integer for one axis, as in SciPy."""
    x, ours, judge = drawn(rng, name, 3, 4), getattr(f, name), getattr(scipy.fft, name)
    if name.startswith("d"):
        x = x.real
    s, axes = np.asarray([2, 6]), np.asarray([1, 0])
    np.testing.assert_allclose(ours(x, s=s, axes=axes), judge(x, s=s, axes=axes))
    np.testing.assert_allclose(ours(x, s=s), judge(x, s=s))
    np.testing.assert_allclose(ours(x, s=5, axes=0), judge(x, s=5, axes=0))
    with pytest.raises(ArgumentError, match=f"{name}: s must be a positive integer, got 2.5"):
        ours(x, s=np.asarray([2.5, 3.0]))
    if name in OVER:
        shifted = f.fftshift(x, axes=axes)
        np.testing.assert_array_equal(shifted, scipy.fft.fftshift(x, axes=axes))


@pytest.mark.parametrize("name", [*TWO, "hfftn", "ihfftn"])
def test_over_two_axes(lib: Any, rng: Any, name: str) -> None:
    if not lib.has_extensions:
        return
    x, judge = drawn(rng, name, 3, 4, 5), getattr(scipy.fft, name)
    for options in ({}, {"s": (4, 3), "axes": (2, 0), "norm": "ortho"}):
        close(lib, getattr(f, name)(given(lib, x), **options), judge(x, **options))


@pytest.mark.needs("torch")
@pytest.mark.parametrize("name", [*ALONG, *OVER, *TWO, "hfftn", "ihfftn"])
def test_torchs_results_are_no_views_of_conjugates(rng: Any, name: str) -> None:
    import torch

    axes = {} if name in ALONG else {"axes": (0, 1)}
    y = getattr(f, name)(torch.asarray(drawn(rng, name, 3, 4)), **axes)
    assert not y.is_conj()
    y.numpy()


@pytest.mark.parametrize("name", [*ALONG, *OVER, *TWO, "hfftn", "ihfftn", "dct", "dstn"])
def test_scipys_other_arguments(name: str) -> None:
    """What says nothing here is taken in SciPy's places."""
    x = np.asarray([[1.0, 2.0, 4.0], [3.0, -1.0, 0.5]])
    expected = getattr(scipy.fft, name)(x, workers=2, overwrite_x=False)
    np.testing.assert_allclose(getattr(f, name)(x, workers=2, overwrite_x=True), expected)
    if not name.startswith("d"):
        place = ((-2, -1) if name.endswith(("n", "2")) else -1, None, True, 1)
        np.testing.assert_allclose(getattr(f, name)(x, None, *place), expected)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "ihfft", "fftn", "ifftn", "rfftn"])
def test_of_one(lib: Any, name: str) -> None:
    if lib.has_extensions:
        x = np.asarray([[2.5], [-1.0]])
        close(lib, getattr(f, name)(given(lib, x)), getattr(np.fft, name)(x))


@pytest.mark.parametrize("name", ["irfftn", "irfft2", "hfftn", "hfft2"])
def test_half_of_one(lib: Any, name: str) -> None:
    """SciPy makes one sample of one, NumPy nothing."""
    if lib.has_extensions:
        for x in ([[2.5 + 1j]], [[2.5 + 1j], [-1.0 + 0.5j]]):
            z = np.asarray(x)
            close(lib, getattr(f, name)(given(lib, z)), getattr(scipy.fft, name)(z))


def test_other_numbers(lib: Any) -> None:
    """Integers become floating; real numbers do where complex ones are meant."""
    if not lib.has_extensions:
        return
    x = np.asarray([[1, 2, 3], [4, 0, -1]])
    for name in [*ALONG, *OVER] if not lib.jit else ["fft", "irfft", "rfftn"]:
        got = lib.to_numpy(getattr(f, name)(lib.asarray(x, "int32")))
        np.testing.assert_allclose(got, getattr(np.fft, name)(x), atol=1e-5)
        half = lib.asarray(x, "float32")
        single = likewise.to_numpy(getattr(f, name)(half)).dtype
        assert single in (np.float32, np.complex64)


def test_shifts(lib: Any) -> None:
    for x in (np.arange(5), np.arange(12.0).reshape(3, 4) * 1j, np.zeros((0, 3))):
        for axes in (None, 0, (0,)):
            a = given(lib, x) if x.dtype.kind != "i" else lib.asarray(x, "int32")
            for func, judge in ((f.fftshift, np.fft.fftshift), (f.ifftshift, np.fft.ifftshift)):
                np.testing.assert_array_equal(lib.to_numpy(func(a, axes)), judge(x, axes))


def test_frequencies(lib: Any) -> None:
    like = given(lib, np.ones(2))
    for func, judge in ((f.fftfreq, np.fft.fftfreq), (f.rfftfreq, np.fft.rfftfreq)):
        if not lib.has_extensions:
            with pytest.raises(ExtensionMissing, match=f"{func.__name__}: needs"):
                func(4, like=like)
            continue
        for n, d in ((1, 1.0), (4, 0.5), (7, -2)):
            got = func(n, d, like=like)
            assert likewise.library(got) == lib.library and got.dtype == like.dtype
            np.testing.assert_allclose(lib.to_numpy(got), judge(n, d), rtol=1e-6)
            assert likewise.device(got) == likewise.device(like)
        got = func(4, 0.5, xp=lib.xp, device=likewise.device(like))
        assert likewise.library(got) == lib.library
        assert got.dtype == lib.xp.empty(0, device=likewise.device(like)).dtype
        assert likewise.device(got) == likewise.device(like)
        half = func(4, like=lib.asarray(np.ones(2), "float32"))
        assert half.dtype == func(4, dtype=lib.xp.float32, like=like).dtype == lib.xp.float32


@pytest.mark.needs("torch")
def test_frequencies_go_where_creation_goes() -> None:
    import torch

    with likewise.use("torch", dtype="float32"):
        assert f.fftfreq(4).dtype == torch.float32
    assert isinstance(f.rfftfreq(4, namespace="torch"), torch.Tensor)
    assert isinstance(f.rfftfreq(4), np.ndarray)


def test_of_nothing(lib: Any) -> None:
    if not lib.has_extensions:
        return
    for name in [*ALONG, *OVER]:
        func, judge = getattr(f, name), getattr(np.fft, name)
        x = np.zeros((0, 3), dtype="float64" if name in OF_REAL else "complex128")
        extra: dict[str, Any] = {} if name in ALONG else {"axes": (1,)}
        close(lib, func(given(lib, x), **extra), judge(x, **extra))
        with pytest.raises(ShapeError, match=rf"{name}: got 0 elements along axis 0"):
            func(given(lib, x), **({"axis": 0} if name in ALONG else {"axes": (0,)}))
        if name == "fft":
            padded = func(given(lib, x[:, 0]), n=2)
            assert lib.to_numpy(padded).tolist() == [0.0, 0.0]


def test_refuses() -> None:
    x, z = np.ones((3, 4)), np.ones((3, 4)) * 1j
    for name in OF_REAL:
        with pytest.raises(
            DtypeError, match=f"{name}: x must hold real numbers, got .* complex128"
        ):
            getattr(f, name)(z)
    for bad in (0, -1, 2.0, True, "3"):
        with pytest.raises(ArgumentError, match="fft: n must be a positive integer, got"):
            f.fft(x, bad)  # type: ignore[arg-type]
        if bad != -1:
            with pytest.raises(ArgumentError, match="fftn: s must be a positive integer, got"):
                f.fftn(x, (2, bad))  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="fftfreq: n must be a positive integer, got"):
            f.fftfreq(bad)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="fft: norm must be one of .*, got 'x'"):
        f.fft(x, norm="x")
    with pytest.raises(ArgumentError, match=r"fft: axis must be one integer, got \(0, 1\)"):
        f.fft(x, axis=(0, 1))  # type: ignore[arg-type]
    for call in (lambda: f.fft(x, axis=2), lambda: f.fftn(x, axes=(0, 2)), lambda: f.fft(x[0, 0])):
        with pytest.raises(ShapeError):
            call()
    with pytest.raises(ArgumentError, match="fftn: axes must be distinct"):
        f.fftn(x, axes=(0, 0))
    with pytest.raises(ArgumentError, match="fftn: as many sizes as axes were expected, got 1"):
        f.fftn(x, (2,), axes=(0, 1))
    with pytest.raises(ShapeError, match="fftn: got 3 sizes in s for an array of 2 dimensions"):
        f.fftn(x, (2, 2, 2))
    with pytest.raises(ArgumentError, match="rfftn: at least one axis was expected"):
        f.rfftn(x, axes=())
    with pytest.raises(ShapeError, match="irfft: got 1 elements along axis 1, too few"):
        f.irfft(z[:, :1])
    with pytest.raises(ShapeError, match="irfft2: got 0 elements along axis 1, too few"):
        f.irfft2(z[:, :0])
    with pytest.raises(DtypeError, match="ihfft2: x must hold real .* take ifft2"):
        f.ihfft2(z)
    with pytest.raises(ArgumentError, match="fftfreq: give one of xp, namespace and like"):
        f.fftfreq(3, xp=np, like=np.ones(2))
    with pytest.raises(ArgumentError, match="fftfreq: d must be a number that isn't zero, got 0"):
        f.fftfreq(3, 0)


@pytest.mark.full
@pytest.mark.parametrize("name", ["rfft", "irfft"])
def test_everywhere(rng: Any, name: str) -> None:
    func, judge = getattr(f, name), getattr(np.fft, name)
    x = rng.normal(size=(2, 5))
    minimal = {"strict-minimal": "there is no fft"}
    check_function(
        (lambda x: likewise.array_namespace(x).real(func(x))) if name == "rfft" else func,
        x,
        reference=lambda x: judge(x).real,
        eager=minimal,
        name=f"likewise.fft.{name}",
    )
