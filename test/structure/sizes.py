# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks how large libraries are without symbols for the debugger. Usage: sizes.py BUILD FOLDER

FOLDER is where the stripped copies lie. Only builds of the type Release are judged. GCC's code of the compiler
is about a tenth larger than Clang's, for which its limit is meant: a build by GCC has the runtime alone judged."""
import glob
import os
import re
import subprocess
import sys

LIMITS = {"libkiln-runtime.so": 1_200_000, "libKiln.so": 30_000_000}

build, folder = sys.argv[1:]
with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
    cache = file.read()
if "CMAKE_BUILD_TYPE:STRING=Release\n" not in cache or "-fsanitize" in cache:
    print("0 problems: no build of the type Release")
    sys.exit(0)
# What CMake found when it configured the tree; of several versions of CMake the last.
found = sorted(glob.glob(os.path.join(build, "CMakeFiles", "*", "CMakeCXXCompiler.cmake")), key=os.path.getmtime)
with open(found[-1], encoding="utf-8") as file:
    is_gcc = re.search(r'^set\(CMAKE_CXX_COMPILER_ID "GNU"\)$', file.read(), re.MULTILINE)
problems = 0
for name, limit in LIMITS.items():
    if is_gcc and name == "libKiln.so":
        print(f"{name}: no limit for builds by GCC")
        continue
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
