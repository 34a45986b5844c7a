#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the headers declare = what libgputm.sym lists = what the shared library exports
# = what the synopses of the manual pages name.
. "${srcdir:-.}/tests/build/lib.sh"

# Declarations marked GPUTM_API, comments and preprocessor lines left out.
{
	for unit in base $(units); do
		cat "$srcdir/include/gputm/$unit.h"
	done
} | awk '
	/^#/ || continued { continued = /\\$/; next }
	{ gsub(/\/\*([^*]|\*[^\/])*\*\//, "") }
	/\/\*/ { comment = 1; next }
	/\*\// { comment = 0; next }
	!comment { printf "%s ", $0 }' | tr ';{}' '\n' |
	sed -n 's/.*GPUTM_API .*[ *]\(gputm_[a-z0-9_]*\)(.*/\1/p' |
	sort >"$work/headers"
[ -s "$work/headers" ] || complain "no declaration found in the headers"
uniq -d "$work/headers" >"$work/twice"
[ ! -s "$work/twice" ] || complain "declared twice: $(tr '\n' ' ' <"$work/twice")"

sed 's/#.*//' "$srcdir/lib/libgputm.sym" | tr ' \t;{}' '\n\n\n\n\n' |
	grep -x 'gputm_[a-z0-9_]*' | sort >"$work/sym"
same "$work/headers" "$work/sym" "headers (<) and lib/libgputm.sym (>) differ"

cat "$srcdir"/man/*.3 | sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.F[no] "*\(gputm_[a-z0-9_]*\).*/\1/p' |
	sort >"$work/man"
same "$work/headers" "$work/man" "headers (<) and synopses of the manual pages (>) differ"

library=.libs/libgputm.so
if [ ! -e $library ]; then
	[ $failed = 1 ] || skip "no shared library was built, so its exports are not compared"
	exit 1
fi
${NM:-nm} -D --defined-only $library | sed -n 's/.* [TDBRVW] \([A-Za-z0-9_]*\).*/\1/p' |
	sort >"$work/library"
same "$work/headers" "$work/library" "headers (<) and exports of $library (>) differ"
exit $failed
