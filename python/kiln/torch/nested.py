# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of Dynamo inside others."""
import torch


def graphs(graph_module):
    """A graph and those inside it: what a checkpoint runs again, branches, bodies of loops."""
    return [one for one in graph_module.modules() if isinstance(one, torch.fx.GraphModule)]
