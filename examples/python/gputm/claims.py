# SPDX-License-Identifier: BSD-2-Clause
"""What a study shows: kilo_tm.py beside kilo-tm.study has a function for each figure or table of a
paper, which gives notes, tables with the paper's numbers, and claims.

    from gputm.claims import claim, figure, less, paper, table

    @figure("Fung, thesis 2015, Fig. 4.9 (section 4.4.2)", "what the threads do with their cycles")
    def fig_4_9(d):
        share = d["times.threads.to"] / d["cycles"]
        yield table("share", "share of commits", share, paper("system", {"kilo-tm": 0.4}))
        yield claim("A limit of 2 shortens commits", less(share.sel(concurrency=2),
                    share.sel(concurrency="inf")), expect="holds", quick="in part", why="...")

A claim holds where all its relations hold in all cells that have numbers, and differs where none
does. With three seeds or more a cell is tied where the 95 % interval of the difference holds 0; a
claim is tied where no cell fails, and some are tied. A gain of the right sign and another size is
larger or smaller. expect is the verdict that is expected, quick that of the small form; off has the
settings that turn the claim's mechanism off, without which the claim has to fall, or says why there
are none. What several files share is imported from a module beside them.
"""
import ast
import math
import operator
import os
import sys

from .results import Array, Missing, Results, Wrong, number, shown, text
from .stats import reach, tied

SHUFFLES = 200
SANE = 0.1  # a claim that holds more often with shuffled results is a sanity check
TELLING = 3  # seeds that tell ties: the interval of two is 12.7 standard errors to either side
MET = "holds", "larger", "smaller"
NEAR = 1.5  # a gain within this factor of the paper's is that gain
VERDICTS = "no result", "holds", "tied", "larger", "smaller", "in part", "differs"


class Table:
    reach = None  # half of the 95 % interval over the seeds

    def __init__(self, name, title, value, paper):
        self.name, self.title, self.value = name, title, value
        self.paper = bound(paper, value) if paper else None


class Relation:
    """Two sides, and what is judged of each pair of their cells."""
    doubts = ()  # the doubt of each seed, where there are several

    def __init__(self, sign, judge, a, b, doubt=None):
        self.sign, self.judge, self.a, self.b = sign, judge, a, b
        self.doubt = doubt  # what is 0 where neither side can be told from the other

    def cells(self):
        """For each cell that has numbers: its row, both numbers, and the verdict."""
        over = self.a.joint(self.b)
        every = zip(*(doubt.spread(over) for doubt in self.doubts)) if self.doubts else [()] * self.a.grid.size(over)
        for row, x, y, doubts in zip(self.a.grid.cells(over), self.a.spread(over), self.b.spread(over), every):
            if math.isnan(x) or math.isnan(y):
                continue
            doubts = [doubt for doubt in doubts if math.isfinite(doubt)]
            verdict = self.judge(x, y)
            if len(doubts) >= TELLING and tied(doubts) and (any(doubts) or self.judge(0, 0) != "holds"):
                verdict = "tied"
            yield row, x, y, verdict


class Claim:
    verdict = here = judged_by = None
    ablated = None  # the same claim, of results with its mechanism off
    null = 0.0  # how often the claim holds, ties apart, where results are shuffled

    def __init__(self, title, relations, expect, quick, why, off):
        for verdict in expect, quick:
            if verdict not in (None, *VERDICTS[1:]):
                raise Wrong(f'"{title}": got {verdict!r}, expected {", ".join(VERDICTS[1:])}')
        self.title, self.relations, self.why = title, relations, why
        self.off, self.no_off = ({}, off) if isinstance(off, str) else (off or {}, "")
        self.expect, self.quick = expect, quick or expect

    def expected(self, quick):
        return self.quick if quick else self.expect

    def surprises(self, quick):
        """Is another verdict expected? A claim may have no cell in the small form."""
        return (self.expected(quick) not in (None, self.verdict) and
                not (quick and self.verdict == "no result"))

    def is_sanity_check(self):
        return self.verdict == "holds" and self.null > SANE

    def ablation(self):
        """Whether the claim falls with its mechanism off; only what is met can fall."""
        if not self.off:
            return "no setting"
        if self.verdict not in MET:
            return "not met"
        return self.ablated.verdict if self.ablated.verdict == "no result" else (
            "stands" if self.ablated.verdict in MET else "falls")

    def shown_verdict(self):
        off = ", ".join(f"{name}={text(value)}" for name, value in self.off.items())
        return (self.verdict + " (a sanity check)" * self.is_sanity_check() +
                (f", null {self.null:.2f}" if self.verdict == "holds" else "") +
                (f"; {self.ablation()} with {off}" if self.ablated and self.verdict in MET else ""))


class Paper:
    """Printed numbers, by values of axes."""

    def __init__(self, axes, numbers, where=None):
        self.axes, self.numbers, self.where = axes, numbers, where or {}

    def sel(self, **axes):
        return Paper(self.axes, self.numbers, {**self.where, **axes})


def note(words):
    """A paragraph."""
    return words


def table(name, title, value, paper=None):
    return Table(name, title, value, paper)


def claim(title, *relations, expect=None, quick=None, why="", off=None):
    return Claim(title, [part for relation in relations for part in relation], expect, quick, why, off)


def paper(*axes_and_numbers):
    """paper("program", {"HT-H": 1.39}), paper("system", "program", {"getm": {"HT-H": 1.39}})."""
    return Paper(axes_and_numbers[:-1], axes_and_numbers[-1])


def figure(source, what=""):
    """The function is of this figure or table of a paper, which shows this."""
    def mark(function):
        function.source = source + (": " if what else "") + what
        return function
    return mark


# ---- relations ----

def bound(value, other):
    """An array of a number, or of a paper's numbers, over the axes of the other."""
    if isinstance(value, Array):
        return value
    if not isinstance(value, Paper):
        return Array(other.grid, (), [float(value)])
    grid = other.grid
    over = tuple(axis for axis in grid.over if axis in map(grid.axis, value.axes))
    cells = {}

    def put(numbers, axes, at):
        for key, inner in numbers.items():
            index = grid.index(axes[0], key)
            place = {**at, grid.axis(axes[0]): index}
            if index is not None and axes[1:]:
                put(inner, axes[1:], place)
            elif index is not None:
                cells[tuple(place[axis] for axis in over)] = inner
    put(value.numbers, value.axes, {})
    places = [()]
    for axis in over:
        places = [(*place, i) for place in places for i in range(len(grid.values[axis]))]
    return Array(grid, over, [cells.get(place, math.nan) for place in places]).sel(value.where)


def _relation(sign, holds, ties=True):
    """A relation of two sides or more, each to the next."""
    def relate(*sides):
        like = next((side for side in sides if isinstance(side, Array)), None)
        if like is None or len(sides) < 2:
            raise TypeError("a relation has two sides or more, and one is an array of results")
        sides = [bound(side, like) for side in sides]
        return [Relation(sign, lambda x, y: "holds" if holds(x, y) else "differs", a, b, a - b if ties else None)
                for a, b in zip(sides, sides[1:])]
    return relate


less = _relation("<", operator.lt)
more = _relation(">", operator.gt)
at_most = _relation("<=", operator.le)
at_least = _relation(">=", operator.ge)


def between(low, value, high):
    return at_most(low, value, high)


def within(value, factor, of):
    """Neither side is more than the factor times the other. There are no ties."""
    return _relation(f"within {factor:g} of",
                     lambda a, b: a <= b * factor and a * factor >= b, ties=False)(value, of)


def best_at(value, **axis):
    """The numbers are less at this value of the axis than at each other: best_at(cycles, concurrency=2)."""
    (name, at), = axis.items()
    others = [other for other in value.grid.values[value.grid.axis(name)] if other != text(at)]
    return less(value.sel(axis), value.sel({name: others}))


def gain(a, b, about, factor=NEAR):
    """b / a - 1 has the sign of the paper's number, and is within the factor of it."""
    def judge(x, y):
        if not x * y > 0:
            return "differs"
        return "larger" if x / y > factor else "smaller" if x / y * factor < 1 else "holds"
    a = bound(a, b) if isinstance(b, Array) else a
    if not isinstance(a, Array):
        raise TypeError("of the two sides of a gain one is an array of results")
    left = bound(b, a) / a - 1
    return [Relation("about", judge, left, bound(about, left), left)]


# ---- verdicts ----

def _cell_name(row):
    return " ".join(f"{axis} {value}" if not math.isnan(number(value)) else value
                    for axis, value in row.items())


def _told(relation, rows):
    """The evidence: numbers of the cells that do not hold, or the range of the others."""
    failing = [row for row in rows if row[3] != "holds"]
    held = f"{len(rows) - len(failing)} of {len(rows)}"
    words = [f"{shown(x)} {relation.sign} {shown(y)}" + (f" ({verdict})" if verdict not in ("holds", "differs") else "")
             for _, x, y, verdict in failing or rows]
    if relation.a.grid.size(relation.a.joint(relation.b)) == 1:
        return ("not " if failing else "") + words[0]
    if failing:
        return f"{held}, but not " + ", ".join(f"{_cell_name(row[0])}: {word}" for row, word in
                                               zip(failing[:6], words)) + ", ..." * (len(failing) > 6)
    what, left = "", [x for _, x, _, _ in rows]
    if len({y for _, _, y, _ in rows}) > 1 and all(y for _, _, y, _ in rows):
        what, left = "ratio ", [x / y for _, x, y, _ in rows]
    return f"{held}, {what}{shown(min(left))} to {shown(max(left))}"


def claims_of(told):
    return [item for _, items in told for item in items if isinstance(item, Claim)]


def counted(told):
    """How many claims have which verdict."""
    every = claims_of(told)
    count = {verdict: sum(item.verdict == verdict for item in every) for verdict in VERDICTS}
    sane = sum(item.is_sanity_check() for item in every)
    return (f"Of {len(every)} claims {count['holds'] - sane} hold; {sane} more hold that shuffled results "
            f"meet in more than {SANE:.0%} of {SHUFFLES} shuffles (sanity checks); {count['tied']} are tied, "
            f"of {count['larger']} the gain is larger and of {count['smaller']} smaller, "
            f"{count['in part']} hold in part, {count['differs']} differ, {count['no result']} have no result.")


def counted_ablations(told):
    """How many claims fall with their mechanism off."""
    every = claims_of(told)
    count = [item.ablation() for item in every]
    why = sum(item.no_off != "" for item in every)
    return (f"Of {len(every)} claims {len(every) - count.count('no setting')} have a setting that turns their "
            f"mechanism off; with it {count.count('falls')} fall, {count.count('stands')} stand and "
            f"{count.count('no result')} have no result; {count.count('not met')} are not met with the mechanism "
            f"either. Of {why} more the file says why there is no such setting.")


def joined(verdicts):
    """The verdict of a claim from those of its cells."""
    said = {*verdicts}
    if said and said <= {"differs", "tied"}:
        return "differs" if "differs" in said else "tied"
    if "differs" in said or {"larger", "smaller"} <= said:
        return "in part"
    return next((verdict for verdict in ("larger", "smaller", "tied", "holds") if verdict in said), "no result")


def judge_claim(item):
    judged = [(relation, [*relation.cells()]) for relation in item.relations]
    item.here = "; ".join(_told(relation, rows) for relation, rows in judged if rows)
    item.verdict = joined(row[3] for _, rows in judged for row in rows)
    return item.verdict


def reach_of(arrays):
    """Half of the interval of each cell, from arrays of one seed each; 0 where these are too few."""
    if len(arrays) < TELLING:
        return [0.0] * (len(arrays[0].cells) if arrays else 0)
    return [reach([value for value in values if math.isfinite(value)])
            for values in zip(*(array.cells for array in arrays))]


# ---- the file beside a study ----

class Story:
    """The figures of a file beside a study."""

    def __init__(self, path):
        self.path = path
        self.study = os.path.join(os.path.dirname(path),
                                  os.path.basename(path)[:-3].replace("_", "-") + ".study")
        try:
            with open(path, encoding="utf-8") as file:
                self.source = file.read()
        except OSError as problem:
            raise Wrong(f"{path}: {problem.strerror}; expected a file of Python beside a study, as "
                        "kilo_tm.py beside kilo-tm.study") from None
        scope = {"__name__": os.path.basename(path)[:-3]}
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        try:
            exec(compile(self.source, path, "exec"), scope)
        finally:
            del sys.path[0]
        self.figures = [value for value in scope.values() if hasattr(value, "source")]
        if not self.figures:
            raise Wrong(f"{path}: no function has @figure(SOURCE) before it")

    def items(self, data):
        """A list of items for each figure. What does not exist is named with its figure."""
        out = []
        for function in self.figures:
            try:
                out.append(list(function(data)))
            except (Missing, TypeError) as problem:
                raise Wrong(f"{self.path}: {function.__name__}: {problem}") from problem
        return out

    def asked(self, *grids):
        """The figures that results must have, found without results."""
        asked = {}
        for grid in grids:
            dry = Results([], grid)
            self.items(dry)
            asked.update(dict.fromkeys(dry.asked))
        return [*asked]

    def judge(self, results, shuffles=SHUFFLES):
        """Pairs of a source and its items, judged."""
        told = self.items(results)
        places = range(len(results.grid.seeds) if len(results.grid.seeds) > 1 else 0)
        seeds = [self.items(results.of_seed(at)) for at in places]
        for at, items in enumerate(told):
            for i, item in enumerate(items):
                if isinstance(item, Table) and seeds:
                    item.reach = reach_of([seed[at][i].value for seed in seeds])
                for place, relation in enumerate(item.relations if isinstance(item, Claim) else ()):
                    if relation.doubt:
                        relation.doubts = [seed[at][i].relations[place].doubt for seed in seeds]
        written = _relations_of(self.source)
        drawn = [self.items(results.shuffled(number)) for number in range(shuffles)]
        for at, items in enumerate(told):
            for i, item in enumerate(items):
                if isinstance(item, Claim):
                    judge_claim(item)
                    item.judged_by = written.get(item.title, "")
                    others = [other[at][i] for other in drawn]
                    item.null = sum(judge_claim(other) == "holds" for other in others) / (shuffles or 1)
        return [(function.source, items) for function, items in zip(self.figures, told)]

    def ablate(self, told, run):
        """Judge claims again with their mechanisms off; run gives the results for settings."""
        done = []
        for at, (_, items) in enumerate(told):
            for i, item in enumerate(items):
                if not isinstance(item, Claim) or not item.off:
                    continue
                if item.off not in [off for off, _ in done]:
                    done.append((item.off, self.judge(run(item.off), 0)))
                item.ablated = next(other for off, other in done if off == item.off)[at][1][i]


def _relations_of(source):
    """The relations of each claim, as they are written."""
    return {call.args[0].value: " and ".join(" ".join(ast.get_source_segment(source, part).split())
                                             for part in call.args[1:])
            for call in ast.walk(ast.parse(source))
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "claim" and
            call.args and isinstance(call.args[0], ast.Constant)}
