#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What ./bootstrap makes for each verb, with a make that only tells what is asked of it.
. "${srcdir:-.}/tests/build/lib.sh"

cp "$srcdir/bootstrap" "$work"
mkdir -p "$work/build/papers-quick" "$work/bin"
cd "$work" || exit 1
touch configure.ac configure Makefile.am Makefile.in build/config.status build/papers-quick/page.html
for tool in cc make autoreconf automake pkg-config python3 apt-get; do
	printf '#!/bin/sh\necho %s "$@" >>"%s/told"\n' $tool "$work" >bin/$tool
done
chmod +x bin/*

# makes EXPECTED VERB...: the goals and variables that make gets, in order.
makes() {
	expected=$1
	shift
	rm -f told
	PATH=$work/bin:$PATH JOBS=3 CC=cc sh ./bootstrap "$@" >out 2>&1 || complain "bootstrap $*: $(cat out)"
	told=$(sed -n 's/^make -s --no-print-directory -C build *//p' told | tr '\n' ';')
	[ "$told" = "$expected" ] || complain "bootstrap $*: make $told, expected $expected"
}
# refuses STATUS TEXT VERB...: exit status STATUS with TEXT, and make is not called.
refuses() {
	expected=$1 text=$2
	shift 2
	rm -f told
	PATH=$work/bin:$PATH sh ./bootstrap "$@" >out 2>&1
	[ $? = "$expected" ] || complain "bootstrap $*: exit status, expected $expected"
	grep -qF -e "$text" out || complain "bootstrap $*: $(cat out), expected \"$text\""
	! grep -qs '^make' told || complain "bootstrap $*: $(cat told)"
}

case_verbs() {
	makes '-j3 all;' build
	makes '-j3 all;-j3 check;' check
}
case_papers() {
	makes '-j3 gputm-sim;papers QUICK=1;' papers QUICK=1
	grep -qx "The page: $work/build/papers-quick/page.html" out || complain "no place of the page: $(cat out)"
	makes '-j3 gputm-sim;papers;' papers
	refuses 2 'papers "QUICK=2": expected QUICK=1 or ABLATE=1' papers QUICK=2
	refuses 2 'papers "--prefix=x": expected QUICK=1' papers QUICK=1 --prefix=x
}
case_usage() {
	refuses 2 'usage: ./bootstrap build|check|demo' nonsense
	refuses 2 'usage: ./bootstrap build|check|demo'
	refuses 0 './bootstrap papers [QUICK=1 [ABLATE=1]]' help
}
cases "$@"
