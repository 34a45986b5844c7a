#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What can be said of the layout without taste: no line over 100 columns (tabs of 8), no blank
# at the end of a line, tabs for indentation in C, a licence line first, no word of work left over;
# in library and headers no "behind" for "after";
# and in the library no conversion that its messages do not know (lib/base/format.h), and outside
# lib/base no vectors, assembly, attributes, builtins, unrolled loops or 128-bit numbers; and in the
# runner no memory of libc, but in two files of examples/sim/base. A release has a page in NEWS, and
# no more. A build in the source folder has
# tests/units.h, tests/clocks.h and examples/sim/model.h there, which make has made.
. "${srcdir:-.}/tests/build/lib.sh"

# One awk for all files, as there are more than a thousand.
find "$srcdir/include" "$srcdir/lib" "$srcdir/tests" "$srcdir/examples" \
	\( -name '*.[ch]' -o -name '*.cc' -o -name '*.hpp' \) ! -path "$srcdir/tests/units.h" \
	! -path "$srcdir/tests/clocks.h" ! -path "$srcdir/examples/sim/model.h" \
	-exec awk -v lib="$srcdir/lib/" -v sim="$srcdir/examples/sim/" '
	function say(what) { print FILENAME ":" FNR ": " what }
	FNR == 1 {
		seen[FILENAME] = 1
		in_lib = index(FILENAME, lib) == 1 || FILENAME ~ /\/include\/gputm\//
		in_sim = index(FILENAME, sim) == 1 && FILENAME !~ /base\/(arena|output)\.c$/
		in_unit = index(FILENAME, lib) == 1 && index(FILENAME, lib "base/") != 1
		if (!/SPDX-License-Identifier: BSD-2-Clause/)
			say("no licence line")
	}
	{
		columns = length($0)
		if (columns > 12) { # a shorter line of tabs alone has no more than 96
			parts = split($0, part, "\t")
			columns = 0
			for (i = 1; i <= parts; i++)
				columns += length(part[i]) + (i < parts ? 8 - length(part[i]) % 8 : 0)
		}
	}
	columns > 100 { say("more than 100 columns") }
	/[ \t]$/ { say("blank at the end of the line") }
	/^        *[^ \\]/ { say("indented with blanks") }
	/(^|[^A-Za-z0-9_])(TODO|FIXME|XXX|HACK)([^A-Za-z0-9_]|$)/ { say($0) }
	in_unit && /__asm__|asm volatile|vector_size|__attribute__|__builtin_|__int128|GPUTM__UNROLL|GPUTM__U?N?LIKELY|intrin\.h|[Pp]ragma/ {
		say("a trick of the compiler, which belongs to lib/base")
	}
	in_lib && /(^|[^a-z_])behind([^a-z_]|$)|\. Exact\./ { say("a word of place for after, or a sentence without a verb") }
	in_lib && FNR == 1 { face = 0 }
	in_lib && !face && /^[a-z].*gputm_[a-z0-9_]*\(/ && !/;$|^static/ { face = FNR }
	in_lib && !face && /^gputm_[a-z0-9_]*\(/ { face = FNR }
	in_lib && /^GPUTM__UNIT\(/ && face { say("the function in line " face " belongs below GPUTM__UNIT") }
	in_sim && /(^|[^A-Za-z0-9_.>])(malloc|calloc|realloc|strdup)\(|= free,/ {
		say("memory of libc, where base/arena.h gives it")
	}
	in_lib && /%/ {
		text = $0
		gsub(/%(s|u|x|d|llu|llx|%)/, "", text)
		if (text ~ /^[^"]*("[^"]*"[^"]*)*"[^"]*%/)
			say($0)
	}
	END {
		for (i = 1; i < ARGC; i++)
			if (!(ARGV[i] in seen))
				print ARGV[i] ": is empty, without a licence line"
	}' {} + >"$work/found"
[ ! -s "$work/found" ] || complain "$(sort "$work/found")"
awk 'function end() { if (lines > 100) print "NEWS: the page of " page " has " lines " lines, of at most 100" }
	/^libgputm [0-9]/ { end(); page = $0; lines = 0 }
	length($0) > 100 { print "NEWS: line " NR " has more than 100 columns" }
	{ lines++ }
	END { end() }' "$srcdir/NEWS" >"$work/found"
[ ! -s "$work/found" ] || complain "$(cat "$work/found")"
exit $failed
