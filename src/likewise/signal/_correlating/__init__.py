"""Correlation in time: multiple-tau, two-time."""
