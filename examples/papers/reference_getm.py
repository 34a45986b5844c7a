# SPDX-License-Identifier: BSD-2-Clause
"""What reference-getm.study shows."""
from gputm.claims import claim, figure, note, paper, table, within


@figure("Ren and Lis, released simulator of GETM, run with its settings on ht-8000 (no figure "
        "of a paper)")
def reference(d):
    yield note("Its warps of a core share one clock.")
    time = d["cycles"]
    time_printed = paper("clocks", "concurrency",
                         {"cores": {1: 40806, 2: 26755, 4: 22414, 8: 23819, "inf": 32452}})
    yield table("time", "cycles of 700 MHz", time, time_printed)
    aborts = d["aborted"]
    aborts_printed = paper("clocks", "concurrency",
                           {"cores": {1: 852, 2: 1318, 4: 2373, 8: 5447, "inf": 11646}})
    yield table("aborts", "aborts", aborts, aborts_printed)
    yield claim("Aborts are those of the authors' simulator within a factor of 1.25",
                within(aborts.sel(clocks="cores"), 1.25, aborts_printed.sel(clocks="cores")),
                off={"concurrency": "inf"}, expect="in part",
                why="At a limit of 1 there are 0.77 of theirs, as the back-off doubles with "
                    "each restart: so the paper has it, and theirs does not grow so. With "
                    "warp_clock.backoff_limit=0 there are 0.98.")
    yield claim("Cycles are those of the authors' simulator within a factor of 1.25",
                within(time.sel(clocks="cores"), 1.25, time_printed.sel(clocks="cores")),
                off={"concurrency": "inf"}, expect="in part",
                why="Theirs takes two cycles for an access: with validation_unit.access_delay = "
                    "1 the limits 2 to inf are within 1.24, and 1 at 0.77. At a limit of 1 half "
                    "of our time is the last warps' back-off (24,000 to 37,000 by seed); where "
                    "it does not grow, there are 17,300 cycles, 18,700 with acknowledgements "
                    "(system.commit_ack=1), and 21,600 with two cycles for an access too. So "
                    "theirs takes some 600 cycles more for each attempt of a warp. Its entries "
                    "commit in the order of CIDs, which the paper has not and no option of ours "
                    "does.")
