#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs built with the headers of each release (tests/abi/VERSION.headers, never edited) and of
# today run with today's library: tests/abi/units.c, also with headers whose configs end one field
# earlier or later, and the examples. What the headers of then define has the same layout today.
# An example that needs what a release had not is kept for it as tests/abi/VERSION-UNIT.[c|exp].
. "${srcdir:-.}/tests/build/lib.sh"

library=$PWD/libgputm.so
[ -e "$library" ] || library=$PWD/libgputm.a

# program INCLUDE SOURCE FLAG...: $work/program from SOURCE with the headers in INCLUDE; -O0, as an
# interface is the same at every level, and the examples are built with the others elsewhere.
program() {
	include=$1 source=$2
	shift 2
	# shellcheck disable=SC2086
	if ! ${CC:-cc} ${ABI_CFLAGS:-} -O0 -g0 -std=c11 -fstack-protector-strong -Wall -Werror \
		"-I$include" "$@" -o "$work/program" "$source" "$library" "-Wl,-rpath,$PWD"; then
		complain "$source: does not compile with the headers in $include"
		return 1
	fi
}

# unpack FILE DIRECTORY: the headers there; in FILE "== NAME" stands before each.
unpack() {
	mkdir -p "$2/gputm"
	awk -v to="$2/" '/^== / { file = to $2; next } { print >file }' "$1"
}

# layout INCLUDE: sizes, offsets and values, as tests/abi/layout.c prints them.
layout() {
	mkdir -p "$work/layout"
	echo '#include <gputm/gputm.h>' >"$work/layout/all.c"
	${CC:-cc} -E -P "-I$1" "$work/layout/all.c" | awk -f "$srcdir/tests/abi/layout.awk" \
		>"$work/layout/layout-rows.h"
	${CC:-cc} -E -dM "-I$1" "$work/layout/all.c" |
		sed -n 's/^#define \(GPUTM_[A-Z0-9_]*\) [0-9U(].*/VALUE(\1)/p' >>"$work/layout/layout-rows.h"
	program "$1" "$srcdir/tests/abi/layout.c" "-I$work/layout" && "$work/program"
}

# age NAME INCLUDE: the headers whose configs end a field earlier or later.
age() {
	mkdir -p "$work/$1/gputm"
	awk -v later="$([ "$1" = later ] && echo 1 || echo 0)" -v to="$work/$1/gputm/" \
		-f "$srcdir/tests/abi/age.awk" "$2"/gputm/*.h || complain "$2: no $1 headers"
}

# examples INCLUDE VERSION: the examples as one program, each with its main() under another name,
# print what their .exp files say.
examples() {
	rm -rf "$work/examples"
	mkdir "$work/examples"
	: >"$work/list.h"
	sources=$(cd "$srcdir" && pwd)
	for example in "$srcdir"/examples/*.exp; do
		name=${example##*/} name=${name%.exp}
		# A unit that is younger than the release has no header there.
		[ ! -e "$srcdir/include/gputm/$name.h" ] || [ -e "$1/gputm/$name.h" ] || continue
		from=$sources/tests/abi/$2-$name
		[ -e "$from.c" ] || from=$sources/examples/$name
		echo "#define main example_$name
int main(void);
#include \"$from.c\"" >"$work/examples/$name.c"
		echo "EXAMPLE($name)" >>"$work/list.h"
		echo "$from.exp"
	done >"$work/names"
	awk '{ name = $0; sub(/.*\//, "", name); sub(/^[0-9.]*-/, "", name); sub(/\.exp$/, "", name)
		print "== " name
		while ((getline line <$0) > 0)
			print line
		close($0) }' "$work/names" >"$work/expected"
	cat >"$work/examples/all.c" <<-'C'
		#include <stdio.h>
		#define EXAMPLE(NAME) int example_##NAME(void);
		#include "list.h"
		#undef EXAMPLE
		#define EXAMPLE(NAME)                                                            \
			puts("== " #NAME);                                                       \
			fflush(stdout);                                                          \
			if (example_##NAME())                                                    \
				puts(#NAME " fails");
		int main(void)
		{
			#include "list.h"
			return 0;
		}
	C
	# shellcheck disable=SC2086
	(cd "$work/examples" && ${CC:-cc} ${ABI_CFLAGS:-} -O0 -g0 -std=c11 -fstack-protector-strong -Wall \
		-Werror "-I$1" "-I$work" -c ./*.c) &&
		${CC:-cc} ${ABI_CFLAGS:-} -o "$work/program" "$work"/examples/*.o "$library" \
			"-Wl,-rpath,$PWD" || complain "an example does not compile with the headers in $1"
	"$work/program" 2>&1 | diff "$work/expected" - || complain "an example, built with $2"
}

# run WHAT ARGUMENT...
run() {
	what=$1
	shift
	"$work/program" "$@" >"$work/out" 2>&1 || complain "$what: exit status $?: $(cat "$work/out")"
	echo "$what: $(tail -2 "$work/out" | tr '\n' ' ')"
}

layout "$srcdir/include" >"$work/today"
[ -s "$work/today" ] || complain "no layout of today's headers"
for headers in "$srcdir"/tests/abi/*.headers today; do
	version=${headers##*/} version=${version%.headers}
	of=$work/$version
	if [ "$version" = today ]; then
		of=$srcdir/include
	elif ! unpack "$headers" "$of"; then
		complain "no headers of a release in tests/abi"
	fi
	mkdir -p "$work/of"
	sed -n 's,^#include [<"]gputm/\(.*\)\.h[>"].*,\1,p' "$of/gputm/gputm.h" | grep -vx base |
		awk '{ print "UNIT(" $1 ", " toupper($1) ")" }' >"$work/of/units.h"
	age earlier "$of"
	age later "$of"
	program "$of" "$srcdir/tests/abi/units.c" "-I$work/of" && run "$version"
	program "$work/earlier" "$srcdir/tests/abi/units.c" "-I$work/of" -DEARLIER &&
		run "$version, a field fewer"
	program "$work/later" "$srcdir/tests/abi/units.c" "-I$work/of" -DLATER &&
		run "$version, a field more" && run "$version, a field more that is set" later
	[ $version != today ] || continue

	layout "$of" >"$work/then"
	[ -s "$work/then" ] || complain "no layout of the headers of $version"
	awk -f "$srcdir/tests/abi/compare.awk" "$work/then" "$work/today" >"$work/broken"
	[ ! -s "$work/broken" ] || complain "what programs built with $version rely on: $(cat "$work/broken")"
	examples "$of" "$version"
done
exit $failed
