# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A layer of a Llama model and a block of ResNet on the simulated AMD GPU, beside eager PyTorch."""
import sys

import torch
from torch import nn
from torch.nn import functional as F

import kiln.torch  # noqa: F401  registers the backend

TARGET = "amd:gfx942,device=sim"


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class LlamaLayer(nn.Module):
    """RMS norms, rotary embeddings, grouped-query attention with a causal mask, and SwiGLU."""

    def __init__(self, width=64, heads=4, groups=2, hidden=128):
        super().__init__()
        self.heads, self.groups, self.each = heads, groups, width // heads
        self.first, self.second = Norm(width), Norm(width)
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, groups * self.each, bias=False)
        self.v = nn.Linear(width, groups * self.each, bias=False)
        self.gate, self.up = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)
        half = self.each // 2
        self.register_buffer("frequencies", 10000.0 ** (-torch.arange(half) / half))

    def rotate(self, x):
        angles = torch.arange(x.shape[-2])[:, None] * self.frequencies
        a, b = x.chunk(2, -1)
        return torch.cat((a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()), -1)

    def split(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, self.each).transpose(1, 2)

    def forward(self, x):
        n = self.first(x)
        q, k = self.rotate(self.split(self.q(n), self.heads)), self.rotate(self.split(self.k(n), self.groups))
        v = self.split(self.v(n), self.groups)
        k, v = (t.repeat_interleave(self.heads // self.groups, 1) for t in (k, v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(a.transpose(1, 2).flatten(2))
        n = self.second(x)
        return x + self.down(F.silu(self.gate(n)) * self.up(n))


class ResNetBlock(nn.Module):
    """A bottleneck block with a projection."""

    def __init__(self, channels=16, inner=8, out=32):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(channels, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU(),
                                    nn.Conv2d(inner, inner, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(inner),
                                    nn.ReLU(), nn.Conv2d(inner, out, 1, bias=False), nn.BatchNorm2d(out))
        self.project = nn.Sequential(nn.Conv2d(channels, out, 1, stride=2, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.layers(x) + self.project(x))


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else TARGET
    torch.manual_seed(1)
    for name, model, x in (("Llama layer", LlamaLayer(), torch.randn(1, 32, 64)),
                           ("ResNet block", ResNetBlock(), torch.randn(1, 16, 12, 12))):
        model.eval()
        with torch.no_grad():
            expected = model(x)
            found = torch.compile(model, backend="kiln", fullgraph=True, options={"target": target})(x)
        error = ((found - expected).abs().max() / expected.abs().max()).item()
        print(f"{name}: {'right' if error < 1e-4 else 'WRONG'}, largest error {error:.1e} of the largest value")


if __name__ == "__main__":
    main()
