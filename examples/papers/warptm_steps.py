# SPDX-License-Identifier: BSD-2-Clause
"""What warptm-steps.study shows."""
from common import WARP_OFF
from gputm.claims import claim, figure, gain, less, more, table

STEPS_OFF = {**WARP_OFF, "system.resolver_overhead": None}


@figure("Fung, thesis 2015, Fig. 6.13 (section 6.7.3)",
        "what each of WarpTM's optimisations gives")
def fig_6_13(d):
    best = d["cycles"].min("concurrency")
    time = (best.sel(step=["Kilo-TM", "+resolution", "+messages", "+coalescing", "+hazard"]) /
            best.sel(step="FGLock"))
    yield table("time", "execution time / fine-grained locks", time)
    speed = best.sel(step="Kilo-TM") / best
    # The averages are those of the bars of means, which are arithmetic (warptm-best.study).
    bar = time.mean("program")
    yield claim("Resolution alone helps BH and slows HT-H down",
                more(speed.sel(step="+resolution", program="BH"), 1),
                less(speed.sel(step="+resolution", program="HT-H"), 1), off=STEPS_OFF,
                quick="differs",
                why="Two insertions of a warp in one bucket have read the same head, so that "
                    "one of them has to abort with the resolution and without: 1,026 and 1,104 "
                    "aborts at a limit of 2. It need not wait for the other to retire first, "
                    "which gains 7 % (seed 1).")
    yield claim("One message for a warp gives 30 % on average",
                gain(bar.sel(step="+messages"), bar.sel(step="Kilo-TM"), about=0.3), off=STEPS_OFF,
                quick="smaller",
                why="10 % with the small form's four programs, 27 % at the paper's sizes (seed "
                    "1).")
    energy = d["energy.total"].best(d["cycles"], "concurrency")
    saved = (energy / energy.sel(step="FGLock")).mean("program")
    yield claim("One message for a warp saves 17 % of the energy",
                gain(saved.sel(step="Kilo-TM"), saved.sel(step="+messages"), about=-0.17),
                off=STEPS_OFF, quick="smaller",
                why="7 % with the small form's four programs, 19 % at the paper's sizes (seed "
                    "1).")
    yield claim("Joining the words of a warp gives 14 % more",
                gain(bar.sel(step="+coalescing"), bar.sel(step="+messages"), about=0.14),
                off={"commit_unit.region_bytes": 4},
                quick="smaller",
                why="Hazard detection, a word a cycle, binds before the L2 does: with "
                    "commit_unit.hazard_rate=8 joining gives 20 % on HT-M and 25 % on CL at a "
                    "limit of 8, in place of 0 and 10 % (seed 1). In the thesis that is so of "
                    "BH only.")
    yield claim("All of it gives 49 % over Kilo TM",
                gain(bar.sel(step="+hazard"), bar.sel(step="Kilo-TM"), about=0.49), off=STEPS_OFF,
                quick="smaller",
                why="16 % with the small form's four programs, 34 % at the paper's sizes (seed "
                    "1).")
