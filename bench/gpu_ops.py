#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times prim programs on a GPU beside PyTorch (cuBLAS, its own kernels) and the copy of a buffer.

Usage: gpu_ops.py PACKAGES --compile=KILN_COMPILE [--chip=CHIP] [--options=KEY=VALUE,…]   writes NAME.kpkg
       gpu_ops.py PACKAGES [--filter=REGEX] [--rounds=N]                                   measures them

Each program runs through kiln-run, which verifies it with --expect against what PyTorch computes of the same
arguments, and gives the median of device times of calls with arguments that stay on the device. PyTorch's calls
are timed by events, in turns with Kiln's: N rounds of both.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile


def dot(m, n, k, layout, kind="bf16"):
    """`layout`: which factor is stored transposed, N or T each."""
    a = f"{m}x{k}" if layout[0] == "N" else f"{k}x{m}"
    b = f"{k}x{n}" if layout[1] == "N" else f"{n}x{k}"
    i, j = (1 if layout[0] == "N" else 0), (0 if layout[1] == "N" else 1)
    return f"""func.func @main(%a: tensor<{a}x{kind}>, %b: tensor<{b}x{kind}>) -> tensor<{m}x{n}x{kind}> {{
  %d = prim.dot_general %a, %b batch [] x [] contract [{i}] x [{j}] : tensor<{a}x{kind}>, tensor<{b}x{kind}> -> tensor<{m}x{n}xf32>
  %e = prim.convert_element_type %d : tensor<{m}x{n}xf32> -> tensor<{m}x{n}x{kind}>
  return %e : tensor<{m}x{n}x{kind}>
}}"""


def unary(op, rows, columns, kind="f32", extra=""):
    t = f"tensor<{rows}x{columns}x{kind}>"
    return f"""func.func @main(%x: {t}) -> {t} {{
  %r = prim.{op} %x {extra} : {t}
  return %r : {t}
}}"""


def norm(op, rows, columns, kind):
    t, w = f"tensor<{rows}x{columns}x{kind}>", f"tensor<{columns}x{kind}>"
    if op == "rms_norm":
        return f"""func.func @main(%x: {t}, %w: {w}) -> {t} {{
  %r = prim.rms_norm %x weight %w axes 1 eps 1.0e-5 : {t}, {w}
  return %r : {t}
}}"""
    return f"""func.func @main(%x: {t}, %w: {w}, %b: {w}) -> {t} {{
  %r = prim.layer_norm %x weight %w bias %b axes 1 eps 1.0e-5 : {t}, {w}, {w}
  return %r : {t}
}}"""


def silu_mul(rows, columns, kind):
    t = f"tensor<{rows}x{columns}x{kind}>"
    return f"""func.func @main(%x: {t}, %y: {t}) -> {t} {{
  %s = prim.silu %x : {t}
  %r = prim.mul %s, %y : {t}
  return %r : {t}
}}"""


def transpose(rows, columns, kind):
    return f"""func.func @main(%x: tensor<{rows}x{columns}x{kind}>) -> tensor<{columns}x{rows}x{kind}> {{
  %r = prim.transpose %x permutation [1, 0] : tensor<{rows}x{columns}x{kind}> -> tensor<{columns}x{rows}x{kind}>
  return %r : tensor<{columns}x{rows}x{kind}>
}}"""


def reverse(sizes, kind):
    """All dimensions in the opposite order."""
    x, r = ("x".join(str(n) for n in order) + "x" + kind for order in (sizes, sizes[::-1]))
    return f"""func.func @main(%x: tensor<{x}>) -> tensor<{r}> {{
  %r = prim.transpose %x permutation {list(range(len(sizes)))[::-1]} : tensor<{x}> -> tensor<{r}>
  return %r : tensor<{r}>
}}"""


def column_sum(rows, columns, kind):
    return f"""func.func @main(%x: tensor<{rows}x{columns}x{kind}>) -> tensor<{columns}x{kind}> {{
  %r = prim.sum %x dims [0] : tensor<{rows}x{columns}x{kind}> -> tensor<{columns}x{kind}>
  return %r : tensor<{columns}x{kind}>
}}"""


def sum_all(rows, columns, kind):
    return f"""func.func @main(%x: tensor<{rows}x{columns}x{kind}>) -> tensor<{kind}> {{
  %r = prim.sum %x dims [0, 1] : tensor<{rows}x{columns}x{kind}> -> tensor<{kind}>
  return %r : tensor<{kind}>
}}"""


GEMMS = [(4096, 4096, 4096, layout) for layout in ("NN", "NT", "TN", "TT")] + \
    [(4095, 4097, 4096, "NT"), (1000, 1000, 1000, "NT"), (8192, 8192, 8192, "NT")]
#        name                     text                                    bytes moved, or operations    in torch
PROGRAMS = {f"gemm_{m}x{n}x{k}_{layout}": (dot(m, n, k, layout), 2 * m * n * k, "dot") for m, n, k, layout in GEMMS}
PROGRAMS.update({
    "softmax_4096x4096": (unary("softmax", 4096, 4096, "f32", "dim 1"), 2 * 4 * 4096 * 4096, "softmax"),
    "layer_norm_16384x4096": (norm("layer_norm", 16384, 4096, "bf16"), 2 * 2 * 16384 * 4096, "layer_norm"),
    "rms_norm_16384x4096": (norm("rms_norm", 16384, 4096, "bf16"), 2 * 2 * 16384 * 4096, "rms_norm"),
    "silu_mul_16384x4096": (silu_mul(16384, 4096, "bf16"), 3 * 2 * 16384 * 4096, "silu_mul"),
    "transpose_16384x4096": (transpose(16384, 4096, "bf16"), 2 * 2 * 16384 * 4096, "transpose"),
    "column_sum_16384x4096": (column_sum(16384, 4096, "f32"), 4 * 16384 * 4096, "column_sum"),
    "sum_all_16384x4096": (sum_all(16384, 4096, "f32"), 4 * 16384 * 4096, "sum_all"),
    "softmax_4096x32768": (unary("softmax", 4096, 32768, "f32", "dim 1"), 2 * 4 * 4096 * 32768, "softmax"),
    "transpose_8192x8192": (transpose(8192, 8192, "f32"), 2 * 4 * 8192 * 8192, "transpose"),
    "reverse_32x128x64x256": (reverse([32, 128, 64, 256], "bf16"), 2 * 2 * 32 * 128 * 64 * 256, "reverse"),
})


def compile_all(options):
    os.makedirs(options.packages, exist_ok=True)
    for name, (text, _, _) in PROGRAMS.items():
        if not re.search(options.filter, name):
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            subprocess.run([options.compile, file.name,
                            f"--target=nvidia:{options.chip}" + (f",{options.options}" if options.options else ""),
                            "--no-fallback", "-o", os.path.join(options.packages, name + ".kpkg")], check=False)


def computed(torch, kind, name, args):
    if kind == "dot":
        layout = name.rsplit("_", 1)[1]
        a, b = (x if way == "N" else x.T for x, way in zip(args, layout))
        return lambda: a @ b
    import torch.nn.functional as F
    return {"softmax": lambda: F.softmax(args[0], 1),
            "layer_norm": lambda: F.layer_norm(args[0], args[1].shape, args[1], args[2]),
            "rms_norm": lambda: F.rms_norm(args[0], args[1].shape, args[1], 1e-5),
            "silu_mul": lambda: F.silu(args[0]) * args[1],
            "transpose": lambda: args[0].T.contiguous(),
            "reverse": lambda: args[0].permute(*range(args[0].dim())[::-1]).contiguous(),
            "sum_all": lambda: args[0].sum(),
            "column_sum": lambda: args[0].sum(0)}[kind]


def measure(options):
    import numpy as np
    import torch
    kinds = {"f32": torch.float32, "bf16": torch.bfloat16}
    big = torch.empty(1 << 28, dtype=torch.float32, device="cuda")
    half = big[:1 << 27]

    def timed(run, count=20, warmup=options.warmup):
        for _ in range(warmup):
            run()
        times = []
        for _ in range(count):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            run()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e-3)
        return statistics.median(times)

    copy = 2 * half.numel() * 4 / timed(lambda: big[1 << 27:].copy_(half))
    del big, half
    print(f"copy {copy / 1e9:.0f} GB/s")
    for name, (text, amount, kind) in PROGRAMS.items():
        package = os.path.join(options.packages, name + ".kpkg")
        if not re.search(options.filter, name) or not os.path.exists(package):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            args, flags = [], []
            header = text[:text.index("->")]
            for i, (shape, element) in enumerate(re.findall(r"tensor<([\dx]+)x(\w+)>", header)):
                torch.manual_seed(i)
                value = torch.randn([int(n) for n in shape.split("x")], device="cuda").to(kinds[element])
                args.append(value)
                path = os.path.join(scratch, f"{i}.npy")
                host = value.cpu()
                np.save(path, host.view(torch.int16).numpy().view(np.uint16) if element == "bf16" else host.numpy())
                flags.append(f"--arg={path}")
            run = computed(torch, kind, name, args)
            result = run().cpu()
            path = os.path.join(scratch, "expected.npy")
            np.save(path, result.view(torch.int16).numpy().view(np.uint16) if result.dtype == torch.bfloat16
                    else result.numpy())
            loose = "2e-2" if result.dtype == torch.bfloat16 else "1e-4"
            scale = float(result.abs().max())
            ours, theirs, wrong = [], [], ""
            for round_ in range(options.rounds):
                timing = os.path.join(scratch, "timing.json")
                done = subprocess.run(
                    [options.runner, package, "--bench=20", f"--warmup={options.warmup}", "--no-ceiling",
                     f"--bench-json={timing}"] + flags +
                    ([f"--expect=0:{path}", f"--rtol={loose}", f"--atol={float(loose) * scale * 0.5}"]
                     if round_ == 0 else []), capture_output=True, text=True, check=False)
                if done.returncode:
                    wrong = "  WRONG " + (done.stderr + done.stdout)[-300:].replace("\n", " ")
                    if not os.path.exists(timing):
                        break
                with open(timing, encoding="utf-8") as file:
                    data = json.load(file)
                if options.raw:
                    print(json.dumps(data)[:1500])
                ours.append(device_seconds(data))
                theirs.append(timed(run))
            if not ours:
                print(name, wrong)
                continue
            us, them = statistics.median(ours), statistics.median(theirs)
            if kind == "dot":
                print(f"{name:28} {us * 1e6:9.1f} us {amount / us / 1e12:7.1f} TFLOP/s  cuBLAS {them * 1e6:9.1f} us  "
                      f"ratio {them / us:.2f}{wrong}")
            else:
                print(f"{name:28} {us * 1e6:9.1f} us {amount / us / copy:5.2f} of copy  torch {them * 1e6:9.1f} us "
                      f"{amount / them / copy:5.2f}  ratio {them / us:.2f}{wrong}")


def device_seconds(data):
    """What the kernels of a call take by the device's clock."""
    return sum(row["seconds"] for row in data["kernels"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("packages")
    parser.add_argument("--compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--options", default="")
    parser.add_argument("--filter", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runner", default="kiln-run")
    parser.add_argument("--warmup", type=int, default=200, help="calls before those that count: clocks rise slowly")
    parser.add_argument("--raw", action="store_true")
    options = parser.parse_args()
    return compile_all(options) if options.compile else measure(options)


if __name__ == "__main__":
    sys.exit(main())
