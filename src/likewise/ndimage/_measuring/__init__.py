"""Labels of objects, and measurements of them."""
