#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The static library defines no global symbol without the prefix, and calls nothing but
# memory and string functions of libc: above all none that exits, prints or asks the
# environment, the clock or a random generator.
. "${srcdir:-.}/tests/build/lib.sh"

library=libgputm.a
[ -e $library ] || skip "no static library was built"
${NM:-nm} -g --defined-only $library | awk 'NF == 3 { print $3 }' | sort -u >"$work/defined"
[ -s "$work/defined" ] || complain "nm finds nothing defined"
grep -v '^gputm_' "$work/defined" | grep -v '^__\(odr_asan\|asan\)' >"$work/leaked"
[ ! -s "$work/leaked" ] || complain "without prefix: $(tr '\n' ' ' <"$work/leaked")"

${NM:-nm} -u $library | awk '$1 == "U" { print $2 }' | sort -u >"$work/wanted"
for name in exit _exit abort printf fprintf vprintf puts putchar snprintf sprintf getenv rand \
	srand random time clock clock_gettime gettimeofday stdout stderr; do
	! grep -qx "$name" "$work/wanted" || complain "calls $name"
done
allowed='bcmp\|mem\(cpy\|move\|set\|cmp\)\|str\(len\|cmp\|ncmp\|chr\)\|malloc\|calloc\|realloc\|free'
allowed="$allowed\\|_GLOBAL_OFFSET_TABLE_\\|__stack_chk_fail\\(_local\\)\\?"
allowed="$allowed\\|__cpu_model\\|__assert_fail\\|__\\(asan\\|ubsan\\|sanitizer\\|gcov\\|llvm\\)_.*"
allowed="$allowed\\|__\\(u\\?div\\|u\\?mod\\|u\\?divmod\\|popcount\\|clz\\|ctz\\|mul\\)[dst]i[234]"
grep -v '^gputm_' "$work/wanted" | grep -vx "$allowed" >"$work/strange"
[ ! -s "$work/strange" ] || complain "calls $(tr '\n' ' ' <"$work/strange")"
exit $failed
