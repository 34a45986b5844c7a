#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The parameters, statistics and events in a unit's man page are written by tests/build/describe
# from the tables of the library, between the lines
#	.\" begin parameters
#	.\" end parameters
# (and the same with "statistics" and "events"), and so are the fields of events that several
# units share, in gputm_unit.3 ("fields"). The INIT macros in the headers, with the defaults of the
# parameters, are written between "/* begin INIT */" and "/* end INIT */". "man-tables.sh --write"
# updates pages and headers in srcdir; without it, this checks that they are up to date.
. "${srcdir:-.}/tests/build/lib.sh"

./tests/build/describe >"$work/tables" || complain "describe: exit $?"
[ $failed = 0 ] || exit 1
write=${1:-}
set -- "$srcdir/include/gputm/base.h" "$srcdir/man/gputm_h3.3" "$srcdir/man/gputm_unit.3"
for unit in $(units); do
	set -- "$@" "$srcdir/include/gputm/$unit.h"
	[ ! -e "$srcdir/man/gputm_$unit.3" ] || set -- "$@" "$srcdir/man/gputm_$unit.3"
done
# The files that are not as they should be, which $work/NAME then is; and each part that a page or
# header has no place for.
awk -v to="$work/" -v lacking="$work/lacking" '
	NR == FNR && /^== / { key = $2 " " $3; table[key] = ""; next }
	NR == FNR { table[key] = table[key] $0 "\n"; next }
	FNR == 1 {
		end_of_file()
		file = name = FILENAME
		sub(/.*\//, "", name)
		header = name ~ /\.h$/
		unit = name == "base.h" ? "h3" : name
		sub(/^gputm_/, "", unit)
		sub(/\.[h3]$/, "", unit)
	}
	{ was = was $0 "\n" }
	/^\.\\" end (parameters|statistics|events|fields)$/ || /^\/\* end INIT \*\/$/ { inside = 0 }
	!inside { text = text $0 "\n" }
	/^\.\\" begin (parameters|statistics|events|fields)$/ || /^\/\* begin INIT \*\/$/ {
		inside = 1
		key = tolower($3) " " unit
		had[key] = 1
		text = text table[key]
	}
	END { end_of_file() }
	function end_of_file() {
		if (was != text) {
			printf "%s", text >(to name)
			close(to name)
			print file
		}
		for (key in table) {
			split(key, part, " ")
			if (part[2] == unit && (part[1] == "init") == header && !(key in had))
				print file ": no line that begins the table of " part[1] >lacking
		}
		split("", had)
		was = text = ""
		inside = 0
	}' "$work/tables" "$@" >"$work/stale"
[ ! -s "$work/lacking" ] || complain "$(cat "$work/lacking")"
while read -r file; do
	if [ "$write" = --write ]; then
		cp "$work/${file##*/}" "$file"
	else
		diff -u "$file" "$work/${file##*/}"
		complain "$file: not up to date; run 'make man-tables'"
	fi
done <"$work/stale"
exit $failed
