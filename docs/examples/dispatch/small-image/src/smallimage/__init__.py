"""Functions on images of every array library; leading dimensions are many images."""

from . import data, filters, measure, registration

__all__ = ["data", "filters", "measure", "registration"]
