# SPDX-License-Identifier: BSD-2-Clause
"""Which figures of two files of results differ by more than their seeds do.

Figures above 0 are compared by the logarithm of their ratio. Where both files have the same seeds,
values of equal seeds are one pair, and the test flips signs; else it permutes values.
"""
import json
import math
import os

from .results import Missing, Wrong, choose, failures, figures, plural, read, settings, text
from .stats import EXACT, holm, likely_interval, mean, permutation, sign_flip

LEVEL = 0.01  # of all verdicts together
SEEDS = "seed", "workload.seed"
HASH = "point.hash"


class Pair:
    """The values of one figure at one point in both files."""

    def __init__(self, point, figure, one, two):
        self.point, self.figure = point, figure
        self.paired = set(one) == set(two)
        self.one, self.two = ([side[seed] for seed in sorted(side, key=str)] for side in (one, two))
        self.chance = self.low = self.high = None
        self.drawn = len({seed[1] for seed in (*one, *two)}) > 1
        self.equal = self.paired and self.one == self.two
        self.ratio = min(self.one + self.two) > 0
        one, two = ([math.log(value) if self.ratio else value for value in side]
                    for side in (self.one, self.two))
        self.middle = mean(two) - mean(one)
        # Seeds that all gave one value are one run.
        self.sizes = len(one), len(two)
        if self.equal or min(self.sizes) < 2 or max(len(set(one)), len(set(two))) < 2:
            return
        if self.paired:
            differences = [b - a for a, b in zip(one, two)]
            self.chance = sign_flip(differences)
            self.low, self.high = likely_interval(LEVEL, differences)
        else:
            self.chance = permutation(one, two)
            self.low, self.high = likely_interval(LEVEL, one, two)

    def least(self, one=0, two=0):
        """The least chance that so many seeds can give."""
        one, two = (one, two) if one else self.sizes
        ways = 2 ** one if self.paired else math.comb(one + two, one)
        return max((2 if self.paired or one == two else 1) / ways, 1 / (EXACT + 1))

    def told(self, differs):
        show = math.exp if self.ratio else float
        mark = "x " if self.ratio else ""
        words = f"  {self.figure:<30} {mean(self.one):14.6g} {mean(self.two):14.6g}  "
        if self.chance is None:
            return words + f"{mark}{show(self.middle):.4g}, no verdict: " + (
                "a side has one seed" if min(self.sizes) < 2 else "all seeds gave one value")
        pairs = (f"{len(self.one)} pairs" if self.paired else
                 f"n = {len(self.one)}, {len(self.two)}")
        return (words + f"{mark}{show(self.middle):.4g} ({mark}{show(self.low):.4g} to "
                f"{show(self.high):.4g}), {pairs}, p = {self.chance:.2g}" +
                ("" if differs else ": no difference found"))


def points(path, across, where):
    """By the other settings of a point and by figure, the values of each seed."""
    rows = [(line, settings(line)) for line in read(path)]

    def values_of(name):
        values = [*dict.fromkeys(point[name] for _, point in rows if name in point)]
        if not values:
            raise Missing(f"no point of {path} names {name}",
                          [*dict.fromkeys(other for _, point in rows for other in point)])
        return values
    for name, value in where.items():
        if value not in values_of(name):
            raise Missing(f"{name} has no value {value} in {path}", values_of(name))
        rows = [row for row in rows if row[1].get(name, "-") == value]
    for name in across:
        values_of(name)
    notes, out, crossed = failures([line for line, _ in rows], path), {}, {}
    for line, point in rows:
        key = tuple((name, value) for name, value in point.items()
                    if name not in SEEDS and name not in across)
        seed = tuple(point.get(name) for name in SEEDS)
        side = tuple(point.get(name, "-") for name in across)
        if crossed.setdefault((key, seed), side) != side:
            name = next(name for name, x, y in zip(across, crossed[key, seed], side) if x != y)
            raise Wrong(f"{path} has {' and '.join(map(' '.join, (crossed[key, seed], side)))} at one "
                        f"point and seed, expected one value of {','.join(across)} in each file (--where is "
                        f"for both). Lines of one value: grep '\"point.{name}\":"
                        f"{json.dumps(line['point.' + name])},' {path} >FILE")
        for figure, value in {HASH: line.get(HASH), **figures(line)}.items():
            out.setdefault(key, {}).setdefault(figure, {})[seed] = value
    return out, notes


def compare(a, b, across=(), where=None, only=()):
    """The lines to tell, and the exit status: 0 alike, 1 different, 3 no verdict at all."""
    (one, first), (two, second) = (points(path, across, where or {}) for path in (a, b))
    both = [(key, figure) for key in one if key in two for figure in one[key]
            if figure in two[key] and figure != HASH]
    if both:
        only = choose(only, dict.fromkeys(figure for _, figure in both), "no point of both files has the figure")
    pairs = [Pair(key, figure, one[key][figure], two[key][figure])
             for key, figure in both if not only or figure in only]
    strange = sum(one[key][HASH][seed] != two[key][HASH].get(seed, one[key][HASH][seed])
                  for key in one if key in two and not across for seed in one[key][HASH])
    out, lone = [*first, *second], sum(key not in two for key in one) + sum(key not in one for key in two)
    # Equal numbers are one comparison, whatever their names.
    tested = {}
    for pair in pairs:
        if pair.chance is not None:
            tested.setdefault((tuple(pair.one), tuple(pair.two), pair.paired), []).append(pair)
    groups = [*tested.values()]
    found = {id(pair) for at in holm([group[0].chance for group in groups], LEVEL)
             for pair in groups[at]}
    told = [pair for pair in pairs if id(pair) in found or only]
    if told:
        out.append(f"  {'figure':<30} {'A=' + os.path.basename(a):>14} {'B=' + os.path.basename(b):>14}  B / A, or B - A, with its 99 % interval")
    for at, pair in enumerate(told):
        if not at or told[at - 1].point != pair.point:
            out.append(" ".join(f"{name}={value}" for name, value in pair.point))
        out.append(pair.told(id(pair) in found))
    equal = sum(pair.equal for pair in pairs)
    single = [pair for pair in pairs if pair.chance is None and not pair.equal]
    out.append(f"Figures that differ: {len(found)} of {len(pairs)}; equal with each seed: {equal}. "
               f"Comparisons that count: {len(groups)} (Holm, {LEVEL:g} for all).")
    if strange:
        out.append(f"{plural(strange, 'point has', 'points have')} equal settings, but other kernels or "
                   "files (point.hash).")
    if lone:
        out.append(f"{plural(lone, 'point is', 'points are')} in one file only.")
    if across and one == two:
        out.append("Both files have the same values here: --where selects in both, and "
                   f"{','.join(across)} does not differ.")
    if single:
        out.append(f"No verdict on {plural(len(single), 'figure')}: a side has one seed, or all seeds gave one value." +
                   (' Where a workload draws its data, "zip set workload.seed 1..8" after "seed 1..8" of a '
                    "study draws them anew, the same in both." if any(not pair.drawn for pair in single) else ""))
    if not both:
        out.append("Nothing is compared: " + (
            "no point has a figure in both files." if any(key in two for key in one) else
            "no point is in both files. " + _apart(one, two, across)))
    need = LEVEL / max(len(groups), 1)
    least = min((group[0].least() for group in groups), default=0)
    if least >= need:
        enough = next((seeds for seeds in range(2, 20) if groups[0][0].least(seeds, seeds) < need), None)
        out.append(f"These seeds cannot tell: p is at least {least:.2g}, and {need:.2g} is needed for "
                   f"{plural(len(groups), 'comparison')}. " +
                   (f"{enough} seeds are enough; or " if enough else "No number of seeds is enough: ") +
                   "--only names figures, --where points.")
    return out, 1 if found else 3 if least >= need or not groups and equal < len(pairs) or not pairs else 0


def _apart(one, two, across):
    """Which settings the first points differ in."""
    first, second = (dict(next(iter(side), ())) for side in (one, two))
    names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
    return (f"The first points differ in these settings: --across {','.join([*across, *names])} "
            "compares them." if names else "One file has no points left.")
