# SPDX-License-Identifier: BSD-2-Clause
import math
import os
import shutil
import signal
import threading
import time
import unittest.mock

import gputm
from gputm.claims import Story
from gputm.runner import ablated, forms

from made import Case

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
STUDY = {"system": ["fine-lock", "getm"], "workload": "bank", "threads": 64, "concurrency": [1, math.inf],
         ("seed", "workload.seed"): [(1, 1), (2, 2)], "tell": ["cycles", "aborted"]}


@unittest.skipUnless(os.environ.get("GPUTM_SIM"), "GPUTM_SIM names no gputm-sim")
class Test(Case):
    def test_run(self):
        report = gputm.run({"validation_unit.stall_lines": 4}, system="getm", workload="bank", threads=64)
        self.assertEqual((report["point.system"], report["point.validation_unit.stall_lines"]), ("getm", 4))
        self.assertEqual(report["committed"], 128)
        self.refused(gputm.RunFailed, 'got "gtm"', gputm.run, system="gtm")

    def test_study(self):
        out = os.path.join(self.folder.name, "out.jsonl")
        results = gputm.study(STUDY, jobs=2, out=out)
        cycles = results["cycles"]
        self.assertEqual(cycles.over, ("system", "concurrency"))
        self.assertEqual(cycles.sel(system="fine-lock", concurrency=1).cells,
                         cycles.sel(system="fine-lock", concurrency="inf").cells)
        self.assertEqual(len(results.rows()), 6)
        self.assertEqual(gputm.study(STUDY, out=out)["cycles"].cells, cycles.cells)
        path = self.file("x.study", "system getm\nthreads 64 128\nworkload bank\nquick threads 64\n")
        self.assertEqual(gputm.study(path, out=out + "2", tell=["cycles"]).figures(), ["cycles"])
        loaded = gputm.load(out + "2", path)
        self.assertEqual(len(loaded["cycles"].cells), 2)
        self.refused(gputm.Missing, "threads has no value 512; it has 64, 128", loaded["cycles"].sel, threads=512)
        self.refused(gputm.Wrong, "threads is 128, and the study has 64", gputm.load, out + "2", path, True)

    def test_ablated(self):
        # Settings of the study, zipped or not, and others; a variant that differs by one of them only.
        path = self.file("x.study", "call variant few many locks\nzip system getm getm fine-lock\n"
                                    "zip set validation_unit.stall_lines 4 8 -\nworkload bank\nthreads 64 128\n"
                                    "quick threads 64\nconcurrency 1 2\nconflicts\n")
        out, off = os.path.join(self.folder.name, "out"), {"validation_unit.stall_lines": 2, "concurrency": "inf",
                                                           "warp_clock.backoff_base": 0}
        results = ablated(path, off, out, ["cycles", "conflicts.loops"])
        lines = gputm.load(out).lines
        self.assertEqual({(line["point.system"], line["point.validation_unit.stall_lines"], line["point.concurrency"],
                           line["point.warp_clock.backoff_base"], line["point.threads"]) for line in lines},
                         {("getm", 2, "inf", 0, 64), ("fine-lock", "-", "-", "-", 64)})
        cycles = results["cycles"]
        self.assertEqual(cycles.over, ("variant", "concurrency"))
        self.assertEqual(len({*cycles.sel(variant=["few", "many"]).cells[:4]}), 1)
        self.assertFalse(any(map(math.isnan, cycles.cells)))
        self.assertEqual(results["conflicts.loops"].sel(variant="locks", concurrency=2).cells, [0])
        # Another system in place of all, which has not this setting, nor that figure.
        results = ablated(path, {"system": "ideal", "validation_unit.stall_lines": None}, out + "ideal",
                          ["cycles", "metadata_table.hits"])
        self.assertEqual({line["point.variant"] for line in results.lines}, {"few", "many", "locks"})
        self.assertEqual(len({*results["cycles"].cells[::2]}), 1)
        self.assertTrue(all(map(math.isnan, results["metadata_table.hits"].cells)))
        self.refused(gputm.RunFailed, "stal_lines", ablated, path, {"validation_unit.stal_lines": 2}, out + "2")

    def test_an_interrupt_leaves_the_lines_that_are_done(self):
        out = os.path.join(self.folder.name, "out")
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

        def interrupt():
            while not (os.path.exists(out) and os.path.getsize(out)):
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        with self.assertRaises(KeyboardInterrupt):
            gputm.study({**STUDY, "threads": 2304, ("seed", "workload.seed"): [(at, at) for at in range(1000)]}, out=out)
        done = len(gputm.load(out).lines)
        self.assertTrue(0 < done < 3000)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_bad_studies(self):
        self.refused(gputm.RunFailed, 'the study:2: nothing is run', gputm.study, {**STUDY, "workload": "bnak"})
        self.refused(gputm.Wrong, "jobs = 0, expected 1 or more", gputm.study, STUDY, jobs=0)
        self.refused(gputm.RunFailed, "expected", gputm.study, {**STUDY, "tell": "cyclos"})

    def test_a_point_that_fails(self):
        results = gputm.study({"system": "getm", "workload": "bank", "threads": 64, "seed": [1, 2],
                               "validation_unit.warp_bits": [10, 1], "tell": "cycles"})
        self.assertEqual(len(results.failed), 2)
        self.assertIn("warp_bits = 1 is outside", results.failed[0]["failed"])
        self.assertTrue(results.failed[0]["command"].startswith("gputm-sim "))
        self.assertEqual([*map(math.isnan, results["cycles"].cells)], [False, True])

    def test_a_story_as_a_whole(self):
        story = Story(os.path.join(EXAMPLES, "studies", "cores.py"))
        results = gputm.study(story.study, tell=story.asked(*forms(story.study)))
        told = story.judge(results)
        claims = [item for _, items in told for item in items if hasattr(item, "verdict")]
        self.assertEqual([item.title for item in claims if item.surprises(False)], [])
        self.assertTrue(claims)

    def test_no_program(self):
        with unittest.mock.patch.dict(os.environ, {"GPUTM_SIM": "/nothing"}):
            self.refused(gputm.Wrong, "GPUTM_SIM: /nothing is no program", gputm.run)
        with unittest.mock.patch.dict(os.environ, GPUTM_SIM=""), \
                unittest.mock.patch("shutil.which", lambda name: None):
            self.refused(gputm.Wrong, "gputm-sim is not in PATH; install", gputm.run)

    def test_a_name_that_does_not_exist(self):
        self.refused(AttributeError, "module gputm has no laod", lambda: gputm.laod)

    def test_a_dict_names_files_of_the_working_directory(self):
        shutil.copy(os.path.join(EXAMPLES, "kernels", "break.kernel"), self.folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        results = gputm.study({"system": "getm", "kernel": "break.kernel", "tell": "cycles"})
        self.assertGreater(float(results["cycles"]), 0)
        self.assertEqual(os.listdir(), ["break.kernel"])
