# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs functions of TOSA and compares with what the specification prescribes.

Usage: run_cases.py FOLDER MODULE [FILTER]    writes files to FOLDER; MODULE holds the cases
"""
import importlib
import os
import re
import subprocess
import sys

import cases


def main():
    folder, module = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    first = 0 if module == "cases" else len(cases.CASES)
    importlib.import_module(module)
    chosen = [c for c in cases.CASES[first:] if len(sys.argv) < 4 or re.search(sys.argv[3], c.name)]
    failed = 0
    for case in chosen:
        path = os.path.join(folder, case.name)
        with open(path + ".mlir", "w", encoding="utf-8") as file:
            file.write(case.text)
        command = ["kiln-run", path + ".mlir", "--target=cpu", "--check"]
        for i, tensor in enumerate(case.args):
            tensor.write("%s.a%d.npy" % (path, i))
            command.append("--arg=%s.a%d.npy" % (path, i))
        for i, tensor in enumerate(case.results):
            tensor.write("%s.r%d.npy" % (path, i))
            command.append("--expect=%d:%s.r%d.npy" % (i, path, i))
        if case.tolerance:
            command += ["--rtol=%g" % case.tolerance, "--atol=%g" % case.tolerance]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            failed += 1
            print("FAILED: %s\n  %s\n%s%s" % (case.name, " ".join(command), result.stdout, result.stderr))
    print("%d cases, %d failed" % (len(chosen), failed))
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
