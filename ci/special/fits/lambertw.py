"""The branch point of Lambert's W function, and its series there.

``W(z) = mu[0] + mu[1] p + mu[2] p^2 + ...`` with ``p = sqrt(2 (e z + 1))``, by the recurrence of R.
M. Corless, G. H. Gonnet, D. E. G. Hare, D. J. Jeffrey, D. E. Knuth, On the Lambert W function,
Advances in Computational Mathematics 5 (1996), 329: equations 4.22 to 4.24.
"""

import mpmath as mp
import numpy as np

TITLE = "The branch point of Lambert's W function, and series in p = sqrt(2 (e z + 1)) about it"


def branch_series(count):
    mu, alpha = [mp.mpf(-1), mp.mpf(1)], [mp.mpf(2), mp.mpf(-1)]
    for k in range(2, count):
        alpha.append(mp.fsum(mu[j] * mu[k + 1 - j] for j in range(2, k)))
        first = (k - 1) * (mu[k - 2] / 2 + alpha[k - 2] / 4) / (k + 1)
        mu.append(first - alpha[k] / 2 - mu[k - 1] / (k + 1))
    return mu


def exponential(series):
    """exp(-W), from its differential equation."""
    found = [mp.exp(-series[0])]
    for k in range(1, len(series)):
        terms = (j * series[j] * found[k - j] for j in range(1, k + 1))
        found.append(-mp.fsum(terms) / k)
    return found


def in_parts(dtype):
    """The branch point as a number of a dtype and what is left."""
    head = float(np.asarray(-np.exp(-1), dtype))
    return [mp.mpf(head), -mp.exp(-1) - mp.mpf(head)]


SERIES = {
    "POINT_DOUBLE": ("-1/e in two parts", lambda: in_parts("float64")),
    "POINT_SINGLE": ("-1/e in two parts", lambda: in_parts("float32")),
    "BRANCH": (
        "(W + 1) / p; where abs(p) < 0.32, what is left out is below 1e-17",
        lambda: branch_series(25)[1:],
    ),
    "START": (
        "W / z = exp(-W), as Pade's quotient of the series in p",
        lambda: mp.pade(exponential(branch_series(7)), 3, 3),
    ),
}
