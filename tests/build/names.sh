#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Names in the headers and the tables of lib follow their rules (names.awk). Each numbered invariant
# of an essay can be said, and each sentence of a check says which one is broken (numbers.awk); that
# a test hears each sentence is for make check-sentences.
. "${srcdir:-.}/tests/build/lib.sh"

awk -f "$srcdir/tests/build/names.awk" "$srcdir"/include/gputm/*.h "$srcdir"/lib/*/*.c >"$work/wrong" ||
	complain "names.awk: exit $?"
awk -f "$srcdir/tests/build/numbers.awk" "$srcdir"/lib/*/*.[ch] >>"$work/wrong" ||
	complain "numbers.awk: exit $?"
[ ! -s "$work/wrong" ] || complain "$(cat "$work/wrong")"
exit $failed
