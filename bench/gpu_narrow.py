#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times products of 8-bit floats, of bytes, and of f32 in tf32, on a GPU beside cuBLAS.

Usage: gpu_narrow.py PACKAGES --compile=KILN_COMPILE [--chip=CHIP] [--options=KEY=VALUE,…]   writes NAME.kpkg
       gpu_narrow.py PACKAGES… [--filter=REGEX] [--runtime=LIBRARY]                          checks and times them

cuBLAS is torch._scaled_mm for 8-bit floats (`fast` with use_fast_accum, `parts` without, for which 128 terms at a time may
be summed imprecisely), torch._int_mm for bytes, and torch.matmul for tf32. Several folders of packages take turns. The error
is ||result - exact|| / ||exact|| with an f64 result of the same operands; that of the library stands beside it. Times are
those of calls in graphs of the device, in turns. The exit status is 1 where an error is over four times the library's.
"""
import argparse
import ctypes
import os
import re
import statistics
import subprocess
import sys

from gpu_convolutions import timings
from gpu_rows import kiln_call

ALL = 1 << 30  # terms that may be summed imprecisely
SQUARES = [(4096, 4096, 4096), (8192, 8192, 8192)]
ROWS = [(128, 4096, 4096), (128, 14336, 4096), (128, 4096, 14336)]


def scaled(m, n, k, kind, imprecise, scales):
    """a (m x k) times b (n x k), with a scale for all, or for each row and column; the result is bf16."""
    a, b, d, e = f"tensor<{m}x{k}x{kind}>", f"tensor<{n}x{k}x{kind}>", f"tensor<{m}x{n}xf32>", f"tensor<{m}x{n}xbf16>"
    s, t, along = ("tensor<f32>", "tensor<f32>", ("[]", "[]")) if scales == "all" else \
        (f"tensor<{m}xf32>", f"tensor<{n}xf32>", ("[0]", "[1]"))
    return f"""func.func @main(%a: {a}, %b: {b}, %s: {s}, %t: {t}) -> {e} {{
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] imprecise {imprecise} : {a}, {b} -> {d}
  %0 = prim.broadcast_in_dim %s dims {along[0]} : {s} -> {d}
  %1 = prim.broadcast_in_dim %t dims {along[1]} : {t} -> {d}
  %2 = prim.mul %d, %0 : {d}
  %3 = prim.mul %2, %1 : {d}
  %e = prim.convert_element_type %3 : {d} -> {e}
  return %e : {e}
}}
"""


def plain(m, n, k, kind, acc, layout):
    a = f"tensor<{m}x{k}x{kind}>" if layout[0] == "N" else f"tensor<{k}x{m}x{kind}>"
    b = f"tensor<{k}x{n}x{kind}>" if layout[1] == "N" else f"tensor<{n}x{k}x{kind}>"
    i, j = int(layout[0] == "N"), int(layout[1] == "T")
    return f"""func.func @main(%a: {a}, %b: {b}) -> tensor<{m}x{n}x{acc}> {{
  %d = prim.dot_general %a, %b batch [] x [] contract [{i}] x [{j}] : {a}, {b} -> tensor<{m}x{n}x{acc}>
  return %d : tensor<{m}x{n}x{acc}>
}}
"""


def programs():
    """name -> (text, kind, sizes, how)"""
    found = {}
    for m, n, k in SQUARES + ROWS:
        for name, imprecise in (("fast", ALL), ("parts", 128)):
            for scales in ("all", "rows"):
                found[f"e4m3_{m}x{n}x{k}_{name}_{scales}"] = (
                    scaled(m, n, k, "f8E4M3FN", imprecise, scales), "e4m3", (m, n, k), (name, scales))
        for layout in ("NT", "NN"):
            found[f"i8_{m}x{n}x{k}_{layout}"] = (plain(m, n, k, "i8", "i32", layout), "i8", (m, n, k), layout)
    for m, n, k in SQUARES:
        for layout in ("NT", "NN", "TN", "TT"):
            found[f"tf32_{m}x{n}x{k}_{layout}"] = (plain(m, n, k, "f32", "f32", layout), "tf32", (m, n, k), layout)
    return found


def compile_all(options):
    """The exit status: 1 where there is nothing, or something could not be compiled."""
    folder = options.packages[0]
    os.makedirs(folder, exist_ok=True)
    failed, names = 0, [name for name in programs() if re.search(options.filter, name)]
    for name in names:
        path = os.path.join(folder, name)
        with open(path + ".mlir", "w", encoding="utf-8") as file:
            file.write(programs()[name][0])
        target = f"nvidia:{options.chip}" + (f",{options.options}" if options.options else "")
        failed += subprocess.run([options.compile, path + ".mlir", f"--target={target}", "--no-fallback", "-o", path + ".kpkg"]
                                 + ["--allow-tf32"] * name.startswith("tf32"), check=False).returncode != 0
    print(f"{len(names) - failed} packages, {failed} failed")
    return int(failed or not names)


def given(torch, kind, sizes, how):
    """The arguments, what the library computes, what is exact, and an empty result."""
    m, n, k = sizes
    torch.manual_seed(1)
    shapes = [(m, k) if how[0] != "T" else (k, m), (n, k) if how[1] != "N" else (k, n)]
    a, b = (torch.randn(shape, device="cuda") for shape in shapes)
    if kind == "e4m3":
        a, b = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
        shapes = [(), ()] if how[1] == "all" else [(m,), (n,)]
        s, t = (torch.rand(shape, device="cuda") + 0.5 for shape in shapes)
        both = (s, t) if how[1] == "all" else (s[:, None], t[None, :])

        def library():
            return torch._scaled_mm(a, b.t(), *both, out_dtype=torch.bfloat16, use_fast_accum=how[0] == "fast")
        return ([a, b, s, t], library, (a.double() @ b.double().t()) * both[0].double() * both[1].double(),
                torch.empty(m, n, dtype=torch.bfloat16, device="cuda"))
    if kind == "i8":
        a, b = ((x * 40).clamp(-128, 127).to(torch.int8) for x in (a, b))
        y = b.t() if how[1] == "T" else b
        return ([a, b], lambda: torch._int_mm(a, y), a.double() @ y.double(),
                torch.empty(m, n, dtype=torch.int32, device="cuda"))
    x, y = (value.t() if way == turned else value for value, way, turned in ((a, how[0], "T"), (b, how[1], "T")))
    return [a, b], lambda: x @ y, x.double() @ y.double(), torch.empty(m, n, device="cuda")


def measure(options):
    import torch
    library, bad, ratios = ctypes.CDLL(options.runtime), 0, {}
    library.kilnSessionEntry.restype = library.kilnLastError.restype = ctypes.c_char_p
    torch.backends.cuda.matmul.allow_tf32 = True
    print(torch.cuda.get_device_name())
    for name, (_, kind, sizes, how) in programs().items():
        packages = [os.path.join(folder, name + ".kpkg") for folder in options.packages]
        packages = [package for package in packages if os.path.exists(package)]
        if not re.search(options.filter, name) or not packages:
            continue
        args, peer, exact, result = given(torch, kind, sizes, how)

        def error_of(value):
            return float((value.double() - exact).norm() / exact.norm())
        calls = {package: (lambda stream, package=package: kiln_call(library, package, args, result, torch, stream))
                 for package in packages}
        try:
            theirs = error_of(peer())
            calls["library"] = lambda stream: peer
        except RuntimeError as error:  # a shape that it does not take
            print(f"{name}: the library: {str(error).splitlines()[0]}")
            theirs = 0.05
        errors = []
        for package in packages:
            stream = torch.cuda.Stream()
            result.view(torch.uint8).fill_(0x7f)
            torch.cuda.synchronize()
            kiln_call(library, package, args, result, torch, stream)()
            torch.cuda.synchronize()
            errors.append(error_of(result))
        wrong = not max(errors) <= 4 * theirs + 1e-6
        bad += wrong
        found = timings(torch, calls, together=5 if min(sizes) > 5000 else 20)
        them = found.get("library", float("nan"))
        line = f"{name:30} error {max(errors):.2e} library {theirs:.2e}  library {them:8.1f} us "
        for package in packages:
            line += f"  {found[package]:8.1f} us {2e-6 * sizes[0] * sizes[1] * sizes[2] / found[package]:6.0f} TFLOP/s ratio {them / found[package]:.3f}"
            if them == them:
                ratios.setdefault(os.path.dirname(package), []).append(them / found[package])
        print(line + ("  WRONG" if wrong else ""), flush=True)
        del args, exact, result
        torch.cuda.empty_cache()
    for folder, all_of in ratios.items():
        print(f"{folder}: {len(all_of)} programs, geometric mean of ratios {statistics.geometric_mean(all_of):.3f}")
    print(f"{bad} wrong")
    return int(bool(bad) or not ratios)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--options", default="")
    parser.add_argument("--filter", default="")
    parser.add_argument("--runtime", default="libkiln-runtime.so", help="the library, where it is not installed")
    options = parser.parse_args()
    return compile_all(options) if options.compile else measure(options)


if __name__ == "__main__":
    sys.exit(main())
