#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands in console blocks of README.md print the lines below them, in this order; the three
# figures of the demo are among them, and the text tells no figure of a run beside them.
. "${srcdir:-.}/tests/build/lib.sh"

readme=$srcdir/README.md
blocks=$(grep -c '^```console$' "$readme")
[ "$blocks" = 2 ] || complain "README.md has $blocks console blocks, expected 2"
for n in 1 2; do
	fenced console $n >"$work/block"
	command=$(sed -n '1s,^\$ build/gputm-sim ,,p' "$work/block")
	[ -n "$command" ] || complain "README.md: console block $n does not begin with a run of build/gputm-sim"
	# shellcheck disable=SC2086
	(cd "$srcdir" && "$OLDPWD/$top_builddir/gputm-sim" $command) >"$work/out" 2>&1 ||
		complain "gputm-sim $command: $(cat "$work/out")"
	awk 'NR == FNR { if (FNR > 1) want[++wanted] = $0; next }
		$0 == want[met + 1] { met++ }
		END {
			if (met < wanted || !wanted)
				print "not printed, or not in this order: " want[met + 1]
		}' "$work/block" "$work/out" >"$work/lacking"
	[ ! -s "$work/lacking" ] || complain "README.md: gputm-sim $command: $(cat "$work/lacking")"
done
[ "$(grep -cE '^  (cycles|committed|aborted) ' "$work/block")" = 3 ] ||
	complain "README.md: the demo's cycles, committed and aborted are not all there"
awk '/^```/ { code = !code; next }
	!code && /[0-9]( %|%| times| cycles| commits| aborts| claims| of [0-9])/ { print }' "$readme" >"$work/figures"
[ ! -s "$work/figures" ] || complain "README.md tells figures that no test holds: $(cat "$work/figures")"
exit $failed
