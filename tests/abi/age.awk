# SPDX-License-Identifier: BSD-2-Clause
# awk -v later=0|1 -v to=FOLDER/ -f age.awk HEADER...: the headers there, with each config struct one
# field shorter or longer, and its INIT macro with it. Fields that share the last 8 bytes go
# together, as no field is ever added in the padding of a struct.
FNR == 1 && NR > 1 { age() }
FNR == 1 {
	out = FILENAME
	sub(/.*\//, to, out)
}
{ text = text $0 "\n" }
END {
	if (!wrong)
		age()
}
function age() {
	while (match(text, /struct gputm_[a-z0-9_]*_config \{/)) {
		name = substr(text, RSTART + 7, RLENGTH - 9)
		printf "%s", substr(text, 1, RSTART + RLENGTH - 1) >out
		text = substr(text, RSTART + RLENGTH)
		end = index(text, "\n};")
		body = substr(text, 1, end)
		text = substr(text, end + 1)
		fields = members(body)
		if (!later)
			body = shorter()
		else
			body = body "\tuint64_t gputm_later;\n"
		printf "%s", body >out
		init(toupper(name) "_INIT")
	}
	printf "%s", text >out
	close(out)
	text = ""
}
# The members into member[], the first of those that share the last 8 bytes into cut.
function members(body,    n, i, part, at, bytes) {
	gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", body)
	gsub(/[ \t\n]+/, " ", body)
	n = split(body, part, / *; */) - 1
	at = 0
	for (i = 1; i <= n; i++) {
		if (part[i] ~ /\*|size_t|uint64_t/)
			bytes = 8
		else if (part[i] ~ /uint32_t|enum /)
			bytes = 4
		else if (part[i] ~ /bool|uint8_t/)
			bytes = 1
		else
			fail(name ": what size has " part[i] "?")
		if (part[i] ~ /,|\[/)
			fail(name ": more than one member in " part[i])
		at += (bytes - at % bytes) % bytes
		if (at % 8 == 0)
			cut = i
		at += bytes
		member[i] = part[i]
	}
	return n
}
function shorter(    i, lines) {
	lines = "\n"
	for (i = 1; i < cut; i++)
		lines = lines "\t" member[i] ";\n"
	return lines
}
function init(macro,    start, end, line, n, i, part, deep, list, at) {
	start = index(text, "#define " macro " ")
	if (!start)
		fail(macro ": not behind its struct")
	printf "%s", substr(text, 1, start - 1) >out
	text = substr(text, start)
	line = text
	end = 0
	do {
		match(substr(text, end + 1), /[^\n]*\n/)
		end += RLENGTH
	} while (substr(text, end - 1, 1) == "\\")
	line = substr(text, 1, end - 1)
	text = substr(text, end + 1)
	gsub(/\\\n/, "", line)
	sub(/}[ \t]*$/, "", line)
	sub(/.*_INIT[ \t]*{/, "", line)
	# Commas within parentheses and braces part nothing.
	n = 1
	for (i = 1; i <= length(line); i++) {
		at = substr(line, i, 1)
		deep += (at ~ /[({]/) - (at ~ /[)}]/)
		if (at == "," && !deep)
			n++
		else
			part[n] = part[n] at
	}
	if (n != fields)
		fail(macro ": " n " values for " fields " fields")
	list = part[1]
	for (i = 2; i <= (later ? n : cut - 1); i++)
		list = list "," part[i]
	printf "#define %s {%s%s }\n", macro, list, later ? ", 0" : "" >out
}
function fail(why) {
	print "age.awk: " why >"/dev/stderr"
	wrong = 1
	exit 1
}
