# SPDX-License-Identifier: BSD-2-Clause
# Shared by the scripts of tests/build. They run in the build directory with srcdir set
# (as automake does); exit 0 passed, 77 skipped (the reason is printed), else failed. By hand they
# are started in the folder of the sources, `sh tests/build/NAME.sh`, and then run in BUILD (build/).
set -u
# The script, also for those that go to another folder.
case $0 in
/*) script=$0 ;;
*) script=$PWD/$0 ;;
esac
if [ -z "${srcdir:-}${top_builddir:-}" ]; then
	srcdir=$PWD top_srcdir=$PWD top_builddir=. GPUTM_KERNELS=$PWD/examples/kernels
	export srcdir top_srcdir top_builddir GPUTM_KERNELS
	cd "${BUILD:-build}" || exit 1
fi
srcdir=${srcdir:-.}
LC_ALL=C
export LC_ALL
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

complain() {
	echo "FAIL: $*"
	failed=1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

# cases [NAME...]: the cases NAME of the script, functions case_NAME in lines that begin with
# "case_NAME() {"; without a name those in the variable CASE, or all in order. A script of several
# cases ends in
#	cases "$@"
# and `sh tests/build/exports.sh NAME` runs one of them. A case leaves nothing that another needs;
# what several need is above them.
cases() {
	known=$(sed -n 's/^case_\([a-z0-9_]*\)() {.*/\1/p' "$script")
	[ -n "$known" ] || complain "$script has no function case_NAME"
	[ $# -gt 0 ] || set -- ${CASE:-$known}
	failures=$failed failed=0
	for asked; do
		case "
$known
" in
		*"
$asked
"*)
			"case_$asked"
			[ $failed = 0 ] || echo "FAIL: that was case $asked"
			failures=$((failures | failed)) failed=0
			;;
		*)
			complain "no case \"$asked\"; the cases are" $known
			failures=1 failed=0
			;;
		esac
	done
	exit $failures
}

have() {
	command -v "$1" >/dev/null 2>&1
}

# The units: what the umbrella header includes, but for the base.
units() {
	sed -n 's,^#include [<"]gputm/\(.*\)\.h[>"].*,\1,p' "$srcdir/include/gputm/gputm.h" | grep -vx base
}

# The functions that the headers declare with GPUTM_API.
declared() {
	headers=$(units | sed 's/$/.h/')
	(cd "$srcdir/include/gputm" && cat base.h $headers) | awk '
		/^#/ || continued { continued = /\\$/; next }
		{ gsub(/\/\*([^*]|\*[^\/])*\*\//, "") }
		/\/\*/ { comment = 1; next }
		/\*\// { comment = 0; next }
		!comment { printf "%s ", $0 }' | tr ';{}' '\n' |
		sed -n 's/.*GPUTM_API .*[ *]\(gputm_[a-z0-9_]*\)(.*/\1/p'
}

# same A B WHAT: complain of each line that only one of two sorted files has.
same() {
	if ! diff "$1" "$2" >"$work/diff"; then
		complain "$3"
		sed -n 's/^[<>]/&/p' "$work/diff"
	fi
}

# fenced LANGUAGE N [FILE]: block N in that language of FILE, or of README.md.
fenced() {
	awk -v language="$1" -v n="$2" '
		/^```$/ { inside = 0 }
		inside
		$0 == "```" language { inside = ++seen == n }' "${3:-$srcdir/README.md}"
}
