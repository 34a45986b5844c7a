#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every example prints what its .exp file says.
. "${srcdir:-.}/tests/build/lib.sh"

ran=0
for expected in "$srcdir"/examples/*.exp "$srcdir"/examples/wire/*.exp; do
	name=${expected#"$srcdir"/examples/}
	name=${name%.exp}
	if ! "./examples/$name" >"$work/out" 2>"$work/err"; then
		complain "$name does not exit with 0"
	elif ! diff -u "$expected" "$work/out" || [ -s "$work/err" ]; then
		complain "$name prints something else"
	fi
	cat "$work/err"
	ran=$((ran + 1))
done
[ $ran -gt 0 ] || complain "there is no example"
echo "$ran examples"
exit $failed
