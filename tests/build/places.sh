#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every unit is in all its places, every cross reference of the man pages leads somewhere, and the
# headers and configure.ac speak of one version.
. "${srcdir:-.}/tests/build/lib.sh"

[ -n "$(units)" ] || complain "no unit is in gputm.h"
for header in "$srcdir"/include/gputm/*.h; do
	name=$(basename "$header" .h)
	[ "$name" = gputm ] || grep -q "^#include .gputm/$name\.h" "$srcdir/include/gputm/gputm.h" ||
		complain "$name.h: not in gputm.h"
done
for unit in $(units); do
	ls "$srcdir"/lib/*/"$unit".c >/dev/null 2>&1 || complain "$unit: no lib/*/$unit.c"
	for place in man/gputm_"$unit".3 examples/"$unit".c examples/"$unit".exp \
		tests/test-"$unit".c tests/fuzz/corpus/"$unit" \
		tests/bench/bench-"$unit".c; do
		[ -e "$srcdir/$place" ] || complain "$unit: no $place"
	done
	cat "$srcdir/tests/test-$unit"*.c | grep -qE "^KIT_(UNIT|PART)\($unit,|kit_observe\(" ||
		complain "$unit: no test checks its events (KIT_UNIT, kit_observe)"
	[ -e "$srcdir/tests/fuzz/fuzz-$unit.c" ] ||
		cat "$srcdir/tests/test-$unit"*.c | grep -q "^KIT_DRIVE($unit," ||
		complain "$unit: no drive for random tests and the fuzzer (KIT_DRIVE)"
	grep -q "Xr gputm_$unit 3" "$srcdir/man/gputm.7" || complain "$unit: not in gputm.7"
done
[ "$(wc -c <"$srcdir/README.md")" -le 8000 ] || complain "README.md: more than 8000 bytes"
# What README.md says of claims is what came out at the papers' sizes.
awk '{ gsub(/[\\][|]/, "") }
	split($0, cell, / *[|] */) < 5 { next }
	NR == FNR { sub(/:.*/, "", cell[5]); out[cell[2], cell[4], cell[5]]; next }
	!/^[|] Claim|^[|]-/ && !((cell[2], cell[3], cell[4]) in out) { print cell[2] }
	!/^[|] Claim|^[|]-/ { rows++ }
	END { if (!rows) print "no claims" }' "$srcdir/examples/papers/results.md" "$srcdir/README.md" |
	while read -r claim; do
		echo "README.md: examples/papers/results.md does not say so: $claim"
	done | grep . && failed=1
# Each label of a picture's source is in the picture.
for source in "$srcdir"/man/pictures/*.dot; do
	tr '"' '\n' <"$source" | sed -n '/label=$/{n;p;}' | sed 's/\\n/\n/g; s/-/\&#45;/g' |
		sed '/^$/d' | sort -u |
		while read -r label; do
			grep -qF ">$label<" "${source%.dot}.svg" || echo "$source: \"$label\""
		done
done >"$work/labels"
[ ! -s "$work/labels" ] ||
	complain "labels that their picture lacks, run \"make pictures\": $(cat "$work/labels")"
for example in "$srcdir"/examples/*.c; do
	[ "$(wc -l <"$example")" -le 80 ] || complain "$example: more than 80 lines"
done
# A function's page is an alias of the page whose synopsis names it.
sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.F[no] "*\(gputm_[a-z0-9_]*\).*/\1.3/p' "$srcdir"/man/*.3 \
	>"$work/functions"
sed -n 's/^\.\(It \)*Xr \([a-z0-9_-]*\) \([0-9]\).*/\2.\3/p' "$srcdir"/man/*.[0-9] | sort -u |
	while read -r page; do
		case $page in gputm*)
			[ -e "$srcdir/man/$page" ] || grep -qx "$page" "$work/functions" || echo "$page"
		esac
	done >"$work/dangling"
[ ! -s "$work/dangling" ] || complain "cross references to no page: $(tr '\n' ' ' <"$work/dangling")"
version=$(sed -n 's/^#define GPUTM_VERSION "\(.*\)"$/\1/p' "$srcdir/include/gputm/base.h")
grep -qF "AC_INIT([libgputm], [$version]," "$srcdir/configure.ac" ||
	complain "version $version in base.h is not that of configure.ac"
exit $failed
