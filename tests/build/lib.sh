# SPDX-License-Identifier: BSD-2-Clause
# Shared by the scripts of tests/build. They run in the build directory with srcdir set
# (as automake does); exit 0 passed, 77 skipped (the reason is printed), else failed.
set -u
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

have() {
	command -v "$1" >/dev/null 2>&1
}

# The units: what the umbrella header includes, but for the base.
units() {
	sed -n 's,^#include [<"]gputm/\(.*\)\.h[>"].*,\1,p' "$srcdir/include/gputm/gputm.h" | grep -vx base
}

# The functions that the headers declare with GPUTM_API.
declared() {
	for unit in base $(units); do
		cat "$srcdir/include/gputm/$unit.h"
	done | awk '
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

# fenced LANGUAGE N: block N in that language of README.md.
fenced() {
	awk -v language="$1" -v n="$2" '
		/^```$/ { inside = 0 }
		inside
		$0 == "```" language { inside = ++seen == n }' "$srcdir/README.md"
}
