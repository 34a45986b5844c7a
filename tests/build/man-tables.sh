#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The parameters, statistics and events in a unit's man page are written by tests/build/describe
# from the tables of the library, between the lines
#	.\" begin parameters
#	.\" end parameters
# (and the same with "statistics" and "events"), and so are the fields of events that several
# units share, in gputm_unit.3 ("fields"). The INIT macros in the headers, with the defaults of the
# parameters, are written between "/* begin INIT */" and "/* end INIT */", and the comment of each
# field of a config that is in the table stands before the field. "man-tables.sh --write" updates
# pages and headers in srcdir; without it, this checks that they are up to date.
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
	header && $0 == "struct gputm_" unit "_config {" {
		split("", comment)
		rows = split(table["comments " unit], row, "\n")
		for (i = 1; i < rows; i++)
			comment[substr(row[i], 1, index(row[i], "\t") - 1)] = substr(row[i], index(row[i], "\t") + 1)
		had["comments " unit] = config = 1
		text = text $0 "\n"
		next
	}
	config && /^};/ {
		text = text held
		held = ""
		config = 0
	}
	config {
		held = held $0 "\n"
		if (!open && $0 ~ /^\t[a-z]/)
			field = substr($0, 1, index($0, ";"))
		open = $0 ~ /\/\*/ ? $0 !~ /\*\// : open && $0 !~ /\*\//
		if (open || field == "")
			next
		label = substr(field, 1, length(field) - 1)
		sub(/.*[ *]/, "", label)
		text = text (label in comment ? wrapped("\t/** " comment[label] " */") field "\n" : held)
		held = field = ""
		next
	}
	/^\.\\" end (parameters|statistics|events|fields)$/ || /^\/\* end INIT \*\/$/ { inside = 0 }
	!inside { text = text $0 "\n" }
	/^\.\\" begin (parameters|statistics|events|fields)$/ || /^\/\* begin INIT \*\/$/ {
		inside = 1
		key = tolower($3) " " unit
		had[key] = 1
		text = text table[key]
	}
	END { end_of_file() }
	# A comment in lines of at most 100 columns.
	function wrapped(line,    word, words, i, out) {
		if (length(line) <= 93)
			return line "\n"
		words = split(substr(line, 6), word, " ")
		out = line = "\t/**"
		for (i = 1; i <= words; i++) {
			if (length(line " " word[i]) > 93) {
				out = out "\n\t *"
				line = "\t *"
			}
			out = out " " word[i]
			line = line " " word[i]
		}
		return out "\n"
	}
	function end_of_file() {
		if (was != text) {
			printf "%s", text >(to name)
			close(to name)
			print file
		}
		for (key in table) {
			split(key, part, " ")
			if (part[2] == unit && (part[1] == "init" || part[1] == "comments") == header && !(key in had))
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
