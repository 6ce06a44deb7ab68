#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the layer of examples/llama_layer.mlir, softmax and layer norm beside PyTorch, in one process, by turns.

Usage: peers.py FOLDER --threads=N [--chip=CHIP] [--rounds=N] [--inductor]

FOLDER is an installed runtime (cmake --install BUILD --component runtime) with `packages/` beside its `lib/`, where
`peers.py --compile KILN_COMPILE FOLDER --threads=N [--chip=CHIP]` has put the programs. Needs torch and numpy, and
no compiler of Kiln's. Kiln is called through the C interface with memory that the caller owns; so is a copy of the
same bytes. Every result is compared with PyTorch's. Prints the median time of each, and the ratios.
"""
import argparse
import ctypes as C
import glob
import os
import subprocess
import sys
import time

SHAPE = "tensor<4096x4096xf32>"
PROGRAMS = {
    "softmax": f"func.func @layer(%x: {SHAPE}) -> {SHAPE} {{\n  %0 = prim.softmax %x dim 1 : {SHAPE}\n"
               f"  return %0 : {SHAPE}\n}}\n",
    "layer_norm": f"func.func @layer(%x: {SHAPE}, %g: tensor<4096xf32>, %b: tensor<4096xf32>) -> {SHAPE} {{\n"
                  "  %0 = prim.layer_norm %x weight %g bias %b axes 1 eps 1.0e-5 : "
                  f"{SHAPE}, tensor<4096xf32>, tensor<4096xf32>\n  return %0 : {SHAPE}\n}}\n",
    "layer": None,
}


def compile_programs(options):
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    os.makedirs(options.folder + "/packages", exist_ok=True)
    for name, text in PROGRAMS.items():
        file = source + "/examples/llama_layer.mlir"
        if text:
            file = f"{options.folder}/packages/{name}.mlir"
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
        subprocess.run([options.compile, file, f"--target={spec(options)}", "--no-fallback", "-o",
                        f"{options.folder}/packages/{name}.{options.threads}.kiln"], check=True)


def spec(options):
    return f"cpu:{options.chip},threads={options.threads}"


class Session:
    """One package on the processor."""

    def __init__(self, lib, path, target):
        self.lib, self.package, self.session = lib, C.c_void_p(), C.c_void_p()
        self.check(lib.kilnPackageLoadFile(path.encode(), C.byref(self.package)))
        self.check(lib.kilnSessionCreate(self.package, target.encode(), C.byref(self.session)))
        self.kept = []

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.kilnLastError().decode())

    def tensor(self, array):
        handle, shape = C.c_void_p(), (C.c_int64 * array.ndim)(*array.shape)
        self.check(self.lib.kilnTensorWrap(14, array.ndim, shape, None, C.c_void_p(array.ctypes.data),
                                           C.byref(handle)))
        self.kept += [shape, array]
        return handle

    def caller(self, arguments, result):
        given = (C.c_void_p * len(arguments))(*[self.tensor(a) for a in arguments])
        into = (C.c_void_p * 1)(self.tensor(result))
        return lambda: self.check(self.lib.kilnSessionRunInto(
            self.session, b"layer", C.c_size_t(len(arguments)), given, C.c_size_t(1), into))


def layer(torch):
    """The layer as PyTorch's users write it."""
    functional = torch.nn.functional
    frequencies = 10000.0 ** (-torch.arange(32) / 32)
    angles = torch.arange(128.0)[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        a, b = x[..., :32], x[..., 32:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def norm(x, weight):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight

    def run(x, attention_norm, wq, wk, wv, wo, ffn_norm, w_gate, w_up, w_down):
        s, f = 0.0541265877, 0.0326396403
        h = norm(x, attention_norm)
        q, k, v = [((h @ w) * s).view(1, 128, 16, 64).transpose(1, 2) for w in (wq, wk, wv)]
        attended = functional.scaled_dot_product_attention(turn(q), turn(k), v, is_causal=True)
        y = x + (attended.transpose(1, 2).reshape(1, 128, 1024) @ wo) * s
        h = norm(y, ffn_norm)
        return y + ((functional.silu((h @ w_gate) * s) * ((h @ w_up) * s)) @ w_down) * f

    return run


def measure(calls, rounds):
    """Medians of calls that take turns."""
    times = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
    return {name: sorted(values)[len(values) // 2] for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--compile")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--chip", default="native")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--inductor", action="store_true")
    options = parser.parse_args()
    if options.compile:
        return compile_programs(options)
    import numpy as np
    import torch
    torch.set_num_threads(options.threads)
    lib = C.CDLL(sorted(glob.glob(options.folder + "/lib/libkiln-runtime.so*"))[-1], mode=C.RTLD_GLOBAL)
    lib.kilnLastError.restype = C.c_char_p
    generator = np.random.default_rng(1)

    def make(*shape):
        return generator.standard_normal(shape, dtype=np.float32)

    h, f = 1024, 2816
    arguments = {
        "softmax": [make(4096, 4096)],
        "layer_norm": [make(4096, 4096), make(4096), make(4096)],
        "layer": [make(1, 128, h), make(1, 1, h), make(1, h, h), make(1, h, h), make(1, h, h), make(1, h, h),
                  make(1, 1, h), make(1, h, f), make(1, h, f), make(1, f, h)],
    }
    functions = {
        "softmax": lambda x: torch.softmax(x, 1),
        "layer_norm": lambda x, g, b: torch.nn.functional.layer_norm(x, [4096], g, b, 1e-5),
        "layer": layer(torch),
    }
    wrong = 0
    for name, given in arguments.items():
        session = Session(lib, f"{options.folder}/packages/{name}.{options.threads}.kiln", spec(options))
        result = np.zeros(given[0].shape, np.float32)
        tensors = [torch.from_numpy(a) for a in given]
        calls = {"kiln": session.caller(given, result)}
        with torch.inference_mode():
            calls["eager"] = lambda: functions[name](*tensors)
            if options.inductor:
                compiled = torch.compile(functions[name])
                calls["inductor"] = lambda: compiled(*tensors)
            if name != "layer":
                source, target = tensors[0], torch.empty_like(tensors[0])
                calls["copy"] = lambda: target.copy_(source)
            calls["kiln"]()
            expected = functions[name](*tensors).numpy()
            error = float(np.abs(result - expected).max() / np.abs(expected).max())
            wrong += not error < 1e-5
            times = measure(calls, options.rounds)
        text = "  ".join(f"{peer} {seconds * 1e3:.2f} ms" for peer, seconds in times.items())
        ratios = "  ".join(f"{peer} {seconds / times['kiln']:.2f}" for peer, seconds in times.items() if peer != "kiln")
        print(f"{options.chip} threads={options.threads} {name}: {'ok' if error < 1e-5 else 'WRONG'} (error {error:.1e})  "
              f"{text}  | speed beside {ratios}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
