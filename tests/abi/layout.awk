# SPDX-License-Identifier: BSD-2-Clause
# The headers, preprocessed -> a line for each struct, field and enumerator: SIZE(struct),
# FIELD(struct, field), VALUE(enumerator), for tests/abi/layout.c.
{ text = text $0 " " }
END {
	while (match(text, /(struct|enum) gputm_[a-z0-9_]+ *\{/)) {
		split(substr(text, RSTART, RLENGTH), head, / +/)
		sub(/\{/, "", head[2])
		text = substr(text, RSTART + RLENGTH)
		# What is inside inner braces is no member of this struct.
		while (match(text, /\{[^{}]*\}/) && RSTART < index(text, "}"))
			text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
		body = substr(text, 1, index(text, "}") - 1)
		if (head[1] == "enum")
			enumerators(body)
		else
			fields(head[2], body)
	}
}
function enumerators(body,    n, i, part) {
	n = split(body, part, ",")
	for (i = 1; i <= n; i++)
		if (match(part[i], /[A-Za-z_][A-Za-z0-9_]*/))
			print "VALUE(" substr(part[i], RSTART, RLENGTH) ")"
}
function fields(name, body,    n, i, part) {
	print "SIZE(" name ")"
	# A pointer to a function as a plain member; a list of members as members.
	while (match(body, /\( *\*[a-z0-9_]+ *\)\([^()]*\)/)) {
		i = substr(body, RSTART, RLENGTH)
		match(i, /[a-z0-9_]+/)
		i = substr(i, RSTART, RLENGTH)
		match(body, /\( *\*[a-z0-9_]+ *\)\([^()]*\)/)
		body = substr(body, 1, RSTART - 1) i substr(body, RSTART + RLENGTH)
	}
	gsub(/\[[^]]*\]/, "", body)
	n = split(body, part, /[;,]/)
	for (i = 1; i <= n; i++)
		if (match(part[i], /[A-Za-z_][A-Za-z0-9_]* *$/)) {
			sub(/ *$/, "", part[i])
			match(part[i], /[A-Za-z_][A-Za-z0-9_]*$/)
			print "FIELD(" name ", " substr(part[i], RSTART) ")"
		}
}
