# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes change between calls without compiling again."""
import sys

import torch
from torch.nn import functional as F

import kiln.torch

from behaviours import fast, main, same, test


@test
def sizes_change_without_compiling_again():
    kiln.torch.report.clear()
    function = fast(lambda x: F.softmax(x @ x.t(), -1).sum(0), fullgraph=True, dynamic=True)
    for n in (3, 5, 17):
        x = torch.randn(n, 4)
        same(function(x), F.softmax(x @ x.t(), -1).sum(0))
    assert len(kiln.torch.report) == 1, kiln.torch.report


class Focal(torch.nn.Module):
    """A loss with a place per row, a convolution, and means whose gradients have sizes that no tensor has."""

    def __init__(self):
        super().__init__()
        self.conv, self.out = torch.nn.Conv1d(4, 4, 3, padding=1), torch.nn.Linear(4, 5)

    def forward(self, x, label):
        logs = F.log_softmax(self.out(self.conv(x).relu().mean(2)), -1)
        picked = logs.gather(1, label[:, None]).squeeze(1)
        return (-(1 - picked.exp()) ** 2 * picked).mean()


@test
def a_batch_of_any_size_trains_in_packages_alone():
    model = Focal()
    kiln.torch.report.clear()
    step = fast(model)
    for batch in (8, 16, 5):
        x, label = torch.randn(batch, 4, 6), torch.randint(0, 5, (batch,))
        torch._dynamo.mark_dynamic(x, 0)
        torch._dynamo.mark_dynamic(label, 0)
        got = torch.autograd.grad(step(x, label), list(model.parameters()))
        for one, want in zip(got, torch.autograd.grad(model(x, label), list(model.parameters()))):
            same(one, want)
    assert not kiln.torch.report.fallbacks, kiln.torch.report


@test
def an_index_smaller_than_its_tensor_in_sizes_that_change():
    step = fast(lambda x, y: x.gather(0, y), dynamic=True)
    write = fast(lambda x, y, s: x.scatter_add(1, y, s), dynamic=True)
    kiln.torch.report.clear()
    for n in (8, 16, 5):
        x, y = torch.randn(n + 3, n + 1, 4, requires_grad=True), torch.randint(0, 5, (n, n, 2))
        got, want = step(x, y), x.gather(0, y)
        same(got, want)
        same(torch.autograd.grad(got.square().sum(), x), torch.autograd.grad(want.square().sum(), x))
        x, y, s = torch.randn(n + 2, 5), torch.randint(0, 5, (n, 3)), torch.randn(n + 1, 4)
        same(write(x, y, s), x.scatter_add(1, y, s))
    assert not kiln.torch.report.fallbacks, kiln.torch.report


if __name__ == "__main__":
    sys.exit(main())
