#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what the protocol of isolated targets costs (docs/isolated-targets.md, Costs).

    isolated.py program PROGRAM [KERNEL.txt]     start, round trip and compile of one program; the kernel is in the wire form
    isolated.py kernels BIN [COUNT [TURNS]]      COUNT kernels for `cpu` in the compiler and behind kiln-isolate, by turns"""
import json
import os
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time


class Conversation:
    def __init__(self, program):
        self.begin = time.perf_counter()
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.number = 0

    def ask(self, method, params, body=b""):
        self.number += 1
        head = json.dumps({"id": self.number, "method": method, "params": params}).encode()
        self.process.stdin.write(struct.pack("<4sIQ", b"KTP1", len(head), len(body)) + head + body)
        _, head, body = struct.unpack("<4sIQ", self.read(16))
        return json.loads(self.read(head)), self.read(body)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.process.stdout.read(count - len(data))
            if not part:
                raise EOFError("the program has ended")
            data += part
        return data


def best(count, body):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        body()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def program(path, kernel=None):
    hello = {"protocol": [1, 1], "wire": 2, "kiln": "bench", "dialects": {}}
    starts, used = [], []
    for _ in range(10):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        one = Conversation(path)
        one.ask("hello", hello)
        starts.append(time.perf_counter() - one.begin)
        one.ask("bye", {})
        one.process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"start and hello: {min(starts) * 1e3:.1f} ms, of the processor {min(used) * 1e3:.1f} ms")
    one = Conversation(path)
    one.ask("hello", hello)
    print(f"a round trip without work: {best(300, lambda: one.ask('describe', {'chip': '', 'options': {}})):.3f} ms")
    one.ask("describe", {"chip": "", "options": {}})
    if kernel:
        text = open(kernel, "rb").read()
        names = [line.split('sym_name = "')[1].split('"')[0] for line in text.decode().splitlines() if 'sym_name = "' in line]
        answer, _ = one.ask("compile", {"chip": "", "options": {}, "kernels": names}, text)
        if "kernels" not in answer.get("result", {}):
            sys.exit(f"expected code, found {answer}")
        took = best(300, lambda: one.ask("compile", {"chip": "", "options": {}, "kernels": names}, text))
        print(f"compile of {len(names)} kernel(s): {took:.3f} ms")


KERNEL = """tile.kernel @k{0}(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {{
  %i, %j = tile.program_id : index, index
  %x = tile.load %a[%i, %j] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %y = tile.load %b[%i, %j] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %f = arith.constant dense<{0}.5> : tensor<16x64xf32>
  %s = arith.addf %x, %y : tensor<16x64xf32>
  %m = arith.mulf %s, %f : tensor<16x64xf32>
  tile.store %m, %c[%i, %j] : tensor<16x64xf32>, !tile.view<?x?xf32>
}}
"""


def kernels(folder, count=100, turns=9):
    with tempfile.TemporaryDirectory() as temporary:
        source = os.path.join(temporary, "kernels.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write("".join(KERNEL.format(number) for number in range(count)))
        served = os.path.join(temporary, "kiln-target-served")
        with open(served, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nKILN_PLUGIN_PATH= exec {os.path.abspath(folder)}/kiln-isolate cpu --as=served\n")
        os.chmod(served, 0o755)

        def seconds(target, load=()):
            """Processor time of the compiler and of all that it waits for, and time by the clock."""
            begin = time.perf_counter()
            process = subprocess.Popen([os.path.join(folder, "kiln-compile"), source, f"--target={target}", *load, "--no-fallback", "-o",
                                        os.path.join(temporary, "out.kiln")], env={**os.environ, "KILN_CACHE_DIR": ""})
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"kiln-compile for {target} ended with status {process.returncode}")
            return used.ru_utime + used.ru_stime, time.perf_counter() - begin

        pairs = []
        for turn in range(turns):  # which of the two is first changes
            both = {first: seconds(*[("cpu", ()), ("served", [f"--load-target={served}"])][first]) for first in (turn % 2, 1 - turn % 2)}
            pairs.append((both[0], both[1]))
        for which, what in enumerate(("of the processor", "by the clock")):
            inside, outside = ([pair[i][which] for pair in pairs] for i in range(2))
            ratios = sorted(there / here for here, there in zip(inside, outside))
            print(f"{count} kernels: {min(inside):.3f} s {what} in the compiler, {min(outside):.3f} s behind kiln-isolate, "
                  f"ratio of the least {min(outside) / min(inside):.3f}, of pairs {statistics.median(ratios):.3f} (median of {turns}, "
                  f"from {ratios[0]:.3f} to {ratios[-1]:.3f})")


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("program", "kernels"):
        sys.exit(__doc__)
    {"program": program, "kernels": lambda folder, *numbers: kernels(folder, *map(int, numbers))}[sys.argv[1]](*sys.argv[2:])
