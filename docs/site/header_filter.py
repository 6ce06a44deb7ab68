#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doxygen's view of a header: the comment at its top is about the file, and plain comments of C are documentation.
Usage: header_filter.py HEADER"""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
# The lines `// ...` behind the licence, up to the include guard.
top = re.match(r"(?:(?://|/\*) SPDX.*\n)?((?://.*\n)+)", text)
if top:
    words = re.sub(r"^// ?", "", top.group(1), flags=re.MULTILINE).replace("*/", "")
    text = "/** @file\n" + words + "*/\n" + text[top.end():]
else:
    text = "/** @file */\n" + text
if "/kiln-c/" in sys.argv[1]:
    text = re.sub(r"^( *)/\* ", r"\1/** ", text, flags=re.MULTILINE)
sys.stdout.write(text)
