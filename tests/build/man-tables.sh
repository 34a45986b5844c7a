#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The parameters, statistics and events in a unit's man page are written by tests/build/describe
# from the tables of the library, between the lines
#	.\" begin parameters
#	.\" end parameters
# (and the same with "statistics" and "events"), and so are the fields of events that several
# units share, in gputm_unit.3 ("fields"). "man-tables.sh --write" updates the pages in srcdir;
# without it, this checks that they are up to date.
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
exit $failed
