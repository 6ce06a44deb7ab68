# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the functions of a target in units in the last place against the bounds that
docs/numerics.md states, at random numbers of all magnitudes, the values around small integers
and the special ones. The expected values are those of the target reference, rounded correctly.

Usage: functions.py NUMERICS.md TARGET FOLDER [COUNT]"""
import os
import re
import subprocess
import sys

import numpy as np

page, target, folder = sys.argv[1:4]
count = int(sys.argv[4]) if len(sys.argv) > 4 else 1 << 17
BINARY = {"atan2": 2, "powf": 2}
RESULTS = {"sincos": 2}
# Integer operands are measured elsewhere.
SKIPPED = {"fpowi"}


def bounds():
    """Name of an operation to its bound and, where that changes, the magnitude and what holds beyond."""
    with open(page, encoding="utf-8") as file:
        table = file.read().split("## math")[1].split("## ")[0]
    for names, text in re.findall(r"^\| (`.*?`) \| (\d+ ulp[^|]*(?:\\\|[^|]*)*) \|", table, re.MULTILINE):
        text = text.replace("\\|", "|")
        match = re.fullmatch(r"(\d+) ulp(?: for \|x\| <= 2\^(\d+), (\d+) ulp beyond)?\s*", text)
        assert match, f"docs/numerics.md: a bound that this test cannot read: {text}"
        near, power, far = match.groups()
        for name in re.findall(r"`(\w+)`", names):
            yield name, int(near), 2.0 ** int(power) if power else np.inf, int(far or near)


def numbers(seed):
    random = np.random.default_rng(seed)
    bits = random.integers(0, 1 << 32, count, dtype=np.uint32).view(np.float32)
    common = random.normal(scale=8, size=count).astype(np.float32)
    special = np.array([0, -0.0, 1, -1, 0.5, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38], np.float32)
    whole = np.arange(-128, 128, 0.25, dtype=np.float32)
    around = np.concatenate([whole, np.nextafter(whole, np.float32(np.inf)), np.nextafter(whole, np.float32(-np.inf))])
    return random.permutation(np.concatenate([bits, common, special, around]))


def order(values):
    """Numbers that count floats from the smallest up; both zeros are one."""
    bits = values.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def evaluate(name, arrays, spec, number=0):
    """Runs a kernel of the one operation; gives its result of that number."""
    size, block = len(arrays[0]), 1024
    views = "!tile.view<?xf32>"
    names = [f"%a{i}" for i in range(len(arrays))]
    params = ", ".join(f"{n}: {views} {{tile.readonly}}" for n in names)
    loads = "\n".join(f"  %t{i} = tile.load {n}[%i] : {views} -> tensor<{block}xf32>" for i, n in enumerate(names))
    operands = ", ".join(f"%t{i}" for i in range(len(arrays)))
    path = os.path.join(folder, f"{name}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"tile.kernel @f({params}, %r: {views} {{tile.noalias}}) {{\n  %i = tile.program_id : index\n{loads}\n"
                   f"  %y:{RESULTS.get(name, 1)} = math.{name} {operands} : tensor<{block}xf32>\n"
                   f"  tile.store %y#{number}, %r[%i] : tensor<{block}xf32>, {views}\n}}\n")
    command = ["kiln-run", path, f"--target={spec}", f"--grid={-(-size // block)}"]
    for i, array in enumerate(arrays):
        np.save(os.path.join(folder, f"{i}.npy"), array)
        command.append(f"--arg={os.path.join(folder, f'{i}.npy')}")
    result = os.path.join(folder, "r.npy")
    command += [f"--arg=zeros:f32:{size}", f"--save={len(arrays)}:{result}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load(result)


def main():
    failures = 0
    measured = [(number, *one) for one in bounds() if one[0] not in SKIPPED for number in range(RESULTS.get(one[0], 1))]
    for number, name, near, limit, far in measured:
        arrays = [numbers(seed) for seed in range(BINARY.get(name, 1))]
        expected = evaluate(name, arrays, "reference", number)
        found = evaluate(name, arrays, target, number)
        both = np.isnan(expected) & np.isnan(found)
        distance = np.where(both, 0, np.abs(order(found) - order(expected)))
        distance[np.isnan(expected) != np.isnan(found)] = 1 << 40
        bound = np.where(np.abs(arrays[0]) <= limit, near, far)
        bad = distance > bound
        print(f"{name}: at most {distance.max()} ulp, {bad.sum()} beyond the bound of {near}"
              + (f" (beyond {limit:g}: {far})" if far != near else ""))
        for i in np.flatnonzero(bad)[:3]:
            print(f"  {name}({', '.join(repr(a[i]) for a in arrays)}) = {found[i]!r}, expected {expected[i]!r}")
        failures += bool(bad.any())
    print(f"{failures} functions beyond their bounds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
