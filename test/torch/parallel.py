#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor and sequence parallelism of PyTorch on several processes, compiled by Kiln, against one process and eager.
Usage: parallel.py [--ranks=2] [--device=cpu|cuda]"""
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch import nn

HEADS, WIDTH, INNER, TOKENS = 4, 64, 128, 32


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = (p(x).view(batch, tokens, -1, WIDTH // HEADS).transpose(1, 2) for p in (self.q, self.k, self.v))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(y.transpose(1, 2).reshape(batch, tokens, -1))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up = (nn.Linear(WIDTH, INNER, bias=False) for _ in range(2))
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    """Of Llama, without its positions."""

    def __init__(self):
        super().__init__()
        self.attention, self.mlp = Attention(), FeedForward()
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


def parallel(layer, mesh, sequence):
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
                                                   parallelize_module)
    plan = {f"attention.{name}": ColwiseParallel() for name in "qkv"}
    plan |= {"mlp.gate": ColwiseParallel(), "mlp.up": ColwiseParallel()}
    if sequence:
        plan |= {"norm1": SequenceParallel(), "norm2": SequenceParallel(),
                 "attention": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
                 "mlp": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
                 "attention.o": RowwiseParallel(output_layouts=Shard(1)),
                 "mlp.down": RowwiseParallel(output_layouts=Shard(1))}
    else:
        plan |= {"attention.o": RowwiseParallel(), "mlp.down": RowwiseParallel()}
    return parallelize_module(layer, mesh, plan)


def join(rank, ranks, folder):
    """Joins the process group; tensors and models are made on the rank's device from here on, which is returned."""
    torch.set_num_threads(1)
    kind = os.environ.get("KILN_TEST_DEVICE", "cpu")
    device = torch.device(f"{kind}:{rank}" if kind == "cuda" else kind)
    if kind == "cuda":
        torch.cuda.set_device(device)
        torch.set_default_device(device)
    dist.init_process_group("nccl" if kind == "cuda" else "gloo", rank=rank, world_size=ranks,
                            init_method=f"file://{folder}/torch")
    return device


def numbers(seed, *shape):
    """The same on every device."""
    made = torch.randn(*shape, generator=torch.Generator("cpu").manual_seed(seed), device="cpu")
    return made.to(torch.get_default_device())


def seeded(seed, make):
    """A model with the same parameters on every device."""
    with torch.device("cpu"):
        torch.manual_seed(seed)
        made = make()
    return made.to(torch.get_default_device())


def check(name, rank, found, expected, bound=1e-5):
    error = ((found - expected).abs().max() / expected.abs().max()).item()
    if rank == 0 or not error <= bound:
        print(f"{name}: rank {rank}: {'ok' if error <= bound else 'FAILED'}, error {error:.2g}", flush=True)
    return error <= bound


def exchanges(x, rank, ranks):
    """One of each, as a graph of its own."""
    group = list(range(ranks))
    return (funcol.all_reduce(x, "sum", group), funcol.all_reduce(x, "avg", group), funcol.all_reduce(x, "max", group),
            funcol.all_gather_tensor(x, 0, group),
            funcol.reduce_scatter_tensor(x, "sum", 0, group), funcol.all_to_all_single(x, None, None, group),
            funcol.broadcast(x, 1, group))


def one_rank(rank, ranks, folder):
    from torch.distributed.device_mesh import init_device_mesh

    import kiln.torch
    device = join(rank, ranks, folder)
    mesh, good = init_device_mesh(device.type, (ranks,)), True

    x = numbers(rank, 4, 6)
    compiled = torch.compile(lambda x: exchanges(x, rank, ranks), backend="kiln", fullgraph=True)
    for number, (found, expected) in enumerate(zip(compiled(x), exchanges(x, rank, ranks))):
        good &= check(f"exchange {number}", rank, found, expected)

    for sequence in (False, True):
        whole = seeded(1, Layer)
        x = numbers(7, 2, TOKENS, WIDTH)
        expected = whole(x)
        expected.square().sum().backward()
        layer = parallel(seeded(1, Layer), mesh, sequence)
        torch._dynamo.reset()
        compiled = torch.compile(layer, backend="kiln", fullgraph=True)
        part = x.chunk(ranks, 1)[rank].contiguous() if sequence else x
        want = expected.chunk(ranks, 1)[rank] if sequence else expected
        name = "sequence parallel" if sequence else "tensor parallel"
        with torch.no_grad():
            found = compiled(part)
            found = found.to_local() if hasattr(found, "to_local") else found
            good &= check(f"{name}, inference", rank, found, want)
        found = compiled(part)
        found = found.to_local() if hasattr(found, "to_local") else found
        good &= check(f"{name}, training", rank, found, want)
        found.square().sum().backward()
        for (label, mine), (_, theirs) in zip(layer.named_parameters(), whole.named_parameters()):
            gradient = mine.grad.full_tensor() if hasattr(mine.grad, "full_tensor") else mine.grad
            if not sequence or "norm" not in label:
                good &= check(f"{name}, gradient of {label}", rank, gradient, theirs.grad)
    taken = [entry for entry in kiln.torch.report if entry.fallbacks]
    for entry in taken:
        print(f"rank {rank}: fallback: {entry.fallbacks}")
    dist.barrier()
    dist.destroy_process_group()
    return 0 if good and not taken else 1


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../parallel"))
    import ranks
    sys.exit(ranks.main(__file__, one_rank))
