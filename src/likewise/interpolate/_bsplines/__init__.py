"""Splines in the B-spline basis: evaluation, interpolation, least squares, smoothing."""
