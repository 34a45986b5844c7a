# SPDX-License-Identifier: BSD-2-Clause
"""What energy.study shows."""
from common import WARP_OFF, only
from gputm.claims import claim, figure, gain, less, more, note, paper, table

LOCKS = only("fine-lock", "concurrency", "warp_clock.per_core")  # in place of all systems


@figure("Fung, thesis 2015, Fig. 6.11 (section 6.7.1)",
        "energy by locks, Kilo TM, and both extensions")
def fig_6_11(d):
    yield note("Leakage, clock and arrays of TM hardware only. The figure's bars are not "
               "printed as numbers; its means are of ten programs.")
    joules = d["energy.total"].best(d["cycles"], "concurrency")
    energy = joules.sel(variant=["Kilo-TM", "WarpTM", "WarpTM+TCD"]) / joules.sel(variant="FGLock")
    yield table("energy", "energy / fine-grained locks", energy)
    # The averages are those of the bars of means, which are arithmetic (warptm-best.study).
    mean_energy = energy.mean("program")
    yield table("mean_energy", "mean over the programs", mean_energy,
                paper("variant", {"Kilo-TM": 2.03, "WarpTM+TCD": 1.34}))
    yield claim("Kilo TM takes more energy than fine-grained locks on HT-H, with and without "
                "the extensions",
                more(energy.sel(program="HT-H", variant=["Kilo-TM", "WarpTM+TCD"]), 1),
                off=LOCKS, quick="holds")
    yield claim("Kilo TM takes 103 % more energy than fine-grained locks on average",
                gain(1, mean_energy.sel(variant="Kilo-TM"), about=1.03), off=LOCKS, quick="larger")
    yield claim("With both extensions it takes 34 % more",
                gain(1, mean_energy.sel(variant="WarpTM+TCD"), about=0.34), off=LOCKS,
                quick="larger")
    yield claim("WarpTM saves 27 % of Kilo TM's energy on average",
                gain(mean_energy.sel(variant="Kilo-TM"), mean_energy.sel(variant="WarpTM"),
                     about=-0.27), off=WARP_OFF, quick="smaller")


@figure("Fung, thesis 2015, Table 6.3 (section 6.6.1)", "power of the hardware of TM")
def table_6_3(d):
    watts = ((d["energy.nm40.total"] * d["core_mhz"] / d["cycles"])
             .best(d["cycles"], "concurrency").mean("program")
             .sel(variant=["Kilo-TM", "WarpTM", "WarpTM+TCD"]))
    watts_printed = paper("variant", {"Kilo-TM": 0.918, "WarpTM": 2.512, "WarpTM+TCD": 3.208})
    yield table("watts", "W", watts, watts_printed)
    area = (d["area.nm40.total"].best(d["cycles"], "concurrency").mean("program")
            .sel(variant=["Kilo-TM", "WarpTM", "WarpTM+TCD"]))
    area_printed = paper("variant", {"Kilo-TM": 1.454, "WarpTM": 5.074, "WarpTM+TCD": 6.053})
    yield table("area", "mm2", area, area_printed)
    yield note("These are the table's own numbers, carried through a run: no claim.")


@figure("Ren and Lis, GETM, HPCA 2018, Table V (section VI)",
        "power and area of the hardware of TM")
def table_v(d):
    milliwatts = ((1000 * d["energy.nm32.total"] * d["core_mhz"] / d["cycles"])
                  .best(d["cycles"], "concurrency").mean("program")
                  .sel(variant=["WarpTM+TCD", "EAPG", "GETM"]))
    yield table("milliwatts", "mW, arrays accessed in each cycle", milliwatts,
                paper("variant", {"WarpTM+TCD": 390.05, "EAPG": 618.95, "GETM": 176.98}))
    square = (d["area.nm32.total"].best(d["cycles"], "concurrency").mean("program")
              .sel(variant=["WarpTM+TCD", "EAPG", "GETM"]))
    yield table("square", "mm2", square,
                paper("variant", {"WarpTM+TCD": 2.68, "EAPG": 3.574, "GETM": 0.736}))
    yield table("accessed", "part of that power with the accesses of the run (ours)",
                (d["energy.nm32.active"] / d["energy.nm32.total"]).best(d["cycles"], "concurrency")
                .mean("program").sel(variant=["WarpTM+TCD", "EAPG", "GETM"]))
    yield note("Area and power are the table's own numbers, carried through a run: no claim that "
               "GETM's are 3.6 and 2.2 times lower than WarpTM's, 4.9 and 3.6 times than EAPG's.")
    yield claim("GETM takes less energy than WarpTM in its arrays where both run the same "
                "program",
                less(d["energy.nm32.total"].best(d["cycles"], "concurrency").mean("program")
                     .sel(variant="GETM"), d["energy.nm32.total"].best(d["cycles"], "concurrency")
                     .mean("program").sel(variant="WarpTM+TCD")),
                off=only("warptm-tcd", "warp_clock.per_core"), quick="holds")
