#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""schedule.py THREADS [BYTES] <TRACE >TRACE: the transactions of a trace in an oracle's order.

Two transactions conflict if one writes a granule of BYTES (default 4, a word) that the other
accesses. In the order of the trace each gets the lowest colour that none of those before it has
with which it conflicts. Those of a colour are dealt to THREADS threads in turn, 0 first, and each
thread runs what it has been dealt, colour by colour: threads beside each other run transactions of
one colour, unless some are ahead of others, as nothing makes them wait.

A transaction keeps its accesses, whatever order it runs in: that another would have gone another
way after other values, or that a thread knows what to do only after its transaction before, is
left out.
"""
import sys
from collections import defaultdict


def accesses(line, granule):
    """What a transaction reads, and what it writes."""
    words = [(word[0], int(word[1:].split("=")[0], 16) // granule) for word in line.split()[2:]]
    return {a for kind, a in words if kind == "r"}, {a for kind, a in words if kind == "w"}


def colours(lines, granule):
    """The transactions of each colour; sets of colours are the bits of a number."""
    readers, writers, groups = defaultdict(int), defaultdict(int), []
    for line in lines:
        reads, writes = accesses(line, granule)
        taken = 0
        for a in reads | writes:
            taken |= writers[a]
        for a in writes:
            taken |= readers[a]
        colour = (~taken & (taken + 1)).bit_length() - 1
        for a in reads:
            readers[a] |= 1 << colour
        for a in writes:
            writers[a] |= 1 << colour
        if colour == len(groups):
            groups.append([])
        groups[colour].append(line)
    return groups


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    threads, granule = int(sys.argv[1]), int((sys.argv + ["4"])[2])
    lines = [line for line in sys.stdin if not line.startswith("#")]
    groups = colours(lines, granule)
    print(f"# {len(groups)} colours, {threads} threads\n# transactions: {len(lines)}")
    for group in groups:
        for place, line in enumerate(group):
            print("t", place % threads, " ".join(line.split()[2:]))


if __name__ == "__main__":
    main()
