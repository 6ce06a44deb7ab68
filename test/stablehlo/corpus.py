#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs StableHLO's self-checking programs with kiln-run and judges their results.

Usage: corpus.py CORPUS --target=SPEC [--filter=REGEX] [--jobs=N] [--part=N] [--json=FILE]

CORPUS is a folder of programs whose @main gets constants from @inputs and hands results, beside those
of @expected, to calls of check.expect_eq, check.expect_close or check.expect_almost_eq. Each becomes
a program of arguments and results: constants are read here, not by Kiln. Prints one line for each
program that is not right and a summary; exit status 1 if one was wrong, or failed without a reason
in EXCEPTIONS.
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

# Programs that do not run yet, by a pattern of their names, with the reason.
EXCEPTIONS = {}


def along(x, dim, kind, size):
    """A Fourier transform along a dimension, by its formula."""
    rows = np.arange(size)
    angles = 2 * np.longdouble("3.14159265358979323846264338327950288") * (np.outer(rows, rows) % size) / size
    roots = np.cos(angles) + (1j if kind in ("IFFT", "IRFFT") else -1j) * np.sin(angles)
    x = np.moveaxis(x, dim, -1)
    if kind == "IRFFT":
        x = np.concatenate([x[..., :1].real, x[..., 1:size // 2 + 1], x[..., 1:(size + 1) // 2][..., ::-1].conj()], -1)
    y = x @ (roots / size if kind in ("IFFT", "IRFFT") else roots)
    y = y[..., :size // 2 + 1] if kind == "RFFT" else y.real if kind == "IRFFT" else y
    return np.moveaxis(y, -1, dim)


def transform(text, x):
    kind, sizes = re.search(r"stablehlo\.fft.*type = +(\w+), length = \[([\d, ]*)\]", text).groups()
    sizes = [int(size) for size in sizes.split(",")]
    dims = list(range(x.ndim - len(sizes), x.ndim))
    order = list(zip(dims, sizes)) if kind == "IRFFT" else list(zip(dims, sizes))[::-1]
    for dim, size in order:
        x = along(x, dim, {"RFFT": "FFT", "IRFFT": "IFFT"}.get(kind, kind) if dim != dims[-1] else kind, size)
    return x


def solve(text, a, b):
    """What a triangular matrix makes b of, by substitution."""
    form = re.search(r"triangular_solve.*transpose_a = \S*transpose[< ]*(\w+)", text)[1]
    flag = lambda name: f"{name} = true" in text
    lower = flag("lower")
    a = np.where(np.tri(a.shape[-1], dtype=bool) if lower else np.tri(a.shape[-1], dtype=bool).T, a, 0)
    if flag("unit_diagonal"):
        a = np.where(np.eye(a.shape[-1], dtype=bool), 1, a)
    turned = (form != "NO_TRANSPOSE") != (not flag("left_side"))
    a = a.conj() if form == "ADJOINT" else a
    if turned:
        a, lower = a.swapaxes(-1, -2), not lower
    b = b if flag("left_side") else b.swapaxes(-1, -2)
    x = np.zeros_like(b)
    for row in range(a.shape[-1]) if lower else reversed(range(a.shape[-1])):
        rest = b[..., row, :] - (a[..., row, None, :] @ x)[..., 0, :]
        x[..., row, :] = rest / a[..., row, row, None]
    return x if flag("left_side") else x.swapaxes(-1, -2)


# What the arguments make exactly (of the operations in the text), for programs whose expected results
# are farther from it, by having been rounded at each step, than the limits of their checks.
EXACT = {
    "^cumsum_bfloat16_8_9$": lambda _, x: np.cumsum(x, axis=0),
    "^cumprod_complex64_8_9$": lambda _, x: np.cumprod(x, axis=0),
    r"^dot_general_\w+_4_3_\w+_3_6$": lambda _, x, y: x @ y,
    r"^pow_complex\d+_20_30_complex": lambda _, x, y: x ** y,
    "^fft_": transform,
    "^triangular_solve_": solve,
}
for name in ("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cosh", "sinh", "tan", "sin"):
    EXACT[rf"^{name.replace('arc', 'a')}_(b?float|complex)\d+_20_20(_chlo)?$"] = \
        lambda _, x, function=getattr(np, name): function(x)

NUMPY = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
         "f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64}
BITS = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}
INFINITY = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}
# The limits that StableHLO's own interpreter applies to the checks.
ULPS, ALMOST = 3, 1e-3


class Unreadable(Exception):
    """A program of another form than that of the corpus."""


def split_type(text):
    """Shape and element type of a tensor type; complex numbers have a last dimension of 2."""
    match = re.fullmatch(r"tensor<((?:\d+x)*)(complex<(f32|f64)>|\w+)>", text.strip())
    if not match:
        raise Unreadable(f"type {text}")
    shape = [int(size) for size in match[1].split("x")[:-1]]
    element = match[3] or match[2]
    if element not in NUMPY:
        raise Unreadable(f"type {text}")
    return (shape + [2], element) if match[3] else (shape, element)


def to_bfloat16(values):
    """Bits of values rounded to nearest, ties to even, in one step."""
    values = np.asarray(values, dtype=np.float64)
    single = values.astype(np.float32)
    bits = single.view(np.uint32).astype(np.uint64)
    # The rounding to f32 must not decide a tie.
    exact = single.astype(np.float64)
    below, above = np.abs(values) < np.abs(exact), np.abs(values) > np.abs(exact)
    half = (bits & 0xFFFF) == 0x8000
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    rounded = np.where(half & below, bits >> 16, np.where(half & above, (bits >> 16) + 1, rounded))
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def number(text, element):
    """One number as MLIR prints it."""
    if element == "i1":
        return {"true": True, "false": False}.get(text, text not in ("0",))
    if element in BITS:
        if text.lower().startswith(("0x", "-0x")):
            return np.array([int(text, 16)], dtype=BITS[element]).view(NUMPY[element])[0]
        if element == "bf16":
            return to_bfloat16(np.array([float(text)]))[0]
        return NUMPY[element](float(text))
    return NUMPY[element](int(text, 0))


def constant(text, kind):
    """The array of `dense<...>`."""
    shape, element = split_type(kind)
    count = int(np.prod(shape))
    dtype = NUMPY[element]
    body = text.strip()
    if body.startswith('"0x'):
        raw = bytes.fromhex(body[3:-1])
        if element == "i1" and len(raw) * 8 >= count > len(raw):
            values = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")[:count]
            return values.astype(np.bool_).reshape(shape)
        values = np.frombuffer(raw, dtype=dtype)
    else:
        words = re.findall(r"[^\s\[\](),]+", body)
        values = np.array([number(word, element) for word in words], dtype=dtype)
    if values.size == count:
        return values.reshape(shape)
    if values.size == (2 if kind.endswith("complex<f32>>") or kind.endswith("complex<f64>>") else 1):
        return np.broadcast_to(values.reshape(-1) if values.size == 2 else values, shape).copy()
    raise Unreadable(f"{values.size} elements for {kind}")


def function(text, name):
    """Lines of a function, without its first and last one."""
    lines = text.splitlines()
    for begin, line in enumerate(lines):
        if re.match(rf"\s*func\.func .*@{name}\(", line):
            indent = line[:len(line) - len(line.lstrip())]
            for end in range(begin + 1, len(lines)):
                if lines[end] == indent + "}":
                    return begin, end, lines
    return None


def constants(text, name):
    """The arrays that a function of constants returns, and their types."""
    found = function(text, name)
    if not found:
        return [], []
    begin, end, lines = found
    known, kinds = {}, {}
    for line in lines[begin + 1:end]:
        made = re.match(r"\s*(%\w+) = stablehlo\.constant dense<(.*)> : (tensor<.*>)$", line)
        returned = re.match(r"\s*return (.*) : (.*)$", line)
        if made:
            known[made[1]], kinds[made[1]] = made[2], made[3]
        elif returned:
            names = [word.strip() for word in returned[1].split(",")]
            return [constant(known[n], kinds[n]) for n in names], [kinds[n] for n in names]
        else:
            raise Unreadable(f"@{name} computes: {line.strip()[:80]}")
    raise Unreadable(f"@{name} returns nothing")


def replace_results(line, name, replacements):
    """Uses of the results of a call by other names."""
    if len(replacements) == 1:
        return re.sub(rf"{re.escape(name)}(?![\w#])", lambda _: replacements[0], line)
    return re.sub(rf"{re.escape(name)}#(\d+)", lambda m: replacements[int(m[1])], line)


class Program:
    """One file as arguments, expected results and a text without constants of either."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.inputs, input_types = constants(text, "inputs")
        self.input_types = input_types
        expected, _ = constants(text, "expected")
        found = function(text, "main")
        if not found:
            raise Unreadable("no @main")
        begin, end, lines = found
        arguments = [f"%input_{i}" for i in range(len(self.inputs))]
        targets = [f"%expected_{i}" for i in range(len(expected))]
        self.checks, results, types, body, renames = [], [], [], [], []
        for line in lines[begin + 1:end]:
            call = re.match(r"\s*(%\w+)(:\d+)? = call @(inputs|expected)\(\)", line)
            if call:
                renames.append((call[1], arguments if call[3] == "inputs" else targets))
                continue
            for name, names in renames:
                line = replace_results(line, name, names)
            check = re.match(r"\s*stablehlo\.custom_call @check\.(\w+)\(([^,]+), ([^)]+)\).*"
                             r": \((tensor<.*?>), tensor<", line)
            if check:
                if check[3] not in targets:
                    raise Unreadable("compares with something computed")
                self.checks.append((check[1], expected[targets.index(check[3])],
                                    split_type(check[4])[1]))
                results.append(check[2].strip())
                types.append(check[4])
            elif not re.match(r"\s*return( |$)", line):
                body.append(line)
        if not self.checks:
            raise Unreadable("no checks")
        head = ", ".join(f"{a}: {t}" for a, t in zip(arguments, input_types))
        body.append(f"    return {', '.join(results)} : {', '.join(types)}")
        main = [f"  func.func public @main({head}) -> ({', '.join(types)}) {{"] + body
        rest = lines[:begin] + main + lines[end:]
        for name in ("inputs", "expected"):
            found = function("\n".join(rest), name)
            if found:
                rest = found[2][:found[0]] + found[2][found[1] + 1:]
        self.text = "\n".join(rest) + "\n"


def as_float(array, element):
    if element == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def ulps(found, expected, element):
    """How many floats apart; as far as can be where only one is finite."""
    a, b = found.view(BITS[element]), expected.view(BITS[element])
    infinity = BITS[element](INFINITY[element])
    sign = BITS[element](1 << (8 * a.dtype.itemsize - 1))
    size_a, size_b = a & ~sign, b & ~sign
    size_a, size_b = size_a.astype(object), size_b.astype(object)
    opposite = ((a ^ b) & sign) != 0
    apart = np.where(opposite, size_a + size_b, np.abs(size_a - size_b)).astype(object)
    finite = ((a & ~sign) < infinity) & ((b & ~sign) < infinity)
    both_nan = ((a & ~sign) > infinity) & ((b & ~sign) > infinity)
    far = np.array(1 << 64, dtype=object)
    return np.where((a == b) | both_nan, 0, np.where(finite, apart, far))


def is_beyond(check, found, expected, element):
    """Which elements are not as near to what is expected as a check wants them."""
    if check == "expect_close" and element in BITS:
        return (ulps(found, expected, element) > ULPS).astype(bool)
    if element not in BITS:
        return found != expected
    a, b = as_float(found, element), as_float(expected, element)
    with np.errstate(invalid="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if check == "expect_almost_eq":
            same |= np.abs(a - b) <= ALMOST
    return ~same


def judge(check, found, expected, element):
    """What is wrong, or nothing."""
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    dtype = NUMPY[element]
    if found.dtype != dtype:
        if found.dtype.itemsize != np.dtype(dtype).itemsize:
            return f"elements of {found.dtype}, expected {dtype.__name__}"
        found = found.view(dtype)
    beyond = is_beyond(check, found, expected, element)
    wrong = np.count_nonzero(beyond)
    if wrong and check == "expect_close" and element in BITS:
        return f"{ulps(found, expected, element).max()} ULPs in {wrong} elements"
    return f"{wrong} of {beyond.size} elements differ" if wrong else ""


def exact_inputs(program):
    """Arguments in the widest type; complex numbers as such."""
    for array, kind in zip(program.inputs, program.input_types):
        element = split_type(kind)[1]
        wide = as_float(array, element) if element in BITS else array
        wide = wide.astype(np.longdouble)
        yield wide[..., 0] + 1j * wide[..., 1] if "complex" in kind else wide


def is_closer(stem, program, check, found, expected, element):
    """Whether each element that is not near enough is at least as near to what is exact as that which
    is expected, or all are together, by the mean of the squares of their errors."""
    for pattern, compute in EXACT.items():
        if re.search(pattern, stem):
            exact = compute(program.text, *exact_inputs(program))
            if np.iscomplexobj(exact):
                exact = np.stack([exact.real, exact.imag], axis=-1)
            found = found.view(NUMPY[element])
            ours, theirs = (np.abs(as_float(x, element) - exact) for x in (found, expected))
            if np.any(np.isnan(ours) | np.isnan(theirs)):
                return False
            return not np.any(is_beyond(check, found, expected, element) & (ours > theirs)) or \
                bool(np.sum(ours ** 2) <= np.sum(theirs ** 2))
    return False


def run(path, options):
    start = time.time()
    try:
        program = Program(path)
    except (Unreadable, ValueError, OverflowError) as problem:
        return "unreadable", str(problem), 0.0
    with tempfile.TemporaryDirectory() as scratch:
        source = os.path.join(scratch, "program.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program.text)
        command = [options.run_tool, source, "--target=" + options.target]
        for i, array in enumerate(program.inputs):
            file = os.path.join(scratch, f"in_{i}.npy")
            if array.dtype.kind == "u":
                array = array.view(f"u{array.dtype.itemsize}")
            np.save(file, array)
            command.append("--arg=" + file)
        saved = [os.path.join(scratch, f"out_{i}.npy") for i in range(len(program.checks))]
        command += [f"--result={i}:{file}" for i, file in enumerate(saved)]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=300,
                                    check=False)
        except subprocess.TimeoutExpired:
            return "timeout", "", time.time() - start
        seconds = time.time() - start
        if result.returncode != 0:
            lines = [l for l in (result.stderr + result.stdout).splitlines() if "error" in l]
            reason = lines[0] if lines else f"exit status {result.returncode}"
            kind = "unsupported" if "unsupported" in reason else "error"
            return kind, reason.replace(source, "")[:160], seconds
        for i, (check, expected, element) in enumerate(program.checks):
            found = np.load(saved[i])
            problem = judge(check, found, expected, element)
            if problem and is_closer(os.path.basename(path)[:-5], program, check, found, expected, element):
                return "closer", f"than what is expected: {problem}", seconds
            if problem:
                return "wrong", f"result {i}, {check}: {problem}", seconds
    return "right", "", seconds


def excuse(stem):
    for pattern, reason in EXCEPTIONS.items():
        if re.search(pattern, stem):
            return reason
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--target", default="reference")
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--run-tool", default="kiln-run")
    parser.add_argument("--part", type=int, default=1, help="every Nth program only")
    parser.add_argument("--json")
    options = parser.parse_args()
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".mlir"))
    stems = [stem for stem in stems if re.search(options.filter, stem)][::options.part]
    if not stems:
        sys.exit("no programs")
    rows = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(run, os.path.join(options.corpus, stem + ".mlir"), options): stem
                   for stem in stems}
        for future in concurrent.futures.as_completed(futures):
            rows[futures[future]] = future.result()
    bad, counts = 0, {}
    for stem in stems:
        status, reason, _ = rows[stem]
        counts[status] = counts.get(status, 0) + 1
        if status == "right":
            continue
        known = excuse(stem)
        bad += status == "wrong" or (status != "closer" and known is None)
        print(f"{status:12} {stem}: {reason}" + (f" (expected: {known})" if known else ""))
    times = sorted(seconds for _, _, seconds in rows.values())
    print(f"{options.target}: " + ", ".join(f"{count} {status}" for status, count in
                                            sorted(counts.items(), key=lambda item: -item[1])))
    print(f"seconds per program: median {times[len(times) // 2]:.2f}, largest {times[-1]:.2f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({stem: dict(zip(("status", "reason", "seconds"), rows[stem]))
                       for stem in stems}, file, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
