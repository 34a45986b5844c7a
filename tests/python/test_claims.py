# SPDX-License-Identifier: BSD-2-Clause
import math
import sys

from gputm import claims
from gputm.claims import Story, at_least, at_most, best_at, between, claim, gain, less, more, paper, within
from gputm.page import markdown, to_html, without_setting
from gputm.results import Array, Grid, Results, Wrong

from made import AXES, FULL, Case, line, study_lines

STORY = '''
from gputm.claims import *

@figure("A paper, Fig. 1 (section 2)", "its speed | and more")
def fig_1(d):
    best = d["cycles"].min("concurrency")
    yield note("Something of it.")
    speed = best / best.sel(variant="locks")
    printed = paper("variant", {"few": 2, "many": 1.5})
    yield table("speed", "cycles / locks", speed, printed)
    yield table("at", "best limit", d["concurrency"].best(d["cycles"], "concurrency").sel(variant="few"))
    yield claim("few are slow", more(speed.sel(variant="few"), 3), at_least(speed.sel(variant="locks"), 1),
                expect="holds", quick="in part", why="It is | so.")
    yield claim("nobody is fast", less(speed, 1), expect="differs")
    yield claim("with many threads", less(d["cycles"].sel(threads=256), 1), expect="holds")
    yield claim("as printed", within(speed, 1.2, printed))
'''


class Test(Case):
    def setUp(self):
        super().setUp()
        cost = {"locks": 50, "few": 200, "many": 100}
        self.lines = study_lines(lambda variant, limit, seed: cost[variant] + 10 * seed - (limit == "inf"))
        self.grid = Grid(AXES, FULL)
        self.results = Results(self.lines, self.grid)

    def judged(self, *relations):
        item = claim("c", *relations)
        claims.judge_claim(item)
        return item.verdict, item.here

    def array(self, *cells):
        return Array(self.grid, ("variant",), [*cells])

    def test_relations_and_evidence(self):
        a, one = self.array(1, 2, 3), Array(self.grid, (), [4])
        for relation, verdict, here in (
                (less(a, 4), "holds", "3 of 3, 1 to 3"),
                (less(a, self.array(2, 3, 12)), "holds", "3 of 3, ratio 0.25 to 0.667"),
                (less(a, self.array(2, math.nan, 12)), "holds", "2 of 2, ratio 0.25 to 0.5"),
                (less(a, 3), "in part", "2 of 3, but not many: 3 < 3"),
                (more(a, 5), "differs", "0 of 3, but not locks: 1 > 5, few: 2 > 5, many: 3 > 5"),
                (at_most(a, 3), "holds", "3 of 3, 1 to 3"),
                (at_least(a.sel(variant=["few", "many"]), 2), "holds", "2 of 2, 2 to 3"),
                (between(1, a, 3), "holds", "3 of 3, ratio 0.333 to 1; 3 of 3, 1 to 3"),
                (within(one, 1.25, 5), "holds", "4 within 1.25 of 5"),
                (within(one, 1.25, 5.01), "differs", "not 4 within 1.25 of 5.01"),
                (less(one, 5, 4.5), "in part", "4 < 5; not 5 < 4.5"),
                (less(a.sel(threads=256), 1), "no result", ""),
                (less(self.array(math.nan, 1234.5, math.inf), 5000), "in part", "1 of 2, but not many: inf < 5000")):
            self.assertEqual(self.judged(relation), (verdict, here))
        cycles = self.results["cycles"].sel(variant=["few", "many"])
        self.assertIn("0 of 4, but not few concurrency 1: 215 < 1, few inf: 214 < 1", self.judged(less(cycles, 1))[1])

    def test_the_best_value_is_better_than_all_others(self):
        for costs, verdict, here in (((3, 2, 4), "holds", "2 of 2, ratio 0.5 to 0.667"),
                                     ((2, 2, 4), "in part", "1 of 2, but not locks: 2 < 2"),
                                     ((1, 2, 1.5), "differs", "0 of 2, but not locks: 2 < 1, many: 2 < 1.5")):
            self.assertEqual(self.judged(best_at(self.array(*costs), variant="few")), (verdict, here))
        self.assertEqual(self.judged(best_at(self.results["cycles"], concurrency=math.inf))[0], "in part")

    def test_more_than_six_failing_cells_are_cut(self):
        self.assertTrue(self.judged(less(self.results["cycles"] * self.array(1, 1, 1), 1))[1].count(":") == 6)

    def test_a_paper_s_numbers(self):
        one = paper("concurrency", "variant", {1: {"few": 3}, "inf": {"few": 4, "many": 5}})
        self.assertEqual(self.judged(at_most(self.results["cycles"] * 0 + 3, one)), ("holds", "3 of 3, ratio 0.6 to 1"))
        self.assertEqual(claims.bound(one.sel(variant="few"), self.results["cycles"]).cells, [3, 4])
        self.refused(KeyError, "variant has no value huge; it has locks, few, many", claims.bound,
                     paper("variant", {"huge": 1}), self.array(1, 2, 3))

    def story(self, text=STORY):
        return Story(self.file("a_study.py", text))

    def test_a_story_is_judged(self):
        story = self.story()
        self.assertTrue(story.study.endswith("/a-study.study"))
        self.assertEqual(story.asked(self.grid, Grid(FULL, AXES)), ["cycles"])
        (source, items), = story.judge(self.results)
        self.assertEqual(source, "A paper, Fig. 1 (section 2): its speed | and more")
        few, fast, many, printed = items[3:]
        self.assertEqual([item.verdict for item in items[3:]], ["holds", "differs", "no result", "in part"])
        self.assertEqual(few.here, "3.29 > 3; 1 >= 1")
        self.assertEqual(few.judged_by, 'more(speed.sel(variant="few"), 3) and at_least(speed.sel(variant="locks"), 1)')
        self.assertEqual((few.surprises(False), few.surprises(True)), (False, True))
        self.assertEqual((fast.surprises(False), many.surprises(False), many.surprises(True)), (False, True, False))
        self.assertFalse(printed.surprises(False))
        self.assertEqual(items[1].reach, [0, 0, 0])

    def test_intervals_are_those_of_three_seeds_or_more(self):
        seeds = [self.array(1, 5, math.nan), self.array(2, 5, 1), self.array(3, 5, math.nan)]
        self.assertEqual(claims.reach_of(seeds[:2]), [0, 0, 0])
        self.assertAlmostEqual(claims.reach_of(seeds)[0], 4.30265 / math.sqrt(3), 3)
        self.assertEqual(claims.reach_of(seeds)[1:], [0, 0])

    def test_the_page(self):
        told = self.story().judge(self.results, shuffles=0)
        lines, pictures = markdown(told, "here/page", 2, quick=True)
        for line in ("## A paper, Fig. 1 (section 2): its speed &#124; and more", "Something of it.",
                     "**cycles / locks** (in parentheses: the paper's)", "![speed](page-speed.svg)",
                     "| variant | speed |", "| few | 3.29 (2) |", "|  | at |",
                     '| few are slow | `more(speed.sel(variant="few"), 3) and at_least(speed.sel('
                     'variant="locks"), 1)` | 3.29 &#62; 3; 1 &#62;= 1 | holds, null 0.00 (expected: in part) |',
                     "| with many threads | `less(d[\"cycles\"].sel(threads=256), 1)` |  | no result |"):
            self.assertIn(line, lines)
        self.assertEqual([file for _, file, _ in pictures], ["here/page-speed.svg"])
        told[0][1][3].verdict = "in part"
        self.assertTrue(any(line.endswith("| in part (expected: holds): It is &#124; so. |") for line in markdown(told, "p", 2)[0]))
        words = to_html(lines, "nowhere")
        for part in ("<h2>A paper, Fig. 1", "<b>cycles / locks</b>", "<td>3.29 (2)", "<p>(no picture page-speed.svg)",
                     '<code>less(speed, 1)</code>', '<td class="t">few are slow'):
            self.assertIn(part, words)

    def test_gains(self):
        slow, fast = self.array(10, 13, 16), Array(self.grid, (), [10])
        for relation, verdict, here in (
                (gain(10, fast * 1.22, 0.22), "holds", "0.22 about 0.22"),
                (gain(10, fast * 1.32, 0.22), "holds", "0.32 about 0.22"),
                (gain(10, fast * 1.14, 0.22), "smaller", "not 0.14 about 0.22 (smaller)"),
                (gain(10, fast * 1.15, 0.22), "holds", "0.15 about 0.22"),
                (gain(10, fast * 1.39, 0.22), "larger", "not 0.39 about 0.22 (larger)"),
                (gain(10, fast * 1.39, 0.22, factor=2), "holds", "0.39 about 0.22"),
                (gain(10, fast, 0.22), "differs", "not 0 about 0.22"),
                (gain(10, fast * 0.9, 0.02), "differs", "not -0.1 about 0.02"),
                (gain(fast, 7, about=-0.27), "holds", "-0.3 about -0.27"),
                (gain(fast, 13, about=-0.27), "differs", "not 0.3 about -0.27"),
                (gain(fast, slow, 0.5), "in part", "1 of 3, but not locks: 0 about 0.5, few: 0.3 about 0.5 (smaller)"),
                (gain(fast, slow.sel(variant=["few", "many"]), 0.41), "holds", "2 of 2, 0.3 to 0.6"),
                (gain(fast, slow.sel(variant=["few", "many"]), 0.3), "larger", "1 of 2, but not many: 0.6 about 0.3 (larger)"),
                (gain(fast, self.array(10, 11, 30), paper("variant", {"few": 0.3, "many": 0.3})), "in part",
                 "0 of 2, but not few: 0.1 about 0.3 (smaller), many: 2 about 0.3 (larger)")):
            self.assertEqual(self.judged(relation), (verdict, here))
        self.refused(TypeError, "one is an array of results", gain, 1, 2, 0.2)

    def test_the_verdict_of_several_cells(self):
        for verdicts, verdict in (("", "no result"), ("holds tied", "tied"), ("tied differs", "differs"),
                                  ("holds tied differs", "in part"), ("larger holds tied", "larger"),
                                  ("smaller tied", "smaller"), ("smaller larger", "in part"),
                                  ("larger differs", "in part"), ("holds", "holds")):
            self.assertEqual(claims.joined(verdicts.split()), verdict)

    def test_a_gain_is_tied_where_seeds_do_not_tell_its_sign(self):
        words = "from gputm.claims import *\n@figure('A paper')\ndef one(d):\n" \
                "    yield claim('g', gain(d['cycles'].sel(system='a'), d['cycles'].sel(system='b'), about=0.2))\n"
        for gains, verdict in ([0.2, 0.25, 0.15], "holds"), ([0.9, -0.2, 0], "tied"), ([0.9, -0.2], "larger"):
            lines = [line(seed, {"cycles": 100 * (1 + more * (system == "b"))}, system=system)
                     for seed, more in enumerate(gains) for system in "ab"]
            told = self.story(words).judge(Results(lines), shuffles=0)
            self.assertEqual(told[0][1][0].verdict, verdict)
        self.assertIn("of 1 the gain is larger and of 0 smaller", claims.counted(told))

    def test_ablations(self):
        words = "from gputm.claims import *\n@figure('A paper')\ndef one(d):\n" \
                "    a, b = d['cycles'].sel(system='a'), d['cycles'].sel(system='b')\n" \
                "    yield note('Words.')\n"
        for name, relation, off in (("falls", "less(a, b)", {"x.y": None}), ("stands", "at_most(a, b)", {"x.y": None}),
                                    ("not met", "more(a, b)", {"x.y": None}), ("no setting", "less(a, b)", None),
                                    ("gone", "less(a, b)", {"x.z": 1}), ("gain", "gain(a, b, about=0.1)", {"x.y": None})):
            words += f"    yield claim('{name}', {relation}, off={off})\n"

        def results(a, b):
            return Results([line(1, {"cycles": value}, system=system) for system, value in (("a", a), ("b", b))])
        story, asked = self.story(words), []
        told = story.judge(results(10, 13), shuffles=0)

        def run(off):
            asked.append(off)
            return results(13, "x" if "x.z" in off else 13)
        story.ablate(told, run)
        items = told[0][1][1:]
        self.assertEqual(asked, [{"x.y": None}, {"x.z": 1}])
        self.assertEqual([item.ablation() for item in items],
                         ["falls", "stands", "not met", "no setting", "no result", "falls"])
        self.assertEqual([item.shown_verdict() for item in items],
                         ["holds, null 0.00; falls with x.y=-", "holds, null 0.00; stands with x.y=-", "differs",
                          "holds, null 0.00", "holds, null 0.00; no result with x.z=1", "larger; falls with x.y=-"])
        self.assertEqual(claims.counted_ablations(told),
                         "Of 6 claims 5 have a setting that turns their mechanism off; with it 2 fall, 1 stand and 1 have "
                         "no result; 1 are not met with the mechanism either. Of 0 more the file says why there is no "
                         "such setting.")

    def test_why_no_setting_turns_a_mechanism_off(self):
        story = self.story("from gputm.claims import *\n@figure('A paper')\ndef one(d):\n    a = d['cycles']\n"
                           "    yield claim('small', less(a, 1000), off='it is | small')\n"
                           "    yield claim('large', more(a, 10), off='it is | small')\n    yield claim('no word', less(a, 1))\n")
        told = story.judge(self.results, shuffles=0)
        self.assertEqual([item.ablation() for item in told[0][1]], ["no setting"] * 3)
        self.assertIn("Of 3 claims 0 have a setting", claims.counted_ablations(told))
        self.assertIn("Of 2 more the file says why", claims.counted_ablations(told))
        self.assertEqual(without_setting(told), ["## Claims whose mechanism no setting turns off", "",
                                                 "**It is &#124; small**: small; large.", ""])
        self.assertEqual(without_setting(self.story().judge(self.results, shuffles=0)), [])

    def test_what_several_files_share_is_in_a_module_beside_them(self):
        self.file("shared_by_two.py", "LEAST = 3\n")
        words = STORY.replace("import *\n", "import *\nfrom shared_by_two import LEAST\n", 1).replace('"few"), 3', '"few"), LEAST')
        before = [*sys.path]
        self.assertEqual(self.story(words).judge(self.results, shuffles=0)[0][1][3].here, "3.29 > 3; 1 >= 1")
        self.assertEqual(sys.path, before)

    def test_ties_by_the_interval_of_the_difference(self):
        # The systems differ by 1 in the mean; the intervals are those of Student's t with 2 and 3 degrees.
        relations = {"less": "less(a, b)", "two": "less(a.sel(threads=64), b.sel(threads=64)), less(a, 1000)",
                     "some": "less(a, b), less(b, a)", "within": "within(a, 1.1, b)", "fixed": "less(a, 101)"}
        words = "from gputm.claims import *\n@figure('A paper')\ndef one(d):\n" \
                "    a, b = d['cycles'].sel(system='a'), d['cycles'].sel(system='b')\n"
        story = self.story(words + "".join(f"    yield claim('{name}', {relation})\n" for name, relation in relations.items()))
        for differences, verdicts in (
                ([1, 1, 1], ["holds", "holds", "in part", "holds", "holds"]),
                ([2, 0.5, 0.5], ["tied", "tied", "tied", "holds", "tied"]),
                ([2, 0, 1], ["tied", "tied", "tied", "holds", "tied"]),
                ([1.2, 0.8, 1], ["holds", "holds", "in part", "holds", "holds"]),
                ([3, -1], ["holds", "holds", "in part", "holds", "holds"]),
                ([1.9, 0.1, 1, 1], ["tied", "tied", "tied", "holds", "tied"]),
                ([1.5, 0.5, 1, 1], ["holds", "holds", "in part", "holds", "holds"])):
            lines = [line(seed, {"cycles": 101 - difference * (system == "a")}, system=system, threads=64)
                     for seed, difference in enumerate(differences) for system in "ab"]
            items = story.judge(Results(lines), shuffles=0)[0][1]
            self.assertEqual([item.verdict for item in items], verdicts, differences)

    def test_equal_numbers_are_tied_or_meet_the_limit(self):
        lines = [line(seed, {"cycles": 5}, system=system) for seed in range(3) for system in "ab"]
        story = self.story("from gputm.claims import *\n@figure('A paper')\ndef one(d):\n"
                           "    a, b = d['cycles'].sel(system='a'), d['cycles'].sel(system='b')\n"
                           "    yield claim('less', less(a, b), expect='tied')\n    yield claim('most', at_most(a, b))\n")
        told = story.judge(Results(lines), shuffles=0)
        less_, most = told[0][1]
        self.assertEqual((less_.verdict, less_.here, most.verdict), ("tied", "not 5 < 5 (tied)", "holds"))
        self.assertFalse(less_.surprises(False))
        self.assertIn("Of 2 claims 1 hold; 0 more", claims.counted(told))
        self.assertIn("1 are tied, of 0 the gain", claims.counted(told))

    def test_a_claim_that_chance_meets_is_a_sanity_check(self):
        # Each seed has two runs, whose results are shuffled: one order in four, and all of them.
        lines = [line(seed, {"cycles": 100 * at + seed}, system=system)
                 for seed in (1, 2) for at, system in enumerate(("fast", "slow"))]
        story = self.story("from gputm.claims import *\n@figure('A paper')\ndef one(d):\n"
                           "    fast, slow = d['cycles'].sel(system='fast'), d['cycles'].sel(system='slow')\n"
                           "    yield claim('order', less(fast * 1.5, slow))\n"
                           "    yield claim('size', less(fast + slow, 1000))\n")
        told = story.judge(Results(lines))
        order, size = told[0][1]
        self.assertEqual(size.null, 1)
        self.assertTrue(0.15 < order.null < 0.35, order.null)
        self.assertEqual(order.null, story.judge(Results(lines))[0][1][0].null)
        self.assertEqual(size.shown_verdict(), "holds (a sanity check), null 1.00")
        self.assertRegex(claims.counted(told), "^Of 2 claims 0 hold; 2 more hold that shuffled results meet")

    def test_what_does_not_exist_is_named_with_its_figure(self):
        for words, change in (
                ("fig_1: variant has no value huge; it has", ('variant="few"), 3', 'variant="huge"), 3')),
                ("fig_1: the study has no line axis", ('min("concurrency")', 'min("axis")')),
                ("fig_1: a < b keeps neither side", ("less(speed, 1)", "speed < 1")),
                ("got 'hold', expected holds, tied, larger, smaller, in part, differs", ('expect="holds"', 'expect="hold"'))):
            self.refused(Wrong, words, self.story(STORY.replace(*change)).items, self.results)
        self.refused(Wrong, "no function has @figure(SOURCE)", self.story, "x = 1\n")
        self.refused(Wrong, "expected a file of Python beside a study", Story, "nothing.py")
        self.refused(Wrong, "has the figure cyclos: tell it in the study",
                     self.story(STORY.replace('"cycles"', '"cyclos"')).judge, self.results)
