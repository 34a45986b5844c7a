#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# man-aliases.sh [-r] DIR PAGE...: in DIR, make (or remove) a page for every function of the
# synopses, which refers to the page that describes it.
set -eu
remove=
if [ "$1" = -r ]; then
	remove=1
	shift
fi
dir=$1
shift
for page; do
	name=$(basename "$page")
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.F[no] "*\(gputm_[a-z0-9_]*\).*/\1/p' "$page" |
		while read -r function; do
			if [ -n "$remove" ]; then
				rm -f "$dir/$function.3"
			else
				echo ".so man3/$name" >"$dir/$function.3"
			fi
		done
done
