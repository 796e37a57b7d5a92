"""Every exception and warning that likewise raises on purpose.

::

    LikewiseError
    ├── TransformError        (TypeError)            a step that a transform can't trace
    ├── ArrayTypeError        (TypeError)            not a standard array where one is needed
    │   └── MixedLibrariesError                      arrays of two libraries in one call
    ├── DtypeError            (TypeError,            an array of the wrong kind of dtype
    │                          ValueError)
    ├── ShapeError            (ValueError)           dimensions or sizes that don't fit
    │   ├── AxisError         (IndexError)           an axis that an array doesn't have
    │   ├── FitShapeError     (TypeError)            points and values that don't fit
    │   └── TooFewDataError   (TypeError)            fewer data than parameters of a fit
    ├── ArgumentError         (ValueError)           an option or a value out of its range
    │   ├── ConstraintError   (KeyError, TypeError)  no constraint, or one without a type
    │   ├── FitError          (RuntimeError)         a fit that has nothing to find
    │   ├── ImageError        (RuntimeError)         an option that doesn't fit an image
    │   └── IntegerError      (TypeError)            a size or a number of times that isn't whole
    ├── DeviceError           (ValueError)
    │   ├── MixedDevicesError                        arrays on two devices in one call
    │   └── DeviceNotFound                           a device that isn't there
    ├── LibraryNotInstalled   (ImportError)          the message names the extra to install
    ├── ExtensionMissing      (NotImplementedError)  a namespace without ``fft`` or ``linalg``
    ├── NativeUnavailable     (NotImplementedError)  a routine that was forced and can't run
    ├── ProviderError         (ValueError)           a provider's file or function that is wrong
    ├── ConvergenceError      (RuntimeError)         a problem that wasn't solved, with advice
    ├── ChunkError            (RuntimeError)         a piece of `map_chunks` that failed
    ├── LinAlgError           (ValueError)           a singular matrix; on NumPy its own, too
    └── NotSupported          (NotImplementedError)  what this library can't do

    LikewiseWarning           (UserWarning)
    ├── ConvergenceWarning    (RuntimeWarning)       some problems weren't solved
    ├── BadCoefficients                              a filter's numerator that starts with zeros
    ├── DerivativeWarning                            finite differences, without a request
    ├── DesignWarning         (RuntimeWarning)       a filter that may not be intended
    ├── SpectrumWarning                              a spectrum of other segments or sides
    ├── PeakPropertyWarning   (RuntimeWarning)       a peak without prominence or width
    ├── OptimizeWarning                              an option without effect, a moved start
    ├── IntegrationWarning                           an integral isn't as accurate as wanted
    ├── LinAlgWarning         (RuntimeWarning)       singular or ill-conditioned matrices
    ├── SmallSampleWarning    (RuntimeWarning)       a sample too small for a statistic: NaN
    ├── DegenerateDataWarning (RuntimeWarning)       data that don't determine a result
    │   ├── ConstantInputWarning                     observations that are all the same
    │   └── NearConstantInputWarning                 observations that are nearly the same
    ├── ChunkWarning                                 items of `map_chunks` that failed
    ├── RechunkWarning                               an axis in chunks that is needed whole
    ├── HostCopyWarning                              data went to the host without a request
    └── DeviceFallbackWarning                        the CPU is used in place of a missing device

A message names the function and the argument, shows the value and the expected one, and says what
to do.
"""

import sys
from typing import Any

__all__ = [
    "ArgumentError",
    "ArrayTypeError",
    "AxisError",
    "BadCoefficients",
    "ChunkError",
    "ChunkWarning",
    "ConstantInputWarning",
    "ConstraintError",
    "ConvergenceError",
    "ConvergenceWarning",
    "DegenerateDataWarning",
    "DerivativeWarning",
    "DesignWarning",
    "DeviceError",
    "DeviceFallbackWarning",
    "DeviceNotFound",
    "DtypeError",
    "ExtensionMissing",
    "FitError",
    "FitShapeError",
    "HostCopyWarning",
    "ImageError",
    "IntegerError",
    "IntegrationWarning",
    "LibraryNotInstalled",
    "LikewiseError",
    "LikewiseWarning",
    "LinAlgError",
    "LinAlgWarning",
    "MixedDevicesError",
    "MixedLibrariesError",
    "NativeUnavailable",
    "NearConstantInputWarning",
    "NotSupported",
    "OptimizeWarning",
    "PeakPropertyWarning",
    "ProviderError",
    "RechunkWarning",
    "ShapeError",
    "SmallSampleWarning",
    "SpectrumWarning",
    "TooFewDataError",
    "TransformError",
]


class LikewiseError(Exception):
    """Base class of every error of likewise."""


class TransformError(LikewiseError, TypeError):
    """A transform can't trace a step, or a function or its arguments don't fit the transform."""


class ArrayTypeError(LikewiseError, TypeError):
    """An argument is not a standard array, where one is needed."""


class MixedLibrariesError(ArrayTypeError):
    """One call was given arrays of different libraries."""


class DtypeError(LikewiseError, TypeError, ValueError):
    """The function doesn't support the dtype of an array.

    Also a ValueError, because SciPy raises that for complex numbers where real ones are needed.
    """


class ShapeError(LikewiseError, ValueError):
    """The shapes of arrays don't fit the function or each other."""


class AxisError(ShapeError, IndexError):
    """An array doesn't have such an axis; also an IndexError, as NumPy's AxisError."""


class TooFewDataError(ShapeError, TypeError):
    """A fit has fewer data than parameters; also a TypeError, as in SciPy."""


class FitShapeError(ShapeError, TypeError):
    """Shapes that don't fit, of a fit or of a system of equations; also a TypeError, as NumPy's."""


class ArgumentError(LikewiseError, ValueError):
    """An option has no such value, or a number is out of its range."""


class ConstraintError(ArgumentError, KeyError, TypeError):
    """A constraint has no type, or isn't one; also a KeyError and a TypeError, as in SciPy."""

    __str__ = Exception.__str__  # without the quotes of a KeyError


class FitError(ArgumentError, RuntimeError):
    """A fit of fixed parameters only, or of data that no support holds; also a RuntimeError."""


class ImageError(ArgumentError, RuntimeError):
    """An option doesn't fit an image; also a RuntimeError, as in scipy.ndimage."""


class IntegerError(ArgumentError, TypeError):
    """A size, an order or a number of times isn't an integer; also a TypeError, as in SciPy."""


class DeviceError(LikewiseError, ValueError):
    """Base class of the errors about devices."""


class MixedDevicesError(DeviceError):
    """One call was given arrays on different devices."""


class DeviceNotFound(DeviceError):
    """The requested device doesn't exist; the message lists the available ones."""


class LibraryNotInstalled(LikewiseError, ImportError):
    """The requested library isn't installed; the message names the extra to install."""


class ExtensionMissing(LikewiseError, NotImplementedError):
    """The namespace lacks an optional extension that the function needs."""


class NativeUnavailable(LikewiseError, NotImplementedError):
    """A native routine was forced, and it can't run on these arguments."""


class ProviderError(LikewiseError, ValueError):
    """A provider's file or function is wrong; the message names the file and the remedy."""


class NotSupported(LikewiseError, NotImplementedError):
    """The function doesn't support this on this library; the message names an alternative."""


class ConvergenceError(LikewiseError, RuntimeError):
    """A problem wasn't solved; the message says why, and what may help."""


class ChunkError(LikewiseError, RuntimeError):
    """A piece of `map_chunks` failed; `index`, `start` and `stop` say which items it has.

    The function's own error is its cause.
    """

    def __init__(self, message: str, index: int, start: int, stop: int) -> None:
        super().__init__(message, index, start, stop)
        self.index, self.start, self.stop = index, start, stop

    def __str__(self) -> str:
        return str(self.args[0])


class LinAlgError(LikewiseError, ValueError):
    """A matrix is singular or not positive definite; also NumPy's or torch's LinAlgError there."""


class LikewiseWarning(UserWarning):
    """Base class of every warning of likewise."""


class ConvergenceWarning(LikewiseWarning, RuntimeWarning):
    """Some problems weren't solved; the message says which, or what to change."""


class BadCoefficients(LikewiseWarning):
    """A filter's numerator starts with (nearly) zero coefficients, which are removed."""


class DerivativeWarning(LikewiseWarning):
    """A function can't be traced, so finite differences are used; says what to write."""


class DesignWarning(LikewiseWarning, RuntimeWarning):
    """A filter's arguments give a design that may not be intended; also a RuntimeWarning."""


class SpectrumWarning(LikewiseWarning):
    """A spectrum has shorter segments or more sides than requested, or can't be inverted."""


class PeakPropertyWarning(LikewiseWarning, RuntimeWarning):
    """A peak has no prominence or width: it is no peak, or the window hides its surroundings."""


class OptimizeWarning(LikewiseWarning):
    """An option has no effect, a start was moved into bounds, or a covariance isn't estimated."""


class IntegrationWarning(LikewiseWarning):
    """An integral was not found to the tolerance, or doesn't exist; the message says why."""


class LinAlgWarning(LikewiseWarning, RuntimeWarning):
    """Some matrices of a batch are singular, or one is so ill-conditioned that digits are lost."""


class SmallSampleWarning(LikewiseWarning, RuntimeWarning):
    """A sample is empty, or has fewer observations than a statistic needs: its result is NaN."""


class DegenerateDataWarning(LikewiseWarning, RuntimeWarning):
    """The data don't determine a result, which is NaN or at the end of its range."""


class ConstantInputWarning(DegenerateDataWarning):
    """All observations of a sample are the same, so that a statistic isn't defined: NaN."""


class NearConstantInputWarning(DegenerateDataWarning):
    """The observations of a sample differ so little that a statistic may have no right digit."""


class ChunkWarning(LikewiseWarning):
    """Some items of `map_chunks` failed and are NaN; the message says how many, and the first."""


class RechunkWarning(LikewiseWarning):
    """Dask's chunks along an axis were merged, as a function needs it whole; tells the cost.

    Not given where the largest chunk grows by a quarter at most, as by the edges of padding.
    """


class HostCopyWarning(LikewiseWarning):
    """Data was copied to the host without a request by the caller."""


class DeviceFallbackWarning(LikewiseWarning):
    """The requested device is missing, and the CPU is used in its place."""


def _level() -> int:
    """Return how many frames up this package was called, for a warning."""
    package = __name__.partition(".")[0]
    level = 1
    frame: Any = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level


def _called() -> str:
    """Return the function of this package that was called from outside."""
    package = __name__.partition(".")[0]
    name = inner = ""
    frame: Any = sys._getframe(1)
    while frame is not None:
        root, _, rest = str(frame.f_globals.get("__name__", "")).partition(".")
        if root != package:
            break
        inner = frame.f_code.co_name
        if rest.partition(".")[0] not in ("_libs", "_native", "_memo", "errors"):
            name = inner
        frame = frame.f_back
    return (name or inner).lstrip("_")


def _caller_of(package: str) -> tuple[str, bool]:
    """Return the called function of a subpackage, and whether our own code called it.

    Our own code handles results that are errors or warnings for users. The name is empty if no
    frame of the package is in the stack.
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
