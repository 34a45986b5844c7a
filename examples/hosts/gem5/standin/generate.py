#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""generate.py OUT OBJECT.py: params/OBJECT.hh and param_OBJECT.cc, as gem5's build makes them.

A stand-in of our own, in the shape of gem5's build_tools/sim_object_param_struct_*.py: the class is declared
in the namespaces that cxx_class names, the struct of its parameters is in namespace gem5 whatever cxx_class
says, and create() makes the object.
"""
import os
import sys
import types

TYPES = {"String": "std::string", "UInt64": "uint64_t"}


class Kind:
    """Param or VectorParam: Param.String(default, text)."""
    def __init__(self, form):
        self.form = form

    def __getattr__(self, name):
        return lambda *about: self.form.format(TYPES[name])


def read(path):
    params, simobject = types.ModuleType("m5.params"), types.ModuleType("m5.SimObject")
    params.Param, params.VectorParam = Kind("{}"), Kind("std::vector< {} >")
    simobject.SimObject = type("SimObject", (), {})
    sys.modules.update({"m5": types.ModuleType("m5"), "m5.params": params, "m5.SimObject": simobject})
    names = {}
    with open(path, encoding="utf-8") as source:
        exec(compile(source.read(), path, "exec"), names)
    return next(c for c in names.values() if isinstance(c, type) and issubclass(c, simobject.SimObject)
                and c is not simobject.SimObject)


def main(out, path):
    cls = read(path)
    *spaces, name = cls.cxx_class.split("::")
    declared = "".join(f"namespace {s} {{\n" for s in spaces) + f"class {name};\n" + "}\n" * len(spaces)
    fields = "".join(f"    {kind} {field};\n" for field, kind in sorted(vars(cls).items())
                     if not field.startswith("_") and field not in ("type", "cxx_header", "cxx_class"))
    os.makedirs(os.path.join(out, "params"), exist_ok=True)
    with open(os.path.join(out, "params", cls.type + ".hh"), "w", encoding="utf-8") as header:
        header.write(f'#ifndef PARAMS_{cls.type}\n#define PARAMS_{cls.type}\n{declared}'
                     f'#include <string>\n#include <vector>\n#include "params/SimObject.hh"\n'
                     f'namespace gem5\n{{\nstruct {cls.type}Params : public SimObjectParams\n{{\n'
                     f'    {cls.cxx_class} * create() const;\n{fields}}};\n}}\n#endif\n')
    with open(os.path.join(out, f"param_{cls.type}.cc"), "w", encoding="utf-8") as source:
        source.write(f'#include "params/{cls.type}.hh"\n#include "sim/sim_object.hh"\n'
                     f'#include "{cls.cxx_header}"\nnamespace gem5\n{{\n{cls.cxx_class} *\n'
                     f'{cls.type}Params::create() const\n{{\n    return new {cls.cxx_class}(*this);\n}}\n}}\n')


main(*sys.argv[1:])
