# SPDX-License-Identifier: BSD-2-Clause
# Reads files of trace events, one on a line. Slices of a track must nest or follow one another, and
# not begin together, as viewers differ on which of the two is the outer one; an abort that names its
# winner must have an arrow that comes from a slice on that warp's track and leads, not backwards,
# into a slice of its own, but for those after the second arrow of a mark. Prints what is wrong, and
# for each file what there was.
function field(name,    at, rest) {
	at = index($0, "\"" name "\":")
	if (!at)
		return ""
	rest = substr($0, at + length(name) + 3)
	if (substr(rest, 1, 1) == "\"") {
		rest = substr(rest, 2)
		return substr(rest, 1, index(rest, "\"") - 1)
	}
	match(rest, /^[0-9.]+/)
	return substr(rest, 1, RLENGTH)
}
function round(x) { return int(x * 1000 + 0.5) } # whole thousandths
function wrong(what) { print "WRONG: " file ", line " FNR ": " what; bad++ }
# Is there a slice of the track around that time?
function covered(track, time,    i) {
	for (i = 1; i <= slices[track]; i++)
		if (from[track, i] <= time && (time < to[track, i] || from[track, i] == to[track, i]))
			return 1
	return 0
}
FNR == 1 {
	if (file != "")
		end_of_file()
	file = FILENAME
}
/^\{"ph":"/ {
	sub(/,$/, "")
	phase = field("ph"); track = field("pid") " " field("tid"); events++
	if (phase == "X") {
		n = ++slices[track]; all++
		from[track, n] = round(field("ts"))
		to[track, n] = round(field("ts") + field("dur"))
	} else if (phase == "s") {
		started[field("id")] = track; start[field("id")] = round(field("ts"))
	} else if (phase == "f") {
		ended[field("id")] = track; end[field("id")] = round(field("ts"))
	} else if (phase == "i" && field("name") ~ /^abort/) {
		aborts++
		lost = $0; mine = 0
		while (match(lost, /"thread [0-9]+ at [^"]*"/)) {
			won++
			split(substr(lost, RSTART + 1, RLENGTH - 2), w, /[ ,]+/)
			lost = substr(lost, RSTART + RLENGTH)
			winner = w[9] + 1 " " w[11] + 1
			if (w[2] == w[6])
				wrong("an abort of a thread that has won over itself")
			if (w[12] == "arrow") {
				mine++
				arrow[++arrows] = w[13]; of[arrows] = track
				by[arrows] = winner; when[arrows] = round(field("ts"))
			} else if (track != winner && mine < 2) {
				wrong("an abort with a winner of another warp and no arrow")
			}
		}
	}
}
# The slices of a track by their beginning; they are nearly so in the file, by their ends.
function sort_slices(track, n,    i, k, a, b) {
	for (i = 2; i <= n; i++) {
		a = from[track, i]; b = to[track, i]
		for (k = i - 1; k && from[track, k] > a; k--) {
			from[track, k + 1] = from[track, k]; to[track, k + 1] = to[track, k]
		}
		from[track, k + 1] = a; to[track, k + 1] = b
	}
}
function end_of_file(    track, n, i, id, depth, last, stack) {
	for (track in slices) {
		n = slices[track]
		sort_slices(track, n)
		depth = 0; last = -1
		for (i = 1; i <= n; i++) {
			if (from[track, i] >= to[track, i])
				continue
			while (depth && stack[depth] <= from[track, i])
				depth--
			if (from[track, i] == last || (depth && to[track, i] > stack[depth]))
				wrong("track " track ": the slice at " from[track, i] " overlaps another")
			stack[++depth] = to[track, i]; last = from[track, i]
		}
	}
	for (i = 1; i <= arrows; i++) {
		id = arrow[i]
		if (started[id] != by[i] || ended[id] != of[i] || start[id] > end[id] ||
		    end[id] > when[i] || !covered(by[i], start[id]) || !covered(of[i], end[id]))
			wrong("arrow " id " does not lead from the winner to the abort")
	}
	print file, events + 0, "events", all + 0, "slices", aborts + 0, "aborts", won + 0,
		"with_a_winner", arrows + 0, "arrows"
	split("", slices); split("", from); split("", to); split("", started); split("", start)
	split("", ended); split("", end); split("", arrow); split("", of); split("", by)
	split("", when)
	events = all = aborts = won = arrows = 0
}
END {
	end_of_file()
	exit bad > 0
}
