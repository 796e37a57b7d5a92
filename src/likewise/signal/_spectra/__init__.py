"""Spectra, short-time Fourier transforms, chirp z-transforms, analytic signals."""
