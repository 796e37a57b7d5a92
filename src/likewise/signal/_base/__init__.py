"""Code that the rooms share: namespaces for design, polynomials, sections, pieces of an array."""
