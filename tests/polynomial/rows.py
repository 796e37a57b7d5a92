"""The families of series, and the names of their functions, which tests walk."""

from typing import Any

import numpy.polynomial as judge

__all__ = ["FAMILIES", "NAMES"]

# Its prefix, class and module in NumPy.
FAMILIES: list[tuple[str, str, Any]] = [
    ("poly", "Polynomial", judge.polynomial),
    ("cheb", "Chebyshev", judge.chebyshev),
    ("leg", "Legendre", judge.legendre),
    ("herm", "Hermite", judge.hermite),
    ("herme", "HermiteE", judge.hermite_e),
    ("lag", "Laguerre", judge.laguerre),
]
NAMES = """
    polyadd polycompanion polyder polydiv polyfit polyfromroots polygrid2d polygrid3d polyint
    polyline polymul polymulx polypow polyroots polysub polytrim polyval polyval2d polyval3d
    polyvander polyvander2d polyvander3d
    chebadd chebcompanion chebder chebdiv chebfit chebfromroots chebgrid2d chebgrid3d chebint
    chebline chebmul chebmulx chebpow chebroots chebsub chebtrim chebval chebval2d chebval3d
    chebvander chebvander2d chebvander3d cheb2poly poly2cheb
    legadd legcompanion legder legdiv legfit legfromroots leggrid2d leggrid3d legint legline
    legmul legmulx legpow legroots legsub legtrim legval legval2d legval3d legvander legvander2d
    legvander3d leg2poly poly2leg
    hermadd hermcompanion hermder hermdiv hermfit hermfromroots hermgrid2d hermgrid3d hermint
    hermline hermmul hermmulx hermpow hermroots hermsub hermtrim hermval hermval2d hermval3d
    hermvander hermvander2d hermvander3d herm2poly poly2herm
    hermeadd hermecompanion hermeder hermediv hermefit hermefromroots hermegrid2d hermegrid3d
    hermeint hermeline hermemul hermemulx hermepow hermeroots hermesub hermetrim hermeval
    hermeval2d hermeval3d hermevander hermevander2d hermevander3d herme2poly poly2herme
    lagadd lagcompanion lagder lagdiv lagfit lagfromroots laggrid2d laggrid3d lagint lagline
    lagmul lagmulx lagpow lagroots lagsub lagtrim lagval lagval2d lagval3d lagvander lagvander2d
    lagvander3d lag2poly poly2lag
""".split()
