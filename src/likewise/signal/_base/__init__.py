"""Parts that the rooms share: where design computes, polynomials, sections, pieces of an array."""
