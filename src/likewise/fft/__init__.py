"""Fourier transforms with NumPy's arguments, cosine, sine and Hankel transforms, and lengths."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fht",
    "fhtoffset",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ifht",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "nufft1",
    "nufft2",
    "nufft3",
    "prev_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

if TYPE_CHECKING:
    from ._cosines import dct, dctn, dst, dstn, idct, idctn, idst, idstn
    from ._hankel import fht, fhtoffset, ifht
    from ._hermitian import hfft2, hfftn, ihfft2, ihfftn
    from ._lengths import next_fast_len, prev_fast_len
    from ._nonuniform import nufft1, nufft2, nufft3
    from ._planes import fft2, ifft2, irfft2, rfft2
    from ._transforms import (
        fft,
        fftfreq,
        fftn,
        fftshift,
        hfft,
        ifft,
        ifftn,
        ifftshift,
        ihfft,
        irfft,
        irfftn,
        rfft,
        rfftfreq,
        rfftn,
    )
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_cosines": "dct dctn dst dstn idct idctn idst idstn",
            "_hankel": "fht fhtoffset ifht",
            "_hermitian": "hfft2 hfftn ihfft2 ihfftn",
            "_lengths": "next_fast_len prev_fast_len",
            "_nonuniform": "nufft1 nufft2 nufft3",
            "_planes": "fft2 ifft2 irfft2 rfft2",
            "_transforms": (
                "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft "
                "rfftfreq rfftn"
            ),
        },
    )
