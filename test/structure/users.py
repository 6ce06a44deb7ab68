#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that each operation of stage has users in two code generators at least: for CPUs, for GPUs, for machines that compute in one
explicit memory. A user names the operation, or an interface that dialects/stage/Models.cpp attaches to it. FEWER lists the others; it
may only get shorter. Usage: users.py SOURCE"""
import glob
import os
import re
import sys

from report import close

GENERATORS = {
    "CPUs": ("lib/CodeGen/Cpu/*",),
    "GPUs": ("lib/CodeGen/Gpu/*",),
    "scratchpads": ("lib/Compiler/Staging/Scratchpad*", "lib/Compiler/Staging/CountedRings.*", "lib/Compiler/Staging/VectorRegions.cpp",
                    "sdk/examples/systolic/compiler/*"),
}
FEWER = {
    "prefetch": "GPUs and scratchpads copy ahead instead",
    "prefetch_ahead": "GPUs and scratchpads copy ahead instead",
}

ATTACHED = re.compile(r"\battach<(\w+), ([\w, ]+)>")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    root = sys.argv[1]
    code = {generator: "\n".join(read(path) for pattern in patterns for path in sorted(glob.glob(os.path.join(root, pattern)))
                                 if path.endswith((".h", ".cpp")))
            for generator, patterns in GENERATORS.items()}
    models = os.path.join(root, "dialects/stage/Models.cpp")
    interfaces = {name: listed.split(", ") for name, listed in ATTACHED.findall(read(models))} if os.path.exists(models) else {}
    count, problems = 0, []
    for path in sorted(glob.glob(os.path.join(root, "include/kiln/Dialect/Stage/*.td"))):
        for name, mnemonic in re.findall(r'^def Stage_(\w+)\s*:\s*Stage_Op<"(\w+)"', read(path), re.MULTILINE):
            count += 1
            names = "|".join([name] + interfaces.get(name, []))
            users = [generator for generator, text in code.items() if re.search(rf"\bstage::(?:{names})\b", text)]
            if len(users) < 2 and mnemonic not in FEWER:
                problems.append(f"stage.{mnemonic}: expected two code generators that use it, found {', '.join(users) or 'none'}")
            elif len(users) >= 2 and mnemonic in FEWER:
                problems.append(f"stage.{mnemonic}: has users in {' and '.join(users)}: take it out of FEWER in test/structure/users.py")
    return close(problems, f"{count} operations of stage")


if __name__ == "__main__":
    sys.exit(main())
