"""Filters along an axis: recursive ones, by rank, by local polynomials; trends."""
