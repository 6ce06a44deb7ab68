#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data, sharded, pipeline and expert parallelism of PyTorch on four processes, compiled by Kiln, against eager in one
process: results and gradients; then a process is killed, and the others must say so within ten seconds.
Usage: parallel_models.py [--ranks=4] [--device=cpu|cuda]"""
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch import nn

from parallel import TOKENS, WIDTH, FeedForward, Layer, check, join, numbers, seeded

LAYERS, BATCH = 4, 4


def model():
    return seeded(3, lambda: nn.Sequential(*(Layer() for _ in range(LAYERS))))


def whole_step():
    """The input, the model after a step of eager on all of it, and its result."""
    x = numbers(7, BATCH, TOKENS, WIDTH)
    whole = model()
    expected = whole(x)
    expected.square().mean().backward()
    return x, whole, expected.detach()


def gradients(name, rank, mine, theirs):
    good = True
    for (label, found), (_, wanted) in zip(mine, theirs):
        gradient = found.grad.full_tensor() if hasattr(found.grad, "full_tensor") else found.grad
        good &= check(f"{name}, gradient of {label}", rank, gradient, wanted.grad)
    return good


def data_parallel(rank, ranks):
    """DistributedDataParallel: each process has a part of the batch, gradients are averaged."""
    x, whole, expected = whole_step()
    replica = nn.parallel.DistributedDataParallel(model())
    compiled = torch.compile(replica, backend="kiln")
    found = compiled(x.chunk(ranks)[rank])
    found.square().mean().backward()
    good = check("data parallel", rank, found.detach(), expected.chunk(ranks)[rank])
    return good & gradients("data parallel", rank, replica.module.named_parameters(), whole.named_parameters())


def sharded(rank, ranks):
    """FSDP2: each process keeps a part of the parameters, which are gathered for each layer."""
    from torch.distributed.fsdp import fully_shard
    x, whole, expected = whole_step()
    shards = model()
    for layer in shards:
        layer.compile(backend="kiln", fullgraph=True)
        fully_shard(layer)
    fully_shard(shards)
    found = shards(x.chunk(ranks)[rank])
    found.square().mean().backward()
    good = check("fully sharded", rank, found.detach(), expected.chunk(ranks)[rank])
    return good & gradients("fully sharded", rank, shards.named_parameters(), whole.named_parameters())


def pipeline(rank, ranks):
    """Each process has some of the layers; parts of the batch go through them one behind the other."""
    from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
    x, whole, expected = whole_step()
    parts = model()
    mine = parts[rank * LAYERS // ranks:(rank + 1) * LAYERS // ranks]
    stage = PipelineStage(torch.compile(mine, backend="kiln", fullgraph=True), rank, ranks, torch.get_default_device())
    schedule = ScheduleGPipe(stage, n_microbatches=BATCH, loss_fn=lambda y, _: y.square().mean())
    last = rank == ranks - 1
    found = schedule.step(*([x] if rank == 0 else []), **({"target": x} if last else {}))
    good = check("pipeline", rank, found.detach(), expected) if last else True
    theirs = whole[rank * LAYERS // ranks:(rank + 1) * LAYERS // ranks]
    return good & gradients("pipeline", rank, mine.named_parameters(), theirs.named_parameters())


class Experts(nn.Module):
    """Each token goes to the expert with its number modulo the number of processes, each of which has one."""

    def __init__(self, expert, group):
        super().__init__()
        self.expert, self.group = expert, group

    def forward(self, x):
        ranks = len(self.group)
        sent = x.reshape(-1, ranks, WIDTH).transpose(0, 1).reshape(-1, WIDTH)
        taken = funcol.all_to_all_single_autograd(sent, None, None, self.group)
        back = funcol.all_to_all_single_autograd(self.expert(taken), None, None, self.group)
        return back.reshape(ranks, -1, WIDTH).transpose(0, 1).reshape(x.shape)


def expert_parallel(rank, ranks):
    experts = seeded(5, lambda: nn.ModuleList(FeedForward() for _ in range(ranks)))
    x = numbers(9, ranks, TOKENS, WIDTH)
    expected = torch.stack([experts[t % ranks](x[:, t]) for t in range(TOKENS)], 1)
    mine = seeded(5, lambda: nn.ModuleList(FeedForward() for _ in range(ranks)))[rank]
    compiled = torch.compile(Experts(mine, list(range(ranks))), backend="kiln", fullgraph=True)
    found = compiled(x[rank])
    good = check("expert parallel", rank, found.detach(), expected[rank].detach())
    found.square().sum().backward()
    expected.square().sum().backward()
    return good & gradients("expert parallel", rank, mine.named_parameters(), experts[rank].named_parameters())


def killed(rank, ranks):
    """The last process ends without a word between two calls. On GPUs, too, the call fails, and gives no numbers."""
    compiled = torch.compile(lambda x: funcol.all_reduce(x, "sum", list(range(ranks))) + 1, backend="kiln", fullgraph=True)
    good = check("before the end", rank, compiled(torch.ones(5)), torch.full((5,), ranks + 1.0))
    dist.barrier()
    if rank == ranks - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    begin = time.monotonic()
    try:
        compiled(torch.ones(5))
        good = False
        print(f"rank {rank}: a sum with a process that is gone: FAILED", flush=True)
    except Exception as error:  # of torch or of Kiln, whichever waits
        good &= time.monotonic() - begin < 10
        if rank == 0:
            print(f"killed rank: {'ok' if good else 'FAILED'}, {time.monotonic() - begin:.1f} s: {str(error).splitlines()[0]}", flush=True)
    return good


def one_rank(rank, ranks, folder):
    import kiln.torch
    join(rank, ranks, folder)
    good = True
    for kind in (data_parallel, sharded, pipeline, expert_parallel):
        torch._dynamo.reset()
        good &= kind(rank, ranks)
        dist.barrier()
    taken = [entry for entry in kiln.torch.report if entry.fallbacks]
    for entry in taken:
        print(f"rank {rank}: fallback: {entry.fallbacks}")
    if rank == 0:
        print(f"graphs that Kiln compiled: {len(kiln.torch.report)}", flush=True)
    good &= killed(rank, ranks)
    sys.stdout.flush()
    os._exit(0 if good and not taken else 1)


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../parallel"))
    import ranks
    sys.exit(ranks.main(__file__, one_rank, killed=-1))
