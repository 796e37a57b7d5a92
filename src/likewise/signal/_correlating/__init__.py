"""Correlation in time: multi-tau and two-time."""
