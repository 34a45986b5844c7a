#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A private unit, three files outside the tree, builds against the sources and passes; and
# "./bootstrap new-unit" in a copy of the sources writes a unit that is in all its places, whose
# test, example and manual page are as they must be.
. "${srcdir:-.}/tests/build/lib.sh"

[ -e libkit.a ] || skip "check is not installed"
here=$PWD copy=$work/copy unit=seen_table

# pass SOURCES INCLUDES: the test built from these sources passes.
pass() {
	make -s check-private PRIVATE_FILES="$1" PRIVATE_FLAGS="$2" PRIVATE_TEST="$work/test" \
		>"$work/out" 2>&1 || complain "$(cat "$work/out")"
}
mkdir "$work/own"
cp "$srcdir"/examples/private/*.[ch] "$work/own"
pass "$work/own/counter_table.c $work/own/test-counter_table.c" "-I$work/own"

# The copy lacks the runner, its papers and what tests read, which no unit has a part in.
mkdir "$copy"
(cd "$srcdir" && tar cf - bootstrap units.am configure.ac CONTRIBUTING.md CITATION.cff NEWS README.md include \
	lib tests/abi man examples/*.* examples/private examples/python examples/wire \
	tests/*.[ch] tests/bench tests/build tests/fuzz tests/oracle) | (cd "$copy" && tar xf -)
chmod -R u+w "$copy"
(cd "$copy" && sh ./bootstrap new-unit core $unit) >"$work/out" 2>&1 || complain "$(cat "$work/out")"
(cd "$copy" && sh ./bootstrap new-unit core $unit) >"$work/out" 2>&1 &&
	complain "new-unit writes over a unit that there is"
(cd "$copy" && sh ./bootstrap new-unit core 1st) >"$work/out" 2>&1 && complain "new-unit: bad name"
pass "$copy/lib/core/$unit.c $copy/tests/test-$unit.c" "-I$copy/include -I$copy"
for script in places units; do
	(cd "$copy" && srcdir=. sh tests/build/$script.sh) >"$work/out" 2>&1 ||
		complain "$script.sh: $(cat "$work/out")"
done
! have mandoc || mandoc -T lint -W warning "$copy/man/gputm_$unit.3" "$copy/man/gputm.7" 2>&1 |
	grep -v 'referenced manual not found' >"$work/lint"
[ ! -s "$work/lint" ] || complain "$(cat "$work/lint")"
# Its page and its example, from the unit itself.
mkdir -p "$work/build/tests/build"
sed -n '/base\.h/d; s,^#include [<"]gputm/\(.*\)\.h[>"].*,UNIT(\1),p' \
	"$copy/include/gputm/gputm.h" >"$work/build/tests/units.h"
compile="${CC:-cc} ${ABI_CFLAGS:-} -std=c11 -Wall -Wextra -Werror -I$work/build -I$copy/include -I$copy -I$here"
library=$here/libgputm.a
$compile -o "$work/build/tests/build/describe" "$copy/tests/build/describe.c" \
	"$copy/lib/core/$unit.c" "$library" || complain "describe does not build"
(cd "$work/build" && srcdir=$copy sh "$copy/tests/build/man-tables.sh") >"$work/out" 2>&1 ||
	complain "$(cat "$work/out")"
$compile -o "$work/example" "$copy/examples/$unit.c" "$copy/lib/core/$unit.c" "$library" &&
	"$work/example" | diff - "$copy/examples/$unit.exp" || complain "the example fails"
$compile -D_GNU_SOURCE -fsyntax-only "$copy/tests/bench/bench-$unit.c" || complain "the bench"
exit $failed
