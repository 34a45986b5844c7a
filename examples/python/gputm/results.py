# SPDX-License-Identifier: BSD-2-Clause
"""Results of gputm-sim: lines of JSON, and arrays of numbers over the axes of their study.

>>> grid = Grid([{"name": "system", "zipped": False, "values": ["getm", "kilo-tm"]},
...              {"name": "concurrency", "zipped": False, "values": [1, 2]}])
>>> cycles = Array(grid, ("system", "concurrency"), [40, 30, 60, math.nan])
>>> print(cycles.sel(system="getm") / cycles.sel(system="kilo-tm"))
concurrency 1: 0.667
concurrency 2: -
>>> print(cycles.min("concurrency"))
system getm: 30
system kilo-tm: 60
>>> cycles.sel(system="warptm")
Traceback (most recent call last):
gputm.Missing: system has no value warptm; it has getm, kilo-tm
"""
import difflib
import fnmatch
import functools
import itertools
import json
import math
import random

# Settings that say what is run; the others say on what.
WORKLOAD = "seed", "workload", "kernel", "trace", "keys", "edges", "vertices", "threads"


class Wrong(Exception):
    """Input that cannot be taken: what is wrong, what is expected, and what to do."""
    __module__ = "gputm"


class Missing(KeyError):
    """A name or value that does not exist, what could be meant, and what exists."""
    __module__ = "gputm"
    MOST = 60  # names that are told

    def __init__(self, what, there, name=""):
        near = difflib.get_close_matches(name, there, 1) if name else []
        names = [*map(str, there)]
        names[self.MOST:] = [f"{len(names) - self.MOST} more"] * (len(names) > self.MOST)
        super().__init__(f"{what}; {f'did you mean {near[0]}? ' if near else ''}"
                         f"it has {', '.join(names) or 'none'}")

    def __str__(self):
        return self.args[0]


def text(value):
    """A value as studies and lines write it: 2, inf, - where it is not set."""
    if value is None:
        return "-"
    return "inf" if value == math.inf else f"{value:g}" if isinstance(value, float) else str(value)


def number(value):
    """The number that a text is, or NaN."""
    try:
        return float(value) if value[:1] in "+-.0123456789" else math.nan
    except ValueError:
        return math.nan


def plain(words):
    """The value that a text is, as a line has it: a number, or a text."""
    value = number(words)
    return words if math.isnan(value) else int(words) if words.lstrip("+-").isdigit() else value


def total(values):
    """The sum, added in order: that of Python 3.12 has other digits."""
    out = 0.0
    for value in values:
        out += value
    return out


def plural(number, one, several=None):
    """1 point, 2 points."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def settings(line):
    """The settings of a line by their names, as texts; point.hash is none."""
    return {name[6:]: text(value) for name, value in line.items()
            if name.startswith("point.") and name != "point.hash"}


def figures(line):
    """The figures of a line by their names."""
    return {name: value for name, value in line.items() if isinstance(value, (int, float)) and
            name not in ("run", "of") and not name.startswith("point.")}


def choose(patterns, there, where):
    """The names that these patterns take, such as aborts_by_reason.*; each takes one at least."""
    found = {}
    for pattern in patterns:
        names = fnmatch.filter(there, pattern)
        if not names:
            raise Missing(f"{where} {pattern}", there, pattern)
        found.update(dict.fromkeys(names))
    return [*found]


def failures(lines, path, points=0):
    """A note on points that failed; it is Wrong that all have failed."""
    failed = [line["failed"] for line in lines if "failed" in line]
    note = (f"{path}: {len(failed)} of {plural(points or len(lines), 'point')} failed: "
            f"{failed[0]}" if failed else "")
    if failed and len(failed) == len(lines):
        raise Wrong(note)
    return [note] * bool(failed)


def shown(value):
    """A number with three digits or more; - where there is none."""
    if math.isnan(value):
        return "-"
    return ("inf" if math.isinf(value) else f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}")


class Grid:
    """The axes of a study, as --axes tells them. Axes zipped together go by the name of the first."""

    def __init__(self, axes, others=()):
        self.values = {axis["name"]: [text(value) for value in axis["values"]] for axis in axes}
        self.others = {axis["name"]: [text(value) for value in axis["values"]] for axis in others}
        self.leader, self.members, first = {}, {}, None
        for axis in axes:
            first = first if axis["zipped"] else axis["name"]
            self.leader[axis["name"]] = first
            self.members.setdefault(first, []).append(axis["name"])
        seeds = self.members.get("seed", ())
        self.seeds = self.values["seed"] if set(seeds) - {"workload.seed"} == {"seed"} else ["-"]
        self.over = tuple(axis for axis in self.members if len(self.values[axis]) > 1 and
                          not (axis == "seed" and self.seeds != ["-"]))

    def size(self, over):
        return math.prod(len(self.values[axis]) for axis in over)

    def axis(self, name):
        """The first of the axes that are zipped with this one."""
        if name in ("seed", "workload.seed") and self.leader.get(name) == "seed":
            raise Missing(f"{name} is no axis, as the mean over the seeds is taken: of_seed(0) of the "
                          "results is that of the first seed alone", self.over)
        if name not in self.leader:
            raise Missing(f"the study has no line {name}", [n for n in self.leader if n != "seed"])
        return self.leader[name]

    def index(self, name, value):
        """The number of a value; None: only the other form of the study has it."""
        self.axis(name)
        wanted = text(value)
        found = [i for i, known in enumerate(self.values[name]) if known == wanted]
        if len(found) > 1:
            raise Missing(f"{name} has the value {value} {len(found)} times: take "
                          f"{self.leader[name]}", self.values[self.leader[name]])
        if not found and wanted not in self.others.get(name, ()):
            raise Missing(f"{name} has no value {wanted}", self.values[name])
        return found[0] if found else None

    @functools.cache
    def places(self, some, over):
        """For each cell over these axes the place of the cell over some of them."""
        step, steps, places = 1, {}, [0]
        for axis in reversed(some):
            steps[axis], step = step, step * len(self.values[axis])
        for axis in over:
            places = [at + i * steps.get(axis, 0) for at in places for i in range(len(self.values[axis]))]
        return places

    def cells(self, over):
        """For each cell, in order, the value of each axis."""
        values = itertools.product(*(self.values[axis] for axis in over))
        return [dict(zip(over, row)) for row in values]


class Array:
    """Numbers over axes, cell by cell; NaN where a point is missing, or not selected."""

    def __init__(self, grid, over, cells):
        self.grid, self.over, self.cells = grid, over, cells

    def spread(self, over):
        """The cells, repeated over these axes, which include those of the array."""
        return self.cells if over == self.over else [self.cells[at] for at in
                                                     self.grid.places(self.over, over)]

    def joint(self, other):
        """The axes of both."""
        return tuple(axis for axis in self.grid.over if axis in self.over or axis in other.over)

    def sel(self, where=None, **axes):
        """Select a value of an axis, which goes, or a list: sel(system="getm", concurrency=[1, 2])."""
        out = self
        for name, wanted in {**(where or {}), **axes}.items():
            out = out._sel(name, wanted)
        return out

    def _sel(self, name, wanted):
        axis, several = self.grid.axis(name), isinstance(wanted, (list, tuple))
        keep = [self.grid.index(name, value) for value in (wanted if several else [wanted])]
        if axis not in self.over:
            if axis in self.grid.over:
                raise Missing(f"the numbers have no axis {name} any more", self.over)
            return Array(self.grid, self.over,
                         self.cells if 0 in keep else [math.nan] * len(self.cells))
        places = self.grid.places((axis,), self.over)
        if several:
            return Array(self.grid, self.over, [cell if place in keep else math.nan
                                                for cell, place in zip(self.cells, places)])
        over = tuple(other for other in self.over if other != axis)
        return Array(self.grid, over, [math.nan] * self.grid.size(over) if keep == [None] else [
            cell for cell, place in zip(self.cells, places) if place == keep[0]])

    def _reduce(self, join, axes, by=None):
        by = by or self
        gone = {self.grid.axis(name) for name in axes} or set(self.grid.over)
        over = self.joint(by)
        left = tuple(axis for axis in over if axis not in gone)
        groups = [[] for _ in range(self.grid.size(left))]
        for place, key, value in zip(self.grid.places(left, over), by.spread(over), self.spread(over)):
            if not math.isnan(value) and not math.isnan(key):
                groups[place].append((key, value))
        return Array(self.grid, left, [join(group) if group else math.nan for group in groups])

    def min(self, *over):
        return self._reduce(lambda group: min(value for _, value in group), over)

    def max(self, *over):
        return self._reduce(lambda group: max(value for _, value in group), over)

    def sum(self, *over):
        return self._reduce(lambda group: total(value for _, value in group), over)

    def mean(self, *over):
        return self._reduce(lambda group: total(value for _, value in group) / len(group), over)

    def geomean(self, *over):
        return self.each(lambda x: math.log(x) if x > 0 else -math.inf if x == 0 else math.nan
                         ).mean(*over).each(math.exp)

    def harmean(self, *over):
        return 1 / (1 / self).mean(*over)

    def best(self, by, over=()):
        """The cell where `by` is least."""
        return self._reduce(lambda group: min(group, key=lambda pair: pair[0])[1],
                            [over] if isinstance(over, str) else over, by)

    def each(self, function):
        return Array(self.grid, self.over, [function(cell) for cell in self.cells])

    def with_(self, other, function):
        """Calculate cell by cell with another array or a number."""
        if not isinstance(other, Array):
            return self.each(lambda cell: function(cell, other))
        over = self.joint(other)
        return Array(self.grid, over, [*map(function, self.spread(over), other.spread(over))])

    def __add__(self, other):
        return self.with_(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self.with_(other, lambda a, b: a - b)

    def __mul__(self, other):
        return self.with_(other, lambda a, b: a * b)

    def __truediv__(self, other):
        return self.with_(other, lambda a, b: a / b if b else math.nan)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return self.each(lambda cell: other - cell)

    def __rtruediv__(self, other):
        return self.each(lambda cell: other / cell if cell else math.nan)

    def __float__(self):
        if self.over:
            raise TypeError(f"one number is expected, and these are over {', '.join(self.over)}: "
                            "sel(), min(), mean() and others leave axes out")
        return float(self.cells[0])

    def __lt__(self, other):
        raise TypeError("a < b keeps neither side: say less(a, b), at_most(a, b), ...")

    __gt__ = __le__ = __ge__ = __lt__

    def rows(self):
        """A list of dicts: the values of the axes, and "value"."""
        return [{**{axis: plain(words) for axis, words in row.items()}, "value": cell}
                for row, cell in zip(self.grid.cells(self.over), self.cells)]

    def __str__(self):
        return "\n".join(", ".join(f"{axis} {value}" for axis, value in row.items()) +
                         (": " if row else "") + shown(cell)
                         for row, cell in zip(self.grid.cells(self.over), self.cells))


def read(path):
    """The lines of a file of results, each a dict. What is no whole result of a study is Wrong."""
    lines, first, there = [], None, {}
    try:
        with open(path, encoding="utf-8") as file:
            source = file.read().split("\n")
    except OSError as problem:
        raise Wrong(f"{path}: {problem.strerror}; expected results of gputm-sim --study") from None
    except UnicodeDecodeError:
        raise Wrong(f"{path}: the file is no text, expected results of gputm-sim --study; of gzip data "
                    f"gzip -dc {path} prints the text") from None
    for at, row in enumerate(source, 1):
        if not row.strip():
            continue
        try:
            line = json.loads(row)
        except ValueError:
            if not lines and row[0] != "{":
                raise Wrong(f"{path}:{at}: expected results of gputm-sim --study, and no study: "
                            "plot takes STUDY RESULTS FILE.svg") from None
            raise Wrong(f"{path}:{at}: the line is cut or is no JSON; without the line, "
                        "gputm-sim --study --resume runs its point again") from None
        if not isinstance(line, dict) or "point.seed" not in line:
            raise Wrong(f"{path}:{at}: expected a line of gputm-sim --study, which names its point")
        first = first or line
        for key in "study", "version", "model":
            if line.get(key) != first.get(key):
                raise Wrong(f"{path}:{at}: {key} is {line.get(key)}, and {first.get(key)} before: "
                            "one file has results of one study and one program; run it anew")
        point = tuple(settings(line).items())
        if point in there:
            raise Wrong(f"{path}:{at}: the point is that of line {there[point]}: one file has one "
                        "result of each, of one kernel and of files that have not changed")
        there[point] = at
        lines.append(line)
    if not lines:
        raise Wrong(f"{path}: the file is empty, expected results of gputm-sim --study")
    return lines


def grid_of(lines):
    """The axes that lines show by themselves: each setting with several values."""
    names = dict.fromkeys(name for line in lines for name in settings(line))
    axes = [{"name": name, "zipped": False, "values": [*dict.fromkeys(
        line["point." + name] for line in lines if "point." + name in line)]}
        for name in names if name not in ("seed", "workload.seed")]
    seeds = [*dict.fromkeys((line["point.seed"], line.get("point.workload.seed")) for line in lines)]
    return Grid(axes + [{"name": name, "zipped": bool(at), "values": [seed[at] for seed in seeds]}
                        for at, name in enumerate(("seed", "workload.seed")) if name in names])


class Results:
    """Results of a study: results["cycles"] is an Array of means over the seeds.

    results["concurrency"] are the numbers of an axis. failed has the lines of points that failed,
    each with its reason and command; their cells are NaN. Without lines all cells are NaN, and asked
    has the figures that were asked for.
    """

    def __init__(self, lines, grid=None, name="results"):
        self.lines, self.name, self.grid = lines, name, grid or grid_of(lines)
        self.failed = [line for line in lines if "failed" in line]
        self.chosen, self.asked = None, []
        self._places = [self._place(at, line) for at, line in enumerate(lines, 1)]
        # Sums are added in the order of the seeds.
        self._order = sorted(range(len(lines)), key=lambda at: self._places[at][0])

    def of_seed(self, at):
        """The same results, of one seed by its place, from 0."""
        out = object.__new__(type(self))
        out.__dict__.update(self.__dict__, chosen=at)
        return out

    @functools.cached_property
    def _alike(self):
        """The places of lines of equal workload and seed, once for all shuffles."""
        groups = {}
        for at, line in enumerate(self.lines):
            key = tuple(row for row in settings(line).items() if row[0].split(".")[0] in WORKLOAD)
            groups.setdefault(key, []).append(at)
        return [*groups.values()]

    def shuffled(self, number):
        """The points with results of others of equal workload and seed, as chance has it."""
        dice, out = random.Random(number), self.of_seed(self.chosen)
        out.lines = [*self.lines]
        for places in self._alike:
            for at, other in zip(places, dice.sample(places, len(places))):
                out.lines[at] = self.lines[other]
        return out

    def _candidates(self, at, line, axis):
        """Which values of an axis the line is for; all, where the system ignores the axis."""
        members = [(name, text(line["point." + name])) for name in self.grid.members[axis]
                   if "point." + name in line]
        there = range(len(self.grid.values[axis]))
        loose = [i for i in there if all(value in ("-", self.grid.values[name][i])
                                         for name, value in members)]
        if not loose:
            name, value = next(((name, value) for name, value in members
                                if value not in self.grid.values[name]), members[0])
            raise Wrong(f"{self.name}:{at}: {name} is {value}, and the study has "
                        f"{', '.join(self.grid.values[name])}: expected a result of this study "
                        "and form (--quick)")
        return [i for i in loose if all(value == self.grid.values[name][i]
                                        for name, value in members)] or loose

    def _place(self, at, line):
        """Seed and cells of a line."""
        cells = [0]
        for axis in self.grid.members:
            found = self._candidates(at, line, axis)
            if axis in self.grid.over:
                size = len(self.grid.values[axis])
                cells = [cell * size + i for cell in cells for i in found]
            elif axis == "seed":
                seed = found[0] if self.grid.seeds != ["-"] else 0
        return (seed if "seed" in self.grid.members else 0), cells

    def __getitem__(self, name):
        if name in self.grid.leader and name != "seed":
            axis = self.grid.leader[name]
            over = (axis,) if axis in self.grid.over else ()
            return Array(self.grid, over, [*map(number, self.grid.values[name])])
        sums = [[] for _ in range(self.grid.size(self.grid.over))]
        known = False
        for at in self._order:
            line, (seed, cells) = self.lines[at], self._places[at]
            value = line.get(name)
            known = known or name in line
            if isinstance(value, (int, float)) and "failed" not in line and self.chosen in (None, seed):
                for cell in cells:
                    sums[cell].append(value)
        if not self.lines and name not in self.asked:
            self.asked.append(name)
        if self.lines and not known:
            failures(self.lines, self.name)
            raise Missing(f"no line of {self.name} has the figure {name}: tell it in the study, and "
                          "run it with --resume", self.figures(), name)
        return Array(self.grid, self.grid.over,
                     [total(values) / len(values) if values else math.nan for values in sums])

    def seeds(self, where=None):
        """Of how many seeds the means are: "3", "2 to 3", or "" where there is one."""
        counts = [0] * self.grid.size(self.grid.over)
        for line, (_, cells) in zip(self.lines, self._places):
            for cell in cells:
                counts[cell] += "failed" not in line
        some = {count for count in Array(self.grid, self.grid.over, counts).sel(where).cells if count > 0}
        least, most = min(some, default=0), max(some, default=0)
        return "" if most < 2 else f"{least} to {most}" if least < most else str(most)

    def figures(self):
        """The names of the figures that lines have."""
        return [*dict.fromkeys(name for line in self.lines for name in figures(line))]

    def rows(self):
        """A list of dicts, one a point: its settings and figures by their names, for pandas."""
        return [{name[6:] if name.startswith("point.") else name: value
                 for name, value in line.items()} for line in self.lines]
