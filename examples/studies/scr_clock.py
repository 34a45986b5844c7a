# SPDX-License-Identifier: BSD-2-Clause
"""What scr-clock.study shows."""
from gputm.claims import claim, figure, less, table, within


@figure("Fung, thesis 2015, Fig. 6.14 (section 6.7.4)", "SCR costs 60 % on average")
def fig_6_14(d):
    cost = (d["cycles"].sel({"system.resolver_overhead": 1}) /
            d["cycles"].sel({"system.resolver_overhead": 0}))
    yield table("cost", "cycles / cycles without the time of the resolution", cost)
    yield claim("At 700 MHz SCR costs the paper's 60 % on these programs",
                within(cost.sel({"machine": "reference", "system.resolver": "scr"}), 1.15, 1.60))
    yield claim("At 1400 MHz it costs less", less(cost.sel({"machine": "fermi",
                                                            "system.resolver": "scr"}),
                                                  cost.sel({"machine": "reference",
                                                            "system.resolver": "scr"})))
    yield claim("2PCR costs next to nothing at either clock",
                within(cost.sel({"system.resolver": "2pcr"}), 1.05, 1))
