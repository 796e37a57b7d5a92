"""Piecewise polynomials, and cubic interpolants made of them."""
