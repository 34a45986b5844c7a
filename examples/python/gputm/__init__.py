# SPDX-License-Identifier: BSD-2-Clause
"""libgputm from Python: its units, and runs and results of gputm-sim.

gputm.Unit and what belongs to it need the library, which is loaded at the first use of one of these
names: help("gputm.unit"). gputm.run, gputm.study, gputm.load and gputm.Results need gputm-sim:
help("gputm.runner"), help("gputm.results").
python3 -m gputm says what it does with results.
"""
import importlib
import pkgutil
import re

_MODULES = "claims", "compare", "page", "plot", "results", "runner", "stats", "unit"
_HOMES = {"run": "runner", "study": "runner", "load": "runner", "RunFailed": "runner",
          "Results": "results", "Array": "results", "Wrong": "results", "Missing": "results"}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    try:
        return getattr(importlib.import_module("." + _HOMES.get(name, "unit"), __name__), name)
    except (AttributeError, ImportError):
        if name in _HOMES or re.search(rf"\b{name}\b", pkgutil.get_data(__name__, "unit.py").decode()):
            raise
    raise AttributeError(f"module gputm has no {name}")
