# SPDX-License-Identifier: BSD-2-Clause
"""python3 -m gputm: what is done with results of gputm-sim. Nothing is run."""
import argparse
import sys

from . import compare
from .results import Missing, Wrong


def listed(words):
    return [word for word in words.split(",") if word]


def where(words):
    name, equals, value = words.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"got {words}, expected NAME=VALUE")
    return name, value


def do_compare(o):
    lines, status = compare.compare(o.a, o.b, o.across, dict(o.where), o.only)
    print("\n".join(lines))
    return status


def main():
    parser = argparse.ArgumentParser(prog="python3 -m gputm", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name, do, words, *arguments):
        one = commands.add_parser(name, help=words, description=words)
        one.set_defaults(do=do)
        for argument in arguments:
            one.add_argument(argument)
        return one

    def select(one):
        one.add_argument("--where", type=where, action="append", default=[], metavar="NAME=VALUE",
                         help="take only points with this value")
        one.add_argument("--only", type=listed, default=[], metavar="FIGURE,...", help="these figures")

    one = command("compare", do_compare, "tell which figures differ: exit 1 if some do, 3 without a verdict",
                  "a", "b")
    one.add_argument("--across", type=listed, default=[], metavar="NAME,...",
                     help="settings in which the two files differ")
    select(one)
    o = parser.parse_args()
    try:
        return o.do(o)
    except (Wrong, Missing) as problem:
        print(f"python3 -m gputm: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
