# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.LSTM in graphs of Dynamo. Where torch takes it apart, its last states keep a dimension of 1 behind that of the layers, if there
are several sequences: eager mode, and the rest of the graph, do without."""
import operator

import torch

from . import nested


def with_last_states(graph_module):
    """Gives the last states of each LSTM of a graph the three dimensions that eager mode gives them."""
    for module in nested.graphs(graph_module):
        _with_last_states(module)


def _with_last_states(graph_module):
    graph = graph_module.graph
    found = [user for node in graph.nodes if node.op == "call_function" and node.target is torch.lstm
             for user in node.users if user.target is operator.getitem and user.args[1] in (1, 2)]
    for node in found:
        with graph.inserting_after(node):
            states = graph.call_method("flatten", (node, 1, -2))
        states.meta = dict(node.meta)
        node.replace_all_uses_with(states, delete_user_cb=lambda user, states=states: user is not states)
    if found:
        graph_module.recompile()
