"""Filters: weighted sums, extremes, ranks and functions of the elements in a window."""
