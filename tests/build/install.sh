#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# install.sh PREFIX LIBDIR: the library installed there is found by pkg-config, and an external C
# program and an external C++ program, linked to it shared and static, drive two units.
. "${srcdir:-.}/tests/build/lib.sh"

prefix=$1 libdir=$2
have pkg-config || skip "pkg-config is not installed"
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs gputm) || complain "pkg-config does not find gputm"
[ "$(pkg-config --variable=prefix gputm)" = "$prefix" ] || complain "prefix of gputm.pc"

# build_and_run COMPILER SOURCE WHAT FLAGS
build_and_run() {
	compiler=$1 source=$2 what=$3
	shift 3
	# shellcheck disable=SC2086
	if ! $compiler ${EXTERNAL_FLAGS:-} -Wall -Wextra -Werror -o "$work/program" "$source" "$@"; then
		complain "$what does not build"
	elif ! LD_LIBRARY_PATH=$libdir "$work/program"; then
		complain "$what does not run"
	else
		echo "$what: built with $*, ran"
	fi
}

# shellcheck disable=SC2086
build_and_run "${CC:-cc} -std=c11" "$srcdir/tests/build/external.c" "C program, shared" $flags
# shellcheck disable=SC2046
build_and_run "${CC:-cc} -std=c11" "$srcdir/tests/build/external.c" "C program, static" \
	$(pkg-config --cflags gputm) "$libdir/libgputm.a"
if have "${CXX:-c++}"; then
	# shellcheck disable=SC2086
	build_and_run "${CXX:-c++} -std=c++11" "$srcdir/tests/build/external.cc" "C++ program, shared" $flags
else
	echo "no C++ compiler: the C++ program is not built"
	[ -z "${GPUTM_NO_SKIP:-}" ] || failed=1
fi
# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/p' "$srcdir/README.md" | grep -v '^```' >"$work/readme.c"
# shellcheck disable=SC2086
build_and_run "${CC:-cc} -std=c11" "$work/readme.c" "example of README.md" $flags
for page in gputm.7 gputm_recency_bloom.3 gputm_recency_bloom_update.3; do
	[ -n "$(find "$prefix" -name "$page" | head -1)" ] || complain "man page $page is not installed"
done
exit $failed
