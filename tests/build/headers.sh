#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each public header alone, twice included, in C11 and in C++11, 17 and 20 (headers.sh c|c++), by
# every compiler there is, without a warning. In C++ every type is also used by its plain name,
# which fails where a function has that name too.
. "${srcdir:-.}/tests/build/lib.sh"

language=${1:-c}
flags="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I$srcdir/include -I."
case $language in
c)
	own=${CC:-cc} others="gcc clang" standards=c11
	flags="$flags -Wstrict-prototypes"
	;;
c++)
	own=${CXX:-c++} others="g++ clang++" standards="c++11 c++17 c++20"
	flags="$flags -Wold-style-cast"
	have "$own" || skip "no C++ compiler"
	;;
esac
for header in "$srcdir"/include/gputm/*.h; do
	name=$(basename "$header")
	unit=${name%.h}
	program=$work/$unit.$language
	printf '#include <gputm/%s>\n#include <gputm/%s>\n' "$name" "$name" >"$program"
	for init in $(sed -n 's/^#define \(GPUTM_[A-Z0-9_]*_CONFIG_INIT\).*/\1/p' "$header"); do
		kind=$(echo "${init%_INIT}" | tr '[:upper:]' '[:lower:]')
		printf 'extern struct %s %s_%s;\nstruct %s %s_%s = %s;\n' \
			"$kind" "$unit" "$kind" "$kind" "$unit" "$kind" "$init" >>"$program"
	done
	[ "$language" = c ] ||
		sed -n 's/^\(struct\|enum\) \(gputm_[a-z0-9_]*\)\( {\|;\)$/typedef \2 plain_\2;/p' \
			"$header" >>"$program"
done
[ "$language" = c ] || grep -q plain_gputm_event "$work/base.c++" || complain "no type was tried"
for compiler in "$own" $others; do
	have "${compiler%% *}" || continue
	for standard in $standards; do
		$compiler -std=$standard $flags "$work"/*."$language" || complain "$compiler -std=$standard"
	done
done
exit $failed
