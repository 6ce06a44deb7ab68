#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times convolutions, and products summed over two loops, on a GPU beside cuDNN and cuBLAS.

Convolutions are those of ResNet-50 and MobileNetV2 in NHWC, some also in NCHW, and others.

Usage: gpu_convolutions.py PACKAGES --compile=KILN_COMPILE [--chip=CHIP] [--options=KEY=VALUE,…]   writes NAME.kpkg
       gpu_convolutions.py PACKAGES [--filter=REGEX] [--repeats=N] [--runtime=LIBRARY]             checks and times them

Each program runs REPEATS times on the same operands, and all results must have the same bits: asynchronous copies that
race give other bits from run to run. The error is ||result - exact|| / ||exact|| with an f64 result of the same operands;
that of the library with the same types stands beside it. Times are those of calls in graphs of the device, in turns.
The exit status is 1 where bits differ or an error is over four times the library's.
"""
import argparse
import ctypes
import itertools
import os
import re
import statistics
import subprocess
import sys

from gpu_ops import Session
from gpu_rows import kiln_call

# batch, height, width, channels, output channels, kernel, stride, padding, type
CONVOLUTIONS = [(32, 14, 14, 256, 256, 3, 1, 1, "bf16"), (32, 14, 14, 256, 256, 3, 1, 1, "f16"),
                (8, 28, 28, 128, 128, 3, 1, 1, "bf16"), (8, 56, 56, 64, 64, 3, 1, 1, "f16"),
                (16, 7, 7, 512, 512, 3, 1, 1, "bf16"), (8, 28, 28, 256, 512, 1, 2, 0, "bf16"),
                (4, 30, 22, 96, 160, 3, 2, 1, "f16"), (2, 33, 17, 192, 64, 5, 1, 2, "bf16"),
                (1, 56, 56, 128, 256, 3, 2, 1, "f16"), (3, 14, 14, 1024, 128, 1, 1, 0, "bf16")]
# Of models, f16, for each size of the batch: height = width, channels, output channels, kernel, stride, groups.
RESNET_50 = [(224, 3, 64, 7, 2, 1), (56, 64, 64, 1, 1, 1), (56, 64, 64, 3, 1, 1), (56, 64, 256, 1, 1, 1), (56, 256, 128, 1, 1, 1),
             (56, 128, 128, 3, 2, 1), (28, 128, 128, 3, 1, 1), (28, 512, 256, 1, 1, 1), (28, 256, 256, 3, 2, 1),
             (28, 512, 1024, 1, 2, 1), (14, 256, 256, 3, 1, 1), (14, 1024, 256, 1, 1, 1), (14, 512, 512, 3, 2, 1),
             (7, 512, 512, 3, 1, 1), (7, 512, 2048, 1, 1, 1)]
MOBILENET_V2 = [(224, 3, 32, 3, 2, 1), (112, 32, 32, 3, 1, 32), (112, 16, 96, 1, 1, 1), (112, 96, 96, 3, 2, 96), (56, 144, 144, 3, 1, 144),
                (28, 192, 192, 3, 1, 192), (28, 192, 32, 1, 1, 1), (14, 384, 384, 3, 1, 384), (14, 384, 96, 1, 1, 1), (7, 960, 960, 3, 1, 960)]
BATCHES = (1, 32)
# Products summed over a batch: B[r] is contracted together with the sum inside.
SUMS = [(4, 256, 256, 128, "bf16"), (8, 512, 384, 64, "f16"), (3, 128, 1024, 512, "bf16")]


def convolution(n, h, w, c, o, k, stride, pad, kind, groups=1, planes=False):
    """NHWC, or, with `planes`, NCHW."""
    oh, ow = ((size + 2 * pad - k) // stride + 1 for size in (h, w))
    x, f, r = (f"tensor<{'x'.join(str(size) for size in shape)}x{kind}>"
               for shape in ((n, h, w, c), (o, k, k, c // groups), (n, oh, ow, o)))
    attributes = (f"{{strides = array<i64: {stride}, {stride}>, pad_low = array<i64: {pad}, {pad}>, pad_high = array<i64: {pad}, {pad}>, "
                  f"dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = {groups} : i64}}")
    if not planes:
        return f"""func.func @main(%x: {x}, %w: {f}) -> {r} {{
  %r = prim.conv %x, %w {attributes} : {x}, {f} -> {r}
  return %r : {r}
}}"""
    xp, fp, rp = (f"tensor<{'x'.join(str(size) for size in shape)}x{kind}>"
                  for shape in ((n, c, h, w), (o, c // groups, k, k), (n, o, oh, ow)))
    return f"""func.func @main(%x: {xp}, %w: {fp}) -> {rp} {{
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : {xp} -> {x}
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : {fp} -> {f}
  %2 = prim.conv %0, %1 {attributes} : {x}, {f} -> {r}
  %3 = prim.transpose %2 permutation [0, 3, 1, 2] : {r} -> {rp}
  return %3 : {rp}
}}"""


def summed(batches, m, n, k, kind):
    a, b, r, d = f"tensor<{batches}x{m}x{k}x{kind}>", f"tensor<{batches}x{k}x{n}x{kind}>", f"tensor<{m}x{n}x{kind}>", f"tensor<{m}x{n}xf32>"
    return f"""func.func @main(%a: {a}, %b: {b}) -> {r} {{
  %d = prim.dot_general %a, %b batch [] x [] contract [0, 2] x [0, 1] : {a}, {b} -> {d}
  %r = prim.convert_element_type %d : {d} -> {r}
  return %r : {r}
}}"""


def programs():
    """name -> (text, shapes, type, what the library and f64 compute)"""
    found = {}
    for n, h, w, c, o, k, stride, pad, kind in CONVOLUTIONS:
        def conv(torch, x, f, stride=stride, pad=pad):
            moved = (t.permute(0, 3, 1, 2) for t in (x, f))
            return torch.nn.functional.conv2d(*moved, stride=stride, padding=pad).permute(0, 2, 3, 1)
        found[f"conv_{n}x{h}x{w}x{c}_{o}_{k}x{k}_s{stride}_{kind}"] = (
            convolution(n, h, w, c, o, k, stride, pad, kind), [(n, h, w, c), (o, k, k, c)], kind, conv)
    for model, layers in (("resnet50", RESNET_50), ("mobilenetv2", MOBILENET_V2)):
        for (size, c, o, k, stride, groups), batch in itertools.product(layers, BATCHES):
            def layer(torch, x, f, stride=stride, pad=k // 2, groups=groups):
                moved = (t.permute(0, 3, 1, 2) for t in (x, f))  # channels last
                return torch.nn.functional.conv2d(*moved, stride=stride, padding=pad, groups=groups).permute(0, 2, 3, 1)
            name = f"{model}_{batch}x{size}x{size}x{c}_{o}_{k}x{k}_s{stride}" + (f"_g{groups}" if groups > 1 else "")
            text = (batch, size, size, c, o, k, stride, k // 2, "f16", groups)
            found[name] = (convolution(*text), [(batch, size, size, c), (o, k, k, c // groups)], "f16", layer)
            if k == 3 and groups == 1:
                def planes(torch, x, f, stride=stride):
                    return torch.nn.functional.conv2d(x, f, stride=stride, padding=1)
                found[name + "_nchw"] = (convolution(*text, planes=True), [(batch, c, size, size), (o, c, k, k)], "f16", planes)
    for batches, m, n, k, kind in SUMS:
        def sums(torch, a, b):
            return torch.einsum("rmk,rkn->mn", a, b)
        found[f"sum_{batches}x{m}x{n}x{k}_{kind}"] = (
            summed(batches, m, n, k, kind), [(batches, m, k), (batches, k, n)], kind, sums)
    return found


def compile_all(options):
    """The exit status: 1 where there is nothing, or something could not be compiled."""
    os.makedirs(options.packages, exist_ok=True)
    failed, names = 0, [name for name in programs() if re.search(options.filter, name)]
    for name in names:
        path = os.path.join(options.packages, name)
        with open(path + ".mlir", "w", encoding="utf-8") as file:
            file.write(programs()[name][0])
        target = f"nvidia:{options.chip}" + (f",{options.options}" if options.options else "")
        failed += subprocess.run([options.compile, path + ".mlir", f"--target={target}", "--no-fallback",
                                  "-o", path + ".kpkg"], check=False).returncode != 0
    print(f"{len(names) - failed} packages, {failed} failed")
    return int(failed or not names)


def timings(torch, calls, rounds=9, together=20):
    """Microseconds of a call of each, as graphs of TOGETHER calls, in turns."""
    stream, graphs, times = torch.cuda.Stream(), {}, {who: [] for who in calls}
    for who, make in calls.items():
        call = make(stream)
        with torch.cuda.stream(stream):
            for _ in range(5):
                call()
            stream.synchronize()
            graphs[who] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graphs[who], stream=stream):
                for _ in range(together):
                    call()
    for _ in range(rounds):
        for who, graph in graphs.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            with torch.cuda.stream(stream):
                begin.record()
                graph.replay()
                end.record()
            end.synchronize()
            times[who].append(begin.elapsed_time(end) * 1e3 / together)
    return {who: statistics.median(all) for who, all in times.items()}


def measure(options):
    import torch
    kinds = {"f16": torch.float16, "bf16": torch.bfloat16}
    library, bad, ratios = ctypes.CDLL(options.runtime), 0, []
    library.kilnSessionEntry.restype = ctypes.c_char_p
    torch.backends.cudnn.benchmark = True
    torch.cuda.set_stream(torch.cuda.Stream())
    print(torch.cuda.get_device_name())
    for name, (_, shapes, kind, compute) in programs().items():
        package = os.path.join(options.packages, name + ".kpkg")
        if not re.search(options.filter, name) or not os.path.exists(package):
            continue
        args = []
        for i, shape in enumerate(shapes):
            torch.manual_seed(i)
            args.append(torch.randn(list(shape), device="cuda").to(kinds[kind]))
        exact = compute(torch, *(x.double() for x in args))
        peer = compute(torch, *args)

        def error_of(result):
            return float((result.double() - exact).norm() / exact.norm())
        session = Session(library, package, torch.cuda.current_stream().cuda_stream)
        inputs, results = session.inputs(args), []
        for _ in range(options.repeats):
            results.append(session.give(session.call(inputs)).clone())
        torch.cuda.synchronize()
        different = sum(not torch.equal(results[0].view(torch.int16), other.view(torch.int16)) for other in results[1:])
        error, theirs = max(error_of(result) for result in results), error_of(peer)
        wrong = different or not error <= 4 * theirs + 1e-4
        bad += bool(wrong)
        result = torch.empty_like(results[0])
        found = timings(torch, {
            "kiln": lambda stream: kiln_call(library, package, args, result, torch, stream),
            "library": lambda stream: lambda: compute(torch, *args)})
        us, them = found["kiln"], found["library"]
        ratios.append(them / us)
        print(f"{name:34} error {error:.2e} library {theirs:.2e}  {different} of {options.repeats} differ  "
              f"{us:9.1f} us  library {them:9.1f} us  ratio {them / us:.3f}{'  WRONG' if wrong else ''}", flush=True)
        session.close()
    print(f"{len(ratios)} programs, {bad} wrong" + (f"; geometric mean of ratios {statistics.geometric_mean(ratios):.3f}"
                                                    if ratios else ""))
    return int(bool(bad) or not ratios)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("packages")
    parser.add_argument("--compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--options", default="")
    parser.add_argument("--filter", default="")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--runtime", default="libkiln-runtime.so", help="the library, where it is not installed")
    options = parser.parse_args()
    return compile_all(options) if options.compile else measure(options)


if __name__ == "__main__":
    sys.exit(main())
