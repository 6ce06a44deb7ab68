# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of linalg, tensor, memref and scf with the results that numpy gives.

Usage: cases_linalg.py FOLDER MODULE [FILTER]    writes files to FOLDER; MODULE holds the cases
"""
import importlib
import os
import re
import subprocess
import sys

import numpy

CASES = []
RANDOM = numpy.random.default_rng(7)


def case(name, text, args, results, tolerance=1e-5):
    CASES.append((name, text, args, results, tolerance))


def floats(*shape):
    return RANDOM.uniform(-2, 2, shape).astype(numpy.float32)


def integers(*shape, dtype=numpy.int32, low=-50, high=50):
    return RANDOM.integers(low, high, shape).astype(dtype)


def generic(maps, kinds, ins, outs, body, results):
    """A linalg.generic: maps of one iteration space, operands with their types."""
    def operands(word, list_of):
        return "%s(%s : %s)" % (word, ", ".join(n for n, _ in list_of), ", ".join(t for _, t in list_of)) \
            if list_of else ""
    return "linalg.generic {indexing_maps = [%s], iterator_types = [%s]} %s %s {\n%s\n} -> %s" % (
        ", ".join("affine_map<%s>" % m for m in maps),
        ", ".join('"parallel"' if k == "p" else '"reduction"' for k in kinds),
        operands("ins", ins), operands("outs", outs), body, results)


def elementwise(name, operation, kind, args, results):
    """A body of linalg.generic over vectors of one type; results alone, or with their types."""
    size = args[0].size
    tensor, count = "tensor<%dx%s>" % (size, kind), len(args)
    names = ["%x", "%y", "%z"][:count]
    kinds = [kind] * len(results) if isinstance(results, list) else results[1]
    results = results if isinstance(results, list) else results[0]
    outs = ["tensor<%dx%s>" % (size, k) for k in kinds]
    empties = "\n".join("  %%e%d = tensor.empty() : %s" % (i, t) for i, t in enumerate(outs))
    made = "%r" if len(outs) == 1 else "%%r:%d" % len(outs)
    case(name, "func.func @f(%s) -> (%s) {\n%s\n  %s = linalg.generic {indexing_maps = [%s], iterator_types = "
         "[\"parallel\"]} ins(%s : %s) outs(%s : %s) {\n  ^bb0(%s, %s):\n%s\n  } -> (%s)\n  return %s : %s\n}" % (
             ", ".join("%s: %s" % (n, tensor) for n in names), ", ".join(outs), empties, made,
             ", ".join(["affine_map<(i) -> (i)>"] * (count + len(outs))), ", ".join(names),
             ", ".join([tensor] * count), ", ".join("%%e%d" % i for i in range(len(outs))), ", ".join(outs),
             ", ".join("%%i%s: %s" % (n[1:], kind) for n in names),
             ", ".join("%%o%d: %s" % (i, k) for i, k in enumerate(kinds)), operation, ", ".join(outs),
             "%r" if len(outs) == 1 else ", ".join("%%r#%d" % i for i in range(len(outs))), ", ".join(outs)),
         args, results)


def main():
    folder, module = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    cases = importlib.import_module(module).CASES
    chosen = [c for c in cases if len(sys.argv) < 4 or re.search(sys.argv[3], c[0])]
    failed = 0
    for name, text, args, results, tolerance in chosen:
        path = os.path.join(folder, name)
        with open(path + ".mlir", "w", encoding="utf-8") as file:
            file.write(text)
        command = ["kiln-run", path + ".mlir", "--target=cpu", "--check",
                   "--rtol=%g" % tolerance, "--atol=%g" % tolerance]
        for i, array in enumerate(args):
            if isinstance(array, str):
                command.append("--arg=" + array)
                continue
            numpy.save("%s.a%d.npy" % (path, i), array)
            command.append("--arg=%s.a%d.npy" % (path, i))
        for i, array in enumerate(results):
            numpy.save("%s.r%d.npy" % (path, i), array)
            command.append("--expect=%d:%s.r%d.npy" % (i, path, i))
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            failed += 1
            print("FAILED: %s\n  %s\n%s%s" % (name, " ".join(command), result.stdout, result.stderr))
    print("%d cases, %d failed" % (len(chosen), failed))
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.modules["cases_linalg"] = sys.modules["__main__"]
    sys.exit(main())
