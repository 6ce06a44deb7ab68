#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each kind of kernel once on a GPU, in small sizes, for NVIDIA's compute-sanitizer.

Usage: gpu_races.py PACKAGES --export [--target=SPEC] [--only=REGEX]      writes NAME.kpkg and NAME.npz
       compute-sanitizer --tool=racecheck --error-exitcode=9 PYTHON gpu_races.py PACKAGES [--only=REGEX] [--repeats=N]
       compute-sanitizer --tool=memcheck  --error-exitcode=9 PYTHON gpu_races.py PACKAGES

`--export` needs torch and kiln.torch and no GPU. It writes the arguments and what PyTorch computes of them on the CPU, in f64.
Running needs NumPy, the package `kiln` and a GPU. Only Kiln's kernels are launched: racecheck fails inside of cuDNN, and takes
minutes for the kernels of PyTorch. The exit status is 1 where a result is wrong, or where two calls give different bits.
"""
import argparse
import json
import os
import re
import sys
import time

# Of the largest element of the result, for each type of the arguments that has the fewest bits.
TOLERANCE = {"f8E4M3FN": 3e-2, "bf16": 2e-2, "f16": 3e-3, "f32": 3e-3, "f64": 1e-9}
CASES = {}
OPTIONS = {}  # of the target, for cases that need some


def case(*specs, exact=False):
    """Registers a function of torch and of tensors. `specs` are `(type, shape)` of normal numbers, or `(type, shape, n)` of integers
    below n. With `exact` the arguments are not widened for the expected result."""
    def add(function):
        CASES[function.__name__] = (function, specs, exact)
        return function
    return add


def one(kind, *shape):
    return kind, shape


def below(limit, *shape, kind="i64"):
    return kind, shape, limit


# Elements.
@case(one("f32", 100, 130), one("f32", 130, 100))
def transposed_sum(torch, a, b):
    return torch.nn.functional.silu(a) * b.t()


@case(one("f16", 40, 50, 60))
def transposed(torch, x):
    return x.permute(2, 1, 0).contiguous()


@case(one("f32", 20, 30), one("f32", 20, 50))
def cat_pad(torch, a, b):
    return torch.nn.functional.pad(torch.cat([a, b], 1), (1, 2, 3, 0)), torch.roll(a, 3, 1)


# Rows and columns.
@case(one("f32", 37, 1000))
def softmax(torch, x):
    return torch.softmax(x, -1)


@case(one("bf16", 4, 40000))
def softmax_long(torch, x):
    return torch.softmax(x, -1)


@case(one("f16", 600, 24))
def softmax_short(torch, x):
    return torch.log_softmax(x, -1)


@case(one("bf16", 64, 2048), one("bf16", 2048), one("bf16", 2048))
def layer_norm(torch, x, w, b):
    return torch.nn.functional.layer_norm(x, (2048,), w, b)


@case(one("f32", 200, 512), one("f32", 512), one("f32", 512), one("f32", 200, 512))
def layer_norm_gradient(torch, x, w, b, g):
    def loss(x, w, b):
        return (torch.nn.functional.layer_norm(x, (512,), w, b) * g).sum()
    return torch.func.grad(loss, (0, 1, 2))(x, w, b)


@case(one("f16", 33, 1536), one("f16", 1536))
def rms_norm(torch, x, w):
    return torch.nn.functional.rms_norm(x, (1536,), w)


@case(one("f32", 2, 32, 14, 14), one("f32", 32), one("f32", 32))
def group_norm(torch, x, w, b):
    return torch.nn.functional.group_norm(x, 8, w, b)


@case(one("bf16", 2, 24, 24, 64), one("bf16", 64), one("bf16", 64))
def group_norm_channels_last(torch, x, w, b):
    return torch.nn.functional.group_norm(x.permute(0, 3, 1, 2), 16, w, b).permute(0, 2, 3, 1)


@case(one("f32", 8, 16, 12, 12), one("f32", 16), one("f32", 16))
def batch_norm(torch, x, w, b):
    return torch.nn.functional.batch_norm(x, None, None, w, b, training=True)


@case(one("f32", 8000, 48), one("bf16", 3000, 100))
def sums_of_columns(torch, x, y):
    return x.sum(0), y.float().amax(0), torch.var(x, 0)


@case(one("f32", 300000))
def sum_of_all(torch, x):
    return x.sum(), (x * x).mean(), x.amin(), torch.logsumexp(x, 0)


@case(one("f32", 50, 700))
def places(torch, x):
    return x.argmax(1), x.argmin(0), x.argmax()


@case(one("f32", 6, 300))
def products_of_rows(torch, x):
    return (1 + x / 100).prod(1), (x > 2).any(1), torch.count_nonzero(x > 0, 0)


# Scans, sorts, first elements.
@case(one("f32", 50, 300), one("f32", 100000))
def prefix_sums(torch, rows, line):
    return torch.cumsum(rows, 1), torch.cumsum(rows, 0), torch.cumsum(line, 0)


@case(one("f32", 20, 5000))
def prefix_others(torch, x):
    return torch.cummax(x, 1)[0], torch.cumprod(1 + x / 1000, 1), torch.logcumsumexp(x, 1)


@case(one("f32", 30, 900))
def sorted_rows(torch, x):
    return torch.sort(x, stable=True)


@case(below(1 << 40, 60000))
def sorted_line(torch, x):
    return torch.sort(x, stable=True)


@case(one("f32", 8, 3000), one("f32", 70000))
def first_elements(torch, rows, line):
    return torch.topk(rows, 20, 1)[0], torch.topk(line, 50)[0]


@case(one("f32", 7, 401))
def median(torch, x):
    return torch.median(x, 1)[0], torch.kthvalue(x, 17, 1)[0]


# Gathers and scatters.
@case(one("bf16", 1000, 96), below(1000, 300))
def embedding(torch, table, rows):
    return torch.nn.functional.embedding(rows, table)


@case(below(50, 4000), one("f32", 4000, 64))
def scatter_rows(torch, rows, updates):
    return torch.zeros(50, 64, dtype=updates.dtype).index_put((rows,), updates, accumulate=True)


@case(below(16, 100000), one("f32", 100000))
def scatter_few(torch, bins, updates):
    return torch.zeros(16, dtype=updates.dtype).index_add(0, bins, updates), torch.bincount(bins, minlength=16)


@case(below(1000, 30000), one("f32", 30000))
def scatter_elements(torch, places, updates):
    return torch.zeros(1000, dtype=updates.dtype).scatter_add(0, places, updates), \
        torch.zeros(1000, dtype=updates.dtype).scatter_reduce(0, places, updates, "amax")


@case(below(2000, 30000), one("f32", 30000))
def scatter_runs(torch, places, updates):
    return torch.zeros(2000, dtype=updates.dtype).scatter_add(0, torch.sort(places)[0], updates)


@case(one("f32", 500, 20), one("f32", 200, 20))
def scatter_stores(torch, x, updates):
    return x.index_copy(0, torch.arange(200) * 2, updates)


# Matmuls.
def matmul(kind, m, n, k, layout="NN"):
    def run(torch, a, b):
        return (a.t() if layout[0] == "T" else a) @ (b.t() if layout[1] == "T" else b)
    a = (m, k) if layout[0] == "N" else (k, m)
    b = (k, n) if layout[1] == "N" else (n, k)
    return run, (one(kind, *a), one(kind, *b)), False


for _kind, _m, _n, _k, _layout in [("bf16", 256, 256, 320, "NN"), ("bf16", 256, 192, 512, "NT"), ("f16", 192, 256, 384, "TN"),
                                   ("f16", 130, 77, 100, "NN"), ("f32", 128, 160, 96, "NT"), ("f32", 65, 33, 200, "TT"),
                                   ("bf16", 64, 64, 8192, "NT"), ("bf16", 512, 512, 256, "NT"), ("f64", 64, 48, 80, "NN"),
                                   ("bf16", 1, 1024, 2048, "NT"), ("bf16", 5, 512, 1024, "NT"), ("f16", 16, 768, 1024, "NN"),
                                   ("f32", 1, 600, 900, "NN"), ("bf16", 20, 320, 1024, "NT"),
                                   ("bf16", 4096, 64, 64, "NT")]:
    CASES[f"matmul_{_kind}_{_m}x{_n}x{_k}_{_layout}"] = matmul(_kind, _m, _n, _k, _layout)
for _kind, _m, _n, _k, _layout in [("bf16", 128, 256, 2048, "NT"), ("f16", 250, 248, 4096, "NN")]:
    _name = f"matmul_clusters_{_kind}_{_m}x{_n}x{_k}_{_layout}"
    CASES[_name] = matmul(_kind, _m, _n, _k, _layout)
    OPTIONS[_name] = ",part_clusters=on"
for _kind, _m, _n, _k, _layout in [("bf16", 400, 384, 1304, "NN"), ("f16", 328, 328, 776, "NT")]:
    _name = f"matmul_pairs_{_kind}_{_m}x{_n}x{_k}_{_layout}"
    CASES[_name] = matmul(_kind, _m, _n, _k, _layout)
    OPTIONS[_name] = ",pair_copies=on,blocks=128x128x64x1"


@case(one("bf16", 256, 256), one("bf16", 512, 256), one("bf16", 512), one("bf16", 256, 512))
def matmul_gelu(torch, x, w, b, residual):
    return torch.nn.functional.gelu(torch.nn.functional.linear(x, w, b)) + residual


@case(below(2, 3072, 128, kind="bf16"), below(2, 2048, 128, kind="bf16"))
def matmul_persistent(torch, a, b):
    """More tiles than the GPU has cores. The sums are exact, so that the file of what is expected is small."""
    return a @ b.t()


@case(one("bf16", 6, 128, 96), one("bf16", 6, 96, 128))
def matmul_batch(torch, a, b):
    return torch.bmm(a, b)


@case(one("bf16", 4, 128, 128), one("bf16", 4, 128, 128))
def matmul_summed(torch, a, b):
    return torch.einsum("rmk,rkn->mn", a, b)


@case(below(100, 128, 256, kind="i8"), below(100, 192, 256, kind="i8"), exact=True)
def matmul_i8(torch, a, b):
    return torch._int_mm(a, b.t())


@case(one("f8E4M3FN", 128, 512), one("f8E4M3FN", 192, 512), exact=True)
def matmul_f8(torch, a, b):
    one = torch.ones((), dtype=torch.float32)
    return torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.float32)


@case(one("bf16", 128, 512), below(15, 512, 256, kind="i8"), one("bf16", 256))
def matmul_computed_operand(torch, x, w, s):
    return x @ ((w - 8).to(x.dtype) * s)


# Convolutions, their gradients, pooling.
def convolved(torch, x, w, **options):
    """NHWC."""
    return torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), **options).permute(0, 2, 3, 1)


@case(one("bf16", 4, 14, 14, 64), one("bf16", 128, 3, 3, 64))
def conv_channels_last(torch, x, w):
    return convolved(torch, x, w, padding=1)


@case(one("f16", 2, 15, 13, 96), one("f16", 64, 5, 5, 96))
def conv_strided(torch, x, w):
    return convolved(torch, x, w, padding=2, stride=2)


@case(one("f16", 2, 64, 14, 14), one("f16", 64, 64, 3, 3))
def conv_planes(torch, x, w):
    return torch.nn.functional.conv2d(x, w, padding=1)


@case(one("f32", 2, 3, 32, 32), one("f32", 16, 3, 7, 7))
def conv_first(torch, x, w):
    return torch.nn.functional.conv2d(x, w, stride=2, padding=3)


@case(one("f32", 2, 14, 14, 48), one("f32", 48, 3, 3, 1))
def conv_depthwise(torch, x, w):
    return convolved(torch, x, w, padding=1, groups=48)


@case(one("bf16", 2, 64, 12, 12), one("bf16", 64, 16, 3, 3))
def conv_groups(torch, x, w):
    return torch.nn.functional.conv2d(x, w, padding=1, groups=4)


@case(one("f32", 2, 32, 9, 9), one("f32", 32, 16, 4, 4))
def conv_transposed(torch, x, w):
    return torch.nn.functional.conv_transpose2d(x, w, stride=2, padding=1)


def gradient_case(name, kind, x_shape, w_shape, last=False, **options):
    def run(torch, x, w, g):
        def loss(x, w):
            y = convolved(torch, x, w, **options) if last else torch.nn.functional.conv2d(x, w, **options)
            return (y * g).sum()
        return torch.func.grad(loss, (0, 1))(x, w)
    size = [(n + 2 * options.get("padding", 0) - k) // options.get("stride", 1) + 1
            for n, k in zip(x_shape[1:3] if last else x_shape[2:], w_shape[1:3] if last else w_shape[2:])]
    y_shape = (x_shape[0], *size, w_shape[0]) if last else (x_shape[0], w_shape[0], *size)
    CASES[name] = (run, (one(kind, *x_shape), one(kind, *w_shape), one(kind, *y_shape)), False)


gradient_case("conv_gradient", "bf16", (16, 32, 14, 14), (64, 32, 3, 3), padding=1)
gradient_case("conv_gradient_f16_last", "f16", (16, 14, 14, 64), (64, 3, 3, 64), last=True, padding=1)
gradient_case("conv_gradient_f32", "f32", (16, 16, 10, 10), (32, 16, 3, 3), padding=1, stride=2)
gradient_case("conv_gradient_pointwise", "bf16", (8, 64, 8, 8), (128, 64, 1, 1))
gradient_case("conv_gradient_depthwise", "f32", (4, 32, 16, 16), (32, 1, 3, 3), padding=1, groups=32)
gradient_case("conv_gradient_depthwise_last", "bf16", (4, 16, 16, 64), (64, 5, 5, 1), last=True, padding=2, groups=64)


@case(one("f32", 2, 16, 20, 20))
def pooling(torch, x):
    return torch.nn.functional.max_pool2d(x, 3, 2, 1), torch.nn.functional.avg_pool2d(x, 2), \
        torch.nn.functional.adaptive_avg_pool2d(x, 1)


@case(one("f32", 2, 8, 20, 20), one("f32", 2, 8, 10, 10))
def pooling_gradient(torch, x, g):
    return torch.func.grad(lambda x: (torch.nn.functional.max_pool2d(x, 3, 2, 1) * g).sum())(x)


@case(one("f32", 2, 4, 16, 16), one("f32", 2, 10, 10, 2))
def resampled(torch, x, grid):
    return torch.nn.functional.interpolate(x, scale_factor=2, mode="bilinear"), \
        torch.nn.functional.grid_sample(x, grid / 3, align_corners=False)


# Attention.
def attention(name, kind, batch, heads, queries, keys, size, groups=0, causal=False, backward=False):
    def run(torch, q, k, v, *g):
        def attend(q, k, v):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=bool(groups))
        if not backward:
            return attend(q, k, v)
        return torch.func.grad(lambda *all: (attend(*all) * g[0]).sum(), (0, 1, 2))(q, k, v)
    inner = (batch, groups or heads, keys, size)
    outer = (batch, heads, queries, size)
    CASES[name] = (run, (one(kind, *outer), one(kind, *inner), one(kind, *inner)) + (one(kind, *outer),) * backward, False)


attention("attention", "bf16", 1, 2, 256, 256, 64)
attention("attention_causal", "f16", 1, 2, 256, 256, 128, causal=True)
attention("attention_persistent", "bf16", 2, 40, 384, 384, 128)
attention("attention_causal_persistent", "f16", 2, 40, 384, 384, 64, causal=True)
attention("attention_wide_heads", "bf16", 1, 150, 256, 256, 256)
attention("attention_f32", "f32", 1, 2, 128, 128, 64, causal=True)
attention("attention_token", "bf16", 2, 8, 1, 500, 64, groups=2)
attention("attention_backward", "bf16", 1, 2, 256, 256, 64, backward=True)
attention("attention_backward_causal", "f16", 1, 2, 192, 192, 128, causal=True, backward=True)
attention("attention_backward_f32", "f32", 1, 2, 128, 128, 32, backward=True)


# Fourier transforms, recurrences, loops.
@case(one("f32", 8, 1024), one("f32", 512, 40), one("f32", 30, 97))
def fourier(torch, lines, columns, prime):
    parts = [torch.fft.rfft(lines), torch.fft.fft(columns, dim=0), torch.fft.rfft(prime)]
    return [torch.view_as_real(part) for part in parts]


@case(one("f32", 64, 256, 32))
def fourier_2d(torch, x):
    return torch.view_as_real(torch.fft.fft2(x[:8], dim=(0, 1))), torch.fft.irfft(torch.fft.rfft(x, dim=1), n=256, dim=1)


@case(one("f32", 12, 4, 32), one("f32", 96, 32), one("f32", 96, 32), one("f32", 96), one("f32", 96))
def recurrent(torch, x, wi, wh, bi, bh):
    return torch.gru(x, torch.zeros(1, 4, 32, dtype=x.dtype), [wi / 8, wh / 8, bi / 8, bh / 8], True, 1, 0.0, False, False, False)


@case(one("f32", 300, 50))
def normalised_training(torch, x):
    """Losses and their gradients: several sums in one kernel, and neighbouring results."""
    goals = torch.arange(300) % 50
    return torch.func.grad_and_value(lambda x: torch.nn.functional.cross_entropy(x, goals))(x)


KINDS = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32", "i8": "int8",
         "f8E4M3FN": "float8_e4m3fn"}


def made(torch, spec, generator):
    kind, shape, *limit = spec
    dtype = getattr(torch, KINDS[kind])
    if limit:
        return torch.randint(limit[0], shape, generator=generator).to(dtype)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def selected(options):
    return {name: what for name, what in CASES.items() if re.search(options.only, name)}


def listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def flat(values):
    return [leaf for value in listed(values) for leaf in (flat(value) if isinstance(value, (list, tuple)) else [value])]


def bits_of(torch, tensor):
    wide = {1: torch.uint8, 2: torch.int16}.get(tensor.element_size())
    return tensor.contiguous().view(wide).numpy() if tensor.dtype in (torch.bfloat16, torch.float8_e4m3fn) else tensor.contiguous().numpy()


def stored(torch, tensor, kinds):
    """What is expected, in f32 where that is more than the arguments have."""
    return tensor.to(torch.float32).numpy() if tensor.is_floating_point() and "f64" not in kinds else tensor.numpy()


def export(options):
    import numpy
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx
    from kiln.torch.export import export as write_package
    os.makedirs(options.packages, exist_ok=True)
    failed = 0
    for name, (function, specs, exact) in selected(options).items():
        generator = torch.Generator().manual_seed(1)
        given = tuple(made(torch, spec, generator) for spec in specs)
        wide = given if exact else tuple(t.double() if t.is_floating_point() else t for t in given)
        try:
            expected = [t.to(torch.float64) if t.is_floating_point() else t for t in flat(function(torch, *wide))]
            module = make_fx(lambda *all: flat(function(torch, *all)), tracing_mode="fake")(*given)  # noqa: B023
            program = torch.export.export(module, given, strict=False)
            write_package(program, os.path.join(options.packages, f"{name}.kpkg"), options.target + OPTIONS.get(name, ""),
                          ["--no-fallback"])
        except Exception as error:  # reported, and others go on
            print(f"{name}: {type(error).__name__}: {str(error)[:600]}", flush=True)
            failed += 1
            continue
        kinds = [spec[0] for spec in specs]
        numpy.savez_compressed(os.path.join(options.packages, f"{name}.npz"), kinds=json.dumps(kinds),
                    **{f"argument{i}": bits_of(torch, t) for i, t in enumerate(given)},
                    **{f"result{i}": stored(torch, t, kinds) for i, t in enumerate(expected)})
    print(f"{len(selected(options)) - failed} packages, {failed} failed")
    return int(bool(failed))


def element_type(kinds):
    return min((kind for kind in kinds if kind in TOLERANCE), key=list(TOLERANCE).index, default="f64")


def numbers(numpy, tensor):
    """The elements of a result as NumPy has them; those of bf16 as f32."""
    array = numpy.asarray(tensor)
    return (array.astype(numpy.uint32) << 16).view(numpy.float32) if tensor.dtype == "bf16" else array


def error_of(numpy, result, expected):
    if result.shape != expected.shape:
        return float("inf")
    if expected.dtype.kind != "f":
        return float((result != expected).any())
    scale = numpy.abs(expected).max(initial=0) or 1.0
    return float(numpy.abs(result.astype(numpy.float64) - expected).max(initial=0) / scale)


def run(options):
    import numpy
    import kiln
    count, wrong, begin = 0, 0, time.perf_counter()
    for name in selected(options):
        path = os.path.join(options.packages, name)
        if not os.path.exists(path + ".npz"):
            continue
        start = time.perf_counter()
        with numpy.load(path + ".npz") as file:
            kinds = json.loads(str(file["kinds"]))
            given = [kiln.Tensor(kind, file[f"argument{i}"].shape, file[f"argument{i}"].tobytes()) for i, kind in enumerate(kinds)]
            expected = [file[f"result{i}"] for i in range(sum(key.startswith("result") for key in file.files))]
        program = kiln.load(path + ".kpkg")
        results = [[numbers(numpy, t) for t in flat(program(*given))] for _ in range(options.repeats)]
        errors = [error_of(numpy, *pair) for pair in zip(results[0], expected)]
        same = name in UNORDERED or all(
            a.tobytes() == b.tobytes() for other in results[1:] for a, b in zip(results[0], other))
        bad = len(results[0]) != len(expected) or not same or not max(errors) <= TOLERANCE[element_type(kinds)]
        wrong += bad
        count += 1
        print(f"{name:32} error {max(errors):.1e}{'' if same else ', other bits'}  {time.perf_counter() - start:5.1f} s{'  WRONG' if bad else ''}",
              flush=True)
    print(f"{count} programs, {wrong} wrong, {time.perf_counter() - begin:.0f} s")
    return int(bool(wrong) or not count)


#: Their sums take updates in the order in which these reach memory.
UNORDERED = {"scatter_rows", "scatter_few", "scatter_elements", "scatter_runs", "pooling_gradient"}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n\n")[0])
    parser.add_argument("packages")
    parser.add_argument("--export", action="store_true")
    parser.add_argument("--target", default="nvidia:sm_90a")
    parser.add_argument("--only", default="")
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    return export(options) if options.export else run(options)


if __name__ == "__main__":
    sys.exit(main())
