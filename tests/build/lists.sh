#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Lists that name lines of sources by their text, tests/build/untaken and tests/mutate/equivalent:
# each line is in the file that its entry names. Whether the reason of an entry still holds is for
# make check-coverage and make mutate, which take long.
. "${srcdir:-.}/tests/build/lib.sh"

# One awk reads the lists and then each file that they name, once.
awk -v top="$srcdir/" '
	function straight(text) {
		gsub(/[ \t]+/, " ", text)
		sub(/^ /, "", text)
		sub(/ $/, "", text)
		return text
	}
	function say(n, what) {
		print list[n] ":" number[n] ": " what ": write the line as it is now, or take the entry out" \
			" if the line has gone"
	}
	BEGIN { FS = "\t" }
	/^#/ { next }
	{
		list[++entries] = substr(FILENAME, length(top) + 1)
		number[entries] = FNR
		short = NF == 2
		file[entries] = short ? "lib/" $1 : $1
		name[entries] = short ? "" : $2
		text[entries] = short ? $2 : $3
		wanted[file[entries]] = 1
		if (NF != 2 && NF != 4)
			say(entries, "expected 2 or 4 fields with tabs between, got " NF)
	}
	END {
		for (path in wanted)
			while ((getline line <(top path)) > 0) {
				there[path, straight(line)] = 1
				if (match(line, /^[a-z].*[ *][a-z0-9_]+\(/) || match(line, /^[a-z0-9_]+\(/)) {
					sub(/\(.*/, "", line)
					sub(/.*[ *]/, "", line)
					defined[path, line] = 1
				}
			}
		for (n = 1; n <= entries; n++) {
			if (!((file[n], straight(text[n])) in there))
				say(n, file[n] " has no line \"" text[n] "\"")
			else if (name[n] != "" && !((file[n], name[n]) in defined))
				say(n, file[n] " has no function " name[n])
		}
	}' "$srcdir/tests/build/untaken" "$srcdir/tests/mutate/equivalent" >"$work/found"
[ ! -s "$work/found" ] || complain "$(cat "$work/found")"
exit $failed
