# SPDX-License-Identifier: BSD-2-Clause
"""python3 -m gputm: what is done with results of gputm-sim. Nothing is run."""
import argparse
import fnmatch
import os
import sys
import traceback

from . import claims, compare, page, plot, runner
from .results import Missing, Wrong, choose, failures, plural


def listed(words):
    return [word for word in words.split(",") if word]


def where(words):
    name, equals, value = words.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"got {words}, expected NAME=VALUE")
    return name, value


def note(words):
    print("python3 -m gputm: " + words, file=sys.stderr)


def load(o, study):
    """The results of a study; what they lack is told."""
    results = runner.load(o.results, study, o.quick)
    points = results.grid.points
    for words in failures(results.lines, o.results, points):
        note(words)
    if len(results.lines) < points:
        note(f"{points - len(results.lines)} of {plural(points, 'point')} have no result; "
             f"gputm-sim --study {study} {'--quick ' * o.quick}--resume {o.results} runs them")
    return results


def apart(out, *inputs):
    """Refuse to write over what is read."""
    for path in inputs:
        if os.path.exists(out) and os.path.samefile(out, path):
            raise Wrong(f"{out} is an input, expected another file to write")


def do_compare(o):
    lines, status = compare.compare(o.a, o.b, o.across, dict(o.where), o.only)
    print("\n".join(lines))
    return status


def do_plot(o):
    results = load(o, o.study)
    apart(o.picture, o.results)
    there, where = results.figures(), dict(o.where)
    names = choose(o.only, there, f"no line of {o.results} has the figure") or [
        *dict.fromkeys(name for pattern in results.grid.tell or ["*"] for name in fnmatch.filter(there, pattern))]
    values = {name: results[name].sel(where) for name in names}
    live = [name for name in names if any(abs(cell) > 0 for cell in values[name].cells)]
    if not live:
        raise Wrong(f"{o.results}: no figure has numbers other than 0")
    if len(live) < len(names):
        note(f"0 everywhere, without a panel: {', '.join(name for name in names if name not in live)}")
    if len(live) > plot.FIGURES_MAX:
        note(f"{o.results} has {len(live)} figures, and these are drawn: "
             f"{', '.join(live[:plot.FIGURES_MAX])}; --only names others")
    seeds = [results.of_seed(at) for at in range(len(results.grid.seeds))]
    figures = [(name, values[name], claims.reach_of([seed[name].sel(where) for seed in seeds]), None)
               for name in live[:plot.FIGURES_MAX]]
    for name in plot.draw(figures, o.picture, results.seeds(where)):
        note(f"{name} has no numbers, and no panel")
    return 0


def judged(o):
    story = claims.Story(o.story)
    results = load(o, story.study)
    return story, results, story.judge(results)


def tell(story, told, quick, every=True):
    """Print the verdicts; how many are not as expected."""
    changed = 0
    for claim in claims.claims_of(told):
        other = claim.surprises(quick)
        changed += other
        if every or other:
            print(f'{story.path}: "{claim.title}": {claim.shown_verdict()}' +
                  (f", expected {claim.expected(quick)}" if other else "") +
                  (f": {claim.here}" if claim.here else ""))
    return changed


def exit_status(changed, results):
    """1: a verdict is not the expected one, or a point has no result."""
    return int(bool(changed or results.failed or len(results.lines) < results.grid.points))


def do_judge(o):
    story, results, told = judged(o)
    changed = tell(story, told, o.quick)
    print(claims.counted(told))
    return exit_status(changed, results)


def do_page(o):
    if not o.page.endswith(".md"):
        raise Wrong(f"{o.page}: expected FILE.md, beside which FILE.html and the pictures are written")
    stem = o.page[:-3]
    story, results, told = judged(o)
    lines, pictures = page.markdown(told, stem, results.seeds(), o.quick)
    for out in [o.page, stem + ".html"] + [name for _, file, _ in pictures
                                           for name in (file, file[:-4] + ".gp")]:
        apart(out, o.results, o.story, story.study)
    page.draw(pictures)
    plot.write(o.page, "\n".join(lines))
    plot.write(stem + ".html", page.to_html(lines, os.path.dirname(o.page)))
    return exit_status(tell(story, told, o.quick, every=False), results)


def do_tell(o):
    story = claims.Story(o.story)
    print("tell", *story.asked(*runner.forms(story.study)))
    return 0


def line_of(problem, path):
    """The line of a file of claims that is the cause; 0: the cause is elsewhere."""
    lines = [frame.lineno for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == path]
    return problem.lineno if getattr(problem, "filename", None) == path else lines[-1] if lines else 0


def main():
    parser = argparse.ArgumentParser(prog="python3 -m gputm", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name, do, words, *arguments, quick=True):
        one = commands.add_parser(name, help=words, description=words)
        one.set_defaults(do=do)
        for argument in arguments:
            one.add_argument(argument)
        if quick:
            one.add_argument("--quick", action="store_true", help="the results are of the small form")
        return one

    def select(one):
        one.add_argument("--where", type=where, action="append", default=[], metavar="NAME=VALUE",
                         help="take only points with this value")
        one.add_argument("--only", type=listed, default=[], metavar="FIGURE,...",
                         help="these figures; patterns such as aborts_by_reason.* take several")

    one = command("compare", do_compare, "tell which figures differ: exit 1 if some do, 3 without a verdict",
                  "a", "b", quick=False)
    one.add_argument("--across", type=listed, default=[], metavar="NAME,...",
                     help="settings in which the two files differ")
    select(one)
    select(command("plot", do_plot, "draw the figures of a study, FILE.svg", "study", "results", "picture"))
    command("judge", do_judge, "judge the claims of FILE.py beside a study: exit 1 if one is not as expected, or a point has no result",
            "story", "results")
    command("page", do_page, "judge, and write FILE.md, FILE.html and pictures", "story", "results", "page")
    command("tell", do_tell, "the line for a study that tells what FILE.py asks for", "story", quick=False)
    o = parser.parse_args()
    try:
        return o.do(o)
    except (Wrong, Missing, runner.RunFailed) as problem:
        note(str(problem))
    except Exception as problem:
        path = getattr(o, "story", "")
        line = line_of(problem, path)
        if not line:
            raise
        note(f"{path}:{line}: {type(problem).__name__}: {getattr(problem, 'msg', problem)}")
    return 2


if __name__ == "__main__":
    sys.exit(main())
