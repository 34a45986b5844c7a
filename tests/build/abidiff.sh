#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# abidiff.sh abi-update VERSION: write the headers of today into tests/abi/VERSION.headers.
# abidiff.sh abi-check VERSION: compare the shared library, built by gcc with -g, to each of these
# files, by a library of functions without a body that is made of the headers in the file. What an
# earlier version has must be there, and no more and no less than what VERSION has.
. "${srcdir:-.}/tests/build/lib.sh"

verb=${1:-} version=${2:-}

# Comments and empty lines are left out; "== gputm/NAME.h" stands before each header.
update() {
	(cd "$srcdir/include" && awk '
		FNR == 1 { print "== " FILENAME; comment = 0 }
		{
			line = $0
			kept = ""
			while (line != "") {
				at = index(line, comment ? "*/" : "/*")
				if (!comment)
					kept = kept (at ? substr(line, 1, at - 1) : line)
				line = at ? substr(line, at + 2) : ""
				if (at)
					comment = !comment
			}
			sub(/[ \t]+$/, "", kept)
			if (kept != "")
				print kept
		}' gputm/*.h) >"$work/headers" && cp "$work/headers" "$srcdir/tests/abi/$version.headers"
}

# library NAME: $work/NAME.so, of functions that trap, as $work/NAME/gputm/*.h declare them.
library() {
	{
		echo '#include <gputm/gputm.h>'
		cat "$work/$1"/gputm/*.h | awk '
			/^#/ || continued { continued = /\\$/; next }
			/^GPUTM_API/ { inside = 1 }
			!inside { next }
			/;$/ { inside = 0; sub(/;$/, " { __builtin_trap(); }") }
			{ print }'
	} >"$work/$1.c"
	# abidiff takes functions for the same ones only where the versions of their symbols are equal.
	echo "$(sed -n '1s/ .*//p' "$srcdir/lib/libgputm.sym") { global: gputm_*; };" >"$work/map"
	gcc -std=c11 -g -w -shared -fPIC "-I$work/$1" "-Wl,--version-script=$work/map" \
		-o "$work/$1.so" "$work/$1.c"
}

# compare NAME ABIDIFF-OPTION...
compare() {
	name=$1
	shift
	mkdir -p "$work/$name/gputm"
	awk -v to="$work/$name/" '/^== / { file = to $2; next } { print >file }' \
		"$srcdir/tests/abi/$name.headers"
	library "$name" || complain "$name: no library can be made of its headers"
	abidiff --ignore-soname --headers-dir1 "$work/$name" --headers-dir2 "$srcdir/include" \
		--drop-private-types "$@" "$work/$name.so" libgputm.so >"$work/differs" ||
		complain "the library differs from tests/abi/$name.headers: $(cat "$work/differs")
CONTRIBUTING.md, \"Binary interface\", says what may change; \"make abi-update\" records it"
	echo "$name: $(grep -c __builtin_trap "$work/$name.c") functions compared"
}

case $verb in
abi-update) update || complain "the headers cannot be read" ;;
abi-check)
	have abidiff || skip "abidiff is not installed (abigail-tools)"
	[ -e "$srcdir/tests/abi/$version.headers" ] ||
		complain "tests/abi/$version.headers is missing: \"make abi-update\" writes it"
	# A config may grow at its end.
	cat >"$work/grown" <<-'TXT'
		[suppress_type]
		type_kind = struct
		name_regexp = ^gputm_.*_config$
		has_data_member_inserted_at = end
	TXT
	for headers in "$srcdir"/tests/abi/*.headers; do
		of=${headers##*/} of=${of%.headers}
		if [ "$of" = "$version" ]; then
			compare "$of"
		else
			compare "$of" --no-added-syms --suppressions "$work/grown"
		fi
	done
	;;
*) complain "usage: abidiff.sh abi-check|abi-update VERSION" ;;
esac
exit $failed
