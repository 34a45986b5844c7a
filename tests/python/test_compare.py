# SPDX-License-Identifier: BSD-2-Clause
import random

from gputm.compare import compare
from gputm.results import Missing, Wrong

from made import Case, drawn, line


class Test(Case):
    def told(self, a, b, *arguments, **named):
        lines, status = compare(self.file("a", a), self.file("b", b), *arguments, **named)
        return "\n".join(lines), status

    def pairs(self, ratios, figure="cycles"):
        dice = random.Random(3)
        base = [dice.randrange(1000, 100000) for _ in ratios]
        return ([line(seed, {figure: value}, system="a") for seed, value in enumerate(base)],
                [line(seed, {figure: value * ratio}, system="a")
                 for seed, (value, ratio) in enumerate(zip(base, ratios))])

    def test_eight_of_eight_pairs_up(self):
        told, status = self.told(*self.pairs([1.38, 1.9, 2.2, 2.4, 3.1, 3.6, 4.4, 5.15]))
        self.assertEqual(status, 1)
        self.assertRegex(told, r"x 2\.773 \(x 1\.601 to 4\.805\), 8 pairs, p = 0\.0078\n")
        self.assertIn("Figures that differ: 1 of 1;", told)

    def test_false_alarms_of_other_seeds_are_rare(self):
        alarms = sum(self.told(drawn(8, 1000, 0.3, 0, 2 * at), drawn(8, 1000, 0.3, 100, 2 * at + 1))[1] == 1
                     for at in range(200))
        self.assertLessEqual(alarms, 5)  # 2 of 200 are asked for; 6 have a chance of 1.7 %

    def test_a_difference_of_other_seeds_is_found(self):
        told, status = self.told(drawn(8, 1000, 0.1), drawn(8, 2000, 0.1, 100, 2))
        self.assertEqual(status, 1)
        self.assertIn("n = 8, 8", told)

    def test_equal_numbers_count_once(self):
        a, b = self.pairs([1.38, 1.9, 2.2, 2.4, 3.1, 3.6, 4.4, 5.15])
        for one in a, b:
            for row in one:
                row.update({"same": row["cycles"], "again": row["cycles"]})
        told, status = self.told(a, b)
        self.assertIn("Figures that differ: 3 of 3;", told)
        self.assertIn("Comparisons that count: 1 ", told)
        for at, row in enumerate(a + b):
            row["other"] = at * at + 1
        told, status = self.told(a, b)
        self.assertEqual(status, 3)
        self.assertIn("p is at least 0.0078, and 0.005 is needed for 2 comparisons. 9 seeds are enough", told)
        self.assertEqual(self.told(a, b, only=["cycles"])[1], 1)
        self.assertIn("no difference found", self.told(a, b, only=["other", "cycles"])[0])

    def test_figures_with_zeros_are_compared_by_their_difference(self):
        a = [line(seed, {"lost": seed % 2}) for seed in range(8)]
        b = [line(seed, {"lost": 10 + seed}) for seed in range(8)]
        told, status = self.told(a, b)
        self.assertEqual(status, 1)
        self.assertRegex(told, r" 13 \(10\.04 to 15\.96\), 8 pairs")

    def test_across_and_where(self):
        def lines(system, factor):
            return [line(seed, {"cycles": factor * (seed + 5) * size}, system=system, granularity=size)
                    for size in (4, 8) for seed in range(8)]
        a, b = lines("a", 1), lines("b", 2)
        b[3]["cycles"] += 7
        told, status = self.told(a, b)
        self.assertEqual(status, 3)
        self.assertIn("Nothing is compared", told)
        self.assertIn("--across system compares them", told)
        told, status = self.told(a, b, ["system"], {"granularity": "4"})
        self.assertEqual(status, 1)
        self.assertIn("Figures that differ: 1 of 1;", told)
        self.refused(Missing, "granularity has no value 5", self.told, a, b, ["system"], {"granularity": "5"})
        self.refused(Missing, "names grain; it has seed, system, granularity", self.told, a, b, [], {"grain": "5"})
        self.refused(Missing, "names grain", self.told, a, b, ["grain"])
        self.refused(Missing, "has the figure cyclos; did you mean cycles? it has cycles", self.told, a, a, only=["cycles", "cyclos"])
        self.refused(Wrong, """grep '"point.system":"b",'""", self.told, a + b, b, ["system"])
        told, status = self.told(a, a, ["system"], only=["cyc*"])
        self.assertEqual(status, 0)
        self.assertIn("Both files have the same values here", told)

    def test_seeds_that_draw_nothing_are_one_run(self):
        told, status = self.told([line(seed, {"cycles": 5}) for seed in range(8)],
                                 [line(seed, {"cycles": 6}) for seed in range(8)])
        self.assertEqual(status, 3)
        self.assertIn("No verdict on 1 figure:", told)
        self.assertIn("zip set workload.seed 1..8", told)
        told, status = self.told([line(seed, {"cycles": 5}, workload__seed=seed) for seed in range(8)],
                                 [line(seed, {"cycles": 6}, workload__seed=seed) for seed in range(8)])
        self.assertNotIn("zip set", told)

    def test_one_side_that_varies_is_judged(self):
        constant = [line(seed, {"cycles": 5}) for seed in range(8)]
        told, status = self.told(constant, [line(seed, {"cycles": 60 + seed}) for seed in range(10)], only=["cycles"])
        self.assertEqual(status, 1)
        self.assertIn("n = 8, 10", told)
        told, status = self.told(constant[:1], [line(seed, {"cycles": 60 + seed}) for seed in range(10)], only=["cycles"])
        self.assertEqual(status, 3)
        self.assertIn("no verdict: a side has one seed", told)

    def test_points_that_failed_are_told(self):
        good = [line(seed, {"cycles": 5 + seed}, system="a") for seed in range(8)]
        bad = [{**line(seed, system="a"), "failed": "it waits"} for seed in range(8)]
        self.refused(Wrong, "8 of 8 points failed: it waits", self.told, good, bad)
        told, status = self.told(good, good[:7] + bad[7:])
        self.assertIn("b: 1 of 8 points failed: it waits", told)

    def test_equal_files_are_alike(self):
        a = drawn(4, 1000, 0.3)
        told, status = self.told(a, a)
        self.assertEqual(status, 0)
        self.assertIn("equal with each seed: 1.", told)
        told, _ = self.told(a, [{**row, "point.hash": "other"} for row in a])
        self.assertIn("4 points have equal settings, but other kernels or files", told)
