# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of arrays: scripts for gnuplot, which have all data in them.

A panel for each figure and each combination of the axes that are neither x nor series. x is the
last axis with several numbers, or the last with several values; the series are the first of the
others. Panels without data are left out.
"""
import math
import os
import re
import shutil
import subprocess

from .results import Wrong, number

PANELS_MAX, FIGURES_MAX = 64, 8
LOGARITHM = 100  # values of lines that are so many times apart get a logarithmic axis
BARS = 0.8       # as a part of the width of a place
LETTERS = 34     # that fit along the height of a panel
HALO, MARK = "pt 2 ps 0.8 lw 5 lc rgb 'white'", "pt 2 ps 0.8 lw 2 lc rgb '#c00000'"
INTERVAL = ", '' using 1:3:(0):($4 - $3) with vectors heads size graph 0.006,90 "
# Marks, dashes and the lightness of the colours all differ, so that print without colours does.
COLOURS = "#1b1b1b #0072b2 #d55e00 #56b4e9 #009e73 #cc79a7 #e69f00 #999999".split()
MARKS = 7, 5, 9, 11, 6, 4, 8, 10
# Of bars: neighbours differ in print, and so do all that are hatched or have the same colour.
FILLS = ("solid 0.85,pattern 2,solid 0.85,solid 0.45,solid 0.85,pattern 4,solid 0.85,pattern 1,"
         "pattern 1,solid 0.35,pattern 2,pattern 5,pattern 1,solid 0.45,pattern 2,solid 0.4").split(",")


def quoted(words):
    """In single quotes only a single quote has a meaning for gnuplot."""
    return "'" + words.replace("'", "''") + "'"


def in_lines(words):
    """What is written along an axis, in lines as long as the axis, each ending near its share."""
    out = []
    for lines in range((len(words) + LETTERS - 1) // LETTERS, 1, -1):
        middle = len(words) // lines
        after, before = words.find(" ", middle), max(words.rfind(" ", 0, middle + 1), 0)
        after = len(words) if after < 0 else after
        end = before if before and after > LETTERS else after
        if end == len(words):
            break
        out.append(words[:end])
        words = words[end + 1:]
    return '."\\n".'.join(map(quoted, out + [words]))


class Series:
    """Numbers of one figure in one panel and series, by the places of x; NaN where there is none."""

    def __init__(self, name, mean, reach, paper):
        self.name, self.mean, self.reach, self.paper = name, mean, reach, paper
        self.drawn = any(map(math.isfinite, mean))
        self.printed = any(map(math.isfinite, paper))


class Picture:
    """figures: a name and unit, an Array, half of its intervals or None, and a paper's Array or None."""

    def __init__(self, figures, name):
        self.grid, self.name = figures[0][1].grid, name
        self.over = over = tuple(axis for axis in self.grid.over
                                 if any(axis in array.over for _, array, _, _ in figures))
        self.x = self.series = None
        for axis in over:
            if self.x is None or self._ordered(axis) or not self._ordered(self.x):
                self.x = axis
        self.series = next((axis for axis in over if axis != self.x), None)
        self.others = [axis for axis in over if axis not in (self.x, self.series)]
        if not over or self.grid.size(self.others) > PANELS_MAX:
            raise Wrong(f"{name}: {self.grid.size(self.others)} panels, expected 1 to {PANELS_MAX} "
                        f"and an axis with several values: select from {', '.join(over)}")
        self.xs = self.grid.values[self.x]
        self.places = [number(value) for value in self.xs]
        positive = [value for value in self.places if value > 0]
        self.bars = not self._ordered(self.x)
        self.numbers = not any(map(math.isnan, self.places))
        self.log = self.numbers and min(self.places) > 0 and max(self.places) / min(self.places) >= 8
        # Numbers that span orders of magnitude get places side by side if one of them is 0.
        if self.numbers and not min(self.places):
            self.numbers = max(self.places) / min(positive) < 8
        self.titles = [name for name, _, _, _ in figures]
        self.panels = [", ".join(f"{axis} {value}" for axis, value in row.items())
                       for row in self.grid.cells(self.others)]
        self.rows = [self._split(*figure[1:]) for figure in figures]
        self.papers = any(paper for _, _, _, paper in figures)

    def _ordered(self, axis):
        return all(value == "inf" or not math.isnan(number(value)) and value[0] not in "+-"
                   for value in self.grid.values[axis])

    def _split(self, array, reach, paper):
        """A list of panels, each a list of Series."""
        nothing = [math.nan] * self.grid.size(self.over)
        reach = type(array)(self.grid, array.over, reach or [0.0] * len(array.cells))
        kinds = [*zip(array.spread(self.over), reach.spread(self.over),
                      paper.spread(self.over) if paper else nothing)]
        names = self.grid.values[self.series] if self.series else [""]
        found = {}
        for row, cell in zip(self.grid.cells(self.over), kinds):
            panel = ", ".join(f"{axis} {row[axis]}" for axis in self.others)
            found.setdefault((panel, row.get(self.series, "")), []).append(cell)
        return [[Series(name, *zip(*found[panel, name])) for name in names] for panel in self.panels]

    def all(self):
        return [series for panels in self.rows for panel in panels for series in panel]

    def _place(self, at, name):
        """Where a value of x is."""
        if self.numbers:
            return self.places[at]
        place = self.shown.index(at)
        if not self.bars:
            return place
        return place + (self.names.index(name) + 0.5 - len(self.names) / 2) * BARS / len(self.names)

    def script(self, seeds=""):
        """The text of the script, or "" where there is nothing to draw."""
        every = self.all()
        self.names = [*dict.fromkeys(series.name for panel in self.rows[0] for series in panel
                                     if any(s.drawn for s in every if s.name == series.name))]
        self.shown = [at for at in range(len(self.xs)) if any(math.isfinite(s.mean[at]) for s in every)]
        live = [at for at in range(len(self.panels))
                if any(series.drawn for panels in self.rows for series in panels[at])]
        if not live:
            return ""
        left = [name for at, name in enumerate(self.panels) if at not in live]
        printed = any(series.printed for series in every)
        count, key, wide = len(self.names) if self.series else 0, 5, 330
        # Names of 12 points, or of 10 below bars, are about 7 or 6 points a letter.
        if count or printed:
            key = 160
        if count:
            key = max(key, 75 + 7 * max(map(len, self.grid.values[self.series])), 20 + 7 * len(self.series))
        if not self.numbers:
            wide = max(wide, 60 + len(self.shown) * (10 + (6 if self.bars else 7) * max(map(len, self.xs))))
        width, height = wide * len(live) + 100 + key, max(210 * len(self.rows) + 100, 18 * count + 130)
        out = ["# Drawn by python3 -m gputm; gnuplot FILE draws it again.",
               "# Means and their 95 % intervals over the seeds."]
        out += [f"# Left out, without numbers: {name}." for name in left]
        for f, panels in enumerate(self.rows):
            for p, panel in enumerate(panels):
                for s, series in enumerate(panel):
                    out += self._data(f"$d{f}_{p}_{s}", f, series) if series.drawn else []
        out += [f"set terminal svg size {width},{height} font 'sans-serif,12' noenhanced background 'white'",
                "set output " + quoted(self.name)]
        if seeds:
            intervals = any(reach > 0 for series in every for reach in series.reach)
            out.append(f"set label 1 'means of {seeds} seeds{', 95 % intervals' * intervals}' at screen "
                       f"{1 - 5 / width:.4f},{7 / height:.4f} right font ',8' tc rgb '#606060'")
        out += [f"set linetype {i + 1} lc rgb '{COLOURS[i]}' lw 1.6 pt {MARKS[i]} ps 0.6 dt {i % 5 + 1}"
                for i in range(8)]
        out += [f"BAR = {BARS / len(self.names):g}", "set style fill solid 0.85 border lc rgb 'black'",
                "set linetype cycle 8", *self._tics(), "set ytics nomirror", "set border 3",
                "set grid ytics", f"set key at screen {1 - key / width:.4f},{1 - 40 / height:.4f} "
                "left top Left reverse vertical"]
        if self.series:
            out.append(f"set key title {quoted(self.series)} left")
        out.append(f"set multiplot layout {len(self.rows)},{len(live)} margins screen {95 / width:.4f},"
                   f"{1 - (key + 15) / width:.4f},{66 / height:.4f},{1 - 35 / height:.4f} "
                   f"spacing screen {60 / width:.4f},{35 / height:.4f}")
        for f in range(len(self.rows)):
            for p in live:
                out += self._panel(f, p, p == live[0])
        return "\n".join(out + ["unset multiplot", ""])

    def _data(self, name, f, series):
        low = LOGARITHM if self._log_y(f) else math.inf  # above 0
        rows = [f"{name} << EOD"]
        for at, (mean, reach, paper) in enumerate(zip(series.mean, series.reach, series.paper)):
            if math.isfinite(mean):
                row = [self._place(at, series.name), mean, max(mean - reach, mean / low), mean + reach]
                rows.append(" ".join(f"{value:.8g}" for value in row) + (
                    f" {paper:.8g}" if math.isfinite(paper) else " NaN" if self.papers else ""))
        return rows + ["EOD"]

    @staticmethod
    def _span(every):
        values = [value for s in every for row in zip(s.mean, s.paper) for value in row if not math.isnan(value)]
        tops = [m + r for s in every for m, r in zip(s.mean, s.reach) if not math.isnan(m)] + [
            value for s in every for value in s.paper if not math.isnan(value)]
        return min(values, default=math.inf), max(tops + [0])

    def _log_y(self, f):
        """All panels of a figure have the same kind of y axis."""
        least, most = self._span([series for panel in self.rows[f] for series in panel])
        return not self.bars and least > 0 and most / least >= LOGARITHM

    def _tics(self):
        tics = ", ".join(f"{quoted(self.xs[at])} {self.xs[at] if self.numbers else self.shown.index(at)}"
                         for at in self.shown)
        out = [f"set xtics ({tics}) nomirror" + (" scale 0 font ',10'" if self.bars else "")]
        if not self.numbers:
            return out + [f"set xrange [-0.5:{len(self.shown) - 1}.5]"]
        least, most = min(self.places), max(self.places)
        if self.log:
            return out + ["set logscale x", f"set xrange [{least / 1.2:g}:{most * 1.2:g}]"]
        return out + [f"set xrange [{least - (most - least) / 20:g}:{most + (most - least) / 20:g}]"]

    def _mark(self, style):
        return (f"boxes lt {style} dt 1 lw 0.6 fs {FILLS[(style - 1) % len(FILLS)]}" if self.bars else
                f"linespoints lt {style}")

    def _series(self, name, at, series):
        """Lines, or bars one beside the other; intervals; and crosses for what a paper has."""
        style = at + 1 if self.series or not self.bars else 7  # a single one: a light colour
        out = f"{name} using 1:2{':(BAR)' if self.bars else ''} with {self._mark(style)} notitle"
        if self.bars:
            out += (f"{INTERVAL}lc rgb 'white' lw 3 dt 1 notitle"
                    f"{INTERVAL}lc rgb 'black' lw 1 dt 1 notitle")
        else:
            out += f"{INTERVAL}lt {style} dt 1 notitle"
        if series.printed:
            out += "".join(f", '' using 1:5 with points {mark} notitle" for mark in (HALO, MARK))
        return out

    def _panel(self, f, p, left):
        panel, first = self.rows[f][p], left and not f
        least, most = self._span(panel)
        log, top = self._log_y(f), most
        while most >= 1e4 and top >= 1000:
            top /= 1000
        words = in_lines(self.titles[f] if left else "")
        lines = words.count('."\\n".')
        form = "%g" if most < 1e4 else "%.1s%c" if top < 10 else "%.0s%c"
        out = [f"set title {quoted('' if f else self.panels[p])}",
               f"set ylabel {words}" + f" offset -{lines},0" * bool(lines),  # apart from the numbers
               f"set xlabel {quoted(self.x if f + 1 == len(self.rows) else '')}"]
        # Bars begin at 0, and so do lines whose values are near one another.
        out += ["set logscale y", f"set yrange [{least / 1.5:g}:{most * 1.5:g}]"] if log else [
            "unset logscale y", f"set yrange [0:{'*' if most > 0 else 1}]"]
        out += [f"set format y '{form}'", "set key" if first else "unset key"]
        drawn = [self._series(f"$d{f}_{p}_{s}", s, series) for s, series in enumerate(panel) if series.drawn]
        if first and self.series:
            every = self.grid.values[self.series]
            drawn += [f"keyentry with {self._mark(every.index(name) + 1)} title {quoted(name)}"
                      for name in self.names]
        if first and any(series.printed for series in self.all()):
            drawn.append(f"keyentry with points {MARK} title 'the paper'")
        return out + ["plot " + ", \\\n\t".join(drawn or ["NaN notitle"]), "unset label"]


def draw(figures, path, seeds=""):
    """Write FILE.gp, and FILE.svg by gnuplot. Names of panels without data are returned."""
    if not re.search(r".\.svg$", path):
        raise Wrong(f"{path}: expected FILE.svg, beside which FILE.gp is written: \"set terminal\" "
                    "and \"set output\" there say what gnuplot draws of it, such as pngcairo")
    picture, script = Picture(figures, path), path[:-4] + ".gp"
    words = picture.script(seeds)
    if not words:
        return []
    write(script, words)
    if not shutil.which("gnuplot"):
        raise Wrong(f"gnuplot is not there (package gnuplot-nox): install it, then gnuplot {script}")
    done = subprocess.run(["gnuplot", script], stderr=subprocess.PIPE, text=True)
    if done.returncode or not os.path.exists(path):
        raise Wrong(f"gnuplot has failed on {script}: {done.stderr.strip()}")
    with open(path, encoding="utf-8") as file:
        whole = "</svg>" in file.read()[-20:]
    if not whole:
        os.unlink(path)
        raise Wrong(f"gnuplot has not written {path} whole: is the disk full?")
    return re.findall("# Left out, without numbers: (.*)[.]", words)


def write(path, words):
    """Write a file aside, and rename it when it is whole."""
    try:
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write(words)
        os.replace(path + ".part", path)
    except OSError as problem:
        raise Wrong(f"{path} cannot be written: {problem.strerror}") from None
