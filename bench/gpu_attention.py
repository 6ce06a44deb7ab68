#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times prim.attention in bf16 on a GPU beside cuDNN's and FlashAttention-2's as PyTorch has them, in one process, by turns.

Usage: gpu_attention.py PACKAGES --compile=KILN_COMPILE [--backward] [--chip=CHIP] [--options=KEY=VALUE,…]   writes the packages
       gpu_attention.py PACKAGES RUNTIME [--backward] [--rounds=N]                                           measures them

RUNTIME is an installed runtime (cmake --install BUILD --component runtime). There are 16,384 queries in each batch of heads,
and 16 heads at least. A time is that of CALLS replays, one behind the other, and of the wait for their end, divided by CALLS:
Kiln's recorded call, and a CUDA graph of the peer's. Results are compared with the peer's. A ratio above 1: Kiln is faster.
With --backward the gradients by queries, keys and values are timed: Kiln's from the output and the logarithms of sums, the
peers' as autograd runs them behind their own forward, which is not timed. Work is that of five products of the forward's size.
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


def program(size, keys, causal, backward=False):
    count = heads(keys)
    t, m, rows = f"tensor<{count}x{keys}x{size}xbf16>", f"tensor<{keys}x{keys}xbf16>", f"tensor<{count}x{keys}xf32>"
    lines = []
    mask = mask_type = ""
    if causal:
        i = f"tensor<{keys}x{keys}xi32>"
        lines += [f"  %i = prim.iota dim 0 : {i}", f"  %j = prim.iota dim 1 : {i}",
                  f"  %seen = prim.ge %i, %j : {i} -> tensor<{keys}x{keys}xi1>",
                  f"  %zero = prim.full 0.0 : bf16 : {m}", f"  %none = prim.full 0xFF80 : bf16 : {m}",
                  f"  %one = prim.where %seen, %zero, %none : tensor<{keys}x{keys}xi1>, {m}",
                  f"  %mask = prim.broadcast_in_dim %one dims [1, 2] : {m} -> tensor<{count}x{keys}x{keys}xbf16>"]
        mask, mask_type = " mask %mask", f", tensor<{count}x{keys}x{keys}xbf16>"
    scale = f"{mask} scale {size ** -0.5}"
    if backward:
        head = f"func.func @main(%q: {t}, %k: {t}, %v: {t}, %o: {t}, %g: {t}, %l: {rows}) -> ({t}, {t}, {t}) {{"
        lines += [f"  %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l{scale} : "
                  f"{', '.join([t] * 5)}, {rows}{mask_type}", f"  return %dq, %dk, %dv : {t}, {t}, {t}", "}"]
    else:
        head = f"func.func @main(%q: {t}, %k: {t}, %v: {t}) -> {t} {{"
        lines += [f"  %r = prim.attention %q, %k, %v{scale} : {t}, {t}, {t}{mask_type} -> {t}", f"  return %r : {t}", "}"]
    return "\n".join([head, *lines]) + "\n"


def file_of(options, shape, suffix):
    return os.path.join(options.packages, name_of(*shape) + ("_backward" if options.backward else "") + suffix)


def compile_all(options):
    os.makedirs(options.packages, exist_ok=True)
    for shape in SHAPES:
        path = file_of(options, shape, ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program(*shape, options.backward))
        spec = f"--target=nvidia:{options.chip}" + (f",{options.options}" if options.options else "")
        subprocess.run([options.compile, path, spec, "--no-fallback", "-o", path.replace(".mlir", ".kpkg")], check=True)


def captured(torch, call):
    """The replay of a CUDA graph of a call, which gives the call's result."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = call()

    def replay():
        graph.replay()
        return result
    return replay


def peer_calls(torch, tensors, causal, backward):
    """The peers' calls; with `backward` of the gradients, whose results are lists."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    q, k, v, *seed = [t[None].detach().requires_grad_(backward) for t in tensors]
    calls = {}
    for name, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        def forward():
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        try:
            with sdpa_kernel(backend):
                if backward:
                    stream = torch.cuda.Stream()  # gradients run on the stream of what they are of, which is captured
                    with torch.cuda.stream(stream):
                        made = forward()
                        torch.cuda.synchronize()

                        def call(made=made):
                            return torch.autograd.grad(made, (q, k, v), seed[0].detach(), retain_graph=True)
                        for _ in range(3):
                            call()
                        torch.cuda.synchronize()
                        graph = torch.cuda.CUDAGraph()
                        with torch.cuda.graph(graph, stream=stream):
                            result = call()
                    # What the forward saved lives as long as the graph.
                    calls[name] = lambda graph=graph, result=result, saved=made: (graph.replay(), [t[0] for t in result])[1]
                else:
                    replay = captured(torch, forward)
                    calls[name] = lambda replay=replay: replay()[0]
        except RuntimeError as error:
            print(f"{name}: {str(error).splitlines()[0]}")
    return calls


def sums_of(torch, tensors, causal):
    """The output of attention and the logarithms of its sums, in blocks of queries."""
    q, k, v = tensors
    keys, size = q.shape[1:]
    made, sums = torch.empty_like(q), torch.empty(q.shape[:2], device=q.device)
    for begin in range(0, keys, 512):
        scores = q[:, begin:begin + 512].float() @ k.float().transpose(1, 2) * size ** -0.5
        if causal:
            places = torch.arange(keys, device=q.device)
            scores.masked_fill_(places[begin:begin + 512, None] < places, float("-inf"))
        sums[:, begin:begin + 512] = torch.logsumexp(scores, 2)
        made[:, begin:begin + 512] = (torch.softmax(scores, 2) @ v.float()).to(q.dtype)
    return made, sums


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
                   for _ in range(4 if options.backward else 3)]
        given = tensors
        if options.backward:
            made, sums = sums_of(torch, tensors[:3], causal)
            given = [*tensors[:3], made, tensors[3], sums]
        calls = {"kiln": Recorded(lib, file_of(options, shape, ".kpkg"), given, torch, 3 if options.backward else 1)}
        calls.update(peer_calls(torch, tensors, causal, options.backward))
        results = {name: call() if options.backward else [call()] for name, call in calls.items()}
        torch.cuda.synchronize()
        results = {name: [t.float() for t in made] for name, made in results.items()}
        other = next(name for name in calls if name != "kiln")
        error = max(float((one - two).abs().max() / two.abs().max()) for one, two in zip(results["kiln"], results[other]))
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
        work = (10 if options.backward else 4) * heads(keys) * keys * keys * size / (2 if causal else 1)
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
    parser.add_argument("--backward", action="store_true")
    options = parser.parse_args()
    if options.compile:
        compile_all(options)
    elif options.runtime:
        sys.exit(measure(options))
    else:
        parser.error("expected --compile or RUNTIME")


if __name__ == "__main__":
    main()
