#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What ./bootstrap papers and check ask make for, what check tells of skipped tests, and what is
# refused, with a make that only tells what is asked of it.
. "${srcdir:-.}/tests/build/lib.sh"

mkdir -p "$work/build/papers-quick" "$work/bin"
cp "$srcdir/bootstrap" "$work"
cd "$work" || exit 1
: >configure.ac && : >configure && : >Makefile.am && : >Makefile.in && : >build/config.status
: >build/papers-quick/page.html
for tool in cc autoreconf automake pkg-config python3; do
	echo '#!/bin/sh' >bin/$tool
done
printf '#!/bin/sh\necho make "$@"\n' >bin/make
chmod +x bin/*

# says STATUS TEXT ARGUMENT...: the exit status, and TEXT in what is said, with no more goals of make.
says() {
	status=$1 text=$2
	shift 2
	PATH=$work/bin:$PATH JOBS=3 CC=cc sh ./bootstrap "$@" >out 2>&1
	[ $? = "$status" ] || complain "bootstrap $*: exit status, expected $status"
	said='' goals=0
	while IFS= read -r line; do
		said=$said$line'
'
		case $line in make*) goals=$((goals + 1)) ;; esac
	done <out
	case $said in
	*"$text"*) ;;
	*) complain "bootstrap $*: $said, expected \"$text\"" ;;
	esac
	case $text in
	make*) [ $goals = 2 ] || complain "bootstrap $*: $said" ;;
	*) [ $goals = 0 ] || complain "bootstrap $*: $said" ;;
	esac
}

case_papers() {
	says 0 "make -s --no-print-directory -C build -j3 gputm-sim
make -s --no-print-directory -C build papers QUICK=1
The page: $work/build/papers-quick/page.html" papers QUICK=1
	says 0 'make -s --no-print-directory -C build -j3 gputm-sim
make -s --no-print-directory -C build papers
' papers
	case $said in *page*) complain "bootstrap papers names a page that there is not: $said" ;; esac
}
case_skipped() {
	mkdir -p build/tests/build
	printf ':test-result: PASS\n' >build/tests/passed.trs
	printf ':test-result: SKIP\n' >build/tests/build/skipped.trs
	printf 'more\nSKIP: no compiler\nSKIP build/skipped.sh (exit status: 77)\n' >build/tests/build/skipped.log
	says 0 'make -s --no-print-directory -C build -j3 all
make -s --no-print-directory -C build -j3 check
bootstrap: tests/build/skipped.log: SKIP: no compiler
' check
	case $said in *passed*) complain "bootstrap check names a test that passed: $said" ;; esac
}
case_refusals() {
	says 2 'papers "QUICK=2": expected QUICK=1 or ABLATE=1' papers QUICK=2
	says 2 'usage: ./bootstrap build|check|demo' nonsense
}
cases "$@"
