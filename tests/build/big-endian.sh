#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# big-endian.sh: do units do the same where the highest byte of a number comes first? The library and
# the drives of nine units, one of each family, are compiled for s390x, and qemu runs them: each must
# make its record in tests/golden. CC and EMULATOR name others; works in the present directory.
set -eu
srcdir=${srcdir:-.}
cc=${CC:-clang-14 --target=s390x-linux-gnu}
emulator=${EMULATOR-$(command -v qemu-s390x || command -v qemu-s390x-static || echo no-qemu-s390x)}
tests='recency_bloom simt_stack-drive block_stack-random last_writer sequential_resolver
	metadata_table version_table local_tm-random write_set_log'

# objects ARCHIVE SOURCE...: check.h is the same on every machine, so that the host's serves.
objects() {
	folder=${1%.a} archive=$1
	shift
	mkdir -p "$folder"
	printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I__source__ sh -c '
		exec "$@" -c __source__ -o "$0/$(echo __source__ | tr / _).o"' "$folder" \
		$cc -std=c11 -O1 -w "-I$srcdir/include" "-I$srcdir" -idirafter /usr/include
	ar rc "$archive" "$folder"/*.o
}

objects library.a "$srcdir"/lib/*/*.c
objects kit.a $(printf '%s\n' "$srcdir"/tests/kit*.c | grep -v '/kit-main') \
	"$srcdir/tests/fuzz/drive.c" "$srcdir/tests/build/record.c"
failed=0
for test in $tests; do
	unit=${test%-*}
	objects "$test.a" "$srcdir/tests/test-$test.c"
	$cc -static -o "record-$test" "$test"/*.o kit.a library.a
	if $emulator "./record-$test" "$srcdir/tests/golden/$unit"; then
		echo "$unit: as tests/golden/$unit has it"
	else
		echo "FAIL: $unit: another record than tests/golden/$unit"
		failed=1
	fi
done
exit $failed
