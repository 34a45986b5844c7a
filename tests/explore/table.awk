# SPDX-License-Identifier: BSD-2-Clause
# table.awk LOG README: the README with the numbers that a run of the explorer, or of
# tests/test-sim_explore, has written into the log. A case that has closed gets its states, and new
# seconds if the states are others; an open one "over" so many states; a hole its steps. A case
# without a row is an error.

function commas(number,  rest) {
	for (rest = ""; length(number) > 3; number = substr(number, 1, length(number) - 3))
		rest = "," substr(number, length(number) - 2) rest
	return number rest
}

# Columns of a row, of which the first is empty, as a line.
function row(cell, cells,  i, line) {
	line = "|"
	for (i = 2; i < cells; i++)
		line = line cell[i] "|"
	return line
}

NR == FNR {
	if ($2 ~ /^[0-9]+x[0-9]+:$/ && $4 == "states,") {
		states[$1] = $3
		how[$1] = $5
		number[$1] = $7
	}
	next
}

$1 == "|" {
	name = $2
	sub(/:$/, "", name)
	if (name in how && !(name in written)) {
		written[name] = 1
		cells = split($0, cell, "|")
		if (how[name] == "wrong") {
			cell[3] = " " number[name] " "
		} else if (how[name] == "closed" && cell[6] == " " commas(states[name]) " ") {
			; # the seconds stay: they are never the same
		} else if (how[name] == "closed") {
			cell[6] = " " commas(states[name]) " "
			cell[7] = " " (number[name] < 3 ? number[name] : int(number[name] + .5)) " "
			sub(/open/, "closed", cell[8])
		} else {
			cell[6] = " over " commas(substr(states[name], 1, 1) \
				substr("000000000000", 1, length(states[name]) - 1)) " "
			cell[7] = " "
			cell[8] = " open "
		}
		print row(cell, cells)
		next
	}
}

{ print }

END {
	for (name in how)
		if (!(name in written)) {
			print "table.awk: no row for the case " name >"/dev/stderr"
			exit 1
		}
}
