"""Distributions by their published formulas, in Arb's ball arithmetic (python-flint).

Nothing here is shared with the library. A law has a density and one tail or both; the other tail is
1 - that, for which `certain` raises the precision. Series of positive terms end where a geometric
bound of the rest is beyond the precision.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from flint import acb, arb, ctx

__all__ = ["COUNTS", "LAWS", "WHOLE", "Law", "certain"]


class Law(NamedTuple):
    """A distribution.

    `parameters` are intervals that points are drawn of: ("log", low, high) on a logarithmic scale,
    ("lin", low, high), ("int", low, high) whole numbers, or a function of what was drawn before.
    `share` of the points is enough where a value takes many milliseconds.
    """

    parameters: tuple[Any, ...]
    pdf: Callable[..., Any]
    cdf: Callable[..., Any] | None = None
    sf: Callable[..., Any] | None = None
    share: float = 1.0

    def lower(self, x: Any, *args: Any) -> Any:
        if self.cdf is not None:
            return self.cdf(x, *args)
        assert self.sf is not None
        return 1 - self.sf(x, *args)

    def upper(self, x: Any, *args: Any) -> Any:
        return self.sf(x, *args) if self.sf is not None else 1 - self.lower(x, *args)


def certain(function: Callable[[], Any], bits: int = 110, first: int = 220) -> Any:
    """A value of which so many bits are certain; None where no precision gives them."""
    precision = first
    while precision < 20_000:
        with ctx.workprec(precision):
            found = function()
            if found.is_finite() and found.rel_accuracy_bits() >= bits:
                return found
            if found.is_zero():
                return found
        precision *= 2
    return None


# -- what formulas are made of -------------------------------------------------------------------


def phi(x: Any) -> Any:
    return (-(x / arb(2).sqrt())).erfc() / 2


def bell(x: Any) -> Any:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def gamma_p(a: Any, x: Any) -> Any:
    """By its series below the mean, where Arb takes seconds at some points."""
    if not x < a:
        return 1 - gamma_q(a, x)
    term, n, found = arb(1), 0, arb(0)
    last = arb(2) ** (-ctx.prec - 10)
    while not term < found * last * (1 - x / (a + n + 1)):
        found += term
        n += 1
        term = term * x / (a + n)
    return (a * x.log() - x - (a + 1).lgamma()).exp() * found * (1 + arb(0, 2) * last)


def gamma_q(a: Any, x: Any) -> Any:
    return arb(x).gamma_upper(a, regularized=1) if not x < a else 1 - gamma_p(a, x)


def gamma_pdf(x: Any, a: Any) -> Any:
    return ((a - 1) * x.log() - x - a.lgamma()).exp()


def beta_i(a: Any, b: Any, x: Any, y: Any) -> Any:
    """The incomplete beta function; y = 1 - x. By its series of positive terms where that converges
    fast, and where Arb takes seconds at some points."""
    if not x * (a + b) < a:
        return 1 - beta_i(b, a, y, x) if y * (a + b) < b else _beta_arb(a, b, x, y)
    if not x < 0.9:
        return _beta_arb(a, b, x, y)
    term, n, found = arb(1), 0, arb(0)
    last = arb(2) ** (-ctx.prec - 10)
    while True:
        found += term
        ratio = x * (a + b + n) / (a + 1 + n)
        term = term * ratio
        n += 1
        worst = ratio if b > 1 else x  # of all that follow
        if term < found * last * (1 - worst):
            break
    front = (a * x.log() + b * y.log() - a.log() - log_beta(a, b)).exp()
    return front * found * (1 + arb(0, 2) * last)


def _beta_arb(a: Any, b: Any, x: Any, y: Any) -> Any:
    if x < 0.5 or not y < 0.5:
        return arb(x).beta_lower(a, b, regularized=1)
    return 1 - arb(y).beta_lower(b, a, regularized=1)


def log_beta(a: Any, b: Any) -> Any:
    return a.lgamma() + b.lgamma() - (a + b).lgamma()


def two_sided(pdf: Any, tail: Any) -> dict[str, Any]:
    """A density and an upper tail of distances from 0, and the same on the other side."""
    return {
        "pdf": lambda x, *a: pdf(abs(x), *a),
        "cdf": lambda x, *a: tail(-x, *a) if x < 0 else 1 - tail(x, *a),
        "sf": lambda x, *a: 1 - tail(-x, *a) if x < 0 else tail(x, *a),
    }


def total(term: Callable[[int], Any], ratio: Callable[[int], Any]) -> Any:
    """The sum of positive terms from 0 on, whose ratios fall at last."""
    found, j = arb(0), 0
    while True:
        t = term(j)
        found += t
        r = ratio(j)
        if r < 0.5 and t < found * arb(2) ** (-ctx.prec - 2):
            return found + (t * arb(0, 2))
        j += 1


def mixed(half: Any, value: Callable[[int], Any], step: Callable[[int], Any], up: bool) -> Any:
    """The mean of a tail over Poisson numbers of mean `half`; `step` is what one more adds to an
    upper tail, or takes from a lower one, which is summed from its end."""
    weight, weights = (-half).exp(), []
    least = weight * value(0) * arb(2) ** (-2 * ctx.prec)
    while True:
        weights.append(weight)
        j = len(weights)
        weight = weight * half / j
        if j % 16 == 0 and half / j < 0.5 and weight * (1 if up else value(j)) < least:
            break
    found, tail = arb(0), value(0 if up else j)
    for i in range(j) if up else reversed(range(j)):
        if up:
            found += weights[i] * tail
            tail += step(i)
        else:
            tail += step(i)
            found += weights[i] * tail
    return found * (1 + arb(0, 1) * arb(2) ** (-ctx.prec))


def chi2_nc(x: Any, k: Any, nc: Any, up: bool) -> Any:
    a, y = k / 2, x / 2

    def value(j: int) -> Any:
        return gamma_q(a + j, y) if up else gamma_p(a + j, y)

    return mixed(nc / 2, value, lambda j: ((a + j) * y.log() - y - (a + j + 1).lgamma()).exp(), up)


def chi2_nc_pdf(x: Any, k: Any, nc: Any) -> Any:
    a = k / 2
    return total(
        lambda j: (
            (-nc / 2 + j * (nc / 2).log() - arb(j + 1).lgamma()).exp() * gamma_pdf(x / 2, a + j) / 2
        ),
        lambda j: nc * x / 4 / ((j + 1) * (a + j)),
    )


def f_nc(x: Any, n: Any, m: Any, nc: Any, up: bool) -> Any:
    a, b = n / 2, m / 2
    u, v = n * x / (n * x + m), m / (n * x + m)

    def value(j: int) -> Any:
        return beta_i(b, a + j, v, u) if up else beta_i(a + j, b, u, v)

    def step(j: int) -> Any:
        return ((a + j) * u.log() + b * v.log() - (a + j).log() - log_beta(a + j, b)).exp()

    return mixed(nc / 2, value, step, up)


def f_nc_pdf(x: Any, n: Any, m: Any, nc: Any) -> Any:
    a, b = n / 2, m / 2
    u, v = n * x / (n * x + m), m / (n * x + m)
    return total(
        lambda j: (
            (
                -nc / 2
                + j * (nc / 2).log()
                - arb(j + 1).lgamma()
                + (a + j) * u.log()
                + b * v.log()
                - log_beta(a + j, b)
            ).exp()
            / x
        ),
        lambda j: nc / 2 * u * (a + b + j) / ((j + 1) * (a + j)),
    )


def t_nc_cdf(x: Any, df: Any, nc: Any) -> Any:
    if x < 0:
        return 1 - t_nc_cdf(-x, df, -nc)
    half, b = nc * nc / 2, df / 2
    u, v = x * x / (x * x + df), df / (x * x + df)

    def part(start: Any, first: Any) -> Any:
        """sum of first * half^j / rising(start, j) I(start - 1 / 2 + ..., b)."""
        a = start
        weight, found, j = first, arb(0), 0
        tail = beta_i(a, b, u, v)
        step = (a * u.log() + b * v.log() - a.log() - log_beta(a, b)).exp()
        while True:
            found += weight * tail
            if half / (j + 1) < 0.5 and abs(weight) < arb(2) ** (-ctx.prec):
                return found + weight * arb(0, 2)
            tail -= step
            step = step * u * (a + b) / (a + 1)
            a += 1
            j += 1
            weight = weight * half / (start + arb(1) / 2 + j - 1)

    even = part(arb(1) / 2, (-half).exp())
    odd = part(arb(1), nc / arb(2).sqrt() * (-half).exp() / (arb(3) / 2).gamma())
    return phi(-nc) + (even + odd) / 2


def t_nc_pdf(x: Any, df: Any, nc: Any) -> Any:
    w = nc * x * arb(2).sqrt() / (df + x * x).sqrt()
    found, j, power = arb(0), 0, arb(1)
    while True:
        t = power * ((df + j + 1) / 2).gamma()
        found += t
        j += 1
        power = power * w / j
        if j > 8 and abs(w) / j * (df + j).sqrt() < 0.5 and abs(t) < arb(2) ** (-2 * ctx.prec):
            break
    front = df / 2 * df.log() - nc * nc / 2 - (df / 2).lgamma() - (df + 1) / 2 * (df + x * x).log()
    return (found + t * arb(0, 2)) * front.exp() / arb.pi().sqrt()


def von_mises_cdf(x: Any, kappa: Any) -> Any:
    first = kappa.bessel_i(0)
    found, n = arb(1) / 2 + x / (2 * arb.pi()), 1
    while True:
        ratio = kappa.bessel_i(n) / first
        found += ratio * (n * x).sin() / (n * arb.pi())
        if n > kappa and ratio < arb(2) ** (-ctx.prec):
            return found + ratio * arb(0, 2)
        n += 1


def outward(density: Callable[[Any], Any], start: Any, width: Any) -> Any:
    """The integral of a density from a point on to where it is beyond the precision, by pieces that
    grow; it falls at least as an exponential there."""
    first = density(acb(start)).real
    found, at, last = arb(0), start.mid(), arb(2) ** (-ctx.prec - 20)
    width = width.mid()
    while True:
        piece = acb.integral(lambda t, _: density(t) / first, at, at + width, eval_limit=10**6).real
        found += piece
        at += width
        rest = density(acb(at)).real / first * width
        if rest < found * last and piece < found / 2:
            return first * (found + rest * arb(0, 2))
        width *= 2


def skew_sf(x: Any, a: Any) -> Any:
    if x < 0:
        return 1 - skew_sf(-x, -a)
    root = arb(2).sqrt()
    front = 1 / (2 * arb.pi()).sqrt()
    return outward(
        lambda t: front * (-t * t / 2).exp() * (-a * t / root).erfc(), x, 1 / (1 + x * (1 + a * a))
    )


def nig_pdf(x: Any, a: Any, b: Any) -> Any:
    r = (1 + x * x).sqrt()
    return a * (a * r).bessel_k(1) / (arb.pi() * r) * ((a * a - b * b).sqrt() + b * x).exp()


def nig_sf(x: Any, a: Any, b: Any) -> Any:
    """With x = sinh(t)."""
    if x < 0:
        return 1 - nig_sf(-x, a, -b)
    front = a / arb.pi() * (a * a - b * b).sqrt().exp()
    return outward(
        lambda t: front * (a * t.cosh()).bessel_k(1) * (b * t.sinh()).exp(),
        x.asinh(),
        1 / (2 + a * (1 + x)),
    )


def tukey_probability(x: Any, lam: Any) -> Any:
    """The root of ``(p^lam - (1 - p)^lam) / lam = x`` by Newton's method, in log(p), with the
    last step as its radius."""
    if x > 0:
        return 1 - tukey_probability(-x, lam)

    def gap(log: Any) -> tuple[Any, Any]:
        p = log.exp()
        q = 1 - p
        if lam.is_zero():
            return log - q.log() - x, 1 + p / q
        return ((log * lam).exp() - q**lam) / lam - x, (log * lam).exp() + p * q ** (lam - 1)

    low, high = arb(-3000), arb(0.5).log()
    for _ in range(60):  # bisect to a start
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if gap(middle)[0] < 0 else (low, middle)
    log = ((low + high) / 2).mid()
    for _ in range(3 + ctx.prec.bit_length()):
        off, slope = gap(log)
        log = (log - off / slope).mid()
    off, slope = gap(log)
    return (log + off / slope * arb(0, 2)).exp()


def tukey_pdf(x: Any, lam: Any) -> Any:
    p = tukey_probability(-abs(x), lam)
    return 1 / (p ** (lam - 1) + (1 - p) ** (lam - 1))


def power_of(base: Any, k: Any, x: Any) -> Any:
    """(1 - k x)^(1 / k), which is exp(-x) where k is 0."""
    return (-x).exp() if k.is_zero() else base ** (1 / k)


def kappa4_cdf(x: Any, h: Any, k: Any) -> Any:
    y = power_of(1 - k * x, k, x)
    return power_of(1 - h * y, h, y)


def kappa4_pdf(x: Any, h: Any, k: Any) -> Any:
    y = power_of(1 - k * x, k, x)
    return kappa4_cdf(x, h, k) / (1 - h * y) * y / (1 - k * x)


def crystal_front(beta: Any, m: Any) -> Any:
    e = (-beta * beta / 2).exp()
    return 1 / (m / beta / (m - 1) * e + (2 * arb.pi()).sqrt() * phi(beta))


def crystal_power(x: Any, beta: Any, m: Any, by: int) -> Any:
    a = (m * (m / beta).log() - beta * beta / 2).exp()
    return crystal_front(beta, m) * a * (m / beta - beta - x) ** (by - m)


def crystal_pdf(x: Any, beta: Any, m: Any) -> Any:
    if x <= -beta:
        return crystal_power(x, beta, m, 0)
    return crystal_front(beta, m) * (-x * x / 2).exp()


def crystal_cdf(x: Any, beta: Any, m: Any) -> Any:
    return crystal_power(x, beta, m, 1) / (m - 1) if x <= -beta else 1 - crystal_sf(x, beta, m)


def crystal_sf(x: Any, beta: Any, m: Any) -> Any:
    if x <= -beta:
        return 1 - crystal_cdf(x, beta, m)
    return crystal_front(beta, m) * (2 * arb.pi()).sqrt() * phi(-x)


def trapezoid_pdf(x: Any, c: Any, d: Any) -> Any:
    u = 2 / (1 + d - c)
    return u * x / c if x < c else u if x <= d else u * (1 - x) / (1 - d)


def trapezoid_cdf(x: Any, c: Any, d: Any) -> Any:
    u = 2 / (1 + d - c)
    if x < c:
        return u * x * x / (2 * c)
    return u * (x - c / 2) if x <= d else 1 - u * (1 - x) ** 2 / (2 * (1 - d))


def triang_pdf(x: Any, c: Any) -> Any:
    return 2 * x / c if x < c else 2 * (1 - x) / (1 - c)


def triang_cdf(x: Any, c: Any) -> Any:
    return x * x / c if x < c else 1 - (1 - x) ** 2 / (1 - c)


def wrapped(x: Any, c: Any) -> Any:
    if x > arb.pi():
        return 1 - wrapped(2 * arb.pi() - x, c)
    return ((1 + c) / (1 - c) * (x / 2).tan()).atan() / arb.pi()


def skewed_t(x: Any, a: Any, b: Any) -> tuple[Any, Any]:
    r = (a + b + x * x).sqrt()
    return (1 + x / r) / 2, (1 - x / r) / 2


def skewed_t_pdf(x: Any, a: Any, b: Any) -> Any:
    u, v = skewed_t(x, a, b)
    half = arb(1) / 2
    return ((a + half) * u.log() + (b + half) * v.log() - log_beta(a, b)).exp() * 4 / (a + b).sqrt()


def inv_gauss_cdf(x: Any, mu: Any) -> Any:
    r = x.sqrt()
    return phi((x / mu - 1) / r) + (2 / mu).exp() * phi(-(x / mu + 1) / r)


def expon_norm_cdf(x: Any, k: Any) -> Any:
    return phi(x) - (1 / (2 * k * k) - x / k).exp() * phi(x - 1 / k)


def normal_between(a: Any, b: Any) -> Any:
    return phi(b) - phi(a)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + (-x).exp())


SHAPE = ("log", 0.05, 500.0)
MILD = ("log", 0.2, 20.0)
TURN = ("lin", -8.0, 8.0)
LAWS: dict[str, Law] = {
    "anglit": Law((), lambda x: (2 * x).cos(), lambda x: (x + arb.pi() / 4).sin() ** 2),
    "arcsine": Law(
        (),
        lambda x: 1 / (arb.pi() * (x * (1 - x)).sqrt()),
        lambda x: 2 / arb.pi() * x.sqrt().asin(),
    ),
    "beta": Law(
        (SHAPE, SHAPE),
        lambda x, a, b: ((a - 1) * x.log() + (b - 1) * (1 - x).log() - log_beta(a, b)).exp(),
        lambda x, a, b: beta_i(a, b, x, 1 - x),
        lambda x, a, b: beta_i(b, a, 1 - x, x),
    ),
    "betaprime": Law(
        (SHAPE, SHAPE),
        lambda x, a, b: ((a - 1) * x.log() - (a + b) * (1 + x).log() - log_beta(a, b)).exp(),
        lambda x, a, b: beta_i(a, b, x / (1 + x), 1 / (1 + x)),
        lambda x, a, b: beta_i(b, a, 1 / (1 + x), x / (1 + x)),
    ),
    "bradford": Law(
        (SHAPE,),
        lambda x, c: c / ((1 + c).log() * (1 + c * x)),
        lambda x, c: (1 + c * x).log() / (1 + c).log(),
    ),
    "burr": Law(
        (MILD, MILD),
        lambda x, c, d: c * d * x ** (-c - 1) * (1 + x**-c) ** (-d - 1),
        lambda x, c, d: (1 + x**-c) ** -d,
    ),
    "burr12": Law(
        (MILD, MILD),
        lambda x, c, d: c * d * x ** (c - 1) * (1 + x**c) ** (-d - 1),
        sf=lambda x, c, d: (1 + x**c) ** -d,
    ),
    "cauchy": Law(
        (), **two_sided(lambda x: 1 / (arb.pi() * (1 + x * x)), lambda x: (1 / x).atan() / arb.pi())
    ),
    "chi": Law(
        (SHAPE,),
        lambda x, k: x * gamma_pdf(x * x / 2, k / 2),
        lambda x, k: gamma_p(k / 2, x * x / 2),
        lambda x, k: gamma_q(k / 2, x * x / 2),
    ),
    "chi2": Law(
        (SHAPE,),
        lambda x, k: gamma_pdf(x / 2, k / 2) / 2,
        lambda x, k: gamma_p(k / 2, x / 2),
        lambda x, k: gamma_q(k / 2, x / 2),
    ),
    "cosine": Law(
        (),
        lambda x: (1 + x.cos()) / (2 * arb.pi()),
        lambda x: (arb.pi() + x + x.sin()) / (2 * arb.pi()),
    ),
    "crystalball": Law(
        (("log", 0.1, 5.0), ("log", 1.05, 50.0)), crystal_pdf, crystal_cdf, crystal_sf
    ),
    "dgamma": Law(
        (SHAPE,), **two_sided(lambda x, a: gamma_pdf(x, a) / 2, lambda x, a: gamma_q(a, x) / 2)
    ),
    "dweibull": Law(
        (MILD,),
        **two_sided(
            lambda x, c: c / 2 * x ** (c - 1) * (-(x**c)).exp(), lambda x, c: (-(x**c)).exp() / 2
        ),
    ),
    "erlang": Law(
        (("int", 1, 200),),
        gamma_pdf,
        lambda x, a: gamma_p(a, x),
        lambda x, a: gamma_q(a, x),
    ),
    "expon": Law((), lambda x: (-x).exp(), lambda x: -(-x).expm1(), lambda x: (-x).exp()),
    "exponnorm": Law(
        (("log", 0.1, 20.0),),
        lambda x, k: (1 / (2 * k * k) - x / k).exp() * phi(x - 1 / k) / k,
        expon_norm_cdf,
    ),
    "exponpow": Law(
        (MILD,),
        lambda x, b: b * x ** (b - 1) * (x**b - (x**b).expm1()).exp(),
        sf=lambda x, b: (-(x**b).expm1()).exp(),
    ),
    "exponweib": Law(
        (MILD, MILD),
        lambda x, a, c: a * c * x ** (c - 1) * (-(x**c)).exp() * (-(-(x**c)).expm1()) ** (a - 1),
        lambda x, a, c: (-(-(x**c)).expm1()) ** a,
    ),
    "f": Law(
        (SHAPE, SHAPE),
        lambda x, n, m: (
            (
                n / 2 * (n * x / (n * x + m)).log()
                + m / 2 * (m / (n * x + m)).log()
                - log_beta(n / 2, m / 2)
            ).exp()
            / x
        ),
        lambda x, n, m: beta_i(n / 2, m / 2, n * x / (n * x + m), m / (n * x + m)),
        lambda x, n, m: beta_i(m / 2, n / 2, m / (n * x + m), n * x / (n * x + m)),
    ),
    "fatiguelife": Law(
        (MILD,),
        lambda x, c: (x + 1) / (2 * c * x * x.sqrt()) * bell((x - 1) / (c * x.sqrt())),
        lambda x, c: phi((x.sqrt() - 1 / x.sqrt()) / c),
        lambda x, c: phi((1 / x.sqrt() - x.sqrt()) / c),
    ),
    "fisk": Law(
        (MILD,),
        lambda x, c: c * x ** (-c - 1) * (1 + x**-c) ** (-2),
        lambda x, c: 1 / (1 + x**-c),
        lambda x, c: 1 / (1 + x**c),
    ),
    "foldcauchy": Law(
        (("log", 0.05, 50.0),),
        lambda x, c: (1 / (1 + (x - c) ** 2) + 1 / (1 + (x + c) ** 2)) / arb.pi(),
        lambda x, c: ((x - c).atan() + (x + c).atan()) / arb.pi(),
    ),
    "foldnorm": Law(
        (("log", 0.05, 20.0),),
        lambda x, c: bell(x - c) + bell(x + c),
        lambda x, c: phi(x - c) - phi(-x - c),
        lambda x, c: phi(c - x) + phi(-c - x),
    ),
    "gamma": Law((SHAPE,), gamma_pdf, lambda x, a: gamma_p(a, x), lambda x, a: gamma_q(a, x)),
    "genextreme": Law(
        (("lin", -2.0, 2.0),),
        lambda x, c: power_of(1 - c * x, c, x) / (1 - c * x) * (-power_of(1 - c * x, c, x)).exp(),
        lambda x, c: (-power_of(1 - c * x, c, x)).exp(),
        lambda x, c: -(-power_of(1 - c * x, c, x)).expm1(),
    ),
    "gengamma": Law(
        (MILD, ("lin", -4.0, 4.0)),
        lambda x, a, c: abs(c) * x ** (c - 1) * gamma_pdf(x**c, a),
        lambda x, a, c: gamma_p(a, x**c) if c > 0 else gamma_q(a, x**c),
        lambda x, a, c: gamma_q(a, x**c) if c > 0 else gamma_p(a, x**c),
    ),
    "genhalflogistic": Law(
        (MILD,),
        lambda x, c: (
            2 * power_of(1 - c * x, c, x) / (1 - c * x) / (1 + power_of(1 - c * x, c, x)) ** 2
        ),
        sf=lambda x, c: 2 * power_of(1 - c * x, c, x) / (1 + power_of(1 - c * x, c, x)),
    ),
    "genlogistic": Law(
        (MILD,),
        lambda x, c: c * (-x).exp() * (1 + (-x).exp()) ** (-c - 1),
        lambda x, c: (1 + (-x).exp()) ** -c,
    ),
    "gennorm": Law(
        (MILD,),
        **two_sided(
            lambda x, b: b / 2 * (-(x**b) - (1 / b).lgamma()).exp(),
            lambda x, b: gamma_q(1 / b, x**b) / 2,
        ),
    ),
    "genpareto": Law(
        (("lin", -2.0, 2.0),),
        lambda x, c: power_of(1 + c * x, -c, x) / (1 + c * x),
        sf=lambda x, c: power_of(1 + c * x, -c, x),
    ),
    "gompertz": Law(
        (("log", 0.01, 100.0),),
        lambda x, c: c * (x - c * x.expm1()).exp(),
        sf=lambda x, c: (-c * x.expm1()).exp(),
    ),
    "gumbel_l": Law((), lambda x: (x - x.exp()).exp(), sf=lambda x: (-x.exp()).exp()),
    "gumbel_r": Law((), lambda x: (-x - (-x).exp()).exp(), lambda x: (-(-x).exp()).exp()),
    "halfcauchy": Law(
        (), lambda x: 2 / (arb.pi() * (1 + x * x)), lambda x: 2 / arb.pi() * x.atan()
    ),
    "halflogistic": Law(
        (),
        lambda x: 2 * sigmoid(x) * sigmoid(-x),
        lambda x: (x / 2).tanh(),
        lambda x: 2 * sigmoid(-x),
    ),
    "halfnorm": Law(
        (), lambda x: 2 * bell(x), lambda x: (x / arb(2).sqrt()).erf(), lambda x: 2 * phi(-x)
    ),
    "hypsecant": Law(
        (),
        lambda x: x.sech() / arb.pi(),
        lambda x: 2 / arb.pi() * x.exp().atan(),
        lambda x: 2 / arb.pi() * (-x).exp().atan(),
    ),
    "invgamma": Law(
        (SHAPE,),
        lambda x, a: gamma_pdf(1 / x, a) / (x * x),
        lambda x, a: gamma_q(a, 1 / x),
        lambda x, a: gamma_p(a, 1 / x),
    ),
    "invgauss": Law(
        (("log", 0.05, 50.0),),
        lambda x, mu: bell((x - mu) / (mu * x.sqrt())) / (x * x.sqrt()),
        inv_gauss_cdf,
    ),
    "invweibull": Law(
        (MILD,),
        lambda x, c: c * x ** (-c - 1) * (-(x**-c)).exp(),
        lambda x, c: (-(x**-c)).exp(),
        lambda x, c: -(-(x**-c)).expm1(),
    ),
    "jf_skew_t": Law(
        (MILD, MILD),
        skewed_t_pdf,
        lambda x, a, b: beta_i(a, b, *skewed_t(x, a, b)),
        lambda x, a, b: beta_i(b, a, *skewed_t(x, a, b)[::-1]),
    ),
    "johnsonsb": Law(
        (TURN, MILD),
        lambda x, a, b: b / (x * (1 - x)) * bell(a + b * (x / (1 - x)).log()),
        lambda x, a, b: phi(a + b * (x / (1 - x)).log()),
    ),
    "johnsonsu": Law(
        (TURN, MILD),
        lambda x, a, b: b / (1 + x * x).sqrt() * bell(a + b * x.asinh()),
        lambda x, a, b: phi(a + b * x.asinh()),
        lambda x, a, b: phi(-a - b * x.asinh()),
    ),
    "kappa3": Law(
        (MILD,),
        lambda x, a: a * (a + x**a) ** (-(a + 1) / a),
        lambda x, a: x * (a + x**a) ** (-1 / a),
    ),
    "kappa4": Law((("lin", -2.0, 2.0), ("lin", -2.0, 2.0)), kappa4_pdf, kappa4_cdf),
    "laplace": Law((), **two_sided(lambda x: (-x).exp() / 2, lambda x: (-x).exp() / 2)),
    "levy": Law(
        (),
        lambda x: bell(1 / x.sqrt()) / (x * x.sqrt()),
        lambda x: (1 / (2 * x).sqrt()).erfc(),
        lambda x: (1 / (2 * x).sqrt()).erf(),
    ),
    "levy_l": Law(
        (),
        lambda x: bell(1 / (-x).sqrt()) / (-x * (-x).sqrt()),
        lambda x: (1 / (-2 * x).sqrt()).erf(),
        lambda x: (1 / (-2 * x).sqrt()).erfc(),
    ),
    "loggamma": Law(
        (SHAPE,),
        lambda x, c: (c * x - x.exp() - c.lgamma()).exp(),
        lambda x, c: gamma_p(c, x.exp()),
        lambda x, c: gamma_q(c, x.exp()),
    ),
    "logistic": Law((), lambda x: sigmoid(x) * sigmoid(-x), sigmoid, lambda x: sigmoid(-x)),
    "loglaplace": Law(
        (MILD,),
        lambda x, c: c / 2 * (x ** (c - 1) if x < 1 else x ** (-c - 1)),
        lambda x, c: x**c / 2 if x < 1 else 1 - x**-c / 2,
    ),
    "lognorm": Law(
        (("log", 0.05, 10.0),),
        lambda x, s: bell(x.log() / s) / (s * x),
        lambda x, s: phi(x.log() / s),
        lambda x, s: phi(-x.log() / s),
    ),
    "loguniform": Law(
        (("log", 0.01, 10.0), lambda rng, a: a * (1 + 10 ** rng.uniform(-2, 4))),
        lambda x, a, b: 1 / (x * (b / a).log()),
        lambda x, a, b: (x / a).log() / (b / a).log(),
    ),
    "lomax": Law((MILD,), lambda x, c: c * (1 + x) ** (-c - 1), sf=lambda x, c: (1 + x) ** -c),
    "maxwell": Law(
        (),
        lambda x: 2 * x * x * bell(x),
        lambda x: gamma_p(arb(3) / 2, x * x / 2),
        lambda x: gamma_q(arb(3) / 2, x * x / 2),
    ),
    "mielke": Law(
        (MILD, MILD),
        lambda x, k, s: k * x ** (k - 1) / (1 + x**s) ** (1 + k / s),
        lambda x, k, s: x**k / (1 + x**s) ** (k / s),
    ),
    "moyal": Law(
        (),
        lambda x: (-(x + (-x).exp()) / 2).exp() / (2 * arb.pi()).sqrt(),
        lambda x: ((-x / 2).exp() / arb(2).sqrt()).erfc(),
        lambda x: ((-x / 2).exp() / arb(2).sqrt()).erf(),
    ),
    "nakagami": Law(
        (SHAPE,),
        lambda x, nu: 2 * nu * x * gamma_pdf(nu * x * x, nu),
        lambda x, nu: gamma_p(nu, nu * x * x),
        lambda x, nu: gamma_q(nu, nu * x * x),
    ),
    "ncf": Law(
        (("log", 0.5, 50.0), ("log", 0.5, 50.0), ("log", 0.1, 50.0)),
        f_nc_pdf,
        lambda x, n, m, nc: f_nc(x, n, m, nc, False),
        lambda x, n, m, nc: f_nc(x, n, m, nc, True),
        share=0.05,
    ),
    "nct": Law((("log", 0.5, 50.0), ("lin", -6.0, 6.0)), t_nc_pdf, t_nc_cdf, share=0.05),
    "ncx2": Law(
        (("log", 0.5, 50.0), ("log", 0.1, 50.0)),
        chi2_nc_pdf,
        lambda x, k, nc: chi2_nc(x, k, nc, False),
        lambda x, k, nc: chi2_nc(x, k, nc, True),
        share=0.05,
    ),
    "norm": Law((), bell, phi, lambda x: phi(-x)),
    "norminvgauss": Law(
        (("log", 0.3, 20.0), lambda rng, a: a * rng.uniform(-0.95, 0.95)),
        nig_pdf,
        lambda x, a, b: nig_sf(-x, a, -b),
        nig_sf,
        share=0.02,
    ),
    "pareto": Law(
        (MILD,),
        lambda x, b: b * x ** (-b - 1),
        lambda x, b: -(-b * x.log()).expm1(),
        lambda x, b: x**-b,
    ),
    "powerlaw": Law((MILD,), lambda x, a: a * x ** (a - 1), lambda x, a: x**a),
    "powerlognorm": Law(
        (MILD, ("log", 0.1, 5.0)),
        lambda x, c, s: c / (x * s) * bell(x.log() / s) * phi(-x.log() / s) ** (c - 1),
        sf=lambda x, c, s: phi(-x.log() / s) ** c,
    ),
    "powernorm": Law(
        (MILD,),
        lambda x, c: c * bell(x) * phi(-x) ** (c - 1),
        sf=lambda x, c: phi(-x) ** c,
    ),
    "rayleigh": Law(
        (),
        lambda x: x * (-x * x / 2).exp(),
        lambda x: -(-x * x / 2).expm1(),
        lambda x: (-x * x / 2).exp(),
    ),
    "rice": Law(
        (("log", 0.05, 12.0),),
        lambda x, b: x * (-((x - b) ** 2) / 2).exp() * (b * x).bessel_i(0, scaled=True),
        lambda x, b: chi2_nc(x * x, arb(2), b * b, False),
        lambda x, b: chi2_nc(x * x, arb(2), b * b, True),
        share=0.05,
    ),
    "semicircular": Law(
        (),
        lambda x: 2 / arb.pi() * (1 - x * x).sqrt(),
        lambda x: arb(1) / 2 + (x * (1 - x * x).sqrt() + x.asin()) / arb.pi(),
    ),
    "skewnorm": Law(
        (("lin", -10.0, 10.0),),
        lambda x, a: 2 * bell(x) * phi(a * x),
        lambda x, a: skew_sf(-x, -a),
        skew_sf,
        share=0.05,
    ),
    "t": Law(
        (SHAPE,),
        **two_sided(
            lambda x, df: (
                (-(df + 1) / 2 * (1 + x * x / df).log() - log_beta(df / 2, arb(1) / 2)).exp()
                / df.sqrt()
            ),
            lambda x, df: beta_i(df / 2, arb(1) / 2, df / (df + x * x), x * x / (df + x * x)) / 2,
        ),
    ),
    "trapezoid": Law((("lin", 0.01, 0.5), ("lin", 0.5, 0.99)), trapezoid_pdf, trapezoid_cdf),
    "triang": Law((("lin", 0.01, 0.99),), triang_pdf, triang_cdf),
    "truncexpon": Law(
        (("log", 0.05, 50.0),),
        lambda x, b: (-x).exp() / -(-b).expm1(),
        lambda x, b: (-x).expm1() / (-b).expm1(),
    ),
    "truncnorm": Law(
        (TURN, lambda rng, a: a + 10 ** rng.uniform(-1, 1.5)),
        lambda x, a, b: bell(x) / normal_between(a, b),
        lambda x, a, b: normal_between(a, x) / normal_between(a, b),
        lambda x, a, b: normal_between(x, b) / normal_between(a, b),
    ),
    "tukeylambda": Law((("lin", -2.0, 3.0),), tukey_pdf, tukey_probability, share=0.3),
    "uniform": Law((), lambda x: arb(1) + 0 * x, lambda x: x),
    "vonmises": Law(
        (("log", 0.05, 100.0),),
        lambda x, k: (k * x.cos() - k).exp() / (2 * arb.pi() * k.bessel_i(0, scaled=True)),
        von_mises_cdf,
        share=0.05,
    ),
    "weibull_max": Law(
        (MILD,),
        lambda x, c: c * (-x) ** (c - 1) * (-((-x) ** c)).exp(),
        lambda x, c: (-((-x) ** c)).exp(),
        lambda x, c: -(-((-x) ** c)).expm1(),
    ),
    "weibull_min": Law(
        (MILD,),
        lambda x, c: c * x ** (c - 1) * (-(x**c)).exp(),
        lambda x, c: -(-(x**c)).expm1(),
        lambda x, c: (-(x**c)).exp(),
    ),
    "wrapcauchy": Law(
        (("lin", 0.01, 0.99),),
        lambda x, c: (1 - c * c) / (2 * arb.pi() * (1 + c * c - 2 * c * x.cos())),
        wrapped,
    ),
}
LAWS["reciprocal"] = LAWS["loguniform"]


# -- distributions of whole numbers ---------------------------------------------------------------


def log_binomial(n: Any, k: Any) -> Any:
    return -(n + 1).log() - log_beta(n - k + 1, k + 1)


def summed(pmf: Callable[[Any], Any], k: Any, step: int, end: Any = None) -> Any:
    """The sum of a log-concave probability from k on, up to an end."""
    found, term = arb(0), pmf(k)
    while True:
        found += term
        k = k + step
        if end is not None and (k - end) * step > 0:
            return found
        before, term = term, pmf(k)
        if term < before / 2 and term < found * arb(2) ** (-ctx.prec - 5):
            return found + term * arb(0, 2)


def tails(pmf: Any, ends: Any) -> dict[str, Any]:
    """Both tails by sums, to the ends that parameters give."""

    def cdf(k: Any, *a: Any) -> Any:
        low, high = ends(*a)
        if high is not None and k >= high:
            return arb(1)
        return summed(lambda j: pmf(j, *a), k, -1, low)

    def sf(k: Any, *a: Any) -> Any:
        high = ends(*a)[1]
        if high is not None and k >= high:
            return arb(0)
        return summed(lambda j: pmf(j, *a), k + 1, 1, high)

    return {"pdf": pmf, "cdf": cdf, "sf": sf}


def hypergeom_pmf(k: Any, m: Any, n: Any, d: Any) -> Any:
    return (log_binomial(n, k) + log_binomial(m - n, d - k) - log_binomial(m, d)).exp()


def hypergeom_ends(m: Any, n: Any, d: Any) -> Any:
    return max(arb(0), d - (m - n)), min(n, d)


def nhypergeom_pmf(k: Any, m: Any, n: Any, r: Any) -> Any:
    return (log_binomial(k + r - 1, k) + log_binomial(m - r - k, n - k) - log_binomial(m, n)).exp()


def skellam_pmf(k: Any, one: Any, two: Any) -> Any:
    root = 2 * (one * two).sqrt()
    front = (root - one - two + k / 2 * (one / two).log()).exp()
    return front * root.bessel_i(abs(k), scaled=True)


def zipfian_tail(a: Any, first: Any, last: Any) -> Any:
    return sum((arb(j) ** -a for j in range(int(float(first)), int(float(last)) + 1)), arb(0))


def log_series(k: Any, p: Any) -> Any:
    """The sum of p^j / j from k on; what is left is bounded by a geometric series."""
    found, term = arb(0), p**k
    while True:
        found += term / k
        term, k = term * p, k + 1
        rest = term / (k * (1 - p))
        if rest < found * arb(2) ** (-ctx.prec - 5):
            return found + rest * arb(0, 1)


CHANCE = ("lin", 0.01, 0.99)
COUNTS: dict[str, Law] = {
    "bernoulli": Law(
        (CHANCE,), lambda k, p: p if k == 1 else 1 - p, lambda k, p: arb(1) if k == 1 else 1 - p
    ),
    "betabinom": Law(
        (("int", 1, 200), MILD, MILD),
        **tails(
            lambda k, n, a, b: (
                log_binomial(n, k) + log_beta(k + a, n - k + b) - log_beta(a, b)
            ).exp(),
            lambda n, a, b: (arb(0), n),
        ),
        share=0.05,
    ),
    "binom": Law(
        (("int", 1, 500), CHANCE),
        lambda k, n, p: (log_binomial(n, k) + k * p.log() + (n - k) * (1 - p).log()).exp(),
        lambda k, n, p: arb(1) if k == n else beta_i(n - k, k + 1, 1 - p, p),
        lambda k, n, p: arb(0) if k == n else beta_i(k + 1, n - k, p, 1 - p),
    ),
    "boltzmann": Law(
        (("log", 0.01, 5.0), ("int", 2, 300)),
        lambda k, rate, n: (-rate).expm1() * (-rate * k).exp() / (-rate * n).expm1(),
        lambda k, rate, n: (-rate * (k + 1)).expm1() / (-rate * n).expm1(),
    ),
    "dlaplace": Law(
        (("log", 0.01, 5.0),),
        lambda k, a: (a / 2).tanh() * (-a * abs(k)).exp(),
        lambda k, a: (
            (a * k).exp() / (1 + (-a).exp())
            if k < 0
            else 1 - (-a * (k + 1)).exp() / (1 + (-a).exp())
        ),
    ),
    "geom": Law((CHANCE,), lambda k, p: (1 - p) ** (k - 1) * p, sf=lambda k, p: (1 - p) ** k),
    "hypergeom": Law(
        (
            ("int", 10, 500),
            lambda rng, m: rng.integers(1, m),
            lambda rng, m, n: rng.integers(1, m),
        ),
        **tails(hypergeom_pmf, hypergeom_ends),
        share=0.05,
    ),
    "logser": Law(
        (CHANCE,),
        lambda k, p: -(p**k) / (k * (1 - p).log()),
        sf=lambda k, p: -log_series(k + 1, p) / (1 - p).log(),
    ),
    "nbinom": Law(
        (("log", 0.2, 200.0), CHANCE),
        lambda k, n, p: (
            (k + n).lgamma() - (k + 1).lgamma() - n.lgamma() + n * p.log() + k * (1 - p).log()
        ).exp(),
        lambda k, n, p: beta_i(n, k + 1, p, 1 - p),
        lambda k, n, p: beta_i(k + 1, n, 1 - p, p),
    ),
    "nhypergeom": Law(
        (
            ("int", 10, 300),
            lambda rng, m: rng.integers(1, m),
            lambda rng, m, n: rng.integers(1, m - n + 1),
        ),
        **tails(nhypergeom_pmf, lambda m, n, r: (arb(0), n)),
        share=0.05,
    ),
    "planck": Law(
        (("log", 0.01, 5.0),),
        lambda k, rate: -(-rate).expm1() * (-rate * k).exp(),
        sf=lambda k, rate: (-rate * (k + 1)).exp(),
    ),
    "poisson": Law(
        (SHAPE,),
        lambda k, m: (k * m.log() - m - (k + 1).lgamma()).exp(),
        lambda k, m: gamma_q(k + 1, m),
        lambda k, m: gamma_p(k + 1, m),
    ),
    "randint": Law(
        (("int", -50, 50), lambda rng, low: low + rng.integers(1, 200)),
        lambda k, low, high: 1 / (high - low),
        lambda k, low, high: (k - low + 1) / (high - low),
    ),
    "skellam": Law(
        (("log", 0.1, 100.0), ("log", 0.1, 100.0)),
        **tails(skellam_pmf, lambda one, two: (None, None)),
        share=0.05,
    ),
    "zipf": Law(
        (("lin", 1.5, 20.0),),
        lambda k, a: k**-a / a.zeta(),
        sf=lambda k, a: a.zeta(k + 1) / a.zeta(),
    ),
    "zipfian": Law(
        (("log", 0.05, 10.0), ("int", 2, 300)),
        lambda k, a, n: k**-a / zipfian_tail(a, 1, n),
        lambda k, a, n: zipfian_tail(a, 1, k) / zipfian_tail(a, 1, n),
        lambda k, a, n: zipfian_tail(a, k + 1, n) / zipfian_tail(a, 1, n),
        share=0.2,
    ),
}
# Of whole numbers: no derivatives.
WHOLE = {("hypergeom", i) for i in (1, 2, 3)} | {("nhypergeom", i) for i in (1, 2, 3)}
WHOLE |= {("randint", 2)}
