# SPDX-License-Identifier: BSD-2-Clause
import contextlib
import io
import math
import os
import shutil
import unittest
import unittest.mock

from gputm import __main__ as program
from gputm.plot import Picture, draw, in_lines
from gputm.results import Array, Grid, Results, Wrong

from made import AXES, FULL, Case, line, study_lines

SIZES = {"name": "size", "zipped": False, "values": [0, 1, 1000]}


class Test(Case):
    def setUp(self):
        super().setUp()
        self.grid = Grid(AXES, FULL)
        self.cycles = Array(self.grid, ("variant", "concurrency"), [1, 2, 3, 4, 5, 6])

    def script(self, array, reach=None, paper=None, seeds=""):
        return Picture([("cycles", array, reach, paper)], "a.svg").script(seeds).split("\n")

    def test_x_is_the_last_axis_with_numbers_and_the_series_the_first_other(self):
        words = self.script(self.cycles, [0.5] * 6, seeds="2 to 3")
        for line in ("set xtics ('1' 0, 'inf' 1) nomirror", "set key title 'variant' left", "set ylabel 'cycles'",
                     "set xlabel 'concurrency'", "0 1 0.5 1.5", "1 6 5.5 6.5", "set format y '%g'"):
            self.assertIn(line, words)
        self.assertTrue(any("means of 2 to 3 seeds, 95 % intervals" in line for line in words))

    def test_names_are_bars_and_what_has_no_number_has_no_place(self):
        names = Array(self.grid, ("variant",), [math.nan, 2, 3])
        words = self.script(names, paper=Array(self.grid, ("variant",), [math.nan, 4, math.nan]))
        self.assertIn("set xtics ('few' 0, 'many' 1) nomirror scale 0 font ',10'", words)
        self.assertIn("0 2 2 2 4", words)
        self.assertIn("1 3 3 3 NaN", words)
        self.assertTrue(any("boxes lt 7" in line for line in words))
        self.assertIn("title 'the paper'", "\n".join(words))

    def test_far_numbers_get_a_logarithmic_axis(self):
        grid = Grid([dict(SIZES, values=[1, 10, 1000])])
        words = self.script(Array(grid, ("size",), [1, 50, 20000]))
        for line in ("set logscale x", "set xrange [0.833333:1200]", "set logscale y", "set format y '%.0s%c'"):
            self.assertIn(line, words)
        words = self.script(Array(Grid([SIZES]), ("size",), [1, 2, 3]))
        self.assertIn("set xtics ('0' 0, '1' 1, '1000' 2) nomirror", words)

    def test_panels_without_data_are_left_out_and_named(self):
        grid = Grid([*AXES, SIZES])
        cells = [math.nan if at % 6 in (3, 4, 5) else at for at in range(18)]
        words = self.script(Array(grid, ("variant", "concurrency", "size"), cells))
        self.assertIn("# Left out, without numbers: concurrency inf.", words)
        self.assertTrue(any("multiplot layout 1,1 " in line for line in words))
        self.assertEqual(self.script(Array(grid, ("size",), [math.nan] * 3)), [""])
        self.refused(Wrong, "1 panels, expected 1 to 64", Picture, [("c", Array(grid, (), [1]), None, None)], "a.svg")

    def test_what_is_longer_than_its_axis_stands_in_lines(self):
        self.assertEqual(in_lines("the limit on warps in transactions with the best time"),
                         "'the limit on warps in transactions'.\"\\n\".'with the best time'")
        self.assertEqual(in_lines("it's"), "'it''s'")

    def test_the_picture_is_drawn(self):
        path = os.path.join(self.folder.name, "a.svg")
        self.refused(Wrong, "expected FILE.svg", draw, [("cycles", self.cycles, None, None)], "a.png")
        if not shutil.which("gnuplot"):
            self.refused(Wrong, "gnuplot is not there", draw, [("cycles", self.cycles, None, None)], path)
        else:
            draw([("cycles", self.cycles, None, None)], path)
            with open(path, encoding="utf-8") as file:
                self.assertIn("</svg>", file.read())
        self.assertTrue(os.path.exists(path[:-4] + ".gp"))


class Program(Case):
    """python3 -m gputm."""

    tell = "aborted", "cyc*"

    def forms(self, study):
        grids = Grid(AXES, FULL), Grid(AXES, FULL)
        for grid in grids:
            grid.tell, grid.points = self.tell, len(study_lines())
        return grids

    def call(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with unittest.mock.patch("sys.argv", ["gputm", *words]), \
                unittest.mock.patch("gputm.runner.forms", self.forms), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = program.main()
        return status, out.getvalue(), err.getvalue()

    def setUp(self):
        super().setUp()
        self.results = self.file("results", study_lines(lambda variant, limit, seed: seed + len(variant)))
        self.picture = os.path.join(self.folder.name, "a.svg")
        self.file("a.study", "")
        self.story = self.file("a.py", "from gputm.claims import *\n@figure('A paper')\ndef one(d):\n"
                               "    yield table('cycles', 'cycles', d['cycles'])\n"
                               "    yield claim('small', less(d['cycles'], 6), expect='holds', quick='in part')\n")

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_plot(self):
        status, _, err = self.call("plot", "x.study", self.results, self.picture)
        self.assertEqual(status, 0)
        self.assertIn("0 everywhere, without a panel: aborted", err)
        with open(self.picture[:-4] + ".gp", encoding="utf-8") as file:
            self.assertIn("multiplot layout 1,1 ", file.read())
        rows = study_lines()
        for row in rows:
            row.update({"aborted": 2, **{f"zero{at}": 0 for at in range(8)}})
        self.file("results", rows)
        self.assertEqual(self.call("plot", "x.study", self.results, self.picture, "--only", "zero*,cyc*,abor*")[2].
                         count("these are drawn"), 0)
        self.assertEqual(self.call("plot", "x.study", self.results, self.picture)[0], 0)
        with open(self.picture[:-4] + ".gp", encoding="utf-8") as file:
            self.assertRegex(file.read(), "(?s)set ylabel 'aborted'.*set ylabel 'cycles'")
        status, _, err = self.call("plot", "x.study", self.results, self.picture, "--only", "cyclos")
        self.assertEqual(status, 2)
        self.assertIn("did you mean cycles? it has cycles, aborted", err)

    def test_judge_ends_with_1_where_points_have_no_result(self):
        rows, statuses = study_lines(lambda variant, limit, seed: 1), []
        for some in rows, rows[:-1], [*rows[:-1], {**rows[-1], "failed": "it waits"}]:
            self.file("results", some)
            statuses.append(self.call("judge", self.story, self.results)[0])
        self.assertEqual(statuses, [0, 1, 1])

    def test_what_results_lack_is_told(self):
        rows = study_lines()
        self.file("results", [{**rows[0], "failed": "it waits"}, *rows[1:7]])
        _, _, err = self.call("judge", self.story, self.results, "--quick")
        self.assertIn("results: 1 of 10 points failed: it waits", err)
        self.assertIn(f"3 of 10 points have no result; gputm-sim --study {self.story[:-3]}.study --quick "
                      f"--resume {self.results} runs them", err)
        self.file("results", [{**row, "failed": "it waits"} for row in rows])
        status, _, err = self.call("plot", "x.study", self.results, self.picture)
        self.assertEqual((status, "10 of 10 points failed: it waits" in err), (2, True))

    def test_a_wrong_claims_file_is_told_by_its_line(self):
        for words, line, text in ("def one(d:\n", 1, "SyntaxError: "), (
                "from gputm.claims import *\n@figure('A')\ndef one(d):\n    yield claims(2)\n", 4, "NameError: name 'claims'"):
            status, _, err = self.call("judge", self.file("a.py", words), self.results)
            self.assertEqual(status, 2)
            self.assertIn(f"a.py:{line}: {text}", err)

    def test_judge(self):
        status, out, _ = self.call("judge", self.story, self.results)
        self.assertEqual(status, 1)
        self.assertIn('a.py: "small": in part, expected holds: 4 of 6, but not', out)
        self.assertEqual(self.call("judge", self.story, self.results, "--quick")[0], 0)
        self.assertEqual(self.call("tell", self.story)[1], "tell cycles\n")

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_page(self):
        page = os.path.join(self.folder.name, "page.md")
        self.assertEqual(self.call("page", self.story, self.results, page)[0], 1)
        status, _, err = self.call("page", self.story, self.results, os.path.join(page, "none.md"))
        self.assertEqual((status, "cannot be written: Not a directory" in err), (2, True))
        for file in "page.md", "page.html", "page-cycles.svg", "page-cycles.gp":
            self.assertTrue(os.path.exists(os.path.join(self.folder.name, file)), file)

    def test_nothing_is_overwritten(self):
        for words in (("page", self.story, self.results, self.results), ("plot", "x", self.results, self.results)):
            self.assertEqual(self.call(*words)[0], 2)
        again = self.file("again.md", study_lines())
        status, _, err = self.call("page", self.story, again, again)
        self.assertEqual(status, 2)
        self.assertIn("again.md is an input", err)
        self.assertEqual(self.call("compare", self.results, "none")[0], 2)
