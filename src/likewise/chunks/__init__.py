"""Any function over pieces of arrays and stores that don't fit in memory."""

from ._map_chunks import map_chunks

__all__ = ["map_chunks"]
