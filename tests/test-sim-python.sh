#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/python/gputm: results, comparison, claims, pictures and runs; the unittests of tests/python.
. "${srcdir:-.}/tests/build/sim.sh"
command -v python3 >/dev/null || skip "python3 is not installed: nothing of examples/python is tested"
root=$(cd "$srcdir" && pwd)
export PYTHONPATH="$root/examples/python:$root/tests/python" PYTHONDONTWRITEBYTECODE=1 GPUTM_SIM="$sim"

case_doctests() {
	python3 -m doctest "$root/examples/python/gputm/results.py" "$root/examples/python/gputm/stats.py" ||
		complain doctests
}

case_unittests() {
	python3 -m unittest discover -q -s "$root/tests/python" 2>"$work/err" || complain "$(cat "$work/err")"
}

# What the papers' studies show, in both forms: all figures, axes and values exist. Nothing is run.
case_papers() {
	cd "$work" || exit 1
	for path in "$root"/examples/papers/*.study "$root"/examples/studies/*.study; do
		name=${path##*/}
		echo "0 --study $path --axes > ${name%.study}.axes"
	done >table
	runs <table
	python3 - "$root" >table <<'TXT' || complain 'the files beside the studies'
import glob
import sys
from gputm import claims, results, runner

for path in sorted(glob.glob("*.axes")):
    name = path[:-5].replace("-", "_") + ".py"
    for path_of_story in glob.glob(f"{sys.argv[1]}/examples/*/{name}"):
        story = claims.Story(path_of_story)
        with open(path) as axes, open(name[:-3], "w") as file:
            grids = runner.grids_of(axes.read())
            print(f"include {story.study}\ntell", *story.asked(*grids), file=file)
        for item in sum(story.items(results.Results([], grids[0])), []):
            if "/papers/" in path_of_story and isinstance(item, claims.Claim) and not (item.off or item.no_off):
                sys.exit(f'{path_of_story}: "{item.title}" has no off: expected settings, or the reason why there are none')
        for form in "", "--quick":
            print(f"0 --study {name[:-3]} {form} --shard 1000000/1000000")
TXT
	[ "$(wc -l <table)" -ge 70 ] || complain "few studies: $(cat table)"
	runs <table
}

# The figure of gputm-results(7), as it is printed there.
case_manual() {
	cd "$work" || exit 1
	awk '/^\.Ed/ { inside = 0 } inside; /^\.Bd -literal/ { inside = ++seen == 2 }' "$root/man/gputm-results.7" |
		sed 's/\\e/\\/g' >figure.py
	[ "$(wc -l <figure.py)" -eq 12 ] || complain "$(wc -l <figure.py) lines and not 12"
	have gnuplot || { echo "no gnuplot: the figure is not drawn"; return; }
	python3 figure.py >err 2>&1 && grep -q '</svg>' aborts.svg || complain "$(cat err figure.py)"
}

# What pip installs: the package as a file, and its version.
case_wheel() {
	name=$(cd "$root/examples/python" && python3 -c 'import sys, wheel; print(wheel.build_wheel(sys.argv[1]))' "$work")
	[ "$(PYTHONPATH="$work/$name" python3 -c 'import gputm.claims; print(gputm.claims.__file__)')" = \
		"$work/$name/gputm/claims.py" ] || complain "the wheel $name"
	version=$("$sim" --version)
	version=${version#gputm-sim }
	[ "gputm-${version%% *}-py3-none-any.whl" = "$name" ] || complain "the version of $name is not $version"
}

cases "$@"
