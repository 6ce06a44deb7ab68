#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the machine code of recorded Triton launches for AMD's GPUs, as Kiln and as Triton compile the same text.
Needs no GPU: what is executed is executed on the simulated device.

Usage: amd_static.py CORPUS [--chip=CHIP ...] [--tools=FOLDER] [--filter=REGEX] [--every=N] [--jobs=N]
                     [--cache=FOLDER] [--json=FILE] [--execute] [--summary] [--gates]

Run it with a Python that has Triton 3.6 and numpy. `--cache` keeps what Triton made. `--execute` also runs both code
objects on the recorded launch and counts wave instructions and bank accesses of LDS. Prints for each chip a line for each kernel, ours/Triton's, and the table of docs/amd.md.
`--gates` compares the measures with GATES, prints what is worse, and fails then.

What is compared (docs/amd.md defines the measures): instructions, registers (`.vgpr_count`), bytes of LDS and of scratch
memory, waves of a SIMD (occupancy), density and cover of matrix instructions in the hot loop, barriers there, accesses
to buffers, DPP and permlane against ds_bpermute and ds_swizzle, executed wave instructions, the bank factor.
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

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, os.path.join(SOURCE, "test", "triton"))

MATRIX = re.compile(r"^v_(?:mfma|smfmac|wmma|swmmac)_(?:scale_)?(\w+?)_(\d+)x(\d+)x(\d+)_?(?:\d+b_)?(\w*)")
GLOBAL_LOAD = re.compile(r"^(global|flat|buffer)_load")
WAITS = re.compile(r"vmcnt\((\d+)\)|s_wait_loadcnt\s+(\w+)")
NOT_ISSUED = ("s_nop", "s_waitcnt", "s_wait_", "s_sleep", "s_code_end", "s_delay_alu")


def rate(kind, m, k, source):
    """Floating point operations of one SIMD's matrix core in a cycle, by published peaks of MI300X and MI355X."""
    wide = (m == 16 and k >= 32) or (m == 32 and k >= 16)
    if "f8f6f4" in source:
        return 2048
    if "xf32" in source:
        return 256
    if source in ("f32", "f64") or kind == "f64":
        return 64
    if "i8" in source or "iu8" in source:
        return 2048 if wide and k >= 64 else 1024
    if "8" in source:
        return 1024
    return 1024 if wide else 512


def matrix_cycles(opcode):
    match = MATRIX.match(opcode)
    if not match:
        return 0
    if opcode.startswith("v_wmma"):
        return 16
    kind, m, n, k, source = match.group(1), *map(int, match.group(2, 3, 4)), match.group(5)
    return max(8, 2 * m * n * k // rate(kind, m, k, source))


class Instruction:
    __slots__ = ("opcode", "text", "cycles", "target")

    def __init__(self, text):
        self.text = text
        self.opcode = text.split()[0]
        self.cycles = matrix_cycles(self.opcode)
        words = text.split()
        self.target = words[-1] if self.opcode.startswith(("s_branch", "s_cbranch")) else None


def body_of(assembly, kernel):
    """The instructions of a kernel, and where its labels are."""
    code, labels, inside = [], {}, False
    for line in assembly.splitlines():
        label = re.match(r"^([\w.$]+):", line)
        if label:
            if label.group(1) == kernel:
                inside = True
            labels[label.group(1)] = len(code)
            continue
        if not inside:
            continue
        text = line.split(";")[0].strip()
        if text.startswith(".section") or text.startswith(".end_amdhsa") or text.startswith(".size"):
            break
        if text and not text.startswith((".", "#", "/")) and not text.startswith("s_code_end"):
            code.append(Instruction(text))
    while code and code[-1].opcode in ("s_nop", "s_code_end"):
        code.pop()
    return code, labels


def loops_of(code, labels):
    """Each loop once: from the target of a backward branch to the last branch there."""
    ends = {}
    for at, one in enumerate(code):
        begin = labels.get(one.target, len(code)) if one.target else len(code)
        if begin <= at:
            ends[begin] = max(ends.get(begin, 0), at)
    return [code[begin:end + 1] for begin, end in ends.items()]


def hot_loop(code, labels):
    """Of the loops that multiply and have no other such loop in them, the one with the most matrix cycles. What stands
    around an inner loop runs less often than the text of an outer loop says."""
    multiply = [loop for loop in loops_of(code, labels) if any(one.cycles for one in loop)]
    parts = [set(map(id, loop)) for loop in multiply]
    inner = [loop for loop, all_of_it in zip(multiply, parts) if not any(part < all_of_it for part in parts)]
    return max(inner, key=lambda loop: (sum(one.cycles for one in loop), len(loop)), default=[])


def repeated(text):
    """What Triton's waves multiply, over what they have to, by the layouts of its text for a GPU: the matrix instructions
    of all waves side by side may cover more than the result of a product, and waves multiply the same then."""
    layouts = {}
    for name, warps, shape in re.findall(
            r"^(#\w+) = #ttg\.amd_(?:mfma|wmma)<\{.*?warpsPerCTA = \[([\d, ]+)\](?:.*?instrShape = \[([\d, ]+)\])?",
            text, re.M):
        layouts[name] = (list(map(int, warps.split(","))), list(map(int, (shape or "16, 16").split(",")))[:2])
    done = needed = 0
    for depth, sizes, name in re.findall(
            r"= tt\.dot(?:_scaled)? .*?: tensor<(?:\d+x)*(\d+)x\w+, .*-> tensor<([\dx]+)x\w+, (#\w+)>", text):
        warps, shape = layouts.get(name, ([1, 1], [1, 1]))
        extents = list(map(int, sizes.split("x")))
        covered = [w * s for w, s in zip(warps[-2:], shape)]
        work = math.prod(extents) * int(depth)
        needed += work
        done += work * math.prod(max(1, c // e) for c, e in zip(covered, extents[-2:]))
    return done / needed if needed else 1


def registers_in(text):
    """Vector registers that an operand list names."""
    found = set()
    for first, last, single in re.findall(r"\bv\[(\d+):(\d+)\]|\bv(\d+)\b", text):
        found |= set(range(int(first), int(last) + 1)) if first else {int(single)}
    return found


def cover_of(loop):
    """Matrix cycles between a load of global memory and the first wait that its result needs, the mean over the loads;
    None without loads. The loop is wrapped around once."""
    twice, found = loop + loop, []
    for at in range(len(loop)):
        if not GLOBAL_LOAD.match(loop[at].opcode):
            continue
        cycles, behind = 0, 0
        for one in twice[at + 1:at + 1 + len(loop)]:
            wait = WAITS.search(one.text)
            if wait and int(wait.group(1) or wait.group(2), 0) <= behind:
                break
            behind += bool(GLOBAL_LOAD.match(one.opcode))
            cycles += one.cycles
        found.append(cycles)
    return statistics.mean(found) if found else None


def measure(assembly, kernel, chip):
    """What the text of a kernel says."""
    code, labels = body_of(assembly, kernel)
    meta = assembly[assembly.rindex("amdhsa.kernels"):]
    for part in re.split(r"\n  - (?=\.)", meta)[1:]:
        if re.search(rf"\.name:\s+'?{re.escape(kernel)}'?\s", part):
            meta = part
            break

    def number(key):
        match = re.search(rf"\.{key}:\s+(\d+)", meta)
        return int(match.group(1)) if match else 0
    counts = collections.Counter(one.opcode.split("_e32")[0] for one in code)

    def count(pattern):
        return sum(n for name, n in counts.items() if re.match(pattern, name))
    hot = hot_loop(code, labels)
    cycles = sum(one.cycles for one in hot)
    others = sum(1 for one in hot if not one.cycles and not one.opcode.startswith(NOT_ISSUED))
    registers = max(number("vgpr_count"), 1)
    granule, file = (8, 512) if chip.startswith("gfx9") else (16, 1024)
    most = 8 if chip.startswith("gfx9") else 16
    return {
        "instructions": len(code), "registers": number("vgpr_count"), "lds": number("group_segment_fixed_size"),
        "scratch": number("private_segment_fixed_size"), "spills": number("vgpr_spill_count"),
        "waves": min(most, file // (math.ceil(registers / granule) * granule)),
        "buffer": count(r"buffer_(load|store|atomic)"), "global": count(r"(global|flat)_"),
        "dpp": sum(1 for one in code if re.search(r"_dpp|quad_perm|row_\w+:|v_permlane", one.text)),
        "crossbar": count(r"ds_(bpermute|swizzle|permute)"), "mfma": sum(1 for one in code if one.cycles),
        "barriers": sum(1 for one in hot if one.opcode in ("s_barrier", "s_barrier_signal")),
        "density": cycles / (cycles + 4 * others) if cycles else None,
        "cover": cover_of(hot) if cycles else None,
    }


COUNTERS = re.compile(r"counters of '(\S+)':(.*?); bytes.*lds cycles (\d+), bank conflicts (\d+)")


def counted(run, program, folder, extra):
    """Calls `run` with a program that adds its counters to a file: the verdict, and for each kernel what was counted."""
    log, script = os.path.join(folder, "log"), os.path.join(folder, "run.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec {program} "$@" {extra} 2>>{log}\n')
    os.chmod(script, 0o755)
    verdict = run(script)[0]
    found = {}
    if os.path.exists(log):
        with open(log, encoding="utf-8") as file:
            for name, classes, cycles, conflicts in COUNTERS.findall(file.read()):
                one = found.setdefault(name, collections.Counter())
                one["executed"] += sum(map(int, re.findall(r" (\d+)", classes)))
                one["cycles"] += int(cycles)
                one["conflicts"] += int(conflicts)
    return verdict, found


def ours(args, chip, case, folder):
    """Kiln's code: measures of the kernel that the recorded launch runs."""
    spec, assembly = f"amd:{chip}", os.path.join(folder, "k.s")
    done = subprocess.run([os.path.join(args.tools, "kiln-compile"), case.path + ".ttir", f"--target={spec}", "--emit=asm",
                           "-o", assembly], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no code")
    with open(assembly, encoding="utf-8") as file:
        text = file.read()
    kernels = re.findall(r"\.amdhsa_kernel\s+(\S+)", text)
    if not kernels:
        raise RuntimeError("no kernel")
    # Without a run: the variant with views, which recorded launches take.
    name, executed = next((kernel for kernel in kernels if kernel.endswith("_views")), kernels[0]), {}
    if args.execute:
        verdict, found = counted(lambda tool: case.run(spec + ",device=sim,checks=0,counters=1", tool, []),
                                 os.path.join(args.tools, "kiln-run"), folder, "")
        if found:
            name = max(found, key=lambda kernel: found[kernel]["executed"])
            executed = dict(found[name], verdict=verdict)
    result = measure(text, name, chip)
    result["threads"] = threads_of(text, name)
    return {**result, **executed}


def threads_of(text, kernel):
    """Threads of a workgroup, as the metadata has them."""
    at = re.search(rf"\.name:\s+'?{re.escape(kernel)}'?\s", text)
    match = re.search(r"\.max_flat_workgroup_size:\s+(\d+)", text[text.rindex("\n  - ", 0, at.start()):]) if at else None
    return int(match.group(1)) if match else 0


def make_theirs(chip, case, cache):
    """Compiles by Triton what the cache lacks; whether there is code."""
    stem = os.path.join(cache, case.stem)
    if os.path.exists(stem + ".none"):
        return False
    if os.path.exists(stem + ".meta"):
        return True
    import triton
    from triton.backends.compiler import GPUTarget
    try:
        lanes = 64 if chip.startswith("gfx9") else 32
        # CDNA has no asynchronous copies that more stages would use.
        options = {"num_warps": case.info["meta"]["num_warps"], "num_stages": min(case.info["meta"]["num_stages"], 2)}
        made = triton.compile(case.path + ".ttir", target=GPUTarget("hip", chip, lanes), options=options)
    except Exception as error:  # what it declines, it declines in many ways
        with open(stem + ".none", "w", encoding="utf-8") as file:
            file.write(str(error))
        return False
    with open(stem + ".s", "w", encoding="utf-8") as file:
        file.write(made.asm["amdgcn"])
    with open(stem + ".hsaco", "wb") as file:
        file.write(made.asm["hsaco"])
    with open(stem + ".meta", "w", encoding="utf-8") as file:
        json.dump({"name": made.metadata.name, "num_warps": made.metadata.num_warps, "shared": made.metadata.shared,
                   "repeated": repeated(made.asm["ttgir"])}, file)
    return True


def theirs(args, chip, case, cache, folder):
    stem = os.path.join(cache, case.stem)
    with open(stem + ".meta", encoding="utf-8") as file:
        meta = json.load(file)
    with open(stem + ".s", encoding="utf-8") as file:
        result = measure(file.read(), meta["name"], chip)
    lanes = 64 if chip.startswith("gfx9") else 32
    result.update(threads=meta["num_warps"] * lanes, lds=meta["shared"])
    # What several waves multiply alike is done once.
    for key in ("density", "cover"):
        if result[key]:
            result[key] /= meta.get("repeated", 1)
    if args.execute:
        sys.path.insert(0, os.path.join(SOURCE, "test", "amd"))
        import oracle
        verdict, found = counted(lambda tool: oracle.run(case, cache, tool, lanes),
                                 os.path.join(args.tools, "kiln-amd-sim"), folder, "--counters --checks=0")
        result.update(found.get(meta["name"], {}), verdict=verdict)
    return result


def one(args, chip, case, cache):
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        try:
            mine = ours(args, chip, case, first)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return case.stem, None, None, str(error)
        return case.stem, mine, theirs(args, chip, case, cache, second), ""


def ratio(pairs, key):
    """The geometric mean of ours over Triton's, and over how many kernels."""
    logs = [math.log(mine[key] / other[key]) for mine, other in pairs if mine.get(key) and other.get(key)]
    return (f"{math.exp(statistics.mean(logs)):.2f}", len(logs)) if logs else ("-", 0)


def summary(chip, results):
    """The table of docs/amd.md for a chip."""
    pairs = [(mine, other) for _, mine, other, _ in results if mine and other]
    equal = [(mine, other) for mine, other in pairs if mine["threads"] == other["threads"]]
    loops = [(mine, other) for mine, other in equal if mine["density"] and other["density"]]
    covers = [(m["cover"], o["cover"]) for m, o in loops if m["cover"] is not None and o["cover"] is not None]
    rows = [(f"kernels, of them with equal waves ({chip})", f"{len(pairs)}, {len(equal)}")]
    for title, key in (("instructions", "instructions"), ("registers", "registers"), ("LDS", "lds"),
                       ("waves of a SIMD", "waves"), ("executed wave instructions", "executed")):
        value, count = ratio(equal, key)
        rows.append((f"{title}, geometric mean over {count}", value))
    value, count = ratio(loops, "density")
    rows.append((f"density of matrix instructions in {count} hot loops", value))
    if covers:
        rows.append((f"cover, mean cycles of {len(covers)} hot loops, ours and Triton's",
                     f"{statistics.mean(m for m, _ in covers):.0f}, {statistics.mean(o for _, o in covers):.0f}"))
        rows.append(("hot loops with a cover of 0", f"{sum(m == 0 for m, _ in covers)}, {sum(o == 0 for _, o in covers)}"))
    if loops:
        rows.append(("barriers of a hot loop with matrix instructions",
                     f"{statistics.mean(m['barriers'] for m, _ in loops):.1f}, "
                     f"{statistics.mean(o['barriers'] for _, o in loops):.1f}"))
    for title, key in (("accesses to buffers", "buffer"), ("DPP or permlane", "dpp"),
                       ("exchanges through the crossbar", "crossbar"), ("scratch memory", "scratch")):
        both = sum(bool(m[key]) and bool(o[key]) for m, o in pairs)
        rows.append((f"kernels with {title}; with both", f"{sum(bool(m[key]) for m, _ in pairs)}, "
                     f"{sum(bool(o[key]) for _, o in pairs)}; {both}"))
    factors = [[(one["cycles"] + one["conflicts"]) / one["cycles"] for one in pair] for pair in equal
               if all(one.get("cycles") for one in pair)]
    if factors:
        rows.append((f"bank factor, mean over {len(factors)}", ", ".join(
            f"{statistics.mean(factor[side] for factor in factors):.2f}" for side in (0, 1))))
    if args_execute(results):
        executed = [math.log(mine["executed"] / other["executed"]) for mine, other in pairs
                    if mine.get("executed") and other.get("executed")]
        rows.append((f"executed wave instructions of all {len(executed)} launches, whatever their waves",
                     f"{math.exp(statistics.mean(executed)):.2f}"))
        import corpus
        wrong = [[stem for stem, *sides, _ in results
                  if sides[side] is not None and sides[side].get("verdict") in ("differs", "error")] for side in (0, 1)]
        unclear = [sum(corpus.lookup(corpus.EXCEPTIONS, stem) is not None for stem in stems) for stems in wrong]
        rows.append(("not what was recorded, or an error; launches without one answer among them",
                     f"{len(wrong[0])}, {len(wrong[1])}; {unclear[0]}, {unclear[1]}"))
    return "\n".join(["| ours to Triton's | |", "|---|---|", *(f"| {title} | {value} |" for title, value in rows)])


# What the measures may be at worst, ours to Triton's: floors that keep what is reached, not goals. A loop that waits has a
# high density, so that cover is compared beside it.
GATES = {
    "instructions": 1.00, "registers": 1.00, "lds": 1.50, "executed": 1.10,  # geometric means, at most
    "density": 0.70, "cover": 0.75, "waves": 0.95,  # at least
    "bank": 1.10, "scratch": 0,  # of ours alone, at most
}


def gates(results):
    """What is worse than GATES, as text."""
    pairs = [(mine, other) for _, mine, other, _ in results if mine and other and mine["threads"] == other["threads"]]
    import corpus
    found = [f"{stem}: {problem}" for stem, _, _, problem in results if problem]
    found += [f"{stem}: our result {mine['verdict']}" for stem, mine, _, _ in results
              if mine and mine.get("verdict") in ("differs", "error") and not corpus.lookup(corpus.EXCEPTIONS, stem)]
    for key in ("instructions", "registers", "lds", "executed", "density", "waves"):
        # A few words of LDS for sums of waves are none that count.
        value, count = ratio([pair for pair in pairs if key != "lds" or pair[1]["lds"] > 1024], key)
        is_worse = count and (float(value) < GATES[key] if key in ("density", "waves") else float(value) > GATES[key])
        if is_worse:
            found.append(f"{key}: {value} of Triton's over {count} kernels, the gate is {GATES[key]}")
    covers = [(mine["cover"], other["cover"]) for mine, other in pairs
              if mine["cover"] is not None and other["cover"] is not None]
    if covers and sum(m for m, _ in covers) < GATES["cover"] * sum(o for _, o in covers):
        found.append(f"cover: {covers}, the gate is {GATES['cover']}")
    for stem, mine, other, _ in results:
        if mine and mine.get("cycles") and mine["mfma"]:
            factor = (mine["cycles"] + mine["conflicts"]) / mine["cycles"]
            if factor > GATES["bank"]:
                found.append(f"{stem}: bank factor {factor:.2f}, the gate is {GATES['bank']}")
        if mine and other and mine["scratch"] > max(GATES["scratch"], other["scratch"]):
            found.append(f"{stem}: {mine['scratch']} bytes of scratch memory")
    return found


def args_execute(results):
    return any(mine and "verdict" in mine for _, mine, _, _ in results)


def line_of(stem, mine, other):
    keys = ("threads", "instructions", "registers", "lds", "scratch", "buffer", "dpp", "crossbar", "mfma", "barriers",
            "density", "cover", "executed", "conflicts")

    def text(value):
        return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
    return f"{stem}: " + ", ".join(f"{key} {text(mine.get(key))}/{text(other.get(key))}" for key in keys
                                   if mine.get(key) is not None or other.get(key) is not None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--chip", action="append")
    parser.add_argument("--tools", default=os.path.join(SOURCE, "build", "bin"))
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cache")
    parser.add_argument("--json")
    parser.add_argument("--execute", action="store_true")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--gates", action="store_true")
    args = parser.parse_args()
    import corpus
    stems = sorted(name[:-5] for name in os.listdir(args.corpus) if name.endswith(".ttir"))
    stems = [stem for stem in stems if re.search(args.filter, stem)][::args.every]
    everything, worse = {}, []
    for chip in args.chip or ["gfx942"]:
        with tempfile.TemporaryDirectory() as temporary:
            cache = os.path.join(args.cache or temporary, chip)
            os.makedirs(cache, exist_ok=True)
            cases = [case for case in (corpus.Case(args.corpus, stem) for stem in stems) if make_theirs(chip, case, cache)]
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                results = []
                for result in pool.map(lambda case: one(args, chip, case, cache), cases):
                    results.append(result)
                    stem, mine, other, problem = result
                    if problem:
                        print(f"{stem}: {problem}", flush=True)
                    elif not args.summary:
                        print(line_of(stem, mine, other), flush=True)
        print(summary(chip, results))
        if args.gates:
            worse += [f"{chip}: {text}" for text in gates(results)]
        everything[chip] = [{"stem": stem, "ours": mine, "theirs": other} for stem, mine, other, _ in results]
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(everything, file, indent=1)
    if args.gates:
        print("\n".join(worse) if worse else "all gates hold")
        sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
