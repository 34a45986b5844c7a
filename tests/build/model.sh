#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The sum of the sources that stands in results: of what the files have, and of nothing else.
. "${srcdir:-.}/tests/build/lib.sh"
script=$(cd "$srcdir/examples/sim" && pwd)/model.sh
cd "$work" || exit 1

mkdir -p tree/lib other/lib
echo one >tree/lib/a.c
echo two >tree/lib/B.c
echo three >tree/c.c
cp -r tree/. other
sum() {
	sh "$script" "$@" || complain "model.sh $*: exit $?"
}

sum tree lib/a.c lib/B.c c.c >wanted
grep -qx '#define SIM_MODEL "[0-9a-f]\{8\}"' wanted || complain "a header: $(cat wanted)"
for of in 'other lib/a.c lib/B.c c.c' 'tree c.c lib/B.c lib/a.c' "$work/tree lib/a.c c.c lib/B.c c.c"; do
	# shellcheck disable=SC2086
	sum $of | cmp -s - wanted || complain "another sum of the same files: $of"
done
LC_ALL=en_US.UTF-8 sum tree lib/a.c lib/B.c c.c | cmp -s - wanted || complain 'another sum in another locale'
echo One >other/lib/a.c
sum other lib/a.c lib/B.c c.c | cmp -s - wanted && complain 'a letter does not count'
echo two >other/lib/a.c
echo one >other/lib/B.c
sum other lib/a.c lib/B.c c.c | cmp -s - wanted && complain 'it does not count which file has what'
sum tree lib/a.c lib/B.c | cmp -s - wanted && complain 'a file does not count'
exit $failed
