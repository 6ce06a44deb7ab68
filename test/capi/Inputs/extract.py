# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""extract.py PAGE FOLDER: writes the code of a page to files: each block is
named behind its language; blocks of one name make one file."""
import os
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
os.makedirs(sys.argv[2], exist_ok=True)
files = {}
for name, code in re.findall(r"^```\S+ (\S+)\n(.*?)^```$", text, re.M | re.S):
    files[name] = files.get(name, "") + code
for name, code in files.items():
    with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as file:
        file.write(code)
