"""Images that are moved or out of focus, and fits that find how.

`scenes` draws pictures whose truth is known; `alignment` finds how an image was turned, scaled and
shifted; `focus` finds discs, their radii and how far they are out of focus. The functions of the
last two take arrays of any library. Lengths are in elements, angles in radians.
"""
