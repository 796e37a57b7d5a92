"""Convolves long signals with short kernels in blocks, for likewise; imports nothing."""
