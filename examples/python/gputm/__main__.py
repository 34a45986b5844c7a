# SPDX-License-Identifier: BSD-2-Clause
"""python3 -m gputm: what is done with results of gputm-sim. Nothing is run."""
import argparse
import fnmatch
import os
import sys

from . import claims, compare, page, plot, runner
from .results import Missing, Wrong


def listed(words):
    return [word for word in words.split(",") if word]


def where(words):
    name, equals, value = words.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"got {words}, expected NAME=VALUE")
    return name, value


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
    results = runner.load(o.results, o.study, o.quick)
    apart(o.picture, o.results)
    names = o.only or [*dict.fromkeys(name for pattern in results.grid.tell or ["*"]
                                      for name in fnmatch.filter(results.figures(), pattern))]
    if len(names) > plot.FIGURES_MAX:
        print(f"python3 -m gputm: {o.results} has {len(names)} figures, and these are drawn: "
              f"{', '.join(names[:plot.FIGURES_MAX])}; --only names others", file=sys.stderr)
    figures = []
    for name in names[:plot.FIGURES_MAX]:
        value = results[name].sel(dict(o.where))
        if any(value.cells):
            figures.append((name, value, claims.reach_of(
                [results.of_seed(at)[name].sel(dict(o.where)) for at in range(len(results.grid.seeds))]), None))
        else:
            print(f"python3 -m gputm: {name} is 0 everywhere, and has no panel", file=sys.stderr)
    if not figures:
        raise Wrong(f"{o.results}: no figure has numbers other than 0")
    for name in plot.draw(figures, o.picture, len(results.grid.seeds)):
        print(f"python3 -m gputm: {name} has no numbers, and no panel", file=sys.stderr)
    return 0


def judged(o):
    story = claims.Story(o.story)
    results = runner.load(o.results, story.study, o.quick)
    return story, results, story.judge(results)


def tell(story, told, quick, every=True):
    """Print the verdicts; how many are not as expected."""
    changed = 0
    for claim in (item for _, items in told for item in items if isinstance(item, claims.Claim)):
        other = claim.surprises(quick)
        changed += other
        if every or other:
            print(f'{story.path}: "{claim.title}": {claim.shown_verdict()}' +
                  (f", expected {claim.expected(quick)}" if other else "") +
                  (f": {claim.here}" if claim.here else ""))
    return changed


def do_judge(o):
    story, _, told = judged(o)
    changed = tell(story, told, o.quick)
    print(claims.counted(told))
    return 1 if changed else 0


def do_page(o):
    if not o.page.endswith(".md"):
        raise Wrong(f"{o.page}: expected FILE.md, beside which FILE.html and the pictures are written")
    stem = o.page[:-3]
    story, results, told = judged(o)
    lines, pictures = page.markdown(told, stem, len(results.grid.seeds), o.quick)
    for out in [o.page, stem + ".html"] + [name for _, file, _ in pictures
                                           for name in (file, file[:-4] + ".gp")]:
        apart(out, o.results, o.story, story.study)
    page.draw(pictures)
    plot.write(o.page, "\n".join(lines))
    plot.write(stem + ".html", page.to_html(lines, os.path.dirname(o.page)))
    return 1 if tell(story, told, o.quick, every=False) else 0


def do_tell(o):
    story = claims.Story(o.story)
    print("tell", *story.asked(*runner.forms(story.study)))
    return 0


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
        one.add_argument("--only", type=listed, default=[], metavar="FIGURE,...", help="these figures")

    one = command("compare", do_compare, "tell which figures differ: exit 1 if some do, 3 without a verdict",
                  "a", "b", quick=False)
    one.add_argument("--across", type=listed, default=[], metavar="NAME,...",
                     help="settings in which the two files differ")
    select(one)
    select(command("plot", do_plot, "draw the figures of a study, FILE.svg", "study", "results", "picture"))
    command("judge", do_judge, "judge the claims of FILE.py beside a study: exit 1 if one is not as expected",
            "story", "results")
    command("page", do_page, "judge, and write FILE.md, FILE.html and pictures", "story", "results", "page")
    command("tell", do_tell, "the line for a study that tells what FILE.py asks for", "story", quick=False)
    o = parser.parse_args()
    try:
        return o.do(o)
    except (Wrong, Missing, runner.RunFailed) as problem:
        print(f"python3 -m gputm: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
