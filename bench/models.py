#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times models through torch.compile(backend="kiln") beside PyTorch's eager mode and Inductor, by turns, in one
process.

models.py [NAME...] [--threads=N] [--rounds=N] [--peers=eager,inductor] [--target=SPEC]

Needs torch, the package kiln, and for resnet18 and mobilenet_v3 torchvision, for bert transformers; what cannot be
imported is left out. Every result is compared with eager mode's. Prints the median time of each, and the median over
the rounds of (best peer / Kiln): above 1, Kiln is faster.
"""
import argparse
import statistics
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

MODELS = {}


def model(make):
    MODELS[make.__name__] = make
    return make


@model
def resnet18():
    import torchvision
    return torchvision.models.resnet18(num_classes=10), (torch.randn(1, 3, 64, 64),)


@model
def resnet18_batch8():
    import torchvision
    return torchvision.models.resnet18(num_classes=10), (torch.randn(8, 3, 64, 64),)


@model
def resnet18_224():
    import torchvision
    return torchvision.models.resnet18(num_classes=10), (torch.randn(1, 3, 224, 224),)


@model
def mobilenet_v3():
    import torchvision
    return torchvision.models.mobilenet_v3_small(num_classes=10), (torch.randn(1, 3, 224, 224),)


@model
def bert():
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer
    config = BertConfig(hidden_size=768, num_attention_heads=12, intermediate_size=3072, hidden_dropout_prob=0.0,
                        attention_probs_dropout_prob=0.0)
    config._attn_implementation = "sdpa"
    inner = BertLayer(config)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            made = self.inner(x)
            return made[0] if isinstance(made, tuple) else made
    return Layer(), (torch.randn(1, 128, 768),)


class Llama(nn.Module):
    """One layer: 16 heads, 4 of keys and values."""

    def __init__(self, hidden=1024, heads=16, few=4, wide=2816):
        super().__init__()
        self.heads, self.few, self.size = heads, few, hidden // heads
        self.q, self.o = (nn.Linear(hidden, hidden, bias=False) for _ in range(2))
        self.k, self.v = (nn.Linear(hidden, few * self.size, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(hidden, wide, bias=False) for _ in range(2))
        self.down = nn.Linear(wide, hidden, bias=False)
        self.norm1, self.norm2 = nn.Parameter(torch.ones(hidden)), nn.Parameter(torch.ones(hidden))
        angles = torch.arange(128.0)[:, None] * 10000.0 ** (-torch.arange(self.size // 2) / (self.size // 2))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def turn(self, x):
        a, b = x.chunk(2, -1)
        return torch.cat([a * self.cos - b * self.sin, b * self.cos + a * self.sin], -1)

    def forward(self, x):
        batch, tokens, _ = x.shape

        def norm(x, weight):
            return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight

        def split(x, heads):
            return x.view(batch, tokens, heads, self.size).transpose(1, 2)
        h = norm(x, self.norm1)
        q, k, v = self.turn(split(self.q(h), self.heads)), self.turn(split(self.k(h), self.few)), split(
            self.v(h), self.few)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.o(attended.transpose(1, 2).reshape(batch, tokens, -1))
        h = norm(x, self.norm2)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


@model
def llama():
    return Llama(), (torch.randn(1, 128, 1024),)


class Attention(nn.Module):
    def __init__(self, causal, grouped):
        super().__init__()
        self.causal, self.grouped = causal, grouped

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, enable_gqa=self.grouped)


@model
def attention():
    return Attention(False, False), tuple(torch.randn(1, 16, 1024, 64) for _ in range(3))


@model
def attention_causal():
    return Attention(True, False), tuple(torch.randn(1, 16, 1024, 64) for _ in range(3))


@model
def attention_grouped():
    return Attention(True, True), (torch.randn(1, 16, 512, 128), *(torch.randn(1, 4, 512, 128) for _ in range(2)))


class Wide(nn.Module):
    """One convolution with bias and ReLU."""

    def __init__(self, few, many, size, stride=1, groups=1):
        super().__init__()
        self.conv = nn.Conv2d(few, many, size, stride, size // 2, groups=groups)

    def forward(self, x):
        return F.relu(self.conv(x))


def convolution(name, few, many, size, stride, groups, *shape):
    MODELS[name] = lambda: (Wide(few, many, size, stride, groups), (torch.randn(shape[0], few, *shape[1:]),))


convolution("conv3x3", 64, 64, 3, 1, 1, 1, 56, 56)
convolution("conv3x3_256", 256, 256, 3, 1, 1, 1, 14, 14)
convolution("conv3x3_s2", 64, 128, 3, 2, 1, 1, 56, 56)
convolution("conv1x1", 64, 256, 1, 1, 1, 1, 56, 56)
convolution("conv7x7_s2", 3, 64, 7, 2, 1, 1, 224, 224)
convolution("conv_grouped", 128, 128, 3, 1, 4, 1, 28, 28)
convolution("conv_depthwise", 96, 96, 3, 1, 96, 1, 56, 56)
convolution("conv_depthwise5_s2", 96, 96, 5, 2, 96, 1, 28, 28)
convolution("conv_depthwise5_s2_wide", 32, 32, 5, 2, 32, 1, 112, 112)
convolution("conv_depthwise7", 96, 96, 7, 1, 96, 1, 56, 56)
convolution("conv_grouped_s2", 128, 256, 3, 2, 8, 1, 28, 28)


@model
def max_pool():
    return nn.MaxPool2d(3, 2, 1), (torch.randn(1, 64, 112, 112),)


def compiled(name, peer, target):
    """A call of the model, with its own parameters, by one of the peers."""
    torch.manual_seed(0)
    module, args = MODELS[name]()
    module.eval()
    torch._dynamo.reset()
    if peer == "kiln":
        import kiln.torch
        module = torch.compile(module, backend=kiln.torch.kiln, fullgraph=True, options={"target": target})
    elif peer == "inductor":
        module = torch.compile(module, fullgraph=True)
    made = module(*args)
    return (lambda: module(*args)), made


def compare(name, options):
    calls, results = {}, {}
    for peer in ["eager", "kiln", *[p for p in options.peers.split(",") if p not in ("eager", "")]]:
        calls[peer], results[peer] = compiled(name, peer, options.target)
    wanted = results["eager"]
    error = float((results["kiln"] - wanted).abs().max() / wanted.abs().max())
    if not error < 1e-4:
        sys.exit(f"{name}: Kiln's result is off by {error:.1e}")
    times = {peer: [] for peer in calls}
    for peer, call in calls.items():
        for _ in range(3):
            call()
    begin = time.perf_counter()
    for done in range(options.rounds):
        for peer, call in calls.items():
            # One thread is timed by what it runs, so that others on the machine disturb less.
            clock = time.process_time if options.threads == 1 else time.perf_counter
            start = clock()
            call()
            times[peer].append(clock() - start)
        if done > 6 and time.perf_counter() - begin > options.seconds:
            break
    peers = [p for p in calls if p != "kiln" and (p in options.peers.split(","))]
    ratio = statistics.median(min(times[p][i] for p in peers) / times["kiln"][i] for i in range(len(times["kiln"])))
    least = min(min(times[p]) for p in peers) / min(times["kiln"])
    shown = "  ".join(f"{p} {statistics.median(t) * 1e3:9.3f}" for p, t in times.items())
    print(f"{name:20s} ratio {ratio:5.2f} (of the least {least:5.2f})  ms: {shown}  error {error:.0e}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=201)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--peers", default="eager,inductor")
    parser.add_argument("--target")
    options = parser.parse_args()
    options.target = options.target or f"cpu,threads={options.threads}"
    torch.set_num_threads(options.threads)
    for name in options.names or MODELS:
        try:
            with torch.no_grad():
                compare(name, options)
        except ImportError as error:
            print(f"{name}: left out: {error}")


if __name__ == "__main__":
    main()
