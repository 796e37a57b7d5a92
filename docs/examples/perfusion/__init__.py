"""Maps from perfusion MRI: an example of a small package that is written on likewise.

Every function takes arrays of any library and returns arrays of that library, on their device.
"""
