# SPDX-License-Identifier: BSD-2-Clause
# The headers of the units, and then the sources of lib:
#  - what UNIT.h declares begins with gputm_UNIT_ or GPUTM_UNIT_; what both resolvers share, with
#    gputm_resolver_;
#  - an enumerator begins with the name of its enum, but a result with that of the unit;
#  - params, config_preset, new, free and unit come in this order;
#  - a get_X that can fail is to be checked;
#  - an event has the name of its enumerator.
FNR == 1 {
	file = FILENAME
	unit = file
	sub(/.*\//, "", unit)
	header = file ~ /\.h$/ && file ~ /gputm\//
	sub(/\.h$/, "", unit)
	seen = 0
	enum = ""
	comment = 0
}
header && unit !~ /^(base|gputm)$/ {
	line = $0
	if (comment) {
		if (!sub(/.*\*\//, "", line))
			next
		comment = 0
	}
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
	if (sub(/\/\*.*/, "", line))
		comment = 1
	if (match(line, /^(struct|enum) gputm_[a-z0-9_]+( \{|;)/)) {
		split(line, word, /[ ;]/)
		if (word[2] != "gputm_" unit && !own(word[2]))
			wrong(word[2] " does not begin with gputm_" unit "_")
		enum = word[1] == "enum" ? word[2] : ""
	}
	if (match(line, /^#define GPUTM_[A-Z0-9_]+[ (]/)) {
		split(line, word, /[ (]/)
		if (line !~ /_H$/ && !own(tolower(word[2])))
			wrong(word[2] " does not begin with GPUTM_" toupper(unit) "_")
	}
	if (enum != "" && match(line, /^\tGPUTM_[A-Z0-9_]+/)) {
		name = tolower(substr(line, 2, RLENGTH - 1))
		prefix = enum
		sub(/_kind$/, "", prefix)
		if (index(name, prefix "_") != 1 && index(name, enum "_") != 1 &&
		    !(enum ~ /_result$/ && own(name)))
			wrong("an enumerator of " enum " is " name)
	}
	if (line ~ /^};/)
		enum = ""
	if (line ~ /^GPUTM_API/)
		declaration = ""
	declaration = declaration " " line
	if (line ~ /;$/ && match(declaration, /gputm_[a-z0-9_]+\(/)) {
		name = substr(declaration, RSTART, RLENGTH - 1)
		if (!own(name))
			wrong(name "() does not begin with gputm_" unit "_")
		part = substr(name, length("gputm_" unit "_") + 1)
		if (part in place && place[part] != ++seen)
			wrong(name "() is number " seen " of the five that all units have")
		if (name ~ /_get_/ && declaration ~ / int / && declaration !~ /GPUTM_MUST_CHECK/)
			wrong(name "() is not GPUTM_MUST_CHECK")
		declaration = ""
	}
}
!header {
	text = pending $0
	pending = ""
	if (text ~ /(^|[^A-Z_])EVENT\(GPUTM_[A-Z0-9_]+,[ \t]*$/) {
		pending = text
		next
	}
	if (match(text, /(^|[^A-Z_])EVENT\(GPUTM_[A-Z0-9_]+_EVENT_[A-Z0-9_]+,[ \t]*"[^"]*"/)) {
		text = substr(text, RSTART, RLENGTH)
		split(text, word, "\"")
		name = text
		sub(/.*_EVENT_/, "", name)
		sub(/,.*/, "", name)
		gsub(/_/, "-", name)
		if (word[2] != tolower(name))
			wrong("event \"" word[2] "\" is not \"" tolower(name) "\"")
	}
}
BEGIN {
	count = split("params config_preset new free unit", five, " ")
	for (i = 1; i <= count; i++)
		place[five[i]] = i
}
function own(name) {
	return index(name, "gputm_" unit "_") == 1 ||
	       (unit == "ownership_table" && index(name, "gputm_resolver_") == 1)
}
function wrong(what) {
	print file ":" FNR ": " what
}
