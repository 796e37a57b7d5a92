"""Quicker ways to two results of small-image, for likewise; imports nothing."""
