# SPDX-License-Identifier: BSD-2-Clause
"""libgputm from Python: its units, gputm.Unit, which need the library (help("gputm.unit")).

The library is loaded when the first of its names is used.
"""
import importlib


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module(".unit", __name__), name)
