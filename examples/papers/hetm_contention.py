# SPDX-License-Identifier: BSD-2-Clause
"""What hetm-contention.study shows."""
from gputm.claims import claim, figure, less, more, table


@figure("Castro et al., HeTM, PACT 2019, Fig. 5 (section V-C)",
        "throughput by the share of rounds that fail")
def fig_5(d):
    yield table("failed", "rounds that fail / rounds",
                (d["sync_round.failed"] / d["sync_round.rounds"]).sel(variant="early"))
    speed = ((d["committed"] / d["cycles"]).sel(variant=["early", "late", "no-shadow"]) /
             (d["committed"] / d["cycles"]).sel(variant="CPU-only"))
    yield table("speed", "throughput / CPU alone", speed)
    early = speed.sel(variant="early")
    yield claim("Throughput falls with the share of rounds that fail",
                more(early.sel({"workload.conflict": 0}), early.sel({"workload.conflict": 100}),
                     early.sel({"workload.conflict": 2000})), quick="holds")
    yield claim("It is above the CPU alone up to 80 % of failed rounds, which is 1.3 at half of "
                "them",
                more(early.sel({"workload.conflict": [0, 20, 50]}), 1), quick="differs",
                why="In the small form there are few rounds, and the last one counts.")
    yield claim("Early validation gains most in the midst",
                more((speed.sel(variant="early") / speed.sel(variant="late"))
                     .max(), (speed.sel(variant="early") / speed.sel(variant="late"))
                     .sel({"workload.conflict": 0})),
                more((speed.sel(variant="early") / speed.sel(variant="late"))
                     .max(), (speed.sel(variant="early") / speed.sel(variant="late"))
                     .sel({"workload.conflict": 2000})),
                off={"sync_round.early_cycles": 0}, quick="in part")
    yield claim("Where all rounds fail it costs", less(early.sel({"workload.conflict": 2000}), 1),
                quick="holds")
