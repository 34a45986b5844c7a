# SPDX-License-Identifier: BSD-2-Clause
"""What block-priority.study shows."""
from common import LITTLE
from gputm.claims import at_most, claim, figure, more, table


@figure("Fung, thesis 2015, Fig. 3.13 (section 3.6.2)", "which thread block goes first")
def fig_3_13(d):
    speed = d["cycles"].sel(policy="pdom") / d["cycles"]
    performance = speed.sel(policy=["age", "rrb", "srr"])
    yield table("performance", "performance / pdom", performance)
    average = performance.harmean("program")
    yield claim("AGE is the best on average",
                more(average.sel(policy="age"), average.sel(policy=["rrb", "srr"])),
                off={"block_priority.policy": "age"}, expect="differs",
                why="A launch of few blocks on one core ends with one block alone, whose "
                    "synchronisation nothing overlaps, as the thesis says of LPS, NAMD and LIB.")
    yield claim("SRR is the most robust, above 95 % everywhere",
                more(performance.sel(policy="srr"), 0.95),
                off={"block_priority.policy": "age"}, expect="in part",
                why="Cores wait for memory in bfs, and three of its blocks are too few to hide "
                    "that they synchronise: with four (core.warps=48) SRR has 99 % of the "
                    "performance there, with memory four times as near "
                    "(core.memory_latency=100) 96 %.")


@figure("Fung, thesis 2015, Fig. 3.14 (section 3.6.3)", "memory traffic of a core")
def fig_3_14(d):
    misses = ((d["memory.l1_misses"] / d["memory.l1_misses"].sel(policy="pdom"))
              .sel(policy=["age", "rrb", "srr"]))
    yield table("misses", "loads that miss in the L1 / pdom", misses)
    yield claim("Compaction adds little traffic, 7 % at most in general",
                at_most(misses.mean("program"), 1.07), off=LITTLE, expect="in part",
                why="In the coherent kernel AGE and SRR drive blocks apart, so that they no "
                    "longer share lines of the L1.")
