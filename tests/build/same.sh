#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# same.sh TURNS BUILD OTHER TEST...: do the units of two builds, as those of two compilers, do the
# same? Each test that drives a unit does so in both, for TURNS turns on the
# same random bytes; the oracle sees to the answers, and digests of events, statistics and snapshots
# are compared.
set -eu
turns=$1 build=$2 other=$3
shift 3
failed=0
for test; do
	name=${test##*/}
	name=${name%.c}
	one=$(CK_FORK=no "$build/tests/$name" --trace "$turns" | grep -v '[:%]') || one="failed"
	two=$(CK_FORK=no "$other/tests/$name" --trace "$turns" | grep -v '[:%]') || two="failed too"
	test "$one" = "$two" && echo "$one" && continue
	echo "FAIL: $name: $one, $two in $other"
	failed=1
done
exit $failed
