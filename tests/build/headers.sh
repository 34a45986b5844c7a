#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The public headers, twice included, in C11 and in C++11, 17 and 20 (headers.sh c|c++), without a
# warning: each alone by the compiler of configure, in the first standard; then all in one program,
# in each standard, by it and by gcc where that is another. In C++ every type is also used by its
# plain name, which fails where a function has that name too.
. "${srcdir:-.}/tests/build/lib.sh"

language=${1:-c}
flags="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I$srcdir/include -I."
case $language in
c)
	own=${CC:-cc} gcc=gcc standards=c11
	flags="$flags -Wstrict-prototypes"
	;;
c++)
	own=${CXX:-c++} gcc=g++ standards="c++11 c++17 c++20"
	flags="$flags -Wold-style-cast"
	have "$own" || skip "no C++ compiler"
	;;
esac
mkdir "$work/alone"
awk -v to="$work/alone/" -v language="$language" '
	FNR == 1 {
		close(out)
		name = unit = FILENAME
		sub(/.*\//, "", name)
		sub(/.*\//, "", unit)
		sub(/\.h$/, "", unit)
		out = to unit "." language
		print "#include <gputm/" name ">\n#include <gputm/" name ">" >out
	}
	/^#define GPUTM_[A-Z0-9_]*_CONFIG_INIT/ {
		kind = tolower($2)
		sub(/_init$/, "", kind)
		variable = unit "_" kind
		print "extern struct " kind " " variable ";" >out
		print "struct " kind " " variable " = " $2 ";" >out
	}
	language == "c++" && /^(struct|enum) gputm_[a-z0-9_]*( \{|;)$/ {
		sub(/;$/, "", $2)
		print "typedef " $2 " plain_" $2 ";" >out
	}' "$srcdir"/include/gputm/*.h
cat "$work/alone/"*."$language" >"$work/all.$language"
[ "$(grep -c _CONFIG_INIT "$work/all.$language")" -gt 30 ] || complain "no INIT macro was tried"
[ "$language" = c ] || grep -q plain_gputm_event "$work/alone/base.c++" || complain "no type was tried"

# version COMPILER: what it says of itself, but for the name it is called by.
version() {
	$1 --version | sed 's/^[^ ]*//;q'
}
! have $gcc || [ "$(version $gcc)" = "$(version "$own")" ] || other=$gcc
# shellcheck disable=SC2086
$own -std=${standards%% *} $flags "$work/alone/"*."$language" || complain "$own: a header alone"
for standard in $standards; do
	for compiler in "$own" ${other:-}; do
		$compiler -std=$standard $flags "$work/all.$language" || complain "$compiler -std=$standard"
	done
done
exit $failed
