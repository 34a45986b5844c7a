#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make check-coverage: at least 95 of 100 branches of lib are taken by the tests of units, which
# forge snapshots here and so are make check-sentences too. Each line with a branch that is not
# taken is in tests/build/untaken, under the reason why not. TESTS: these programs.
. "${srcdir:-.}/tests/build/lib.sh"
have lcov || skip 'no lcov'
top=$(cd "$srcdir" && pwd) built=$PWD || exit 1

mkdir "$work/build" && cd "$work/build" || exit 1
# The library alone counts its branches: programs run faster then, and the files of lib that some of
# them compile for themselves do not count.
"$top/configure" -q --disable-sim --disable-shared CC=gcc CFLAGS=-O1 LDFLAGS=--coverage || exit 1
make -s -j "$(nproc)" CFLAGS='-O1 --coverage -fno-early-inlining' libgputm.a >make.log 2>&1 &&
	cp -Rp "$built/tests" . && # programs are linked again, not compiled
	find tests -name '*.d' -delete &&
	make -s -j "$(nproc)" $TESTS >>make.log 2>&1 || { tail -5 make.log; exit 1; }
srcdir=$top top_builddir=. sh "$top/tests/build/sentences.sh" || failed=1
lcov -q --rc lcov_branch_coverage=1 --capture --directory lib --output-file taken 2>lcov.log ||
	{ tail -5 lcov.log; exit 1; }

# A header's branches are those of all files that include it.
sed -n 's/^SF:/SF,/p; s/^BRDA:/BRDA,/p' taken | awk -F , -v lib="$top/lib/" '
	/^SF/ { file = index($2, lib) == 1 ? substr($2, length(lib) + 1) : ""; next }
	file != "" { taken[file "\t" $2 "\t" $3 "\t" $4] += $5 == "-" ? 0 : $5 }
	END {
		for (branch in taken) {
			split(branch, part, "\t")
			missed[part[1] "\t" part[2]] += !taken[branch]
			all++
		}
		for (line in missed) {
			sum += missed[line]
			if (missed[line])
				print line
		}
		printf "%d of %d branches taken, %.1f%%\n", all - sum, all, 100 - 100 * sum / all >"rate"
		exit sum * 20 > all
	}' >lines || complain 'less than 95 of 100 branches are taken'
sort lines | while IFS="$(printf '\t')" read -r file line; do
	printf '%s\t%s\n' "$file" "$(sed -n "${line}s/[ 	]\{1,\}/ /g; ${line}s/^ //p" "$top/lib/$file")"
done | sort -u >missed
grep -v '^#' "$top/tests/build/untaken" | sort -u >listed
comm -23 missed listed | while IFS="$(printf '\t')" read -r file text; do
	echo "FAIL: lib/$file: no test takes all branches of \"$text\""
done >wrong
comm -13 missed listed | while IFS="$(printf '\t')" read -r file text; do
	echo "FAIL: tests/build/untaken: all branches of \"$text\" in lib/$file are taken, or the line is gone: take it out"
done >>wrong
cat wrong rate
[ ! -s wrong ] || failed=1
exit $failed
