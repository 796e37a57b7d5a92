"""Tests of every function on every library, against SciPy or a closed form; they run installed."""
