#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""write.py [--check]: write the tables of gputm/unit.py (enums, structs, functions) from the
headers, and the methods of gputm.hpp, calls.hpp.

--check says whether they are stale, and changes nothing. Needs a C preprocessor (CC, or cc).
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "include")
MODULE = os.path.join(HERE, "gputm", "unit.py")
CALLS = os.path.join(INCLUDE, "gputm", "calls.hpp")
SCALARS = {"uint64_t": "Q", "uint32_t": "I", "uint16_t": "H", "uint8_t": "B", "_Bool": "?",
           "size_t": "N", "int": "i", "int32_t": "i", "unsigned": "I", "unsigned int": "I", "void": "v"}
# A pointer to a plain number is for one number that the function gives back, or for an array that the
# caller brings: by its name, or by function and name. Of another name nothing is known.
ONE = set("""address buffer cid count cycles done_at first first_cid from in_flight left lost mask out
    partition paused pc physical read readers region request returned rows rts second set slot stamp
    time to type value version warp writers written wts""".split())
ARRAYS = {"gputm_h3_rows_from rows", "gputm_access_coalescer_merge_row out",
          "gputm_access_coalescer_merge_log access", "gputm_access_coalescer_merge_log out",
          "gputm_writer_table_claim_batch claim", "gputm_writer_table_writers out",
          "gputm_tx_log_lookup_own_writes value", "gputm_tx_log_get_group lanes_of",
          "gputm_reader_list_readers ids",
          "gputm_writer_table_claim_batch result", "gputm_local_tm_access value",
          "gputm_device_validator_push apply", "gputm_dispatch_queues_dequeue_batch request"}
met = set()


def preprocessed():
    source = "#include <gputm/gputm.h>\n"
    text = subprocess.run([*os.environ.get("CC", "cc").split(), "-E", "-P", "-I", INCLUDE, "-"],
                          input=source, stdout=subprocess.PIPE, text=True, check=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    return re.sub(r"\s+", " ", text[text.index("gputm_is_present") - 40:])


def results():
    """The code of each result, where the comment in the header says more than the type."""
    found = {}
    for name in sorted(os.listdir(os.path.join(INCLUDE, "gputm"))):
        with open(os.path.join(INCLUDE, "gputm", name), encoding="utf-8") as header:
            text = header.read()
        last = "i"
        for comment, code in re.findall(r"/\*\*((?:[^*]|\*(?!/))*)\*/\s*GPUTM_API ([^;{]*);", text):
            function = re.search(r"(gputm_[a-z0-9_]*)\(", code)
            if re.search(r"@return 0[;.]", comment):
                last = "0"
            elif re.search(r"@return 1[;,]", comment):
                last = "1"
            elif not re.search(r"@return as (above|mem_peek)", comment):
                last = "i"
            if function:
                found[function.group(1)] = last
    return found


def enums(text):
    known = {}
    for name, body in re.findall(r"\benum gputm_([a-z0-9_]+) \{([^}]*)\}", text):
        value, row = -1, []
        for part in filter(None, (part.strip() for part in body.split(","))):
            key, _, given = (side.strip() for side in part.partition("="))
            value = eval(re.sub(r"(?<=\d)[uUlL]+", "", given), {}, known) if given else value + 1
            known[key] = value
            row.append(f"{key[len('GPUTM_'):]}={value}")
        yield f"{name} {' '.join(row)}"


def code(declaration, defined, where):
    """A field or parameter: its name and the code of its type."""
    declaration = declaration.strip()
    pointer_to_function = re.match(r".*\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
    if pointer_to_function:
        return pointer_to_function.group(1), "P"
    match = re.match(r"(.*?)(\w+)\s*(?:\[(.*)\])?$", declaration)
    kind, name, length = match.group(1).strip(), match.group(2), match.group(3)
    constant = kind.startswith("const ")
    base = re.sub(r"\bconst\b", "", kind).replace("*", "").strip()
    stars = kind.count("*") + (length is not None and where is not None)
    struct = re.match(r"struct gputm_(\w+)$", base)
    enum = re.match(r"enum gputm_(\w+)$", base)
    if enum:
        base = "int"
    if stars == 0 and not struct and base not in SCALARS and not base.endswith("_fn"):
        sys.exit(f"write.py: what is {declaration}?")
    if stars == 0 and struct:
        one = "@" + struct.group(1)
    elif stars == 0:
        one = f"i.{enum.group(1)}" if enum else SCALARS.get(base, "P")
    elif base == "char" and stars == 1:
        one = "s"
    elif stars > 1:
        one = "P"
    elif struct and struct.group(1) not in defined:
        one = ("!" if constant else "*") + struct.group(1)
    elif base == "void" or base.endswith("_fn"):
        one = "P"
    elif where is None or length is not None or f"{where} {name}" in ARRAYS or not struct and constant:
        met.add(f"{where} {name}")
        one = ("[" if constant else "]") + ("@" + struct.group(1) if struct else SCALARS[base])
    elif struct:
        one = "&" + struct.group(1) if constant else ">@" + struct.group(1)
    elif name not in ONE and where != "result":
        sys.exit(f"write.py: {where}: is {name} one number or an array? See ONE and ARRAYS.")
    else:
        one = ">" + SCALARS[base]
    if length is not None and where is None:
        one += f"*{eval(length)}"
    return name, one


def structs(text):
    defined = {name for name, _ in bodies(text)}
    for name, body in bodies(text):
        for _ in range(body.count(",")):  # uint64_t min, max; is two fields
            body = re.sub(r"([\w ]+ )(\w+), ([\w, ]+);", r"\1\2; \1\3;", body)
        for pair in re.findall(r"struct \{([^{}]*)\}", body):
            yield row("pair", pair, defined)
        yield row(name, re.sub(r"struct \{[^{}]*\}", "struct gputm_pair", body), defined)


def row(name, body, defined):
    rows = [":".join(code(part, defined, None)) for part in body.split(";") if part.strip()]
    return f"{name} {' '.join(rows)}"


def bodies(text):
    for match in re.finditer(r"\bstruct gputm_([a-z0-9_]+) \{", text):
        at, deep = match.end(), 1
        while deep:
            deep += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        yield match.group(1), text[match.end():at - 1]


def declared(text):
    """Result, name and parameters of each function."""
    flat = re.sub(r"\{[^{}]*\}", "", re.sub(r"\{[^{}]*\}", "", text))
    return re.findall(r"([\w ]+[ *]+)(gputm_[a-z0-9_]+)\(((?:[^()]|\([^()]*\))*)\)\s*;", flat)


def method(result, name, parameters, unit):
    """A method of calls.hpp: the function without its handle, checked if it gives an int."""
    rest = [part.strip().replace("_Bool", "bool") for part in parameters.split(",")[1:]]
    names = [re.search(r"(\w+)(\[\w*\])?$", part).group(1) for part in rest]
    result = re.sub(r"\bextern\b|\b_Bool\b", lambda m: "bool" if m.group() == "_Bool" else "", result)
    result = re.sub(r"\s+", " ", result).strip()
    short = name[len(f"gputm_{unit}_"):]
    call = f"::{name}({', '.join(['this->self()'] + names)})"
    if result == "int":
        call = f"this->self().check({call})"
    lines = [f"\t{result} {short}{'_' * (short == 'union')}(", f"{', '.join(rest)}) const", "\t{", f"\t\treturn {call};",
             "\t}"]
    lines[:2] = [lines[0] + lines[1]]
    if result == "void":
        lines[2] = lines[2].replace("return ", "")
    return "".join("\n".join(wrapped(line)) + "\n" for line in lines)


def wrapped(line):
    """At most 100 columns, with tabs of 8, broken after commas."""
    while len(line.expandtabs(8)) > 100:
        at = max(k for k in range(len(line)) if line.startswith(", ", k) and len(line[:k + 1].expandtabs(8)) <= 100)
        yield line[:at + 1]
        line = "\t\t\t" + line[at + 2:]
    yield line


def calls(text):
    """calls.hpp: a method for each function of a unit's handle."""
    units = re.findall(r"\bstruct gputm_unit \* ?gputm_(\w+)_unit\(struct gputm_\1 \*", text)
    methods = {unit: "" for unit in units}
    for result, name, parameters in declared(text):
        handle = re.match(r"(?:const )?struct gputm_(\w+) \*", parameters.strip())
        unit = handle and handle.group(1)
        if unit in methods and name.startswith(f"gputm_{unit}_") and not name.endswith(("_free", "_unit")):
            methods[unit] += method(result, name, parameters, unit)
    yield ("/* SPDX-License-Identifier: BSD-2-Clause */\n"
           "/* Written by examples/python/write.py from the headers; included by gputm.hpp. */\n")
    for unit, body in sorted(methods.items()):
        yield (f"template <class Unit> struct calls<Unit, ::gputm_{unit}> : caller<Unit> {{\n{body}}};\n")


def functions(text):
    defined = {name for name, _ in bodies(text)}
    said = results()
    for kind, name, parameters in declared(text):
        kind = kind.strip()
        if kind.startswith("typedef"):
            continue
        result = code(kind + " x", defined, "result")[1]
        if result[0] not in "*!QIHB?Nivs":
            result = "P"
        if result == "i":
            result = said.get(name, "i")
        rows = [] if parameters.strip() == "void" else [
            ":".join(code(part, defined, name)) for part in parameters.split(",")]
        yield f"{name} {result} {' '.join(rows)}".rstrip()


def tables():
    text = preprocessed()
    out = []
    for title, rows in (("ENUMS", enums(text)), ("STRUCTS", structs(text)),
                        ("FUNCTIONS", functions(text))):
        out.append(f'{title} = """\\\n' + "".join(row + "\n" for row in rows) + '"""\n')
    if ARRAYS - met:
        sys.exit(f"write.py: gone, but in ARRAYS: {', '.join(ARRAYS - met)}")
    return "".join(out)


def main():
    with open(MODULE, encoding="utf-8") as module:
        old = module.read()
    head, rest = old.split("# begin tables\n")
    new = head + "# begin tables\n" + tables() + "# end tables\n" + rest.split("# end tables\n")[1]
    methods = "".join(calls(preprocessed()))
    if "--check" in sys.argv:
        with open(CALLS, encoding="utf-8") as header:
            sys.exit(new != old or header.read() != methods)
    with open(CALLS, "w", encoding="utf-8") as header:
        header.write(methods)
    with open(MODULE, "w", encoding="utf-8") as module:
        module.write(new)


if __name__ == "__main__":
    main()
