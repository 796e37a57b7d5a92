"""Knots, values and points: what all interpolants check, and where points lie."""
