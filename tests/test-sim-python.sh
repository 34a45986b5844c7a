#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/python/gputm: results, comparison, claims, pictures and runs; the unittests of tests/python.
. "${srcdir:-.}/tests/build/sim.sh"
command -v python3 >/dev/null || skip "python3 is not installed: nothing of examples/python is tested"
root=$(cd "$srcdir" && pwd)
export PYTHONPATH="$root/examples/python:$root/tests/python" PYTHONDONTWRITEBYTECODE=1 GPUTM_SIM="$sim"

case_doctests() {
	for module in results stats; do
		python3 -m doctest "$root/examples/python/gputm/$module.py" || complain "doctests of $module"
	done
}

case_unittests() {
	python3 -m unittest discover -q -s "$root/tests/python" 2>"$work/err" || complain "$(cat "$work/err")"
}

# What the papers' studies show, in both forms: all figures, axes and values exist. Nothing is run.
case_papers() {
	python3 - "$root" "$work" >"$work/table" <<'TXT' || complain 'the files beside the studies'
import glob
import os
import sys
from gputm import claims, runner

root, work = sys.argv[1:]
for path in sorted(glob.glob(root + "/examples/*/*.py")):
    story = claims.Story(path) if os.path.exists(path[:-3].replace("_", "-") + ".study") else None
    if story:
        told = os.path.join(work, os.path.basename(path)[:-3])
        with open(told, "w") as file:
            print(f"include {story.study}\ntell", *story.asked(*runner.forms(story.study)), file=file)
        for form in "", "--quick":
            print(f"0 --study {told} {form} --shard 1000000/1000000")
TXT
	[ "$(wc -l <"$work/table")" -ge 72 ] || complain "few studies: $(cat "$work/table")"
	cd "$root/examples/papers" && runs <"$work/table"
}

# The figure of gputm-results(7), as it is printed there.
case_manual() {
	cd "$work" || exit 1
	awk '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = ++seen == 2 }' "$root/man/gputm-results.7" |
		sed 's/\\e/\\/g' >figure.py
	[ "$(wc -l <figure.py)" -eq 10 ] || complain "$(wc -l <figure.py) lines and not 10"
	have gnuplot || { echo "no gnuplot: the figure is not drawn"; return; }
	python3 figure.py >err 2>&1 && grep -q '</svg>' aborts.svg || complain "$(cat err figure.py)"
}

# What pip installs: the package as a file, and its version.
case_wheel() {
	name=$(cd "$root/examples/python" && python3 -c 'import sys, wheel; print(wheel.build_wheel(sys.argv[1]))' "$work")
	PYTHONPATH="$work/$name" python3 -c 'import gputm.claims; print(gputm.claims.__file__)' |
		grep -qF "$name/gputm/claims.py" || complain "the wheel $name"
	[ "gputm-$("$sim" --version | cut -d ' ' -f 2)-py3-none-any.whl" = "$name" ] || complain "the version of $name"
}

cases "$@"
