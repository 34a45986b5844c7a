# SPDX-License-Identifier: BSD-2-Clause
# Two outputs of tests/abi/layout.c, of a release and of today: what breaks programs of then.
# Structs are the same, but for those that begin with their size: they may have grown at their end.
{ key = $1 == "field" ? $1 " " $2 " " $3 : $1 " " $2 }
FNR == NR {
	then[key] = $0
	if ($1 == "size")
		size[$2] = $3
	if ($1 == "field" && $3 == "size" && $4 == 0)
		sized[$2] = 1
	next
}
{ now[key] = $0 }
$1 == "size" && key in then && $0 != then[key] && !(sized[$2] && $3 > size[$2]) {
	print "struct " $2 ": " size[$2] " bytes, now " $3
}
$1 != "size" && key in then && $0 != then[key] { print then[key] ", now " $0 }
$1 == "field" && !(key in then) && $2 in size && !sized[$2] {
	print "struct " $2 ": field " $3 " is new, and the struct has no size"
}
$1 == "field" && !(key in then) && sized[$2] && $4 < size[$2] {
	print "struct " $2 ": field " $3 " is new within the " size[$2] " bytes there were"
}
END {
	for (key in then)
		if (!(key in now))
			print then[key] ": gone"
}
