# SPDX-License-Identifier: BSD-2-Clause
"""What energy.study shows."""
from gputm.claims import claim, figure, gain, less, more, note, paper, table, within


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
                quick="holds")
    yield claim("Kilo TM takes 103 % more energy than fine-grained locks on average",
                gain(1, mean_energy.sel(variant="Kilo-TM"), about=1.03), quick="larger")
    yield claim("With both extensions it takes 34 % more",
                gain(1, mean_energy.sel(variant="WarpTM+TCD"), about=0.34), quick="larger")
    yield claim("WarpTM saves 27 % of Kilo TM's energy on average",
                gain(mean_energy.sel(variant="Kilo-TM"), mean_energy.sel(variant="WarpTM"),
                     about=-0.27), quick="smaller")


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
    yield claim("The arrays take the table's power and area, as carried",
                within(watts, 1.01, watts_printed), within(area, 1.01, area_printed),
                expect="holds")


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
    yield claim("GETM's area is 3.6 times lower and its power 2.2 times lower than WarpTM's",
                within(square.sel(variant="WarpTM+TCD") / square.sel(variant="GETM"), 1.02, 3.6),
                within(milliwatts.sel(variant="WarpTM+TCD") / milliwatts.sel(variant="GETM"), 1.02,
                       2.2), expect="holds")
    yield claim("GETM's area is 4.9 times lower and its power 3.6 times lower than EAPG's",
                within(square.sel(variant="EAPG") / square.sel(variant="GETM"), 1.02, 4.9),
                within(milliwatts.sel(variant="EAPG") / milliwatts.sel(variant="GETM"), 1.02, 3.6),
                expect="in part",
                why="The powers of the paper's table, 618.95 and 176.98 mW, are 3.5 times apart.")
    yield claim("GETM takes less energy than WarpTM in its arrays where both run the same "
                "program",
                less(d["energy.nm32.total"].best(d["cycles"], "concurrency").mean("program")
                     .sel(variant="GETM"), d["energy.nm32.total"].best(d["cycles"], "concurrency")
                     .mean("program").sel(variant="WarpTM+TCD")), quick="holds")
