# SPDX-License-Identifier: BSD-2-Clause
# The sources of lib: each numbered invariant of a unit's essay has a sentence that begins with its
# number, and each sentence of a check begins with the number of an invariant. A unit is its folder's
# files of one stem; files of two units (SHARED) have the numbers of both.
function stem(file) {
	sub(/.*\//, "", file)
	sub(/[-.].*/, "", file)
	return file
}
FNR == 1 {
	end_of_file()
	file = FILENAME
	unit = stem(file)
	text = ""
	essay = 0
}
/^ \*[ \t]*Invariants/ { essay = 1 }
/^ \*[ \t]*(Differences|Guarantees)|^ \*\// { essay = 0 }
essay && match($0, /^ \*[ \t]+[A-Z][0-9]+ /) {
	number = $2
	invariant[unit, number] = file ":" FNR
}
{
	line = $0
	sub(/^[ \t]*(\/\*|\*).*/, "", line)
	text = text " " line
}
END {
	end_of_file()
	for (key in invariant) {
		split(key, part, SUBSEP)
		if (!(key in said) && !((part[1] == "ownership_table" || part[1] == "sequential_resolver") &&
		    ("resolver", part[2]) in said))
			print invariant[key] ": no sentence begins with \"" part[2] ": \""
	}
	for (key in first) {
		split(key, part, SUBSEP)
		if (!(key in invariant) && part[1] != "resolver")
			print first[key] ": \"" part[2] ": \" is no invariant of the essay"
	}
}
function end_of_file(    count, statement, i, rest, sentence, at) {
	gsub(/"[ \t]+"/, "", text)
	count = split(text, statement, ";")
	for (i = 1; i <= count; i++) {
		rest = statement[i]
		while (match(rest, /"[A-Z][0-9]+: /)) {
			at = substr(rest, RSTART + 1, RLENGTH - 3)
			said[unit, at] = 1
			first[unit, at] = file
			rest = substr(rest, RSTART + RLENGTH)
		}
		rest = statement[i]
		if (file ~ /\/base\// || rest ~ /refuse|out_of_range|past_end|_log\(|gputm__io_|names/)
			continue
		if (rest !~ /gputm__law[a-z_]*\(|(^|[^a-z_])return [^"]*"|broken = [^(]*"/)
			continue
		while (match(rest, /"([^"\\]|\\.)*"/)) {
			sentence = substr(rest, RSTART + 1, RLENGTH - 2)
			if (sentence ~ / / && sentence !~ /^([A-Z][0-9]+: |its? )/)
				print file ": \"" sentence "\" begins with no number of an invariant"
			rest = substr(rest, RSTART + RLENGTH)
		}
	}
}
