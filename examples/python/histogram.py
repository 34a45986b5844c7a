#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""histogram.py [FILE.png|FILE.svg]: how far the recency filter of Kilo TM overestimates.

N random words are written one after the other, each with the next commit ID as its stamp; then each
is looked up. The filter never answers an older stamp than the true one. How much newer its answer
is, is counted by powers of two, and plotted with gnuplot where a file is named.
"""
import random
import subprocess
import sys

from gputm import Unit

SIZES = 128, 256, 512, 1024


def overestimates(words):
    """Buckets: exact, newer by 1, by 2 to 3, by 4 to 7, ..., as a share of the words."""
    dice = random.Random(words)
    filter = Unit("recency_bloom", "kilo-tm")
    stamp = {address: cid for cid, address in
             enumerate((4 * word for word in dice.sample(range(1 << 20), words)), 1)}
    for address, cid in stamp.items():
        filter.update(address, cid)
    count = [0] * 11
    for address, cid in stamp.items():
        count[(filter.query(address) - cid).bit_length()] += 1
    return [100 * n / words for n in count]


def main():
    names = ["exact", "1"] + [f"{1 << i}-{(2 << i) - 1}" for i in range(1, 10)]
    columns = [overestimates(words) for words in SIZES]
    rows = [f"{name:>8}" + "".join(f"{column[i]:8.2f}" for column in columns)
            for i, name in enumerate(names)]
    print("newer by" + "".join(f"{words:8}" for words in SIZES) + "  words, per cent of them")
    print("\n".join(rows))
    if len(sys.argv) > 1:
        kind = "svg" if sys.argv[1].endswith(".svg") else "png"
        plots = ", ".join(f"$rows using {i}:xtic(1) title '{words} words'"
                          for i, words in enumerate(SIZES, 2))
        subprocess.run(["gnuplot"], text=True, check=True, input=f"""
            set terminal {kind} {"background 'white' " if kind == "svg" else ""}size 1100,450; set output '{sys.argv[1]}'
            set style data histogram; set style fill solid; set key top right
            set title "recency\\\\_bloom, 4 x 256 stamps: by how much its answer is too new"
            set xlabel 'newer by (commit IDs)'; set ylabel 'words (%)'; set yrange [0:100]
            $rows << END\n""" + "\n".join(rows) + f"\nEND\nplot {plots}\n")


main()
