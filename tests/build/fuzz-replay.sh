#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every fuzz target takes its corpus and some random strings ($FUZZ: the programs).
. "${srcdir:-.}/tests/build/lib.sh"

[ -n "${FUZZ:-}" ] || complain "no fuzz target"
for target in ${FUZZ:-}; do
	if [ ! -x "$target" ]; then
		skip "the fuzz targets are not built, as check is not installed"
	fi
	corpus=$srcdir/tests/fuzz/corpus/${target##*/fuzz-}
	[ -d "$corpus" ] || complain "$target: no corpus"
	"$target" -random=300 "$corpus" || complain "$target"
done
exit $failed
