"""Interpolation of scattered points."""
