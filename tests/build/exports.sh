#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the headers declare = what the shared library exports = what the synopses of the manual
# pages name. (lib/libgputm.sym is written from the headers: see units.sh.)
. "${srcdir:-.}/tests/build/lib.sh"

declared | sort >"$work/headers"
[ -s "$work/headers" ] || complain "no declaration found in the headers"
uniq -d "$work/headers" >"$work/twice"
[ ! -s "$work/twice" ] || complain "declared twice: $(tr '\n' ' ' <"$work/twice")"

cat "$srcdir"/man/*.3 | sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.F[no] "*\(gputm_[a-z0-9_]*\).*/\1/p' |
	sort >"$work/man"
same "$work/headers" "$work/man" "headers (<) and synopses of the manual pages (>) differ"

library=libgputm.so
if [ ! -e $library ]; then
	[ $failed = 1 ] || skip "no shared library was built, so its exports are not compared"
	exit 1
fi
${NM:-nm} -D --defined-only $library | sed -n 's/.* [TDBRVW] \([A-Za-z0-9_]*\).*/\1/p' |
	sort >"$work/library"
same "$work/headers" "$work/library" "headers (<) and exports of $library (>) differ"
exit $failed
