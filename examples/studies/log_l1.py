# SPDX-License-Identifier: BSD-2-Clause
"""What log-l1.study shows."""
from gputm.claims import at_least, at_most, claim, figure, less, table


@figure("Fung, thesis 2015, 4.2.4 (logs in the L1) and 6.7.1 (CL may overflow the L1 with "
        "higher limits)")
def part_1(d):
    yield table("time", "cycles", d["cycles"])
    yield claim("A row has room for each word of a log: no log has more than 12",
                at_most(d["tx_log.max_rows"], 12))
    yield claim("The whole L1 holds all logs up to a limit of 8",
                at_most(d["cycles"].sel({"tx_log.l1_rows": [12, 24]}),
                        d["cycles"].sel({"tx_log.l1_rows": 96})),
                at_least(d["cycles"].sel({"tx_log.l1_rows": [12, 24]}),
                         d["cycles"].sel({"tx_log.l1_rows": 96})))
    yield claim("With the whole L1 more than 2 warps are faster",
                less(d["cycles"].sel({"tx_log.l1_rows": 12, "concurrency": [4, 8]})
                     .min("concurrency"), d["cycles"].sel({"tx_log.l1_rows": 12,
                                                           "concurrency": 2})))
    yield claim("With a quarter of it 2 are best",
                less(d["cycles"].sel({"tx_log.l1_rows": 12, "concurrency": 2}),
                     d["cycles"].sel({"tx_log.l1_rows": 24, "concurrency": 1})),
                less(d["cycles"].sel({"tx_log.l1_rows": 12, "concurrency": 2}),
                     d["cycles"].sel({"tx_log.l1_rows": 6, "concurrency": 4})),
                less(d["cycles"].sel({"tx_log.l1_rows": 12, "concurrency": 2}),
                     d["cycles"].sel({"tx_log.l1_rows": 3, "concurrency": 8})))
