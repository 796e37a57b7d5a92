"""The stellarator example against closed forms, elliptic integrals and SciPy's solver."""

from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.special
from stellarator import averages, balance, coordinates, equilibrium, fieldline, fits, plain
from stellarator.equilibrium import Solovev

import likewise
from likewise import array_namespace, compile_log, grad, jacfwd, jit, vmap

EQ = Solovev()
S = np.asarray([0.2, 0.5, 0.8])
THETA = np.asarray([0.3, 1.2, 2.6])
RNG = np.random.default_rng(7)

CHOICES = {"dask": "a lazy array's values can't choose a branch or end a loop: NotSupported"}


def near(lib: Any, got: Any, expected: Any, rtol: float = 1e-10, loose: float = 2e-5) -> None:
    """Same dtype kind and shape, and the value to 1e-10, in float32 to what its digits allow."""
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    tolerance = rtol if lib.has_float64 else loose
    np.testing.assert_allclose(
        out, expected, rtol=tolerance, atol=tolerance * np.max(np.abs(expected))
    )


def turned(s: Any) -> tuple[Any, Any]:
    """k and m of the integrals of powers of 1 + k cos(theta)."""
    k = 2 * s * EQ.a / EQ.R0
    return k, 2 * k / (1 + k)


def pest_angle(s: Any, theta: Any) -> Any:
    """The straight-field-line angle for theta in [0, pi], by incomplete elliptic integrals."""
    _, m = turned(s)
    half = theta / 2
    root = np.sqrt(1 - m * np.sin(half) ** 2)
    part = scipy.special.ellipeinc(half, m) - m * np.sin(half) * np.cos(half) / root
    return np.pi * part / scipy.special.ellipe(m)


def density(theta: float, k: float) -> float:
    """d angle / d theta of the straight-field-line angle, up to a factor."""
    return float((1 + k * np.cos(theta)) ** -1.5)


def density_by_k(theta: float, k: float) -> float:
    return float(-1.5 * np.cos(theta) * (1 + k * np.cos(theta)) ** -2.5)


def of(lib: Any, *arrays: Any) -> Any:
    made = tuple(lib.asarray(np.asarray(x)) for x in arrays)
    return made if len(made) > 1 else made[0]


# -- the equilibrium -------------------------------------------------------------------------------


def test_grad_and_shafranov(lib: Any) -> None:
    """R d/dR (1/R dpsi/dR) + d2psi/dZ2 = -mu0 R^2 dp/dpsi, both from derivatives by likewise."""
    s, theta = of(lib, S, THETA)
    R, Z = equilibrium.surface(EQ, s, theta)
    by_s = grad(lambda s: array_namespace(s).sum(equilibrium.pressure(EQ, s)))(s)
    by_flux = by_s / (2 * s * equilibrium.edge_flux(EQ))
    expected = -equilibrium.MU0 * lib.to_numpy(by_flux) * lib.to_numpy(R) ** 2
    near(lib, equilibrium.source(EQ, R, Z), expected)
    near(lib, equilibrium.flux(EQ, R, Z), S**2 * EQ.kappa * EQ.B0 * EQ.a**2 / (2 * EQ.q0))


def test_safety_factor(lib: Any) -> None:
    means = [
        scipy.integrate.quad(density, 0, np.pi, args=(k,), epsabs=1e-13)[0] for k in turned(S)[0]
    ]
    near(lib, equilibrium.safety_factor(EQ, of(lib, S)), EQ.q0 * np.asarray(means) / np.pi)


# -- coordinates -----------------------------------------------------------------------------------


@pytest.mark.xp_skip(CHOICES)
def test_densities_of_angles(lib: Any) -> None:
    s, theta = of(lib, S, THETA)
    R = np.sqrt(EQ.R0**2 + 2 * EQ.a * EQ.R0 * S * np.cos(THETA))
    Z = EQ.kappa * EQ.a * EQ.R0 * S * np.sin(THETA) / R
    scale = EQ.B0 / (2 * EQ.R0**2 * EQ.kappa * EQ.q0)
    by_R = scale * (2 * R * Z**2 + EQ.kappa**2 * R * (R**2 - EQ.R0**2))
    by_Z = scale * 2 * R**2 * Z
    slope = np.hypot(by_R, by_Z)
    expected = [R**-3, 1 / R, ((EQ.R0 * EQ.B0) ** 2 + slope**2) / R**3, slope / R**2]
    for kind, values in enumerate(expected):
        near(lib, coordinates.angle_density(EQ, s, theta, kind), values)
    kinds = lib.xp.asarray([0, 3])
    both = vmap(lambda kind: coordinates.angle_density(EQ, s, theta, kind))(kinds)
    near(lib, both, np.stack([expected[0], expected[3]]))


def test_modes_need_nodes() -> None:
    """16 nodes tell no more than 7 modes apart."""
    near_all = coordinates.angle_modes(EQ, S, 7, nodes=128)
    np.testing.assert_allclose(coordinates.angle_modes(EQ, S, 7, nodes=64), near_all, atol=1e-9)
    for modes in (8, 20):
        with pytest.raises(ValueError, match=f"{modes} modes need more than {2 * modes} nodes"):
            coordinates.angle_modes(EQ, S, modes, nodes=16)


@pytest.mark.xp_skip(CHOICES)
def test_roots_for_the_straight_angle(lib: Any) -> None:
    """The root, and its derivatives by the implicit function theorem, on three surfaces at once."""
    modes = 24
    amplitudes = coordinates.angle_modes(EQ, of(lib, S), modes)[..., None]
    angle = of(lib, pest_angle(S[:, None], THETA + 0.2))
    found = coordinates.theta_at(angle, amplitudes)
    assert bool(lib.xp.all(found.success))
    theta = np.broadcast_to(THETA + 0.2, (3, 3))
    near(lib, found.x, theta)
    cotangent = RNG.normal(size=(3, 3))

    def total(angle: Any, amplitudes: Any) -> Any:
        x = coordinates.theta_at(angle, amplitudes).x
        return array_namespace(x).sum(x * of(lib, cotangent))

    by_angle, by_modes = grad(total, argnums=(0, 1))(angle, amplitudes)
    order = np.arange(1, modes + 1)[:, None, None]
    a = lib.to_numpy(amplitudes)
    steepness = 1 + np.sum(order * a * np.cos(order * theta), axis=0)
    near(lib, by_angle, cotangent / steepness, loose=1e-3)
    each = -np.sin(order * theta) * cotangent / steepness
    near(lib, by_modes, each.sum(axis=-1, keepdims=True), loose=1e-3)


@pytest.mark.xp_skip(CHOICES)
def test_roots_move_with_the_equilibrium(lib: Any) -> None:
    """d theta / d a at a fixed angle, through the switch, the sums and the root."""
    angle = of(lib, pest_angle(S, THETA))

    def theta(a: Any) -> Any:
        modes = coordinates.angle_modes(EQ._replace(a=a), of(lib, S), 24, nodes=64)
        return coordinates.theta_at(angle, modes).x

    got = jacfwd(theta)(of(lib, EQ.a))
    expected = []
    for s, end in zip(S, THETA, strict=True):
        k, per = 2 * s * EQ.a / EQ.R0, 2 * s / EQ.R0
        whole, part, whole_k, part_k = (
            scipy.integrate.quad(f, 0, x, args=(k,), epsabs=1e-13)[0]
            for f in (density, density_by_k)
            for x in (np.pi, end)
        )
        slope = (part_k * whole - part * whole_k) / whole  # of part / whole, times whole
        expected.append(-slope * per / density(end, k))
    near(lib, got, expected, loose=1e-3)


@pytest.mark.xp_skip(CHOICES)
def test_flux_coordinates(lib: Any) -> None:
    """n problems of three unknowns, and their derivatives by the points."""
    exact = np.stack([S, [0.4, -2.5, 3.0], [0.1, 2.0, -1.3]], axis=-1)
    points = coordinates.position(EQ, of(lib, exact))
    found = coordinates.flux_coordinates(EQ, points)
    assert bool(lib.xp.all(found.success))
    near(lib, found.x, exact)
    cotangent = RNG.normal(size=(3, 3))

    def total(points: Any) -> Any:
        x = coordinates.flux_coordinates(EQ, points).x
        return array_namespace(x).sum(x * of(lib, cotangent))

    near(lib, grad(total)(points), pulled(lib.to_numpy(points), cotangent), loose=1e-3)


def pulled(points: Any, cotangent: Any) -> Any:
    """Cotangents of x, y, z from those of s, theta, phi, by the chain rule on paper."""
    x, y, z = points.T
    R = np.hypot(x, y)
    u, v, scale = (R**2 - EQ.R0**2) / 2, R * z / EQ.kappa, EQ.a * EQ.R0
    rho = np.hypot(u, v)
    on_s, on_theta, on_phi = cotangent.T
    on_u = on_s * u / (rho * scale) - on_theta * v / rho**2
    on_v = on_s * v / (rho * scale) + on_theta * u / rho**2
    on_R = on_u * R + on_v * z / EQ.kappa
    by_x = on_R * x / R - on_phi * y / R**2
    by_y = on_R * y / R + on_phi * x / R**2
    return np.stack([by_x, by_y, on_v * R / EQ.kappa], axis=-1)


# -- averages --------------------------------------------------------------------------------------


def test_surface_averages(lib: Any) -> None:
    """Against complete elliptic integrals; the nodes are in no order, and one surface is the axis."""
    s = np.concatenate([[0.0], S])
    grid = averages.Grid.regular(of(lib, s), 64)
    order = lib.xp.asarray(RNG.permutation(4 * 64))
    shuffled = grid._replace(
        theta=lib.xp.take(grid.theta, order), label=lib.xp.take(grid.label, order)
    )
    k, m = turned(s)
    K, E = scipy.special.ellipk(m), scipy.special.ellipe(m)
    R, _ = equilibrium.surface(EQ, lib.xp.take(grid.s, shuffled.label), shuffled.theta)
    squared = averages.surface_averages(EQ, shuffled, R**2, EQ.R0**2)
    near(lib, squared, EQ.R0**2 * (1 + k) * E / K)
    inverse = averages.surface_averages(EQ, shuffled, R**-2, EQ.R0**-2)
    near(lib, inverse, E / (EQ.R0**2 * (1 - k) * K))
    slope = 8 * np.pi * EQ.kappa * EQ.a**2 * EQ.R0 * s * K / np.sqrt(1 + k)
    near(lib, averages.volume_slope(EQ, shuffled), slope)
    q = EQ.q0 * 2 / np.pi * E / ((1 - k) * np.sqrt(1 + k))
    near(lib, averages.safety_factor_by_average(EQ, shuffled), q)


def test_gradient_of_averages(lib: Any) -> None:
    """The weight of a node is 1 / R; the surface without volume has derivatives, too, and no NaN."""
    s = np.concatenate([[0.0], S])
    grid = averages.Grid.regular(of(lib, s), 16)
    values, cotangent = RNG.normal(size=64), RNG.normal(size=4)

    def total(values: Any) -> Any:
        mean = averages.surface_averages(EQ, grid, values, 0.0)
        return array_namespace(mean).sum(mean * of(lib, cotangent))

    angles = np.arange(16) * np.pi / 8
    weight = 1 / np.sqrt(1 + turned(s)[0][:, None] * np.cos(angles))
    expected = cotangent[:, None] * weight / weight.sum(axis=1, keepdims=True)
    expected[0] = 0.0
    near(lib, grad(total)(of(lib, values)), np.reshape(expected, -1))


def test_gradient_by_the_equilibrium(lib: Any) -> None:
    """q on one surface and the axis, by the five numbers: the equilibrium is a tree of arrays."""
    grid = averages.Grid.regular(of(lib, [0.0, 0.5]), 48)
    eq = Solovev(*of(lib, *EQ))

    def total(eq: Any) -> Any:
        q = averages.safety_factor_by_average(eq, grid)
        return array_namespace(q).sum(q)

    slopes = grad(total)(eq)
    k = 2 * 0.5 * EQ.a / EQ.R0
    mean, by_k = (
        scipy.integrate.quad(f, 0, np.pi, args=(k,), epsabs=1e-13)[0] / np.pi
        for f in (density, density_by_k)
    )
    by_a = EQ.q0 * by_k * k / EQ.a
    expected = [-by_a * EQ.a / EQ.R0, by_a, 0.0, 0.0, 1 + mean]
    near(lib, lib.xp.stack(list(slopes)), expected)


# -- fits ------------------------------------------------------------------------------------------


def nodes() -> tuple[Any, Any]:
    s, theta = np.meshgrid((np.arange(5) + 0.5) / 5, np.arange(9) * (2 * np.pi / 9), indexing="ij")
    return np.reshape(s, -1), np.reshape(theta, -1)


def test_basis() -> None:
    s, theta = nodes()
    even, odd = fits.basis(12, s, theta)
    for k, (degree, m) in enumerate(fits.orders(12, 0)):
        jacobi = scipy.special.eval_jacobi((degree - m) // 2, 0, m, 2 * s**2 - 1)
        np.testing.assert_allclose(even[:, k], s**m * jacobi * np.cos(m * theta), atol=1e-14)
    for k, (degree, m) in enumerate(fits.orders(12, 1)):
        jacobi = scipy.special.eval_jacobi((degree - m) // 2, 0, m, 2 * s**2 - 1)
        np.testing.assert_allclose(odd[:, k], s**m * jacobi * np.sin(m * theta), atol=1e-14)


@pytest.mark.parametrize("chunk", [1, 7, None])
def test_jacobian_by_chunks(lib: Any, chunk: int | None) -> None:
    s, theta = nodes()
    c = lib.to_numpy(fits.ellipses(EQ, of(lib, s), 10)) + 0.01 * RNG.normal(size=20)
    got = jacfwd(fits.misfit(EQ, *of(lib, s, theta), 10), chunk_size=chunk)(of(lib, c))
    near(lib, got, by_hand(c, 10))


def test_volume_of_ellipses(lib: Any) -> None:
    """dV/ds of a torus of ellipses is 4 pi^2 R0 a b s, b = kappa a; and its derivatives by R0, a, b."""
    s = of(lib, S)
    slopes = fits.volume_slopes(averages.Grid.regular(s, 16), 5)
    c = fits.ellipses(EQ, s, 5)
    b = EQ.kappa * EQ.a
    near(lib, slopes(c), 4 * np.pi**2 * EQ.R0 * EQ.a * b * S)
    got = jacfwd(slopes, chunk_size=3)(c)
    expected = 4 * np.pi**2 * S[:, None] * np.asarray([EQ.a * b, EQ.R0 * b, EQ.R0 * EQ.a])
    near(lib, lib.xp.stack([got[:, 0], got[:, 1], got[:, 5]], axis=-1), expected)


def by_hand(c: Any, count: int) -> Any:
    """The Jacobian of the misfit on paper."""
    even, odd = fits.basis(count, *nodes())
    R, Z = even @ c[:count], odd @ c[count:]
    scale = EQ.a * EQ.R0
    upper = np.concatenate([R[:, None] * even / scale, 0 * odd], axis=1)
    lower = np.concatenate([Z[:, None] * even, R[:, None] * odd], axis=1) / (EQ.kappa * scale)
    return np.concatenate([upper, lower])


@pytest.mark.xp_skip(CHOICES)
def test_fit_within_bounds(lib: Any) -> None:
    """A tenth of the bounds is active; the reference is SciPy's root of the gradient in the others."""
    s, theta = nodes()
    start = lib.to_numpy(fits.ellipses(EQ, of(lib, s), 5)).astype("float64")
    low, high = np.full(10, -np.inf), np.full(10, np.inf)
    high[1], low[6] = 0.9, -1.0  # the minor radius is 1; the other is far away
    active = np.asarray([1])
    start[1] = 0.5
    found = fits.fit(EQ, *of(lib, s, theta, start), bounds=of(lib, low, high))
    assert bool(found.success)
    mask = lib.to_numpy(found.active_mask)
    np.testing.assert_array_equal(np.flatnonzero(mask), active)
    free = np.setdiff1d(np.arange(10), active)
    best = np.where(mask > 0, high, np.where(mask < 0, low, 0.0))
    residuals = fits.misfit(EQ, s, theta, 5)

    def slopes(c: Any) -> Any:
        full = best.copy()
        full[free] = c
        return by_hand(full, 5)[:, free].T @ residuals(full)

    near_best = scipy.optimize.least_squares(
        lambda c: residuals(np.insert(c, 1, best[1])), start[free]
    )
    reference = scipy.optimize.root(slopes, near_best.x, tol=1e-15)
    assert np.max(np.abs(reference.fun)) < 1e-13
    best[free] = reference.x
    near(lib, found.x, best, loose=1e-4)
    near(lib, found.cost, np.sum(residuals(best) ** 2) / 2, loose=1e-4)
    outward = by_hand(best, 5)[:, active].T @ residuals(best) * mask[active]
    assert np.all(outward < 0)  # downhill is out of the bounds


# -- field lines -----------------------------------------------------------------------------------


@pytest.mark.xp_skip({"dask": "hundreds of steps are a graph that takes minutes"})
def test_field_lines(lib: Any) -> None:
    """The toroidal angle to a place on the same surface is q times that of the straight angle."""
    s, end = S[:2], THETA[:1]
    turn = equilibrium.safety_factor(EQ, s) * pest_angle(s, end)
    R, Z = equilibrium.surface(EQ, *of(lib, s, 0 * s))
    R_end, Z_end = equilibrium.surface(EQ, s, end)
    path = fieldline.follow(EQ, R, Z, of(lib, turn), 150)
    near(lib, path[0][-1, :], R_end)
    near(lib, path[1][-1, :], Z_end)


@pytest.mark.xp_skip(CHOICES)
def test_lines_that_leave_their_surface_are_followed_again(lib: Any) -> None:
    R, Z = equilibrium.surface(EQ, *of(lib, S, 0 * S))
    again = fieldline.arrive(EQ, R, Z, 1.0, 4, drift=1e-9 if lib.has_float64 else 0.0)
    for got, path in zip(again, fieldline.follow(EQ, R, Z, 1.0, 32), strict=True):
        near(lib, got, lib.to_numpy(path)[-1])
    once = fieldline.arrive(EQ, R, Z, 1.0, 4, drift=1.0)
    for got, path in zip(once, fieldline.follow(EQ, R, Z, 1.0, 4), strict=True):
        near(lib, got, lib.to_numpy(path)[-1])


# -- an equilibrium that is solved -----------------------------------------------------------------

DEGREE = 6


@pytest.mark.xp_skip(
    CHOICES | {"strict-minimal": "has no extension linalg, which null_space needs"}
)
@pytest.mark.long("jax-jit")
def test_the_balance_of_another_program(lib: Any) -> None:
    """The same coefficients as NumPy's and SciPy's program, whose derivatives are by hand."""
    eq = Solovev(*of(lib, *EQ))
    shapes = balance.space(DEGREE, eq.R0[None])
    edge = balance.boundary(EQ, lib.to_numpy(shapes.theta))
    shares = 0.0, 0.5, 1.0
    start = None
    for share, expected in zip(shares, plain.solve(EQ, shares, DEGREE, *edge), strict=True):
        solved = balance.solve(shapes, eq, of(lib, share), start)
        start = solved.unknowns
        for got, want in zip((solved.of_R, solved.of_Z, solved.edge), expected, strict=True):
            near(lib, got, want, rtol=1e-8, loose=1e-3)


def test_the_surfaces_that_are_found() -> None:
    """Solov'ev's: the flux at the nodes, the axis, and their derivatives, to what the degree gives."""
    shapes = balance.space(10, S)
    numbers = Solovev(*(np.asarray(v) for v in EQ))

    def found(eq: Solovev, share: Any) -> Any:
        solved = balance.solve(shapes, eq, share)
        return balance.axis(10, solved.of_R), solved.edge, solved

    axis, _, solved = found(EQ, 1.0)
    R, Z = shapes.inside.of_R[0] @ solved.of_R, shapes.inside.of_Z[0] @ solved.of_Z
    exact = shapes.inside.s**2 * equilibrium.edge_flux(EQ)
    assert np.max(np.abs(equilibrium.flux(EQ, R, Z) - exact)) < 3e-6
    assert abs(axis - EQ.R0) < 1e-6
    of_axis, by_share = grad(lambda *x: found(*x)[0], argnums=(0, 1))(numbers, np.asarray(1.0))
    np.testing.assert_allclose(of_axis, [1, 0, 0, 0, 0], atol=1e-5)
    sides = [found(EQ, 1.0 + h)[0] for h in (-1e-3, 1e-3)]
    np.testing.assert_allclose(by_share, (sides[1] - sides[0]) / 2e-3, rtol=1e-5)


# -- together --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "library",
    [
        pytest.param("numpy"),
        pytest.param("strict", marks=pytest.mark.needs("array_api_strict")),
        pytest.param("torch", marks=pytest.mark.needs("torch")),
        pytest.param("jax", marks=pytest.mark.needs("jax")),
    ],
)
def test_the_same_on_every_library(library: str) -> None:
    """Angles, their roots, and sums over surfaces, compiled where the library has a compiler."""

    def together(s: Any, angle: Any) -> Any:
        amplitudes = coordinates.angle_modes(EQ, s, 24, nodes=64)
        theta = coordinates.theta_at(angle, amplitudes).x
        return theta, averages.safety_factor_by_average(EQ, averages.Grid.regular(s, 64))

    xp = likewise.namespace(library)
    s, angle = (xp.asarray(x, dtype=xp.float64) for x in (S, pest_angle(S, THETA)))
    theta, q = (jit(together) if library == "jax" else together)(s, angle)
    assert likewise.library(theta) == likewise.library(q) == library
    np.testing.assert_allclose(likewise.to_numpy(theta), THETA, rtol=1e-10)
    k, m = turned(S)
    expected = EQ.q0 * 2 / np.pi * scipy.special.ellipe(m) / ((1 - k) * np.sqrt(1 + k))
    np.testing.assert_allclose(likewise.to_numpy(q), expected, rtol=1e-10)


def test_why_it_was_compiled() -> None:
    compiled = jit(coordinates.angle_modes, static_argnames=("modes", "nodes"))
    number, array = EQ, EQ._replace(a=np.asarray(1.0))
    with compile_log() as log:
        for eq, s, modes in (
            (number, S, 4),
            (number, S, 4),
            (number, S[:2], 4),
            (number, S[:2], 5),
            (array, S[:2], 5),
            (array._replace(a=np.asarray(0.9)), S[:2], 5),
            (EQ._replace(a=0.9), S[:2], 5),
        ):
            compiled(eq, s, modes=modes)
    assert [made.reason for made in log] == [
        "the first",
        "args[1] was float64(3,) and is float64(2,)",
        "kwargs['modes'] was 4 and is 5",
        "args[0].a was the Python float 1.0 and is float64()",
        "args[0].a was float64() and is the Python float 0.9",
    ]
