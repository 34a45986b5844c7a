# SPDX-License-Identifier: BSD-2-Clause
"""What the tests share: a folder of their own, and made lines of results."""
import json
import os
import random
import tempfile
import unittest


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, content):
        """Write lines, dicts or text, and return the file's name."""
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else
                       "".join(json.dumps(line) + "\n" for line in content))
        return path

    def refused(self, error, words, call, *arguments, **named):
        with self.assertRaises(error) as caught:
            call(*arguments, **named)
        self.assertIn(words, str(caught.exception))


def line(seed=1, figures=None, study="s", **settings):
    """A line of results; settings have _ for a dot after the first word where one is meant."""
    out = {"study": study, "version": "0.1.0", "point.hash": "h", "point.seed": seed}
    out.update({"point." + name.replace("__", "."): value for name, value in settings.items()})
    return {**out, **(figures or {})}


def drawn(count, middle, spread, start=0, name=1):
    """Lines of so many seeds whose cycles are drawn around a middle."""
    dice = random.Random(1000 * name + start)
    return [line(start + seed, {"cycles": middle * dice.lognormvariate(0, spread)}, system="a")
            for seed in range(count)]


AXES = [{"name": "variant", "zipped": False, "values": ["locks", "few", "many"]},
        {"name": "system", "zipped": True, "values": ["fine-lock", "kilo-tm", "kilo-tm"]},
        {"name": "commit_unit.buffers", "zipped": True, "values": [None, 64, 128]},
        {"name": "threads", "zipped": False, "values": [64]},
        {"name": "concurrency", "zipped": False, "values": [1, "inf"]},
        {"name": "seed", "zipped": False, "values": [1, 2]},
        {"name": "workload.seed", "zipped": True, "values": [1, 2]}]
FULL = [dict(axis, values=[64, 256]) if axis["name"] == "threads" else axis for axis in AXES]


def study_lines(cycles=lambda variant, limit, seed: 100):
    """All lines of AXES. The locks ignore the limit, and are run once."""
    out = []
    for at, variant in enumerate(AXES[0]["values"]):
        for limit in ["-"] if variant == "locks" else AXES[4]["values"]:
            for seed in 1, 2:
                out.append(line(seed, {"cycles": cycles(variant, limit, seed), "aborted": 0},
                                system=AXES[1]["values"][at], threads=64, concurrency=limit,
                                workload__seed=seed,
                                commit_unit__buffers=AXES[2]["values"][at] or "-"))
    return out
