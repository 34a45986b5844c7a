#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What can be said of the layout without taste: no line over 100 columns (tabs of 8), no blank
# at the end of a line, tabs for indentation in C, a licence line first, no word of work left over;
# and in the library no conversion that its messages do not know (lib/base/format.h). A build in the
# source folder has tests/units.h there, which make has made.
. "${srcdir:-.}/tests/build/lib.sh"

find "$srcdir/include" "$srcdir/lib" "$srcdir/tests" "$srcdir/examples" \
	-name '*.[ch]' -o -name '*.cc' -o -name '*.hpp' | grep -vx "$srcdir/tests/units.h" | sort >"$work/files"
while read -r file; do
	expand "$file" | awk -v file="$file" '
		length > 100 { print file ":" NR ": more than 100 columns" }
		/[ \t]$/ { print file ":" NR ": blank at the end of the line" }'
	grep -n '^        *[^ \\]' "$file" | sed "s,^\([0-9]*\):.*,$file:\1: indented with blanks,"
	head -1 "$file" | grep -q 'SPDX-License-Identifier: BSD-2-Clause' || echo "$file:1: no licence line"
	grep -nwE 'TODO|FIXME|XXX|HACK' "$file" | sed "s,^,$file:,"
	case $file in
	"$srcdir"/lib/*) sed 's/%\(s\|u\|x\|d\|llu\|llx\|%\)//g' "$file" |
		grep -nE '^[^"]*("[^"]*"[^"]*)*"[^"]*%' | sed "s,^,$file:," ;;
	esac
done <"$work/files" >"$work/found"
[ ! -s "$work/found" ] || complain "$(cat "$work/found")"
exit $failed
