# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""elf-files.py runpath|versions|loaded ...: what the loader is told by the files of a tree.

  runpath FOLDER...   every entry of every RUNPATH is absolute or begins with $ORIGIN
  versions FOLDER     no symbol is newer than the oldest system that is supported
  loaded LOG PREFIX   what an LD_DEBUG=files log loaded lies below PREFIX, or is part of
                      the C and C++ libraries
"""
import os
import re
import subprocess
import sys

# What Red Hat Enterprise Linux 9 and Ubuntu 22.04 have.
OLDEST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}
SYSTEM = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libdl.so.2",
          "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def elf_files(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    head = file.read(18)
                # Programs and libraries; objects have neither.
                if head[:4] == b"\x7fELF" and head[16] in (2, 3):
                    yield path


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def runpath(*folders):
    count = 0
    for folder in folders:
        for path in elf_files(folder):
            count += 1
            for entries in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", run("readelf", "-d", path)):
                for entry in entries.split(":"):
                    if not entry.startswith(("/", "$ORIGIN")):
                        sys.exit(f"{path}: the run path '{entries}' has the entry '{entry}'")
    print(f"run paths of {count} files are absolute or relative to the file")


def versions(folder):
    for path in elf_files(folder):
        for name, number in re.findall(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)",
                                       run("objdump", "-T", path)):
            if tuple(map(int, number.split("."))) > OLDEST[name]:
                sys.exit(f"{path}: needs {name}_{number}")
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", path)))
        own = {name for _, _, names in os.walk(folder) for name in names}
        if needed - SYSTEM - own:
            sys.exit(f"{path}: needs {', '.join(sorted(needed - SYSTEM - own))}")
    print("versions are old enough")


def loaded(log, prefix):
    prefix = os.path.realpath(prefix) + "/"
    found = set()
    with open(log, encoding="utf-8", errors="replace") as file:
        for path in re.findall(r"calling init: (\S+)", file.read()):
            if os.path.basename(path) in SYSTEM or path.startswith("/proc/self/fd/"):
                continue
            if not os.path.realpath(path).startswith(prefix):
                sys.exit(f"{path} was loaded from outside of {prefix}")
            found.add(os.path.basename(path))
    print("loaded:", ", ".join(sorted(found)))


{"runpath": runpath, "versions": versions, "loaded": loaded}[sys.argv[1]](*sys.argv[2:])
