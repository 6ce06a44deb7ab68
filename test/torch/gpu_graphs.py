#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs with tensors on a GPU, traced and compiled without one; then gpu.py, where torch has a GPU."""
import os
import subprocess
import sys

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from kiln.torch import cache, devices
from kiln.torch.compiled import lower
from kiln.torch.text import Unsupported


def traced(function, *places):
    with FakeTensorMode(), torch.no_grad():
        return make_fx(function)(*(torch.empty(4, 4, device=place) for place in places))


graph = traced(lambda x, y: (x @ y).relu() + torch.arange(4, device=x.device), "cuda:1", "cuda:1")
assert devices.of(graph) == torch.device("cuda:1")
lowering, results = lower(graph)
lowering.returns(results)
assert cache.package(lowering, "nvidia:sm_90a")
# A tensor of the host is an argument, too.
assert devices.of(traced(lambda x, y: x[y.long()], "cuda:0", "cpu")) == torch.device("cuda:0")
assert devices.of(traced(lambda x: x + 1, "cpu")) == devices.CPU
try:
    devices.of(traced(lambda x, y: (x + 1, y + 1), "cuda:0", "cuda:1"))
    raise AssertionError("expected an error")
except Unsupported as error:
    assert str(error) == "tensors on cuda:0 and cuda:1"

assert devices.numbered("nvidia:sm_90a", torch.device("cuda:1")) == "nvidia:sm_90a,ordinal=1"
assert devices.numbered("nvidia:sm_90a", torch.device("cuda:0")) == "nvidia:sm_90a"
assert devices.target_of(devices.CPU) == "cpu"
assert devices.runs_on("nvidia:sm_90a", torch.device("cuda:0")) and devices.runs_on("nvidia", devices.CPU)
assert not devices.runs_on("cpu", torch.device("cuda:0")) and not devices.runs_on("nvidia+cpu", torch.device("cuda:0"))
if torch.cuda.is_available():
    sys.exit(subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu.py")], check=False).returncode)
