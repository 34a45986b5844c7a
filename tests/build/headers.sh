#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each public header alone, twice included, in C11 pedantic and in C++11 (headers.sh c|c++).
. "${srcdir:-.}/tests/build/lib.sh"

flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$srcdir/include -I."
case ${1:-c} in
c) compile="${CC:-cc} -std=c11 -Wshadow -Wstrict-prototypes -Wconversion $flags -x c" ;;
c++)
	have "${CXX:-c++}" || skip "no C++ compiler"
	compile="${CXX:-c++} -std=c++11 -Wold-style-cast $flags -x c++"
	;;
esac
for header in "$srcdir"/include/gputm/*.h; do
	name=$(basename "$header")
	printf '#include <gputm/%s>\n#include <gputm/%s>\n' "$name" "$name" >"$work/header.c"
	macro=$(sed -n 's/^#define \(GPUTM_[A-Z0-9_]*_CONFIG_INIT\).*/\1/p' "$header")
	unit=${name%.h}
	for init in $macro; do
		kind=$(echo "${init%_INIT}" | tr '[:upper:]' '[:lower:]')
		printf 'extern struct %s %s_%s;\nstruct %s %s_%s = %s;\n' \
			"$kind" "$unit" "$kind" "$kind" "$unit" "$kind" "$init" >>"$work/header.c"
	done
	$compile "$work/header.c" || complain "$name (${1:-c})"
done
exit $failed
