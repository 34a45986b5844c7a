# SPDX-License-Identifier: BSD-2-Clause
"""What si-versions.study shows."""
from common import LITTLE
from gputm.claims import at_least, claim, figure, more, table


@figure("Chen, Peng and Irving, ISCA 2017, Fig. 20 (section 7.3)", "the number of versions")
def fig_20(d):
    speed = d["cycles"].sel(variant="WarpTM") / d["cycles"]
    speedup = speed.sel(variant=[2, 3, 4, 6, 8, 12, 16])
    yield table("speedup", "speed-up over WarpTM", speedup)
    yield claim("More versions are better: 8 than 2",
                more(speedup.sel(variant=8), speedup.sel(variant=2)),
                off={"version_table.versions": 8}, expect="differs", quick="in part",
                why="With two versions a commit waits until nobody reads the older one, so that "
                    "commits gather in fewer versions. On graph-cut the two differ by less than "
                    "1 %.")
    yield claim("8 are near the best", at_least(speedup.sel(variant=8), 0.95 *
                                                speedup.max("variant")), off=LITTLE,
                quick="in part",
                why="As above.")
