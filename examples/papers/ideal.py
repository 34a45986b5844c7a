# SPDX-License-Identifier: BSD-2-Clause
"""What ideal.study shows."""
from gputm.claims import claim, figure, gain, less, more, note, paper, table, within


@figure("Fung, thesis 2015, Fig. 4.1 (section 4.1)", "ideal TM and fine-grained locks")
def fig_4_1(d):
    speedup = (d["cycles"].sel(system="coarse-lock") /
               d["cycles"].sel(system=["ideal", "fine-lock"]))
    yield table("speedup", "speed-up over one lock for all transactions", speedup)
    mean_speedup = speedup.mean("program")
    yield claim("Ideal TM is 279 times as fast as one lock on average",
                within(mean_speedup.sel(system="ideal"), 1.5, 279), quick="holds",
                why="One transaction after the other is slow here, as beside Kilo TM, where it "
                    "makes a factor of 1.6: at the paper's sizes ideal TM is 560 times as fast, "
                    "and 1,523 times on HT-H, which makes two fifths of the mean.")
    yield claim("It is 24 % faster than fine-grained locks on average",
                gain(mean_speedup.sel(system="fine-lock"), mean_speedup.sel(system="ideal"),
                     about=0.24), quick="larger",
                why="At the paper's sizes it is 42 %; the small form was not looked into.")
    yield claim("BH and CC are slower on ideal TM than with fine-grained locks",
                more(d["cycles"].sel(system="ideal", program=["BH", "CC"]),
                     d["cycles"].sel(system="fine-lock")),
                why="On BH ideal TM is 3 % faster, and 9 % with as many blocks of a core as "
                    "fit.")


@figure("Fung, thesis 2015, Table 4.1 (section 4.1)", "instructions per cycle")
def table_4_1(d):
    yield note("The paper counts instructions of threads, here a core that issues a warp counts "
               "one: only ratios are compared.")
    issued = d["times.cores.exec"] / d["cycles"]
    ratio = issued.sel(system="ideal") / issued.sel(system="fine-lock")
    ratio_printed = paper("program", {"HT-H": 0.815, "HT-L": 0.908, "ATM": 1, "CL": 1.068,
                                      "BH": 1.105, "CC": 0.655, "AP": 1})
    yield table("ratio", "issues per cycle, ideal TM / fine-grained locks", ratio, ratio_printed)
    yield claim("Locks issue more on the hash tables and CC, ideal TM on CL and BH",
                less(ratio.sel(program=["HT-H", "HT-L", "CC"]), 1),
                more(ratio.sel(program=["CL", "BH"]), 1), quick="holds",
                why="CL's locks spin, five issues for one of ideal TM, and CC has no locks here "
                    "but an atomic addition for each word.")
    yield claim("The ratios are the paper's within a factor of 1.25",
                within(ratio, 1.25, ratio_printed), quick="holds",
                why="CL and CC as above. HT-H has 0.57, and 0.66 where attempts that abort also "
                    "load the key again (workload.key_inside=1), of which Table 4.3 knows "
                    "nothing.")
    yield claim("HT-L issues less per cycle than HT-H, and takes less time",
                less(issued.sel(system=["ideal", "fine-lock"], program="HT-L"),
                     issued.sel(program="HT-H")),
                     less(d["cycles"].sel(system=["ideal", "fine-lock"], program="HT-L"),
                          d["cycles"].sel(program="HT-H")), quick="holds",
                why="At the paper's size the nodes of HT-L's lists do not fit in the L2: with 4 "
                    "MB in a partition HT-L takes 34,400 and 55,500 cycles, and HT-H 42,300 and "
                    "76,000.")
