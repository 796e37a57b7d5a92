"""Splines through an image, and their values anywhere."""
