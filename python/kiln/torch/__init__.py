# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kiln as a backend of torch.compile, and packages from torch.export.

    import torch
    fast = torch.compile(model, backend="kiln")
    print(kiln.torch.report)                    # what was compiled, what torch runs and why"""
import torch

from . import composites, traced  # noqa: F401
from .backend import kiln
from .report import CompileFailed, report

if "kiln" not in torch._dynamo.list_backends(exclude_tags=()):  # where no wheel says so
    torch._dynamo.register_backend(kiln, "kiln")

__all__ = ["CompileFailed", "kiln", "report"]
