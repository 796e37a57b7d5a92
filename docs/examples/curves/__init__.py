"""Splines, integrals and tables: what the page docs/examples/curves.md uses."""
