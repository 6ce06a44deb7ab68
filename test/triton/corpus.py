#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs recorded Triton launches with kiln-run and compares the results with the recording.

Usage: corpus.py CORPUS --target=SPEC [--filter=REGEX] [--jobs=N] [--json=FILE] [--list]

CORPUS is a folder of cases, each a .ttir, a .json and an .npz with one stem, as record.py writes
them. Prints one line for each case that is not right and a summary; exit status 1 if a
case failed that EXCEPTIONS does not name.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

OUTSIDE = "reads outside of its buffers: "
RACE = "several instances write the same elements: "
QUOTIENT = ("integers cut from quotients, which the recording machine divides only approximately: "
            "off by one")

# Cases with no single right answer, each with the reason.
EXCEPTIONS = {
    "chunk_gla_simple__chunk_simple_gla_fwd_kernel_o": OUTSIDE + "h has half of the rows",
    "fused_recurrent_delta__fused_recurrent_bwd_kernel":
        OUTSIDE + "do and dht are one element, expanded",
    "fused_recurrent_retention__fused_recurrent_retention_bwd_kernel":
        OUTSIDE + "do is one element, expanded",
    "token_attn_reduceV___fwd_kernel_token_att2": OUTSIDE + "heads are divided by 0",
    "kv_cache_filling___fill_kv_cache_kernel__1": RACE + "BlockOffsets repeats blocks",
    "spinning_lock_reduction__spinning_lock_kernel":
        RACE + "each writes its part again after it has unlocked it",
    "kv_cache_filling___fill_kv_cache_quant_kernel": RACE + "BlockOffsets repeats blocks",
    "quantize_copy_kv___fwd_kernel_destindex_copy_quantize_kv__2": RACE + "Dest_loc repeats rows",
    "quantize_kv_copy___fwd_kernel_destindex_copy_quantize_kv__1": RACE + "Dest_loc repeats rows",
    "quantize_kv_copy___fwd_kernel_destindex_copy_quantize_kv__2":
        "writes outside of its buffers: Dest_loc is row 5 of 1",
}

# Cases that are compared by a looser rule: the tolerance, and the reason. For integers the
# tolerance is how far they may be apart.
LOOSER = {
    "int8_matmul_quantization__quantize_int8_perrow_kernel": (1, QUOTIENT),
    "quantize_copy_kv___fwd_kernel_destindex_copy_quantize_kv__1": (1, QUOTIENT),
    "quantize_kv_transform___fwd_kernel_destindex_copy_quantize_kv": (1, QUOTIENT),
}


def lookup(table, stem):
    """The entry for a case, or for all launches of its kernel."""
    return table.get(stem) or table.get(stem.rsplit("__", 1)[0])


STORAGE = {
    "float64": np.float64, "float32": np.float32, "float16": np.float16,
    "bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8,
    "int64": np.int64, "int32": np.int32, "int16": np.int16, "int8": np.int8,
    "uint8": np.uint8, "bool": np.bool_,
}
POINTEE = {"!tt.ptr<f16>": np.float16, "!tt.ptr<f32>": np.float32, "!tt.ptr<i32>": np.int32,
           "!tt.ptr<i8>": np.int8, "!tt.ptr<bf16>": np.uint16}
TOLERANCE = {"float64": 1e-5, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2,
             "float8_e4m3fn": 0.13, "float8_e5m2": 0.26}


def to_bfloat16(values):
    """Bits of float32 values rounded to nearest, ties to even."""
    bits = values.astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def from_bfloat16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def small_float_table(exponent_bits, mantissa_bits, has_infinity):
    """All values of an 8-bit float type."""
    bias = (1 << (exponent_bits - 1)) - 1
    table = np.zeros(256, dtype=np.float32)
    for code in range(256):
        sign = -1.0 if code >> 7 else 1.0
        exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
        mantissa = code & ((1 << mantissa_bits) - 1)
        last = (1 << exponent_bits) - 1
        if exponent == last and has_infinity:
            value = np.inf if mantissa == 0 else np.nan
        elif exponent == last and mantissa == (1 << mantissa_bits) - 1:
            value = np.nan
        elif exponent == 0:
            value = mantissa * 2.0 ** (1 - bias - mantissa_bits)
        else:
            value = (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)
        table[code] = sign * value
    return table


SMALL = {"float8_e5m2": small_float_table(5, 2, True),
         "float8_e4m3fn": small_float_table(4, 3, False)}


def encode(values, dtype):
    if dtype == "bfloat16":
        return to_bfloat16(values)
    if dtype in SMALL:
        table = SMALL[dtype]
        codes = np.arange(128)[np.isfinite(table[:128])]
        positive = table[codes]
        magnitude = np.minimum(np.abs(values), positive.max())
        upper = np.clip(np.searchsorted(positive, magnitude), 1, len(codes) - 1)
        below, above = positive[upper - 1], positive[upper]
        middle = (below + above) / 2
        even = codes[upper] % 2 == 0
        up = (magnitude > middle) | ((magnitude == middle) & even)
        code = np.where(up, codes[upper], codes[upper - 1])
        return (code | np.where(np.signbit(values), 128, 0)).astype(np.uint8)
    return values.astype(STORAGE[dtype])


def decode(storage, dtype):
    if dtype == "bfloat16":
        return from_bfloat16(storage)
    if dtype in SMALL:
        return SMALL[dtype][storage]
    return storage


def make_storage(arg, arrays):
    """The whole storage of a tensor before the launch. Drawn numbers may repeat after `period` elements."""
    init, dtype = arg["init"], arg["dtype"]
    count = init["n"]
    if 0 < init.get("period", 0) < count:
        return np.resize(make_storage(dict(arg, init=dict(init, n=init["period"])), arrays), count)
    if count == 0:
        return np.zeros(1, dtype=STORAGE[dtype])
    if init["kind"] == "raw":
        return np.frombuffer(arrays["in_" + arg["arg"]].tobytes(), dtype=STORAGE[dtype]).copy()
    if init["kind"] == "const":
        return encode(np.full(count, init["value"], dtype=np.float64), dtype)
    if init["kind"] == "integers":
        return np.random.default_rng(init["seed"]).integers(init["lo"], init["hi"], count, STORAGE[dtype],
                                                            endpoint=True)
    low, high = np.float32(init["lo"]), np.float32(init["hi"])
    values = np.random.default_rng(init["seed"]).random(count, dtype=np.float32)
    return encode(values * np.float32(high - low) + low, dtype)


def parameters(text):
    """Names and types of the kernel's parameters, in order."""
    begin = text.index("tt.func public")
    begin = text.index("(", begin)
    depth, end = 0, begin
    for end in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            break
    return re.findall(r"%([\w.$-]+): (!tt\.\w+<[^>]*>+|\w+)", text[begin:end])


class Case:
    def __init__(self, folder, stem):
        self.stem, self.path = stem, os.path.join(folder, stem)
        with open(self.path + ".json", encoding="utf-8") as file:
            self.info = json.load(file)
        with open(self.path + ".ttir", encoding="utf-8") as file:
            self.text = file.read()

    def run(self, target, run_tool, extra, packages=None):
        arrays = np.load(self.path + ".npz")
        by_name = {arg["arg"]: arg for arg in self.info["args"]}
        with tempfile.TemporaryDirectory() as scratch:
            program = [self.path + ".ttir", "--target=" + target]
            if packages:
                program = [os.path.join(packages, self.stem + ".kpkg")]
                if not os.path.exists(program[0]):
                    return "unsupported", "no package", 0.0
            command = [run_tool] + program + \
                ["--grid=" + ",".join(map(str, self.info["grid"]))] + extra
            outputs = []
            for index, (name, kind) in enumerate(parameters(self.text)):
                arg = by_name[name]
                if kind.startswith("!tt.ptr") and arg["t"] != "tensor":
                    # A wrapped tensor, which the recording does not describe.
                    file = os.path.join(scratch, name + ".npy")
                    largest = max(a.get("init", {}).get("n", 0) for a in by_name.values())
                    np.save(file, np.zeros(largest, dtype=POINTEE[kind]))
                    command.append(f"--arg={file}+0")
                    continue
                if arg["t"] != "tensor":
                    command.append(f"--arg={kind}:{arg['value']}")
                    continue
                owner = by_name[arg["alias"]] if "alias" in arg else arg
                file = os.path.join(scratch, owner["arg"] + ".npy")
                if not os.path.exists(file):
                    np.save(file, make_storage(owner, arrays))
                command.append(f"--arg={file}+{arg['offset']}")
                if "out_" + name in arrays and owner["init"]["n"]:
                    saved = os.path.join(scratch, f"out_{index}.npy")
                    command.append(f"--save={index}:{saved}")
                    outputs.append((name, arg, saved))
            start = time.time()
            try:
                result = subprocess.run(command, capture_output=True, text=True, timeout=120,
                                        check=False)
            except subprocess.TimeoutExpired:
                return "timeout", "", time.time() - start
            seconds = time.time() - start
            if result.returncode != 0:
                lines = [l for l in (result.stderr + result.stdout).splitlines() if "error" in l]
                reason = lines[0] if lines else f"exit status {result.returncode}"
                kind = "unsupported" if "unsupported" in reason else "error"
                return kind, reason.replace(self.path, ""), seconds
            for name, arg, saved in outputs:
                problem = self.compare(name, arg, np.load(saved), arrays["out_" + name])
                if problem:
                    return "differs", problem, seconds
            return "right", "", seconds

    def tolerance(self, dtype):
        """How far floats may be from right, as a share of the largest."""
        tolerance = TOLERANCE[dtype]
        if dtype == "float32" and re.search(r"arith\.truncf .* to tensor<\S*xf16>", self.text):
            # Sums that the kernel rounds to f16 before it stores them as f32.
            tolerance = TOLERANCE["float16"]
        elif dtype == "float32" and re.search(r"tt\.dot|tt\.reduce|tt\.scan|atomic", self.text):
            tolerance = 1e-4
        looser = lookup(LOOSER, self.stem)
        return max(tolerance, looser[0]) if looser and looser[0] < 1 else tolerance

    @staticmethod
    def sample(arg, storage):
        """The elements of a tensor that a recording has."""
        count = len(storage)
        found = decode(storage, arg["dtype"])
        if count > 2048:
            found = found[np.sort(np.random.default_rng(7).choice(count, 2048, replace=False))]
        return found

    def compare(self, name, arg, storage, expected):
        found = self.sample(arg, storage)
        looser = lookup(LOOSER, self.stem)
        if arg["dtype"] not in TOLERANCE:
            apart = np.abs(found.astype(np.int64) - expected.astype(found.dtype).astype(np.int64))
            wrong = np.count_nonzero(apart > (looser[0] if looser else 0))
            return f"{name}: {wrong} of {len(found)} integers differ" if wrong else ""
        found, expected = found.astype(np.float64), expected.astype(np.float64)
        tolerance = self.tolerance(arg["dtype"])
        same = (found == expected) | (np.isnan(found) & np.isnan(expected))
        finite = expected[np.isfinite(expected)]
        scale = max(np.abs(finite).max(initial=0.0), 1e-30)
        with np.errstate(invalid="ignore"):
            error = np.where(same, 0.0, np.abs(found - expected) / scale)
        worst = np.nanmax(np.where(np.isnan(error), np.inf, error), initial=0.0)
        return f"{name}: error {worst:.3g} of the largest, tolerance {tolerance:g}" \
            if worst > tolerance else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--run-tool", default="kiln-run")
    parser.add_argument("--packages",
                        help="run the packages STEM.kpkg in here: for machines without the compiler")
    parser.add_argument("--extra", action="append", default=[], help="more arguments for kiln-run")
    parser.add_argument("--part", type=int, default=1, help="every Nth case only")
    parser.add_argument("--json")
    options = parser.parse_args()
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".json"))
    stems = [stem for stem in stems if re.search(options.filter, stem)]
    stems = stems[::options.part]
    rows = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(Case(options.corpus, stem).run, options.target, options.run_tool,
                               options.extra, options.packages): stem for stem in stems}
        for future in concurrent.futures.as_completed(futures):
            rows[futures[future]] = future.result()
    unexpected = 0
    counts = {}
    for stem in stems:
        status, reason, seconds = rows[stem]
        counts[status] = counts.get(status, 0) + 1
        if status == "right":
            continue
        excuse = lookup(EXCEPTIONS, stem)
        unexpected += excuse is None
        print(f"{status:12} {stem}: {reason}" + (f" (expected: {excuse})" if excuse else ""))
    times = sorted(seconds for _, _, seconds in rows.values())
    print(f"{options.target}: " + ", ".join(f"{count} {status}" for status, count in
                                            sorted(counts.items(), key=lambda item: -item[1])))
    print(f"seconds per case: median {times[len(times) // 2]:.2f}, largest {times[-1]:.2f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({stem: dict(zip(("status", "reason", "seconds"), rows[stem]))
                       for stem in stems}, file, indent=1)
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
