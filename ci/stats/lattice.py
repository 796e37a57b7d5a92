"""Print generators of the lattices of `stats._multivariate._normal_cdf`.

    python ci/stats/lattice.py

One vector for 2**9 to 2**15 points, component by component (J. Dick, F. Y. Kuo, I. H. Sloan, Acta
Numerica 22 (2013) 133-288, sections 5 and 6): of some random odd words the one with the least sum
of logarithms of the squared worst-case errors P2 over all sizes, with weights that fall with the
dimension.
"""

import numpy as np

DIMENSIONS, CANDIDATES = 24, 160
SIZES = range(9, 16)


def kernel(index: np.ndarray, z: int, m: int) -> np.ndarray:
    x = (index * z % (1 << m)) / (1 << m)
    return 2 * np.pi**2 * (x * x - x + 1 / 6)


def main() -> None:
    rng = np.random.default_rng(0)
    points = {m: np.arange(1 << m) for m in SIZES}
    products = {m: np.ones(len(p)) for m, p in points.items()}
    found: list[int] = []
    for d in range(DIMENSIONS):
        weight = 0.8**d
        tried = [1] if d == 0 else [int(z) | 1 for z in rng.integers(1 << 32, size=CANDIDATES)]

        def error(z: int, weight: float = weight) -> float:
            total = 0.0
            for m, p in points.items():
                y = products[m] * (1 + weight * kernel(p, z, m))
                total += float(np.log(np.mean(y) - 1))
            return total

        z = min(tried, key=error)
        for m, p in points.items():
            products[m] *= 1 + weight * kernel(p, z, m)
        found.append(z)
        print(z, flush=True)


if __name__ == "__main__":
    main()
