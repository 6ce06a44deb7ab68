# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph compiled to a package that is loaded: calls of it, with tensors of torch."""
import torch

import kiln

from . import cache, sizes
from .dtypes import TYPES
from .graph import Lowering, UnsupportedNode
from .text import Unsupported, Value


def lower(graph_module, name_of=lambda node: node.name):
    """(Lowering, kinds of the results) of a graph of ATen operations."""
    lowering = Lowering()
    results = []
    for node in graph_module.graph.nodes:
        if node.op == "placeholder":
            made = node.meta.get("val")
            try:
                if isinstance(made, torch.Tensor):
                    lowering.values[node] = lowering.tensor_argument(made, name_of(node))
                elif isinstance(made, (int, torch.SymInt)) and not isinstance(made, bool):
                    lowering.values[node] = sizes.size_of(made)
                elif node.users:
                    raise Unsupported(f"an argument of type {type(made).__name__}")
            except Unsupported as error:
                raise UnsupportedNode(node, str(error)) from None
        elif node.op == "output":
            for one in node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]:
                if isinstance(one, torch.fx.Node) and lowering.values.get(one) is None:
                    raise UnsupportedNode(one, "this result")
                results.append(lowering.values[one] if isinstance(one, torch.fx.Node) else one)
        else:
            lowering.node(node)
    return lowering, results


class Compiled:
    """Calls the package of one graph, with the graph's arguments."""

    def __init__(self, graph_module, target):
        lowering, results = lower(graph_module)
        placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
        self.tensors = [i for i, node in enumerate(placeholders) if isinstance(node.meta.get("val"), torch.Tensor)]
        self.constants = [tensor.detach().contiguous() for tensor in lowering.constants]
        self.symbols = self._symbols(placeholders)
        #: For each result: the number of the package's result, an argument as it is, a size, or a constant.
        self.results, values, self.types = [], [], []
        given = {node: i for i, node in enumerate(placeholders)}
        output = next(node for node in graph_module.graph.nodes if node.op == "output").args[0]
        for node, one in zip(output if isinstance(output, (list, tuple)) else [output], results):
            if node in given:
                self.results.append(("argument", given[node]))
            elif isinstance(one, Value):
                if one not in values:
                    values.append(one)
                    self.types.append(TYPES[one.dtype])
                self.results.append(("tensor", values.index(one)))
            elif sizes.is_size(one):
                self.results.append(("size", one))
            else:
                self.results.append(("constant", one))
        lowering.returns(values)
        self.program = None
        if values:
            self.program = kiln.load(cache.package(lowering, target), target)
            self.entry = self.program.default
            self.wanted = [one.dtype for one in self.entry.arguments]

    @staticmethod
    def _symbols(placeholders):
        """Where the value of each symbol is found: (argument, dimension or None)."""
        found = {}
        for i, node in enumerate(placeholders):
            made = node.meta.get("val")
            if isinstance(made, torch.SymInt):
                found.setdefault(made.node.expr, (i, None))
            elif isinstance(made, torch.Tensor):
                for dim, size in enumerate(made.shape):
                    if isinstance(size, torch.SymInt):
                        found.setdefault(size.node.expr, (i, dim))
        return found

    def _size(self, expression, arguments):
        values = {}
        for symbol in expression.free_symbols:
            i, dim = self.symbols[symbol]
            values[symbol] = int(arguments[i] if dim is None else arguments[i].shape[dim])
        return int(expression.subs(values))

    def __call__(self, *arguments):
        made = []
        if self.program:
            given = [self._tensor(arguments[i]) for i in self.tensors] + self.constants
            made = self.entry(*(one for one in given))
            made = list(made) if isinstance(made, tuple) else [made]
            made = [self._torch(one, dtype) for one, dtype in zip(made, self.types)]
        return [made[one] if kind == "tensor" else arguments[one] if kind == "argument" else
                self._size(one, arguments) if kind == "size" else one for kind, one in self.results]

    @staticmethod
    def _tensor(tensor):
        tensor = tensor.detach()
        return tensor.contiguous().view(torch.int8) if tensor.dtype == torch.uint8 else tensor.contiguous()

    @staticmethod
    def _torch(tensor, dtype):
        made = torch.from_dlpack(tensor)
        return made if made.dtype == dtype else made.view(dtype)
