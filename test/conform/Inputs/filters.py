# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the cases that kiln-conform lists for a filter with those of the whole list whose names the same regular expression
is found in. Usage: filters.py LIST REGEX..., where LIST is what `kiln-conform --list` prints."""
import re
import subprocess
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        names = file.read().splitlines()
    for pattern in sys.argv[2:]:
        done = subprocess.run(["kiln-conform", "--list", f"--filter={pattern}"], capture_output=True, text=True, check=False)
        found = done.stdout.splitlines()
        expected = [name for name in names if re.search(pattern, name)]
        notes = "not covered" in done.stderr
        if sorted(found) != sorted(expected) or notes or done.returncode:
            print(f"{pattern}: expected {len(expected)} cases, found {len(found)}, such as "
                  f"{sorted(set(found) ^ set(expected))[:2]}\n{done.stderr[-300:] if notes or done.returncode else ''}")
        else:
            print(f"{pattern}: {len(found)} cases")


main()
