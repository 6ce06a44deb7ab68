# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks links of a small built site, and lists three versions of it. Usage: site.py docs/site FOLDER"""
import importlib.util
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import links  # noqa: E402

# `site` is a module of Python's own: this one is loaded by its path.
spec = importlib.util.spec_from_file_location("kiln_site", os.path.join(sys.argv[1], "site.py"))
builder = importlib.util.module_from_spec(spec)
spec.loader.exec_module(builder)

built = os.path.join(sys.argv[2], "built")
os.makedirs(built, exist_ok=True)
with open(os.path.join(built, "a.html"), "w", encoding="utf-8") as file:
    file.write('<a href="https://llvm.org/"></a> <a href="#here"></a> <h2 id="here"></h2> <a href="b.html#there"></a>'
               '<a href="b.html#gone"></a> <img src="c.html" srcset="b.html, b.html 2x">')
with open(os.path.join(built, "b.html"), "w", encoding="utf-8") as file:
    file.write('<h2 id="there"></h2>')
found = list(links.broken(built))
print("\n".join(found + [f"{len(found)} broken"]))

versions = os.path.join(sys.argv[2], "versions")
for name in ("0.9.0", "0.10.0", "main"):
    os.makedirs(os.path.join(versions, name), exist_ok=True)
    with open(os.path.join(versions, name, "index.html"), "w", encoding="utf-8") as file:
        file.write("")
builder.list_versions(versions)
with open(os.path.join(versions, "versions.json"), encoding="utf-8") as file:
    for row in json.load(file):
        print(row["version"], *row["aliases"])
with open(os.path.join(versions, "index.html"), encoding="utf-8") as file:
    print(re.search(r"url=[^\"]*", file.read()).group())
