#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""write.py tables|traced|page: the tables of gputm/unit.py as JSON; the header by which an example
tells its calls; the page, from the WebAssembly and the recorded calls in the current folder.
"""
import base64
import glob
import gzip
import html
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def rows(table):
    """Lines of a table that examples/python/write.py has made of the headers."""
    text = read("examples", "python", "gputm", "unit.py")
    return [line.split() for line in re.search(rf'^{table} = """\\\n(.*?)^"""', text, re.M | re.S).group(1).splitlines()]


def tables():
    """The same as the page reads them: places in the memory of wasm32, words of enums, comments."""
    said = headers()
    enums = {name: words(values, said) for name, *values in rows("ENUMS")}
    units = [name[len("gputm_"):-len("_unit")] for name, *_ in rows("FUNCTIONS") if name.endswith("_unit")]
    structs, functions = {}, {}
    for name, *fields in rows("STRUCTS"):
        structs[name] = layout(structs, [variable(field, said, name) for field in fields])
    for name, result, *parameters in rows("FUNCTIONS"):
        name = name[len("gputm_"):]
        about = said.get(name, "")
        unit = max((one for one in units if name.startswith(one + "_")), key=len, default="unit")
        functions[name] = known({
            "name": name, "unit": unit, "verb": name[len(unit) + 1:], "about": about, "code": result[0],
            "handle": result[1:] if result[0] in "*!" else None,
            "list": result[2:] or answered(about, unit, enums) if result[0] == "i" else None,
            "parameters": [variable(one, said, name) for one in parameters],
            "mask": is_mask(name[len(unit) + 1:], result)})
    for name, f in functions.items():
        if name.endswith("_probe") and f["code"] == "i" and "list" not in f:
            f["list"] = functions[name[:-len("_probe")]].get("list")
    for f in functions.values():
        f.update(known(use(f, structs)))
    return {"enums": enums, "structs": structs, "functions": functions}


def words(values, said):
    """Words of an enum without what they all begin with, and what the header says of each."""
    names = [value.split("=") for value in values]
    prefix = os.path.commonprefix([name for name, _ in names]).rpartition("_")[0] + "_"
    return {value: [name[len(prefix):], said.get(name, "")] for name, value in names}


def variable(text, said, owner):
    """A field or parameter: name, code, count of an array, its comment, the enum it is of."""
    name, code, count = re.fullmatch(r"(\w+):(.[^*]*)(?:\*(\d+))?", text).groups()
    about = "" if owner.endswith("_config") else said.get(f"{owner}.{name}", "")  # the library has a table of these
    named = re.search(r"enum (\w+)", about)
    return known({"name": name, "code": "i" if code.startswith("i.") else code, "count": int(count or 0), "about": about,
            "list": code[2:] if code.startswith("i.") else named and named.group(1), "mask": is_mask(name, code)})


def use(f, structs):
    """What the page does with a function: its role, and whether it asks for the unit's state; its
    parameters as inputs, outs and all but the handle; what it answers as fields.
    """
    first, *rest = f["parameters"] or [{"code": ""}]
    outs = [one for one in f["parameters"] if one["code"][0] in ">]"]
    own = f["verb"] in ("new", "free", "unit", "params", "config_preset") or (
        first["code"][1:] != f["unit"] or "handle" in f)
    role = f["verb"] if own else {"*": "operation", "!": "question"}.get(first["code"][0])
    fields = [dict(f, name=f["verb"])] if "list" in f or not outs else []
    for out in outs:
        fields += (structs[out["code"][2:]]["fields"] if out["code"][:2] == ">@" else
                   [dict(out, code=out["code"].lstrip(">"))])
    asks = role == "question" and f["code"] != "v" and (
        not f["name"].endswith("_probe") or re.search("(lookup|query|contains|wake)_probe$", f["name"]))
    return {"role": role, "outs": outs, "inputs": [one for one in f["parameters"] if one["code"][0] not in ">]P*!"],
            "keys": [one for one in rest if one not in outs], "fields": [
                {key: one[key] for key in ("name", "code", "count", "list", "mask", "about") if key in one}
                for one in fields if one["name"] != "size"] if asks else None}


def known(values):
    """What the page would read as false is left out."""
    return {key: value for key, value in values.items() if value or value == []}


def is_mask(name, code):
    """Does a number of this name have a bit for each lane, warp or block?"""
    return code.strip("[]>") == "Q" and bool(re.fullmatch(
        r".*(mask|lanes|lanes_of|running|retry|conflicts|blocks|exec|vcc|tcm|tcm_old)|taken|survived|silent|ready|set"
        r"|fail|pass|yes|ended|active|committed|aborted|second_chance|read_write|writers|hits|apply|vector|warp", name))


def layout(structs, fields):
    """Fields with their places, as clang lays them out for wasm32."""
    at, align = 0, 1
    for field in fields:
        inner = structs[field["code"][1:]] if field["code"][0] == "@" else None
        size = inner["size"] if inner else {"Q": 8, "H": 2, "B": 1, "?": 1}.get(field["code"][0], 4)
        step = inner["align"] if inner else size
        field["at"] = at = -(-at // step) * step
        at += size * (field.get("count", 1))
        align = max(align, step)
    return {"size": -(-at // align) * align, "align": align, "fields": fields}


def answered(about, unit, enums):
    """The enum of what a function answers: the comment names it, or most of its words."""
    named = re.search(r"@return.*?enum (\w+)", about)
    if named:
        return named.group(1)
    count = {name: sum(bool(re.search(rf"\b{word}\b", about)) for word, _ in values.values())
             for name, values in enums.items() if name.startswith((unit, "resolver")) and name.endswith(("result", "state"))}
    best = max(count, key=count.get, default=None)
    return best if best and count[best] else None


def traced():
    """For an example: each call of the library is one of the recorder's, with its line."""
    yield '#include <gputm/gputm.h>\n#define FROM(module, name) __attribute__((import_module(module), import_name(name)))'
    yield 'FROM("page", "at") extern void page_at(int line);'
    for name, *_ in rows("FUNCTIONS"):
        yield f'FROM("library", "{name}") extern __typeof__({name}) page_{name};'
        yield f"#define {name}(...) (page_at(__LINE__), page_{name}(__VA_ARGS__))"


def plain(comment):
    """The text of a comment in one line, without the marks of doxygen."""
    text = re.sub(r"\s*\n\s*\*?\s*", " ", comment).strip(" */<\n\t")
    return re.sub(r"@c |@p ", "", re.sub(r"(\w)@", r"\1 @", text)).replace("gputm_", "")


COMMENT = r"/\*\*(?!<)((?:[^*]|\*(?!/))*)\*/\s*"


def headers():
    """What the headers say of functions, of fields as STRUCT.FIELD, and of enumerators."""
    said = {}
    for name in sorted(os.listdir(os.path.join(TOP, "include", "gputm"))):
        text = read("include", "gputm", name) if name.endswith(".h") else ""
        for comment, function in re.findall(COMMENT + r"GPUTM_API [^;{]*?\b(gputm_\w+)\(", text):
            said[function[6:]] = plain(comment)
        for struct, body in re.findall(r"struct gputm_(\w+) \{(.*?)\n\};", text, re.S):
            for comment, field in re.findall(COMMENT + r"[^;]*?\b(\w+)(?:\[\w+\])?;", body):
                said[f"{struct}.{field}"] = plain(comment)
            for field, comment in re.findall(r"\b(\w+)(?:\[\w+\])?;\s*/\*\*<(.*?)\*/", body, re.S):
                said[f"{struct}.{field}"] = plain(comment)
        for enum in re.findall(r"enum gputm_\w+ \{(.*?)\n\};", text, re.S):
            for comment, word in re.findall(COMMENT + r"GPUTM_(\w+) =", enum):
                said[word] = plain(comment)
            for word, comment in re.findall(r"GPUTM_(\w+) = \w+,\s*/\*\*<(.*?)\*/", enum, re.S):
                said[word] = plain(comment)
    return said


def opening(source):
    """The comment that a source opens with, after the licence."""
    comment = re.search(r"^/\*\s*\n?(.*?)\*/", source.split("\n", 1)[1], re.M | re.S).group(1)
    return "\n".join(re.sub(r"^ ?\* ?", "", line.expandtabs()).rstrip() for line in comment.splitlines())


def essay(unit):
    """What a unit's source opens with: its first paragraphs, its first drawing, the whole."""
    path = glob.glob(os.path.join(TOP, "lib", "*", unit + ".c"))[0]
    with open(path, encoding="utf-8") as source:
        whole = opening(source.read())
    parts = re.split(r"\n\n+", whole.strip().split("\n", 1)[1].lstrip("=\n"))
    lead = []
    for part in parts:
        if re.match("Invariants|Example|Differences|  ", part):
            break
        lead.append(part)
        if not re.search(r"Sources?:|PhD|HPCA|ISCA|PACT|TRANSACT|^W. W. L.", part[:200]):
            break
    lead = lead or [""]
    rest = whole[whole.index(lead[-1]) + len(lead[-1]):]
    drawn = re.search(r"(?:^ {2,}\S.*\n(?:\n(?= {2}))?){3,}", rest + "\n", re.M)
    summary = re.search(r"^\.Nd (.*)", read("man", f"gputm_{unit}.3"), re.M).group(1)
    parts = [("h2", unit), ("p", summary + ".")] + [("small", part) for part in lead[:-1]]
    parts += [("pre" if "\n " in lead[-1] else "p", lead[-1])] + [("pre", drawn.group(0))] * bool(drawn)
    text = "".join(f"<{tag}>{html.escape(part)}</{tag}>" for tag, part in parts)
    manual = f'<a href="html/gputm_{unit}.3.html">Manual</a> <small>(beside this page, by make html)</small></p>'
    return {"family": os.path.basename(os.path.dirname(path)), "html": text.replace("</p>", " " + manual, 1), "essay": whole}


def short(step, names):
    """A call with its function by number, without what is 0 or nothing at its end."""
    step[1] = names.index(step[1])
    while not step[-1]:
        step.pop()
    return step


def page():
    table, units = tables(), {}
    names = list(table["functions"])
    for unit in [name[:-len("_unit")] for name in names if name.endswith("_unit")]:
        with open(unit + ".json", encoding="utf-8") as recorded:
            steps = [step if isinstance(step, str) else short(step, names) for step in json.load(recorded)]
        program = read("examples", unit + ".c")
        units[unit] = {"program": program, "example": opening(program), "steps": steps, **essay(unit)}
    data = json.dumps({"tables": table, "units": units}, separators=(",", ":"))
    with open("gputm.wasm", "rb") as wasm:
        code = base64.b64encode(gzip.compress(wasm.read(), mtime=0)).decode()
    text = read("examples", "page", "page.html")
    for name, file in {"STYLE": "page.css", "CALLS": "calls.js", "PAGE": "page.js"}.items():
        text = text.replace(f"@{name}@", read("examples", "page", file))
    return text.replace("@DATA@", data.replace("</", "<\\/")).replace("@WASM@", code)


def main():
    if sys.argv[1:] == ["tables"]:
        print(json.dumps(tables()))
    elif sys.argv[1:] == ["traced"]:
        print("\n".join(traced()))
    elif sys.argv[1:] == ["page"]:
        print(page())
    else:
        sys.exit(__doc__)


main()
