"""Distributions of vectors and matrices."""

from ._covariance import Covariance
from ._dirichlet import dirichlet
from ._groups import (
    ortho_group,
    random_correlation,
    special_ortho_group,
    uniform_direction,
    unitary_group,
)
from ._hypergeometric import multivariate_hypergeom
from ._matrix_normal import matrix_normal
from ._multinomial import multinomial
from ._normal import multivariate_normal
from ._student import multivariate_t
from ._vonmises_fisher import vonmises_fisher
from ._wishart import invwishart, wishart

__all__ = [
    "Covariance",
    "dirichlet",
    "invwishart",
    "matrix_normal",
    "multinomial",
    "multivariate_hypergeom",
    "multivariate_normal",
    "multivariate_t",
    "ortho_group",
    "random_correlation",
    "special_ortho_group",
    "uniform_direction",
    "unitary_group",
    "vonmises_fisher",
    "wishart",
]
