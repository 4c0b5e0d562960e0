# SPDX-License-Identifier: LGPL-2.1-or-later
"""Intervals of sums that are estimated from sampled runs. docs/numbers.md says what they mean.

Of each stratum, the runs that sampling keeps with the same probability, the number that was kept has a Poisson
distribution as far as the probability is small, and a narrower one otherwise. Its exact bounds are Garwood's
(Biometrika 28, 1936). A sum of values is the sum of as many runs of the size sum(x²) / sum(x), by Fay and
Feuer (Statistics in Medicine 16, 1997): their upper bound adds one run of the largest size that may have been
missed. Both become conditional on what is shown: a name has a row only because something of it was kept, so the lower
bound is that of a Poisson distribution without 0. Zou and Donner (Statistics in Medicine 27, 2008) combine the
bounds of the strata into those of their sum.
"""

import collections
import functools
import math

# Runs that sampling keeps with the same probability: the sum of the values of those that were kept, the sum of the
# squares of these values, and the largest value that one such run can have (None: not known). For a number of runs
# each value is 1: Stratum(p, kept, kept, 1). None was kept: Stratum(p, 0, 0, largest).
Stratum = collections.namedtuple("Stratum", "probability total squares largest")

ENOUGH = 10
FACTOR = 4
VAGUE = 10
TAIL = 0.025  # on each side
ITERATIONS = 100
CLOSE = 1e-9
LARGE = 2000
NORMAL = 1.959963984540054  # the quantile of 1 - TAIL


def below(shape, x):
    """P(shape, x), the regularised lower incomplete gamma function: that Poisson(x) is `shape` or more."""
    if x <= 0:
        return 0.0
    scale = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        at = shape
        while term > total * 1e-12:
            at += 1
            term *= x / at
            total += term
        return scale * total
    return 1 - scale * continued_fraction(shape, x)


def continued_fraction(shape, x):
    """Of the upper one, by Lentz (Numerical Recipes, 6.2)."""
    b = x + 1 - shape
    c, d = 1e300, 1 / b
    value = d
    for at in range(1, 1000):
        a = -at * (at - shape)
        b += 2
        d = 1 / (a * d + b)
        c = b + a / c
        value *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return value


def root(function, low, high):
    """Where the growing function is 0, to nine digits."""
    for _ in range(ITERATIONS):
        middle = (low + high) / 2
        if function(middle) > 0:
            high = middle
        else:
            low = middle
        if high - low <= CLOSE * high:
            break
    return (low + high) / 2


def gamma_quantile(shape, normal):
    """By Wilson and Hilferty; for large shapes, with six digits."""
    return shape * (1 - 1 / (9 * shape) + normal / (3 * math.sqrt(shape))) ** 3


@functools.lru_cache(maxsize=65536)
def least_mean(count):
    """The lowest mean with which a Poisson number that is not 0 is `count` or more in TAIL of all cases."""
    if count <= 1:
        return 0.0  # as likely with any mean
    if count > LARGE:
        return gamma_quantile(count, -NORMAL)
    return root(lambda mean: below(count, mean) + TAIL * math.expm1(-mean), 0.0, count)


@functools.lru_cache(maxsize=65536)
def greatest_mean(count):
    """The highest mean with which it is less than `count` in TAIL of all cases."""
    if count > LARGE:
        return gamma_quantile(count, NORMAL)
    spread = 10 * math.sqrt(count) + 10
    return root(lambda mean: below(count, mean) - (1 - TAIL), count, count + spread)


def left_out(stratum):
    """Estimate and bounds of the sum over the runs that sampling left out."""
    probability, total, squares, largest = stratum
    weight = (1 - probability) / probability
    low = 0.0
    if total > 0:
        low = weight * squares / total * least_mean(as_many(total, squares))
    if largest is None:
        return weight * total, low, None
    more, more_squares = total + largest, squares + largest * largest
    if more <= 0:
        return 0.0, 0.0, 0.0
    high = weight * more_squares / more * greatest_mean(as_many(more, more_squares))
    return weight * total, low, high


def as_many(total, squares):
    """How many runs of one size vary as these do; rounded, for the caches."""
    return float("%.5g" % (total * total / squares))


def largest_possible(kept, largest):
    """The largest value that a run of a stratum is taken to have, for Stratum.largest; None: not known. `kept`: how
    many runs of the stratum were kept in the whole store or period, not under one name; `largest`: the largest of
    their values. That few runs are kept hides the large ones: test/bench/intervals shows how far this holds."""
    return FACTOR * largest if kept >= ENOUGH else None


def interval(strata, most=None):
    """The bounds between which a sum lies in 95 % of all cases at the least: (low, high). `high` is None ("at least")
    where it is not known, and where it would be more than VAGUE times the estimate.

    `strata`: a Stratum for each probability with which sampling may have kept runs, also for those of which none
    was kept. Those of probability 1 are certain. `most`: what the sum cannot exceed, if that is known.
    """
    certain = estimate = below_it = above_it = 0.0
    for stratum in strata:
        certain += stratum.total
        if stratum.probability >= 1:
            continue
        part, low, high = left_out(stratum)
        estimate += part
        below_it += (part - low) ** 2
        above_it = None if high is None or above_it is None else above_it + (high - part) ** 2
    low = certain + max(estimate - math.sqrt(below_it), 0.0)
    high = None if above_it is None else certain + estimate + math.sqrt(above_it)
    if most is not None:
        high = most if high is None else min(high, most)
        high = max(high, certain)
        low = min(low, high)
    if high is not None and high > VAGUE * (certain + estimate):
        high = None
    return low, high
