"""Iteration: one driver for all solvers; how the steps of one problem are recorded and replayed."""
