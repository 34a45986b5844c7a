#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# hosts.sh LIBDIR: the adapters of examples/hosts compile without a warning, with the library installed
# there, and the stand-ins of the hosts find no difference; README.md counts their lines rightly.
. "${srcdir:-.}/tests/build/lib.sh"

export PKG_CONFIG_PATH="$1/pkgconfig"
hosts=$srcdir/examples/hosts
for compiler in "${CXX:-c++}" "$(command -v clang++-14 || echo clang++)"; do
	have "${compiler%% *}" || continue
	for host in gpgpu-sim gem5 sst; do
		# shellcheck disable=SC2046
		$compiler -std=c++17 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
			"-I$hosts/$host" "-I$hosts/$host/standin" "$hosts/$host"/*.cc -o "$work/$host" \
			$(pkg-config --cflags --libs gputm) "-Wl,-rpath,$1" &&
			"$work/$host" >"$work/out" && grep equal "$work/out" ||
			complain "the stand-in for $host, by $compiler"
	done
	# shellcheck disable=SC2046
	echo '#include "watch.h"' | $compiler -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow \
		-Wconversion -Werror "-I$hosts" $(pkg-config --cflags gputm) -fsyntax-only - ||
		complain "watch.h, by $compiler"
done
sed -n 's/^| \(\[.*(\([a-z0-9-]*\))\)\{0,1\}\(any\)\{0,1\} *| `\(.*\)` | \([0-9]*\) |.*/\2 \4 \5/p' \
	"$hosts/README.md" >"$work/rows"
[ "$(wc -l <"$work/rows")" = 8 ] || complain "README.md: not eight adapters"
folder=
while read -r row; do
	# shellcheck disable=SC2086
	set -- $row
	[ $# = 3 ] && folder=$1/ && shift
	[ -e "$hosts/$folder$1" ] || folder=
	lines=$(sed 's,/\*.*\*/,,; /\/\*/,/\*\//d' "$hosts/$folder$1" | grep -c '[^[:space:]]')
	[ "$lines" = "$2" ] || complain "README.md: $folder$1 has $lines lines, not $2"
done <"$work/rows"
# What watch.h writes is read by others: JSON by Python, the dump line by line.
sed '/^[$]timescale/,$d' "$srcdir/examples/wire/watch.exp" | python3 -c '
import json, sys
events = json.load(sys.stdin)["traceEvents"]
sys.exit(not {"M", "i", "C"} <= {event["ph"] for event in events})' || complain "watch.h: the trace"
awk '/^[$]var wire 64/ { known[$4] = 1; next }
	/^#/ { bad = bad || substr($0, 2) + 0 <= at; at = substr($0, 2) + 0; next }
	/^b/ { bad = bad || !($2 in known) || $1 !~ /^b[01]+$/; seen[$2] = 1; next }
	/^[$]/ { next }
	dump || /timescale/ { bad = 1 }
	END { for (k in known) { n++; bad = bad || !(k in seen) } exit bad || !n }' <<TXT ||
$(sed -n '/^[$]timescale/,$p' "$srcdir/examples/wire/watch.exp")
TXT
	complain "watch.h: the dump"
exit $failed
