#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# python.sh LIBRARY: examples/python has the layout of the headers' structs; its doctests hold; all
# kinds of units are made, observed, measured, saved and loaded by name; README.md's lines run, and
# the example plots.
. "${srcdir:-.}/tests/build/lib.sh"

have python3 || skip "python3 is not installed"
export GPUTM_LIBRARY="$1" PYTHONPATH="$srcdir/examples/python" PYTHONDONTWRITEBYTECODE=1
python3 -m doctest "$srcdir/examples/python/gputm/unit.py" || complain "doctests of gputm.unit"

echo '#include <gputm/gputm.h>' >"$work/all.c"
${CC:-cc} -E -P "-I$srcdir/include" "$work/all.c" | awk -f "$srcdir/tests/abi/layout.awk" \
	>"$work/layout-rows.h"
${CC:-cc} "-I$srcdir/include" "-I$work" -o "$work/layout" "$srcdir/tests/abi/layout.c" &&
	"$work/layout" >"$work/rows"
python3 - "$work/rows" <<'TXT' || complain "gputm and the library"
import ctypes
import sys

import gputm

rows = 0
for row in open(sys.argv[1]):
    what, name, *rest = row.split()
    struct = gputm.structs.get(name[len("gputm_"):])
    if what == "size":
        assert ctypes.sizeof(struct) == int(rest[0]), row
    elif what == "field":
        field = getattr(struct, rest[0])
        assert [field.offset, field.size] == [int(rest[1]), int(rest[2])], row
    else:
        assert getattr(gputm, name[len("GPUTM_"):]) == int(rest[0]), row
    rows += 1
assert rows > 500
for kind in gputm.kinds:
    unit = gputm.Unit(kind)
    events = unit.events()
    twin = gputm.Unit(kind, unit.config)
    twin.load(unit.save())
    assert not twin.check() and twin.statistics == unit.statistics and not list(events), kind
print(f"{rows} sizes, fields and values, {len(gputm.kinds)} kinds of units")
TXT
fenced python 1 >"$work/readme.py"
python3 "$work/readme.py" >"$work/out" && grep -qx '0x1000 was last written by transaction 7' "$work/out" ||
	complain "README.md's Python: $(cat "$work/out")"
plot=
if have gnuplot; then
	plot=$work/plot.svg
else
	echo "no gnuplot: the example is not plotted"
	[ -z "${GPUTM_NO_SKIP:-}" ] || failed=1
fi
python3 "$srcdir/examples/python/histogram.py" $plot >"$work/out" || complain "histogram.py"
grep -q '^   exact  100.00' "$work/out" || complain "histogram.py prints: $(cat "$work/out")"
[ -z "$plot" ] || grep -q '</svg>' "$plot" || complain "histogram.py: no plot"
exit $failed
