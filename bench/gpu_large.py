#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded Triton launches, enlarged until they fill a GPU: Kiln's code beside Triton's own.

Usage: gpu_large.py CORPUS PACKAGES PLAN --compile=KILN_COMPILE [--chip=CHIP] [--filter=REGEX]
       gpu_large.py CORPUS PACKAGES PLAN [--waves=4] [--least=BYTES] [--most=BYTES] [--filter=REGEX] [--json=FILE]
                    [--seconds=N]

PLAN is what gpu_enlarge.py wrote. The first form makes packages, and with them Triton's kernels, so it needs a Python
that has Triton 3.6, and no GPU. The second runs them on a GPU and needs PyTorch, but neither compiler: each launch
so many times as large that the grid has `--waves` times the instances that the GPU holds at once, and that its buffers
have `--least` bytes, if that fits. Results of both are compared, then graphs of launches are timed in turns.
"""
import argparse
import ctypes
import json
import math
import os
import re
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test/triton"))
import numpy as np  # noqa: E402

import corpus  # noqa: E402
import gpu_corpus  # noqa: E402
import gpu_enlarge  # noqa: E402

GRAPH_US = 3000  # of launches in one graph, about


def plans_of(options):
    """The launches of a list that can be enlarged."""
    with open(options.plan, encoding="utf-8") as file:
        plans = [plan for plan in json.load(file) if "axis" in plan and re.search(options.filter, plan["stem"])]
    return plans[::options.every]


def compile_all(options):
    """Packages of Kiln's, and beside them what Triton makes of the same text."""
    import triton
    from triton.backends.compiler import GPUTarget
    stems = [plan["stem"] for plan in plans_of(options)]
    gpu_corpus.compile_all(options, stems)
    for stem in stems:
        case = corpus.Case(options.corpus, stem)
        meta = case.info["meta"]
        kernel = triton.compile(case.path + ".ttir", target=GPUTarget("cuda", int(options.chip[3:].rstrip("a")), 32),
                                options={"num_warps": meta["num_warps"], "num_stages": meta["num_stages"]})
        entry = kernel.asm["ptx"]
        entry = entry[entry.index(".entry"):]
        # Behind the kernel's own parameters come addresses of scratch memory, which none of these kernels uses.
        hidden = entry[:entry.index("{")].count(".param") - len(corpus.parameters(case.text))
        used = kernel.metadata.global_scratch_size + kernel.metadata.profile_scratch_size
        np.savez(os.path.join(options.packages, stem + ".triton.npz"), cubin=np.frombuffer(kernel.asm["cubin"], np.uint8),
                 about=np.array([32 * kernel.metadata.num_warps, kernel.metadata.shared, hidden, used]))


class TritonKernel:
    """The kernel that Triton made, launched as Kiln's is."""

    def __init__(self, cuda, path, name):
        with np.load(path) as file:
            self.cubin = file["cubin"].tobytes()
            self.threads, self.shared, self.hidden, used = (int(n) for n in file["about"])
        if used:
            raise RuntimeError("Triton's kernel needs scratch memory")
        self.cuda, module, self.function = cuda, ctypes.c_void_p(), ctypes.c_void_p()
        cuda.cuModuleLoadData(ctypes.byref(module), self.cubin)
        cuda.cuModuleGetFunction(ctypes.byref(self.function), module, name.encode())
        if self.shared > 48 * 1024:
            cuda.cuFuncSetAttribute(self.function, 8, self.shared)

    def launch(self, grid, arguments, stream):
        words = list(arguments) + [ctypes.c_uint64(0)] * self.hidden
        pointers = (ctypes.c_void_p * len(words))(
            *[ctypes.cast(ctypes.pointer(word), ctypes.c_void_p) for word in words])
        self.cuda.cuLaunchKernel(self.function, *grid, self.threads, 1, 1, self.shared, ctypes.c_void_p(stream),
                                 pointers, None)


def resident(cuda, kernel):
    """Instances that a core holds at once."""
    count = ctypes.c_int()
    cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(ctypes.byref(count), kernel.function, kernel.threads,
                                                     ctypes.c_size_t(kernel.shared))
    return max(count.value, 1)


def copies_of(arguments, plan, grid, needed, options):
    """How many times a launch is to be, and fits: addresses in 32 bits, the grid, memory."""
    copies = max(-(-needed // math.prod(grid)), -(-options.least // arguments.bytes()))
    largest = max(data.nbytes for data in arguments.storage.values())
    limits = [(1 << 31) // largest - 1, options.most // arguments.bytes(), ((1 << 31) - 1) // math.prod(grid)]
    if plan["axis"]:
        limits.append(65535 // grid[plan["axis"]])
    limits += [((1 << 31) - 1) // max(1, int(arg["value"])) for name, _, arg, _ in arguments.parameters
               if name in plan["scaled"]]
    return max(1, min([copies] + limits))


class LargeLaunch:
    """Memory and arguments of an enlarged launch."""

    def __init__(self, torch, arguments, plan, copies):
        self.torch, self.copies, self.arguments = torch, copies, arguments
        self.initial, self.storage, self.words = {}, {}, []
        for owner, data in arguments.storage.items():
            self.initial[owner] = torch.from_numpy(data.view(np.uint8).reshape(-1).copy()).cuda()
            # Room for what reads beyond its end.
            self.storage[owner] = torch.zeros(data.nbytes * copies + 4096, dtype=torch.uint8, device="cuda")
        for name, kind, arg, owner in arguments.parameters:
            if owner is None:
                value = float(arg["value"]) if kind[0] == "f" else int(arg["value"])
                self.words.append(gpu_corpus.SCALARS[kind](value * copies if name in plan["scaled"] else value))
            else:
                self.words.append(ctypes.c_uint64(self.storage[owner].data_ptr() + arg["offset"]
                                                  * arguments.storage[owner].itemsize))
        self.restore()

    def restore(self):
        for owner, data in self.initial.items():
            self.storage[owner][:data.numel() * self.copies].view(self.copies, data.numel()).copy_(data)
        self.torch.cuda.synchronize()

    def results(self, plan):
        self.torch.cuda.synchronize()
        return {owner: self.storage[owner].clone() for owner in plan["changed"]}

    def difference(self, case, mine, others):
        """Where the results of two launches differ by more than what the corpus allows."""
        torch = self.torch
        dtypes = {owner: arg["dtype"] for _, _, arg, owner in self.arguments.parameters if owner}
        for owner, a in mine.items():
            b, dtype = others[owner], dtypes[owner]
            if bool((a == b).all()):
                continue
            a, b = a[:-4096].view(getattr(torch, dtype)), b[:-4096].view(getattr(torch, dtype))
            if dtype not in corpus.TOLERANCE:
                looser = corpus.lookup(corpus.LOOSER, case.stem)
                apart = int((a.long() - b.long()).abs().max())
                if apart > (looser[0] if looser else 0):
                    return f"{owner}: integers are {apart} apart"
                continue
            a, b = a.float(), b.float()
            finite = torch.where(b.isfinite(), b, 0).abs().max().item()
            error = torch.where((a == b) | (a.isnan() & b.isnan()), 0, (a - b).abs()).nan_to_num(math.inf).max().item()
            error /= max(finite, 1e-30)
            if error > case.tolerance(dtype):
                return f"{owner}: error {error:.3g} of the largest, tolerance {case.tolerance(dtype):g}"
        return ""


def time_launch(torch, launch, restore):
    """Microseconds of one launch, roughly."""
    restore()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    launch(torch.cuda.current_stream().cuda_stream)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000


def measure(torch, cuda, options, plan, row):
    case = corpus.Case(options.corpus, plan["stem"])
    arguments = gpu_enlarge.Arguments(case)
    name = case.info["kernel"]
    ours = gpu_corpus.KilnKernel(cuda, os.path.join(options.packages, plan["stem"] + ".kpkg"), name, options.runner)
    theirs = TritonKernel(cuda, os.path.join(options.packages, plan["stem"] + ".triton.npz"), name)
    cores = torch.cuda.get_device_properties(0).multi_processor_count
    held = cores * max(resident(cuda, ours), resident(cuda, theirs))
    grid = list(case.info["grid"])
    copies = copies_of(arguments, plan, grid, math.ceil(options.waves * held), options)
    grid[plan["axis"]] *= copies
    row.update(copies=copies, grid=grid, waves=math.prod(grid) / held, bytes=arguments.bytes() * copies)
    if row["waves"] < options.waves:
        raise RuntimeError(f"{row['waves']:.1f} waves is all that fits")
    launch = LargeLaunch(torch, arguments, plan, copies)
    sides = [lambda stream: ours.launch(grid, launch.words, stream), lambda stream: theirs.launch(grid, launch.words, stream)]
    results = []
    for side in sides:
        launch.restore()
        side(torch.cuda.current_stream().cuda_stream)
        results.append(launch.results(plan))
    row["wrong"] = launch.difference(case, *results)
    row["idle"] = all(bool((results[0][owner][:-4096].view(copies, -1)[-1] == launch.initial[owner]).all())
                      for owner in plan["changed"])
    del results
    count = max(3, min(100, int(GRAPH_US / max(min(time_launch(torch, side, launch.restore) for side in sides), 1))))
    graphs = [gpu_corpus.graph_of(torch, side, count) for side in sides]
    times = [[], []]
    for _ in range(options.rounds):
        for graph, list_ in zip(graphs, times):
            list_.append(gpu_corpus.time_graph(torch, graph, launch.restore) * gpu_corpus.LAUNCHES / count)
    row["us"], row["triton_us"] = (statistics.median(t) for t in times)
    row["ratio"] = row["triton_us"] / row["us"]


def run_plan(options):
    import torch
    started = time.time()
    cuda = gpu_corpus.Cuda()
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    plans, rows = plans_of(options), []
    for plan in plans:
        if time.time() - started > options.seconds:
            print(f"{len(plans) - len(rows)} launches were not reached")
            break
        row = {"stem": plan["stem"]}
        rows.append(row)
        try:
            measure(torch, cuda, options, plan, row)
        except Exception as error:  # a launch that fails is a row of the table
            row["error"] = f"{type(error).__name__}: {error}"[:200]
            if re.search("returned 7|illegal", str(error)):
                break
    report(rows)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


def report(rows):
    timed = [row for row in rows if "ratio" in row]
    for row in sorted(timed, key=lambda row: row["ratio"]):
        print(f"{row['ratio']:.2f}  {row['us']:9.2f} us  {row['triton_us']:9.2f} us  {row['waves']:5.1f} waves  "
              f"{row['bytes'] / 2**20:7.1f} MiB  x{row['copies']}  {row['stem']}"
              + (f"  WRONG {row['wrong']}" if row["wrong"] else "") + ("  the last copy did nothing" if row["idle"] else ""))
    for row in rows:
        if "error" in row:
            print("error", row["stem"], row["error"])
    right = [row for row in timed if not row["wrong"] and not row["idle"]]
    if right:
        print(f"{len(right)} enlarged launches: geometric mean of Triton's time over ours "
              f"{math.exp(statistics.mean(math.log(row['ratio']) for row in right)):.3f}, "
              f"worst {min(row['ratio'] for row in right):.2f}, below 1: {sum(row['ratio'] < 1 for row in right)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("packages")
    parser.add_argument("plan")
    parser.add_argument("--compile", help="make the packages with this compiler, and Triton's kernels beside them")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--waves", type=float, default=4)
    parser.add_argument("--least", type=int, default=0, help="memory of a launch at least, if that fits")
    parser.add_argument("--most", type=int, default=1 << 30, help="memory of a launch at most")
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1e9, help="start no launch after so long")
    parser.add_argument("--json")
    parser.add_argument("--runner", default="kiln-run")
    options = parser.parse_args()
    if options.compile:
        compile_all(options)
    else:
        run_plan(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
