# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every public function of every TOSA file in a folder on the cpu and checks it.

Usage: run_corpus.py FOLDER [FILTER]
"""
import os
import re
import subprocess
import sys


def main():
    folder, failed, number = sys.argv[1], 0, 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if len(sys.argv) > 2 and not re.search(sys.argv[2], name):
            continue
        with open(path, encoding="utf-8") as file:
            functions = re.findall(r"^ *func\.func @(\w+)", file.read(), re.MULTILINE)
        for function in functions:
            number += 1
            command = ["kiln-run", path, "--target=cpu", "--check", "--entry=" + function]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            if result.returncode:
                failed += 1
                print("FAILED: %s\n%s%s" % (" ".join(command), result.stdout, result.stderr))
    print("%d functions, %d failed" % (number, failed))
    return 1 if failed or not number else 0


if __name__ == "__main__":
    sys.exit(main())
