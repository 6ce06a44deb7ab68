# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks how large libraries are without symbols for the debugger. Usage: sizes.py BUILD FOLDER

FOLDER is where the stripped copies lie. Only builds of the type Release are judged."""
import os
import subprocess
import sys

LIMITS = {"libkiln-runtime.so": 1_200_000, "libKiln.so": 30_000_000}

build, folder = sys.argv[1:]
with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
    cache = file.read()
if "CMAKE_BUILD_TYPE:STRING=Release\n" not in cache or "-fsanitize" in cache:
    print("0 problems: no build of the type Release")
    sys.exit(0)
problems = 0
for name, limit in LIMITS.items():
    stripped = os.path.join(folder, name)
    subprocess.run(["strip", "-o", stripped, os.path.realpath(os.path.join(build, "lib", name))], check=True)
    size = os.path.getsize(stripped)
    if size > limit:
        problems += 1
        print(f"{name}: expected at most {limit:,} bytes, found {size:,}")
    else:
        print(f"{name}: {size:,} of {limit:,} bytes")
print(f"{problems} problems")
sys.exit(1 if problems else 0)
