# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of prim, one method each: says their text and the types of their results.

Methods follow prim exactly: no broadcasting, no promotion. What a frontend needs on top of that
(broadcast, convert where they do nothing) checks and does nothing. Integers of prim have no sign; a method whose result
depends on it says how it reads its operands, or refuses unsigned ones."""
from .text import Function, Unsupported, Value, array, is_float, is_unsigned, listed, number, type_of

INDEX = "i64"
#: Operations whose bits are the same of signed and of unsigned integers.
SIGNLESS = {"add", "sub", "mul", "neg", "bitwise_not", "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right_logical"}
#: Operations that have a flag for unsigned integers.
FLAGGED = {"div", "remainder", "fmod", "maximum", "minimum"}
#: Types with numbers that f32 rounds.
WIDER = ("f64", "i32", "u32", "i64", "u64")


class Prim(Function):
    """A function and the operations that are written into it. `size_of(size)` gives the `index`
    value of a size that is no int."""
    #: Whether a machine of many threads computes, such as a GPU.
    is_parallel = False
    #: Whether any of several updates of one place may count, as in torch on a GPU, so that all are written at the same time.
    any_update_wins = False
    #: Whether products, and convolutions, may read factors of f32 as tf32.
    allows_tf32 = {"dot": False, "conv": False}

    def size_of(self, size):
        raise Unsupported(f"the size {size} is not known here")

    def number_tensor(self, number):
        """A symbolic number as a tensor of rank 0."""
        return self.size_tensor(number)

    def is_read(self, number):
        """Whether a number follows from what is in a tensor."""
        return False

    def may_be_same(self, a, b):
        """Whether two sizes are equal as far as anything but the program knows."""
        return False

    def may_be_one(self, size):
        return size == 1

    def sizes(self, shape):
        dynamic = [self.size_of(n) for n in shape if not isinstance(n, int)]
        return f" sizes ({', '.join(dynamic)})" if dynamic else ""

    # elementwise
    def unary(self, name, x, suffix=""):
        if is_unsigned(x.dtype) and name not in SIGNLESS:
            return self._unsigned_unary(name, x)
        return self.emit(f"prim.{name} {x.name}{suffix} : {x.type}", x.dtype, x.shape)

    def _unsigned_unary(self, name, x):
        if name in ("abs", "relu"):
            return x
        if name == "sign":
            return self.convert(self.compare("ne", x, self.full_like(0, x)), x.dtype)
        raise Unsupported(f"{name} of unsigned integers")

    def binary(self, name, a, b, suffix=""):
        b = self._same(name, a, b)
        if is_unsigned(a.dtype) and name not in SIGNLESS:
            if name not in FLAGGED:
                return self._unsigned_binary(name, a, b)
            suffix += " unsigned"
        return self.emit(f"prim.{name} {a.name}, {b.name}{suffix} : {a.type}", a.dtype, a.shape)

    def _unsigned_binary(self, name, a, b):
        if name == "pow":  # of an exponent's top bit: a to the 2^(n-1) is 1 for odd numbers and 0 for even ones
            signed = [self.as_signed(one) for one in (a, b)]
            rest = self.binary("bitwise_and", signed[1], self.full_like((1 << (int(a.dtype[1:]) - 1)) - 1, signed[1]))
            low = self.binary("pow", signed[0], rest)
            odd = self.binary("bitwise_and", signed[0], self.full_like(1, low))
            is_large = self.compare("lt", signed[1], self.full_like(0, low))
            made = self.where(is_large, self.binary("mul", low, odd), low)
            return Value(made.name, a.dtype, a.shape)
        if name == "gcd" and a.dtype != "u64":
            return self.convert(self.binary("gcd", self.convert(a, "i64"), self.convert(b, "i64")), a.dtype)
        raise Unsupported(f"{name} of unsigned integers")

    @staticmethod
    def as_signed(x):
        """The bits of unsigned integers as signed ones."""
        return Value(x.name, "i" + x.dtype[1:], x.shape) if is_unsigned(x.dtype) else x

    def ordered(self, x):
        """Signed integers in the order of x: its top bit flips where it is unsigned."""
        if not is_unsigned(x.dtype):
            return x
        x = self.as_signed(x)
        return self.binary("bitwise_xor", x, self.full_like(-1 << (int(x.dtype[1:]) - 1), x))

    def unordered(self, x, dtype):
        """What `ordered` was made of."""
        if not is_unsigned(dtype):
            return x
        return Value(self.ordered(Value(x.name, dtype, x.shape)).name, dtype, x.shape)

    def compare(self, name, a, b):
        b = self._same(name, a, b)
        suffix = " unsigned" if is_unsigned(a.dtype) and name not in ("eq", "ne") else ""
        result = self._type("i1", a.shape)
        return self.emit(f"prim.{name} {a.name}, {b.name}{suffix} : {a.type} -> {result}", "i1", a.shape)

    def where(self, condition, a, b):
        b = self._same("where", a, b)
        condition = self._same("where", Value(a.name, condition.dtype, a.shape), condition)
        return self.emit(f"prim.where {condition.name}, {a.name}, {b.name} : {condition.type}, {a.type}", a.dtype, a.shape)

    def _same(self, name, a, b):
        """b in the shape of a: sizes may be written differently that are equal for the calls that the program is for, which it checks."""
        if a.dtype != b.dtype or a.rank != b.rank or any(m != n and not self.may_be_same(m, n) for m, n in zip(a.shape, b.shape)):
            raise Unsupported(f"{name} of {a.type} and {b.type}")
        return b if a.shape == b.shape else self.reshape(b, a.shape)

    _type = staticmethod(type_of)

    def convert(self, x, dtype):
        if x.dtype == dtype:
            return x
        if is_float(x.dtype) and dtype in ("u8", "u16", "u32"):  # as torch wraps what is out of range
            return self.convert(self.convert(x, "i64"), dtype)
        if dtype in ("f16", "bf16") and x.dtype in WIDER and not self.is_parallel:  # rounded twice, as in eager mode
            return self.convert(self.convert(x, "f32"), dtype)
        flags = (" from_unsigned" if is_unsigned(x.dtype) else "") + (" to_unsigned" if is_unsigned(dtype) else "")
        result = self._type(dtype, x.shape)
        if result == x.type:  # the same bits, read differently
            return Value(x.name, dtype, x.shape)
        return self.emit(f"prim.convert_element_type {x.name}{flags} : {x.type} -> {result}", dtype, x.shape)

    # creation
    def full(self, value, dtype, shape):
        if not isinstance(value, (bool, int, float, complex)):  # known when the program runs
            return self.broadcast(self.convert(self.number_tensor(value), dtype), shape)
        return self.emit(f"prim.full {number(value, dtype)}{self.sizes(shape)} : {self._type(dtype, shape)}", dtype, shape)

    def full_like(self, value, x):
        return self.full(value, x.dtype, x.shape)

    def iota(self, dtype, shape, dim):
        return self.emit(f"prim.iota dim {dim}{self.sizes(shape)} : {self._type(dtype, shape)}", dtype, shape)

    # movement
    def broadcast_in_dim(self, x, dims, shape):
        return self.emit(f"prim.broadcast_in_dim {x.name} dims {listed(dims)}{self.sizes(shape)} : {x.type} -> "
                         f"{self._type(x.dtype, shape)}", x.dtype, shape)

    def broadcast(self, x, shape):
        """As numpy does it, from the last dimension on."""
        shape = tuple(shape)
        if x.shape == shape:
            return x
        offset = len(shape) - x.rank
        for d, n in enumerate(x.shape):
            if n == shape[offset + d] or n == 1:
                continue
            if self.may_be_one(n) and not self.may_be_one(shape[offset + d]):
                x = self.reshape(x, [*x.shape[:d], 1, *x.shape[d + 1:]])  # the program is for this case alone
                continue
            if not self.may_be_same(n, shape[offset + d]):
                raise Unsupported(f"a size {n} where {shape[offset + d]} is expected")
            x = self.reshape(x, [*x.shape[:d], shape[offset + d], *x.shape[d + 1:]])  # the program checks it
        return self.broadcast_in_dim(x, range(offset, len(shape)), shape)

    def reshape(self, x, shape):
        shape = tuple(shape)
        if x.shape == shape and x.type == self._type(x.dtype, shape):
            return x
        return self.emit(f"prim.reshape {x.name}{self.sizes(shape)} : {x.type} -> {self._type(x.dtype, shape)}",
                         x.dtype, shape)

    def transpose(self, x, permutation):
        permutation = list(permutation)
        if permutation == list(range(x.rank)):
            return x
        shape = [x.shape[p] for p in permutation]
        return self.emit(f"prim.transpose {x.name} permutation {listed(permutation)} : {x.type} -> "
                         f"{self._type(x.dtype, shape)}", x.dtype, shape)

    def slice(self, x, starts, limits, strides):
        """Limits are ints, or None for the size of the operand."""
        shape, written = [], []
        for n, start, limit, stride in zip(x.shape, starts, limits, strides):
            if isinstance(n, int):
                limit = n if limit is None else limit
                shape.append(-(-(limit - start) // stride))
            elif limit is not None:
                shape.append(-(-(limit - start) // stride))
            elif (start, stride) == (0, 1):
                shape.append(n)
            else:
                shape.append((n - start + stride - 1) // stride if stride > 1 else n - start)
            written.append(-1 if limit is None else limit)
        if tuple(shape) == x.shape and all(s == 1 for s in strides):
            return x
        return self.emit(f"prim.slice {x.name} starts {listed(starts)} limits {listed(written)} strides {listed(strides)} : "
                         f"{x.type} -> {self._type(x.dtype, shape)}", x.dtype, shape)

    def slice_dim(self, x, dim, start, limit, stride=1):
        starts, limits, strides = [0] * x.rank, [None] * x.rank, [1] * x.rank
        starts[dim], limits[dim], strides[dim] = start, limit, stride
        return self.slice(x, starts, limits, strides)

    def rev(self, x, dims):
        return self.emit(f"prim.rev {x.name} dims {listed(dims)} : {x.type}", x.dtype, x.shape) if dims else x

    def cat(self, values, dim):
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        shape[dim] = sum((v.shape[dim] for v in values[1:]), values[0].shape[dim])
        return self.emit(f"prim.cat {', '.join(v.name for v in values)} dim {dim} : {', '.join(v.type for v in values)} -> "
                         f"{self._type(values[0].dtype, shape)}", values[0].dtype, shape)

    def pad(self, x, low, high, value):
        """Negative pads cut."""
        if any(p < 0 for p in (*low, *high)):
            limits = [None if h >= 0 else (n + h if isinstance(n, int) else self._no(n)) for n, h in zip(x.shape, high)]
            x = self.slice(x, [max(0, -p) for p in low], limits, [1] * x.rank)
            low, high = [max(0, p) for p in low], [max(0, p) for p in high]
        if not any((*low, *high)):
            return x
        shape = [a + n + b for a, n, b in zip(low, x.shape, high)]
        return self.emit(f"prim.pad {x.name} low {listed(low)} high {listed(high)} value {number(value, x.dtype)} : {x.type} -> "
                         f"{self._type(x.dtype, shape)}", x.dtype, shape)

    @staticmethod
    def _no(n):
        raise Unsupported(f"cutting the end of a dimension of size {n}")

    # reductions
    def reduce(self, name, x, dims):
        if is_unsigned(x.dtype) and name in ("amax", "amin"):
            return self.unordered(self.reduce(name, self.ordered(x), dims), x.dtype)
        if is_unsigned(x.dtype) and name not in ("sum", "prod"):
            raise Unsupported(f"{name} of unsigned integers")
        dims = sorted(dims)
        shape = [n for d, n in enumerate(x.shape) if d not in dims]
        return self.emit(f"prim.{name} {x.name} dims {listed(dims)} : {x.type} -> {self._type(x.dtype, shape)}",
                         x.dtype, shape)

    def keep(self, x, dims, rank):
        """The result of a reduction with its dimensions kept, as 1."""
        left = iter(x.shape)
        return self.reshape(x, [1 if d in dims else next(left) for d in range(rank)])

    def arg(self, name, x, dim):
        x = self.ordered(x)
        shape = [n for d, n in enumerate(x.shape) if d != dim]
        return self.emit(f"prim.{name} {x.name} dim {dim} : {x.type} -> {self._type(INDEX, shape)}", INDEX, shape)

    # products
    def _precision(self, kind, a, b):
        return " precision tf32" if self.allows_tf32[kind] and a.dtype == b.dtype == "f32" else ""

    def dot(self, a, b, batch, contract, dtype=None, imprecise=0, kind=None):
        """`kind`: which of `allows_tf32` holds for it; otherwise all bits of the factors are read."""
        (ab, bb), (ac, bc) = batch, contract
        shape = [a.shape[d] for d in ab]
        shape += [n for d, n in enumerate(a.shape) if d not in ab and d not in ac]
        shape += [n for d, n in enumerate(b.shape) if d not in bb and d not in bc]
        dtype = dtype or a.dtype
        return self.emit(f"prim.dot_general {a.name}, {b.name} batch {listed(ab)} x {listed(bb)} contract {listed(ac)} x "
                         f"{listed(bc)}{self._precision(kind, a, b) if kind else ''}{f' imprecise {imprecise}' if imprecise else ''} : {a.type}, {b.type} -> {self._type(dtype, shape)}", dtype, shape)

    def conv(self, x, w, strides, low, high, dilation, input_dilation, groups):
        shape = [x.shape[0]]
        for n, k, s, a, b, d, i in zip(x.shape[1:-1], w.shape[1:-1], strides, low, high, dilation, input_dilation):
            shape.append(((n - 1) * i + 1 + a + b - ((k - 1) * d + 1)) // s + 1)
        shape.append(w.shape[0])
        return self.emit(
            f"prim.conv {x.name}, {w.name}{self._precision('conv', x, w)} {{strides = {array(strides)}, pad_low = {array(low)}, pad_high = {array(high)}, "
            f"dilation = {array(dilation)}, input_dilation = {array(input_dilation)}, groups = {groups} : i64}} : "
            f"{x.type}, {w.type} -> {self._type(x.dtype, shape)}", x.dtype, shape)

    def pool(self, name, x, window, strides, low, high):
        if is_unsigned(x.dtype) and name == "max_pool":  # pads with the smallest number
            return self.unordered(self.pool(name, self.ordered(x), window, strides, low, high), x.dtype)
        shape = [x.shape[0], *((n + a + b - k) // s + 1 for n, k, s, a, b in zip(x.shape[1:-1], window, strides, low, high)),
                 x.shape[-1]]
        return self.emit(f"prim.{name} {x.name} {{window = {array(window)}, strides = {array(strides)}, pad_low = {array(low)}, "
                         f"pad_high = {array(high)}}} : {x.type} -> {self._type(x.dtype, shape)}", x.dtype, shape)

    # reading and writing at computed positions
    def gather(self, x, indices, dim, batch_dims=0):
        shape = [*x.shape[:dim], *indices.shape[batch_dims:], *x.shape[dim + 1:]]
        return self.emit(f"prim.gather {x.name}, {indices.name} dim {dim} batch_dims {batch_dims} : {x.type}, {indices.type} -> "
                         f"{self._type(x.dtype, shape)}", x.dtype, shape)

    def scatter(self, kind, x, indices, updates, dims, batch_dims=0):
        """Updates of windows that start at `indices`, whose last dimension has one index for each of `dims`."""
        if is_unsigned(x.dtype) and kind in ("min", "max"):
            kind = "u" + kind
        unique = " unique" if kind == "set" and self.any_update_wins else ""
        return self.emit(f"prim.scatter {kind} {x.name}, {indices.name}, {updates.name} dims {listed(dims)} batch_dims "
                         f"{batch_dims}{unique} : {x.type}, {indices.type}, {updates.type}", x.dtype, x.shape)

    def dynamic_slice_dim(self, x, dim, start, shape):
        """`shape` of x from `start` on along a dimension; the other starts are 0."""
        starts = self._starts(x, dim, start)
        return self.emit(f"prim.dynamic_slice {x.name} starts ({', '.join(v.name for v in starts)}){self.sizes(shape)} : "
                         f"{', '.join(v.type for v in (x, *starts))} -> {self._type(x.dtype, shape)}", x.dtype, shape)

    def dynamic_update_dim(self, x, update, dim, start):
        starts = self._starts(x, dim, start)
        return self.emit(f"prim.dynamic_update_slice {x.name}, {update.name} starts ({', '.join(v.name for v in starts)}) : "
                         f"{', '.join(v.type for v in (x, update, *starts))}", x.dtype, x.shape)

    def _starts(self, x, dim, start):
        zero = self.full(0, INDEX, ())
        if isinstance(start, int) and start < 0:
            start = x.shape[dim] + start
        if isinstance(start, Value):  # inside already
            return [start if d == dim else zero for d in range(x.rank)]
        may_be_negative = self.is_read(start) or not (isinstance(start, int) or start.is_nonnegative)
        start = self.size_as_tensor(start)
        if may_be_negative:  # as the program finds out
            start = self.where(self.compare("lt", start, zero), self.binary("add", start, self.size_as_tensor(x.shape[dim])), start)
        return [start if d == dim else zero for d in range(x.rank)]

    def size_tensor(self, size):
        """A size as a tensor of rank 0."""
        return self.emit(f"prim.from_index {self.size_of(size)} : {self._type(INDEX, ())}", INDEX, ())

    def size_as_tensor(self, size):
        return self.full(size, INDEX, ()) if isinstance(size, int) else self.size_tensor(size)

    # along a dimension
    def scan(self, kind, x, dim):
        if is_unsigned(x.dtype) and kind in ("max", "min"):
            return self.unordered(self.scan(kind, self.ordered(x), dim), x.dtype)
        return self.emit(f"prim.scan {kind} {x.name} dim {dim} : {x.type}", x.dtype, x.shape)

    def arg_scan(self, kind, x, dim):
        x = self.ordered(x)
        return self.emit(f"prim.arg_scan {kind} {x.name} dim {dim} : {x.type} -> {self._type(INDEX, x.shape)}", INDEX, x.shape)

    def sort(self, values, dim, keys, descending=False):
        kinds = {is_unsigned(v.dtype) for v in values[:keys]}
        if len(kinds) > 1:
            raise Unsupported("sorting signed and unsigned integers together")
        return self.emit_many(f"prim.sort {', '.join(v.name for v in values)} dim {dim} keys {keys}"
                              f"{' descending' if descending else ''}{' unsigned' if True in kinds else ''} : {', '.join(v.type for v in values)}",
                              [(v.dtype, v.shape) for v in values])

    def top_k(self, x, k, dim, smallest=False):
        shape = [k if d == dim else n for d, n in enumerate(x.shape)]
        return self.emit_many(f"prim.top_k {x.name} k {k} dim {dim}{' smallest' if smallest else ''}"
                              f"{' unsigned' if is_unsigned(x.dtype) else ''} : {x.type} -> "
                              f"{self._type(x.dtype, shape)}, {self._type('i32', shape)}", [(x.dtype, shape), ("i32", shape)])

    # composites
    def softmax(self, x, dim):
        return self.unary("softmax", x, f" dim {dim}")

    def norm(self, name, x, weight, bias, axes, eps):
        parts = [x.name] + ([f"weight {weight.name}"] if weight else []) + ([f"bias {bias.name}"] if bias else [])
        types = [x.type] + [v.type for v in (weight, bias) if v]
        return self.emit(f"prim.{name} {' '.join(parts)} axes {axes} eps {float_text(eps)} : {', '.join(types)}",
                         x.dtype, x.shape)

    def attention(self, q, k, v, mask, scale):
        return self.emit(self._attention(q, k, v, mask, scale), q.dtype, (*q.shape[:-1], v.shape[-1]))

    def attention_with_logsumexp(self, q, k, v, mask, scale):
        """The result, and the logarithm of the sum of the exponentials of each query's scores."""
        wide, rows = "f64" if q.dtype == "f64" else "f32", q.shape[:-1]
        text = self._attention(q, k, v, mask, scale)
        return self.emit_many(f"{text}, {self._type(wide, rows)}", [(q.dtype, (*rows, v.shape[-1])), (wide, rows)])

    def _attention(self, q, k, v, mask, scale):
        masked, types = (f" mask {mask.name}", f", {mask.type}") if mask else ("", "")
        return (f"prim.attention {q.name}, {k.name}, {v.name}{masked} scale {float_text(scale)} : {q.type}, {k.type}, "
                f"{v.type}{types} -> {self._type(q.dtype, (*q.shape[:-1], v.shape[-1]))}")

    def attention_backward(self, q, k, v, made, grad, logsumexp, mask, scale):
        """The gradients by query, key and value."""
        masked = f" mask {mask.name}" if mask else ""
        operands = [q, k, v, made, grad, logsumexp] + ([mask] if mask else [])
        return self.emit_many(f"prim.attention_backward {q.name}, {k.name}, {v.name} output {made.name} gradient {grad.name} "
                              f"logsumexp {logsumexp.name}{masked} scale {float_text(scale)} : "
                              f"{', '.join(x.type for x in operands)}", [(x.dtype, x.shape) for x in (q, k, v)])


def float_text(value):
    return number(float(value), "f64").split(" :")[0]


__all__ = ["INDEX", "Prim", "Unsupported", "is_float"]
