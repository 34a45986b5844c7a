#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mandoc has nothing to warn of in any man page, and none is long: 600 lines as mandoc prints it, or
# in the source without the tables that "make man-tables" writes.
. "${srcdir:-.}/tests/build/lib.sh"

have mandoc || skip "mandoc is not installed"
# References to pages that are not installed yet are not dangling; places.sh looks at those.
mandoc -T lint -W warning "$srcdir"/man/*.[0-9] >"$work/lint" 2>&1
grep -v 'referenced manual not found' "$work/lint" >"$work/left" && complain "$(cat "$work/left")"
mandoc -T utf8 "$srcdir"/man/*.[0-9] | awk '/^GPUTM[^ ]*\([0-9]\)/ { page = $1; lines = 0; pages++ }
	++lines == 601 { print page ": more than 600 lines as printed" }
	END { if (pages < 50) print pages " pages" }' >"$work/long"
awk 'FNR == 1 { lines = table = 0 }
	/^\.\\" begin / { table = 1 }
	!table && ++lines == 601 { print FILENAME ": more than 600 lines of source" }
	/^\.\\" end / { table = 0 }' "$srcdir"/man/*.[0-9] >>"$work/long"
[ ! -s "$work/long" ] || complain "$(cat "$work/long")"
exit $failed
