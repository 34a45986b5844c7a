#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# abidiff.sh abi-check|abi-update: compare the shared library, built by gcc with -g, to
# tests/abi/libgputm.abi, or write that anew.
. "${srcdir:-.}/tests/build/lib.sh"

have abidw || skip "abidw and abidiff are not installed (abigail-tools)"
description=$srcdir/tests/abi/libgputm.abi
abidw --headers-dir "$srcdir/include" --drop-private-types --no-show-locs --no-corpus-path \
	--no-comp-dir-path --type-id-style hash libgputm.so >"$work/now" ||
	complain "abidw cannot read libgputm.so"
# The place of a source is that in the tree, wherever this build is.
sed "s,path='[^']*\(lib/[^']*\)',path='\1'," "$work/now" >"$work/abi"
case ${1:-} in
abi-update) [ $failed = 1 ] || cp "$work/abi" "$description" ;;
abi-check) abidiff "$description" "$work/abi" ||
	complain "the binary interface has changed: see CONTRIBUTING.md, then make abi-update" ;;
*) complain "usage: abidiff.sh abi-check|abi-update" ;;
esac
exit $failed
