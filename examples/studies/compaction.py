# SPDX-License-Identifier: BSD-2-Clause
"""What compaction.study shows."""
from gputm.claims import at_least, claim, figure, more, table


@figure("Fung, thesis 2015, section 8.1, leaves transactions on compacted warps open; the "
        "thresholds are our own")
def section_8_1(d):
    stacks = (d["cycles"].sel(warps=["pdom-1", "pdom-2", "pdom-4", "pdom-8", "pdom-inf"])
              .min("warps"))
    compacted = d["cycles"].sel(warps=["tbc-1", "tbc-2", "tbc-inf"]).min("warps")
    active = d["thread_instructions"] / d["instructions"]
    lanes = (active.sel(warps="tbc-inf", logs="packed") /
             active.sel(warps="pdom-inf", logs="packed"))
    yield table("lanes",
                "active lanes of an instruction, compacted / with a stack per warp, "
                "without a limit", lanes)
    unlimited = d["cycles"].sel(warps="pdom-inf") / d["cycles"].sel(warps="tbc-inf")
    yield table("unlimited", "cycles with a stack per warp / compacted, without a limit",
                unlimited)
    speedup = stacks / compacted
    yield table("speedup", "cycles with a stack per warp / compacted, each at its best limit",
                speedup)
    packing = stacks.sel(logs="rows") / stacks.sel(logs="packed")
    yield table("packing",
                "cycles with a stack per warp at the best limit, with rows / with packed logs",
                packing)
    yield table("attempts", "aborts a commit, compacted, without a limit",
                d["aborted"].sel(warps="tbc-inf", logs="packed") /
                d["committed"].sel(warps="tbc-inf", logs="packed"))
    yield claim("Compacted, more lanes of an instruction are active in every program",
                more(lanes.min(), 1))
    yield claim("Compacted, they are 1.2 times as many on average", at_least(lanes.geomean(), 1.2))
    yield claim("Compacted warps with packed logs are as fast as others without a limit",
                at_least(unlimited.sel(logs="packed").geomean(), 1), expect="differs",
                quick="differs",
                why="0.85. The warps of a block wait for each other: with blocks of 1, 2, 4 and "
                    "8 warps vacation comes to 1.04, 0.69, 0.56 and 0.48. Without packed logs "
                    "an access of threads from several static warps takes a row of each log: "
                    "vacation has 2,694 rows at most and not 704, and 0.24.")
    yield claim("Compacted warps with packed logs are as fast as others at the best limits",
                at_least(speedup.sel(logs="packed").geomean(), 1), expect="differs",
                quick="differs",
                why="0.59. The least that a core admits is a block, 4 to 16 warps here; with a "
                    "stack per warp the best limit is 1 to 4 warps. HT-H, CL and the octree "
                    "abort 0.33 to 0.98 times a commit then.")
    yield claim("Packed logs make Kilo TM no slower without compaction",
                at_least(packing.min(), 0.99))
