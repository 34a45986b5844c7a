#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""papers.py [--quick [--ablate]] [DIRECTORY]: run the studies of this folder, judge what they show, and leave
page.md and page.html with all pictures in DIRECTORY (default papers). What is done is kept there:
the same command goes on. --quick runs their small forms, and --ablate these once more with the
mechanism of each claim off, and tells which claims fall. GPUTM_SIM names the program. Exit status
1: a point failed, or a verdict is not what its file expects; ablations do not count.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))
from gputm import page, plot, runner  # noqa: E402
from gputm.__main__ import tell  # noqa: E402
from gputm.claims import Story, claims_of, counted, counted_ablations  # noqa: E402
from gputm.results import Missing, Wrong, text  # noqa: E402

# In the order of the page.
STUDIES = """control-flow block-priority ideal kilo-tm kilo-storage warptm-best warptm-traffic
    warptm-steps warptm-resolvers warptm-last-written warptm-scale reference-kilo-tm getm-limits
    getm-metadata getm-sizes getm-stalls getm-cores reference-getm si si-conflicts si-versions
    local-hash local-k-means local-genetic hetm-efficiency hetm-contention hetm-cache""".split()


def ablate(name, folder, story, told, asked):
    """Run the points of a study with mechanisms off, and tell which claims fall."""
    def run(off):
        print(f"{name}, small, with", *(f"{key}={text(value)}" for key, value in off.items()), file=sys.stderr)
        words = "-".join([name, *(f"{key}={text(value)}" for key, value in off.items())])
        results = runner.ablated(story.study, off, os.path.join(folder, words + ".jsonl"), asked)
        for point in results.failed:
            print(f"{name}: {point['failed']}: {point.get('command')}", file=sys.stderr)
        return results
    story.ablate(told, run)
    for item in claims_of(told):
        if item.ablated:
            print(f'{name}: "{item.title}": {item.ablation()}: {item.ablated.verdict}: {item.ablated.here}')


def show(name, folder, quick, ablated):
    """Run and judge a study: its judged figures, the lines of its page, and whether all is as expected."""
    print(name + ", small" * quick, file=sys.stderr)
    story = Story(os.path.join(HERE, name.replace("-", "_") + ".py"))
    asked = story.asked(*runner.forms(story.study))
    out = os.path.join(folder, name + ".jsonl")
    results = runner.study(story.study, out=out, quick=quick, tell=asked)
    told = story.judge(results)
    if ablated:
        ablate(name, folder, story, told, asked)
    lines, pictures = page.markdown(told, os.path.join(folder, name), len(results.grid.seeds), quick)
    page.draw(pictures)
    for point in results.failed:
        print(f"{name}: {point['failed']}: {point.get('command')}", file=sys.stderr)
    return told, lines, not tell(story, told, quick, every=False) and not results.failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("folder", nargs="?", default="papers")
    o = parser.parse_args()
    if o.ablate and not o.quick:
        parser.error("--ablate runs small forms, expected --quick too (make papers QUICK=1 ABLATE=1)")
    there = sorted(name[:-6] for name in os.listdir(HERE) if name.endswith(".study"))
    if sorted(STUDIES) != there:
        sys.exit(f"papers.py: its list is not that of the studies in {HERE}")
    os.makedirs(o.folder, exist_ok=True)
    version = subprocess.run([runner.program(), "--version"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.split()[1]
    lines = ["# The papers beside libgputm", "",
             f"gputm-sim{' --quick' * o.quick}: version {version}. Means over the seeds, bars with their 95 % "
             "intervals; crosses are numbers of the paper." +
             " This is the small form: sizes are not those of the papers." * o.quick, ""]
    surprising, every = [], []
    for name in STUDIES:
        told, shown, expected = show(name, o.folder, o.quick, o.ablate)
        every += told
        lines += shown
        surprising += [] if expected else [name]
    counts = [counted(every)] + ([counted_ablations(every)] if o.ablate else [])
    lines[3:3] = ["", " ".join(counts)]
    lines += page.without_setting(every)
    with open(os.path.join(HERE, "left-out.md"), encoding="utf-8") as file:
        lines += file.read().split("\n")
    plot.write(os.path.join(o.folder, "page.md"), "\n".join(lines))
    plot.write(os.path.join(o.folder, "page.html"), page.to_html(lines, o.folder))
    if surprising:
        print("papers.py: not as expected:", *surprising, file=sys.stderr)
    print("\n".join(counts))
    print(os.path.abspath(os.path.join(o.folder, "page.html")), file=sys.stderr)
    return bool(surprising)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Wrong, Missing, runner.RunFailed) as problem:
        sys.exit(f"papers.py: {problem}")
    except KeyboardInterrupt:
        sys.exit("papers.py: interrupted; the same command goes on")
