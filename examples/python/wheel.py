# SPDX-License-Identifier: BSD-2-Clause
"""Makes the wheel of the package gputm, for pip (PEP 517), with the standard library alone."""
import base64
import hashlib
import os
import zipfile

VERSION = "0.1.0"
INFO = f"gputm-{VERSION}.dist-info/"


def build_wheel(folder, config_settings=None, metadata_directory=None):
    """Write the wheel in the folder, and return its name."""
    name = f"gputm-{VERSION}-py3-none-any.whl"
    files = {INFO + "METADATA": f"Metadata-Version: 2.1\nName: gputm\nVersion: {VERSION}\n"
                                "Requires-Python: >=3.9\n",
             INFO + "WHEEL": "Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: true\n"
                             "Tag: py3-none-any\n"}
    for file in sorted(os.listdir("gputm")):
        if file.endswith(".py"):
            with open(os.path.join("gputm", file), encoding="utf-8") as source:
                files["gputm/" + file] = source.read()
    record = ""
    for file, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
        record += f"{file},sha256={digest.rstrip('=')},{len(text.encode())}\n"
    files[INFO + "RECORD"] = record + INFO + "RECORD,,\n"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
    return name


def build_sdist(folder, config_settings=None):
    """There is no source archive of the package alone."""
    raise NotImplementedError("take the archive of libgputm, which has the package")
