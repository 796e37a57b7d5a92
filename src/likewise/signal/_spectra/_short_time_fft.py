"""The short-time Fourier transform with one window, as an immutable tree."""

import math
import operator
from collections.abc import Callable
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ...errors import ArgumentError, ShapeError
from ...fft import fftshift, ifftshift
from ...interop import to_numpy
from ...transforms import register_tree
from .._base._places import complex_of, number, real_of
from ..windows import get_window
from ..windows._get_window import refused
from ._segments import along, detrended, frequencies, overlapped, padded, segments

__all__ = ["ShortTimeFFT"]

FftMode = Literal["twosided", "centered", "onesided", "onesided2X"]
Padding = Literal["zeros", "edge", "even", "odd"]
_MODES = ("twosided", "centered", "onesided", "onesided2X")
_PADDINGS = ("zeros", "edge", "even", "odd")
_NAME = "ShortTimeFFT"


class ShortTimeFFT:
    """Hold a window and its steps for short-time Fourier transforms and their inverse.

    Parameters
    ----------
    win : array, shape (m,)
        The real or complex window.
    hop : int
        The number of samples from one segment to the next.
    fs : float
        The sampling rate.
    fft_mode : {'twosided', 'centered', 'onesided', 'onesided2X'}, optional
        All frequencies, from 0 on ('twosided') or from the lowest ('centered'); only nonnegative
        frequencies ('onesided'); or these with the amplitude or power of both sides, which needs a
        scaling.
    mfft : int, optional
        The length of the transforms, at least m. Default: m.
    dual_win : array, shape (m,), optional
        The window of `istft`. Default: the canonical one.
    scale_to : {'magnitude', 'psd'}, optional
        Whether to scale the window so that a transform is an amplitude, or so that its square is a
        density.
    phase_shift : int or None, optional
        The sample, relative to the window's centre, at which phases are zero. None sets them to
        zero at the start of each segment.

    Raises
    ------
    ArgumentError, ShapeError
        If an argument is invalid, or values are not finite (checked only if available).

    Notes
    -----
    Segment p is centred on the sample ``p hop``; all segments are transformed at once. The object
    is a tree (see `likewise.transforms.register_tree`): its windows are leaves, everything else is
    static, so you can pass it to functions under `jit`, `grad` and `vmap`. Differentiable in
    signals and windows.

    Differs from SciPy: attributes can't be set, and `scale_to` returns a new object; single
    precision stays single; arrays belong to the window's library; a part of a transform (`p0`,
    `p1`) is the same part of the whole transform, whereas SciPy mirrors the part's own samples for
    the paddings 'even' and 'odd'.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import ShortTimeFFT
    >>> s = ShortTimeFFT.from_window("hann", fs=1.0, nperseg=8, noverlap=4)
    >>> x = np.cos(np.arange(40.0) ** 2)
    >>> z = s.stft(x)
    >>> z.shape, bool(np.allclose(s.istft(z, k1=40), x))
    ((5, 11), True)
    """

    def __init__(
        self,
        win: Any,
        hop: int,
        fs: float,
        *,
        fft_mode: FftMode | str = "onesided",
        mfft: int | None = None,
        dual_win: Any = None,
        scale_to: Literal["magnitude", "psd"] | str | None = None,
        phase_shift: int | None = 0,
    ) -> None:
        win = _window("win", win)
        if dual_win is not None:
            dual_win = _window("dual_win", dual_win)
            if dual_win.shape != win.shape:
                raise ShapeError(
                    f"{_NAME}: dual_win must have the shape of win, got {tuple(dual_win.shape)} "
                    f"and {tuple(win.shape)}"
                )
        self._win, self._dual, self._hop = win, dual_win, _integer("hop", hop, 1)
        self._fs = number(_NAME, "fs", fs)
        if not self._fs > 0:
            raise ArgumentError(f"{_NAME}: fs, the sampling rate, must be positive, got {fs!r}")
        self._mfft = win.shape[0] if mfft is None else _integer("mfft", mfft, 1)
        if self._mfft < win.shape[0]:
            raise ArgumentError(
                f"{_NAME}: mfft must be at least the window's length {win.shape[0]}, got {mfft}"
            )
        _plan.choice(_NAME, "fft_mode", fft_mode, _MODES)
        if fft_mode.startswith("onesided") and _plan.is_complex(array_namespace(win), win.dtype):
            raise ArgumentError(f"{_NAME}: the window must be real for fft_mode={fft_mode!r}")
        if fft_mode == "onesided2X" and scale_to is None:
            raise ArgumentError(
                f"{_NAME}: fft_mode='onesided2X' needs scale_to='magnitude' or 'psd', got None"
            )
        self._mode = fft_mode
        self._scaling: str | None = None
        if phase_shift is not None:
            phase_shift = _integer("phase_shift", phase_shift, None)
            if not -self._mfft < phase_shift < self._mfft:
                raise ArgumentError(
                    f"{_NAME}: phase_shift must be less than mfft, got {phase_shift}"
                )
        self._shift = phase_shift
        self._zeros = _zeros(win)
        if scale_to is not None:
            self._scale(scale_to)

    # -- other ways to make one --------------------------------------------------------------------

    @classmethod
    def from_window(
        cls,
        win_param: Any,
        fs: float,
        nperseg: int,
        noverlap: int,
        *,
        symmetric_win: bool = False,
        fft_mode: FftMode | str = "onesided",
        mfft: int | None = None,
        scale_to: str | None = None,
        phase_shift: int | None = 0,
        xp: Any = None,
        device: Any = None,
    ) -> "ShortTimeFFT":
        """Make an object from the name of a window, as in `get_window`."""
        try:
            win = get_window(win_param, nperseg, not symmetric_win, xp=xp, device=device)
        except ArgumentError as error:
            raise refused(_NAME, error) from error
        kwargs: Any = {"mfft": mfft, "scale_to": scale_to, "phase_shift": phase_shift}
        return cls(win, nperseg - noverlap, fs, fft_mode=fft_mode, **kwargs)

    @classmethod
    def from_dual(
        cls,
        dual_win: Any,
        hop: int,
        fs: float,
        *,
        fft_mode: FftMode | str = "onesided",
        mfft: int | None = None,
        scale_to: str | None = None,
        phase_shift: int | None = 0,
    ) -> "ShortTimeFFT":
        """Make an object from the window of `istft`."""
        dual_win = _window("dual_win", dual_win)
        win = _dual(dual_win, _integer("hop", hop, 1))
        kwargs: Any = {"mfft": mfft, "scale_to": scale_to, "phase_shift": phase_shift}
        return cls(win, hop, fs, fft_mode=fft_mode, dual_win=dual_win, **kwargs)

    @classmethod
    def from_win_equals_dual(
        cls,
        desired_win: Any,
        hop: int,
        fs: float,
        *,
        fft_mode: FftMode | str = "onesided",
        mfft: int | None = None,
        scale_to: Literal["magnitude", "psd", "unitary"] | str | None = None,
        phase_shift: int | None = 0,
    ) -> "ShortTimeFFT":
        """Make an object whose windows of `stft` and `istft` are equal up to a factor."""
        win = _window("desired_win", desired_win)
        hop = _integer("hop", hop, 1)
        if hop > win.shape[0]:
            raise ArgumentError(f"{_NAME}: hop must be at most {win.shape[0]}, got {hop}")
        if scale_to is not None:
            _plan.choice(_NAME, "scale_to", scale_to, ("magnitude", "psd", "unitary"))
        xp = array_namespace(win)
        size = xp.sqrt(_periodic(xp, win, hop))
        if is_concrete(win):
            least = _resolution(xp, win) * float(xp.max(xp.abs(win)))
            if not bool(xp.all(size > least)):
                raise ArgumentError(f"{_NAME}: desired_win has no dual window for hop={hop}")
        win = win / size
        unit = math.sqrt(win.shape[0] if mfft is None else mfft) if scale_to == "unitary" else 1.0
        made = cls(
            *(win / unit, hop, fs),
            fft_mode=fft_mode,
            mfft=mfft,
            dual_win=win * unit,
            scale_to=None if scale_to == "unitary" else scale_to,
            phase_shift=phase_shift,
        )
        if scale_to == "unitary":
            made._scaling = scale_to
        return made

    def scale_to(self, scaling: Literal["magnitude", "psd"] | str) -> "ShortTimeFFT":
        """Return an object with its window scaled to amplitudes or to densities."""
        made = _copy(self)
        made._scale(scaling)
        return made

    def _scale(self, scaling: str) -> None:
        _plan.choice(_NAME, "scaling", scaling, ("magnitude", "psd"))
        if scaling != self._scaling:
            by = self.fac_psd if scaling == "psd" else self.fac_magnitude
            self._win = self._win * by
            self._dual = None if self._dual is None else self._dual / by
            self._scaling = scaling

    # -- what it is of -----------------------------------------------------------------------------

    @property
    def win(self) -> Any:
        """The window."""
        return self._win

    @property
    def dual_win(self) -> Any:
        """The window of `istft`: the canonical one, unless you passed another."""
        return _dual(self._win, self._hop) if self._dual is None else self._dual

    @property
    def invertible(self) -> bool:
        """Tell whether there is a dual window."""
        try:
            return bool(self.dual_win.shape[0] > 0)
        except ArgumentError:
            return False

    @property
    def hop(self) -> int:
        """The samples from one segment to the next."""
        return self._hop

    @property
    def fs(self) -> float:
        """The sampling rate."""
        return self._fs

    @property
    def T(self) -> float:
        """The time between samples."""
        return 1 / self._fs

    @property
    def fft_mode(self) -> str:
        """The set of frequencies."""
        return self._mode

    @property
    def mfft(self) -> int:
        """The length of the transforms."""
        return self._mfft

    @property
    def scaling(self) -> str | None:
        """The scaling of the window, if it has one."""
        return self._scaling

    @property
    def phase_shift(self) -> int | None:
        """The sample at which phases are zero."""
        return self._shift

    @property
    def fac_magnitude(self) -> Any:
        """The factor by which the window is scaled to amplitudes."""
        xp = array_namespace(self._win)
        return 1 if self._scaling == "magnitude" else 1 / xp.abs(xp.sum(self._win))

    @property
    def fac_psd(self) -> Any:
        """The factor by which the window is scaled to densities."""
        xp = array_namespace(self._win)
        total = xp.sum(xp.abs(self._win) ** 2)
        return 1 if self._scaling == "psd" else 1 / xp.sqrt(total * self._fs)

    @property
    def onesided_fft(self) -> bool:
        """Tell whether there are only nonnegative frequencies."""
        return self._mode.startswith("onesided")

    @property
    def m_num(self) -> int:
        """The number of samples of the window."""
        return int(self._win.shape[0])

    @property
    def m_num_mid(self) -> int:
        """The index of the window's centre."""
        return self.m_num // 2

    # -- where segments are ------------------------------------------------------------------------

    @property
    def k_min(self) -> int:
        """The first sample of the first segment that overlaps a signal."""
        return self.p_min * self._hop - self.m_num_mid

    @property
    def p_min(self) -> int:
        """The number of the first segment that overlaps a signal."""
        p, reach = 0, self.m_num - self._zeros[1]
        while (p - 1) * self._hop - self.m_num_mid + reach > 0:
            p -= 1
        return p

    def k_max(self, n: int) -> int:
        """Return the first sample after all segments that overlap a signal of `n` samples."""
        return (self.p_max(n) - 1) * self._hop - self.m_num_mid + self.m_num

    def p_max(self, n: int) -> int:
        """Return the number of the last segment that overlaps `n` samples, plus one."""
        q = self._long_enough(n) // self._hop
        while (q + 1) * self._hop - self.m_num_mid + self._zeros[0] < n:
            q += 1
        return q + 1

    def p_num(self, n: int) -> int:
        """Return how many segments overlap a signal of `n` samples."""
        return self.p_max(n) - self.p_min

    def p_range(self, n: int, p0: int | None = None, p1: int | None = None) -> tuple[int, int]:
        """Return the checked numbers of the first segment and of the last plus one."""
        first = self.p_min if p0 is None else p0
        last = self.p_max(n) if p1 is None else p1
        if not self.p_min <= first < last <= self.p_max(n):
            raise ArgumentError(
                f"{_NAME}: p0 < p1 must lie from {self.p_min} to {self.p_max(n)} for {n} samples, "
                f"got {p0} and {p1}"
            )
        return first, last

    @property
    def lower_border_end(self) -> tuple[int, int]:
        """The first sample, and its segment, that samples before a signal don't affect."""
        k0 = self._zeros[0] - self.m_num_mid
        for q, k in enumerate(range(k0, self._hop + 1, self._hop)):
            if k + self._hop >= 0:
                return k + self.m_num, q + 1
        return 0, max(self.p_min, 0)

    def upper_border_begin(self, n: int) -> tuple[int, int]:
        """Return the first sample, and its segment, that samples after a signal affect."""
        q = self._long_enough(n) // self._hop + 1
        while q * self._hop + self.m_num - self.m_num_mid - self._zeros[1] > n and q > 0:
            q -= 1
        return (q + 1) * self._hop - self.m_num_mid, q + 1

    def _long_enough(self, n: int) -> int:
        least = self.m_num - self.m_num_mid
        if n < least:
            raise ShapeError(
                f"{_NAME}: a signal must have half the window's samples, {least}, got {n}"
            )
        return n

    def nearest_k_p(self, k: int, left: bool = True) -> int:
        """Return the centre of a segment at the sample `k`, or the nearest one on a side."""
        return k // self._hop * self._hop if left else -(-k // self._hop) * self._hop

    # -- times and frequencies ---------------------------------------------------------------------

    @property
    def delta_t(self) -> float:
        """The time from one segment to the next."""
        return self.T * self._hop

    @property
    def delta_f(self) -> float:
        """The spacing of frequencies."""
        return self._fs / self._mfft

    @property
    def f_pts(self) -> int:
        """The number of frequencies."""
        return self._mfft // 2 + 1 if self.onesided_fft else self._mfft

    @property
    def f(self) -> Any:
        """The frequencies."""
        xp = array_namespace(self._win)
        f = frequencies(xp, self._win, self._mfft, self._fs, self.onesided_fft)
        return fftshift(f) if self._mode == "centered" else f

    def t(self, n: int, p0: int | None = None, p1: int | None = None, k_offset: int = 0) -> Any:
        """Return the times of the centres of the segments of `n` samples."""
        first, last = self.p_range(_integer("n", n, 1), p0, p1)
        xp = array_namespace(self._win)
        dtype = real_of(xp, self._win.dtype)
        p = xp.arange(first, last, dtype=dtype, device=device(self._win))
        return p * self.delta_t + k_offset * self.T

    def extent(
        self, n: int, axes_seq: Literal["tf", "ft"] | str = "tf", center_bins: bool = False
    ) -> tuple[float, float, float, float]:
        """Return the limits of times and frequencies, for an image plot."""
        _plan.choice(_NAME, "axes_seq", axes_seq, ("tf", "ft"))
        if self._mode == "twosided":
            raise ArgumentError(f"{_NAME}: extent needs another fft_mode, got 'twosided'")
        q0 = 0 if self.onesided_fft else -(self._mfft // 2)
        shift = 0.5 if center_bins else 0.0
        t = tuple(self.delta_t * (p - shift) for p in (self.p_min, self.p_max(n)))
        f = tuple(self.delta_f * (q - shift) for q in (q0, q0 + self.f_pts))
        return (*t, *f) if axes_seq == "tf" else (*f, *t)  # type: ignore[return-value]

    # -- transforms --------------------------------------------------------------------------------

    def stft(
        self,
        x: Any,
        p0: int | None = None,
        p1: int | None = None,
        *,
        k_offset: int = 0,
        padding: Padding | str = "zeros",
        axis: int = -1,
    ) -> Any:
        """Return the transforms of the segments: frequencies in `axis`, segments last."""
        kwargs: Any = {"k_offset": k_offset, "padding": padding, "axis": axis}
        return self.stft_detrend(x, None, p0, p1, **kwargs)

    def stft_detrend(
        self,
        x: Any,
        detr: Callable[[Any], Any] | str | None,
        p0: int | None = None,
        p1: int | None = None,
        *,
        k_offset: int = 0,
        padding: Padding | str = "zeros",
        axis: int = -1,
    ) -> Any:
        """Return the transforms of the detrended segments."""
        _plan.choice(_NAME, "padding", padding, _PADDINGS)
        if not (detr is None or callable(detr) or detr in ("linear", "constant")):
            raise ArgumentError(
                f"{_NAME}: detr must be 'linear', 'constant', a function or None, got {detr!r}"
            )
        xp, x = self._signal("x", x)
        if self.onesided_fft and _plan.is_complex(xp, x.dtype):
            raise ArgumentError(
                f"{_NAME}: x must be real for fft_mode={self._mode!r}, got {x.dtype}. Take "
                "'twosided' or 'centered'."
            )
        place = along(_NAME, axis, x)
        n = self._long_enough(x.shape[place])
        first, last = self.p_range(n, p0, p1)
        start = first * self._hop - self.m_num_mid + k_offset
        stop = start + (last - first - 1) * self._hop + self.m_num
        x = _reaching(xp, xp.moveaxis(x, place, -1), start, stop, padding)
        parts = detrended(xp, segments(xp, x, self.m_num, self._hop), detr)
        out = self._forward(xp, parts * self._conjugate(xp))
        return xp.moveaxis(xp.moveaxis(out, -2, -1), -2, place)

    def spectrogram(
        self,
        x: Any,
        y: Any = None,
        detr: Callable[[Any], Any] | str | None = None,
        *,
        p0: int | None = None,
        p1: int | None = None,
        k_offset: int = 0,
        padding: Padding | str = "zeros",
        axis: int = -1,
    ) -> Any:
        """Return the squared magnitudes of `stft_detrend`, or products with those of `y`."""
        kwargs: Any = {"k_offset": k_offset, "padding": padding, "axis": axis}
        a = self.stft_detrend(x, detr, p0, p1, **kwargs)
        xp = array_namespace(a)
        if y is None or y is x:
            return xp.real(a) ** 2 + xp.imag(a) ** 2
        return a * xp.conj(self.stft_detrend(y, detr, p0, p1, **kwargs))

    def istft(
        self, S: Any, k0: int = 0, k1: int | None = None, *, f_axis: int = -2, t_axis: int = -1
    ) -> Any:
        """Return the samples from `k0` to `k1` of the signal with the given transforms."""
        xp, S = self._signal("S", S)
        f, t = along(_NAME, f_axis, S), along(_NAME, t_axis, S)
        if f == t:
            raise ArgumentError(f"{_NAME}: f_axis and t_axis must differ, got {f_axis}")
        least = self.m_num - self.m_num_mid
        if S.shape[f] != self.f_pts or S.shape[t] < self.p_num(least):
            raise ShapeError(
                f"{_NAME}: S must have {self.f_pts} frequencies and {self.p_num(least)} segments "
                f"or more, got {S.shape[f]} and {S.shape[t]}"
            )
        q_max = S.shape[t] + self.p_min
        k_max = (q_max - 1) * self._hop + least
        k1 = k_max if k1 is None else k1
        if not (self.k_min <= k0 < k1 <= k_max and k1 - k0 >= least):
            raise ArgumentError(
                f"{_NAME}: k0 < k1 must lie from {self.k_min} to {k_max}, at least {least} apart, "
                f"got {k0} and {k1}"
            )
        parts = self._backward(xp, xp.moveaxis(S, (t, f), (-2, -1))) * self.dual_win
        x = overlapped(xp, parts, self._hop)
        start = k0 - (self.p_min * self._hop - self.m_num_mid)
        x = padded(xp, x, 0, max(0, start + k1 - k0 - x.shape[-1]))[..., start : start + k1 - k0]
        return xp.moveaxis(x, -1, f if f < x.ndim else t)

    def _signal(self, name: str, x: Any) -> tuple[Any, Any]:
        xp = array_namespace(x, self._win)
        _plan.extension(_NAME, xp, "fft")
        return xp, _plan.common_floating(_NAME, xp, (name, "win"), x, self._win)[0]

    def _conjugate(self, xp: Any) -> Any:
        complex_ = _plan.is_complex(xp, self._win.dtype)
        return xp.conj(self._win) if complex_ else self._win

    def _turn(self) -> int:
        assert self._shift is not None
        return (self._shift + self.m_num_mid) % self.m_num

    def _forward(self, xp: Any, x: Any) -> Any:
        if self._shift is not None:
            x = xp.roll(padded(xp, x, 0, self._mfft - x.shape[-1]), -self._turn(), axis=-1)
        if self.onesided_fft:
            out = xp.fft.rfft(x, n=self._mfft)
            return out * self._doubled(xp) if self._mode == "onesided2X" else out
        out = xp.fft.fft(xp.astype(x, complex_of(xp, x.dtype)), n=self._mfft)
        return fftshift(out, -1) if self._mode == "centered" else out

    def _backward(self, xp: Any, z: Any) -> Any:
        z = xp.astype(z, complex_of(xp, z.dtype))
        if self._mode == "onesided2X":
            z = z / self._doubled(xp)
        if self.onesided_fft:
            x = xp.fft.irfft(z, n=self._mfft)
        else:
            x = xp.fft.ifft(ifftshift(z, -1) if self._mode == "centered" else z, n=self._mfft)
        x = x if self._shift is None else xp.roll(x, self._turn(), axis=-1)
        return x[..., : self.m_num]

    def _doubled(self, xp: Any) -> Any:
        k = xp.arange(self.f_pts, device=device(self._win))
        inner = xp.astype((k > 0) & (2 * k < self._mfft), real_of(xp, self._win.dtype))
        return 1 + inner * ((math.sqrt(2) if self._scaling == "psd" else 2) - 1)


def _integer(name: str, value: Any, least: int | None) -> int:
    try:
        found = operator.index(value)
    except TypeError as error:
        raise ArgumentError(f"{_NAME}: {name} must be an integer, got {value!r}") from error
    if least is not None and found < least:
        raise ArgumentError(f"{_NAME}: {name} must be at least {least}, got {value!r}")
    return int(found)


def _window(name: str, win: Any) -> Any:
    xp = array_namespace(win)
    (win,) = _plan.common_floating(_NAME, xp, (name,), win)
    if win.ndim != 1 or not win.shape[0]:
        raise ShapeError(
            f"{_NAME}: {name} must have one dimension and elements, got {tuple(win.shape)}"
        )
    if is_concrete(win) and not bool(xp.all(xp.isfinite(win))):
        raise ArgumentError(f"{_NAME}: {name} must be finite, got NaN or infinity")
    return win


def _zeros(win: Any) -> tuple[int, int]:
    """Return how many zeros a window starts and ends with, if its values are available."""
    if not is_concrete(win):
        return 0, 0
    places = to_numpy(win).nonzero()[0]
    n = int(win.shape[0])
    return (int(places[0]), n - 1 - int(places[-1])) if places.shape[0] else (n - 1, 0)


def _resolution(xp: Any, win: Any) -> float:
    return 1e-6 if real_of(xp, win.dtype) == xp.float32 else 1e-15


def _periodic(xp: Any, win: Any, hop: int) -> Any:
    """Return the sums of squares of elements at distances of whole steps."""
    n = win.shape[0]
    square = padded(xp, xp.abs(win) ** 2, 0, -n % hop)
    sums = xp.sum(xp.reshape(square, (-1, hop)), axis=0)
    return xp.tile(sums, (-(-n // hop),))[:n]


def _dual(win: Any, hop: int) -> Any:
    xp = array_namespace(win)
    if hop > win.shape[0]:
        raise ArgumentError(
            f"{_NAME}: hop={hop} is larger than the window of {win.shape[0]} samples, so that the "
            "transform is not invertible"
        )
    sums = _periodic(xp, win, hop)
    if is_concrete(sums) and not bool(xp.all(sums >= _resolution(xp, win) * xp.max(sums))):
        raise ArgumentError(
            f"{_NAME}: the window with hop={hop} leaves samples out: not invertible"
        )
    return win / sums


def _reaching(xp: Any, x: Any, start: int, stop: int, padding: str) -> Any:
    """Return the samples from `start` to `stop`, including padding."""
    n = x.shape[-1]
    if padding == "zeros":
        i, j = min(max(start, 0), n), min(max(stop, 0), n)
        return padded(
            xp, x[..., i:j], min(max(0, -start), stop - start), max(0, stop - max(n, start))
        )
    k = xp.arange(start, stop, device=device(x))
    if padding == "edge" or n == 1:
        return xp.take(x, xp.clip(k, 0, n - 1), axis=-1)
    period, r = 2 * (n - 1), k % (2 * (n - 1))
    mirrored = r > n - 1
    out = xp.take(x, xp.where(mirrored, period - r, r), axis=-1)
    if padding == "even":
        return out
    first, last = x[..., :1], x[..., -1:]
    turns = xp.astype(k // period, real_of(xp, x.dtype))
    return xp.where(mirrored, 2 * last - out, out) + 2 * turns * (last - first)


_FIXED = ("_hop", "_fs", "_mfft", "_mode", "_scaling", "_shift", "_zeros")


def _flatten(s: ShortTimeFFT) -> tuple[tuple[Any, Any], Any]:
    return (s._win, s._dual), tuple(getattr(s, name) for name in _FIXED)


def _unflatten(fixed: Any, leaves: tuple[Any, ...]) -> ShortTimeFFT:
    made = object.__new__(ShortTimeFFT)
    made._win, made._dual = leaves
    for name, value in zip(_FIXED, fixed, strict=True):
        setattr(made, name, value)
    return made


def _copy(s: ShortTimeFFT) -> ShortTimeFFT:
    leaves, fixed = _flatten(s)
    return _unflatten(fixed, leaves)


register_tree(ShortTimeFFT, _flatten, _unflatten)
