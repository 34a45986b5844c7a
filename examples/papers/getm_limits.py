# SPDX-License-Identifier: BSD-2-Clause
"""What getm-limits.study shows."""
from common import ALIKE, PROGRAMS, at_best, best, only
from gputm.claims import (at_least, at_most, between, claim, figure, gain, less, more, note,
                          paper, table, within)

# WarpTM in place of all systems
LAZY = only("warptm-tcd", "warp_clock.per_core", "warp_clock.backoff_limit",
            "validation_unit.access_delay", "system.commit_ack")
SYSTEMS = ["WarpTM", "WarpTM-EL", "EAPG", "GETM", "GETM-warp-clocks"]
BUT_AP = ["HT-H", "HT-M", "HT-L", "ATM", "CL", "CLto", "BH", "CC"]


def in_transactions(d):
    return at_best(d, d["tx_exec_cycles"] + d["tx_wait_cycles"])


@figure("Ren and Lis, GETM, HPCA 2018, Fig. 11 (section VI)", "execution time of GETM and WarpTM")
def fig_11(d):
    yield note("WarpTM is with temporal conflict detection. Each at its limit of concurrency "
               "with the fewest cycles. GETM is that of its authors' simulator: a clock of each "
               "core, two cycles for an access, and a warp waits for its commit to be written. "
               "GETM-warp-clocks is the text's. The back-off doubles eight times at once, as the "
               "paper has it increase without a number; with four times, our default, BH and CL "
               "do not end without a limit.")
    time = best(d).sel(variant=SYSTEMS) / best(d).sel(variant="FGLock")
    yield table("time", "execution time / fine-grained locks", time)
    speed = (best(d).sel(variant="WarpTM") / best(d)).sel(variant=["GETM", "GETM-warp-clocks"])
    mean_gain = speed.geomean("program")
    yield table("mean_gain", "geometric mean of GETM's speed over WarpTM's", mean_gain,
                paper("variant", {"GETM": 1.2}))
    # Bars have no numbers, but the text says where GETM gains, and that the others are comparable.
    yield claim("GETM beats WarpTM by 1.2 on average, and is at least comparable on each program",
                gain(1, mean_gain.sel(variant="GETM"), about=0.2),
                at_least(speed.sel(variant="GETM"), 1 / 1.15), off=LAZY, quick="in part",
                why="In the small form the last transactions, which retry, set the end. At the "
                    "paper's sizes it is 1.03 (seed 1), as BH takes three times the cycles of "
                    "WarpTM and CL 1.3 times; without these two it is 1.27.")
    yield claim("It gains most where contention is high: 2.1 times on HT-H",
                within(speed.sel(variant="GETM", program="HT-H"), 1.15, 2.1),
                at_least(speed.sel(variant="GETM", program="HT-H"),
                         speed.sel(variant="GETM").max()),
                off=LAZY, quick="differs",
                why="In the small form the last transactions, which retry, set the end.")
    yield claim("Programs of low contention are comparable to WarpTM",
                within(speed.sel(variant="GETM", program=["ATM", "CC", "AP"]), 1.15, 1),
                off=ALIKE, quick="differs",
                why="In the small form ATM has few transactions. At the paper's sizes the gains "
                    "are 1.01, 1.06 and 0.99 (seed 1).")
    yield claim("GETM is within 7 % of fine-grained locks on average",
                within(time.sel(variant="GETM").geomean(), 1.07, 1), off=LAZY, quick="differs",
                why="At the paper's sizes it is just above 1.07 (1.04 to 1.08 with one seed "
                    "alone), a mean of opposites: BH takes ten times the cycles of locks, and "
                    "HT-L and ATM a third, as locks of all warps at a time evict one another's "
                    "lines from the L2.")


@figure("Ren and Lis, GETM, HPCA 2018, Fig. 10 (section VI)",
        "cycles of warps in transactions and waiting")
def fig_10(d):
    yield note("EAPG is idealised, as in the paper: its bars are lost from the text, which prints "
               "what it says of CC and AP. Lanes that pause more than once count more than once.")
    tx = in_transactions(d).sel(variant=SYSTEMS) / in_transactions(d).sel(variant="WarpTM")
    yield table("tx", "cycles in and before transactions / WarpTM", tx)
    early = at_best(d, d["aborts_by_reason.conflict"] / d["aborted"]).sel(variant="EAPG")
    yield table("early", "aborts before the commit / aborts, EAPG", early)
    paused = at_best(d, d["conflict_address_table.paused"] / d["committed"]).sel(variant="EAPG")
    yield table("paused", "lanes paused / commits, EAPG", paused)
    yield claim("GETM spends fewer cycles in and before transactions on most programs",
                less(tx.sel(variant="GETM"), 1), off=LAZY, quick="in part",
                why="In the small form HT-H has 9 % more. At the paper's sizes CL has 1.3, BH "
                    "1.8 and AP 1.5 times as many (seed 1). Neighbours in a granule of 32 bytes "
                    "make BH's: with granules of a word, and a table that holds them, it takes "
                    "1.28 and 1.02 million cycles at 4 and 8, and WarpTM 1.47 and 1.86. That "
                    "times are ordered by warp too is not the cause: with "
                    "validation_unit.paper_order=1 it takes 5.0 million, and 4.4 without.")
    few = ["CC", "AP"]
    yield claim("In CC and AP GETM is faster than WarpTM and EAPG",
                less(tx.sel(variant="GETM", program=few),
                     tx.sel(variant=["WarpTM", "EAPG"], program=few)), off=LAZY,
                why="In AP it has 1.5 times as many cycles as under WarpTM (seed 1), which are "
                    "1 % of the run: its time is the same within 1 %.")
    yield claim("In CC and AP EAPG is slower than WarpTM",
                more(tx.sel(variant="EAPG", program=few), 1), off=LAZY)
    yield claim("In CC and AP 5.2 % of EAPG's aborts are early ones",
                within(early.sel(program=few).mean("program"), 1.5, 0.052), off=LAZY,
                why="13.7 % in CC, where ten attempts of 1000 abort at all, and 6.5 % in AP "
                    "(seed 1).")
    yield claim("In CC and AP 1.3 % of EAPG's transactions pause",
                within(paused.sel(program=few).mean("program"), 1.5, 0.013), off=LAZY,
                why="0.2 % in CC and 14.5 % in AP (seed 1).")


@figure("Ren and Lis, GETM, HPCA 2018, Fig. 12 (section VI)", "flits over the crossbars")
def fig_12(d):
    flits = at_best(d, d["traffic.total.flits"])
    traffic = (flits.sel(variant=["WarpTM-EL", "EAPG", "GETM", "GETM-warp-clocks"]) /
               flits.sel(variant="WarpTM"))
    yield table("traffic", "flits / WarpTM", traffic)
    yield claim("GETM sends more than WarpTM on average, at a minor cost",
                less(1, traffic.sel(variant="GETM").geomean(), 1.5), off=LAZY, quick="holds")
    yield claim("EAPG's broadcasts load the crossbars more than WarpTM",
                more(traffic.sel(variant="EAPG"), 1), off=LAZY, quick="holds")


@figure("Ren and Lis, GETM, HPCA 2018, Table IV (section VI)", "best limits and aborts there")
def table_iv(d):
    limit = at_best(d, d["concurrency"]).sel(variant=SYSTEMS)
    yield table("limit", "best limit, warps in transactions per core", limit,
                paper("variant", "program", {"WarpTM": {"HT-H": 2, "HT-M": 8, "HT-L": 8, "ATM": 4,
                                                        "CL": 2, "CLto": 4, "BH": 2, "AP": 1},
                                             "EAPG": {"HT-H": 2, "HT-M": 4, "HT-L": 4, "ATM": 4,
                                                      "CL": 2, "CLto": 2, "BH": 2, "AP": 1},
                                             "WarpTM-EL": {"HT-H": 8, "HT-M": 8, "HT-L": 8,
                                                           "ATM": 4, "CL": 4, "CLto": 4, "BH": 8,
                                                           "AP": 1},
                                             "GETM": {"HT-H": 8, "HT-M": 8, "HT-L": 8, "ATM": 4,
                                                      "CL": 4, "CLto": 4, "AP": 1}}))
    aborts = at_best(d, 1000 * d["aborted"] / d["committed"]).sel(variant=SYSTEMS)
    aborts_printed = paper("variant", "program",
                           {"WarpTM": {"HT-H": 119, "HT-M": 98, "HT-L": 80, "ATM": 27, "CL": 93,
                                       "CLto": 110, "BH": 93, "CC": 6, "AP": 231},
                            "EAPG": {"HT-H": 113, "HT-M": 84, "HT-L": 78, "ATM": 26, "CL": 91,
                                     "CLto": 61, "BH": 86, "CC": 5, "AP": 237},
                            "WarpTM-EL": {"HT-H": 122, "HT-M": 83, "HT-L": 78, "ATM": 25,
                                          "CL": 119, "CLto": 72, "BH": 145, "CC": 1, "AP": 204},
                            "GETM": {"HT-H": 460, "HT-M": 172, "HT-L": 207, "ATM": 114, "CL": 205,
                                     "CLto": 176, "BH": 865, "CC": 38, "AP": 9188}})
    yield table("aborts", "aborts / 1000 commits at the best limit", aborts, aborts_printed)
    yield claim("GETM is best with at least as many warps as WarpTM, with more on HT-H and CL",
                at_least(limit.sel(variant="GETM"), limit.sel(variant="WarpTM")),
                more(limit.sel(variant="GETM", program=["HT-H", "CL"]),
                     limit.sel(variant="WarpTM")), off=LAZY, quick="holds",
                why="At the paper's sizes HT-L takes the same cycles at 4 and 8, within 2 % "
                    "under GETM and 1 % under WarpTM. CL is best at 4 under GETM, as there, and "
                    "at 8 under WarpTM, as logs always hit the L1 here (see warptm-best).")
    yield claim("GETM aborts more than WarpTM",
                more(aborts.sel(variant="GETM"), aborts.sel(variant="WarpTM")), off=LAZY,
                quick="holds",
                why="At the paper's sizes HT-M is best at 4, with 57 and 65 aborts; at the "
                    "paper's limit of 8 it has 151 and 77. CL has 113 at its 4, and WarpTM 175 "
                    "at its 8, 95 at the paper's 2 (seed 1).")
    yield claim("The aborts are the paper's within a factor of 1.5",
                within(aborts.sel(variant=["WarpTM", "GETM"]), 1.5, aborts_printed),
                off={"concurrency": "inf"}, quick="in part",
                why="At the paper's limits (seed 1) GETM has 398, 151 and 201 at 8 on HT-H, "
                    "HT-M and HT-L, 113 at 4 on CL and 93 on CLto, 299 at 4 on ATM, and 1,279 "
                    "on BH without a limit, where 4 is best here. AP has 662 at 1; where the "
                    "back-off does not grow, as in the authors' simulator "
                    "(warp_clock.backoff_limit=0), its threads abort one another until the run "
                    "is given up. WarpTM has 77 and 53 at 8 on HT-M and HT-L, 95 at 2 on CL, 80 "
                    "at 4 on CLto, 44 at 2 on BH and 425 at 1 on AP. No cause was found for "
                    "those that differ.")
    yield claim("EAPG is best with no more warps than WarpTM",
                at_most(limit.sel(variant="EAPG"), limit.sel(variant="WarpTM")), off=ALIKE,
                quick="in part",
                why="In the small form HT-H is best at 1 under WarpTM and at 2 under EAPG. At "
                    "the paper's sizes BH takes the same cycles at 4 and 8 under EAPG within 2 "
                    "%.")
    yield claim("EAPG aborts less than WarpTM, but in AP",
                less(aborts.sel(variant="EAPG", program=BUT_AP),
                     aborts.sel(variant="WarpTM", program=BUT_AP)), off=LAZY, quick="in part",
                why="In the small form EAPG is best with more warps on HT-H. At equal limits of "
                    "1, 2 and 8 it has 201, 354 and 1,503 there, and WarpTM 207, 400 and 1,473. "
                    "At the paper's sizes CLto has 81 under EAPG and 80 under WarpTM, and BH 93 "
                    "at 8 and 72 at 4: at 4 EAPG has 63 (seed 1).")
    yield claim("EAPG's aborts are the paper's within a factor of 1.5",
                within(aborts.sel(variant=["EAPG"]), 1.5, aborts_printed),
                off={"concurrency": "inf"}, quick="in part",
                why="In the small form aborts are those of smaller tables. At the paper's sizes "
                    "HT-L, CC and AP differ, as they do under WarpTM.")
    yield claim("WarpTM with eager detection aborts as often as there, within a factor of 1.5",
                within(aborts.sel(variant="WarpTM-EL"), 1.5, aborts_printed),
                off={"concurrency": "inf"}, quick="in part",
                why="At the paper's limits HT-H has 249, CL 143, CLto 96 and BH 249 (seed 1). "
                    "An attempt that aborts early begins anew without back-off here, and can "
                    "meet the same commit again; the paper does not say what its own emulation "
                    "does then.")


@figure("Ren and Lis, GETM, HPCA 2018, section V-B1", "how fast logical time advances")
def increments(d):
    rate = at_best(d, d["cycles"] / d["warp_clock.time_top"])
    yield table("rate", "cycles of one increment of the logical time",
                rate.sel(variant=["GETM", "GETM-warp-clocks"]))
    yield claim("An increment takes 1,265 to 15,836 cycles, by the program",
                between(1265, rate.sel(variant="GETM"), 15836), off=PROGRAMS, quick="in part",
                why="HT-H has 999 (seed 1), and AP 220,000, as it is in transactions for 1 % of "
                    "the run.")


@figure("Ren and Lis, GETM, HPCA 2018, Fig. 3 (section III)",
        "cycles in transactions by the limit of concurrency")
def fig_3(d):
    exec = (d["tx_exec_cycles"].sel(program="HT-H", variant=["WarpTM", "WarpTM-EL", "GETM"]) /
            d["committed"].sel(program="HT-H"))
    yield table("exec", "warp cycles in transactions / commit", exec)
    wait = (d["tx_wait_cycles"].sel(program="HT-H", variant=["WarpTM", "WarpTM-EL", "GETM"]) /
            d["committed"].sel(program="HT-H"))
    yield table("wait", "warp cycles of waiting / commit", wait)
    growth = exec.sel(concurrency=8) / exec.sel(concurrency=1)
    limit = at_best(d, d["concurrency"]).sel(program="HT-H")
    yield claim("With more warps the cycles in transactions grow much faster under WarpTM than "
                "with eager detection in it",
                more(growth.sel(variant="WarpTM"), 1.5 * growth.sel(variant="WarpTM-EL")),
                off=LAZY, quick="holds")
    yield claim("With more warps the waits become shorter with eager detection, and longer under "
                "WarpTM",
                less(wait.sel(variant="WarpTM-EL", concurrency=8),
                     wait.sel(variant="WarpTM-EL", concurrency=1)),
                more(wait.sel(variant="WarpTM", concurrency=8),
                     wait.sel(variant="WarpTM", concurrency=1)), off=LAZY, quick="in part",
                why="In the small form a core has five warps, and none of them waits at 8. At "
                    "the paper's sizes waits become longer under WarpTM from 2 to 16 (2,475 to "
                    "2,790 cycles), but are longest at 1 (3,051, seed 1).")
    yield claim("Eager detection is best with more warps than WarpTM",
                more(limit.sel(variant="WarpTM-EL"), limit.sel(variant="WarpTM")), off=LAZY,
                quick="holds")
    yield claim("With more warps the cycles in transactions grow much faster under WarpTM than "
                "under GETM",
                more(growth.sel(variant="WarpTM"), 1.5 * growth.sel(variant="GETM")), off=LAZY,
                quick="holds")


@figure("Ren and Lis, GETM, HPCA 2018, Fig. 4 (section III)",
        "WarpTM with lazy and eager detection, each at its best limit")
def fig_4(d):
    yield claim("Eager detection substantially reduces the cycles of execution and waiting",
                at_most(in_transactions(d).sel(variant="WarpTM-EL",
                                               program=["HT-H", "HT-M", "HT-L", "ATM", "CL",
                                                        "CLto", "BH"]), 0.8 * in_transactions(d)
                        .sel(variant="WarpTM")), off=LAZY, quick="in part",
                why="Few transactions of HT-M, HT-L and ATM meet, and a commit takes the two "
                    "round trips here also with eager detection, in CL, CLto and BH too, which "
                    "gain 8, 14 and 11 % (seed 1).")
    yield claim("Programs run faster with eager detection",
                less(best(d).sel(variant="WarpTM-EL"), best(d).sel(variant="WarpTM")),
                off=LAZY, quick="holds",
                why="On HT-L, ATM and AP both take the same cycles within 1 %.")


@figure("Ren and Lis, GETM, HPCA 2018, Table V (section VI)",
        "power and area of the hardware of TM")
def table_v(d):
    def mean(value):
        return at_best(d, value).mean("program").sel(variant=["WarpTM", "EAPG", "GETM"])
    joules = d["energy.nm32.total"]
    milliwatts = mean(1000 * joules * d["core_mhz"] / d["cycles"])
    yield table("milliwatts", "mW, arrays accessed in each cycle", milliwatts,
                paper("variant", {"WarpTM": 390.05, "EAPG": 618.95, "GETM": 176.98}))
    yield table("square", "mm2", mean(d["area.nm32.total"]),
                paper("variant", {"WarpTM": 2.68, "EAPG": 3.574, "GETM": 0.736}))
    yield table("accessed", "part of that power with the accesses of the run (ours)",
                mean(d["energy.nm32.active"] / joules))
    yield note("Area and power are the table's own numbers, carried through a run: no claim that "
               "GETM's are 3.6 and 2.2 times lower than WarpTM's, 4.9 and 3.6 times than EAPG's.")
    yield claim("GETM takes less energy than WarpTM in its arrays where both run the same "
                "program",
                less(mean(joules).sel(variant="GETM"), mean(joules).sel(variant="WarpTM")),
                off=LAZY, quick="holds")
