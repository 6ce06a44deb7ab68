# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small transformer on sentences of its own, compiled by Kiln: forward, gradients, and the optimiser's step.

    PYTHONPATH=build/python python examples/train.py [STEPS]

Writes the weights to copycat.pt, which generate.py reads."""
import sys

import torch
from torch import nn
from torch.nn import functional as F

import kiln.torch  # brings the backend; with the wheel installed this is not needed

TEXT = "the quick brown fox jumps over the lazy dog. pack my box with five dozen liquor jugs. "
LETTERS = sorted(set(TEXT))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.before(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.between(x))))


class Copycat(nn.Module):
    def __init__(self, width=64, heads=4, layers=2, length=32):
        super().__init__()
        self.length = length
        self.letters, self.places = nn.Embedding(len(LETTERS), width), nn.Embedding(length, width)
        self.layers = nn.Sequential(*(Layer(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, len(LETTERS))

    def forward(self, ids):
        x = self.letters(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.norm(self.layers(x)))


def batch_of(ids, length, generator):
    starts = torch.randint(len(ids) - length - 1, (16,), generator=generator)
    rows = torch.stack([ids[s:s + length + 1] for s in starts.tolist()])
    return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    ids = torch.tensor([LETTERS.index(letter) for letter in TEXT * 4])
    model = Copycat()
    fast = torch.compile(model, backend="kiln")
    optimizer = torch.optim.AdamW(model.parameters(), lr=torch.tensor(3e-3), capturable=False)
    step = torch.compile(optimizer.step, backend="kiln")
    for number in range(steps):
        x, y = batch_of(ids, model.length, generator)
        loss = F.cross_entropy(fast(x).flatten(0, 1), y.flatten())
        loss.backward()
        step()
        optimizer.zero_grad()
        if number % 20 == 0 or number == steps - 1:
            print(f"step {number}: loss {loss.item():.4f}", flush=True)
    torch.save(model.state_dict(), "copycat.pt")
    print(f"{sum(len(one.fallbacks) for one in kiln.torch.report)} operations fell back")


if __name__ == "__main__":
    main()
