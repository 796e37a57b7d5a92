"""Rules of derivatives and of batches, in tables."""
