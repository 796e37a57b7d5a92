"""A plasma equilibrium in closed form, and what a stellarator code does with one.

`equilibrium` has the flux, its field and its exact figures; `coordinates` finds flux coordinates;
`averages` sums over flux surfaces; `fits` fits spectral surfaces within bounds; `fieldline` follows
the field. Each function takes arrays of any library. Lengths in m, fields in T, flux in Wb/rad.
"""
