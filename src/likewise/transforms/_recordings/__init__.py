"""Recordings: instructions noted once, made shorter, and replayed."""
