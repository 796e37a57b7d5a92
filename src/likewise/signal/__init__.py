"""Signal processing with SciPy's names and meaning, on every library."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "CZT",
    "PlacedPoles",
    "ShortTimeFFT",
    "StateSpace",
    "TransferFunction",
    "ZerosPolesGain",
    "ZoomFFT",
    "argrelextrema",
    "argrelmax",
    "argrelmin",
    "bessel",
    "bilinear",
    "bilinear_zpk",
    "bode",
    "butter",
    "buttord",
    "cheb1ord",
    "cheb2ord",
    "cheby1",
    "cheby2",
    "check_COLA",
    "check_NOLA",
    "chirp",
    "choose_conv_method",
    "coherence",
    "cont2discrete",
    "convolve",
    "convolve2d",
    "convolve_exponential",
    "convolve_linear",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "csd",
    "czt",
    "czt_points",
    "dbode",
    "decimate",
    "deconvolve",
    "deconvolve_svd",
    "detrend",
    "dfreqresp",
    "dimpulse",
    "dlsim",
    "dlti",
    "dstep",
    "ellip",
    "ellipord",
    "envelope",
    "fftconvolve",
    "filtfilt",
    "find_peaks",
    "find_peaks_cwt",
    "findfreqs",
    "firls",
    "firwin",
    "firwin2",
    "freqresp",
    "freqs",
    "freqs_zpk",
    "freqz",
    "freqz_sos",
    "freqz_zpk",
    "g2_from_twotime",
    "gausspulse",
    "get_window",
    "group_delay",
    "hilbert",
    "hilbert2",
    "iircomb",
    "iirdesign",
    "iirfilter",
    "iirnotch",
    "iirpeak",
    "impulse",
    "istft",
    "kaiser_atten",
    "kaiser_beta",
    "kaiserord",
    "lfilter",
    "lfilter_zi",
    "lfiltic",
    "lombscargle",
    "lp2bp",
    "lp2bp_zpk",
    "lp2bs",
    "lp2bs_zpk",
    "lp2hp",
    "lp2hp_zpk",
    "lp2lp",
    "lp2lp_zpk",
    "lsim",
    "lti",
    "medfilt",
    "medfilt2d",
    "minimum_phase",
    "multitau",
    "normalize",
    "oaconvolve",
    "order_filter",
    "peak_prominences",
    "peak_widths",
    "periodogram",
    "place_poles",
    "remez",
    "resample",
    "resample_poly",
    "savgol_coeffs",
    "savgol_filter",
    "sawtooth",
    "sos2tf",
    "sos2zpk",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "sosfreqz",
    "spectrogram",
    "square",
    "ss2tf",
    "ss2zpk",
    "step",
    "stft",
    "sweep_poly",
    "tf2sos",
    "tf2ss",
    "tf2zpk",
    "twotime",
    "unit_impulse",
    "upfirdn",
    "welch",
    "wiener",
    "zoom_fft",
    "zpk2sos",
    "zpk2ss",
    "zpk2tf",
]

if TYPE_CHECKING:
    from ._convolving._convolution import convolve, correlate, fftconvolve
    from ._convolving._convolution_2d import convolve2d, correlate2d
    from ._convolving._convolution_choice import choose_conv_method, correlation_lags
    from ._convolving._deconvolution import convolve_exponential, convolve_linear, deconvolve_svd
    from ._convolving._overlap_add import oaconvolve
    from ._correlating._frames import g2_from_twotime, multitau, twotime
    from ._design._analog_responses import findfreqs, freqs, freqs_zpk
    from ._design._band_tf import bilinear, lp2bp, lp2bs, lp2hp, lp2lp
    from ._design._band_zpk import bilinear_zpk, lp2bp_zpk, lp2bs_zpk, lp2hp_zpk, lp2lp_zpk
    from ._design._conversions import normalize, sos2tf, sos2zpk, tf2sos, tf2zpk, zpk2sos, zpk2tf
    from ._design._fir import firwin, kaiser_atten, kaiser_beta, kaiserord
    from ._design._fir_bands import firls, firwin2
    from ._design._iir import bessel, butter, cheby1, cheby2, ellip, iirfilter
    from ._design._iir_single import iircomb, iirnotch, iirpeak
    from ._design._minimum_phase import minimum_phase
    from ._design._orders import buttord, cheb1ord, cheb2ord, ellipord, iirdesign
    from ._design._remez import remez
    from ._design._responses import freqz, freqz_sos, freqz_zpk, group_delay, sosfreqz
    from ._design._savgol import savgol_coeffs
    from ._filtering._detrend import detrend
    from ._filtering._filtfilt import filtfilt, sosfiltfilt
    from ._filtering._lfilter import deconvolve, lfilter, lfilter_zi, lfiltic
    from ._filtering._rank_filters import medfilt, medfilt2d, order_filter, wiener
    from ._filtering._savgol_filter import savgol_filter
    from ._filtering._sosfilt import sosfilt, sosfilt_zi
    from ._finding._extrema import argrelextrema, argrelmax, argrelmin
    from ._finding._peaks import find_peaks, peak_prominences, peak_widths
    from ._finding._ridges import find_peaks_cwt
    from ._resampling._decimate import decimate
    from ._resampling._resample import resample, resample_poly
    from ._resampling._upfirdn import upfirdn
    from ._spectra._analytic import hilbert, hilbert2
    from ._spectra._czt import CZT, ZoomFFT, czt, czt_points, zoom_fft
    from ._spectra._envelope import envelope
    from ._spectra._lombscargle import lombscargle
    from ._spectra._short_time_fft import ShortTimeFFT
    from ._spectra._spectra import coherence, csd, periodogram, spectrogram, welch
    from ._spectra._stft import check_COLA, check_NOLA, istft, stft
    from ._systems._discrete import cont2discrete
    from ._systems._place_poles import PlacedPoles, place_poles
    from ._systems._simulation import dimpulse, dlsim, dstep, impulse, lsim, step
    from ._systems._state_space import ss2tf, ss2zpk, tf2ss, zpk2ss
    from ._systems._system_responses import bode, dbode, dfreqresp, freqresp
    from ._systems._systems import StateSpace, TransferFunction, ZerosPolesGain, dlti, lti
    from ._waveforms import chirp, gausspulse, sawtooth, square, sweep_poly, unit_impulse
    from .windows import get_window
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_convolving._convolution": "convolve correlate fftconvolve",
            "_convolving._convolution_2d": "convolve2d correlate2d",
            "_convolving._convolution_choice": "choose_conv_method correlation_lags",
            "_convolving._deconvolution": "convolve_exponential convolve_linear deconvolve_svd",
            "_convolving._overlap_add": "oaconvolve",
            "_correlating._frames": "g2_from_twotime multitau twotime",
            "_design._analog_responses": "findfreqs freqs freqs_zpk",
            "_design._band_tf": "bilinear lp2bp lp2bs lp2hp lp2lp",
            "_design._band_zpk": "bilinear_zpk lp2bp_zpk lp2bs_zpk lp2hp_zpk lp2lp_zpk",
            "_design._conversions": "normalize sos2tf sos2zpk tf2sos tf2zpk zpk2sos zpk2tf",
            "_design._fir": "firwin kaiser_atten kaiser_beta kaiserord",
            "_design._fir_bands": "firls firwin2",
            "_design._iir": "bessel butter cheby1 cheby2 ellip iirfilter",
            "_design._iir_single": "iircomb iirnotch iirpeak",
            "_design._minimum_phase": "minimum_phase",
            "_design._orders": "buttord cheb1ord cheb2ord ellipord iirdesign",
            "_design._remez": "remez",
            "_design._responses": "freqz freqz_sos freqz_zpk group_delay sosfreqz",
            "_design._savgol": "savgol_coeffs",
            "_filtering._detrend": "detrend",
            "_filtering._filtfilt": "filtfilt sosfiltfilt",
            "_filtering._lfilter": "deconvolve lfilter lfilter_zi lfiltic",
            "_filtering._rank_filters": "medfilt medfilt2d order_filter wiener",
            "_filtering._savgol_filter": "savgol_filter",
            "_filtering._sosfilt": "sosfilt sosfilt_zi",
            "_finding._extrema": "argrelextrema argrelmax argrelmin",
            "_finding._peaks": "find_peaks peak_prominences peak_widths",
            "_finding._ridges": "find_peaks_cwt",
            "_resampling._decimate": "decimate",
            "_resampling._resample": "resample resample_poly",
            "_resampling._upfirdn": "upfirdn",
            "_spectra._analytic": "hilbert hilbert2",
            "_spectra._czt": "CZT ZoomFFT czt czt_points zoom_fft",
            "_spectra._envelope": "envelope",
            "_spectra._lombscargle": "lombscargle",
            "_spectra._short_time_fft": "ShortTimeFFT",
            "_spectra._spectra": "coherence csd periodogram spectrogram welch",
            "_spectra._stft": "check_COLA check_NOLA istft stft",
            "_systems._discrete": "cont2discrete",
            "_systems._place_poles": "PlacedPoles place_poles",
            "_systems._simulation": "dimpulse dlsim dstep impulse lsim step",
            "_systems._state_space": "ss2tf ss2zpk tf2ss zpk2ss",
            "_systems._system_responses": "bode dbode dfreqresp freqresp",
            "_systems._systems": "StateSpace TransferFunction ZerosPolesGain dlti lti",
            "_waveforms": "chirp gausspulse sawtooth square sweep_poly unit_impulse",
            "windows": "get_window",
        },
    )
