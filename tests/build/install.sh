#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# install.sh PREFIX LIBDIR: the library installed there is found by pkg-config, and an external C
# program and an external C++ program, linked to it shared and static, drive two units. The program
# of README.md runs as printed there, also after the prefix has been copied to another folder.
# INSTALLED: files of share that this build installs.
. "${srcdir:-.}/tests/build/lib.sh"

prefix=$1 libdir=$2
have pkg-config || skip "pkg-config is not installed"
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs gputm) || complain "pkg-config does not find gputm"
[ "$(pkg-config --variable=prefix gputm)" -ef "$prefix" ] || complain "prefix of gputm.pc"

# build_and_run COMPILER SOURCE WHAT FLAGS
build_and_run() {
	compiler=$1 source=$2 what=$3
	shift 3
	# shellcheck disable=SC2086
	if ! $compiler ${EXTERNAL_FLAGS:-} -Wall -Wextra -Werror -o "$work/program" "$source" "$@"; then
		complain "$what does not build"
	elif ! LD_LIBRARY_PATH=$libdir "$work/program"; then
		complain "$what does not run"
	else
		echo "$what: built with $*, ran"
	fi
}

# shellcheck disable=SC2086
build_and_run "${CC:-cc} -std=c11" "$srcdir/tests/build/external.c" "C program, shared" $flags
# shellcheck disable=SC2046
build_and_run "${CC:-cc} -std=c11" "$srcdir/tests/build/external.c" "C program, static" \
	$(pkg-config --cflags gputm) "$libdir/libgputm.a"
if have "${CXX:-c++}"; then
	# shellcheck disable=SC2086
	build_and_run "${CXX:-c++} -std=c++11" "$srcdir/tests/build/external.cc" "C++ program, shared" $flags
else
	echo "no C++ compiler: the C++ program is not built"
	[ -z "${GPUTM_NO_SKIP:-}" ] || failed=1
fi

# readme PREFIX: the program of README.md by the commands that stand below it.
readme() (
	mkdir -p "$work/readme" && cd "$work/readme" || exit 1
	rm -f filter
	PKG_CONFIG_PATH=$1${libdir#"$prefix"}/pkgconfig sh -e ./commands >out 2>&1 &&
		grep -qx '0x1000 was last written by transaction 7' out || {
		cat out
		exit 1
	}
)
mkdir "$work/readme"
fenced c 1 >"$work/readme/filter.c"
fenced sh 3 >"$work/readme/commands"
grep -q '^cc filter.c' "$work/readme/commands" || complain "README.md: no command below its program"
if [ -n "${EXTERNAL_FLAGS:-}" ]; then
	echo "not as printed, with $EXTERNAL_FLAGS: the program of README.md is left out"
else
	readme "$prefix" || complain "README.md's program does not run as printed"
	cp -R "$prefix" "$work/moved"
	readme "$work/moved" || complain "README.md's program does not run from a moved prefix"
	ldd "$work/readme/filter" | grep -q "$work/moved/" ||
		complain "README.md's program does not take the library of the moved prefix"
	! ldd "$work/moved/bin/gputm-sim" | grep "$prefix/" || complain "gputm-sim stays behind"
	kernels=$work/moved/share/libgputm/kernels
	if [ -d "$kernels" ]; then
		cp "$kernels/bank.kernel" "$kernels/moved.kernel"
		PATH=$work/moved/bin:$PATH gputm-sim --system ideal --workload moved --threads 64 \
			>"$work/out" || complain "gputm-sim does not find the kernels of a moved prefix"
	fi
	study=$work/moved/share/doc/libgputm/examples/studies/cores.study
	if [ -d "$kernels" ] && [ -f "$study" ]; then
		"$work/moved/bin/gputm-sim" --study "$study" --quick --out "$work/points" ||
			complain "a study that is installed does not run from there"
	fi
	[ $failed = 1 ] || echo "README.md's program: ran as printed, also from a moved prefix"
fi

for page in gputm.7 gputm_recency_bloom.3 gputm_recency_bloom_update.3; do
	[ -n "$(find "$prefix" -name "$page" | head -1)" ] || complain "man page $page is not installed"
done
for file in doc/libgputm/README.md doc/libgputm/CONTRIBUTING.md doc/libgputm/NEWS doc/libgputm/COPYING \
	${INSTALLED:-}; do
	[ -f "$prefix/share/$file" ] || complain "share/$file is not installed"
done
exit $failed
