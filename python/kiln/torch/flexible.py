# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.attention.flex_attention: a higher-order operation with a function of each score and one of each place. Both are
vectorised over all scores while AOTAutograd traces, as torch's own eager mode does it, and become elementwise operations.
The blocks that a mask leaves out are computed and masked."""
import torch

from . import nested


def taken_apart(graph_module):
    """Puts torch's own formula in the place of each flexible attention of a graph of Dynamo."""
    found = getattr(torch.ops.higher_order, "flex_attention", None)
    for module in nested.graphs(graph_module):
        nodes = [node for node in module.graph.nodes if node.op == "call_function" and node.target is found]
        if not nodes:
            continue
        from torch._higher_order_ops.flex_attention import math_attention
        for node in nodes:
            node.target = math_attention
        module.recompile()
