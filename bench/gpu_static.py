#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the machine code of recorded Triton launches, as Kiln and as Triton compile the same text; needs no GPU.

Usage: gpu_static.py CORPUS [--chip=CHIP ...] [--compiler=PATH] [--ptxas=PATH] [--filter=REGEX] [--every=N]
                     [--jobs=N] [--cache=FOLDER] [--json=FILE] [--summary]

Run it with a Python that has Triton 3.6 (its wheel brings the disassembler, too). `--ptxas` is the assembler for both;
without it each takes its own. `--cache` keeps what Triton made, so that the next run compiles only our side.
Prints for each chip a line for each kernel, ours/Triton's: registers, bytes of spills, mean bytes of an access of
global and of shared memory (l loads, s stores, a asynchronous copies), how often the banks of shared memory are accessed
over the least (`gpu_banks.py`), matrix instructions, barriers, instructions, shared memory; then the kernels in which
ours is worse, by category. `--summary` prints the categories alone, as the table in docs/nvidia-speed.md has them.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

import gpu_banks

MARK = b"KILNCUB1"
LINE = re.compile(r"^\s*/\*([0-9a-f]+)\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)(.*)$")
LABEL = re.compile(r"^(\.L_\w+):")
FAMILIES = {"LDG": "gl", "LD": "gl", "STG": "gs", "ST": "gs", "LDGSTS": "ga", "LDS": "sl", "LDSM": "sl", "STS": "ss",
            "STSM": "ss", "LDL": "spill_load", "STL": "spill_store"}
MATRIX = re.compile(r"^(HMMA|HGMMA|IMMA|IGMMA|QMMA|QGMMA|DMMA|BMMA|UTC\w*MMA)\b")
ATOMS = ("ATOMG", "RED", "REDG", "ATOM")


def width_of(opcode):
    """Bytes of one thread's access."""
    parts = opcode.split(".")
    if parts[0] in ("LDSM", "STSM"):
        return 4 * int(parts[-1]) if parts[-1] in ("2", "4") else 4
    for part in parts[1:]:
        if part in ("U8", "S8", "8"):
            return 1
        if part in ("U16", "S16"):
            return 2
        if part in ("64", "128", "256"):
            return int(part) // 8
    return 4


def parse(text):
    """Counts in a disassembled kernel."""
    labels, code = {}, []
    for line in text.splitlines():
        match = LABEL.match(line)
        if match:
            labels[match.group(1)] = len(code)
        match = LINE.match(line)
        if match:
            code.append((match.group(2), match.group(3)))
    loops = []
    for at, (opcode, rest) in enumerate(code):
        target = re.search(r"\((\.L_\w+)\)", rest) if opcode.startswith("BRA") else None
        # A branch to itself fills the end of the section.
        if target and labels.get(target.group(1), at) < at:
            loops.append((labels[target.group(1)], at))
    in_loop = [False] * len(code)
    for begin, end in loops:
        for at in range(begin, end + 1):
            in_loop[at] = True
    counts = collections.Counter()
    widths, matrix = {}, collections.Counter()
    for (opcode, rest), looped in zip(code, in_loop):
        base = opcode.split(".")[0]
        if base == "NOP" or (base == "BRA" and not rest.strip(" ;`()")):
            continue
        counts["instructions"] += 1
        counts["loop_instructions"] += looped
        family = FAMILIES.get(base)
        if family and family.startswith("spill"):
            counts[family] += width_of(opcode)
        elif family:
            widths.setdefault(family, collections.Counter())[width_of(opcode)] += 1
        elif MATRIX.match(base):
            matrix[".".join(opcode.split(".")[:2]) if base != "HMMA" else opcode] += 1
            counts["loop_matrix"] += looped
        elif base == "BAR":
            counts["barriers"] += 1
            counts["loop_barriers"] += looped
        elif base == "SHFL":
            counts["shuffles"] += 1
        elif base.startswith("UTMA") or base == "UBLKCP":
            counts["bulk_copies"] += 1
        elif base in ATOMS:
            counts["atomics"] += 1
        elif base == "CALL":
            counts["calls"] += 1
    return dict(counts, widths={key: dict(value) for key, value in widths.items()}, matrix=dict(matrix))


def tools():
    import triton
    return os.path.join(os.path.dirname(triton.__file__), "backends/nvidia/bin")


def disassemble(cubin, kernel):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = subprocess.run([os.path.join(tools(), "nvdisasm"), "-c", file.name], capture_output=True, text=True,
                              check=True).stdout
        usage = subprocess.run([os.path.join(tools(), "cuobjdump"), "-res-usage", file.name], capture_output=True,
                               text=True, check=True)
    usage = usage.stdout + usage.stderr
    result = parse(text)
    begin = usage.index(f"Function {kernel}:")
    result["registers"] = int(re.search(r"REG:(\d+)", usage[begin:]).group(1))
    result["stack"] = int(re.search(r"STACK:(\d+)", usage[begin:]).group(1))
    return result


def info_of(options, stem):
    with open(os.path.join(options.corpus, stem + ".json"), encoding="utf-8") as file:
        return json.load(file)


def ours(options, chip, stem):
    """What Kiln makes of a kernel."""
    info = info_of(options, stem)
    target = f"nvidia:{chip},warps={info['meta']['num_warps']}"
    with tempfile.TemporaryDirectory() as folder:
        package, assembly = os.path.join(folder, "a.kpkg"), os.path.join(folder, "a.ptx")
        for extra in [[f"--target={target}" + (f",ptxas={options.ptxas}" if options.ptxas else ""), "-o", package],
                      [f"--target={target},ptxas=none", "--emit=asm", "-o", assembly]]:
            made = subprocess.run([options.compiler, "--in-process", os.path.join(options.corpus, stem + ".ttir"),
                                   "--no-fallback"] + extra, capture_output=True, text=True, check=False)
            if made.returncode:
                return {"error": made.stderr.strip().splitlines()[0] if made.stderr.strip() else "no message"}
        with open(package, "rb") as file:
            data = file.read()
        with open(assembly, encoding="utf-8") as file:
            banks = gpu_banks.totals(gpu_banks.kernels(file.read())[info["kernel"]])
        text = subprocess.run([os.path.join(os.path.dirname(options.compiler), "kiln-run"), "--inspect", package],
                              capture_output=True, text=True, check=True).stdout
    result = disassemble(data[data.index(MARK) + len(MARK) + 4:], info["kernel"])
    shared = re.search(r"local_bytes! (\d+)", text)
    result["shared"] = int(shared.group(1)) if shared else 0
    result["threads"] = int(re.search(r"threads! (\d+)", text).group(1))
    result["banks"] = banks
    return result


def theirs(options, chip, stem):
    """What Triton makes of it."""
    kept = os.path.join(options.cache, f"{stem}.{chip}.json") if options.cache else None
    if kept and os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            result = json.load(file)
        if "error" in result or "banks" in result:
            return result
    import triton
    from triton.backends.compiler import GPUTarget
    info = info_of(options, stem)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        try:
            kernel = triton.compile(
                os.path.join(options.corpus, stem + ".ttir"),
                target=GPUTarget("cuda", int(re.search(r"\d+", chip).group()), 32),
                options={"num_warps": info["meta"]["num_warps"], "num_stages": info["meta"]["num_stages"]})
        except Exception as error:  # a kernel that fails is a row of the table
            return {"error": f"{type(error).__name__}: {error}"[:200]}
        result = disassemble(kernel.asm["cubin"], info["kernel"])
        result["shared"] = kernel.metadata.shared
        result["threads"] = 32 * kernel.metadata.num_warps
        result["banks"] = gpu_banks.totals(gpu_banks.kernels(kernel.asm["ptx"])[info["kernel"]])
    if kept:
        with open(kept, "w", encoding="utf-8") as file:
            json.dump(result, file)
    return result


def both(options, chip, stem):
    row = {"stem": stem, "chip": chip, "grid": info_of(options, stem)["grid"]}
    row["ours"], row["theirs"] = ours(options, chip, stem), theirs(options, chip, stem)
    return row


def mean_width(side, family):
    """Mean bytes of the accesses of a family; of `g` and `s` over loads, stores and copies."""
    counts = collections.Counter()
    for key, widths in side["widths"].items():
        if key.startswith(family):
            counts.update({int(width): count for width, count in widths.items()})
    total = sum(counts.values())
    return sum(width * count for width, count in counts.items()) / total if total else None


def occupancy(side, chip):
    """Warps that an SM holds."""
    shared, warps = {"sm_80": (163840, 64), "sm_90a": (232448, 64), "sm_100": (232448, 64)}.get(chip, (102400, 48))
    block = side["threads"] // 32
    registers = -(-side["registers"] // 8) * 8 * 32
    blocks = min(warps // block, 65536 // registers // block, 32)
    return block * min(blocks, shared // (side["shared"] + 1024))


def flops(side):
    """Multiplications of a warp in the text, which says how many instructions a product has by their size."""
    total = 0
    for name, count in side["matrix"].items():
        size = name.split(".")[1]
        shape = [int(n) for n in size.split("x")] if "x" in size else {"1688": (16, 8, 8), "16816": (16, 8, 16),
                                                                       "16832": (16, 8, 32), "884": (8, 8, 4)}.get(size)
        total += math.prod(shape) * count if shape else 0
    return total


def matrix_kind(side):
    """The family of the products: HGMMA before HMMA before none, the largest size of it."""
    names = sorted(side["matrix"], key=lambda name: ("GMMA" in name or "UTC" in name, len(name.split(".")[1])))
    return ".".join(names[-1].split(".")[:2]) if names else ""


def waits(side):
    """Accesses of the banks for each that is needed."""
    return side["banks"]["wavefronts"] / side["banks"]["least"] if side["banks"]["least"] else 1


def bank_conflicts(a, b, chip):
    x, y = waits(a), waits(b)
    return x > 1.05 * y and f"{x:.2f} of {y:.2f}"


def narrower(family, loads):
    def check(a, b, chip):
        mine, other = mean_width(a, family + loads), mean_width(b, family + loads)
        return mine and other and mine < 0.8 * other and f"{mine:.1f} of {other:.1f} B"
    return check


def more(key, factor, least):
    def check(a, b, chip):
        x, y = a.get(key, 0), b.get(key, 0)
        return x > factor * y and x - y >= least and f"{x} of {y}"
    return check


def spills(a, b, chip):
    x, y = ((side.get("spill_load", 0) + side.get("spill_store", 0)) for side in (a, b))
    return x > 1.25 * y and f"{x} of {y} B"


def fewer_warps(a, b, chip):
    x, y = occupancy(a, chip), occupancy(b, chip)
    return x < 0.8 * y and f"{x} of {y} warps, {a['registers']} of {b['registers']} registers, " \
        f"{a['shared']} of {b['shared']} B"


def older_matrix(a, b, chip):
    x, y = matrix_kind(a), matrix_kind(b)
    rank = {"": 0}
    return y and rank.get(x, len(x)) < rank.get(y, len(y)) and f"{x or 'none'} of {y}"


def without_copies(a, b, chip):
    return (b["widths"].get("ga") or b.get("bulk_copies")) and not a["widths"].get("ga") and \
        not a.get("bulk_copies") and f"none of {sum(b['widths'].get('ga', {}).values())}"


CATEGORIES = {
    "spills": spills,
    "registers (1.25 times and 16 more)": more("registers", 1.25, 16),
    "warps of an SM": fewer_warps,
    "narrower global loads": narrower("g", "l"),
    "narrower global stores": narrower("g", "s"),
    "narrower copies": narrower("g", "a"),
    "no asynchronous copies": without_copies,
    "narrower shared loads": narrower("s", "l"),
    "narrower shared stores": narrower("s", "s"),
    "bank conflicts (1.05 times)": bank_conflicts,
    "matrix instructions of an older kind": older_matrix,
    "barriers": more("barriers", 1.5, 2),
    "barriers in loops": more("loop_barriers", 1.5, 1),
    "instructions (1.5 times)": more("instructions", 1.5, 64),
    "instructions in loops (1.5 times)": more("loop_instructions", 1.5, 32),
    "shared memory (1.25 times)": more("shared", 1.25, 2048),
}


def pair(a, b, key):
    return f"{a.get(key, 0)}/{b.get(key, 0)}"


def widths_text(a, b):
    parts = []
    for family, name in (("gl", "gl"), ("gs", "gs"), ("ga", "ga"), ("sl", "sl"), ("ss", "ss")):
        sides = [mean_width(side, family) for side in (a, b)]
        if any(sides):
            parts.append(name + " " + "/".join(f"{side:.3g}" if side else "-" for side in sides))
    return " ".join(parts)


def matrix_text(side):
    return "+".join(f"{count} {'.'.join(name.split('.')[:2])}" for name, count in side["matrix"].items()) or "-"


def line_of(row):
    a, b = row["ours"], row["theirs"]
    for name, side in (("ours", a), ("triton", b)):
        if "error" in side:
            return f"{row['stem']}: {name}: {side['error']}"
    spill = "/".join(str(side.get("spill_load", 0) + side.get("spill_store", 0)) for side in (a, b))
    text = f"{row['stem']}: r {pair(a, b, 'registers')} spill {spill} {widths_text(a, b)}"
    if a["banks"]["shared"] or b["banks"]["shared"]:
        text += f" banks {waits(a):.3g}/{waits(b):.3g}"
        if a["banks"]["data"] or b["banks"]["data"]:
            text += f" (by data {a['banks']['data']}/{b['banks']['data']})"
    if a["matrix"] or b["matrix"]:
        text += f" m {matrix_text(a)} / {matrix_text(b)}"
    return text + f" bar {pair(a, b, 'barriers')} (loops {pair(a, b, 'loop_barriers')}) i " \
        f"{pair(a, b, 'instructions')} (loops {pair(a, b, 'loop_instructions')}) smem {pair(a, b, 'shared')}"


def mean_ratio(rows, key):
    """Geometric mean of ours over Triton's."""
    return math.exp(statistics.mean(math.log((row["ours"].get(key, 0) + 1) / (row["theirs"].get(key, 0) + 1))
                                    for row in rows)) if rows else float("nan")


def report(chip, rows, options):
    good = [row for row in rows if "error" not in row["ours"] and "error" not in row["theirs"]]
    if not options.summary:
        print(f"== {chip}: ours/triton's ==")
        for row in rows:
            print(line_of(row))
        print()
    print(f"{chip}: {len(rows)} kernels, {len(good)} compared, "
          f"{sum('error' in row['ours'] for row in rows)} that Kiln and "
          f"{sum('error' in row['theirs'] for row in rows)} that Triton does not compile")
    print(", ".join(f"{key} {mean_ratio(good, key):.2f}" for key in
                    ("registers", "instructions", "loop_instructions", "barriers", "shared", "shuffles"))
          + " of Triton's (geometric means, each with 1 added), banks "
          + (f"{statistics.geometric_mean(waits(row['ours']) / waits(row['theirs']) for row in good):.2f}" if good else "-"))
    print("| worse in | kernels | of those, fewer than Triton has |\n|---|---|---|" if options.summary else "")
    for name, check in CATEGORIES.items():
        worse = [(row["stem"], found) for row in good if (found := check(row["ours"], row["theirs"], chip))]
        better = sum(bool(check(row["theirs"], row["ours"], chip)) for row in good)
        if options.summary:
            print(f"| {name} | {len(worse)} | {better} |")
            continue
        print(f"-- {name}: {len(worse)} (Triton in {better})")
        for stem, found in worse:
            print(f"   {stem}: {found}")
    print()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--chip", action="append")
    parser.add_argument("--compiler", default="kiln-compile")
    parser.add_argument("--ptxas")
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache")
    parser.add_argument("--json")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    if options.ptxas:
        os.environ["TRITON_PTXAS_PATH"] = options.ptxas
        os.environ["TRITON_PTXAS_BLACKWELL_PATH"] = options.ptxas
    if options.cache:
        os.makedirs(options.cache, exist_ok=True)
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".ttir"))
    stems = [stem for stem in stems if re.search(options.filter, stem)][::options.every]
    rows = []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for chip in options.chip or ["sm_90a", "sm_80"]:
            these = list(pool.map(both, *zip(*((options, chip, stem) for stem in stems))))
            report(chip, these, options)
            rows += these
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
