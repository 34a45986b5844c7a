#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mandoc has nothing to warn of in any man page.
. "${srcdir:-.}/tests/build/lib.sh"

have mandoc || skip "mandoc is not installed"
# References to pages that are not installed yet are not dangling; places.sh looks at those.
mandoc -T lint -W warning "$srcdir"/man/*.[0-9] >"$work/lint" 2>&1
grep -v 'referenced manual not found' "$work/lint" >"$work/left" && complain "$(cat "$work/left")"
exit $failed
