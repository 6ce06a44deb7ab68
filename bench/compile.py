#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what compiling costs as programs grow: seconds, peak memory and the size of the package.

Usage: bench/compile.py BUILD [BUILD...] [--only=REGEX] [--rounds=N] [--limit=SECONDS] [--json=FILE]

Programs are written by this script: N elementwise operations that fuse, N elementwise operations of N different
shapes, N equal products, N products of different sizes, and N layers of examples/llama_layer.mlir with weights of
their own. Each is compiled by each BUILD in turn (one after the other in every round, so that what else the machine
does hurts all alike); printed are the smallest time, the time of all processors in the program that took it (which
others disturb less), the peak memory of the compiler and its children, and the size of the package. A program that takes longer than the limit is reported as such.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

import psutil

# What is measured is the target, or nothing.
os.environ["KILN_NO_FALLBACK"] = "1"

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

def fused(count):
    """A chain of elementwise operations that ends in one kernel or a few."""
    kind = "tensor<64x256xf32>"
    lines = [f"func.func @main(%x0: {kind}, %y: {kind}) -> {kind} {{"]
    for i in range(count):
        op = ("add", "maximum", "sub", "minimum")[i % 4]
        lines.append(f"  %x{i + 1} = tosa.{op} %x{i}, %y : ({kind}, {kind}) -> {kind}")
    lines += [f"  return %x{count} : {kind}", "}"]
    return "\n".join(lines) + "\n"


def shapes(count):
    """Elementwise operations that nothing fuses: each has a shape of its own."""
    kinds = [f"tensor<{i + 1}x64xf32>" for i in range(count)]
    arguments = ", ".join(f"%x{i}: {kind}" for i, kind in enumerate(kinds))
    lines = [f"func.func @main({arguments}) -> ({', '.join(kinds)}) {{"]
    for i, kind in enumerate(kinds):
        lines.append(f"  %r{i} = tosa.add %x{i}, %x{i} : ({kind}, {kind}) -> {kind}")
    names = ", ".join(f"%r{i}" for i in range(count))
    lines += [f"  return {names} : {', '.join(kinds)}", "}"]
    return "\n".join(lines) + "\n"


def products(count):
    """A chain of equal products with one weight."""
    kind = "tensor<1x64x64xf32>"
    lines = [f"func.func @main(%x0: {kind}, %w: {kind}) -> {kind} {{",
             '  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>']
    for i in range(count):
        lines.append(f"  %x{i + 1} = tosa.matmul %x{i}, %w, %zp, %zp : "
                     f"({kind}, {kind}, tensor<1xf32>, tensor<1xf32>) -> {kind}")
    lines += [f"  return %x{count} : {kind}", "}"]
    return "\n".join(lines) + "\n"


def sizes(count):
    """Products of which no two have the same size."""
    arguments, lines, results, kinds = [], [], [], []
    for i in range(count):
        left, right, out = (f"tensor<1x{i + 1}x32xf32>", "tensor<1x32x48xf32>", f"tensor<1x{i + 1}x48xf32>")
        arguments += [f"%a{i}: {left}", f"%b{i}: {right}"]
        lines.append(f"  %r{i} = tosa.matmul %a{i}, %b{i}, %zp, %zp : "
                     f"({left}, {right}, tensor<1xf32>, tensor<1xf32>) -> {out}")
        results.append(f"%r{i}")
        kinds.append(out)
    return "\n".join([f"func.func @main({', '.join(arguments)}) -> ({', '.join(kinds)}) {{",
                      '  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>',
                      *lines, f"  return {', '.join(results)} : {', '.join(kinds)}", "}"]) + "\n"


def layers(count):
    """Layers in a row, each with its own weights and the constants of one."""
    with open(os.path.join(ROOT, "examples", "llama_layer.mlir"), encoding="utf-8") as file:
        text = file.read()
    head, body = re.search(r"func\.func @layer\((.*?)\) -> tensor<1x128x1024xf32> \{\n(.*?)\n  return (%\w+)",
                           text, re.DOTALL).group(1, 2)
    last = re.search(r"\n  return (%\w+)", text).group(1)
    arguments = re.findall(r"%(\w+): (tensor<[^>]*>)", head)
    weights = arguments[1:]
    signature = [f"%x: {arguments[0][1]}"]
    parts = []
    entering = "%x"
    for i in range(count):
        signature += [f"%{name}_{i}: {kind}" for name, kind in weights]
        part = re.sub(r"%(\w+)", lambda m, i=i: f"%{m.group(1)}_{i}", body)
        part = re.sub(rf"%x_{i}\b", entering, part)
        parts.append(part)
        entering = f"{last}_{i}"
    return "\n".join([f"func.func @main({', '.join(signature)}) -> {arguments[0][1]} {{", *parts,
                      f"  return {entering} : {arguments[0][1]}", "}"]) + "\n"


PROGRAMS = {"fused": (fused, (10, 100, 1000, 5000)), "shapes": (shapes, (10, 100, 1000, 5000)),
            "products": (products, (10, 100, 1000, 5000)), "sizes": (sizes, (10, 100, 1000, 5000)),
            "layers": (layers, (1, 8, 24, 48))}


def memory_of(process):
    """MiB that a process and its children have in memory."""
    total = 0
    try:
        for one in [process, *process.children(recursive=True)]:
            total += one.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return total / 2**20


def processor_time():
    """Seconds of all processors that children which have ended took outside of the kernel."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def compile_once(build, source, package, limit):
    """Seconds, those of all processors, and peak MiB of one compilation, or in their place why there are none."""
    command = [os.path.join(build, "bin", "kiln-compile"), source, "--target=cpu", "-o", package]
    before, begin = processor_time(), time.monotonic()
    with psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        peak = 0
        while True:
            try:
                process.wait(0.02)
                break
            except psutil.TimeoutExpired:
                peak = max(peak, memory_of(process))
            if time.monotonic() - begin > limit:
                for child in process.children(recursive=True):
                    child.kill()
                process.kill()
                return f"over {limit:.0f} s"
        seconds = time.monotonic() - begin
        if process.returncode:
            return process.stderr.read().decode().strip().partition("\n")[0][:100]
    return seconds, processor_time() - before, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", metavar="BUILD")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs, as in 'layers-24'")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    rows = []
    print(f"{'program':<15} {'build':<24} {'seconds':>9} {'user':>9} {'peak MiB':>9} {'package KiB':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (make, counts) in PROGRAMS.items():
            for count in counts:
                if not re.search(options.only, f"{name}-{count}"):
                    continue
                source, package = os.path.join(folder, "program.mlir"), os.path.join(folder, "program.kiln")
                with open(source, "w", encoding="utf-8") as file:
                    file.write(make(count))
                best = {}
                for _ in range(options.rounds):
                    for build in options.builds:
                        found = compile_once(build, source, package, options.limit)
                        if isinstance(found, tuple):
                            found = (*found, os.path.getsize(package) / 1024)
                        best[build] = min(best.get(build, found), found, key=lambda f: (isinstance(f, str), f))
                for build, found in best.items():
                    if isinstance(found, str):
                        print(f"{name + '-' + str(count):<15} {build[-24:]:<24} {found}", flush=True)
                    else:
                        print(f"{name + '-' + str(count):<15} {build[-24:]:<24} {found[0]:9.2f} {found[1]:9.2f} "
                              f"{found[2]:9.0f} {found[3]:12.0f}", flush=True)
                    rows.append({"program": name, "count": count, "build": build, "result": found})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
