# SPDX-License-Identifier: BSD-2-Clause
"""What hetm-cache.study shows."""
from gputm.claims import at_most, claim, figure, gain, less, note, paper, table, within


@figure("Castro et al., HeTM, PACT 2019, Fig. 6 (section V-D)",
        "the key-value cache, where the GPU steals requests of the CPU")
def fig_6(d):
    yield note("The cache has 4,096 sets here and 1,000,000 there, and its rounds are shorter: 1.6 ms at "
               "most, 25 ms there.")
    speed = ((d["committed"] / d["cycles"]).sel(variant="SHeTM") / (d["committed"] / d["cycles"])
             .sel(variant="CPU-only"))
    yield table("speed", "throughput / CPU alone", speed,
                paper("stealing", "round", {0: {"1600us": 1.8}}))
    failed = (d["sync_round.failed"] / d["sync_round.rounds"]).sel(variant="SHeTM")
    yield table("failed", "rounds that fail / rounds", failed)
    yield claim("Without stealing no round fails", at_most(failed.sel(stealing=0), 0),
                off={"system.steal": 1, "workload.shift": 100}, quick="holds")
    yield claim("With stealing more rounds fail the longer they are",
                less(failed.sel(stealing=[20, 80, 100], round="50us"),
                     failed.sel(stealing=[20, 80, 100], round="1600us")),
                off={"system.steal": 0}, quick="holds")
    yield claim("Without stealing it is 80 % better than the CPU alone",
                gain(1, speed.sel(stealing=0, round="1600us"), about=0.8),
                off={"system.devices": "cpu"}, quick="holds")
    yield claim("Stealing of 20 % is as good as none",
                within(speed.sel(stealing=20), 1.1, speed.sel(stealing=0)),
                off={"system.steal": 0}, quick="in part",
                why="Without stealing each device ends with its own half, and with it both work to the "
                    "end: 15 to 44 % more in rounds up to 800 us, in which at most a quarter of the "
                    "rounds fail; in rounds of 1.6 ms, of which 62 % fail, 14 % less.")
