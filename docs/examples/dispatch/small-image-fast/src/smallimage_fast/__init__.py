"""Faster routines for two functions of small-image; imports nothing."""
