"""Photon correlation: from frames of a detector to the diffusion coefficient of what scattered.

`geometry` gives each pixel its wave vector and its region, and calibrates the beam's centre;
`profiles` averages over regions; `correlation` has g2 of frames on disk and what is read off a
two-time correlation; `relaxation` fits g2 at all q at once; `speckle` makes frames whose answer is
known. Each function takes arrays of any library. Lengths in mm, q in 1/Angstrom, energies in keV.
"""
