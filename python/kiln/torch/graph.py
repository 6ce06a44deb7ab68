# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An FX graph of ATen operations as a function of prim.

Each node is handed to the lowering of its operation. What comes back has to have the type and the
shape that torch has worked out for the node; anything else is an error of the lowering and is
reported as unsupported, never compiled."""
import re

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from . import control, draws, sizes
from .dtypes import name_of
from .lower import find, pairs
from .lower.movement import place_in
from .prim import Prim
from .text import Unsupported, Value, type_of

_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+), in ', re.M)


class Out:
    """What a node gives, as torch has it: element type, shape, whether anything uses it. Of its inputs: whether all are
    row-major, and whether all begin where their storage does."""
    __slots__ = ("dtype", "shape", "operation", "used", "contiguous_inputs", "whole_inputs")

    def __init__(self, dtype, shape, operation, used=True, contiguous_inputs=True, whole_inputs=True):
        self.dtype, self.shape, self.operation, self.used = dtype, shape, operation, used
        self.contiguous_inputs, self.whole_inputs = contiguous_inputs, whole_inputs

    def named(self, operation):
        return Out(self.dtype, self.shape, operation, self.used, self.contiguous_inputs, self.whole_inputs)


#: Calls of an operator that writes its arguments, which is an argument of the call.
FUNCTIONALIZED = ("auto_functionalized", "auto_functionalized_v2")


def target_of(node):
    """The function that a node calls."""
    return node.args[0] if getattr(node.target, "__name__", "") in FUNCTIONALIZED and node.args else node.target


def operation_of(node):
    """"add.Tensor" of torch.ops.aten.add.Tensor; other functions by their name."""
    target = target_of(node)
    if isinstance(target, torch._ops.OpOverload):
        return str(target).partition(".")[2] if target.namespace in ("aten", "prims") else str(target)
    return getattr(target, "__name__", str(target))


#: Of an operator that torch.library defines, for a program or another library.
FOREIGN = ", as torch.library defines it; with options={'fallback': True} PyTorch runs it also in a whole graph"


def is_foreign(target):
    return isinstance(target, torch._ops.OpOverload) and target.namespace not in ("aten", "prims", "_c10d_functional", "quantized_decomposed")


def place_of(node):
    """(file, line) of the Python code that a node comes from, or None."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    return (frames[-1][0], int(frames[-1][1])) if frames else None


def located(node, reason):
    place = place_of(node)
    return f"{place[0]}:{place[1]}: unsupported: {reason}" if place else f"unsupported: {reason}"


class UnsupportedNode(Exception):
    """A node that cannot be compiled."""

    def __init__(self, node, reason):
        super().__init__(located(node, f"{operation_of(node)}: {reason}"))
        self.node, self.reason = node, reason


def type_in(value):
    """(dtype, shape) of a tensor of torch's."""
    if value.layout != torch.strided or value.device.type not in ("cpu", "cuda") or value.is_quantized:
        raise Unsupported(f"a tensor of {value.layout} on {value.device}")
    return COMPLEX.get(value.dtype) or name_of(value.dtype), tuple(sizes.size_of(n) for n in value.shape)


#: Complex numbers are pairs of these.
COMPLEX = {torch.complex64: "c64", torch.complex128: "c128"}


class Lowering(Prim):
    """Writes the nodes of a graph into a function."""

    def __init__(self, keeps_state=False):
        super().__init__()
        self.keeps_state = keeps_state  # whether seeds are drawn from a state of the package
        self.state, self.draws = None, 0
        self.values = {}    # node: Value, list, size
        self.known = {}     # symbol: `index` value
        self.sources = {}   # symbol, or size of them: (tensor argument, dimension, or None: the number that it holds)
        self.multiples = {} # symbol: (size of an argument, a, b), where that size is a * symbol + b
        self.hints = {}     # symbol: the number that it is in the call for which torch has made the graph
        self.counts = {}    # symbol that is data: the tensor that holds it
        self.floats = {}    # symbol of a real number that is data: the tensor that holds it
        self.added = []     # arguments after those of the graph: tensors, nodes that torch draws before each call, the state

    def size_of(self, size):
        if isinstance(size, int):
            return sizes.constant(self, size)
        for symbol in {size} if size in self.sources else size.free_symbols:
            if symbol not in self.known and symbol in self.sources:
                value, dim = self.sources[symbol]
                self.known[symbol] = self.index(f"prim.to_index {value.name} : {value.type}" if dim is None else f"tensor.dim {value.name}, {sizes.constant(self, dim)} : {value.type}")
            elif symbol not in self.known and symbol in self.multiples:
                size_there, factor, more = self.multiples[symbol]
                self.known[symbol] = sizes.solved(self, self.size_of(size_there), factor, more)
        return sizes.compute(self, size, self.known)

    def number_tensor(self, number):
        """A symbolic number as a tensor of rank 0: of i64, of f64 where it is no integer, of i1 where it is a condition."""
        if sizes.is_condition(number):
            return sizes.truth(self, number)
        return self.size_tensor(number) if number.is_integer else sizes.real(self, number)

    def is_known(self, number):
        """Whether a number can be computed from what is there."""
        return isinstance(number, (int, float)) or number in self.sources or all(
            any(one in there for there in (self.known, self.sources, self.multiples, self.floats)) for one in number.free_symbols)

    def is_read(self, number):
        return sizes.is_size(number) and bool(number.free_symbols & self.counts.keys())

    def may_be_same(self, a, b):
        # torch has found out that an expression is always one number, or another expression, and guards that.
        return isinstance(a, int) != isinstance(b, int) or all(map(free_unbacked_symbols, (a, b))) or (
            self.hint(a) is not None and self.hint(a) == self.hint(b))

    def may_be_one(self, size):
        return self.hint(size) == 1

    def hint(self, size):
        """What a size is in the call for which torch has made the graph; None if data say that."""
        made = size.xreplace(self.hints) if sizes.is_size(size) else size
        return int(made) if isinstance(made, int) or made.is_Integer else None

    def bind_float(self, number, value):
        """Lets a real number that is data be that of a tensor of rank 0."""
        if not number.is_Symbol:
            raise Unsupported(f"the number {number}, which is computed from data")
        self.floats[number] = value

    def bind(self, size, count):
        """Lets a size that is data be the number of a tensor of rank 0."""
        if not sizes.is_size(size) or self.is_known(size):
            return  # torch has found out
        if not size.is_Symbol:
            raise Unsupported(f"the size {size}, which is computed from data")
        self.known[size] = self.index(f"prim.to_index {count.name} : {count.type}")
        self.counts[size] = count

    def tensor_argument(self, tensor, label):
        value = self._argument(tensor, label)
        for one in tensor.shape:
            if isinstance(one, torch.SymInt):
                self._add_hint(one.node.expr, one.node.hint)
        for dim, size in enumerate(value.shape):
            if not isinstance(size, int):
                self.sources.setdefault(size, (value, dim))
        return self._paired(tensor, value)

    def _add_hint(self, size, hint):
        """`size`: of an argument, a symbol or, as torch.export has it, a multiple of one and some more."""
        symbol, factor, more = sizes.linear(size) or (None, 1, 0)
        if symbol is None:
            return
        if symbol != size:
            self.multiples.setdefault(symbol, (size, factor, more))
        if hint is not None:
            self.hints.setdefault(symbol, sympy.Integer((hint - more) // factor))

    def number_argument(self, size, label):
        """A number that is an argument, as a tensor of rank 0 where no tensor has that size; whether it is one."""
        hint = getattr(getattr(size, "node", None), "hint", None)
        if sizes.is_ragged(hint):
            return False
        size = sizes.number_of(size) if isinstance(size, torch.SymFloat) else sizes.size_of(size)
        if sizes.is_size(size) and size.is_Symbol and size.is_integer and hint is not None:
            self.hints.setdefault(size, sympy.Integer(hint))
        if isinstance(size, (int, float)) or not size.is_Symbol or any(
                size in there for there in (self.sources, self.multiples, self.floats)):
            return False
        if not size.is_integer:
            self.floats[size] = self.argument("f64", (), label)
            return True
        self.sources[size] = self.argument("i64", (), label), None
        return True

    def _argument(self, tensor, label):
        dtype, shape = type_in(tensor)
        if dtype in pairs.PARTS:
            dtype, shape = pairs.PARTS[dtype], (*shape, 2)
        return self.argument(dtype, shape, label)

    def _paired(self, tensor, value):
        return pairs.of_last(self, value) if tensor.dtype in COMPLEX else value

    def constant(self, tensor, label):
        """A tensor that the graph holds: an argument that the caller adds."""
        self.added.append(tensor)
        return self._paired(tensor, self._argument(tensor, label))

    def drawn(self, node):
        """Random numbers that torch draws: an argument that the caller adds."""
        if self.keeps_state:
            return self._seed(node)
        made = draws.call_of(node)[3]
        for size in (sizes.size_of(n) for n in made.shape):
            if not self.is_known(size) or self.is_read(size):
                raise Unsupported("as many random numbers as data say")
        self.added.append(node)
        return self._paired(made, self._argument(made, node.name))

    def _seed(self, node):
        """The seed of an operation, of the state that the package keeps."""
        if not draws.is_seed(operation_of(node), node.args, node.kwargs):
            raise Unsupported("a generator of its own")
        if self.state is None:
            self.state = self.argument("i64", (2,), draws.STATE)
            self.added.append(draws.STATE)
        seed, offset = (self.reshape(self.slice_dim(self.state, 0, i, i + 1), ()) for i in range(2))
        offset = self.binary("add", offset, self.full(self.draws, "i64", ()))
        self.draws += 1
        return find("kiln.random_bits.default")(self, Out("i64", (), "kiln.random_bits.default"), seed, offset, (), 64)

    def next_state(self):
        """The state after a call."""
        drawn = self.binary("add", self.slice_dim(self.state, 0, 1, 2), self.full(self.draws, "i64", (1,)))
        return self.cat([self.slice_dim(self.state, 0, 0, 1), drawn], 0)

    def outs(self, node):
        made = node.meta.get("val")
        operation = operation_of(node)
        inputs = [one.meta["val"] for one in node.all_input_nodes if isinstance(one.meta.get("val"), torch.Tensor)]
        layout = (all(sizes.is_contiguous(one) for one in inputs), all(sizes.begins_storage(one) for one in inputs))
        if isinstance(made, (list, tuple)):
            used = [False] * len(made)
            for user in node.users:
                if operation_of(user) == "getitem":
                    used[user.args[1]] = bool(user.users)
                else:
                    used = [True] * len(made)
            return [Out(*type_in(one), operation, use, *layout) if isinstance(one, torch.Tensor) else None
                    for one, use in zip(made, used)]
        if not isinstance(made, torch.Tensor):
            raise Unsupported(f"a result of type {type(made).__name__}")
        return Out(*type_in(made), operation, True, *layout)

    def given(self, argument):
        """Arguments of a node: values for nodes, sizes for symbolic integers."""
        if isinstance(argument, torch.fx.Node):
            if argument not in self.values:
                raise Unsupported(f"an operand of type {type(argument.meta.get('val')).__name__}")
            return self.values[argument]
        if isinstance(argument, (list, tuple)):
            return [self.given(one) for one in argument]
        if isinstance(argument, torch.SymInt):
            return sizes.size_of(argument)
        if isinstance(argument, torch.SymFloat):
            return sizes.number_of(argument)
        if isinstance(argument, torch.SymBool):
            return sizes.condition_of(argument)
        return argument

    def node(self, node):
        """Writes one node; raises UnsupportedNode."""
        self.place = place_of(node)
        try:
            self._node(node)
        except Unsupported as error:
            raise UnsupportedNode(node, str(error)) from None
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, AssertionError) as error:
            raise UnsupportedNode(node, f"with these arguments ({type(error).__name__}: {error})") from error

    def _node(self, node):
        if isinstance(node.meta.get("val"), torch.SymBool):
            self.values[node] = sizes.condition_of(node.meta["val"])
            return
        if isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat)):
            made = node.meta["val"]
            self.values[node] = sizes.size_of(made) if isinstance(made, torch.SymInt) else sizes.number_of(made)
            if not self.is_known(self.values[node]) and operation_of(node) == "sym_storage_offset.default":
                self.bind(self.values[node], self._beginning(node.args[0]))
            elif not self.is_known(self.values[node]):
                function = find(operation_of(node))
                if function is None:
                    raise Unsupported("a number that only torch computes")
                function(self, self.values[node], *(self.given(one) for one in node.args))
            return
        if node.op == "get_attr" and isinstance(getattr(node.graph.owning_module, node.target), torch.fx.GraphModule):
            self.values[node] = getattr(node.graph.owning_module, node.target)  # a region of what uses it
            return
        if node.op == "get_attr":
            self.values[node] = self.constant(getattr(node.graph.owning_module, node.target), str(node.target))
            return
        if node.op != "call_function":
            raise Unsupported(f"a node of kind {node.op}")
        operation = operation_of(node)
        if draws.call_of(node):
            made = self.drawn(node)
            self.values[node] = [draws.Saved(node), made] if node.target is draws.RUN_AND_SAVE else made
            return
        if operation == "getitem":
            self.values[node] = self.values[node.args[0]][node.args[1]]
            if self.values[node] is None and node.users:
                raise Unsupported("this result")
            return
        if operation in IGNORED:
            return
        if operation in control.TABLE:
            made = control.TABLE[operation](self, node, *(self.given(one) for one in node.args))
            self.values[node] = self.checked(made, self.outs(node))
            return
        function = find(operation)
        out = self.outs(node)
        arguments = [self.given(one) for one in node.args]
        options = {name: self.given(one) for name, one in node.kwargs.items() if name not in PLACEMENT}
        if pairs.involved(out, arguments):
            made = pairs.lower(self, out, operation, arguments, options)
        elif function is None:
            raise Unsupported("no lowering to prim" + (FOREIGN if is_foreign(target_of(node)) else ""))
        else:
            made = function(self, out, *arguments, **options)
        self.values[node] = self.checked(made, out)

    def _beginning(self, node):
        """Where a slice or a row begins in its storage if data say that, as a tensor of rank 0."""
        if node.target not in (torch.ops.aten.slice.Tensor, torch.ops.aten.select.int) or len(node.args) < 3:
            raise Unsupported("a number that only torch computes")
        source, dim, start = node.args[:3]
        base = source.meta["val"]
        step, more = (self.size_as_tensor(sizes.size_of(one)) for one in (base.stride(dim), base.storage_offset()))
        first = place_in(self, sizes.size_of(base.shape[dim]), self.given(start), 0)
        return self.binary("add", more, self.binary("mul", first, step))

    def checked(self, made, out):
        if isinstance(out, list):
            if len(made) != len(out):
                raise Unsupported("as many results")
            return [one if one is None or want is None else self.checked(one, want) for one, want in zip(made, out)]
        if isinstance(made, pairs.Pair) and out.dtype in pairs.PARTS:
            real = out.named(out.operation)
            real.dtype = pairs.PARTS[out.dtype]
            return pairs.Pair(self.checked(made.re, real), self.checked(made.im, real))
        if out.dtype in pairs.PARTS:
            raise Unsupported(f"a real result where torch has {out.dtype}")
        if made.dtype == out.dtype and made.rank == len(out.shape):
            for dim, (size, wanted) in enumerate(zip(made.shape, out.shape)):
                if isinstance(size, int) != isinstance(wanted, int):  # the program checks that they are the same
                    made = self.reshape(made, [*made.shape[:dim], wanted, *made.shape[dim + 1:]])
        if (type_of(made.dtype, made.shape), made.dtype) != (type_of(out.dtype, out.shape), out.dtype):
            raise Unsupported(f"{type_of(made.dtype, made.shape)} for {type_of(out.dtype, out.shape)}")
        value = Value(made.name, out.dtype, out.shape)
        value.repeated = made.repeated
        return value


#: Options of ATen operations that say where memory is, or how its dimensions follow each other.
PLACEMENT = {"layout", "device", "pin_memory", "memory_format", "non_blocking"}
#: Nodes that check what torch has checked when it made the graph.
IGNORED = {"_assert_tensor_metadata.default", "_assert_scalar.default", "_assert_async.msg", "sym_constrain_range.default",
           "sym_constrain_range_for_size.default", "_assert_async.default"}
