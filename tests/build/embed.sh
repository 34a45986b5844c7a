#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# embed.sh LIBDIR: each snippet of examples/embed builds its program from a fresh folder, against
# the library installed there and from the sources, by the commands at its top; all print the same.
# So does the program of README.md with the library made by the three lines there.
. "${srcdir:-.}/tests/build/lib.sh"

source=$(cd "$srcdir" && pwd)
export PKG_CONFIG_PATH="$1/pkgconfig"
for snippet in cc.sh GNUmakefile CMakeLists.txt SConstruct meson.build; do
	for how in installed sources; do
		mkdir "$work/fresh"
		cp "$source"/examples/embed/* "$work/fresh"
		command=$(sed -n "s/^# $how: //p" "$work/fresh/$snippet")
		[ -n "$command" ] || complain "$snippet does not say how it builds: $how"
		if ! (cd "$work/fresh" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(
			[ $how = installed ] || echo "GPUTM_SOURCE=$source") sh -ec "$command") \
			>"$work/out" 2>&1 || ! tail -2 "$work/out" | diff - "$source/examples/embed/embed.exp"; then
			tail -30 "$work/out"
			complain "$snippet, $how: $command"
		else
			echo "$snippet, $how: $command"
		fi
		rm -rf "$work/fresh"
	done
done
mkdir "$work/fresh"
ln -s "$source/include" "$source/lib" "$work/fresh"
fenced c 1 >"$work/fresh/filter.c"
fenced sh 4 >"$work/fresh/commands"
if ! (cd "$work/fresh" && sh -e ./commands && ./filter) >"$work/out" 2>&1 ||
	! grep -qx '0x1000 was last written by transaction 7' "$work/out"; then
	tail -30 "$work/out"
	complain "README.md's lines for a library without autotools: $(cat "$work/fresh/commands")"
fi
exit $failed
