# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kiln as a backend of torch.compile, and packages from torch.export.

    import torch
    fast = torch.compile(model, backend="kiln")
    print(kiln.torch.report)                    # what was compiled, what torch runs and why"""
from .backend import CompileFailed, kiln
from .report import report

__all__ = ["CompileFailed", "kiln", "report"]
