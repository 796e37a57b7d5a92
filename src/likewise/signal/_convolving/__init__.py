"""Convolution and correlation of signals, directly and by Fourier transforms; deconvolution."""
