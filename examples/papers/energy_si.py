# SPDX-License-Identifier: BSD-2-Clause
"""What energy-si.study shows."""
from common import only
from gputm.claims import claim, figure, less, note, table

WIDE = {"machine.l2_bytes": 262144}  # the L2 of Kilo TM and WarpTM


@figure("Chen, Peng and Irving, ISCA 2017, Fig. 14 (section 7)", "energy")
def fig_14(d):
    yield note("Leakage, clock and arrays of TM hardware only: those of Kilo TM and WarpTM by "
               "the thesis, those of snapshot isolation by Table 1 of the paper.")
    energy = d["energy.total"] / d["energy.total"].sel(system="warptm")
    yield table("energy", "energy / WarpTM", energy)
    yield table("arrays", "share of TM hardware", d["energy.nm40.total"] / d["energy.total"])
    yield claim("Snapshot isolation takes less energy than WarpTM on every program",
                less(energy.sel(system="si-tm"), 1), off={**only("warptm"), **WIDE}, expect="holds")
    yield claim("It is significantly lower than that of Kilo TM on the lists",
                less(energy.sel(system="si-tm", program=["List-1", "List-2"]), 0.8 *
                     energy.sel(system="kilo-tm")), off={**only("kilo-tm"), **WIDE}, expect="holds")


@figure("Chen, Peng and Irving, ISCA 2017, Table 1 (section 4.3)", "power and area of the tables")
def table_1(d):
    watts = ((d["energy.nm40.total"] * d["core_mhz"] / d["cycles"]).mean("program")
             .sel(system="si-tm"))
    yield table("watts", "W", watts)
    yield note("2.4 W is the table's own number, carried through a run: no claim.")
