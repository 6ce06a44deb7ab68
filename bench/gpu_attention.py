#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times prim.attention in bf16 on a GPU beside cuDNN's and FlashAttention-2's as PyTorch has them, in one process, by turns.

Usage: gpu_attention.py PACKAGES --compile=KILN_COMPILE [--chip=CHIP] [--options=KEY=VALUE,…]   writes the packages
       gpu_attention.py PACKAGES RUNTIME [--rounds=N]                                           measures them

RUNTIME is an installed runtime (cmake --install BUILD --component runtime). There are 16,384 queries in each batch of heads,
and 16 heads at least. A time is that of CALLS replays, one behind the other, and of the wait for their end, divided by CALLS:
Kiln's recorded call, and a CUDA graph of the peer's. Results are compared with the peer's. A ratio above 1: Kiln is faster.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
CALLS = 20
SHAPES = [(size, keys, causal) for size in (64, 128) for keys in (1024, 4096, 16384) for causal in (False, True)]


def heads(keys):
    return max(16, 65536 // keys)


def name_of(size, keys, causal):
    return f"attention_{size}_{keys}" + ("_causal" if causal else "")


def program(size, keys, causal):
    count = heads(keys)
    t, m = f"tensor<{count}x{keys}x{size}xbf16>", f"tensor<{keys}x{keys}xbf16>"
    lines = [f"func.func @main(%q: {t}, %k: {t}, %v: {t}) -> {t} {{"]
    mask = mask_type = ""
    if causal:
        i = f"tensor<{keys}x{keys}xi32>"
        lines += [f"  %i = prim.iota dim 0 : {i}", f"  %j = prim.iota dim 1 : {i}",
                  f"  %seen = prim.ge %i, %j : {i} -> tensor<{keys}x{keys}xi1>",
                  f"  %zero = prim.full 0.0 : bf16 : {m}", f"  %none = prim.full 0xFF80 : bf16 : {m}",
                  f"  %one = prim.where %seen, %zero, %none : tensor<{keys}x{keys}xi1>, {m}",
                  f"  %mask = prim.broadcast_in_dim %one dims [1, 2] : {m} -> tensor<{count}x{keys}x{keys}xbf16>"]
        mask, mask_type = " mask %mask", f", tensor<{count}x{keys}x{keys}xbf16>"
    lines += [f"  %r = prim.attention %q, %k, %v{mask} scale {size ** -0.5} : {t}, {t}, {t}{mask_type} -> {t}",
              f"  return %r : {t}", "}"]
    return "\n".join(lines) + "\n"


def compile_all(options):
    os.makedirs(options.packages, exist_ok=True)
    for shape in SHAPES:
        path = os.path.join(options.packages, name_of(*shape) + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program(*shape))
        spec = f"--target=nvidia:{options.chip}" + (f",{options.options}" if options.options else "")
        subprocess.run([options.compile, path, spec, "--no-fallback", "-o", path.replace(".mlir", ".kpkg")], check=True)


def peer_calls(torch, tensors, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    q, k, v = [t[None] for t in tensors]
    calls = {}
    for name, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        try:
            with sdpa_kernel(backend):
                def call():
                    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
                for _ in range(3):
                    call()
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    result = call()
        except RuntimeError as error:
            print(f"{name}: {str(error).splitlines()[0]}")
            continue

        def replay(graph=graph, result=result):
            graph.replay()
            return result[0]
        calls[name] = replay
    return calls


def measure(options):
    import torch
    from gpu_layer import Recorded, library
    lib = library(options.runtime)
    print(torch.cuda.get_device_name())
    wrong, ratios = 0, []
    for shape in SHAPES:
        size, keys, causal = shape
        generator = torch.Generator("cuda").manual_seed(1)
        tensors = [torch.randn(heads(keys), keys, size, device="cuda", generator=generator).to(torch.bfloat16)
                   for _ in range(3)]
        calls = {"kiln": Recorded(lib, os.path.join(options.packages, name_of(*shape) + ".kpkg"), tensors, torch)}
        calls.update(peer_calls(torch, tensors, causal))
        results = {name: call().float() for name, call in calls.items()}
        torch.cuda.synchronize()
        other = next(name for name in calls if name != "kiln")
        error = float((results["kiln"] - results[other]).abs().max() / results[other].abs().max())
        wrong += error > 2e-2
        times = {name: [] for name in calls}
        for _ in range(options.rounds):
            for name, call in calls.items():
                begin = time.perf_counter()
                for _ in range(CALLS):
                    call()
                torch.cuda.synchronize()
                times[name].append((time.perf_counter() - begin) / CALLS)
        median = {name: statistics.median(all) for name, all in times.items()}
        best = min(value for name, value in median.items() if name != "kiln")
        ratios.append(best / median["kiln"])
        work = 4 * heads(keys) * keys * keys * size / (2 if causal else 1)
        print(f"{name_of(*shape):28s} " +
              ", ".join(f"{name} {t * 1e6:.1f} us {work / t * 1e-12:.0f} TFLOP/s" for name, t in median.items()) +
              f"; ratio {ratios[-1]:.2f}; error {error:.1e}{' WRONG' if error > 2e-2 else ''}", flush=True)
    print(f"{len(ratios)} shapes, {wrong} wrong; geometric mean of ratios {statistics.geometric_mean(ratios):.3f}")
    return wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n\n")[0])
    parser.add_argument("packages")
    parser.add_argument("runtime", nargs="?")
    parser.add_argument("--compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--options", default="")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    if options.compile:
        compile_all(options)
    elif options.runtime:
        sys.exit(measure(options))
    else:
        parser.error("expected --compile or RUNTIME")


if __name__ == "__main__":
    main()
