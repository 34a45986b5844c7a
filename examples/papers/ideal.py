# SPDX-License-Identifier: BSD-2-Clause
"""What ideal.study shows."""
from common import PROGRAMS, only
from gputm.claims import claim, figure, gain, less, more, note, paper, table, within

# In place of all systems.
LOCKS, SERIAL = only("fine-lock", "concurrency"), only("serial", "concurrency")


@figure("Fung, thesis 2015, Fig. 4.1 (section 4.1)", "ideal TM and fine-grained locks")
def fig_4_1(d):
    speedup = (d["cycles"].sel(system="serial") /
               d["cycles"].sel(system=["ideal", "fine-lock"]))
    printed = paper("system", "program", {"ideal": {"AP": 1.14}, "fine-lock": {"AP": 1.04}})
    yield table("speedup", "speed-up over one transaction at a time", speedup, printed)
    mean_speedup = speedup.mean("program")
    yield claim("Ideal TM is 279 times as fast as one lock on average",
                within(mean_speedup.sel(system="ideal"), 1.5, 279), off=SERIAL, quick="holds")
    yield claim("It is 24 % faster than fine-grained locks on average",
                gain(mean_speedup.sel(system="fine-lock"), mean_speedup.sel(system="ideal"),
                     about=0.24), off=LOCKS, quick="larger",
                why="At the paper's sizes it is 40 % (seed 1); the small form was not looked "
                    "into.")
    yield claim("BH and CC are slower on ideal TM than with fine-grained locks",
                more(d["cycles"].sel(system="ideal", program=["BH", "CC"]),
                     d["cycles"].sel(system="fine-lock")), off=LOCKS, quick="holds")
    yield claim("AP gains hardly anything: 1.14 times on ideal TM, and 1.04 with locks",
                within(speedup, 1.1, printed), off=SERIAL, quick="holds",
                why="It is 1.26 and 1.15.")


@figure("Fung, thesis 2015, Tables 4.1 and 4.2 (sections 4.1 and 4.3)", "cycles under ideal TM")
def table_4_2(d):
    yield note("The paper's cycles are the instructions of Table 4.2 over those per cycle of "
               "Table 4.1, both of ideal TM.")
    cycles = d["cycles"].sel(system="ideal")
    cycles_printed = paper("program", {"HT-H": 632e3 / 6.6, "HT-L": 501e3 / 5.9,
                                       "ATM": 4.1e6 / 4.2, "CL": 6.8e6 / 9.4, "BH": 15e6 / 10.5,
                                       "CC": 104e6 / 33.4, "AP": 39e6 / 0.5})
    yield table("cycles", "cycles", cycles, cycles_printed)
    yield claim("The cycles are the paper's within a factor of 1.5",
                within(cycles, 1.5, cycles_printed), off=SERIAL, quick="differs",
                why="In the small form there are fewer threads. At the paper's sizes ATM, CL "
                    "and CC have 1.21, 0.93 and 0.90 of the paper's cycles and AP 1.41, but "
                    "HT-H 0.39, HT-L 0.67 and BH 0.61: their instructions outside transactions "
                    "are not known.")


@figure("Fung, thesis 2015, Table 4.1 (section 4.1)", "instructions per cycle")
def table_4_1(d):
    yield note("The paper counts instructions of threads, here a core that issues a warp counts "
               "one: only ratios are compared.")
    issued = d["times.cores.exec"] / d["cycles"]
    ratio = issued.sel(system="ideal") / issued.sel(system="fine-lock")
    ratio_printed = paper("program", {"HT-H": 0.815, "HT-L": 0.908, "ATM": 1, "CL": 1.068,
                                      "BH": 1.105, "CC": 0.655, "AP": 1})
    yield table("ratio", "issues per cycle, ideal TM / fine-grained locks", ratio, ratio_printed)
    yield claim("Locks issue more on the hash tables and CC, ideal TM on CL and BH, and the "
                "ratios are the paper's within a factor of 1.25",
                less(ratio.sel(program=["HT-H", "HT-L", "CC"]), 1),
                more(ratio.sel(program=["CL", "BH"]), 1), within(ratio, 1.25, ratio_printed),
                off=LOCKS, quick="in part",
                why="In the small form HT-L issues as much with locks. CL's locks spin, five "
                    "issues for one of ideal TM, and CC has no locks here but an atomic "
                    "addition for each word. HT-H has 0.58, and 0.67 where attempts that abort "
                    "also load the key again (workload.key_inside=1), of which Table 4.3 knows "
                    "nothing.")
    yield claim("HT-L issues less per cycle than HT-H, and takes less time",
                less(issued.sel(system=["ideal", "fine-lock"], program="HT-L"),
                     issued.sel(program="HT-H")),
                     less(d["cycles"].sel(system=["ideal", "fine-lock"], program="HT-L"),
                          d["cycles"].sel(program="HT-H")), off=PROGRAMS, quick="holds",
                why="At the paper's size the nodes of HT-L's lists do not fit in the L2: with 4 "
                    "MB in a partition HT-L takes 31,100 and 52,900 cycles, and HT-H 36,900 and "
                    "74,400 (seed 1).")
