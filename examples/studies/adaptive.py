# SPDX-License-Identifier: BSD-2-Clause
"""What adaptive.study shows."""
from gputm.claims import at_least, claim, figure, more, table


@figure("Fung, thesis 2015, section 8.2.3, leaves adaptive control open; the policies and these "
        "thresholds are our own")
def section_8_2_3(d):
    best = d["cycles"].sel(control=[1, 2, 4, 8, 16, "inf"]).min("control")
    gain = best / d["cycles"].sel(control=["aborts", "climb"])
    yield table("gain", "cycles at best fixed limit / with moving limit", gain)
    fixed = (best / d["cycles"].sel(control=[1, 2, 4, 8, 16, "inf"])).geomean("program", "system")
    yield table("fixed", "the same with one limit for all, geometric mean", fixed)
    yield claim("By aborts the limit comes to 0.97 of the best fixed one on average",
                at_least(gain.sel(control="aborts").geomean(), 0.97), expect="differs",
                quick="differs",
                why="0.78 (small form 0.82): 0.87 under Kilo TM, 0.82 under WarpTM and 0.67 "
                    "under GETM. At the best fixed limits Kilo TM has 0.00 to 0.38 aborts a "
                    "commit (YCSB and TPC-C more) and GETM 0.69 to 11, but for CC: the same "
                    "thresholds let the limit rise too far in the first and keep it too low in "
                    "the last.")
    yield claim("By climbing the limit comes to 0.97 of the best fixed one on average",
                at_least(gain.sel(control="climb").geomean(), 0.97), expect="differs",
                quick="differs",
                why="0.95 (small form 0.90): 0.96 under Kilo TM, 0.96 under WarpTM and 0.92 "
                    "under GETM; 0.92 with the climb before, which took cycles of warps in "
                    "windows for the price. The new one was designed with HT-H, ATM, CL, "
                    "octree, CC, TPC-C and tree and seeds 101 and 102, on which it comes to "
                    "0.95 here (0.90 before), and to 0.94 with the other seven (0.94); down to "
                    "1 in place of half was chosen with all programs. Where the climb before "
                    "lost, as parts of the run at the best fixed limit, by the cycles at fixed "
                    "limits in 40 parts of equal commits (mean of programs, seed 101): until "
                    "the limit was good (0.85) -0.01, 0.03 and 0.12 under the three systems, "
                    "with a wrong mean limit from then on 0.32, 0.06 and 0.05, of which going "
                    "up and down around it won back 0.30, 0.02 and 0.08 as programs have "
                    "phases, at the end 0.02, 0.03 and 0.02, and 0.06, 0.00 and 0.15 the limit "
                    "does not tell, as more warps are inside than a limit that has fallen. What "
                    "a limit could reach that knows where to stop, but has to come from below: "
                    "doubled from 1 on up to the limit that is best for the program and system, "
                    "0.98 with windows of 8 commits and 0.94 with those of 32 (the seven "
                    "programs, seed 101; from 2 on 1.00 and 0.96). What is lost now: rises go "
                    "too far under Kilo TM, where further warps wait in its queues (TPC-C 0.84, "
                    "tree 0.87: the attempts that end first are the short ones, and the price "
                    "of few says too little), and under GETM first attempts fail less than "
                    "later ones, so that the first price is too low for HT-M, HT-L and ATM "
                    "(0.83 to 0.87). Tried in vain, with all programs and seeds 101 and 102, on "
                    "which this policy has 0.94: steps of 2 all the way (0.94), and windows of "
                    "a quarter, too (0.88); 3/2 and not 2 times the least price to rise (0.94). "
                    "With warps that abort giving their places back while more are inside than "
                    "the limit 0.96, but this takes more than counters; then 9/4 and not 2 "
                    "(0.95), and half and not 1 (0.95, but 0.68 for BH under Kilo TM). With the "
                    "seven programs and seed 101, where the climb before has 0.90: throughput "
                    "itself in place of a law, up while it grows (0.77 to 0.88), a rise taken "
                    "back that did not pay (0.91 in place of 0.95), one measurement for all "
                    "cores (0.94 and 0.95), cycles of warps and not of lanes (0.88 and 0.94).")
    yield claim("By aborts the octree is faster than at any fixed limit",
                more(gain.sel(control="aborts", program="octree").geomean(), 1.05),
                expect="differs", quick="differs",
                why="0.65 (small form 0.86). Under Kilo TM, where 1 is best, the limit rises to "
                    "15 while few attempts fail; then attempts fail, and the warps inside leave "
                    "slowly.")
    yield claim("By climbing the octree is faster than at any fixed limit",
                more(gain.sel(control="climb", program="octree").geomean(), 1.05), expect="holds",
                quick="differs",
                why="1.10 (small form 1.048): 1.15 under Kilo TM, 1.13 under WarpTM and 1.02 "
                    "under GETM, with 0.09, 0.11 and 1.7 aborts a commit; 0.94 with the climb "
                    "before. Transactions that conflict take turns with some that do not. As a "
                    "window lasts as long as the longest attempt, the limit rises no more with "
                    "the latter, and stays at 1 or 2 until the tree has grown "
                    "(man/pictures/limit.svg). Without that it was 0.76 (seed 101). On a "
                    "recorded trace the order of an oracle is 1.66 times as fast as the best "
                    "fixed limit (schedule.sh); a limit that is doubled at times known "
                    "beforehand comes to 1.11, and to 1.17 with times of their own for each "
                    "system, where the climb has 1.06 (limit-schedule.study, seeds 4 to 11).")
    yield claim("By climbing programs are faster on average than at any one limit for all",
                more(gain.sel(control="climb").geomean(), fixed.max()))
    yield claim("By climbing they are faster on average than by aborts",
                more(gain.sel(control="climb").geomean(), gain.sel(control="aborts").geomean()))
