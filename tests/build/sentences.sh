#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make check-sentences: each sentence that lib says of a state that cannot be is said in the unit
# tests, where snapshots are forged and memory is damaged.
. "${srcdir:-.}/tests/build/lib.sh"
jobs=$(nproc)

# The sentences of a file: what checks return, and what is said of a snapshot.
cat >"$work/collect" <<'AWK'
function literals(text,    said) {
	while (match(text, /"([^"\\]|\\.)*"/)) {
		if (said != "" && substr(text, 1, RSTART - 1) !~ /^[ \t]*$/) {
			print file "\t" said
			said = ""
		}
		said = said substr(text, RSTART + 1, RLENGTH - 2)
		text = substr(text, RSTART + RLENGTH)
	}
	if (said != "")
		print file "\t" said
}
{ all = all " " $0 }
END {
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", all)
	statements = split(all, statement, ";")
	for (i = 1; i <= statements; i++)
		if (statement[i] ~ /gputm__io_(fail|same|[a-z0-9]*_max)\(|gputm__law[a-z_]*\(|broken = [^(]*"/)
			literals(statement[i])
		else if (match(statement[i], /(^|[^a-z_])return [^"]*"/) &&
			 substr(statement[i], RSTART, RLENGTH) !~ /refuse|out_of_range|past_end|log\(|cpu_supports/)
			literals(substr(statement[i], RSTART))
}
AWK
(cd "$srcdir/lib" && find . -name '*.[ch]') | sed 's/^..//' | sort | while read -r file; do
	awk -v file="$file" -f "$work/collect" "$srcdir/lib/$file"
done | sort -u >"$work/sentences"
[ "$(wc -l <"$work/sentences")" -gt 400 ] || complain "only $(wc -l <"$work/sentences") sentences found"

# What units say, each program of a unit's tests by itself.
for test in "$top_builddir"/tests/test-*; do
	case ${test##*/} in
	*.* | test-sim[-_]*) ;;
	*) echo "$test" ;;
	esac
done | GPUTM_TEST_SCALE=small CK_FORK=no xargs -P "$jobs" -n 1 sh -c 'file=$0/$(basename "$1")
	KIT_HEARD=$file.heard "$1" >"$file.out" 2>&1 ||
	{ echo "FAIL: $1: $(tail -1 "$file.out")"; exit 1; }' "$work" ||
	complain 'a test fails'
sort -u "$work"/*.heard >"$work/heard" || exit 1

while IFS="$(printf '\t')" read -r file sentence; do
	grep -qF -e "$sentence" "$work/heard" ||
		echo "FAIL: lib/$file: no test hears \"$sentence\": make a unit say it"
done <"$work/sentences" >"$work/wrong"
cat "$work/wrong"
echo "$(wc -l <"$work/sentences") sentences, $(wc -l <"$work/wrong") unheard"
[ ! -s "$work/wrong" ] || exit 1
