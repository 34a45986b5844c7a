# SPDX-License-Identifier: BSD-2-Clause
"""Intervals of means, and exact or sampled tests of whether two sets of numbers differ.

>>> round(student(0.05, 7), 3)
2.365
>>> sign_flip([math.log(x) for x in (1.38, 2, 2, 3, 4, 4, 5, 5.15)])
0.0078125
>>> permutation([1, 2, 3, 4], [5, 6, 7, 8]) == 2 / 70
True
"""
import itertools
import math
import random
from statistics import fmean as mean, variance

EXACT = 20000  # as many assignments are all tried; of more, so many are drawn
SLACK = 1e-9   # sums that differ by less are equal


def _beta_fraction(a, b, x):
    """The continued fraction of the incomplete beta function (Lentz's algorithm)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    whole = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = whole
        for part in even, odd:
            d, c = 1 / (1 + part * d), 1 + part / c
            whole *= c * d
        if abs(whole - before) <= 1e-14 * abs(whole):
            break
    return whole


def likely(t, freedom):
    """The chance that Student's t is as far from 0 as this or farther."""
    a, b, x = freedom / 2, 0.5, freedom / (freedom + t * t)
    if x >= 1:
        return 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) +
                     b * math.log1p(-x))
    return (front * _beta_fraction(a, b, x) / a if x < (a + 1) / (a + b + 2) else
            1 - front * _beta_fraction(b, a, 1 - x) / b)


def student(chance, freedom):
    """The t that is exceeded, either way, with this chance."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        if likely(middle, freedom) > chance:
            low = middle
        else:
            high = middle
    return low


def reach(values, chance=0.05):
    """Half of the interval of the mean; 0 where there is one value, or all are equal."""
    if len(values) < 2 or min(values) == max(values):
        return 0.0
    return student(chance, len(values) - 1) * math.sqrt(variance(values) / len(values))


def tied(differences, chance=0.05):
    """Does the interval of the mean difference hold 0?"""
    return abs(mean(differences)) <= reach(differences, chance)


def likely_interval(chance, one, two=None):
    """The interval of the mean of differences, or of the difference of two means (Welch)."""
    if two is None:
        middle, half = mean(one), reach(one, chance)
    else:
        parts = [variance(side) / len(side) for side in (one, two)]
        freedom = sum(parts) ** 2 / sum(part ** 2 / (len(side) - 1)
                                        for part, side in zip(parts, (one, two)))
        middle, half = mean(two) - mean(one), student(chance, freedom) * math.sqrt(sum(parts))
    return middle - half, middle + half


def sign_flip(differences):
    """The chance of a sum as far from 0 where each difference could as well have the other sign."""
    far = abs(sum(differences)) * (1 - SLACK)
    flips = itertools.product((1, -1), repeat=len(differences))
    if 2 ** len(differences) > EXACT:
        dice = random.Random(1)
        flips = (dice.choices((1, -1), k=len(differences)) for _ in range(EXACT))
    return _share((abs(sum(sign * value for sign, value in zip(signs, differences))) >= far
                   for signs in flips), 2 ** len(differences) > EXACT)


def permutation(one, two):
    """The chance of means as far apart where each value could as well be of the other set."""
    values, whole, size = one + two, sum(one + two), len(one)
    # The part's distance from its share is that of the means, but for a factor.
    share = whole * size / len(values)
    far = abs(sum(one) - share) * (1 - SLACK)
    drawn = math.comb(len(values), size) > EXACT
    dice = random.Random(1)
    parts = ((dice.sample(values, size) for _ in range(EXACT)) if drawn else
             itertools.combinations(values, size))
    return _share((abs(sum(part) - share) >= far for part in parts), drawn)


def _share(hits, drawn):
    hits = [*hits]  # of draws, the values themselves are one more
    return (sum(hits) + drawn) / (len(hits) + drawn)


def holm(chances, level):
    """Which of these differ (Holm, Scand. J. Statist. 6, 1979), the level being that of all."""
    differ = set()
    for place, at in enumerate(sorted(range(len(chances)), key=lambda at: chances[at])):
        if chances[at] >= level / (len(chances) - place):
            break
        differ.add(at)
    return differ
