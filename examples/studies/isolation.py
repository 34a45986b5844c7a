# SPDX-License-Identifier: BSD-2-Clause
"""What isolation.study shows."""
from gputm.claims import at_most, claim, figure, table


@figure("Fung, thesis 2015, section 8.2.2, wants no significant overhead for accesses outside "
        "of transactions; the threshold is our own")
def section_8_2_2(d):
    cost = d["cycles"].sel(isolation="strong") / d["cycles"].sel(isolation="weak")
    yield table("cost", "cycles with strong isolation / with weak", cost)
    yield claim("Strong isolation costs no more than 5 percent on average",
                at_most(cost.geomean(), 1.05))
    yield claim("No program takes more than 10 percent longer", at_most(cost.max(), 1.10))
