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

for unit in h3 unit $(units); do
	page=$srcdir/man/gputm_$unit.3
	[ -e "$page" ] || continue
	case $unit in
	h3) parts=parameters ;;
	unit) parts=fields ;;
	*) parts='parameters statistics events' ;;
	esac
	for part in $parts; do
		if ! ./tests/build/describe "$part" "$unit" >"$work/$part"; then
			complain "$unit: describe $part"
		elif ! grep -q "^\.\\\\\" begin $part\$" "$page"; then
			complain "$page: no line '.\\\" begin $part'"
		fi
	done
	[ $failed = 0 ] || continue
	awk -v work="$work" '
	/^\.\\" end (parameters|statistics|events|fields)$/ { inside = 0 }
	!inside { print }
	/^\.\\" begin (parameters|statistics|events|fields)$/ {
		inside = 1
		while ((getline line < (work "/" $3)) > 0)
			print line
		close(work "/" $3)
	}' "$page" >"$work/page"
	if [ "${1:-}" = --write ]; then
		cmp -s "$work/page" "$page" || cp "$work/page" "$page"
	elif ! diff -u "$page" "$work/page"; then
		complain "$page: not up to date; run 'make man-tables'"
	fi
done
for unit in h3 $(units); do
	header=$srcdir/include/gputm/$unit.h
	[ "$unit" != h3 ] || header=$srcdir/include/gputm/base.h
	grep -q '^/\* begin INIT \*/$' "$header" || complain "$header: no line '/* begin INIT */'"
	./tests/build/describe init "$unit" >"$work/init" || complain "$unit: describe init"
	sed -e '/^\/\* begin INIT \*\/$/,/^\/\* end INIT \*\/$/{' -e '/begin INIT/{p' \
		-e "r $work/init" -e 'd' -e '}' -e '/end INIT/!d' -e '}' "$header" >"$work/header"
	if [ "${1:-}" = --write ]; then
		cmp -s "$work/header" "$header" || cp "$work/header" "$header"
	elif ! diff -u "$header" "$work/header"; then
		complain "$header: not up to date; run 'make man-tables'"
	fi
done
exit $failed
