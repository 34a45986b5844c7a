#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every unit is in all its places, every cross reference of the man pages leads somewhere, and the
# headers and all other places speak of one version.
. "${srcdir:-.}/tests/build/lib.sh"

[ -n "$(units)" ] || complain "no unit is in gputm.h"
for unit in $(units); do
	set -- "$srcdir"/lib/*/"$unit".c
	[ -e "$1" ] || complain "$unit: no lib/*/$unit.c"
	for place in man/gputm_"$unit".3 examples/"$unit".c examples/"$unit".exp \
		tests/test-"$unit".c tests/fuzz/corpus/"$unit" \
		tests/bench/bench-"$unit".c; do
		[ -e "$srcdir/$place" ] || complain "$unit: no $place"
	done
done
# What texts say of units: the umbrella header, the catalogue, the tests.
units >"$work/units"
awk '
	FILENAME ~ /\/units$/ { unit[$1] = 1; next }
	FNR == 1 {
		name = FILENAME
		sub(/.*\//, "", name)
		stem = name
		sub(/\.[ch7]$/, "", stem)
		if (sub(/^fuzz-/, "", stem))
			drives[stem] = 1
	}
	name == "gputm.h" {
		if (match($0, /^#include .gputm\/[a-z0-9_]+\.h/))
			included[substr($0, 17, RLENGTH - 18)] = 1
		next
	}
	FILENAME ~ /\/gputm\/[^\/]*\.h$/ {
		if (FNR == 1 && !(stem in included))
			print name ": not in gputm.h"
		next
	}
	name == "gputm.7" {
		while (match($0, /Xr gputm_[a-z0-9_]+ 3/)) {
			listed[substr($0, RSTART + 9, RLENGTH - 11)] = 1
			$0 = substr($0, RSTART + RLENGTH)
		}
		next
	}
	/^KIT_(UNIT|PART|DRIVE)\(|kit_observe\(/ {
		split($0, word, /[(,]/)
		if (/^KIT_(UNIT|PART)/)
			events[word[2]] = 1
		else if (/^KIT_DRIVE/)
			drives[word[2]] = 1
		else
			observing[stem] = 1
	}
	END {
		for (u in unit) {
			for (test in observing)
				if (index(test, "test-" u) == 1)
					events[u] = 1
			if (!(u in events))
				print u ": no test checks its events (KIT_UNIT, kit_observe)"
			if (!(u in drives))
				print u ": no drive for random tests and the fuzzer (KIT_DRIVE)"
			if (!(u in listed))
				print u ": not in gputm.7"
		}
	}' "$work/units" "$srcdir/include/gputm/gputm.h" "$srcdir"/include/gputm/*.h "$srcdir/man/gputm.7" \
	"$srcdir"/tests/test-*.c "$srcdir"/tests/fuzz/fuzz-*.c >"$work/found"
[ ! -s "$work/found" ] || complain "$(sort "$work/found")"
[ "$(wc -c <"$srcdir/README.md")" -le 8000 ] || complain "README.md: more than 8000 bytes"
# Each label of a picture's source is in the picture. (Records end at quotes.)
for source in "$srcdir"/man/pictures/*.dot; do
	awk -v source="$source" 'BEGIN { RS = "\"" }
		FNR == 1 { files++ }
		files == 1 { picture = picture $0 }
		files == 2 && label {
			sub(/\n.*/, "")
			parts = split($0, part, /\\n/)
			for (i = 1; i <= parts; i++) {
				gsub(/^ +| +$/, "", part[i])
				gsub(/-/, "\\&#45;", part[i])
				if (part[i] != "" && !index(picture, ">" part[i] "<"))
					print source ": \"" part[i] "\""
			}
		}
		{ label = /label=$/ }' "${source%.dot}.svg" "$source"
done >"$work/labels"
[ ! -s "$work/labels" ] ||
	complain "labels that their picture lacks, run \"make pictures\": $(cat "$work/labels")"
awk 'FNR == 81 { print FILENAME ": more than 80 lines" }' "$srcdir"/examples/*.c >"$work/long"
[ ! -s "$work/long" ] || complain "$(cat "$work/long")"
(cd "$srcdir/man" && printf '%s\n' ./*.[0-9] | sed 's,^\./,,' | sort) >"$work/pages"
sed -n 's/^\.\(It \)*Xr \(gputm[a-z0-9_-]*\) \([0-9]\).*/\2.\3/p' "$srcdir"/man/*.[0-9] | sort -u |
	comm -23 - "$work/pages" >"$work/dangling"
[ ! -s "$work/dangling" ] || complain "cross references to no page: $(tr '\n' ' ' <"$work/dangling")"
# Each error of tests/mutants is built into a place that there is once.
awk -v src="$srcdir" '
	/^mutant\t/ { mutant = substr($0, 8) }
	/^file\t/ {
		file = substr($0, 6)
		if (!(file in text))
			while ((getline line <(src "/" file)) > 0)
				text[file] = text[file] line "\n"
	}
	/^old\t/ {
		old = substr($0, 5)
		gsub(/\\t/, "\t", old)
		gsub(/\\n/, "\n", old)
		times = 0
		for (rest = text[file]; at = index(rest, old); rest = substr(rest, at + length(old)))
			times++
		if (times != 1)
			print "tests/mutants/table: " mutant ": " times " places in " file
	}' "$srcdir/tests/mutants/table" >"$work/mutants"
[ ! -s "$work/mutants" ] || complain "$(cat "$work/mutants")"
# One version and one date in all places, and the number of the interface in those that have it.
version=$(sed -n 's/^#define GPUTM_VERSION "\(.*\)"$/\1/p' "$srcdir/include/gputm/base.h")
grep -qF "AC_INIT([libgputm], [$version]," "$srcdir/configure.ac" ||
	complain "version $version in base.h is not that of configure.ac"
grep -qx "version: $version" "$srcdir/CITATION.cff" || complain "CITATION.cff: not version $version"
grep -qx "VERSION = \"$version\"" "$srcdir/examples/python/wheel.py" ||
	complain "examples/python/wheel.py: not version $version"
date=$(sed -n 's/^date-released: //p' "$srcdir/CITATION.cff")
[ "$(sed -n '/^libgputm [0-9]/{p;q;}' "$srcdir/NEWS")" = "libgputm $version, $date" ] ||
	complain "NEWS: its newest page is not of libgputm $version, $date, as CITATION.cff says"
[ -e "$srcdir/tests/abi/$version.headers" ] ||
	complain "tests/abi/$version.headers is missing: \"make abi-update\" writes it"
number=$(sed -n 's/.*GPUTM_SO_VERSION\], \[\([0-9]*\)\..*/\1/p' "$srcdir/configure.ac")
grep -qx "LIBGPUTM_$number {" "$srcdir/lib/libgputm.sym" ||
	complain "lib/libgputm.sym: its node is not LIBGPUTM_$number, as in configure.ac"
exit $failed
