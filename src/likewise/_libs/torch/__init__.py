"""PyTorch: its namespace and hooks in `_library`, routines that rows call in `_natives`."""
