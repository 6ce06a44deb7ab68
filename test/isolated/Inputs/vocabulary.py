# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a table of the wire form has all that an older one has, as it was. Usage: vocabulary.py OLD NEW"""
import json
import sys

old, new = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
problems, count = [], 0


def compare(before, after, where):
    global count
    for name, facts in before.items():
        count += 1
        found = after.get(name)
        if found is None:
            problems.append(f"{where}{name}: is not there any more")
            continue
        for key in ("since", "default"):
            if facts.get(key) != found.get(key):
                problems.append(f"{where}{name}: {key} was {facts.get(key)}, is {found.get(key)}")
        compare(facts.get("attributes", {}), found.get("attributes", {}), f"{where}{name}.")
    for name, found in after.items():
        if name not in before and found["since"] <= old["version"]:
            problems.append(f"{where}{name}: is new, and says that it came with version {found['since']}")


for part in ("operations", "attributes", "types"):
    compare(old[part], new[part], "")
if new["version"] < old["version"]:
    problems.append("the version has gone back")
print("\n".join(problems))
print(f"{count} entries, {len(problems)} problems")
sys.exit(1 if problems or not count else 0)
