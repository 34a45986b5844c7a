# SPDX-License-Identifier: BSD-2-Clause
"""What hetm-contention.study shows."""
import math

from gputm.claims import claim, figure, less, more, table

APART = {"workload.conflict": 0}  # the devices do not meet


@figure("Castro et al., HeTM, PACT 2019, Fig. 5 (section V-C)",
        "throughput by the share of rounds that fail")
def fig_5(d):
    failed = (d["sync_round.failed"] / d["sync_round.rounds"]).sel(variant="early")
    yield table("failed", "rounds that fail / rounds", failed)
    speed = ((d["committed"] / d["cycles"]).sel(variant=["early", "late", "no-shadow"]) /
             (d["committed"] / d["cycles"]).sel(variant="CPU-only"))
    yield table("speed", "throughput / CPU alone", speed)
    early = speed.sel(variant="early")

    def up_to(most):
        return early.with_(failed, lambda value, share: value if share <= most else math.nan)
    yield claim("Throughput falls with the share of rounds that fail, below the CPU alone where "
                "all fail",
                more(early.sel({"workload.conflict": 0}), early.sel({"workload.conflict": 100}),
                     early.sel({"workload.conflict": 2000})),
                less(early.sel({"workload.conflict": 2000}), 1), off=APART, quick="holds")
    yield claim("It is above the CPU alone up to 80 % of failed rounds, which is 1.3 at half of "
                "them",
                more(up_to(0.8), 1), off={"system.devices": "cpu"}, quick="differs",
                why="In the small form there are few rounds, and the last one counts. At full size "
                    "it is 1.13 at 46 % of failed rounds, and 0.93 at 76 %.")
    yield claim("Early validation gains most in the midst",
                more((speed.sel(variant="early") / speed.sel(variant="late"))
                     .max(), (speed.sel(variant="early") / speed.sel(variant="late"))
                     .sel({"workload.conflict": 0})),
                more((speed.sel(variant="early") / speed.sel(variant="late"))
                     .max(), (speed.sel(variant="early") / speed.sel(variant="late"))
                     .sel({"workload.conflict": 2000})),
                off={"sync_round.early_cycles": 0}, quick="in part")
