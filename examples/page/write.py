#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""write.py tables|traced|page: the tables of gputm/unit.py as JSON; the header by which an example
tells its calls; the page, from the WebAssembly and the recorded calls in the current folder.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def tables():
    """What examples/python/write.py has made of the headers."""
    text = read("examples", "python", "gputm", "unit.py")
    return dict(re.findall(r'^(ENUMS|STRUCTS|FUNCTIONS) = """\\\n(.*?)^"""', text, re.M | re.S))


def traced():
    """For an example: each call of the library is one of the recorder's, with its line."""
    yield '#include <gputm/gputm.h>\n#define FROM(module, name) __attribute__((import_module(module), import_name(name)))'
    yield 'FROM("page", "at") extern void page_at(int line);'
    for row in tables()["FUNCTIONS"].splitlines():
        name = row.split()[0]
        yield f'FROM("library", "{name}") extern __typeof__({name}) page_{name};'
        yield f"#define {name}(...) (page_at(__LINE__), page_{name}(__VA_ARGS__))"


def main():
    if sys.argv[1:] == ["tables"]:
        print(json.dumps(tables()))
    elif sys.argv[1:] == ["traced"]:
        print("\n".join(traced()))
    else:
        sys.exit(__doc__)


main()
