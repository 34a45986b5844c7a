# SPDX-License-Identifier: BSD-2-Clause
"""What getm-stalls.study shows."""
from common import LITTLE
from gputm.claims import at_most, claim, figure, less, table


@figure("Ren and Lis, GETM, HPCA 2018, Fig. 15 (section VI)",
        "the most requests that wait at a time")
def fig_15(d):
    waiting = d["stall_buffer.waiting_max"]
    yield table("waiting", "most waiting accesses, sum over partitions", waiting)
    yield claim("At most 12 requests wait in the whole GPU",
                at_most(waiting.sel(buffers="wide"), 12), off=LITTLE, quick="differs",
                why="An access is a word of a lane here, and one to what its own warp still "
                    "holds through its last attempt waits too, which in the paper would read "
                    "stale values.")
    full = (((d["stall_buffer.no_line"] + d["stall_buffer.no_slot"]) /
             d["validation_unit.accesses"]).sel(buffers="4x4"))
    yield table("full", "accesses that find no room / accesses, 4 x 4", full)
    yield claim("Buffers of 4 lines of 4 are large enough", less(full, 0.01),
                off={"validation_unit.stall_lines": 1, "validation_unit.stall_requests": 1},
                quick="holds",
                why="With granules of a word in place of 32 bytes hardly an access finds no "
                    "room.")


@figure("Ren and Lis, GETM, HPCA 2018, Fig. 16 (section VI)", "requests that wait for one address")
def fig_16(d):
    line = d["stall_buffer.length_sum"] / d["stall_buffer.queued"]
    yield table("line", "accesses on the line of one that comes to wait", line)
    yield claim("Very few requests wait for an address", less(line.sel(buffers="wide"), 3),
                off=LITTLE, quick="holds",
                why="The 8 children of a node of BH are one granule: with granules of a word it "
                    "is 1.1, on AP too.")
