"""Programs of the guide to more data than memory."""
