#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times prim programs on a GPU beside PyTorch (cuBLAS, its own kernels) and the copy of a buffer.

Usage: gpu_ops.py PACKAGES --compile=KILN_COMPILE [--chip=CHIP] [--options=KEY=VALUE,…]   writes NAME.kpkg
       gpu_ops.py PACKAGES [--beside=PACKAGES] [--filter=REGEX] [--rounds=N]               measures them

Kiln's programs are called in PyTorch's process and queue, through the C interface, with PyTorch's tensors, and their
results compared with what PyTorch computes. Kiln's times are sums of those of a program's kernels, by the device's clock;
PyTorch's are by events around calls that follow each other. Both come after calls that let the clocks rise, in turns: N rounds.
With --beside the packages of another compiler take turns, too.
"""
import argparse
import ctypes
import os
import re
import statistics
import subprocess
import sys


def dot(m, n, k, layout, kind="bf16"):
    """`layout`: which factor is stored transposed, N or T each. A size may be `?`."""
    a = f"{m}x{k}" if layout[0] == "N" else f"{k}x{m}"
    b = f"{k}x{n}" if layout[1] == "N" else f"{n}x{k}"
    i, j = (1 if layout[0] == "N" else 0), (0 if layout[1] == "N" else 1)
    narrow, result = "", "d"
    if kind != "f32":
        narrow, result = f"\n  %e = prim.convert_element_type %d : tensor<{m}x{n}xf32> -> tensor<{m}x{n}x{kind}>", "e"
    return f"""func.func @main(%a: tensor<{a}x{kind}>, %b: tensor<{b}x{kind}>) -> tensor<{m}x{n}x{kind}> {{
  %d = prim.dot_general %a, %b batch [] x [] contract [{i}] x [{j}] : tensor<{a}x{kind}>, tensor<{b}x{kind}> -> tensor<{m}x{n}xf32>{narrow}
  return %{result} : tensor<{m}x{n}x{kind}>
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
    [(m, n, k, layout) for m, n, k in ((4095, 4097, 4096), (1000, 1000, 1000), (8191, 8191, 8191)) for layout in ("NT", "NN")] + \
    [(m, m, m, layout) for m in (1024, 8192) for layout in ("NT", "NN")] + [(4096, 4098, 4096, "NN")]
# Few instances for much to sum up, in bf16 and f32 with products in tf32.
DEEP = [(64, 64, 8192, "NT"), (128, 128, 16384, "NT"), (512, 512, 16384, "TN"), (128, 4096, 16384, "NT")] + \
    [(m, 4096, 4096, layout) for m in (1, 8, 16) for layout in ("NT", "NN")]
# Few rows by the weights of a large language model.
FEW = [(m, n, k, "NT") for m in (1, 16, 64, 128) for n, k in ((4096, 4096), (14336, 4096), (4096, 14336), (32000, 4096))]
# Sizes between, and more rows by the same weights.
MIDDLE = [(m, m, m, "NT") for m in (1536, 2048, 3072, 5120, 6144)] + \
    [(m, n, k, "NT") for m in (256, 512, 2048, 4096) for n, k in ((4096, 4096), (14336, 4096), (4096, 14336))]
#        name                     text                                    bytes moved, or operations    in torch
PROGRAMS = {f"gemm_{m}x{n}x{k}_{layout}": (dot(m, n, k, layout), 2 * m * n * k, "dot") for m, n, k, layout in GEMMS}
PROGRAMS.update({f"deep_{m}x{n}x{k}_{layout}": (dot(m, n, k, layout), 2 * m * n * k, "dot") for m, n, k, layout in DEEP})
PROGRAMS.update({f"deep_tf32_{m}x{n}x{k}_{layout}": (dot(m, n, k, layout, "f32"), 2 * m * n * k, "dot") for m, n, k, layout in DEEP})
PROGRAMS.update({f"middle_{m}x{n}x{k}_{layout}": (dot(m, n, k, layout), 2 * m * n * k, "dot") for m, n, k, layout in MIDDLE})
PROGRAMS.update({f"few_{m}x{n}x{k}_{layout}": (dot(m, n, k, layout), 2 * m * n * k, "dot") for m, n, k, layout in FEW})
PROGRAMS.update({
    "softmax_4096x4096": (unary("softmax", 4096, 4096, "f32", "dim 1"), 2 * 4 * 4096 * 4096, "softmax"),
    "layer_norm_16384x4096": (norm("layer_norm", 16384, 4096, "bf16"), 2 * 2 * 16384 * 4096, "layer_norm"),
    "rms_norm_16384x4096": (norm("rms_norm", 16384, 4096, "bf16"), 2 * 2 * 16384 * 4096, "rms_norm"),
    "silu_mul_16384x4096": (silu_mul(16384, 4096, "bf16"), 3 * 2 * 16384 * 4096, "silu_mul"),
    "transpose_16384x4096": (transpose(16384, 4096, "bf16"), 2 * 2 * 16384 * 4096, "transpose"),
    "column_sum_16384x4096": (column_sum(16384, 4096, "f32"), 4 * 16384 * 4096, "column_sum"),
    "sum_all_16384x4096": (sum_all(16384, 4096, "f32"), 4 * 16384 * 4096, "sum_all"),
    "softmax_4096x32768": (unary("softmax", 4096, 32768, "f32", "dim 1"), 2 * 4 * 4096 * 32768, "softmax"),
    "softmax_4096x4096_dim0": (unary("softmax", 4096, 4096, "f32", "dim 0"), 2 * 4 * 4096 * 4096, "softmax0"),
    "softmax_1024x16384_dim0": (unary("softmax", 1024, 16384, "f32", "dim 0"), 2 * 4 * 1024 * 16384, "softmax0"),
    "softmax_512x131072": (unary("softmax", 512, 131072, "f32", "dim 1"), 2 * 4 * 512 * 131072, "softmax"),
    "transpose_8192x8192": (transpose(8192, 8192, "f32"), 2 * 4 * 8192 * 8192, "transpose"),
    "reverse_32x128x64x256": (reverse([32, 128, 64, 256], "bf16"), 2 * 2 * 32 * 128 * 64 * 256, "reverse"),
})
# Sizes that only a call knows: `?` in the text, and for each argument what it is.
OPEN = {}
for m, n, k in ((4096, 4096, 4096), (4095, 4097, 4095)):
    name = f"open_gemm_{m}x{n}x{k}_NT"
    PROGRAMS[name] = (dot("?", "?", "?", "NT"), 2 * m * n * k, "dot")
    OPEN[name] = [(m, k), (n, k)]
for rows, columns in ((16384, 4096), (16384, 4095)):
    x, moved = (rows, columns), 2 * 2 * rows * columns
    for name, text, amount, kind, args in (
            ("softmax", unary("softmax", "?", "?", "f32", "dim 1"), 2 * moved, "softmax", [x]),
            ("rms_norm", norm("rms_norm", "?", "?", "bf16"), moved, "rms_norm", [x, (columns,)]),
            ("layer_norm", norm("layer_norm", "?", "?", "bf16"), moved, "layer_norm", [x, (columns,), (columns,)]),
            ("silu_mul", silu_mul("?", "?", "bf16"), 3 * moved // 2, "silu_mul", [x, x]),
            ("transpose", transpose("?", "?", "bf16"), moved, "transpose", [x]),
            ("column_sum", column_sum("?", "?", "f32"), moved, "column_sum", [x])):
        PROGRAMS[f"open_{name}_{rows}x{columns}"] = (text, amount, kind)
        OPEN[f"open_{name}_{rows}x{columns}"] = args


def shapes_of(name, text):
    """The shape and the type of each argument."""
    types = re.findall(r"tensor<([\dx?]+)x(\w+)>", text[:text.index("->")])
    shapes = OPEN.get(name) or [[int(n) for n in shape.split("x")] for shape, _ in types]
    return list(zip(shapes, (element for _, element in types)))


def compile_all(options):
    """The exit status: 1 where there is nothing, or something could not be compiled."""
    os.makedirs(options.packages, exist_ok=True)
    made = failed = 0
    for name, (text, _, _) in PROGRAMS.items():
        if not re.search(options.filter, name):
            continue
        path = os.path.join(options.packages, name)
        with open(path + ".mlir", "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([options.compile, path + ".mlir",
                               f"--target=nvidia:{options.chip}" + (f",{options.options}" if options.options else ""),
                               "--no-fallback", "-o", path + ".kpkg"] + ["--allow-tf32"] * ("tf32" in name), check=False)
        made, failed = made + 1, failed + (done.returncode != 0)
    print(f"{made - failed} packages, {failed} failed")
    return int(failed or not made)


def computed(torch, kind, name, args):
    if kind == "dot":
        layout = name.rsplit("_", 1)[1]
        a, b = (x if way == "N" else x.T for x, way in zip(args, layout))
        return lambda: a @ b
    import torch.nn.functional as F
    return {"softmax": lambda: F.softmax(args[0], 1),
            "softmax0": lambda: F.softmax(args[0], 0),
            "layer_norm": lambda: F.layer_norm(args[0], args[1].shape, args[1], args[2]),
            "rms_norm": lambda: F.rms_norm(args[0], args[1].shape, args[1], 1e-5),
            "silu_mul": lambda: F.silu(args[0]) * args[1],
            "transpose": lambda: args[0].T.contiguous(),
            "reverse": lambda: args[0].permute(*range(args[0].dim())[::-1]).contiguous(),
            "sum_all": lambda: args[0].sum(),
            "column_sum": lambda: args[0].sum(0)}[kind]


class Launch(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("kernel", ctypes.c_char_p),
                ("grid", ctypes.c_int64 * 3), ("seconds", ctypes.c_double)]


class Report(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("entry", ctypes.c_char_p), ("seconds", ctypes.c_double),
                ("bytes", ctypes.c_int64 * 3), ("count", ctypes.c_size_t),
                ("launches", ctypes.POINTER(ctypes.POINTER(Launch)))]


class Session:
    """A package on the GPU, called with PyTorch's tensors through the C interface, in PyTorch's queue."""

    HANDLER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Report), ctypes.c_void_p)

    class Options(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), ("grid", ctypes.c_int64 * 3), ("report", ctypes.c_void_p),
                    ("user", ctypes.c_void_p), ("time", ctypes.c_int), ("flags", ctypes.c_uint32)]
    ON_DEVICE = 2

    def __init__(self, library, package, stream):
        self.library, self.tensors = library, []
        library.kilnLastError.restype = ctypes.c_char_p
        self.package, self.session = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(library.kilnPackageLoadFile(package.encode(), ctypes.byref(self.package)))
        self.check(library.kilnSessionCreate(self.package, None, ctypes.byref(self.session)))
        self.check(library.kilnSessionUseQueue(self.session, ctypes.c_size_t(0), ctypes.c_void_p(stream)))
        self.seconds = 0.0
        self.handler = self.HANDLER(self.note)
        self.options = self.Options(size=ctypes.sizeof(self.Options), time=1, flags=self.ON_DEVICE,
                                    report=ctypes.cast(self.handler, ctypes.c_void_p))

    def note(self, report, _):
        """What the kernels of a call took by the device's clock."""
        self.seconds = sum(report.contents.launches[i].contents.seconds for i in range(report.contents.count))

    def check(self, status):
        if status:
            raise RuntimeError(self.library.kilnLastError().decode())

    def take(self, tensor):
        """The runtime's name for a tensor of PyTorch's."""
        import torch.utils.dlpack
        capsule = torch.utils.dlpack.to_dlpack(tensor)
        api = ctypes.pythonapi
        api.PyCapsule_GetPointer.restype = ctypes.c_void_p
        api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
        taken = ctypes.c_void_p()
        self.check(self.library.kilnTensorFromDLPack(
            self.session, ctypes.c_void_p(api.PyCapsule_GetPointer(capsule, FRESH)), ctypes.byref(taken)))
        api.PyCapsule_SetName(capsule, USED)  # it belongs to the runtime now
        self.tensors.append(taken)
        return taken

    def give(self, tensor):
        """A tensor of PyTorch's for one of the runtime's."""
        import torch.utils.dlpack
        managed = ctypes.c_void_p()
        self.check(self.library.kilnTensorToDLPack(tensor, ctypes.byref(managed)))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return torch.utils.dlpack.from_dlpack(new(managed, FRESH, None))

    def call(self, inputs):
        result = ctypes.c_void_p()
        self.check(self.library.kilnSessionCall(
            self.session, b"main", ctypes.c_size_t(len(inputs)), inputs, ctypes.c_size_t(1), ctypes.byref(result),
            ctypes.byref(self.options)))
        return result

    def measure(self, inputs, warmup, count=40):
        times = []
        for i in range(-warmup, count):
            self.library.kilnTensorDestroy(self.call(inputs))
            if i >= 0:
                times.append(self.seconds)
        return statistics.median(times)

    def inputs(self, tensors):
        return (ctypes.c_void_p * len(tensors))(*[self.take(tensor).value for tensor in tensors])

    def close(self):
        self.check(self.library.kilnSessionSynchronize(self.session))
        for tensor in self.tensors:
            self.library.kilnTensorDestroy(tensor)
        self.library.kilnSessionDestroy(self.session)
        self.library.kilnPackageDestroy(self.package)


FRESH, USED = b"dltensor", b"used_dltensor"  # capsules keep the pointers


def measure(options):
    import torch
    kinds = {"f32": torch.float32, "bf16": torch.bfloat16}
    library = ctypes.CDLL(options.runtime)
    torch.cuda.set_stream(torch.cuda.Stream())

    def timed(run, count=20, together=4):
        for _ in range(options.warmup):
            run()
        times = []
        for _ in range(count):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(together):
                run()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e-3 / together)
        return statistics.median(times)

    big = torch.empty(1 << 28, dtype=torch.float32, device="cuda")
    half = 1 << 27
    for _ in range(3):  # the clocks rise
        copy = 2 * half * 4 / timed(lambda: big[half:].copy_(big[:half]))
    del big
    print(f"copy {copy / 1e9:.0f} GB/s")
    for name, (text, amount, kind) in PROGRAMS.items():
        package = os.path.join(options.packages, name + ".kpkg")
        if not re.search(options.filter, name) or not os.path.exists(package):
            continue
        torch.backends.cuda.matmul.allow_tf32 = "tf32" in name
        args = []
        for i, (shape, element) in enumerate(shapes_of(name, text)):
            torch.manual_seed(i)
            args.append(torch.randn(list(shape), device="cuda").to(kinds[element]))
        peer = computed(torch, kind, name, args)
        expected = peer()
        wrong, sessions = "", []
        try:
            for path in [package] + ([os.path.join(options.beside, name + ".kpkg")] if options.beside else []):
                if not os.path.exists(path):
                    continue
                session = Session(library, path, torch.cuda.current_stream().cuda_stream)
                inputs = session.inputs(args)
                sessions.append((session, inputs, []))
                result = session.give(session.call(inputs))
                torch.cuda.synchronize()
                loose = 2e-2 if result.dtype == torch.bfloat16 else 5e-3 if "tf32" in name else 1e-4
                off = float((result.float() - expected.float()).abs().max() / expected.float().abs().max())
                del result
                if not off <= loose:
                    wrong += f"  WRONG by {off:.1e}"
        except RuntimeError as error:
            print(f"{name:28} failed: {error}")
            continue
        theirs = []
        for _ in range(options.rounds):
            for session, inputs, times in sessions:
                times.append(session.measure(inputs, options.warmup, options.calls))
            theirs.append(timed(peer))
        for session, _, _ in sessions:
            session.close()
        us, them = statistics.median(sessions[0][2]), statistics.median(theirs)
        if len(sessions) > 1:
            beside = statistics.median(sessions[1][2])
            wrong = f"  beside {beside * 1e6:9.1f} us, {beside / us:.2f} times{wrong}"
        if kind == "dot":
            print(f"{name:28} {us * 1e6:9.1f} us {amount / us / 1e12:7.1f} TFLOP/s  cuBLAS {them * 1e6:9.1f} us  "
                  f"ratio {them / us:.2f}{wrong}", flush=True)
        else:
            print(f"{name:28} {us * 1e6:9.1f} us {amount / us / copy:5.2f} of copy  torch {them * 1e6:9.1f} us "
                  f"{amount / them / copy:5.2f}  ratio {them / us:.2f}{wrong}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("packages")
    parser.add_argument("--compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--options", default="")
    parser.add_argument("--filter", default="")
    parser.add_argument("--beside", help="packages of another compiler")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--runtime", default="libkiln-runtime.so", help="the library, where it is not installed")
    parser.add_argument("--warmup", type=int, default=20)
    options = parser.parse_args()
    return compile_all(options) if options.compile else measure(options)


if __name__ == "__main__":
    sys.exit(main())
