"""array-api-strict: its namespace and hooks in `_library`."""
