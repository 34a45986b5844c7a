#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# release.sh VERSION SO_VERSION [CASE...], by "make release-check": what a release must be, beside
# what make check holds, which is run here from the tarball. The sources are committed.
. "${srcdir:-.}/tests/build/lib.sh"

version=$1 so_version=$2
shift 2
here=$PWD sources=$(cd "$srcdir" && pwd)
tarball=libgputm-$version.tar.xz
# A CASE of "make release-check" is none of the tests in the tarball, which read that name as well:
# make hands it down in its environment, and again in its flags.
unset CASE
MAKEFLAGS=$(echo "${MAKEFLAGS:-}" | sed -E 's/(^| )CASE=([^\\ ]|\\.)*//')
export MAKEFLAGS

# run WHAT COMMAND...: its output where it fails.
run() {
	what=$1
	shift
	"$@" </dev/null >"$work/out" 2>&1 && return
	tail -40 "$work/out"
	complain "$what"
	return 1
}

# The tarball of the sources as they are now.
pack() {
	[ -n "${packed:-}" ] || run "make dist" make -s dist || return
	packed=1
}

# make check in this folder; where a test fails, the end of each log, and all logs in a file that stays.
checked() {
	rm -f "$here/release-check.log"
	run "make check" make -s check && return
	for result in $(grep -lE '^:test-result: *(FAIL|ERROR|XPASS)' *.trs */*.trs */*/*.trs 2>/dev/null); do
		echo "---- ${result%.trs}.log"
		tail -40 "${result%.trs}.log"
	done
	[ ! -e test-suite.log ] || cp test-suite.log "$here/release-check.log"
	echo "All logs of failing tests: $here/release-check.log"
	return 1
}

# From this build, from a clone in another folder, and from the tarball itself: the same bytes.
case_tarball() {
	[ -e "$sources/.git" ] || skip "the sources are no clone"
	[ -z "$(git -C "$sources" status --porcelain)" ] || complain "commit first: $(git -C "$sources" status --short)"
	pack || return
	run "a clone" git clone -q "$sources" "$work/clone" || return
	(cd "$work/clone" && run "autoreconf in a clone" autoreconf -fi && mkdir elsewhere && cd elsewhere &&
		run "configure in a clone" ../configure -q && run "make dist in a clone" make -s dist) || return
	cmp "$tarball" "$work/clone/elsewhere/$tarball" || complain "a clone in another folder makes other bytes"
	tar xf "$tarball" -C "$work"
	(cd "$work/libgputm-$version" && run "configure in the tarball" ./configure -q &&
		run "make dist in the tarball" make -s dist) || return
	cmp "$tarball" "$work/libgputm-$version/$tarball" || complain "the tarball makes other bytes of itself"
	chmod -R u+w "$work/libgputm-$version" && rm -rf "$work/libgputm-$version"
	echo "$tarball: $(wc -c <"$tarball") bytes, $(cksum <"$tarball")"
}

# The tarball builds, is checked and installed where there are no autotools, and asks for none.
case_without_autotools() {
	pack || return
	mkdir "$work/bin"
	# The first folder in PATH wins, and ccache would look for compilers there.
	reversed=
	for folder in $(echo "$PATH" | tr : ' '); do
		case $folder in */ccache) ;; *) reversed="$folder $reversed" ;; esac
	done
	for folder in $reversed; do
		ln -sf "$folder"/* "$work/bin" 2>&-
	done
	for tool in autoconf autoheader autom4te autoreconf aclocal automake libtool libtoolize m4; do
		rm -f "$work/bin/$tool" "$work/bin/$tool"-*
		printf '#!/bin/sh\necho %s "$@" >>"%s/asked"\nexit 1\n' $tool "$work" >"$work/bin/$tool"
		chmod +x "$work/bin/$tool"
	done
	tar xf "$tarball" -C "$work"
	mkdir "$work/libgputm-$version/build"
	(cd "$work/libgputm-$version/build" && PATH=$work/bin && export PATH &&
		run "configure" ../configure -q "--prefix=$work/prefix" &&
		run "make" make -s && checked &&
		run "make install" make -s install && run "make installcheck" make -s installcheck &&
		grep -h '^# \(TOTAL\|PASS\|SKIP\):' test-suite.log) && installed || failed=1
	[ ! -e "$work/asked" ] || complain "the tarball asks for autotools: $(sort -u "$work/asked")"
}

# What is installed tells the version of configure.ac.
installed() {
	prefix=$work/prefix
	[ "$("$prefix/bin/gputm-sim" --version | head -1)" = "gputm-sim $version" ] || complain "gputm-sim --version"
	[ "$(sed -n 's/^Version: //p' "$prefix/lib/pkgconfig/gputm.pc")" = "$version" ] || complain "gputm.pc"
	[ "$(readlink "$prefix/lib/libgputm.so")" = "libgputm.so.$so_version" ] || complain "libgputm.so"
	objdump -p "$prefix/lib/libgputm.so" | grep -q "SONAME *libgputm.so.${so_version%%.*}\$" || complain "soname"
}

# The interface is that of tests/abi, manual pages become web pages whose links lead somewhere, and
# the picture of README.md is what its study draws today.
case_interface() {
	run "make abi-check" make -s abi-check
}
case_manuals() {
	run "make html" make -s html
}
case_pictures() {
	rm -f concurrency.svg
	run "README.md's picture" make -s concurrency.svg &&
		cmp concurrency.svg "$sources/man/pictures/concurrency.svg" ||
		complain "man/pictures/concurrency.svg is of another model: make pictures"
}

# The results name the sources that they are of, as each of their lines does.
case_results() {
	run "the model" make -s gputm-sim || return
	model=$(sed -n 's/^#define SIM_MODEL "\(.*\)"/\1/p' examples/sim/model.h)
	grep -qF "model $model" "$sources/examples/papers/results.md" ||
		complain "examples/papers/results.md does not name model $model: run the small forms anew, compare"
}
cases "$@"
