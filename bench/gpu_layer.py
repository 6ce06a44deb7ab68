#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the layer of examples/llama_layer.mlir on a GPU beside PyTorch, eager and compiled, in one process, by turns.

Usage: gpu_layer.py PACKAGES --compile=KILN_COMPILE [--chip=CHIP] [--options=KEY=VALUE,…]   writes layer_TYPE.kpkg
       gpu_layer.py PACKAGES RUNTIME [--rounds=N] [--types=f32,bf16]                        measures them

RUNTIME is an installed runtime (cmake --install BUILD --component runtime). Arguments and results are PyTorch's, on the
device; Kiln records the call once and replays it, as PyTorch does with `reduce-overhead`. A time is that of one call
and of the wait for its end, by the clock of the host. With f32 both may read factors of products as tf32; results are
compared with PyTorch's in f64. Also printed: the first call of the package, and what each of CHAIN products of
32x32x32 costs, one after the other, which is little but their launch.
"""
import argparse
import ctypes as C
import glob
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import peers  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../examples/llama_layer.mlir")
SHAPES = [(1, 128, 1024), (1, 1, 1024)] + 4 * [(1, 1024, 1024)] + [(1, 1, 1024)] + 2 * [(1, 1024, 2816)] + \
    [(1, 2816, 1024)]
TOLERANCE = {"f32": 2e-3, "bf16": 3e-2}  # of the largest element
ON_DEVICE, NO_WAIT = 2, 4
CHAIN = 200
USED = b"used_dltensor"
# The tables of positions stay in f32, and are rounded where they meet the rest.
TABLES = ("%positions", "%frequencies", "%angles", "%cosines", "%sines", "%columns", "%later")


def narrowed(text):
    """The layer in bf16, whose products are summed in f32."""
    lines = []
    for line in text.splitlines():
        name = line.strip().split(" ", 1)[0]
        if name in TABLES or name.startswith("//"):
            lines.append(line)
            continue
        new = line.replace("xf32>", "xbf16>")
        wide = name + "_wide"
        if name in ("%cos", "%sin"):
            table = line.rsplit("-> ", 1)[1]
            lines += [line.replace(name + " =", wide + " =")]
        elif "tosa.matmul" in line:
            table = line.rsplit("-> ", 1)[1]
            lines += [new.rsplit("-> ", 1)[0].replace(name + " =", wide + " =") + "-> " + table]
        else:
            lines.append(new)
            continue
        lines.append(f"  {name} = tosa.cast {wide} : ({table}) -> {table.replace('f32', 'bf16')}")
    return "\n".join(lines) + "\n"


def chain():
    t = "tensor<32x32xf32>"
    lines = [f"  %v{i + 1} = prim.dot_general %v{i}, %w batch [] x [] contract [1] x [0] : {t}, {t} -> {t}"
             for i in range(CHAIN)]
    return f"func.func @chain(%v0: {t}, %w: {t}) -> {t} {{\n" + "\n".join(lines) + f"\n  return %v{CHAIN} : {t}\n}}\n"


def compile_all(options):
    os.makedirs(options.packages, exist_ok=True)
    with open(SOURCE, encoding="utf-8") as file:
        text = file.read()
    programs = {f"layer_{kind}": text if kind == "f32" else narrowed(text) for kind in options.types.split(",")}
    programs["chain"] = chain()
    for name, program in programs.items():
        path = os.path.join(options.packages, f"{name}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        spec = f"--target=nvidia:{options.chip}" + (f",{options.options}" if options.options else "")
        subprocess.run([options.compile, path, spec, "--no-fallback"] + ["--allow-tf32"] * ("f32" in name) +
                       ["-o", path.replace(".mlir", ".kpkg")], check=True)


class Options(C.Structure):
    """KilnCallOptions."""
    _fields_ = [("size", C.c_size_t), ("grid", C.c_int64 * 3), ("report", C.c_void_p), ("user", C.c_void_p),
                ("time", C.c_int), ("flags", C.c_uint32)]


def imported(lib, session, tensor, torch, check):
    """A tensor of PyTorch as one of Kiln's, which keeps it."""
    pointer = C.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = C.c_void_p, [C.py_object, C.c_char_p]
    rename = C.pythonapi.PyCapsule_SetName
    rename.argtypes = [C.py_object, C.c_char_p]
    capsule, handle = torch.utils.dlpack.to_dlpack(tensor), C.c_void_p()
    check(lib.kilnTensorFromDLPack(session, C.c_void_p(pointer(capsule, b"dltensor")), C.byref(handle)))
    rename(capsule, USED)
    return handle


class Recorded:
    """A call of a package with tensors of PyTorch, recorded; gives its result, or a list of several, which is there once the
    device is waited for."""

    def __init__(self, lib, path, tensors, torch, results=1):
        self.lib = lib
        package, session = C.c_void_p(), C.c_void_p()
        self.check(lib.kilnPackageLoadFile(path.encode(), C.byref(package)))
        self.check(lib.kilnSessionCreate(package, None, C.byref(session)))
        given = (C.c_void_p * len(tensors))(*[imported(lib, session, t, torch, self.check) for t in tensors])
        torch.cuda.synchronize()
        entry = lib.kilnSessionEntry(session, C.c_size_t(0))
        call = Options(size=C.sizeof(Options), flags=ON_DEVICE | NO_WAIT)
        begin = time.perf_counter()
        made, self.recording = (C.c_void_p * results)(), C.c_void_p()
        self.check(lib.kilnSessionCall(session, entry, C.c_size_t(len(tensors)), given, C.c_size_t(results), made,
                                       C.byref(call)))
        self.first = time.perf_counter() - begin
        for one in made:
            lib.kilnTensorDestroy(C.c_void_p(one))
        self.check(lib.kilnSessionRecord(session, entry, C.c_size_t(len(tensors)), given, C.c_size_t(results), made,
                                         C.byref(call), C.byref(self.recording)))
        capsule = C.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = C.py_object, [C.c_void_p, C.c_char_p, C.c_void_p]
        given_back = []
        for one in made:
            managed = C.c_void_p()
            self.check(lib.kilnTensorToDLPack(C.c_void_p(one), C.byref(managed)))
            given_back.append(torch.utils.dlpack.from_dlpack(capsule(managed, b"dltensor", None)))
        self.result = given_back[0] if results == 1 else given_back

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.kilnLastError().decode())

    def __call__(self):
        self.check(self.lib.kilnRecordedCallReplay(self.recording))
        return self.result


def library(folder):
    found = sorted(glob.glob(folder + "/lib/**/libkiln-runtime.so*", recursive=True))
    if not found:
        raise SystemExit(f"{folder}: no libkiln-runtime.so in its lib/")
    lib = C.CDLL(found[0])
    lib.kilnLastError.restype = lib.kilnSessionEntry.restype = C.c_char_p
    return lib


def measure(options):
    import torch
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    lib = library(options.runtime)
    with torch.device("cuda"):
        run = peers.layer(torch)
    print(torch.cuda.get_device_name())
    for kind in options.types.split(","):
        dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[kind]
        generator = torch.Generator("cuda").manual_seed(1)
        tensors = [(2 * torch.rand(s, device="cuda", generator=generator) - 1).to(dtype) for s in SHAPES]
        exact = run(*[t.double() for t in tensors])

        def ready(call):
            def waited():
                result = call()
                torch.cuda.synchronize()
                return result
            return waited

        with torch.device("cuda"):
            inside = peers.layer(torch, dtype) if dtype != torch.float32 else run
        calls = {"eager": ready(lambda: inside(*tensors))}
        recorded = Recorded(lib, os.path.join(options.packages, f"layer_{kind}.kpkg"), tensors, torch)
        calls["kiln"] = ready(recorded)
        for mode in ("reduce-overhead", "max-autotune")[:1 + options.autotune]:
            try:
                compiled = torch.compile(inside, mode=mode)
                for _ in range(3):
                    ready(lambda: compiled(*tensors))()
                calls[mode] = ready(lambda compiled=compiled: compiled(*tensors))
            except Exception as error:  # what a machine lacks for it is of many kinds
                print(f"{kind} {mode}: {str(error).splitlines()[0]}")
        for name, call in calls.items():
            wrong = float((call().double() - exact).abs().max() / exact.abs().max())
            print(f"{kind} {name}: error {wrong:.1e} of the largest element")
            if wrong > TOLERANCE[kind]:
                sys.exit(f"{kind} {name}: wrong")
        times = {name: [] for name in calls}
        for _ in range(options.rounds):
            for name, call in calls.items():
                begin = time.perf_counter()
                call()
                times[name].append(time.perf_counter() - begin)
        median = {name: statistics.median(all) for name, all in times.items()}
        best = min(t for name, t in median.items() if name != "kiln")
        print(f"{kind}: " + ", ".join(f"{name} {t * 1e6:.1f} us" for name, t in median.items()) +
              f"; best peer over kiln {best / median['kiln']:.2f}; first call {recorded.first * 1e3:.1f} ms")


    eye = torch.eye(32, device="cuda")
    given = torch.rand(32, 32, device="cuda")
    call = Recorded(lib, os.path.join(options.packages, "chain.kpkg"), [given, eye], torch)
    made = call()
    torch.cuda.synchronize()
    if not torch.equal(made, given):
        sys.exit("chain: wrong")
    times = []
    for _ in range(options.rounds):
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    print(f"chain of {CHAIN} kernels: {statistics.median(times) * 1e6 / CHAIN:.2f} us each")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n\n")[0])
    parser.add_argument("packages")
    parser.add_argument("runtime", nargs="?")
    parser.add_argument("--compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--options", default="")
    parser.add_argument("--types", default="f32,bf16")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--autotune", action="store_true", help="also beside max-autotune, which takes a minute")
    options = parser.parse_args()
    if options.compile:
        compile_all(options)
    elif options.runtime:
        measure(options)
    else:
        parser.error("expected --compile or RUNTIME")


if __name__ == "__main__":
    main()
