#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times softmax and norms on a GPU beside PyTorch, Inductor, and Triton kernels as one writes them, by turns.

Usage: gpu_rows.py PACKAGES --compile=KILN_COMPILE [--chip=CHIP]          writes NAME.kpkg
       gpu_rows.py PACKAGES RUNTIME [--filter=REGEX] [--rounds=N]         measures them

RUNTIME is an installed runtime (cmake --install BUILD --component runtime). All work on the same tensors of PyTorch,
CALLS calls in a row in a graph of the device. Results are compared with PyTorch's in f64. Prints the median of each, the best peer over Kiln, and the bytes that
have to move over those that changing the sign of 1 GiB moves in the same time.
"""
import argparse
import ctypes as C
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gpu_layer  # noqa: E402

CALLS = 10
INTO, NO_WAIT = 1, 4
SHAPES = {
    "softmax": [("f16", 4096, 1024), ("f16", 4096, 4096), ("f16", 4096, 8192), ("f16", 4096, 12672),
                ("f16", 4096, 32768), ("f16", 65536, 1024), ("f32", 4096, 1024), ("f32", 4096, 4096),
                ("f32", 4096, 8192), ("f32", 4096, 12672), ("f32", 4096, 32768), ("f32", 65536, 1024)],
    "layer_norm": [("bf16", 16384, 4096), ("bf16", 8192, 8192), ("bf16", 65536, 1024)],
    "rms_norm": [("bf16", 16384, 4096), ("bf16", 8192, 8192), ("bf16", 65536, 1024)],
}
TOLERANCE = {"f32": 1e-5, "f16": 2e-3, "bf16": 1.6e-2}


def text_of(op, kind, rows, columns):
    t, w = f"tensor<{rows}x{columns}x{kind}>", f"tensor<{columns}x{kind}>"
    weights = {"softmax": [], "layer_norm": ["weight", "bias"], "rms_norm": ["weight"]}[op]
    given = "".join(f", %{name}: {w}" for name in weights)
    used = "".join(f" {name} %{name}" for name in weights)
    what = "dim 1" if op == "softmax" else "axes 1 eps 1.0e-5"
    types = ", ".join([t] + [w] * len(weights))
    return f"func.func @main(%x: {t}{given}) -> {t} {{\n  %r = prim.{op} %x{used} {what} : {types}\n  return %r : {t}\n}}\n"


def programs(options):
    for op, shapes in SHAPES.items():
        for kind, rows, columns in shapes:
            name = f"{op}_{kind}_{rows}x{columns}"
            if re.search(options.filter, name):
                yield name, op, kind, rows, columns


def compile_all(options):
    os.makedirs(options.packages, exist_ok=True)
    for name, *what in programs(options):
        path = os.path.join(options.packages, name)
        with open(path + ".mlir", "w", encoding="utf-8") as file:
            file.write(text_of(*what))
        subprocess.run([options.compile, path + ".mlir", f"--target=nvidia:{options.chip}", "--no-fallback",
                        "-o", path + ".kpkg"], check=True)


def kiln_call(lib, path, tensors, result, torch, stream):
    """A call of the only function of a package that puts its work into a stream."""
    def check(status):
        if status:
            raise RuntimeError(lib.kilnLastError().decode())
    package, session = C.c_void_p(), C.c_void_p()
    check(lib.kilnPackageLoadFile(path.encode(), C.byref(package)))
    check(lib.kilnSessionCreate(package, None, C.byref(session)))
    handles = []
    for tensor in [*tensors, result]:
        handles.append(gpu_layer.imported(lib, session, tensor, torch, check))
    check(lib.kilnSessionUseQueue(session, C.c_size_t(0), C.c_void_p(stream.cuda_stream)))
    given = (C.c_void_p * len(tensors))(*handles[:-1])
    into = (C.c_void_p * 1)(handles[-1])
    options = gpu_layer.Options(size=C.sizeof(gpu_layer.Options), flags=INTO | NO_WAIT)
    entry = lib.kilnSessionEntry(session, C.c_size_t(0))
    return lambda: check(lib.kilnSessionCall(session, entry, C.c_size_t(len(tensors)), given, C.c_size_t(1), into,
                                             C.byref(options)))


def measure(options):
    import torch
    import torch.nn.functional as F
    from gpu_rows_triton import norm_rows, softmax_rows
    lib = gpu_layer.library(options.runtime)
    types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
    stream = torch.cuda.Stream()

    def graph_of(call):
        with torch.cuda.stream(stream):
            for _ in range(3):
                call()
            stream.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                for _ in range(CALLS):
                    call()
        return graph.replay

    def seconds(run):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(stream):
            begin.record()
            run()
            end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3 / CALLS

    big = torch.empty(1 << 28, device="cuda")
    other = torch.empty_like(big)
    graph = graph_of(lambda: torch.neg(big, out=other))
    speed = 8 * big.numel() / statistics.median(seconds(graph) for _ in range(5))
    del big, other, graph
    print(f"{torch.cuda.get_device_name()}, copy {speed / 1e9:.0f} GB/s")
    bad = 0
    for name, op, kind, rows, columns in programs(options):
        torch.manual_seed(1)
        x = torch.randn(rows, columns, device="cuda").to(types[kind])
        weights = [torch.randn(columns, device="cuda").to(types[kind])
                   for _ in range({"softmax": 0, "layer_norm": 2, "rms_norm": 1}[op])]
        eager = {"softmax": lambda x: F.softmax(x, 1),
                 "layer_norm": lambda x, w, b: F.layer_norm(x, w.shape, w, b, 1e-5),
                 "rms_norm": lambda x, w: F.rms_norm(x, w.shape, w, 1e-5)}[op]
        exact = eager(x[:512].double(), *[w.double() for w in weights])
        result = torch.empty_like(x)
        inductor = torch.compile(eager, dynamic=False)
        calls = {"torch": lambda: eager(x, *weights), "inductor": lambda: inductor(x, *weights),
                 "triton": (lambda: softmax_rows(x)) if op == "softmax" else lambda: norm_rows(op, x, *weights),
                 "kiln": kiln_call(lib, os.path.join(options.packages, name + ".kpkg"), [x, *weights], result, torch,
                                   stream)}
        runs = {}
        for who, call in calls.items():
            try:
                found = call()
                stream.synchronize()
                torch.cuda.synchronize()
                found = result if who == "kiln" else found
                error = float((found[:512].double() - exact).abs().max() / exact.abs().max())
                if not error <= TOLERANCE[kind]:
                    raise RuntimeError(f"wrong, error {error:.1e} of the largest element")
                runs[who] = graph_of(call)
            except Exception as error:  # a peer that cannot is left out
                print(f"{name} {who}: {str(error).splitlines()[0]} {error.__context__ or ''}")
        if "kiln" not in runs:
            bad += 1
            continue
        times = {who: [] for who in runs}
        for _ in range(options.rounds):
            for who, run in runs.items():
                times[who].append(seconds(run))
        median = {who: statistics.median(all) for who, all in times.items()}
        best = min(t for who, t in median.items() if who != "kiln")
        moved = 2 * x.numel() * x.element_size() / speed
        print(f"{name:28}" + "".join(f" {who} {t * 1e6:7.1f}" for who, t in median.items()) +
              f" us  best peer over kiln {best / median['kiln']:.2f}  {moved / median['kiln']:.2f} of copy", flush=True)
        del runs, calls, inductor
        torch._dynamo.reset()
    return bad


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n\n")[0])
    parser.add_argument("packages")
    parser.add_argument("runtime", nargs="?")
    parser.add_argument("--compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--filter", default="")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    if options.compile:
        return compile_all(options)
    if not options.runtime:
        parser.error("expected --compile or RUNTIME")
    return measure(options)


if __name__ == "__main__":
    sys.exit(main())
