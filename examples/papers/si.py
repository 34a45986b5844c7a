# SPDX-License-Identifier: BSD-2-Clause
"""What si.study shows."""
from common import ALIKE, SYSTEM
from gputm.claims import claim, figure, less, more, note, paper, table, within

# Other systems in place of snapshot isolation, with the L2 of Kilo TM and WarpTM.
WARPTM = {"system": "warptm", "machine.l2_bytes": 262144}
KILO_TM = {**WARPTM, "system": "kilo-tm"}
NO_GRAPH = {"system": "si-tm", "machine.l2_bytes": None}
NO_RESOLVER = {"system.resolver": "none"}


@figure("Chen, Peng and Irving, ISCA 2017, Fig. 13 (section 7.1)", "speed-up over WarpTM")
def fig_13(d):
    speedup = d["cycles"].sel(system="warptm") / d["cycles"]
    yield table("speedup", "speed-up over WarpTM", speedup)
    yield claim("Snapshot isolation is faster than WarpTM and Kilo TM on every program",
                more(speedup.sel(system="si-tm"), 1),
                more(speedup.sel(system="si-tm"), speedup.sel(system="kilo-tm")), off=WARPTM,
                expect="tied", quick="in part")
    yield claim("WarpTM is slower than Kilo TM", more(speedup.sel(system="kilo-tm"), 1),
                off=NO_RESOLVER, expect="in part",
                why="With system.resolver=none WarpTM takes the cycles of Kilo TM within 3 %: "
                    "the resolution within the warp gains on lists and trees and loses on "
                    "graph-cut. Its own time (system.resolver_overhead) is 8 % at most, either "
                    "way.")
    yield claim("At best it is 4.5 times as fast as WarpTM",
                within(speedup.sel(system="si-tm").max(), 1.25, 4.5), off=WARPTM, expect="holds")
    yield claim("Snapshot isolation is about as fast as with an exact graph on both kinds of "
                "trees and Vacation-1",
                within(d["cycles"].sel(system="si-tm",
                                       program=["Tree-1", "Tree-2", "RBTree-1", "RBTree-2",
                                                "Vacation-1"]), 1.1,
                       d["cycles"].sel(system="si-tm-oracle")), off=ALIKE, expect="holds",
                quick="in part")


@figure("Chen, Peng and Irving, ISCA 2017, Fig. 16 (section 7.1)", "aborts by reason")
def fig_16(d):
    aborts = d["aborted"] / d["aborted"].sel(system="warptm")
    yield table("aborts", "aborts / WarpTM", aborts)
    intra = (d["aborts_by_reason.intra_warp"] / d["aborted"]).sel(system="warptm")
    yield table("intra", "share of the resolution within the warp in WarpTM's aborts", intra)
    writer = (d["aborts_by_reason.writer"] / d["aborted"]).sel(system="si-tm")
    yield table("writer", "share of the single-writer limit in the aborts of snapshot isolation",
                writer)
    yield claim("WarpTM aborts more often than Kilo TM", less(aborts.sel(system="kilo-tm"), 1),
                off=NO_RESOLVER, expect="in part",
                why="With system.resolver=none WarpTM aborts as often as Kilo TM, so that the "
                    "resolution within the warp makes the difference; on the lists of one warp "
                    "(32 threads) there is none: both abort 202 times. On Tree-1 the difference "
                    "is less than the spread of the seeds. On List-2, where any two insertions "
                    "of a warp conflict, the resolution saves attempts: 3,784 aborts with it "
                    "and 4,191 without (seed 1), 4,191 of Kilo TM.")
    yield claim("Most of WarpTM's aborts come from the resolution within the warp",
                more(intra, 0.5), off=NO_RESOLVER, expect="in part",
                why="The 1,000 threads of Tree-1 are 32 warps that meet in validation: the "
                    "share is 0.42 in place of 0.31 at a limit of 1, and 0.78 with the 100 "
                    "threads of Tree-2.")
    yield claim("The single-writer limit costs many aborts", more(writer, 0.2), off=SYSTEM,
                expect="in part",
                why="Removals write too little here: on Tree-1, which only removes, 2.5 words "
                    "of a node each, where the paper has 8 (Table 3), or 4 pointers of 64 bits. "
                    "Which these are it does not say. A removal that also clears the parent "
                    "word of the node that it takes out (in put() of tree.kernel: store "
                    "node[at].parent = 0 if kind == REMOVE) meets the writer of a child there: "
                    "the shares are 0.39 on Tree-1, with 3.6 words, and 0.38 on Tree-2 (seeds 1 "
                    "to 4); where it clears a child word they are 0.47 and 0.13. Vacation-1 has "
                    "0.17: it adds and removes stock, which are nodes of trees, too. Not "
                    "limits, back-off or numbers of versions make a difference.")
    yield claim("With an exact graph there are the fewest aborts on the lists and graph-cut",
                less(aborts.sel(system="si-tm-oracle",
                                program=["List-1", "List-2", "GraphCut-1", "GraphCut-2"]),
                     aborts.sel(system="si-tm")), off=NO_GRAPH, expect="tied", quick="in part",
                why="On graph-cut the two do not differ by more than the seeds: over 40 of them "
                    "207 and 203 aborts (standard error 7), and 265 and 257 (8).")


@figure("Chen, Peng and Irving, ISCA 2017, Fig. 15 (section 7.1)", "work of attempts that abort")
def fig_15(d):
    wasted = d["times.threads.ta"] / d["times.threads.ta"].sel(system="warptm")
    yield table("wasted", "cycles of attempts that abort / WarpTM", wasted)
    yield claim("Kilo TM wastes less work than WarpTM", less(wasted.sel(system="kilo-tm"), 1),
                off=NO_RESOLVER, expect="in part",
                why="With system.resolver=none WarpTM wastes as much as Kilo TM: the resolution "
                    "within the warp ends attempts early on lists and trees, and aborts more "
                    "where warps diverge.")
    yield claim("Snapshot isolation wastes less than Kilo TM",
                less(wasted.sel(system=["si-tm", "si-tm-oracle"]), wasted.sel(system="kilo-tm")),
                off=KILO_TM, expect="in part",
                why="Red-black trees colour nodes black that are black: such stores abort "
                    "transactions under snapshot isolation, and pass the validation of Kilo TM, "
                    "which compares values. Where the kernel loads a word of a node first and "
                    "stores only what changes, RBTree-1 has 83 aborts in place of 97 under "
                    "snapshot isolation and 64 in both forms under Kilo TM, and wastes 0.29 and "
                    "0.30 of the work of WarpTM (RBTree-1 at its 200 threads, seeds 1 to 3).")


@figure("Chen, Peng and Irving, ISCA 2017, Fig. 17 (section 7.1)",
        "time of a transaction in cores and commit units")
def fig_17(d):
    attempts = d["committed"] + d["aborted"]
    units = (d["times.threads.to"] / attempts / (d["times.threads.to"] / attempts)
             .sel(system="warptm"))
    yield table("units", "cycles of commit / attempt, of WarpTM", units)
    yield table("cores", "cycles in the core / attempt, of WarpTM",
                (d["times.threads.ta"] + d["times.threads.tu"]) / attempts /
                ((d["times.threads.ta"] + d["times.threads.tu"]) / attempts).sel(system="warptm"))
    whole = (d["times.threads.to"] + d["times.threads.ta"] + d["times.threads.tu"]) / attempts
    yield claim("Commits take less time under snapshot isolation than in WarpTM and Kilo TM",
                less(units.sel(system=["si-tm", "si-tm-oracle"]), 1),
                less(units.sel(system=["si-tm", "si-tm-oracle"]), units.sel(system="kilo-tm")),
                off=WARPTM, expect="holds")
    yield claim("Transactions are shorter under snapshot isolation than in WarpTM and Kilo TM",
                less(whole.sel(system=["si-tm", "si-tm-oracle"]), whole.sel(system="warptm")),
                less(whole.sel(system=["si-tm", "si-tm-oracle"]), whole.sel(system="kilo-tm")),
                off=WARPTM, expect="tied", quick="in part",
                why="On Tree-2 the means are within 3 %: attempts of WarpTM that the resolution "
                    "within the warp ends are short. With system.resolver=none its attempts "
                    "take 21,987 cycles, more than under snapshot isolation.")
    printed = paper("program", {"List-1": 17646, "List-2": 59876, "Tree-1": 327025, "Tree-2": 26910,
                                "GraphCut-1": 80859, "GraphCut-2": 84249, "RBTree-1": 86501,
                                "RBTree-2": 131218, "Vacation-1": 241258, "Vacation-2": 338872})
    length = whole.sel(system="warptm")
    yield table("length", "cycles of a transaction under WarpTM (Table 3)", length, printed)
    yield claim("Transactions of WarpTM are as long as in Table 3, within a factor of 1.5",
                within(length, 1.5, printed), off=KILO_TM, expect="in part",
                why="The paper does not say whether an attempt or all of a transaction's attempts "
                    "are counted, nor what lies between the accesses.")


@figure("Chen, Peng and Irving, ISCA 2017, Fig. 21 (section 7.4)",
        "transactions that share a snapshot")
def fig_21(d):
    sharers = ((d["version_table.acquired"] / (d["version_table.sealed"] + 1))
               .sel(system=["si-tm", "si-tm-oracle"]))
    yield table("sharers", "transactions / snapshot", sharers)
    merged = (d["committed"] / d["version_table.sealed"]).sel(system="si-tm")
    yield table("merged", "commits / version", merged)
    yield claim("Many transactions read the same snapshot", more(sharers.sel(system="si-tm"), 10),
                off=SYSTEM, expect="holds")
    yield claim("Commits are merged in one version", more(merged, 2), off=SYSTEM, expect="holds")


@figure("Chen, Peng and Irving, ISCA 2017, Fig. 14 (section 7)", "energy")
def fig_14(d):
    yield note("Leakage, clock and arrays of TM hardware only: those of Kilo TM and WarpTM by "
               "the thesis, those of snapshot isolation by Table 1 of the paper.")
    energy = (d["energy.total"].sel(system=["warptm", "kilo-tm", "si-tm"]) /
              d["energy.total"].sel(system="warptm"))
    yield table("energy", "energy / WarpTM", energy)
    yield table("arrays", "share of TM hardware", (d["energy.nm40.total"] / d["energy.total"])
                .sel(system=["warptm", "kilo-tm", "si-tm"]))
    yield claim("Snapshot isolation takes less energy than WarpTM on every program",
                less(energy.sel(system="si-tm"), 1), off=WARPTM, expect="holds")
    yield claim("It is significantly lower than that of Kilo TM on the lists",
                less(energy.sel(system="si-tm", program=["List-1", "List-2"]), 0.8 *
                     energy.sel(system="kilo-tm")), off=KILO_TM, expect="holds")


@figure("Chen, Peng and Irving, ISCA 2017, Table 1 (section 4.3)", "power and area of the tables")
def table_1(d):
    watts = ((d["energy.nm40.total"] * d["core_mhz"] / d["cycles"]).mean("program")
             .sel(system="si-tm"))
    yield table("watts", "W", watts)
    yield note("2.4 W is the table's own number, carried through a run: no claim.")
