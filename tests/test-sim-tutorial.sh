#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The kernels of gputm-kernels(7) run as printed there, under each system that its comparison
# names, and give the cycles and aborts that stand there. Its broken kernel is found out.
# The commands of gputm-seeing(7) print what stands below them there.
. "${srcdir:-.}/tests/build/lib.sh"
sim=$(cd "${top_builddir:-.}" && pwd)/gputm-sim
man=$(cd "$srcdir" && pwd)/man
page=$man/gputm-kernels.7

# literal N: the N-th literal block of the page
literal() {
	awk -v n="$1" '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = ++seen == n }' "$page" |
		sed 's/\\e/\\/g; s/^\\&//'
}
blocks=$(grep -c '^\.Bd -literal' "$page")
cd "$work" || exit 1
literal 1 >first.kernel
"$sim" --workload ./first.kernel --check >out 2>&1 </dev/null || complain "the first kernel: $(cat out)"
for n in $(seq 2 "$blocks"); do
	literal "$n" >block
	grep -q '^program locks' block && cp block ring.kernel
	grep -q '^kilo-tm \[' block && cp block expected
	grep -q '^Check FAILED' block && head -1 block >failure
done
while read -r system figures; do
	"$sim" --workload ./ring.kernel --system "$system" --check --format csv --out out.csv </dev/null ||
		complain "ring.kernel under $system"
	got=$(awk -F, '$2 == "" { value[$4] = $5 }
		END { printf "[%s,%s]", value["cycles"], value["aborted"] }' out.csv)
	[ "$got" = "$figures" ] || complain "ring.kernel under $system: $got and not $figures"
done <expected
sed '/store place\[0\] = first + 1/d' ring.kernel >broken && mv broken ring.kernel
"$sim" --workload ./ring.kernel --check >out 2>err </dev/null && complain "the broken kernel passed"
grep -qxF "$(cat failure)" out || complain "the broken kernel: $(tail -3 out)"

page=$man/gputm-seeing.7
mkdir path && ln -s "$sim" path/gputm-sim && PATH=$PWD/path:$PATH
for n in $(seq "$(grep -c '^\.Bd -literal' "$page")"); do
	literal "$n" | awk 'NR == 1 { sub(/^[$] /, ""); command = 1 }
		command { print >"command"; command = /\\$/; next }
		{ print }' >expected
	sh ./command 2>&1 </dev/null | sed 's/ *$//' >out
	diff expected out || complain "gputm-seeing(7): $(cat command)"
done
[ "$n" = 4 ] || complain "gputm-seeing(7): $n commands with their output, not 4"
exit $failed
