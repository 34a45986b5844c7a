#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# papers.sh [DIRECTORY]: run the studies of this folder, and leave page.md and page.html with all
# pictures in DIRECTORY (default papers). What is done is kept there: the same command goes on.
# QUICK=1 runs their small forms. SIM is the program (default gputm-sim). Exit status 1: a point
# failed, or a verdict is not what its study expects.
set -u
SIM=${SIM:-gputm-sim} QUICK=${QUICK:-}
mkdir -p "${1:-papers}" && out=$(cd "${1:-papers}" && pwd) && cd "$(dirname "$0")" || exit 1
failed=

# In the order of the page.
studies='control-flow block-priority ideal kilo-tm kilo-storage warptm-best warptm-traffic warptm-steps
warptm-resolvers warptm-last-written warptm-scale reference-kilo-tm getm-limits getm-metadata getm-sizes
getm-stalls getm-cores reference-getm si si-conflicts si-versions local-hash local-k-means local-genetic
hetm-efficiency hetm-contention hetm-cache energy energy-si'
[ "$(echo $studies | tr ' ' '\n' | sort)" = "$(ls -- *.study | sed 's/[.]study$//' | sort)" ] ||
	{ echo "papers.sh: its list is not that of the studies in $PWD" >&2; exit 1; }

# Results are those of one program: small ones are made anew, others are not mixed.
program=$(cksum <"$(command -v "$SIM")")
[ -z "$QUICK" ] || rm -f "$out"/*.jsonl "$out/program"
[ ! -e "$out/program" ] || [ "$(cat "$out/program")" = "$program" ] || {
	echo "papers.sh: $out has results of another gputm-sim, expected an empty folder" >&2
	exit 1
}
echo "$program" >"$out/program"

for study in $studies; do
	echo "$study${QUICK:+, small}" >&2
	"$SIM" --study "$study.study" ${QUICK:+--quick} --resume "$out/$study.jsonl" \
		--page "$out/$study.md"
	status=$?
	[ $status -le 1 ] || exit $status
	[ $status -eq 0 ] || failed="$failed $study"
done

# ---- the page ----
{
	echo '# The papers beside libgputm'
	echo
	echo "gputm-sim${QUICK:+ --quick}: version $("$SIM" --version | cut -d ' ' -f 2)." \
		'Means over the seeds, bars with their 95 % intervals; crosses are numbers of the paper.' \
		"${QUICK:+This is the small form: sizes are not those of the papers.}"
	for study in $studies; do
		printf '\n'
		cat "$out/$study.md"
	done
	cat left-out.md
} >"$out/page.md"

# Markdown as --page writes it; pictures go into the page, which needs no other file.
awk -v folder="$out" '
	function text(s) {
		while (match(s, /`[^`]*`/))
			s = substr(s, 1, RSTART - 1) "<code>" escape(substr(s, RSTART + 1, RLENGTH - 2)) \
				"</code>" substr(s, RSTART + RLENGTH)
		while (match(s, /[*][*][^*]*[*][*]/))
			s = substr(s, 1, RSTART - 1) "<b>" substr(s, RSTART + 2, RLENGTH - 4) "</b>" \
				substr(s, RSTART + RLENGTH)
		return s
	}
	function escape(s) {
		gsub(/[\\][|]/, "\\&#124;", s)
		gsub(/</, "\\&lt;", s)
		gsub(/>/, "\\&gt;", s)
		return s
	}
	function picture(name, file, code, line) {
		file = folder "/" name
		while ((("base64 -w 0 \"" file "\"") | getline line) > 0)
			code = code line
		close("base64 -w 0 \"" file "\"")
		return "<img alt=\"" name "\" src=\"data:image/svg+xml;base64," code "\">"
	}
	BEGIN {
		print "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>The papers beside libgputm</title>"
		print "<style>body{font:15px/1.45 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
		print "table{border-collapse:collapse;margin:.6em 0 1.4em}td,th{border:1px solid #999;padding:.2em .6em;"
		print "vertical-align:top}td+td:not(.t){text-align:right}.t{text-align:left}h2{margin-top:2em;border-top:2px solid;padding-top:.4em}"
		print "code{font-size:85%}img{display:block;max-width:100%}.differs{font-weight:bold}</style>"
	}
	!/^[|]/ && table { print "</table>"; table = 0 }
	/^[|]---/ { next }
	/^[|]/ {
		words = table ? words : /^[|] Claim /
		line = $0
		gsub(/[\\][|]/, "\001", line)
		n = split(line, cell, / *[|] */)
		row = table ? "<tr>" : "<table><tr>"
		for (i = 2; i < n; i++) {
			gsub(/\001/, "|", cell[i])
			row = row (table ? "<td" (words ? " class=\"t\"" : "") ">" : "<th>") text(cell[i])
		}
		print row
		table = 1
		next
	}
	/^## / { print "<h2>" text(substr($0, 4)) "</h2>"; next }
	/^# / { print "<h1>" text(substr($0, 3)) "</h1>"; next }
	/^!/ { sub(/.*[(]/, ""); sub(/[)]$/, ""); print picture($0); next }
	NF { print "<p>" text($0) "</p>" }
	END { if (table) print "</table>" }' "$out/page.md" >"$out/page.html"

[ -z "$failed" ] || echo "papers.sh: not as expected:$failed" >&2
echo "$out/page.html" >&2
[ -z "$failed" ]
