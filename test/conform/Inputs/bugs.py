# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds one bug after the other and sees that the suite finds each, in a case whose message names
the operation that the bug is in. Usage: bugs.py PLUGIN FOLDER [NAME...]"""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# Bug -> level/operation, and what narrows its cases down.
BUGS = {
    "nan-padding-is-zero": ("tile/tile.load", "f32/nan/"),
    "padding-value-is-lost": ("tile/tile.load", "f32/value/"),
    "load-one-off": ("tile/tile.load", "i32/zero/"),
    "load-step-is-one": ("tile/tile.load", "i32/step/"),
    "store-one-off": ("tile/tile.store", "f32/assign/"),
    "store-does-not-combine": ("tile/tile.store", "i32/combine-add/"),
    "store-max-is-unsigned": ("tile/tile.store", "i32/combine-max/"),
    "gather-next-row": ("tile/tile.load_gather", "f32/"),
    "scatter-one-off": ("tile/tile.store_scatter", "f32/"),
    "program-ids-swapped": ("tile/tile.program_id", ""),
    "last-block-is-lost": ("tile/tile.num_blocks", ""),
    "mask-edge": ("tile/tile.load_ptr", "f32/block64"),
    "other-is-zero": ("tile/tile.load_ptr", "f32/block64"),
    "store-mask-is-lost": ("tile/tile.store_ptr", "f32/block64"),
    "offsets-are-unsigned": ("tile/tile.ptr_add", "f32,i8/"),
    "race": ("tile/tile.atomic_rmw", "i32/(counter|add)"),
    "atomic-max-is-min": ("tile/tile.atomic_rmw", "i32/max"),
    "swaps-without-comparing": ("tile/tile.atomic_cas", "i32/own"),
    "relative-error": ("tile/arith.addf", "f32/flat"),
    "exp-is-coarse": ("tile/math.exp", "f32/flat"),
    "max-drops-nan": ("tile/arith.maximumf", "f32/flat"),
    "min-forgets-zero-signs": ("tile/arith.minimumf", "f32/flat"),
    "divides-by-reciprocal": ("tile/arith.divf", "f32/flat"),
    "negates-by-subtracting": ("tile/arith.negf", "f32/flat"),
    "root-by-reciprocal": ("tile/math.sqrt", "f32/flat"),
    "fma-rounds-twice": ("tile/math.fma", "f32/flat"),
    "ties-away-from-zero": ("tile/math.roundeven", "f32/flat"),
    "flushes-subnormals": ("tile/math.absf", "f32/flat"),
    "loses-bits-of-nan": ("tile/math.absf", "f32/flat"),
    "nan-is-less": ("tile/arith.cmpf", "f32->i1/flat.predicate4"),
    "bf16-truncated": ("tile/arith.truncf", "f32->bf16/flat"),
    "signs-are-lost": ("tile/arith.sitofp", "i32->f32/flat"),
    "extends-with-zeros": ("tile/arith.extsi", "i8->i32/flat"),
    "fp8-saturates": ("tile/tile.convert_float", "f32->f8E4M3FN/flat.rounding0/"),
    "rounds-to-nearest": ("tile/tile.convert_float", "f32->f16/flat.rounding1/"),
    "divides-down": ("tile/arith.divsi", "i32/flat"),
    "remainder-is-unsigned": ("tile/arith.remsi", "i32/flat"),
    "shift-keeps-sign": ("tile/arith.shrui", "i32/flat"),
    "max-is-signed": ("tile/arith.maxui", "i32/flat"),
    "compares-signed": ("tile/arith.cmpi", "i32->i1/flat.predicate6"),
    "selects-the-other": ("tile/arith.select", "i1,f32,f32|f32/flat"),
    "zeros-of-zero": ("tile/math.ctlz", "i32/flat"),
    "wrong-lane": ("tile/tile.reduce", "(f32|i32)/add.-8x64"),
    "fold-drops-nan": ("tile/tile.reduce", "f32/maximumf-8x64"),
    "scan-one-off": ("tile/tile.scan", "i32/addi-64"),
    "scan-forgets-direction": ("tile/tile.scan", "i32/addi-64"),
    "sort-forgets-direction": ("tile/tile.sort", "i32/64"),
    "histogram-forgets-mask": ("tile/tile.histogram", "i32/256-16"),
    "gathers-backwards": ("tile/tile.gather", "i32/64"),
    "join-swapped": ("tile/tile.join", "i32/"),
    "split-swapped": ("tile/tile.split", "i32/"),
    "iota-from-one": ("tile/tile.iota", "i32/64"),
    "transposed-operand": ("tile/tile.dot", "f32/16x16x16"),
    "accumulator-is-lost": ("tile/tile.dot", "f32/16x16x16"),
    "factors-lose-bits": ("tile/tile.dot", "f32/16x16x16"),
    "loop-ends-early": ("tile/scf.for", "i32/sum-64"),
    "branch-negated": ("tile/scf.if", "i32/choice-64"),
}


def run(spec, plugin, pattern, path):
    command = ["kiln-conform", f"--target={spec}", f"--load-target={plugin}", f"--filter={pattern}",
               f"--json={path}", "--jobs=1"]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if not os.path.exists(path):
        return done.returncode, [], done.stdout + done.stderr
    with open(path, encoding="utf-8") as file:
        return done.returncode, json.load(file)["cases"], done.stdout + done.stderr


def check(plugin, folder, name):
    op, rest = BUGS[name]
    pattern = f"^{re.escape(op)}/({rest})" if "|" in rest else f"^{re.escape(op)}/{rest}"
    path = os.path.join(folder, f"{name}.json")
    status, cases, output = run(f"cpu,bug={name}", plugin, pattern, path)
    failed = [case for case in cases if case["status"] == "failed"]
    word = op.split("/")[1]
    named = [line for line in output.splitlines() if line.startswith("FAILED") and f": {word}: " in line]
    if status == 1 and failed and named:
        return True, f"{name}: found by {len(failed)} of {len(cases)} cases, such as {named[0].split(': ')[0][7:]}"
    return False, f"{name}: MISSED by {len(cases)} cases of {op}, status {status}\n{output[-600:]}"


def main():
    plugin, folder = sys.argv[1:3]
    names = sys.argv[3:] or list(BUGS)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: check(plugin, folder, name), names))
    for _, text in results:
        print(text)
    # Without a bug nothing is found.
    found = sum(good for good, _ in results)
    print(f"{found} of {len(results)} bugs found")
    return 0 if found == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
