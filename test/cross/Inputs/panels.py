# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of odd sizes whose operands lie along either dimension, for each element type: all ways of packing panels.

Usage: panels.py write > FILE.mlir
       panels.py run PACKAGE PROCESSOR=COMMAND... : COMMAND runs kiln-run there; the results are compared with those here.

Floats agree within the rounding of the sums, integers are equal.
"""
import os
import re
import shlex
import subprocess
import sys

import numpy as np

# Rows, columns, depth, and whether the operands are transposed: less and more than a vector and a panel, and odd tails.
SIZES = [(33, 17, 31, False, False), (19, 65, 50, False, True), (50, 90, 70, True, False), (9, 40, 23, True, True),
         (1, 75, 37, False, True), (5, 3, 129, True, False)]
TYPES = {"f64": "f64", "f32": "f32", "f16": "f32", "bf16": "f32", "i8": "i32", "i16": "i32", "i32": "i32"}


def product(number, element, to):
    rows, columns, depth, left, right = SIZES[number]

    def operand(name, size, turned):
        lies = [str(s) for s in (reversed(size) if turned else size)]
        form, wanted = "x".join([*lies, element]), "x".join([*map(str, size), element])
        lines = [f"  %{name}l = tile.load %{name}[%c0, %c0] : !tile.view<{form}> -> tensor<{form}>"]
        if turned:
            lines.append(f"  %{name}t = tile.transpose %{name}l [1, 0] : tensor<{form}> -> tensor<{wanted}>")
        return lines, f"%{name}{'t' if turned else 'l'}", wanted, f"%{name}: !tile.view<{form}> {{tile.readonly}}"
    first, x, xs, parameter_x = operand(f"x{number}", (rows, depth), left)
    second, y, ys, parameter_y = operand(f"y{number}", (depth, columns), right)
    z = f"{rows}x{columns}x{to}"
    zero = "0.0" if to[0] == "f" else "0"
    body = [*first, *second, f"  %n{number} = arith.constant dense<{zero}> : tensor<{z}>",
            f"  %d{number} = tile.dot {x}, {y}, %n{number} : tensor<{xs}>, tensor<{ys}>, tensor<{z}>",
            f"  tile.store %d{number}, %z{number}[%c0, %c0] : tensor<{z}>, !tile.view<{z}>"]
    return body, [parameter_x, parameter_y, f"%z{number}: !tile.view<{z}> {{tile.noalias}}"]


def write():
    for element, to in TYPES.items():
        made = [product(number, element, to) for number in range(len(SIZES))]
        parameters = [parameter for _, own in made for parameter in own]
        print(f"tile.kernel @{element}({', '.join(parameters)}) {{")
        print("  %c0 = arith.constant 0 : index")
        print("\n".join(line for body, _ in made for line in body))
        print("}")


def run(command, package, element, folder):
    """The results of one kernel, and the target that made them; or none, and what went wrong."""
    os.makedirs(folder, exist_ok=True)
    files = [os.path.join(folder, f"{element}-{number}.npy") for number in range(len(SIZES))]
    saved = [f"--save={3 * number + 2}:{file}" for number, file in enumerate(files)]
    done = subprocess.run([*command, package, f"--entry={element}", "--grid=1", *saved], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        return None, f"exit {done.returncode}: {done.stderr.strip()}"
    used = re.search(r"note: target (\S+) is used", done.stderr)
    return [np.load(file).astype(np.float64) for file in files], used.group(1) if used else "the first target"


def main():
    if sys.argv[1] == "write":
        return write()
    package = sys.argv[2]
    here = {element: run(["kiln-run"], package, element, "here") for element in TYPES}
    for argument in sys.argv[3:]:
        processor, _, command = argument.partition("=")
        right, targets = 0, set()
        for element in TYPES:
            expected, why = here[element]
            found, target = run(shlex.split(command), package, element, "there")
            if expected is None or found is None:
                print(f"{processor}: {element}: {why if expected is None else target}")
                continue
            targets.add(target)
            tolerance = {"f64": 1e-13, "i": 0}.get(element if element == "f64" else element[0], 1e-5)
            for number, (x, y) in enumerate(zip(found, expected)):
                if np.all(np.abs(x - y) <= tolerance * np.abs(y).max()):
                    right += 1
                else:
                    print(f"{processor}: {element} {SIZES[number]}: off by up to {np.nanmax(np.abs(x - y))}")
        print(f"{processor}: {' '.join(sorted(targets))}: {right} of {len(TYPES) * len(SIZES)} products as here")


if __name__ == "__main__":
    main()
