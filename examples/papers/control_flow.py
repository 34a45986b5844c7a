# SPDX-License-Identifier: BSD-2-Clause
"""What control-flow.study shows."""
from common import ALIKE, LITTLE, PROGRAMS
from gputm.claims import (at_least, at_most, claim, figure, gain, less, more, note, paper,
                          table, within)

DIVERGENT = ["bfs", "bound", "break", "eddies", "nested"]


def efficiency(d):
    return d["simd_efficiency"]


def stalls(d):
    return d["cycles_by_kind.stall"] / d["cycles_by_kind.issue"].sel(divergence="pdom")


def divergent_stalls(d):
    return stalls(d).sel(program=DIVERGENT).mean("program")


@figure("Fung, thesis 2015, Fig. 3.1 and 3.2 (section 3.1)",
        "SIMD efficiency, and cycles in which the memory port stalls")
def fig_3_1(d):
    yield note("The thesis' TBC is with likely convergence, here tbc-lcp; its programs are not "
               "these kernels. Plain DWF executes manager wrongly, as it does NVRT in the "
               "thesis.")
    yield table("efficiency", "SIMD efficiency", efficiency(d))
    divergent = efficiency(d).sel(program=DIVERGENT)
    yield table("stalls", "cycles of stall / cycles of issue under pdom", stalls(d))
    yield claim("TBC has a higher SIMD efficiency than PDOM and DWF",
                more(divergent.sel(divergence="tbc-lcp"),
                     divergent.sel(divergence=["pdom", "dwf"])),
                off={"divergence": "pdom"}, expect="in part",
                why="In bound and nested DWF, which takes threads of all blocks, fills warps "
                    "better: 0.77 and 0.70 against 0.66 and 0.53.")
    yield claim("TBC has fewer memory stalls than DWF",
                less(divergent_stalls(d).sel(divergence="tbc-lcp"), divergent_stalls(d)
                     .sel(divergence="dwf")), off={"divergence": "pdom"}, expect="holds")


@figure("Fung, thesis 2015, Fig. 3.9(a) (section 3.4)", "what likely convergence gains")
def fig_3_9(d):
    yield note("The kernel break stands for NVRT, whose loops have breaks too. MUM, where likely "
               "convergence gains 5 and 2 %, has no kernel here.")
    cycles = d["cycles"].sel(program="break")
    yield claim("Likely convergence gains 14 % over PDOM and 30 % over TBC where loops have breaks",
                gain(cycles.sel(divergence="pdom-lcp"), cycles.sel(divergence="pdom"), about=0.14),
                gain(cycles.sel(divergence="tbc-lcp"), cycles.sel(divergence="tbc"), about=0.30),
                off={"divergence": "pdom"}, expect="larger",
                why="The break is all that the kernel does: its threads are apart for the whole of "
                    "a loop without likely convergence.")


@figure("Fung, thesis 2015, Fig. 3.10 (section 3.6)", "performance relative to PDOM")
def fig_3_10(d):
    performance = d["cycles"].sel(divergence="pdom") / d["cycles"]
    yield table("performance", "performance / pdom", performance)
    mean_performance = performance.sel(program=DIVERGENT).harmean("program")
    yield table("mean_performance", "harmonic mean over the divergent kernels", mean_performance,
                paper("divergence", {"dwf": 1.04, "tbc-lcp": 1.22}))
    yield claim("Thread block compaction with likely convergence beats the SIMT stack by 22 %",
                gain(mean_performance.sel(divergence="pdom"),
                     mean_performance.sel(divergence="tbc-lcp"), about=0.22),
                off={"divergence": "pdom"}, expect="larger",
                why="On the kernel break it gains 14 times, as it keeps no threads apart there "
                    "for all of a loop, as a stack per warp does. Without it the mean is 1.12.")
    yield claim("DWF gains 4 %", gain(mean_performance.sel(divergence="pdom"),
                                       mean_performance.sel(divergence="dwf"), about=0.04),
                off={"divergence": "pdom"},
                expect="larger",
                why="On the kernel break, whose threads a stack per warp keeps apart for all of "
                    "a loop, DWF gains 14 times; the thesis has no program that gains 1.7 times. "
                    "Without it the mean is 1.11.")
    yield claim("TBC is 17 % faster than DWF and 6 % than DWF-WB",
                gain(mean_performance.sel(divergence="dwf"),
                     mean_performance.sel(divergence="tbc-lcp"), about=0.17),
                gain(mean_performance.sel(divergence="dwf-wb"),
                     mean_performance.sel(divergence="tbc-lcp"), about=0.06),
                off={"divergence": "pdom"}, expect="in part",
                why="In nested, with three branches within one another in each round, warps of "
                    "all blocks fill best: 1.90 and 2.18 against 1.55 of TBC. Without it and "
                    "break TBC is 5 % faster than DWF and 13 % slower than DWF-WB, whose warps "
                    "of all blocks also fill better in bound.")
    yield claim("Nobody gains or loses where nothing diverges, but for DWF",
                within(performance.sel(program="coherent",
                                       divergence=["pdom-lcp", "dwf-wb", "tbc", "tbc-lcp"]), 1.05,
                       1), off=ALIKE, expect="holds")


@figure("Fung, thesis 2015, Fig. 3.11 and 3.12 (section 3.6.1)",
        "what the core does with its cycles")
def fig_3_11(d):
    yield note("\"Far fewer\" is half or less, \"as well\" 95 % or more. Kinds of stalls are not "
               "told apart; the kernel coherent stands for the coherent programs.")
    yield table("issue", "cycles of issue / cycles under pdom", d["cycles_by_kind.issue"] /
                d["cycles"].sel(divergence="pdom"))
    waits = ((d["cycles_by_kind.memory_idle"] + d["cycles_by_kind.idle"]) /
             d["cycles"].sel(divergence="pdom"))
    yield table("waits", "cycles with no warp ready / all under pdom", waits)
    divergent_waits = waits.sel(program=DIVERGENT).mean("program")
    yield claim("TBC adds far fewer stalls than DWF",
                less(divergent_stalls(d).sel(divergence="tbc-lcp") - divergent_stalls(d)
                     .sel(divergence="pdom"), 0.5 *
                     (divergent_stalls(d).sel(divergence="dwf") - divergent_stalls(d)
                      .sel(divergence="pdom"))), off={"divergence": "pdom"}, expect="holds")
    yield claim("TBC has a SIMD efficiency as well as DWF-WB",
                at_least(efficiency(d).sel(divergence="tbc-lcp",
                                           program=["bfs", "bound", "break", "eddies", "manager",
                                                    "nested"]), 0.95 * efficiency(d)
                         .sel(divergence="dwf-wb")), off=ALIKE, expect="in part",
                why="Threads of all blocks fill the warps of DWF-WB: with core.blocks=1 TBC has "
                    "the higher efficiency on each of these kernels but bfs, where it has so "
                    "with 8 blocks.")
    yield claim("Synchronisation at branches makes cores wait more under TBC than under DWF-WB",
                more(divergent_waits.sel(divergence="tbc-lcp"),
                     divergent_waits.sel(divergence="dwf-wb")),
                off={"divergence": "pdom"}, expect="holds")
    yield claim("TBC adds neither stalls nor divergence where nothing diverges",
                at_most(stalls(d).sel(divergence="tbc-lcp", program="coherent"), 0.05),
                at_least(efficiency(d).sel(divergence="tbc-lcp", program="coherent"), 0.95),
                off=LITTLE, expect="holds")


@figure("Fung, thesis 2015, Table 3.3 (section 3.7)",
        "the most entries of a stack, and those of the stacks of Fig. 3.9")
def table_3_3(d):
    depth = d["stack_depth"].sel(divergence=["pdom", "pdom-lcp", "tbc", "tbc-lcp"])
    yield table("depth", "entries of a stack at most", depth)
    yield claim("One entry is enough where nothing diverges",
                at_most(depth.sel(program="coherent"), 1), off=PROGRAMS, expect="holds")
    yield claim("Fewer than 16 entries elsewhere", less(depth, 16), off=PROGRAMS, expect="holds")
    yield claim("Likely convergence needs fewer where branches merge early",
                less(depth.sel(program="break", divergence="tbc-lcp"),
                     depth.sel(program="break", divergence="tbc")),
                off={"divergence": "tbc"}, expect="holds")
