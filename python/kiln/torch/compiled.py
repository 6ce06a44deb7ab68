# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph compiled to a package that is loaded: calls of it, with tensors of torch."""
import sys

import torch
from torch.utils._python_dispatch import _disable_current_modes

import kiln

from kiln._runtime import exchange

from . import aliases, cache, checks, devices, draws, sizes
from .calls import EXCHANGE, bound, call
from .dtypes import TYPES
from .graph import Lowering, UnsupportedNode, operation_of
from .lower import pairs
from .text import Unsupported, Value


def lower(graph_module, name_of=lambda node: node.name, numbers=None, passed=frozenset(), keeps_state=False, orders=None):
    """(Lowering, kinds of the results) of a graph of ATen operations. `numbers` gets the sizes among the arguments that no
    tensor has: those become arguments of the package, after the tensors. Nodes in `passed` are not lowered; a result among
    them is None. `keeps_state`: random numbers come from a state that is an argument. `orders`: of arguments that the package
    has with their dimensions in another order, that order."""
    lowering = Lowering(keeps_state)
    device = devices.of(graph_module)
    lowering.is_parallel = device.type != "cpu"
    lowering.allows_tf32, lowering.any_update_wins = devices.allows_tf32(device), devices.any_update_wins(device, graph_module)
    results = []
    given = graph_module.graph.find_nodes(op="placeholder")  # those of a part may stand anywhere
    for node in given:
        made = node.meta.get("val")
        try:
            if isinstance(made, torch.Tensor):
                order = (orders or {}).get(node)
                value = lowering.tensor_argument(made.permute(order) if order else made, name_of(node))
                lowering.values[node] = lowering.transpose(value, [order.index(d) for d in range(len(order))]) if order else value
            elif isinstance(made, (int, torch.SymInt)) and not isinstance(made, bool):
                lowering.values[node] = sizes.size_of(made)
            elif isinstance(made, (float, torch.SymFloat)) and numbers is not None:
                lowering.values[node] = sizes.number_of(made) if isinstance(made, torch.SymFloat) else made
            elif node.users:
                raise Unsupported(f"an argument of type {type(made).__name__}")
        except Unsupported as error:
            raise UnsupportedNode(node, str(error)) from None
    for node in given if numbers is not None else ():
        if isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat)) and lowering.number_argument(node.meta["val"], name_of(node)):
            numbers.append(node)
    for node in graph_module.graph.nodes:
        if node.op == "placeholder":
            continue
        if node.op == "output":
            for one in node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]:
                if isinstance(one, torch.fx.Node) and one not in passed and lowering.values.get(one) is None:
                    raise UnsupportedNode(one, "this result")
                results.append(lowering.values.get(one) if isinstance(one, torch.fx.Node) else one)
        elif node not in passed:
            lowering.node(node)
    return lowering, results


def counts_in_storage(node, tensor):
    """Whether a node reads a tensor by an offset from the beginning of its storage."""
    if operation_of(node) not in ("as_strided.default", "as_strided_copy.default", "as_strided_scatter.default"):
        return False
    offset = node.args[-1] if len(node.args) > (4 if "scatter" in operation_of(node) else 3) else node.kwargs.get("storage_offset")
    return node.args[0] is tensor and offset is not None


def _numbers_of(tensor):
    """The sizes of a tensor, its strides and where it begins."""
    return [*tensor.shape, *tensor.stride(), tensor.storage_offset()]


def _exchanges(graph):
    """Whether a graph exchanges tensors with other processes."""
    return any("c10d_functional" in getattr(node.target, "namespace", "") for node in graph.nodes)


def _orders(placeholders, least):
    """The order of dimensions, from the largest stride to the smallest, of dense arguments that are not row-major and have at
    `least` so many dimensions, such as images with their channels last. The package has them in that order, and no copy is made."""
    found = {}
    for node in placeholders:
        made = node.meta.get("val")
        if isinstance(made, torch.Tensor) and made.dim() >= least and made.layout == torch.strided and not made.is_complex() and not any(
                counts_in_storage(user, node) for user in node.users):
            order = aliases.physical(made, made.stride())
            if order:
                found[node] = order
    return found


class Compiled:
    """Calls the package of one graph, with the graph's arguments."""

    def __init__(self, graph_module, target, strides=None):
        """`strides`: those that results have in eager mode, by the places of the results."""
        self.device = devices.of(graph_module)
        numbers = []
        placeholders = self.placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
        given = {node: i for i, node in enumerate(placeholders)}
        output = next(node for node in graph_module.graph.nodes if node.op == "output").args[0]
        output = output if isinstance(output, (list, tuple)) else [output]
        aliases.mark_unknown(graph_module.graph)
        slices = aliases.slices([node for node in output if node not in given], given)
        views = aliases.views([node for node in output if node not in given and node not in slices], given)
        passed = aliases.only_views(graph_module.graph, views, given)
        # Small matrices on CPUs are copied in less time than a call takes that changes their order.
        orders = _orders(placeholders, least=0 if self.device.type != "cpu" else 4)
        lowering, results = lower(graph_module, numbers=numbers, passed=passed, orders=orders)
        self.numbers = [placeholders.index(node) for node in numbers]
        self.tensors = [i for i, node in enumerate(placeholders) if isinstance(node.meta.get("val"), torch.Tensor)]
        #: The places of tensors that the package has in another order of dimensions, and that order.
        self.orders = [(place, orders[placeholders[i]]) for place, i in enumerate(self.tensors) if placeholders[i] in orders]
        self.found = {}  # the last values of the symbols of a size, and of the size
        with _disable_current_modes():  # this may run while torch traces
            self.added = [one.detach().contiguous().to(self.device) if isinstance(one, torch.Tensor) else self._draw(one) for one in lowering.added]
        #: The random operations whose tensors are filled before each call.
        self.drawn = [one for one in lowering.added if isinstance(one, torch.fx.Node)]
        self.symbols = self._symbols(placeholders)
        self.reads_numbers = False
        #: For each result: the number of the package's result, an argument as it is, a size, or a constant.
        self.results, values, seen, self.types = [], [], [], []
        strides = strides or {}

        def layout(node, place):
            """(the strides that a result has in eager mode, the order of dimensions that has them, how they are made)"""
            # What a backward graph gets, or an optimiser, is expected as torch traced it: on a GPU nothing else copies it.
            usual = node.meta["val"].stride() if self.device.type != "cpu" else None
            wanted = strides.get(place, usual)
            order = aliases.physical(node.meta["val"], wanted) if wanted else None
            return wanted, order, "strided" if order else aliases.layout(node.meta["val"], wanted) if place in strides else None

        # What only the backward graph gets is no view of a result that has other strides than torch traced, nor is such a result one of it.
        bases = {node: base for node, base in aliases.bases([node for node in output if node not in given]).items() if (
            output.index(base) in strides or aliases.are_same(node.meta["val"].stride(), strides[output.index(node)])
            if output.index(node) in strides else output.index(base) not in strides or not layout(base, output.index(base))[2])}
        places = {base: output.index(base) for base in bases.values()}
        laid = {base: layout(base, place)[0] for base, place in places.items() if place in strides and layout(base, place)[1]}
        around = {node: aliases.moved(node.meta["val"], base.meta["val"], laid[base]) for node, base in bases.items() if base in laid}
        for node, made in around.items():
            if made is None or not self._are_known([*node.meta["val"].shape, *made[0], made[1]]):
                laid.pop(bases[node], None)  # the views decide how it lies
        parts = aliases.parts(graph_module.graph, output, strides, lambda size: isinstance(size, int) or (
            size.free_symbols <= self.symbols.keys() or lowering.is_known(size)))
        whole = {}  # the numbers of the package's results that parts are views of

        def number(size):
            """An int, or the number of the package's result that holds it."""
            if isinstance(size, int):
                return "constant", size
            if size.free_symbols <= self.symbols.keys():
                return "size", size
            if size not in seen:
                seen.append(size)
                self.types.append(torch.int64 if size.is_integer else torch.float64)
                try:
                    values.append(lowering.number_tensor(size))
                except Unsupported as error:
                    raise UnsupportedNode(node, str(error)) from None
            self.reads_numbers = True
            return "number", seen.index(size)

        def keep(value, order):
            """Lets the package return a value, with its dimensions in an order. No other result is this one."""
            seen.append(None)
            self.types.append(TYPES.get(value.dtype, value.dtype))
            if isinstance(value, pairs.Pair):
                value = pairs.as_last(lowering, pairs.Pair(*(lowering.transpose(part, order) if order else part for part in (value.re, value.im))))
            elif order:
                value = lowering.transpose(value, order)
            values.append(value)

        def shared(value):
            """The number of the package's result that is a value as it is."""
            if value not in seen:
                seen.append(value)
                self.types.append(TYPES.get(value.dtype, value.dtype))
                values.append(value if isinstance(value, Value) else pairs.as_last(lowering, value))
            return seen.index(value)

        for place, (node, one) in enumerate(zip(output, results)):
            order = kind = None
            if isinstance(one, (Value, pairs.Pair)) and (node not in places or node in laid):
                wanted, order, kind = layout(node, place)
            if node in given:
                self.results.append(("argument", given[node]))
            elif isinstance(one, draws.Saved):  # states stand behind the arguments while these are filled
                states = [added for added in lowering.added if getattr(added, "target", None) is draws.RUN_AND_SAVE]
                self.results.append(("argument", len(given) + states.index(one.node)))
            elif node in slices:
                base, dim, start, length = slices[node]
                self.results.append(("slice", (base, dim, number(start), None if length is None else number(length))))
            elif node in views:
                made, base = node.meta["val"], placeholders[views[node]].meta["val"]
                behind = made.storage_offset() * made.itemsize - base.storage_offset() * base.itemsize
                about = [[number(sizes.size_of(one)) for one in part] for part in (made.shape, made.stride(), [behind])]
                self.results.append(("part", (views[node], made.dtype, aliases.marks_of(made), *about)))
            elif node in laid and place != places[node]:
                made = node.meta["val"]
                self.results.append(("view", (places[node], made.dtype, aliases.marks_of(made), made.shape, laid[node], 0)))
            elif node in bases and (bases[node] in laid or self._are_known(_numbers_of(node.meta["val"]))):
                made, base = node.meta["val"], bases[node]
                lies = around[node] if base in laid else (made.stride(), made.storage_offset())
                self.results.append(("view", (places[base], made.dtype, aliases.marks_of(made), made.shape, *lies)))
            elif node in parts:
                made, base = node.meta["val"], parts[node].meta["val"]
                maker = parts[node]
                if maker not in whole and maker in output and sizes.is_row_major(base):
                    whole[maker] = shared(lowering.values[maker])  # it is a result itself
                elif maker not in whole:
                    whole[maker] = len(values)
                    keep(lowering.values[maker], aliases.physical(base, base.stride()))
                about = [[number(sizes.size_of(n)) for n in part] for part in (made.shape, made.stride(), [made.storage_offset()])]
                self.results.append(("within", (whole[maker], made.dtype, aliases.marks_of(made), *about)))
            elif kind:
                made, at = node.meta["val"], len(values)
                keep(one, order)
                about = [[number(sizes.size_of(n)) for n in part] for part in (made.shape, wanted)]
                self.results.append((kind, (at, *about)))
            elif isinstance(one, (Value, pairs.Pair)):
                self.results.append(("tensor", shared(one)))
            elif sizes.is_size(one):
                self.results.append(number(one))
            else:
                self.results.append(("constant", one))
        #: What has to be true of data: the number of the package's result, and the message if it is not.
        self.checks = []
        for condition, message in checks.of(lowering, graph_module.graph):
            seen.append(condition)
            self.types.append(torch.bool)
            values.append(condition)
            self.checks.append((len(seen) - 1, message))
        lowering.returns(values)
        self.program = None
        if values:
            with devices.kept(self.device):  # a driver makes its own GPU the current one
                self.program = kiln.load(cache.package(lowering, target), devices.numbered(target, self.device))
            self.session, self.entry = self.program._session, self.program.default.name
            self.package = cache.name_of(lowering, target)
        #: Nothing but tensors comes out, each once, in the order of the package.
        self.plain = self.results == [("tensor", i) for i in range(len(values))]
        #: Which of the package's results are complex: packages have a last dimension of their two parts.
        self.complexes = bytes(dtype in pairs.PARTS for dtype in self.types)
        self.calls = None
        if self.program and self.device.type != "cpu":
            self.calls = devices.Calls(self.program, self.device, self.complexes, self.types, _exchanges(graph_module.graph), self.added)
        #: Results that torch has on the host, though a GPU makes them.
        self.near = [place for place, node in enumerate(output) if self.calls and isinstance(node, torch.fx.Node)
                     and isinstance(node.meta.get("val"), torch.Tensor) and node not in given
                     and node.meta["val"].device.type == "cpu"]
        self.count = len(placeholders)
        #: Arguments with which an offset counts from the beginning of their storage, which the package does not have.
        self.whole = [i for i, one in enumerate(placeholders) if any(counts_in_storage(user, one) for user in one.users)]
        self.forms = None if self.calls else self._forms()
        self.direct = self._is_direct()

    def _forms(self):
        """The orders of arguments and the layouts of results with which the package takes the arguments and makes the graph's results;
        None where these are as they are, or where more is to be done."""
        if self.plain and not self.orders:
            return None
        layouts = []
        for place, (kind, one) in enumerate(self.results):
            if kind not in ("tensor", "strided"):
                return None
            at, *about = one if kind == "strided" else (one,)
            numbers = [number for part in about for number in part]
            if at != place or any(number[0] != "constant" for number in numbers) or (about and self.complexes[at]):
                return None
            layouts.append(b"".join(number[1].to_bytes(8, sys.byteorder) for number in numbers) if about else None)
        if len(layouts) != len(self.types):
            return None
        orders = dict(self.orders)
        return tuple(bytes(orders[i]) if i in orders else None for i in range(len(self.tensors))), tuple(layouts)

    def _is_direct(self):
        """Whether the package takes the arguments as they are, but for an order of dimensions, and its results are those of the graph."""
        return bool((self.forms or (self.plain and not self.orders)) and self.program and len(self.tensors) == self.count and not (
            self.added or self.checks or self.whole or self.near))

    def _draw(self, node):
        """What fills the tensor of a random operation before each call."""
        operation, given, options, made, state = draws.call_of(node)
        generator = options.get("generator")
        numbers = draws.parameters(operation, [one.meta["val"] if isinstance(one, torch.fx.Node) else one for one in given])
        source = given[0] if given and isinstance(given[0], torch.fx.Node) else None
        # What writes in place keeps the strides of a tensor that was made for it.
        is_written = source is not None and operation_of(source).partition(".")[0].startswith("empty")
        about = made.shape, (source.meta["val"] if is_written else made).stride(), numbers
        place = None if state is None else self.placeholders.index(state)

        def drawn(arguments):
            shape, strides, numbers = ([self._number(n, arguments) for n in part] for part in about)
            if node.target is draws.RUN_AND_SAVE:
                arguments.append(draws.state_of(made.device))
            return draws.draw(operation, shape, strides, made.dtype, numbers, generator, made.device,
                              None if place is None else arguments[place])
        return drawn

    @staticmethod
    def _symbols(placeholders):
        """Where the value of each symbol is found: a function of the arguments."""
        found = {}

        def add(size, read):
            if isinstance(size, (torch.SymInt, torch.SymFloat)):
                found.setdefault(size.node.expr, read)

        for i, node in enumerate(placeholders):
            made = node.meta.get("val")
            if isinstance(made, (torch.SymInt, torch.SymFloat)):
                add(made, lambda given, i=i: given[i])
            elif isinstance(made, torch.Tensor) and made.layout == torch.strided:
                add(made.storage_offset(), lambda given, i=i: given[i].storage_offset())
                for dim, (size, stride) in enumerate(zip(made.shape, made.stride())):
                    add(size, lambda given, i=i, dim=dim: given[i].shape[dim])
                    add(stride, lambda given, i=i, dim=dim: given[i].stride(dim))
        return found

    def _are_known(self, numbers):
        """Whether arguments say the sizes of a view, its strides and where it begins."""
        return all(one.node.expr.free_symbols <= self.symbols.keys() for one in numbers if isinstance(one, torch.SymInt))

    def _size(self, expression, arguments):
        values = tuple((symbol, self.symbols[symbol](arguments)) for symbol in expression.free_symbols)
        if self.found.get(expression, (None, 0))[0] != values:
            made = expression.subs(values)
            kind = bool if sizes.is_condition(expression) else int if expression.is_integer else float
            self.found[expression] = values, kind(made)
        return self.found[expression][1]

    def __call__(self, *arguments):
        return self.boxed(list(arguments))

    def boxed(self, arguments):
        """Calls it with a list, as AOTAutograd does."""
        if self.direct:
            if self.calls:
                return self.calls.queued(*arguments)
            made = exchange(self.session, self.entry, EXCHANGE, arguments, self.complexes, self.forms)
            if made is not None:
                return made
            if not self.forms:
                return self._run(arguments)
        for i in self.whole:
            if arguments[i].storage_offset():
                raise RuntimeError(f"unsupported: as_strided of argument {i}, which begins behind its storage; clone() it")
        made = self._run(arguments) if self.program else []
        for number, message in self.checks:
            if not made[number].all():
                raise checks.error_of(message)
        if self.plain and not self.near:
            return made
        found = [self._result(one, arguments, made) for one in self.results]
        for i, (kind, one) in enumerate(self.results):
            if kind == "view":
                shape, strides, (start,) = ([self._number(n, arguments) for n in numbers] for numbers in (*one[3:5], one[5:]))
                found[i] = aliases.view_of(found[one[0]], *one[1:3], shape, strides, start)
        for i in self.near:
            found[i] = found[i].cpu()
        return found

    def _result(self, result, arguments, made):
        kind, one = result
        if kind == "tensor":
            return made[one]
        if kind == "argument":
            return arguments[one]
        if kind == "size":
            return self._size(one, arguments)
        if kind == "number":
            return made[one].item()
        if kind == "slice":
            start, length = (None if part is None else self._result(part, arguments, made) for part in one[2:])
            base, dim = arguments[one[0]], one[1]
            if length is None:
                return base.select(dim, start)
            size = base.shape[dim]  # a place outside of the tensor is its nearer end, as for slices of Python
            return base.narrow(dim, max(0, min(start + size if start < 0 else start, size)), length)
        if kind in ("strided", "spaced"):
            shape, strides = ([self._result(n, arguments, made) for n in numbers] for numbers in one[1:])
            whole = made[one[0]] if kind == "strided" else aliases.spaced(made[one[0]], shape, strides)
            # Not a view for autograd, which would refuse to write to the result of a function of its own in place.
            return torch.empty(0, dtype=whole.dtype, device=whole.device).set_(whole.untyped_storage(), whole.storage_offset(), shape, strides)
        if kind == "within":
            shape, strides, (start,) = ([self._result(n, arguments, made) for n in numbers] for numbers in one[3:])
            return aliases.view_of(made[one[0]], *one[1:3], shape, strides, start)
        if kind == "part":
            base, dtype, marks = arguments[one[0]], *one[1:3]
            shape, strides, (behind,) = ([self._result(n, arguments, made) for n in numbers] for numbers in one[3:])
            start = (base.storage_offset() * base.itemsize + behind) // dtype.itemsize
            if any(marks):
                return aliases.marked_view(base, dtype, shape, strides, start, marks)
            return torch.empty(0, dtype=dtype, device=base.device).set_(base.untyped_storage(), start, shape, strides)
        return one

    def _number(self, number, arguments):
        return self._size(number.node.expr, arguments) if isinstance(number, (torch.SymInt, torch.SymFloat)) else number

    def bound(self):
        """A function of the graph's arguments for graphs whose package takes them as they are, else None."""
        if not self.direct:
            return None
        otherwise = (lambda *arguments: self.boxed(list(arguments))) if self.forms else None
        return self.calls.queued if self.calls else bound(self.program, self.complexes, self.forms, otherwise)

    def _run(self, arguments):
        """The package's results, as tensors of torch."""
        given = list(arguments) if len(self.tensors) == self.count else [arguments[i] for i in self.tensors]
        for place, order in self.orders:
            given[place] = given[place].permute(order)
        # A fill, which does not wait for a GPU as a copy from the host does.
        given += [torch.full((), arguments[i], dtype=torch.float64 if isinstance(arguments[i], float) else torch.int64,
                             device=self.device) for i in self.numbers]
        given += [one if isinstance(one, torch.Tensor) else one(arguments) for one in self.added]
        return self.calls.queued(*given) if self.calls else call(self.session, self.entry, given, self.complexes)
