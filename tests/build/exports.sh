#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the headers declare = what the shared library exports = what the synopses of the manual
# pages name; and each has a user outside the tests. (lib/libgputm.sym is written from the
# headers: see units.sh.)
. "${srcdir:-.}/tests/build/lib.sh"

declared | sort >"$work/headers"
[ -s "$work/headers" ] || complain "no declaration found in the headers"
uniq -d "$work/headers" >"$work/twice"
[ ! -s "$work/twice" ] || complain "declared twice: $(tr '\n' ' ' <"$work/twice")"

cat "$srcdir"/man/*.3 | sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.F[no] "*\(gputm_[a-z0-9_]*\).*/\1/p' |
	sort >"$work/man"
same "$work/headers" "$work/man" "headers (<) and synopses of the manual pages (>) differ"

# The five functions that GPUTM__UNIT writes have their users through macros, as in gputm.hpp.
find "$srcdir/examples" "$srcdir/lib" -name '*.[ch]' -o -name '*.cc' -o -name '*.h[hp]*' |
	xargs awk '
		FNR == 1 {
			own = FILENAME
			sub(/.*\//, "", own)
			sub(/[-.].*/, "", own)
			own = FILENAME ~ /\/examples\// ? "" : "gputm_" own "_"
		}
		{
			while (match($0, /gputm_[a-z0-9_]*\(/)) {
				name = substr($0, RSTART, RLENGTH - 1)
				if (own == "" || index(name, own) != 1)
					print name
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' | sort -u >"$work/called"
grep -v -E '_(params|config_preset|new|free|unit)$' "$work/headers" |
	comm -23 - "$work/called" >"$work/uncalled"
[ ! -s "$work/uncalled" ] ||
	complain "neither an example nor another unit calls: $(tr '\n' ' ' <"$work/uncalled")"

library=libgputm.so
if [ ! -e $library ]; then
	[ $failed = 1 ] || skip "no shared library was built, so its exports are not compared"
	exit 1
fi
${NM:-nm} -D --defined-only $library | sed -n 's/.* [TDBRVW] \([A-Za-z0-9_]*\).*/\1/p' |
	sort >"$work/library"
same "$work/headers" "$work/library" "headers (<) and exports of $library (>) differ"
exit $failed
