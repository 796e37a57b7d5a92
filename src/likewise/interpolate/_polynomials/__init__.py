"""Polynomials through points."""
