#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times whole models on a GPU beside torch.compile, in one process, by turns.

Usage: gpu_models.py PACKAGES --export [--chip=CHIP] [--options=KEY=VALUE,…] [--only=NAME,…]   writes NAME.kpkg
       gpu_models.py PACKAGES RUNTIME [--rounds=N] [--only=NAME,…] [--autotune]     measures them

The models are functions of their weights, so that packages hold none. `--export` needs torch and kiln.torch and no GPU;
measuring needs torch with CUDA and an installed runtime (cmake --install BUILD --component runtime). Arguments and
results are PyTorch's, on the device. Kiln records the call once and replays it; torch.compile has the mode
`reduce-overhead`, which does the same by CUDA graphs, or `max-autotune`; weights have static addresses for it. A time is
that of CALLS replays, one behind the other, and of the wait for their end, by the clock of the host, divided by CALLS. The
ratio is the median over the rounds of (torch.compile / Kiln): above 1, Kiln is faster. Of models with convolutions
torch.compile also gets the tensors in channels_last, and the faster one counts. Results are compared with PyTorch's of the
same function in f32.
"""
import argparse
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
CALLS = 10
TOLERANCE = 4e-2  # of the largest element: weights and results have 8 bits
MODELS = {}


def model(shapes):
    def add(function):
        MODELS[function.__name__] = (function, shapes)
        return function
    return add


def norm(torch, x, weight):
    wide = x.float()
    return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * weight


def turned(torch, x, positions):
    half = x.shape[-1] // 2
    scale = torch.arange(half, device=x.device, dtype=torch.float32) * (-9.21 / half)
    angles = positions[:, None] * torch.exp(scale)
    cos, sin = torch.cos(angles).to(x.dtype), torch.sin(angles).to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def decoder(tokens, width, heads, groups, inner):
    """A layer of Llama: grouped heads of 128, rotary positions, SwiGLU."""
    size = 128

    def run(torch, x, first, wq, wk, wv, wo, second, gate, up, down):
        functional = torch.nn.functional
        positions = torch.arange(tokens, device=x.device, dtype=torch.float32)
        h = norm(torch, x, first)
        q = (h @ wq).view(1, tokens, heads, size).transpose(1, 2)
        k = (h @ wk).view(1, tokens, groups, size).transpose(1, 2)
        v = (h @ wv).view(1, tokens, groups, size).transpose(1, 2)
        attended = functional.scaled_dot_product_attention(
            turned(torch, q, positions), turned(torch, k, positions), v, is_causal=True, enable_gqa=heads != groups)
        x = x + attended.transpose(1, 2).reshape(1, tokens, heads * size) @ wo
        h = norm(torch, x, second)
        return x + (functional.silu(h @ gate) * (h @ up)) @ down

    shapes = [(1, tokens, width), (width,), (width, heads * size), (width, groups * size), (width, groups * size),
              (heads * size, width), (width,), (width, inner), (width, inner), (inner, width)]
    return run, shapes


def step(past, width, heads, groups, inner):
    """The same for one token, after `past` others whose keys and values are there."""
    size = 128

    def run(torch, x, keys, values, first, wq, wk, wv, wo, second, gate, up, down):
        functional = torch.nn.functional
        position = torch.full((1,), float(past), device=x.device)
        h = norm(torch, x, first)
        q = (h @ wq).view(1, 1, heads, size).transpose(1, 2)
        k = (h @ wk).view(1, 1, groups, size).transpose(1, 2)
        v = (h @ wv).view(1, 1, groups, size).transpose(1, 2)
        keys = torch.cat([keys, turned(torch, k, position)], 2)
        values = torch.cat([values, v], 2)
        attended = functional.scaled_dot_product_attention(turned(torch, q, position), keys, values,
                                                           enable_gqa=heads != groups)
        x = x + attended.transpose(1, 2).reshape(1, 1, heads * size) @ wo
        h = norm(torch, x, second)
        return x + (functional.silu(h @ gate) * (h @ up)) @ down

    shapes = [(1, 1, width), (1, groups, past, size), (1, groups, past, size), (width,), (width, heads * size),
              (width, groups * size), (width, groups * size), (heads * size, width), (width,), (width, inner),
              (width, inner), (inner, width)]
    return run, shapes


for name, (make, sizes) in {
        "llama_8b_layer": (decoder, (2048, 4096, 32, 8, 14336)),
        "llama_1b_layer": (decoder, (512, 2048, 16, 8, 8192)),
        "llama_8b_step": (step, (2047, 4096, 32, 8, 14336)),
        "llama_1b_step": (step, (511, 2048, 16, 8, 8192))}.items():
    MODELS[name] = make(*sizes)


@model([(8, 512, 768)] + [(768, 2304), (2304,), (768, 768), (768,), (768,), (768,), (768, 3072), (3072,), (3072, 768),
                          (768,), (768,), (768,)])
def bert_layer(torch, x, wqkv, bqkv, wo, bo, g1, b1, w1, c1, w2, c2, g2, b2):
    functional = torch.nn.functional
    q, k, v = (x @ wqkv + bqkv).view(8, 512, 3, 12, 64).permute(2, 0, 3, 1, 4).unbind(0)
    attended = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(8, 512, 768)
    x = functional.layer_norm(x + attended @ wo + bo, (768,), g1, b1)
    h = functional.gelu(x @ w1 + c1)
    return functional.layer_norm(x + h @ w2 + c2, (768,), g2, b2)


@model([(4096, 4096), (4096, 16384), (16384,), (16384, 4096), (4096,)])
def mlp_gelu(torch, x, w1, b1, w2, b2):
    return torch.nn.functional.gelu(x @ w1 + b1, approximate="tanh") @ w2 + b2


def residual_shapes(blocks):
    shapes = []
    for cin, cout in blocks:
        shapes += [(cout, cin, 3, 3), (cout,), (cout,), (cout, cout, 3, 3), (cout,), (cout,)]
        if cin != cout:
            shapes += [(cout, cin, 1, 1), (cout,), (cout,)]
    return shapes


RESNET = [(64, 64), (64, 64), (64, 128), (128, 128), (128, 256), (256, 256), (256, 512), (512, 512)]


def resnet18(batch):
    """ResNet-18 for inference: batch norm is a scale and a shift."""
    def run(torch, x, *weights):
        functional = torch.nn.functional
        left = list(weights)

        def conv(x, stride, padding):
            weight, scale, shift = left.pop(0), left.pop(0), left.pop(0)
            return functional.conv2d(x, weight, stride=stride, padding=padding) * scale[:, None, None] + \
                shift[:, None, None]

        x = functional.max_pool2d(functional.relu(conv(x, 2, 3)), 3, 2, 1)
        for cin, cout in RESNET:
            stride = 1 if cin == cout else 2
            y = conv(functional.relu(conv(x, stride, 1)), 1, 1)
            if cin != cout:
                x = conv(x, stride, 0)
            x = functional.relu(x + y)
        return x.mean((2, 3)) @ left.pop(0) + left.pop(0)

    return run, [(batch, 3, 224, 224), (64, 3, 7, 7), (64,), (64,)] + residual_shapes(RESNET) + [(512, 1000), (1000,)]


class Kind:
    """An argument that is no tensor of bf16 around zero: numbers of tokens, or the optimiser's state in f32."""

    def __init__(self, shape, tokens=0):
        self.shape, self.tokens = shape, tokens

    def make(self, torch, device, generator):
        if self.tokens:
            return torch.randint(self.tokens, self.shape, device=device, generator=generator)
        return torch.rand(self.shape, device=device, generator=generator) * 1e-6


def training(batch, tokens, layers, width, heads, groups, inner, words):
    """A step of training a Llama with AdamW: loss, gradients, and the new weights and states."""
    size = 128
    layer = [(width,), (width, heads * size), (width, groups * size), (width, groups * size), (heads * size, width), (width,),
             (width, inner), (width, inner), (inner, width)]
    weights = [(words, width), *layer * layers, (width,), (width, words)]

    def loss_of(torch, parameters, ids, goals):
        functional = torch.nn.functional
        left = list(parameters)
        x = functional.embedding(ids, left.pop(0))
        positions = torch.arange(tokens, device=ids.device, dtype=torch.float32)
        for _ in range(layers):
            first, wq, wk, wv, wo, second, gate, up, down = (left.pop(0) for _ in layer)
            h = norm(torch, x, first)
            q, k, v = ((h @ w).view(batch, tokens, -1, size).transpose(1, 2) for w in (wq, wk, wv))
            attended = functional.scaled_dot_product_attention(
                turned(torch, q, positions), turned(torch, k, positions), v, is_causal=True, enable_gqa=heads != groups)
            x = x + attended.transpose(1, 2).reshape(batch, tokens, heads * size) @ wo
            h = norm(torch, x, second)
            x = x + (functional.silu(h @ gate) * (h @ up)) @ down
        scores = norm(torch, x, left.pop(0)) @ left.pop(0)
        return functional.cross_entropy(scores.float().flatten(0, 1), goals.flatten())

    def run(torch, ids, goals, *given):
        rate, decay, first, second, epsilon, number = 1e-3, 1e-2, 0.9, 0.999, 1e-8, 10
        count = len(weights)
        parameters, means, squares = given[:count], given[count:2 * count], given[2 * count:]
        gradients, loss = torch.func.grad_and_value(lambda all: loss_of(torch, all, ids, goals))(parameters)
        results = [loss]
        for parameter, mean, square, gradient in zip(parameters, means, squares, gradients):
            gradient = gradient.float()
            mean = first * mean + (1 - first) * gradient
            square = second * square + (1 - second) * gradient * gradient
            step = mean / (1 - first ** number) / ((square / (1 - second ** number)).sqrt() + epsilon)
            changed = parameter.float() * (1 - rate * decay) - rate * step
            results += [changed.to(parameter.dtype), mean, square]
        return results

    ids = Kind((batch, tokens), words)
    return run, [ids, ids, *weights, *[Kind(shape) for shape in weights * 2]]


MODELS["llama_training"] = training(4, 1024, 4, 1024, 8, 4, 2816, 8192)
MODELS["resnet18_1"] = resnet18(1)
MODELS["resnet18_32"] = resnet18(32)


@model([(2, 320, 64, 64), (320,), (320,), (320, 320, 3, 3), (320,), (320,), (320,), (320, 320, 3, 3), (320,),
        (320,), (320,), (320, 960), (320, 320), (320,), (320,), (320, 2560), (1280, 320)])
def unet_block(torch, x, g1, b1, w1, c1, g2, b2, w2, c2, g3, b3, qkv, out, g4, b4, up, down):
    """A residual block of Stable Diffusion's UNet and a transformer block on its 4096 positions."""
    functional = torch.nn.functional
    y = functional.conv2d(functional.silu(functional.group_norm(x, 32, g1, b1)), w1, c1, padding=1)
    y = functional.conv2d(functional.silu(functional.group_norm(y, 32, g2, b2)), w2, c2, padding=1)
    x = x + y
    h = x.flatten(2).transpose(1, 2)
    q, k, v = (functional.layer_norm(h, (320,), g3, b3) @ qkv).view(2, 4096, 3, 5, 64).permute(2, 0, 3, 1, 4).unbind(0)
    h = h + functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(2, 4096, 320) @ out
    a, gate = (functional.layer_norm(h, (320,), g4, b4) @ up).chunk(2, -1)
    h = h + (a * functional.gelu(gate)) @ down
    return h.transpose(1, 2).reshape(2, 320, 64, 64)


def selected(options):
    names = options.only.split(",") if options.only else list(MODELS)
    return [(name, *MODELS[name]) for name in names]


def arguments(torch, shapes, device, seed=1):
    generator = torch.Generator(device).manual_seed(seed)
    tensors = []
    for number, shape in enumerate(shapes):
        if isinstance(shape, Kind):
            tensors.append(shape.make(torch, device, generator))
            continue
        x = torch.randn(shape, device=device, generator=generator)
        if len(shape) == 1:
            x = 1 + x / 8
        elif number and len(shape) in (2, 4):
            fan = shape[0] if len(shape) == 2 else shape[1] * shape[2] * shape[3]
            x = x if len(shape) == 4 and shape[0] == 1 else x * fan ** -0.5
        tensors.append(x.to(torch.bfloat16))
    return tensors


def export(options):
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx
    import kiln
    import kiln.torch  # noqa: F401
    os.makedirs(options.packages, exist_ok=True)
    for name, function, shapes in selected(options):
        class Module(torch.nn.Module):
            def forward(self, *given):
                return function(torch, *given)

        begin = time.perf_counter()
        given = tuple(arguments(torch, shapes, "cpu"))
        module = Module()
        if any(isinstance(shape, Kind) for shape in shapes):  # export does not follow gradients inside of a function
            module = make_fx(module, tracing_mode="fake")(*given)
        program = torch.export.export(module, given, strict=False)
        target = f"nvidia:{options.chip}" + (f",{options.options}" if options.options else "")
        kiln.export(program, os.path.join(options.packages, f"{name}.kpkg"), target=target)
        print(f"{name}: exported and compiled in {time.perf_counter() - begin:.1f} s", flush=True)


def ready(torch, call):
    def waited():
        result = call()
        torch.cuda.synchronize()
        return result
    return waited


def compiled_calls(torch, function, tensors, autotune):
    """torch.compile's calls of a function, by the layout of its tensors."""
    layouts = {"compiled": tensors}
    if any(len(t.shape) == 4 and t.shape[2:] in ((3, 3), (7, 7)) for t in tensors):
        layouts["channels_last"] = [
            t.to(memory_format=torch.channels_last) if t.dim() == 4 else t for t in tensors]
    calls = {}
    for name, given in layouts.items():
        torch._dynamo.reset()
        for tensor in given:  # or each replay would copy the weights
            torch._dynamo.mark_static_address(tensor)
        compiled = torch.compile(lambda *x: function(torch, *x), dynamic=False,
                                 mode="max-autotune" if autotune else "reduce-overhead")
        for _ in range(3):
            ready(torch, lambda: compiled(*given))()
        calls[name] = lambda compiled=compiled, given=given: compiled(*given)
    return calls


def listed(made):
    return list(made) if isinstance(made, (list, tuple)) else [made]


def measure(options):
    import torch
    from gpu_layer import Recorded, library
    lib = library(options.runtime)
    print(torch.cuda.get_device_name())
    ratios, wrong = [], 0
    for name, function, shapes in selected(options):
        tensors = arguments(torch, shapes, "cuda")
        exact = listed(function(torch, *[t.float() if t.is_floating_point() else t for t in tensors]))
        try:
            calls = {"kiln": Recorded(lib, os.path.join(options.packages, f"{name}.kpkg"), tensors, torch, len(exact))}
            calls.update(compiled_calls(torch, function, tensors, options.autotune))
        except Exception as error:  # what one of both lacks is of many kinds
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
            continue
        errors = {}
        for key, call in calls.items():
            results = listed(call())
            torch.cuda.synchronize()
            errors[key] = max(float((made.float() - want).abs().max() / want.abs().max())
                              for made, want in zip(results, exact))
        bad = errors["kiln"] > max(TOLERANCE, 4 * errors["compiled"])
        wrong += bad
        times = {key: [] for key in calls}
        for _ in range(options.rounds):
            for key, call in calls.items():
                begin = time.perf_counter()
                for _ in range(CALLS):
                    call()
                torch.cuda.synchronize()
                times[key].append((time.perf_counter() - begin) / CALLS)
        peer = min((key for key in calls if key != "kiln"), key=lambda key: statistics.median(times[key]))
        ratio = statistics.median(c / k for c, k in zip(times[peer], times["kiln"]))
        ratios.append(ratio)
        median = {key: statistics.median(all) * 1e6 for key, all in times.items()}
        print(f"{name:16s} kiln {median['kiln']:9.1f} us  torch.compile {median[peer]:9.1f} us  ratio {ratio:.2f}"
              f"  errors {errors['kiln']:.1e} {errors['compiled']:.1e}{'  WRONG' if bad else ''}", flush=True)
        del calls, tensors, exact
        torch.cuda.empty_cache()
    if ratios:
        print(f"{len(ratios)} models, {wrong} wrong; geometric mean of ratios {statistics.geometric_mean(ratios):.3f}")
    return wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n\n")[0])
    parser.add_argument("packages")
    parser.add_argument("runtime", nargs="?")
    parser.add_argument("--export", action="store_true")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--options", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--autotune", action="store_true", help="torch.compile with mode max-autotune: takes minutes")
    options = parser.parse_args()
    if options.export:
        export(options)
    elif options.runtime:
        sys.exit(measure(options))
    else:
        parser.error("expected --export or RUNTIME")


if __name__ == "__main__":
    main()
