"""Every exception and warning that likewise raises on purpose.

::

    LikewiseError
    ├── TransformError        (TypeError)            a step that a transform can't follow
    ├── ArrayTypeError        (TypeError)            not a standard array where one is needed
    │   └── MixedLibrariesError                      arrays of two libraries in one call
    ├── DtypeError            (TypeError,            an array of the wrong kind of dtype
    │                          ValueError)
    ├── ShapeError            (ValueError)           dimensions or sizes that don't fit
    │   └── TooFewDataError   (TypeError)            fewer data than parameters of a fit
    ├── ArgumentError         (ValueError)           an option or a value out of its range
    ├── DeviceError           (ValueError)
    │   ├── MixedDevicesError                        arrays on two devices in one call
    │   └── DeviceNotFound                           a device that isn't there
    ├── LibraryNotInstalled   (ImportError)          the message names the extra to install
    ├── ExtensionMissing      (NotImplementedError)  a namespace without ``fft`` or ``linalg``
    ├── NativeUnavailable     (NotImplementedError)  a routine that was forced and can't run
    ├── ProviderError         (ValueError)           a provider's file or function that is wrong
    ├── ConvergenceError      (RuntimeError)         a problem that wasn't solved, with advice
    ├── LinAlgError           (ValueError)           a singular matrix; on NumPy its own, too
    └── NotSupported          (NotImplementedError)  what this library can't do

    LikewiseWarning           (UserWarning)
    ├── ConvergenceWarning                           some problems of a batch weren't solved
    ├── BadCoefficients                              a filter's numerator that starts with zeros
    ├── DerivativeWarning                            derivatives by differences, unasked for
    ├── DesignWarning         (RuntimeWarning)       a filter that may not be what is meant
    ├── SpectrumWarning                              a spectrum of other segments or sides
    ├── PeakPropertyWarning   (RuntimeWarning)       a peak without prominence or width
    ├── OptimizeWarning                              an option without effect, a start that moved
    ├── LinAlgWarning         (RuntimeWarning)       singular ones of a batch, ill-conditioned ones
    ├── HostCopyWarning                              data went to the host although nobody asked
    └── DeviceFallbackWarning                        the CPU is used in place of a missing device

A message names the function, the argument, what came, what was expected, and what to do.
"""

import sys
from typing import Any

__all__ = [
    "ArgumentError",
    "ArrayTypeError",
    "BadCoefficients",
    "ConvergenceError",
    "ConvergenceWarning",
    "DerivativeWarning",
    "DesignWarning",
    "DeviceError",
    "DeviceFallbackWarning",
    "DeviceNotFound",
    "DtypeError",
    "ExtensionMissing",
    "HostCopyWarning",
    "LibraryNotInstalled",
    "LikewiseError",
    "LikewiseWarning",
    "LinAlgError",
    "LinAlgWarning",
    "MixedDevicesError",
    "MixedLibrariesError",
    "NativeUnavailable",
    "NotSupported",
    "OptimizeWarning",
    "PeakPropertyWarning",
    "ProviderError",
    "ShapeError",
    "SpectrumWarning",
    "TooFewDataError",
    "TransformError",
]


class LikewiseError(Exception):
    """Base class of every error of likewise."""


class TransformError(LikewiseError, TypeError):
    """A step that a transform can't follow, or a function or arguments that don't fit it."""


class ArrayTypeError(LikewiseError, TypeError):
    """Something that is not a standard array stands where one is needed."""


class MixedLibrariesError(ArrayTypeError):
    """One call was given arrays of different libraries."""


class DtypeError(LikewiseError, TypeError, ValueError):
    """An array's dtype is of a kind that the function can't take.

    A ValueError as well, for SciPy raises that where numbers that should be real are complex.
    """


class ShapeError(LikewiseError, ValueError):
    """Numbers of dimensions or sizes don't fit the function or each other."""


class TooFewDataError(ShapeError, TypeError):
    """A fit has fewer data than parameters; a TypeError as well, as SciPy's."""


class ArgumentError(LikewiseError, ValueError):
    """An option isn't one of those offered, or a value is out of its range."""


class DeviceError(LikewiseError, ValueError):
    """Base class of the errors about devices."""


class MixedDevicesError(DeviceError):
    """One call was given arrays on different devices."""


class DeviceNotFound(DeviceError):
    """The device asked for isn't there; the message lists those that are."""


class LibraryNotInstalled(LikewiseError, ImportError):
    """The library asked for isn't installed; the message names the extra to install."""


class ExtensionMissing(LikewiseError, NotImplementedError):
    """The namespace lacks an optional extension that the function can't do without."""


class NativeUnavailable(LikewiseError, NotImplementedError):
    """A native routine was forced, and it can't run on these arguments."""


class ProviderError(LikewiseError, ValueError):
    """A provider's file or function is wrong; the message names the file, and says the mend."""


class NotSupported(LikewiseError, NotImplementedError):
    """The function can't do this on this library; the message says what can."""


class ConvergenceError(LikewiseError, RuntimeError):
    """A problem wasn't solved; the message says why, and what may help."""


class LinAlgError(LikewiseError, ValueError):
    """A matrix is singular, or not positive definite; on NumPy and torch their LinAlgError, too."""


class LikewiseWarning(UserWarning):
    """Base class of every warning of likewise."""


class ConvergenceWarning(LikewiseWarning):
    """Some problems of a batch weren't solved; the message says how many, and where to look."""


class BadCoefficients(LikewiseWarning):
    """A filter's numerator starts with coefficients of zero, or nearly; they are left out."""


class DerivativeWarning(LikewiseWarning):
    """A function can't be followed, so its derivatives are by differences; says what to write."""


class DesignWarning(LikewiseWarning, RuntimeWarning):
    """A filter may not be what is meant, by what it is of; a RuntimeWarning as well, as SciPy's."""


class SpectrumWarning(LikewiseWarning):
    """A spectrum is of shorter segments or more sides than asked, or can't be inverted."""


class PeakPropertyWarning(LikewiseWarning, RuntimeWarning):
    """A peak has no prominence or no width: it isn't one, or the window hides what is around it."""


class OptimizeWarning(LikewiseWarning):
    """An option without effect, a start moved into its bounds, or no estimate of a covariance."""


class LinAlgWarning(LikewiseWarning, RuntimeWarning):
    """Some matrices of a batch are singular, or one is so ill-conditioned that digits are lost."""


class HostCopyWarning(LikewiseWarning):
    """Data was copied to the host although the caller didn't ask for it."""


class DeviceFallbackWarning(LikewiseWarning):
    """The device asked for is missing, and the CPU is used in its place."""


def _level() -> int:
    """Return how many frames up the call into this package was made, for a warning."""
    package = __name__.partition(".")[0]
    level = 1
    frame: Any = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level


def _caller_of(package: str) -> tuple[str, bool]:
    """Return the function of a package of ours that was called, and whether by our own code.

    Our own has an answer to what is an error or a warning to others. The name is empty where no
    frame of the package is on the way, but a routine alone.
    """
    root = __name__.partition(".")[0]
    package = f"{root}.{package}"
    between = (package, f"{root}._libs", f"{root}._native", f"{root}._memo", __name__)
    frame: Any = sys._getframe(1)
    name = module = ""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if not any(module == own or module.startswith(own + ".") for own in between):
            break
        if module.startswith(package):
            name = frame.f_code.co_name
        frame = frame.f_back
    return name, module.partition(".")[0] == root
