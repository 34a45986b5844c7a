#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The kernels of gputm-kernels(7) run as printed there; its study makes the table that stands there.
# Under each system all threads move a value. Its broken kernel is found out.
# The commands of gputm-seeing(7) print what stands below them there.
. "${srcdir:-.}/tests/build/lib.sh"
sim=$(cd "${top_builddir:-.}" && pwd)/gputm-sim
man=$(cd "$srcdir" && pwd)/man
page=$man/gputm-kernels.7

# literal N: the N-th literal block of the page
literal() {
	awk -v n="$1" '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = ++seen == n }' "$page" |
		sed 's/\\e/\\/g; s/\\(dq/"/g; s/^\\&//'
}
blocks=$(grep -c '^\.Bd -literal' "$page")
cd "$work" || exit 1
literal 1 >first.kernel
"$sim" --workload ./first.kernel --check >out 2>&1 </dev/null || complain "the first kernel: $(cat out)"
for n in $(seq 2 "$blocks"); do
	literal "$n" >block
	grep -q '^program locks' block && cp block ring.kernel
	grep -q '^system kilo-tm' block && cp block ring.study
	grep -q '^| concurrency' block && cp block table
	grep -q '^@figure' block && cp block ring.py
	grep -q '^gputm-sim --study' block && cp block page
	grep -q '^grep .* ring.jsonl' block && cp block compare
	grep -q 'A=getm.jsonl' block && cp block differences
	grep -q '^Check FAILED' block && head -1 block >failure
done
PATH=$(dirname "$sim"):$PATH
if ! have python3; then
	echo "python3 is not installed: the study, its page and the comparison are not made"
	[ -z "${GPUTM_NO_SKIP:-}" ] || failed=1
else
	if ! have gnuplot; then # the page wants a picture; a stand-in makes an empty one
		mkdir tools
		printf '#!/bin/sh\nsed -n "s/^set output .\(.*\).$/\1/p" "$1" | while read -r f; do echo "</svg>" >"$f"; done\n' >tools/gnuplot
		chmod +x tools/gnuplot
		PATH=$PWD/tools:$PATH
	fi
	PYTHONPATH=${man%/man}/examples/python PYTHONDONTWRITEBYTECODE=1
	export PYTHONPATH PYTHONDONTWRITEBYTECODE
	sh ./page 2>err </dev/null || complain "ring.study: $(cat err)"
	grep '^|' ring.md | head -5 | diff table - || complain "ring.study makes another table"
	sh ./compare 2>&1 </dev/null | diff differences - || complain "other differences of getm and si-tm"
fi
# How many threads take a value, where some have to give up.
sed 's/if slots >= threads /if 1 /' ring.kernel >count.kernel
for system in getm si-tm; do
	"$sim" --workload ./count.kernel --system $system --set workload.slots=64 --check >out 2>&1 </dev/null
	taken=$(grep -o 'only [0-9]* threads took' out | head -1 | tr -dc 0-9)
	grep -A1 -x "$taken under" "$page" | grep -q "^[.]Cm $system " || complain "$system: $taken values taken"
done
"$sim" --workload ./count.kernel --set workload.slots=64 --check >out 2>&1 </dev/null ||
	complain "kilo-tm: $(tail -1 out)"
sed '/store place\[0\] = first + 1/d' ring.kernel >broken && mv broken ring.kernel
"$sim" --workload ./ring.kernel --check >out 2>err </dev/null && complain "the broken kernel passed"
grep -qxF "$(cat failure)" out || complain "the broken kernel: $(tail -3 out)"

sed '/^\.Sh LOOKING AT A RUN/q' "$man/gputm-seeing.7" >seeing
page=seeing
mkdir path && ln -s "$sim" path/gputm-sim && PATH=$PWD/path:$PATH
for n in $(seq "$(grep -c '^\.Bd -literal' "$page")"); do
	literal "$n" | awk 'NR == 1 { sub(/^[$] /, ""); command = 1 }
		command { print >"command"; command = /\\$/; next }
		{ print }' >expected
	sh ./command 2>&1 </dev/null | sed 's/ *$//' >out
	diff expected out || complain "gputm-seeing(7): $(cat command)"
done
[ "$n" = 5 ] || complain "gputm-seeing(7): $n commands with their output, not 4"
exit $failed
