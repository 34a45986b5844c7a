# SPDX-License-Identifier: BSD-2-Clause
"""What warptm-last-written.study shows."""
from common import ALIKE, only
from gputm.claims import claim, figure, less, more, note, table, within


@figure("Fung, thesis 2015, Fig. 6.15 (section 6.7.5)",
        "the table of last-written times with 128, 2K and 4K entries of a partition")
def fig_6_15(d):
    yield note("In the small form of this study the reference workloads octree and audit stand "
               "for CL and BH.")
    best = d["cycles"].min("concurrency")
    time = best / best.sel(variant="NoTCD")
    yield table("time", "execution time / no TCD", time)
    mean_time = time.geomean("program")
    yield claim("128 entries have a significant part of the gain of 2K, half or more",
                less(mean_time.sel(variant=128), (1 + mean_time.sel(variant="2K")) / 2),
                off=only("warptm", "tcd.filter.entries", "tcd.filter.ways",
                         "tcd.filter.granularity"), quick="holds")
    yield claim("4K entries gain nothing over 2K",
                within(mean_time.sel(variant="4K"), 1.02, mean_time.sel(variant="2K")),
                off=ALIKE, quick="holds")
    yield claim("One array is as good as four",
                within(mean_time.sel(variant="2K-1-array"), 1.03, mean_time.sel(variant="2K")),
                off=ALIKE, quick="holds")
    yield claim("Words in place of blocks of 128 bytes lose",
                more(mean_time.sel(variant="2K-words"), mean_time.sel(variant="2K")),
                off={"tcd.filter.granularity": 128}, quick="differs",
                why="In the small form octree and audit take no more cycles with words. At the "
                    "paper's sizes the mean is 0.85 with words, and 0.80 with blocks (seed 1).")
