#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that each message of docs/messages.md is one that the code has: every piece between `...` of the
first column stands in some source, strings that are split over lines put together. Usage: messages.py SOURCE"""
import os
import re
import sys

from report import close

source = sys.argv[1]
texts = []
for folder in ("lib", "tools", "conversions", "targets", "dialects", "include", "sdk"):
    for path, _, names in os.walk(os.path.join(source, folder)):
        for name in names:
            if name.endswith((".cpp", ".h", ".td")):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    # What stands between two strings is a name or a number.
                    text = re.sub(r'"\s*"', "", file.read())
                    texts.append(text)
code = "\n".join(texts)
problems, count = [], 0
with open(os.path.join(source, "docs/messages.md"), encoding="utf-8") as file:
    page = file.read()
for cell in re.findall(r"^\| (`.*?) \| ", page, re.MULTILINE):
    for message in re.findall(r"`([^`]*)`", cell):
        count += 1
        for piece in message.split("..."):
            piece = piece.strip(" '`:")
            if len(piece) > 3 and piece not in code:
                problems.append(f"docs/messages.md: no source says '{piece}' of '{message}'")
sys.exit(close(problems, f"{count} messages", count))
