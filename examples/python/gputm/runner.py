# SPDX-License-Identifier: BSD-2-Clause
"""Runs of gputm-sim.

    report = gputm.run(system="getm", workload="ht-h", threads=512)
    print(report["cycles"], report["aborted"])
    results = gputm.study("stall-buffer.study", jobs=4, out="stall-buffer.jsonl")
    print(results["cycles"].sel(workload="ht-h"))

The program is the file that GPUTM_SIM names, gputm-sim where the system looks, or build/gputm-sim
of the clone that this package lies in. A run that fails is a RunFailed with what the program said.
Of a study a point that fails is NaN in all arrays, and stands in results.failed with its reason and
the command that repeats it. Ctrl-C ends the runs: the points that are done are in the file of out,
if there is one, and the same call goes on from there.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from .results import Grid, Results, Wrong, read, text


FILES = "kernel", "keys", "edges", "trace"  # options that may name a file


class RunFailed(Exception):
    """What gputm-sim said, its exit status, and the command."""
    __module__ = "gputm"

    def __init__(self, command, status, said):
        super().__init__(said.strip() or f"gputm-sim ended with status {status}")
        self.command, self.status = command, status


def program():
    """Where gputm-sim is."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.normpath(os.path.join(here, "..", "..", "..", "build", "gputm-sim"))
    named = os.environ.get("GPUTM_SIM")
    found = shutil.which(named or "gputm-sim") or (None if named else shutil.which(built))
    if not found:
        raise Wrong((f"GPUTM_SIM: {named} is no program" if named else "gputm-sim is not in PATH") +
                    "; install gputm-sim, or name its file in GPUTM_SIM")
    return found


def _call(words, seen=False, worst=0):
    """Standard output of the program; the progress is seen where a terminal is."""
    seen = seen and sys.stderr.isatty()
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, stderr=None if seen else subprocess.PIPE)
    if not 0 <= done.returncode <= worst:
        raise RunFailed(words, done.returncode, "see above" if seen else done.stderr)
    return done.stdout


def run(where=None, check=True, **settings):
    """One run, as a dict: figures by their names, and "point.NAME" for each setting.

    run(system="getm", workload="ht-h") gives options, run({"validation_unit.stall_lines": 4}, ...) settings
    of PATH.FIELD as in gputm-sim --list. check=False runs without --check.
    """
    words = [program(), "--format", "jsonl"] + ["--check"] * bool(check)
    for name, value in {**(where or {}), **settings}.items():
        if "." in name:
            words += ["--set", f"{name}={text(value)}"]
        else:
            words += ["--" + name.replace("_", "-")] + ([] if value is True else [text(value)])
    return json.loads(_call(words))


def forms(path):
    """The Grid of a study, and that of its small form; tell has the patterns of figures."""
    return grids_of(_call([program(), "--study", path, "--axes"]))


def grids_of(words):
    """The same from what --axes has written."""
    told, grids = json.loads(words, parse_int=str, parse_float=str), []
    for one, other in ("full", "quick"), ("quick", "full"):
        grids.append(Grid(told[one]["axes"], told[other]["axes"]))
        grids[-1].tell, grids[-1].points = told[one]["tell"], int(told[one]["points"])
    return grids


def load(path, study=None, quick=False):
    """Results of a file, on the axes of its study; without it, on the settings that vary."""
    return Results(read(path), study and forms(study)[quick], path)


def study(path_or_axes, jobs=None, out=None, quick=False, tell=()):
    """Run a study, a file or a dict such as {"system": ["getm", "kilo-tm"], "seed": range(1, 9),
    "tell": ["cycles", "aborted"]}; names in a tuple are zipped: {("seed", "workload.seed"): [(1, 1)]}.

    out keeps the results, and what is there is not run again. tell adds figures to those of the file.
    Kernels and other files are looked for in the folder of the study, or of a dict in the working
    directory, where the study stands as a file while it is run.
    """
    if jobs is not None and jobs < 1:
        raise Wrong(f"jobs = {jobs}, expected 1 or more")
    alone = isinstance(path_or_axes, dict)
    lines = _lines(path_or_axes) if alone else ["include " + os.path.abspath(path_or_axes)]
    with tempfile.TemporaryDirectory() as folder, \
            tempfile.NamedTemporaryFile("w", dir=os.getcwd() if alone else folder, encoding="utf-8") as made:
        made.write("\n".join([*lines, *[f"tell {' '.join(tell)}"] * bool(tell), ""]))
        made.flush()
        file, results = made.name if alone or tell else path_or_axes, out or os.path.join(folder, "results")
        words = [program(), "--study", file, "--resume", results]
        words += ["--jobs", str(jobs)] * bool(jobs) + ["--quick"] * quick
        try:
            grid = forms(file)[quick]
            _call(words, seen=True, worst=1)
        except RunFailed as problem:
            raise RunFailed(problem.command, problem.status,
                            str(problem).replace(made.name, "the study")) from None
        return Results(read(results), grid, out or "results")


def ablated(path, off, out, tell=()):
    """The small form of a study with these settings the same at all points, on the axes of the study as it is.

    None leaves a setting out. Figures that another system has not are NaN.
    """
    folder = os.path.dirname(os.path.abspath(path))
    form = json.loads(_call([program(), "--study", path, "--axes"]), parse_int=str, parse_float=str)["quick"]
    lines = [[name] for name in ("check", "conflicts") if form[name]]
    groups = []
    for axis in form["axes"]:
        groups += [] if axis["zipped"] else [[]]
        groups[-1].append(axis)
    for group in groups:
        group = [axis for axis in group if off.get(axis["name"], axis) is not None]  # None: not set anywhere
        same = all(axis["name"] in off for axis in group)
        for at, axis in enumerate(group):
            name, values = axis["name"], [*map(text, axis["values"])]
            values = [text(off[name])] * (1 if same else len(values)) if name in off else values
            if name in FILES:
                values = [os.path.join(folder, value) if os.path.exists(os.path.join(folder, value)) else value
                          for value in values]
            kind = [axis["kind"]] if axis["kind"] != "option" else []
            lines.append(["zip"] * bool(at) + kind + [name] + values)
    there = {axis["name"] for axis in form["axes"]}
    lines += [["set"] * ("." in name) + [name, text(value)] for name, value in off.items()
              if name not in there and value is not None]
    tell = tell or form["tell"]
    lines += [["tell", *(["*"] if "system" in off else tell)]] * bool(tell)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "ablated")
        with open(made, "w", encoding="utf-8") as file:
            file.writelines(" ".join(line) + "\n" for line in lines)
        results = study(made, out=out)
    gone = {"point." + name for name in (*off, *FILES)}
    return Results([{**dict.fromkeys(tell), **{name: value for name, value in line.items() if name not in gone}}
                    for line in results.lines], forms(path)[1], out)


def _lines(axes_by_name):
    """The lines of a study."""
    for names, values in axes_by_name.items():
        if names == "check":
            yield from ["check"] * bool(values)
            continue
        single = isinstance(names, str)
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            values = [values]
        rows = [[value] for value in values] if single else [[*row] for row in values]
        for at, name in enumerate([names] if single else names):
            yield " ".join(["zip"] * bool(at) + ["set"] * ("." in name) + [name] +
                           [text(row[at]) for row in rows])
