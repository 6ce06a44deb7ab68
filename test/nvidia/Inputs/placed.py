#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says of prepared conformance cases how many were compiled for the target, and why others were not.

Usage: placed.py FOLDER"""
import collections
import json
import os
import sys

MARK = b"KILNCUB1"  # before the assembler's output in a package


def main():
    folder, places, assembled, packages = sys.argv[1], collections.Counter(), 0, 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".kiln"):
            with open(path, "rb") as file:
                packages, assembled = packages + 1, assembled + (MARK in file.read())
        elif name.endswith(".json"):
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
            if name == "index.json":
                for broken in data["broken"]:
                    print("broken:", broken)
            else:
                places.update((place["on"], place["reason"]) for place in data["placed"])
    for (on, reason), count in places.items():
        if on != "target":
            print(f"{count} on {on}: {reason}")
    print(f"{places[('target', '')]} of {sum(places.values())} programs on the target, "
          f"{assembled} of {packages} packages with machine code")


main()
