"""Resampling by Fourier transforms and by polyphase filters."""
