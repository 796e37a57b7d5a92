"""Morphology: erosion and dilation of sets and of grey values, and distances."""
