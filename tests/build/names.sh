#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each numbered invariant of an essay can be said, and each sentence of a check says which one is
# broken (numbers.awk). That a test hears each sentence is for make check-sentences.
. "${srcdir:-.}/tests/build/lib.sh"

awk -f "$srcdir/tests/build/numbers.awk" "$srcdir"/lib/*/*.[ch] >"$work/wrong" || complain "numbers.awk: exit $?"
[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"
exit $failed
