#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The rooms of the example runner: an object calls downwards only, and objects that call one
# another in a circle are none. Who defines and who uses a symbol is what nm says.
. "${srcdir:-.}/tests/build/lib.sh"

# Directories of examples/sim, the ground first; "." is the command line itself. TM systems know
# their port and no machine, which is why they lie below.
rooms='
base
kernel
workloads
port check
systems
run
machine local
control hetm
seeing
study
report
sweep
.'

[ -n "${RUNNER:-}" ] || skip "no objects of the runner are named"
${NM:-nm} -A -P $RUNNER >"$work/symbols" || complain "nm cannot read the objects of the runner"
# A line for each object that needs another one: the two, and a symbol.
awk '{ sub(/:$/, "", $1) }
	NR == FNR && $3 ~ /^[A-TV-Z]$/ { of[$2] = $1 }
	NR != FNR && $3 == "U" && $2 in of && of[$2] != $1 { print $1, of[$2], $2 }' \
	"$work/symbols" "$work/symbols" >"$work/needs"
[ -s "$work/needs" ] || complain "no object of the runner needs another one"

echo "$rooms" | awk 'NR == FNR { for (i = 1; i <= NF; i++) level[$i] = NR; next }
	function room(path) {
		sub(/.*examples\/sim\//, "", path)
		return sub(/\/[^\/]*$/, "", path) ? path : "."
	}
	{ from = room($1); to = room($2) }
	!(from in level) { print from ": a room that is not listed"; next }
	level[to] > level[from] { print $1 " needs " $3 " of " $2 ", a room above" }' - "$work/needs" |
	sort -u >"$work/upwards"
[ ! -s "$work/upwards" ] || complain "$(cat "$work/upwards")"

cut -d ' ' -f 1,2 "$work/needs" | tsort >"$work/order" 2>"$work/circles" || :
[ ! -s "$work/circles" ] || complain "a circle: $(sed 's/^tsort: //' "$work/circles" | tr '\n' ' ')"
exit $failed
