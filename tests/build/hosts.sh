#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# hosts.sh LIBDIR: the adapters of examples/hosts compile without a warning, with the library installed
# there, and the stand-ins of the hosts find no difference; README.md counts their lines rightly.
. "${srcdir:-.}/tests/build/lib.sh"

export PKG_CONFIG_PATH="$1/pkgconfig"
libdir=$1
hosts=$(cd "$srcdir/examples/hosts" && pwd)
strict="-std=c++17 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
clang=$(command -v clang++-14 || command -v clang++)
gputm="$(pkg-config --cflags --libs gputm) -Wl,-rpath,$libdir"

# built HOST PROGRAM FLAG... SOURCE...: compiled by CXX, and by clang++ as far as warnings go; then run.
built() {
	host=$1 program=$2
	shift 2
	set -- $strict "-I$hosts/$host" "-I$hosts/$host/standin" "$@" $gputm
	{ [ -z "$clang" ] || "$clang" -fsyntax-only -Wno-unused-command-line-argument "$@"; } &&
		${CXX:-c++} "$@" -o "$work/$program" || complain "$host does not compile"
}
ran() {
	"$@" >"$work/out" && grep equal "$work/out" || complain "$*"
}

built gpgpu-sim stack "$hosts/gpgpu-sim/standin.cc"
ran "$work/stack"
built gpgpu-sim kilo_tm "$hosts/gpgpu-sim/kilo_tm.cc"
ran "$work/kilo_tm"

python3 "$hosts/gem5/standin/generate.py" "$work/gem5" "$hosts/gem5/GputmFilter.py" ||
	complain "gem5: no params"
built gem5 filter "-I$work/gem5" "$hosts/gem5/standin.cc" "$work/gem5/param_GputmFilter.cc"
ran "$work/filter"

# SST by the commands of its README; the library is on the path before the element, and is not taken
# for the element. Each older version has other handlers.
mkdir "$work/bin" "$work/element"
printf '#!/bin/sh\necho "$STRICT"\n' >"$work/bin/sst-config"
printf '#!/bin/sh\necho "$*" >registered\n' >"$work/bin/sst-register"
chmod +x "$work"/bin/*
cp "$hosts"/sst/gputm_* "$work/element"
sed -n '/^```sh/,/^```/p' "$hosts/sst/README.md" | grep -v '```' >"$work/element/commands"
for version in 13 14 15 16; do
	(
		cd "$work/element" || exit
		PATH=$work/bin:$PATH STRICT="$strict -fPIC -I$hosts/sst/standin -DSTANDIN_SST=$version"
		export PATH STRICT
		sh -e ./commands
	) || complain "the commands of README.md of sst, for SST $version"
done
read -r element at <"$work/element/registered"
built sst sst -rdynamic "$hosts/sst/standin.cc" -ldl
ran "$work/sst" "$libdir:${at#*=}" "$element.validation_unit"
# shellcheck disable=SC2086
echo '#include "watch.h"' | ${CXX:-c++} -x c++ $strict "-I$hosts" $(pkg-config --cflags gputm) \
	-fsyntax-only - || complain "watch.h"
sed -n 's/^| \(\[.*(\([a-z0-9-]*\))\)\{0,1\}\(any\)\{0,1\} *| `\(.*\)` | \([0-9]*\) |.*/\2 \4 \5/p' \
	"$hosts/README.md" >"$work/rows"
[ "$(wc -l <"$work/rows")" = 10 ] || complain "README.md: not ten adapters"
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
