#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What follows from the files there are: units.am (the lists of the build), lib/libgputm.sym
# (the functions that the headers declare), the kinds of units in gputm.hpp and, with python3, the
# tables of gputm.unit. The test says which is stale; --write ("make units") writes all anew.
. "${srcdir:-.}/tests/build/lib.sh"

# list VARIABLE FILE...: the files, named from the source folder, in a variable of automake. What
# make has made there is left out.
list() {
	printf '%s =' "$1"
	shift
	for file; do
		file=${file#"$srcdir"/}
		case $file in
		tests/units.h | tests/clocks.h | examples/sim/model.h) ;;
		*) printf ' \\\n\t%s' "$file" ;;
		esac
	done
	echo
}

# programs VARIABLE LIBRARIES FILE.c...: programs of one file, and what they are linked with.
programs() {
	variable=$1 libraries=$2
	shift 2
	list "$variable" $(printf '%s\n' "$@" | sed 's/\.c$//')
	printf '%s\n' "$@" | awk -v libraries="$libraries" -v from="$srcdir/" 'NF {
		sub(/\.c$/, "")
		name = index($0, from) == 1 ? substr($0, length(from) + 1) : $0
		gsub(/[^a-zA-Z0-9_]/, "_", name)
		printf "%s_LDADD = $(%s)\n", name, libraries
	}'
}

# The files of the runner but for main.c: SIM_ROOM has those of a folder, libsim all.
rooms() {
	list SIM_top $(ls "$srcdir"/examples/sim/*.[ch] | grep -v '/main\.c$')
	for room in "$srcdir"/examples/sim/*/; do
		list "SIM_$(basename "$room")" "$room"*.[ch]
	done
	list libsim_a_SOURCES '$(SIM_top)' $(cd "$srcdir/examples/sim" && ls -d -- */ | sed 's,\(.*\)/,$(SIM_\1),')
}

units_am() {
	echo '# Written by "make units" from the files there are.'
	list gputminclude_HEADERS "$srcdir"/include/gputm/*.h "$srcdir"/include/gputm/*.hpp
	list libgputm_a_SOURCES "$srcdir"/lib/*/*.[ch]
	list UNIT_MANS "$srcdir"/man/*.3
	list UNIT_EXAMPLES $(printf '%s\n' "$srcdir"/examples/*.c "$srcdir"/examples/wire/*.c | sed 's/\.c$//')
	list UNIT_EXPECTED "$srcdir"/examples/*.exp "$srcdir"/examples/wire/*.exp
	list libkit_a_SOURCES "$srcdir"/tests/kit.c \
		$(printf '%s\n' "$srcdir"/tests/kit-*.c | grep -v '/kit-main') \
		"$srcdir"/tests/*.h "$srcdir"/tests/oracle/*.h
	list tests_bench_bench_SOURCES "$srcdir"/tests/bench/*.[ch]
	# Tests of chapter 5 and of the explorer, which have further sources, are in Makefile.am and sim.am.
	programs UNIT_TESTS TEST_LDADD \
		$(printf '%s\n' "$srcdir"/tests/test-*.c | grep -v '/test-sim[-_]\|/test-chapter5')
	list DRIVES $(grep -l '^KIT_DRIVE(' "$srcdir"/tests/test-*.c)
	programs FUZZ FUZZ_LDADD $(for unit in snapshot $(units | sort); do
		[ ! -e "$srcdir/tests/fuzz/fuzz-$unit.c" ] || echo "$srcdir/tests/fuzz/fuzz-$unit.c"
	done)
	# Units that tests compile anew, with errors built in.
	list COMMIT_UNIT "$srcdir"/lib/kilotm/commit_unit*.c
	list VALIDATION_UNIT "$srcdir"/lib/getm/validation_unit*.c
	rooms
	programs SIM_UNIT_TESTS SIM_TEST_LDADD \
		$(printf '%s\n' "$srcdir"/tests/test-sim[-_]*.c | grep -v '/test-sim_explore')
	programs SIM_FUZZ SIM_FUZZ_LDADD "$srcdir"/tests/fuzz/fuzz-*_file.c
	list SIM_TESTS "$srcdir"/tests/test-sim-*.sh
	list KERNELS "$srcdir"/examples/kernels/*
}

sym() {
	echo 'LIBGPUTM_1 {'
	echo 'global:'
	declared | sort | sed 's/.*/	&;/'
	printf 'local:\n\t*;\n};\n'
}

hpp() {
	sed '/begin kinds/q' "$srcdir/include/gputm/gputm.hpp"
	units | sort | sed 's/.*/GPUTM_KIND(&)/' | paste -sd ' ' | fold -sw 100 | sed 's/ $//'
	sed -n '/end kinds/,$p' "$srcdir/include/gputm/gputm.hpp"
}

# fresh FUNCTION FILE: what FUNCTION prints is what FILE holds.
fresh() {
	"$1" >"$work/new"
	if [ "${write:-}" ]; then
		cmp -s "$work/new" "$srcdir/$2" || cp "$work/new" "$srcdir/$2"
	elif ! cmp -s "$work/new" "$srcdir/$2"; then
		diff "$srcdir/$2" "$work/new" | head -20
		complain "$2 is stale: make units"
	fi
}

[ "${1:-}" != --write ] || write=yes
fresh units_am units.am
fresh sym lib/libgputm.sym
fresh hpp include/gputm/gputm.hpp
if have python3; then
	python3 "$srcdir/examples/python/write.py" $([ "${write:-}" ] || echo --check) ||
		complain "examples/python/gputm/unit.py is stale: make units"
fi
exit $failed
