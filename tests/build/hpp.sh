#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gputm.hpp compiles without a warning as C++17, by the C++ compiler of configure and by clang++, and
# its program runs; the methods of all units compile.
. "${srcdir:-.}/tests/build/lib.sh"

[ "$(wc -l <"$srcdir/include/gputm/gputm.hpp")" -lt 300 ] || complain "gputm.hpp: 300 lines or more"
library=$PWD/libgputm.so
[ -e "$library" ] || library=$PWD/libgputm.a
tried=0
{
	echo '#include <gputm/gputm.hpp>'
	for unit in $(units); do
		echo "template class gputm::unit<gputm_$unit>;"
		echo "template struct gputm::calls<gputm::unit<gputm_$unit>, gputm_$unit>;"
	done
} >"$work/all.cc"
for compiler in "${CXX:-c++}" "$(command -v clang++-14 || echo clang++)"; do
	have "${compiler%% *}" || continue
	# A library with a sanitizer is for the compiler that made it.
	case ${ABI_CFLAGS:-},$tried in *-fsanitize*,1) continue ;; esac
	tried=1
	# shellcheck disable=SC2086
	$compiler $(echo "${ABI_CFLAGS:-}" | sed 's/-std=c11//') -std=c++17 -Wall -Wextra -Wpedantic \
		-Wshadow -Wconversion -Wold-style-cast -Werror -O0 -g0 "-I$srcdir/include" -o "$work/program" \
		"$srcdir/tests/build/hpp.cc" "$work/all.cc" "$library" "-Wl,-rpath,$PWD" ||
		{ complain "$compiler does not compile hpp.cc" && continue; }
	"$work/program" || complain "hpp.cc by $compiler"
done
[ $tried = 1 ] || skip "no C++ compiler"
exit $failed
