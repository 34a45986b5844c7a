# SPDX-License-Identifier: BSD-2-Clause
import gzip
import math

from gputm.results import Grid, Missing, Results, Wrong, read

from made import AXES, FULL, Case, line, study_lines

COST = {"locks": 50, "few": 200, "many": 100}


def results(lines=None):
    made = study_lines(lambda variant, limit, seed: COST[variant] + 10 * seed + (limit == "inf"))
    return Results(lines or made, Grid(AXES, FULL))


class Test(Case):
    def test_means_over_seeds_and_one_seed(self):
        cycles = results()["cycles"]
        self.assertEqual(cycles.over, ("variant", "concurrency"))
        self.assertEqual(cycles.cells, [65, 65, 215, 216, 115, 116])
        self.assertEqual(results().of_seed(1)["cycles"].cells, [70, 70, 220, 221, 120, 121])

    def test_an_axis_that_a_system_ignores_has_one_value_for_all(self):
        self.assertEqual(results()["cycles"].sel(variant="locks", concurrency="inf").cells, [65])

    def test_sel(self):
        cycles = results()["cycles"]
        self.assertEqual(cycles.sel({"commit_unit.buffers": 64}, concurrency=math.inf).cells, [216])
        some = cycles.sel(variant=["few", "many"])
        self.assertEqual(some.over, cycles.over)
        self.assertTrue(math.isnan(some.cells[0]))
        self.assertEqual(some.cells[2:], cycles.cells[2:])
        self.assertEqual(cycles.sel(threads=64).cells, cycles.cells)
        self.assertTrue(all(map(math.isnan, cycles.sel(threads=256).cells)))

    def test_reductions_skip_what_is_missing(self):
        some = results()["cycles"].sel(variant=["few", "many"])
        self.assertEqual(some.min("concurrency").cells[1:], [215, 115])
        self.assertTrue(math.isnan(some.min("concurrency").cells[0]))
        self.assertEqual(float(some.max()), 216)
        self.assertEqual(float(some.mean()), 165.5)
        self.assertAlmostEqual(float(some.geomean()), (215 * 216 * 115 * 116) ** 0.25)
        self.assertAlmostEqual(float(some.harmean()), 4 / (1 / 215 + 1 / 216 + 1 / 115 + 1 / 116))
        self.assertEqual(results()["concurrency"].best(some, "concurrency").cells[1:], [1, 1])

    def test_a_ratio_broadcasts_and_divides_by_no_zero(self):
        d = results()
        ratio = d["cycles"] / d["cycles"].sel(variant="locks")
        self.assertEqual(ratio.cells[2], 215 / 65)
        self.assertTrue(math.isnan((1 / d["aborted"]).cells[0]))
        self.assertTrue(math.isnan((d["cycles"] / d["aborted"]).cells[0]))

    def test_a_point_that_failed_is_missing(self):
        lines = study_lines()
        lines[0] = {**{key: lines[0][key] for key in lines[0] if key != "cycles"},
                    "failed": "it waits for ever", "command": "gputm-sim ..."}
        d = results(lines)
        self.assertEqual(d["cycles"].cells[0], 100)  # the mean of the other seed
        self.assertTrue(math.isnan(d.of_seed(0)["cycles"].cells[0]))
        self.assertEqual(d.failed[0]["failed"], "it waits for ever")
        self.assertEqual((d.seeds(), d.seeds({"variant": "few"})), ("1 to 2", "2"))
        self.refused(Wrong, "1 of 1 point failed", results(lines[:1]).__getitem__, "cycles")

    def test_rows(self):
        row = results().rows()[0]
        self.assertEqual((row["system"], row["seed"], row["cycles"]), ("fine-lock", 1, 60))
        rows = results()["cycles"].rows()
        self.assertEqual([rows[0]["concurrency"], rows[1]["concurrency"]], [1, "inf"])

    def test_lines_show_axes_by_themselves(self):
        d = Results(study_lines())
        self.assertEqual(d["cycles"].over, ("system", "concurrency", "commit_unit.buffers"))

    def test_a_dry_pass_finds_the_figures(self):
        d = Results([], Grid(AXES, FULL))
        d["cycles"].min("concurrency") / d["aborted"] + d["concurrency"] + d["cycles"]
        self.assertEqual(d.asked, ["cycles", "aborted"])

    def test_what_does_not_exist_is_named_with_what_exists(self):
        d = results()
        for words, call in (
                ("it has cycles, aborted", lambda: d["cyclos"]),
                ("variant has no value huge; it has locks, few, many", lambda: d["cycles"].sel(variant="huge")),
                ("seed is no axis, as the mean", lambda: d["cycles"].sel(seed=1)),
                ("the study has no line program; it has variant", lambda: d["cycles"].sel(program="x")),
                ("system has the value kilo-tm 2 times: take variant", lambda: d["cycles"].sel(system="kilo-tm")),
                ("have no axis variant any more; it has concurrency",
                 lambda: d["cycles"].min("variant").sel(variant="few"))):
            self.refused(Missing, words, call)
        self.assertEqual(str(Missing("no x", range(70))).split(", ")[58:], ["58", "59", "10 more"])
        self.refused(TypeError, "say less(a, b)", lambda: d["cycles"] < 3)
        self.refused(TypeError, "over variant, concurrency", float, d["cycles"])

    def test_files_that_are_no_results(self):
        whole = self.file("whole", study_lines())
        self.assertEqual(len(read(whole)), 10)
        with open(whole, encoding="utf-8") as file:
            cut = file.read()[:-30]
        for words, content in (
                (":10: the line is cut", cut), (": the file is empty", ""),
                (":1: expected a line of gputm-sim --study", '{"cycles": 3}\n'),
                (":1: expected results of gputm-sim --study, and no study", "system getm\n"),
                (":2: study is t, and s before", [line(1), line(2, study="t")]),
                (":2: the point is that of line 1", [line(1), {**line(1), "point.hash": "other"}]),
                (":2: model is b, and a before", [{**line(1), "model": "a"}, {**line(2), "model": "b"}])):
            self.refused(Wrong, words, read, self.file("bad", content))
        self.refused(Wrong, "-none: No such file or directory; expected", read, whole + "-none")
        with gzip.open(whole + ".gz", "w") as file:
            file.write(cut.encode())
        self.refused(Wrong, "gzip -dc", read, whole + ".gz")

    def test_results_of_another_study(self):
        self.refused(Wrong, "results:1: system is getm, and the study has fine-lock, kilo-tm, kilo-tm",
                     results, [line(1, {"cycles": 3}, system="getm")])
