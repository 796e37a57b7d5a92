"""Interpolation on grids of any number of dimensions."""
