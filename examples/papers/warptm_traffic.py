# SPDX-License-Identifier: BSD-2-Clause
"""What warptm-traffic.study shows."""
from common import WARP_OFF, only
from gputm.claims import claim, figure, less, more, paper, table, within

LOCKS = only("fine-lock", "concurrency")  # in place of all systems


@figure("Fung, thesis 2015, Fig. 6.4 (section 6.2.1)",
        "flits through the crossbars, by kind of message")
def fig_6_4(d):
    protocol = (d["traffic.done.flits"] + d["traffic.skip.flits"] + d["traffic.outcome.flits"] +
                d["traffic.verdict.flits"] + d["traffic.retire.flits"] +
                d["traffic.resend.flits"] + d["traffic.cleanup.flits"])
    logs = d["traffic.read_log.flits"] + d["traffic.write_log.flits"]
    flits = d["traffic.total.flits"] / d["traffic.total.flits"].sel(variant="FGLock")
    yield table("flits", "flits / fine-grained locks", flits)
    # The figure has the logs apart, as TxReadLog and TxWriteLog.
    yield table("log_share", "logs / all flits", (logs / d["traffic.total.flits"])
                .sel(variant=["Kilo-TM", "WarpTM", "WarpTM+TCD"]))
    share = (protocol / d["traffic.total.flits"]).sel(variant=["Kilo-TM", "WarpTM", "WarpTM+TCD"])
    yield table("share", "protocol / all flits", share)
    mean_share = share.mean("program")
    yield table("mean_share", "mean over the programs of protocol / all flits", mean_share,
                paper("variant", {"Kilo-TM": 0.36}))
    yield claim("Messages of the protocol are 36 % of Kilo TM's flits on average",
                within(mean_share.sel(variant="Kilo-TM"), 1.25, 0.36), off=LOCKS, quick="differs")
    yield claim("Kilo TM moves more flits than fine-grained locks",
                more(flits.sel(variant="Kilo-TM"), 1), off=LOCKS, quick="in part",
                why="A store with locks takes three flits here, two for its segment of 32 "
                    "bytes, of which a bucket or an account is 4, and one for the reply. If it "
                    "took one, the ratio would be 1.24 on HT-H, 1.10 on ATM and 0.84 on CL "
                    "(counted from the packets at a limit of 2, seed 1), where an attempt at a "
                    "lock that fails takes two, too.")
    yield claim("One message for a warp saves protocol flits",
                less(protocol.sel(variant="WarpTM"), protocol.sel(variant="Kilo-TM")), off=WARP_OFF,
                quick="holds")


@figure("Fung, thesis 2015, Fig. 6.5 (section 6.2.1)",
        "accesses of the commit units to the L2 that joining a warp's words saves")
def fig_6_5(d):
    reads_saved = ((1 - d["commit_unit.read_requests"] /
                    (d["commit_unit.validated"] + d["commit_unit.revalidated"]))
                   .sel(variant="WarpTM"))
    yield table("reads_saved", "validation reads saved / words read", reads_saved)
    writes_saved = ((1 - d["commit_unit.write_requests"] / d["commit_unit.written"])
                    .sel(variant="WarpTM"))
    yield table("writes_saved", "commit writes saved / words written", writes_saved)
    yield claim("Joining saves 40 % of the reads of validation on average",
                within(reads_saved.mean(), 1.25, 0.40),
                off={"commit_unit.region_bytes": 4}, quick="holds",
                why="Words join where lanes read neighbours, which random accounts and the "
                    "constraints of CL, whose order is random here, are not. With regions of "
                    "128 bytes in place of 32 it is 0.44 on HT-H, 0.29 on ATM, 0.49 on CC and "
                    "0.58 on BH, but 0.15 on CL and none on CLto.")
    yield claim("Joining saves 39 % of the writes of commit on average",
                within(writes_saved.mean(), 1.25, 0.39),
                off={"commit_unit.region_bytes": 4}, quick="holds")
