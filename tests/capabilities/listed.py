"""The functions that the table of what runs where is about."""

import importlib.util
from pathlib import Path
from typing import Any

__all__ = ["WITHOUT", "functions"]

CI = Path(__file__).parents[2] / "ci" / "capabilities.py"
# No call of one kind shows what they do: `tests/random` and `tests/transforms` are about them.
WITHOUT = {
    **{
        f"optimize.{name}": "tests/optimize calls check_function for it"
        for name in (
            *("bracket_minimum", "bracket_root", "curve_fit", "find_root", "fixed_point"),
            *("least_squares", "linear_sum_assignment", "lsq_linear", "minimize"),
            *("minimize_scalar", "nnls", "root", "root_scalar"),
        )
    },
    "signal.choose_conv_method": "it tells a method's name, by sizes and dtypes",
    "random.Generator": "its methods are the functions of random",
    "transforms.jit": "the column jit of every function is its case",
    "transforms.pure_callback": "it copies to the host, as it says",
    **{
        f"signal.{name}": "of numbers, or of values that are read: tests/signal has it in use(library)"
        for name in (
            *("bessel", "bilinear", "buttord", "cheb1ord", "cheb2ord", "cheby1", "cheby2", "ellip"),
            "correlation_lags",
            *("ellipord", "firls", "firwin2", "get_window", "iircomb", "iirdesign", "iirfilter"),
            *("kaiser_atten", "kaiser_beta", "kaiserord", "lp2bp", "lp2bs", "lp2hp", "lp2lp"),
            *("normalize", "remez", "savgol_coeffs", "sos2zpk", "ss2tf", "ss2zpk", "tf2sos"),
            *("tf2ss", "tf2zpk", "zpk2sos", "zpk2ss"),
        )
    },
    **{
        f"signal.{name}": "tests/signal runs it on every library; its case is still to be written"
        for name in (
            *("bilinear_zpk", "butter", "firwin", "freqz", "freqz_sos", "freqz_zpk", "group_delay"),
            *("iirnotch", "iirpeak", "lp2bp_zpk", "lp2bs_zpk", "lp2hp_zpk", "lp2lp_zpk"),
            *("minimum_phase", "sos2tf", "sosfilt", "sosfilt_zi", "sosfreqz", "zpk2tf"),
        )
    },
}


def functions() -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("capabilities", CI)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Any] = module.functions()
    return found
