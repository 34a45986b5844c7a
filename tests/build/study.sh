# SPDX-License-Identifier: BSD-2-Clause
# Shared by tests/test-sim-*.sh that make many runs: a study runs all of them in one process.
. "${srcdir:-.}/tests/build/sim.sh"
srcdir=$(cd "${srcdir:-.}" && pwd) # a study looks for its files in its own folder

# study POINTS JUDGE [ARGUMENT...]: runs the study on standard input, of so many points, and judges
# its results, which stay in $work/out, a line each; lines in $also are added to the study. `run NAME VALUE NAME VALUE ...` is a line for one
# run: all of them are zipped together. JUDGE is the body of an awk function that is called for each
# line; there figure(NAME) is the figure or "", text is the line without the number of its point,
# and wrong(TEXT) complains. At the end of a pipe a shell forgets that a study failed: redirect. A point that failed is judged only if JUDGE asks failed(), the reason.
study() {
	points=$1 judge=$2
	shift 2
	also=${also:-} awk '
		$1 == "run" {
			runs++
			for (i = 2; i < NF; i += 2) {
				if (!($i in known))
					name[known[$i] = ++names] = $i
				value[runs, $i] = $(i + 1)
			}
			next
		}
		{ after[runs ? ++lines : 0] = $0 }
		!runs
		END {
			for (n = 1; n <= names; n++) {
				line = (n > 1 ? "zip " : "") (name[n] ~ /[.]/ ? "set " : "") name[n]
				for (r = 1; r <= runs; r++)
					line = line " " ((r, name[n]) in value ? value[r, name[n]] : "-")
				print line
			}
			for (n = 1; n <= lines; n++)
				print after[n]
			print ENVIRON["also"]
		}' >"$work/study"
	"$sim" --study "$work/study" --jobs 1 "$@" >"$work/out" 2>"$work/err" </dev/null
	awk -v points="$points" '
		function figure(key,   at, rest) {
			at = index($0, "\"" key "\":")
			if (!at)
				return ""
			rest = substr($0, at + length(key) + 3)
			if (rest !~ /^"/) {
				sub(/[,}].*/, "", rest)
				return rest ~ /^[-0-9]/ ? rest + 0 : rest
			}
			match(rest, /^"([^"\\]|\\.)*"/)
			rest = substr(rest, 2, RLENGTH - 2)
			gsub(/\\"/, "\"", rest)
			return rest
		}
		function failed() {
			asked = 1
			return figure("failed")
		}
		function point(   at) {
			at = match($0, /"point\.system/)
			return substr($0, at, match(substr($0, at), /,"(system|divergence|failed)":/) - 1)
		}
		function wrong(what) {
			print "FAIL: " point() ": " what
			bad = 1
		}
		function judge() {
			'"$judge"'
		}
		{
			text = substr($0, match($0, /"version"/))
			asked = 0
			judge()
			if (!asked && index($0, "\"failed\":"))
				wrong(figure("failed"))
			last = text
		}
		END {
			if (NR != points)
				print "FAIL: " NR " results, and not " points
			exit bad || NR != points
		}' "$work/out" || complain "$(cat "$work/err")"
}
