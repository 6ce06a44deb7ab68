#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times recorded Triton launches on a GPU: Kiln's code beside Triton's own, for the same text.

Usage: gpu_corpus.py CORPUS PACKAGES [--filter=REGEX] [--rounds=N] [--json=FILE] [--every=N]

CORPUS is as test/triton/corpus.py takes it, PACKAGES holds STEM.kpkg, compiled for the GPU at hand with as many
warps as the recording (`--compile KILN_COMPILE --chip=CHIP` makes them, on a machine with the compiler).
Needs PyTorch and Triton. Both run in one process on the same memory, restored before every measurement: one
launch, whose results are compared with the recording, then graphs of many launches, in turns. The time of an empty
kernel in the same kind of graph is printed beside; the ratio counts launches of at least three times that. A
recording made without a GPU has no results; then both are compared with Triton's first launch.
"""
import argparse
import ctypes
import json
import math
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test/triton"))
import numpy as np  # noqa: E402

import corpus  # noqa: E402

MARK = b"KILNCUB1"
LAUNCHES = 100


def compile_all(options, stems):
    """The exit status: 1 where there is nothing, or something could not be compiled."""
    os.makedirs(options.packages, exist_ok=True)
    failed = 0
    for stem in stems:
        with open(os.path.join(options.corpus, stem + ".json"), encoding="utf-8") as file:
            warps = json.load(file)["meta"]["num_warps"]
        done = subprocess.run([options.compile, os.path.join(options.corpus, stem + ".ttir"),
                               f"--target=nvidia:{options.chip},warps={warps}", "--no-fallback",
                               "-o", os.path.join(options.packages, stem + ".kpkg")], check=False)
        failed += done.returncode != 0
    print(f"{len(stems) - failed} packages, {failed} failed")
    return int(failed or not stems)


def stems_of(options):
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".json"))
    return [stem for stem in stems if re.search(options.filter, stem)][::options.every]


class Cuda:
    """What is called of the driver."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*args):
            result = function(*args)
            if result:
                raise RuntimeError(f"{name} returned {result}")
        return call


class KilnKernel:
    """The kernel of a package: the variant whose accesses are views, where there is one. Its guard holds for sizes of
    recorded launches; a launch for which it did not would be found wrong."""

    def __init__(self, cuda, path, name, runner):
        with open(path, "rb") as file:
            data = file.read()
        at = data.find(MARK)
        if at < 0:
            raise RuntimeError("a package without a cubin")
        self.cubin = data[at + len(MARK) + 4:]
        text = subprocess.run([runner, "--inspect", path], capture_output=True, text=True, check=True).stdout
        sections = {part.split(":")[0]: part for part in re.split(r"^  kernel ", text, flags=re.M)[1:]}
        name = name + "_views" if name + "_views" in sections else name
        text = sections[name]
        self.threads = int(re.search(r"threads! (\d+)", text).group(1))
        shared = re.search(r"local_bytes! (\d+)", text)
        self.shared = int(shared.group(1)) if shared else 0
        self.registers = int(re.search(r"registers: (\d+)", text).group(1))
        self.cuda, module, self.function = cuda, ctypes.c_void_p(), ctypes.c_void_p()
        cuda.cuModuleLoadData(ctypes.byref(module), self.cubin)
        cuda.cuModuleGetFunction(ctypes.byref(self.function), module, name.encode())
        if self.shared > 48 * 1024:
            cuda.cuFuncSetAttribute(self.function, 8, self.shared)

    def launch(self, grid, arguments, stream):
        words = list(arguments) + [ctypes.c_int64(n) for n in grid]
        pointers = (ctypes.c_void_p * len(words))(
            *[ctypes.cast(ctypes.pointer(word), ctypes.c_void_p) for word in words])
        shape = grid if max(grid[1:]) <= 65535 else (math.prod(grid), 1, 1)
        self.cuda.cuLaunchKernel(self.function, *shape, self.threads, 1, 1, self.shared,
                                 ctypes.c_void_p(stream), pointers, None)


SCALARS = {"i1": ctypes.c_int8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
           "i64": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double}


class Launch:
    """One recorded launch: memory and arguments."""

    def __init__(self, torch, case):
        self.torch, self.case = torch, case
        arrays = np.load(case.path + ".npz")
        by_name = {arg["arg"]: arg for arg in case.info["args"]}
        self.initial, self.storage = {}, {}
        self.kiln, self.triton = [], []
        tensors = []
        for name, kind in corpus.parameters(case.text):
            arg = by_name[name]
            if arg["t"] != "tensor":
                if kind.startswith("!tt.ptr"):
                    raise RuntimeError("a wrapped tensor")
                value = float(arg["value"]) if kind[0] == "f" else int(arg["value"])
                self.kiln.append(SCALARS[kind](value))
                self.triton.append(value)
                continue
            owner = by_name[arg["alias"]] if "alias" in arg else arg
            key = owner["arg"]
            if key not in self.storage:
                data = corpus.make_storage(owner, arrays)
                self.initial[key] = torch.from_numpy(data.view(np.uint8).reshape(-1).copy()).cuda()
                # Room behind it for what reads beyond its end.
                self.storage[key] = torch.zeros(self.initial[key].numel() + 4096, dtype=torch.uint8, device="cuda")
            address = self.storage[key].data_ptr() + arg["offset"] * np.dtype(
                corpus.STORAGE[arg["dtype"]]).itemsize
            self.kiln.append(ctypes.c_uint64(address))
            self.triton.append(address)
            if owner["init"]["n"]:
                tensors.append((name, arg, key, corpus.STORAGE[owner["dtype"]]))
        self.expected = {name: arrays["out_" + name] for name, *_ in tensors if "out_" + name in arrays}
        self.outputs = [one for one in tensors if not self.expected or one[0] in self.expected]
        self.restore()

    def restore(self):
        for key, data in self.initial.items():
            self.storage[key][:data.numel()].copy_(data)
        self.torch.cuda.synchronize()

    def results(self):
        self.torch.cuda.synchronize()
        for name, arg, key, dtype in self.outputs:
            yield name, arg, self.storage[key][:self.initial[key].numel()].cpu().numpy().view(dtype)

    def record(self):
        """Takes what is in memory for right."""
        self.expected = {name: self.case.sample(arg, data) for name, arg, data in self.results()}

    def wrong(self):
        for name, arg, data in self.results():
            problem = self.case.compare(name, arg, data, self.expected[name])
            if problem:
                return problem
        return ""


class Address:
    """What Triton's launcher takes for a pointer."""

    def __init__(self, value):
        self.value = value

    def data_ptr(self):
        return self.value


def graph_of(torch, launch, count=LAUNCHES):
    stream = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(count):
            launch(stream.cuda_stream)
    return graph


def time_graph(torch, graph, restore):
    restore()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / LAUNCHES


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("packages")
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    parser.add_argument("--compile", help="make the packages, and nothing else")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--runner", default="kiln-run")
    options = parser.parse_args()
    if options.compile:
        return compile_all(options, stems_of(options))
    import torch
    import triton
    from triton.backends.compiler import GPUTarget
    cuda = Cuda()
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    target = GPUTarget("cuda", 90, 32)
    rows = []
    empty = None
    for stem in stems_of(options):
        row = {"stem": stem}
        rows.append(row)
        case = corpus.Case(options.corpus, stem)
        if (corpus.lookup(corpus.EXCEPTIONS, stem) or "").startswith(corpus.OUTSIDE):
            row["error"] = "skipped: it " + corpus.lookup(corpus.EXCEPTIONS, stem)
            continue
        try:
            launch = Launch(torch, case)
            kiln = KilnKernel(cuda, os.path.join(options.packages, stem + ".kpkg"), case.info["kernel"],
                              options.runner)
            meta = case.info["meta"]
            theirs = triton.compile(case.path + ".ttir", target=target,
                                    options={"num_warps": meta["num_warps"], "num_stages": meta["num_stages"]})
            grid = tuple(case.info["grid"])
            pointers = [Address(v) if isinstance(k, ctypes.c_uint64) else v
                        for k, v in zip(launch.kiln, launch.triton)]
            runner = theirs[grid]

            def run_kiln(stream):
                kiln.launch(grid, launch.kiln, stream)

            def run_triton(stream):
                runner(*pointers, stream=stream)
            row["registers"], row["triton_registers"] = kiln.registers, theirs.n_regs
            row["spills"], row["triton_spills"] = 0, theirs.n_spills
            if empty is None:
                x = torch.zeros(1, device="cuda")
                graph = graph_of(torch, lambda s: x.zero_())
                empty = statistics.median(time_graph(torch, graph, lambda: None) for _ in range(7))
            if not launch.expected:
                run_triton(0)
                launch.record()
                launch.restore()
            run_kiln(0)
            row["wrong"] = launch.wrong()
            launch.restore()
            run_triton(0)
            row["triton_wrong"] = launch.wrong()
            launch.restore()
            graphs = [graph_of(torch, run_kiln), graph_of(torch, run_triton)]
            times = [[], []]
            for _ in range(options.rounds):
                for graph, list_ in zip(graphs, times):
                    list_.append(time_graph(torch, graph, launch.restore))
            row["us"], row["triton_us"] = (statistics.median(t) for t in times)
        except Exception as error:  # a kernel that fails is a row of the table
            row["error"] = f"{type(error).__name__}: {error}"[:200]
            if "returned 7" in str(error) or "illegal" in str(error):
                break
    report(rows, empty)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0


def report(rows, empty):
    timed = [row for row in rows if "us" in row]
    for row in rows:
        row["ratio"] = row["triton_us"] / row["us"] if "us" in row else None
    print(f"empty launch {empty:.2f} us" if empty else "nothing ran")
    for row in sorted(timed, key=lambda row: row["ratio"]):
        print(f"{row['ratio']:.2f}  {row['us']:9.2f} us  {row['triton_us']:9.2f} us  registers {row['registers']}"
              f"/{row['triton_registers']}  {row['stem']}" + (f"  WRONG {row['wrong']}" if row["wrong"] else "")
              + (f"  (triton: {row['triton_wrong']})" if row["triton_wrong"] else ""))
    for row in rows:
        if "error" in row:
            print("error", row["stem"], row["error"])
    for name, chosen in (("all", timed), ("of three empty launches and more",
                                          [r for r in timed if r["triton_us"] >= 3 * empty])):
        if chosen:
            mean = math.exp(statistics.mean(math.log(row["ratio"]) for row in chosen))
            print(f"{name}: {len(chosen)} launches, geometric mean of Triton's time over ours {mean:.3f}, "
                  f"worst {min(row['ratio'] for row in chosen):.2f}")


if __name__ == "__main__":
    sys.exit(main())
