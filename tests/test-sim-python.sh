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

cases "$@"
