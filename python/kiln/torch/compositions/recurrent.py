# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers: those that torch leaves to a library where no gradient is needed, and LSTM in torch.export."""
import torch
from torch._decomp.decompositions import lstm_impl
from torch.nn import functional as F

from . import composes

#: The library's number for it.
LSTM = 2


@composes("mkldnn_rnn_layer.default")
def mkldnn_rnn_layer(x, input_weight, hidden_weight, input_bias, hidden_bias, hidden, cell, is_reversed, batch_sizes, mode,
                     hidden_size, num_layers, has_biases, bidirectional, batch_first, train):
    if mode != LSTM or num_layers != 1 or bidirectional or batch_first or batch_sizes or train:
        return NotImplemented
    if not has_biases:  # what stands in their place has another shape
        input_bias = hidden_bias = None
    parts, h, c, made = F.linear(x, input_weight, input_bias), hidden[0], cell[0], []
    steps = list(parts.unbind(0))
    for part in reversed(steps) if is_reversed else steps:
        i, f, g, o = (part + F.linear(h, hidden_weight, hidden_bias)).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        made.append(h)
    made = torch.stack(made[::-1] if is_reversed else made)
    return made, h.unsqueeze(0), c.unsqueeze(0), x.new_empty(0, dtype=torch.uint8)


@composes("lstm.input")
def lstm(*arguments):
    """As torch takes it apart, whose last states keep a dimension of 1 if there are several sequences."""
    made, *last = lstm_impl(*arguments)
    return made, *(one.flatten(1, -2) for one in last)
