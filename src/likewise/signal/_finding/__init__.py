"""Peaks and extrema."""
