# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as ONNX files, with the results that the documentation of their operators asks for, by numpy.

Usage: cases_file.py FOLDER TARGET [FILTER]"""
import math
import os
import re
import sys

import kiln
import numpy

from onnx_file import DATA_TYPES, graph, model, node, tensor, value, write

MS = "com.microsoft"
RANDOM = numpy.random.default_rng(7)
CASES = []


def floats(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(numpy.float32)


def bytes_(*shape):
    return RANDOM.integers(0, 256, shape, dtype=numpy.uint8)


def case(op, inputs, outputs, domain=MS, constants=(), dims=None, opset=23, **attributes):
    """A node: `inputs` are arrays, or None where one is left out; so are `outputs`. `dims` are the shapes that the model
    says of inputs, by their number."""
    CASES.append((op, inputs, outputs, domain, constants, dims or {}, opset, attributes))


def softmax(x):
    x = numpy.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def layer_norm(x, scale, bias=0, epsilon=1e-12, has_mean=True):
    centred = x - x.mean(-1, keepdims=True) * has_mean
    return centred / numpy.sqrt((centred * centred).mean(-1, keepdims=True) + epsilon) * scale + bias


def gelu(x):
    return x * (1 + numpy.vectorize(math.erf)(x / numpy.sqrt(2))) / 2


def split(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def join(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def attend(q, k, v, bias=0):
    k, v = (numpy.repeat(one, q.shape[1] // one.shape[1], 1) for one in (k, v))
    return softmax(q @ k.transpose(0, 1, 3, 2) / numpy.sqrt(q.shape[-1]) + bias) @ v


# Normalisations and activations.
x, skip, scale, bias, more = floats(2, 5, 16), floats(2, 5, 16), floats(16), floats(16), floats(16)
total = x + skip + more
case("SkipLayerNormalization", [x, skip, scale, bias, more], [layer_norm(total, scale, bias), None, None, total],
     dims={0: ["b", "s", 16], 1: ["b", "s", 16]})
case("SkipSimplifiedLayerNormalization", [x, skip, scale], [layer_norm(x + skip, scale, 0, 1e-12, False)])
case("SimplifiedLayerNormalization", [x, scale], [layer_norm(x, scale, 0, 1e-5, False)], domain="", axis=-1)
# Results have the type of the scale, or that of the input where the model says so.
halves = x.astype(numpy.float16)
for op in ("SimplifiedLayerNormalization", "RMSNormalization"):
    case(op, [halves, scale], [layer_norm(halves.astype(numpy.float32), scale, 0, 1e-5, False)], domain="")
    case(op, [halves, scale], [layer_norm(halves.astype(numpy.float32), scale, 0, 1e-5, False).astype(numpy.float16)], domain="")
    case(op, [x, scale.astype(numpy.float16)], [layer_norm(x, scale.astype(numpy.float16), 0, 1e-5, False).astype(numpy.float16)], domain="")
case("BiasGelu", [x, bias], [gelu(x + bias)])
case("QuickGelu", [x], [x / (1 + numpy.exp(-1.702 * x))])
case("FusedMatMul", [floats(2, 3, 4), floats(2, 5, 4)], [lambda a, b: a @ b.transpose(0, 2, 1) / 2], transB=1, alpha=0.5)
ids = numpy.array([[1, 3, 0]], numpy.int32)
words, places = floats(6, 16), floats(4, 16)
case("EmbedLayerNormalization", [ids, None, words, places, None, scale, bias],
     [layer_norm(words[ids] + places[None, :3], scale, bias)])

# Attention: a mask of padding, a bias, a cache; of one input.
q, k, v, past_k, past_v = floats(2, 5, 16), floats(2, 5, 16), floats(2, 5, 16), floats(2, 4, 3, 4), floats(2, 4, 3, 4)
kept = numpy.array([[1] * 6 + [0, 0], [1] * 8], numpy.int32)
given = floats(1, 4, 5, 8)
all_k, all_v = (numpy.concatenate([past, split(one, 4)], 2) for past, one in ((past_k, k), (past_v, v)))
case("MultiHeadAttention", [q, k, v, None, kept, given, past_k, past_v],
     [join(attend(split(q, 4), all_k, all_v, given - 10000 * (1 - kept)[:, None, None])), all_k, all_v], num_heads=4,
     dims={0: ["b", "s", 16], 1: ["b", "s", 16], 2: ["b", "s", 16], 6: ["b", 4, "p", 4], 7: ["b", 4, "p", 4]})
weights, offset = floats(16, 48), floats(48)
parts = [split(part, 4) for part in numpy.split(x @ weights + offset, 3, -1)]
upper = numpy.triu(numpy.full((5, 5), -numpy.inf), 1)
case("Attention", [x, weights, offset], [join(attend(*parts, upper))], num_heads=4, unidirectional=1)


# Each batch fills a part of the cache: one token more behind it.
def group_query(q, k, v, past_k, past_v, lengths, _, cos, sin):
    results = []
    for b, length in enumerate(lengths):
        def turn(x, at=length):
            first, second = numpy.split(x, 2, -1)
            return numpy.concatenate([first * cos[at] - second * sin[at], first * sin[at] + second * cos[at]], -1)
        keys = numpy.concatenate([past_k[b:b + 1, :, :length], turn(split(k[b:b + 1], 2))], 2)
        values = numpy.concatenate([past_v[b:b + 1, :, :length], split(v[b:b + 1], 2)], 2)
        results.append(join(attend(turn(split(q[b:b + 1], 4)), keys, values)))
    return numpy.concatenate(results)


cos, sin = floats(20, 8), floats(20, 8)
case("GroupQueryAttention", [floats(2, 1, 64), floats(2, 1, 32), floats(2, 1, 32), floats(2, 2, 12, 16),
                             floats(2, 2, 12, 16), numpy.array([6, 4], numpy.int32), numpy.array(7, numpy.int32), cos, sin],
     [group_query], num_heads=4, kv_num_heads=2, do_rotary=1)
heads = floats(2, 5, 2, 16)
at = numpy.arange(5) + 3
case("RotaryEmbedding", [heads.reshape(2, 5, 32), numpy.array([3]), cos, sin],
     [numpy.stack([heads[..., 0::2] * cos[at][:, None] - heads[..., 1::2] * sin[at][:, None],
                   heads[..., 0::2] * sin[at][:, None] + heads[..., 1::2] * cos[at][:, None]], -1).reshape(2, 5, 32)],
     interleaved=1)


# Weights of few bits, in blocks of 16 of which the last is not full.
def few_bits(a, packed, scales, zeros, bits, depth):
    def unpack(data, count):
        return numpy.stack([data >> shift & (1 << bits) - 1 for shift in range(0, 8, bits)], -1).reshape(
            len(data), -1)[:, :count].astype(numpy.float32)
    rows, blocks = scales.shape
    whole = unpack(packed.reshape(rows, -1), blocks * 16).reshape(rows, blocks, 16)
    return a @ ((whole - unpack(zeros, blocks)[:, :, None]) * scales[:, :, None]).reshape(rows, -1)[:, :depth].T


for bits in (2, 4, 8):
    case("MatMulNBits", [floats(2, 3, 40), bytes_(8, 3, 2 * bits), floats(8, 3), bytes_(8, -(-3 * bits // 8))],
         [lambda a, *rest, bits=bits: few_bits(a, *rest, bits, 40)], constants=(1, 2, 3), K=40, N=8, bits=bits, block_size=16)


# Quantised operators: numbers stand for (q - zero) * scale.
def one(number, kind=numpy.float32):
    return numpy.array(number, kind)


def real(q, scale, zero):
    return (q.astype(numpy.float32) - zero) * scale


def back(x, scale, zero):
    return numpy.clip(numpy.rint(x / scale) + zero, 0, 255).astype(numpy.uint8)


a, b = (bytes_(3, 4), one(0.02), one(120, numpy.uint8)), (bytes_(3, 4), one(0.03), one(100, numpy.uint8))
c, to = (bytes_(4, 5), one(0.03), one(100, numpy.uint8)), (one(0.05), one(110, numpy.uint8))
case("QLinearAdd", [*a, *b, *to], [back(real(*a) + real(*b), *to)])
case("QLinearMul", [*a, *b, *to], [back(real(*a) * real(*b), *to)])
case("QLinearConcat", [*to, *a, *b], [back(numpy.concatenate([real(*a), real(*b)], 1), *to)], axis=1)
case("QGemm", [*a, *c, None, *to], [back(real(*a) @ real(*c), *to)])
case("QLinearWhere", [RANDOM.random((3, 4)) > 0.5, *a, *b, *to], [lambda chosen, *_: back(numpy.where(chosen, real(*a), real(*b)), *to)])
for open_sizes in ({}, {0: ["n", 2, "h", "w"]}):
    image = bytes_(1, 2, 4, 6)
    case("QLinearAveragePool", [image, *a[1:], *to], [back(real(image, *a[1:]).reshape(1, 2, 2, 2, 3, 2).mean((3, 5)), *to)],
         dims=open_sizes, kernel_shape=[2, 2], strides=[2, 2])
case("MatMulIntegerToFloat", [a[0], c[0], a[1], c[1], a[2], c[2]], [real(*a) @ real(*c)])

# Parts whose place is known when the program runs.
x = floats(7, 6)
for start, end, step in ((1, 5, 1), (-3, 100, 1), (5, 2, 1), (6, -8, -2), (0, 7, 3)):
    case("Slice", [x, one([start], numpy.int64), one([end], numpy.int64), one([0], numpy.int64), one([step], numpy.int64)],
         [x[start:end if step > 0 else None:step]], domain="", constants=(3, 4), dims={0: ["n", 6]})
    case("Slice", [x, one([start], numpy.int64), one([end], numpy.int64), one([0], numpy.int64), one([step], numpy.int64)],
         [x[start:end if step > 0 else None:step]], domain="", constants=(1, 2, 3, 4), dims={0: ["n", 6]})
case("Split", [x], [x[:3], x[3:6], x[6:]], domain="", dims={0: ["n", 6]}, num_outputs=3, axis=0)
order = numpy.argsort(-x, 1, kind="stable")[:, :4]
case("TopK", [x, one([4], numpy.int64)], [numpy.take_along_axis(x, order, 1), order], domain="", dims={0: ["n", 6]})
case("NonZero", [(x > 0.2) * x], [lambda x: numpy.stack(numpy.nonzero(x))], domain="", dims={0: ["n", "m"]})
# A scalar has no coordinates: one column of none if it is not 0.
for number in (0, 3):
    case("NonZero", [numpy.array(number, numpy.float32)], [numpy.zeros((0, int(number != 0)), numpy.int64)], domain="")

wide, wide_zero = one([0.001, 0.002, 0.003]), one([7, -9, 100], numpy.int16)
long = RANDOM.integers(-30000, 30000, (3, 5), dtype=numpy.int16)
case("DequantizeLinear", [long, wide, wide_zero],
     [lambda q, s, z: (q.astype(numpy.float32) - z[:, None].astype(numpy.float32)) * s[:, None]], constants=(1, 2), axis=0)
case("QuantizeLinear", [floats(3, 5) * 90, wide, wide_zero],
     [lambda v, s, z: numpy.clip(numpy.round(v / s[:, None]) + z[:, None], -32768, 32767).astype(numpy.int16)],
     constants=(1, 2), axis=0)


def pooled(x, kernel, stride, pad, reduce):
    """Windows of the last two dimensions; the last one may end behind the padding."""
    count = [-(-(n + 2 * pad - kernel) // stride) + 1 for n in x.shape[2:]]
    x = numpy.pad(x, [(0, 0)] * 2 + [(pad, pad + stride)] * 2, constant_values=numpy.nan)
    rows = [numpy.stack([reduce(x[:, :, i * stride:i * stride + kernel, j * stride:j * stride + kernel], (2, 3))
                         for j in range(count[1])], -1) for i in range(count[0])]
    return numpy.stack(rows, -2)


def stretched(x, dim, count, scale):
    """One dimension at other places, linearly."""
    at = numpy.clip((numpy.arange(count) + 0.5) / scale - 0.5, 0, x.shape[dim] - 1)
    low = numpy.floor(at).astype(int)
    high = numpy.minimum(low + 1, x.shape[dim] - 1)
    part = (at - low).reshape([-1 if d == dim else 1 for d in range(x.ndim)]).astype(numpy.float32)
    return x.take(low, dim) * (1 - part) + x.take(high, dim) * part


OPEN = {0: ["n", 3, "h", "w"]}
for shape in ((2, 3, 7, 10), (1, 3, 4, 5)):
    image = floats(*shape)
    case("MaxPool", [image], [pooled(image, 3, 2, 1, numpy.nanmax)], domain="", dims=OPEN, kernel_shape=[3, 3], strides=[2, 2],
         pads=[1, 1, 1, 1], ceil_mode=1)
    case("AveragePool", [image], [pooled(image, 2, 2, 0, numpy.nanmean)], domain="", dims=OPEN, kernel_shape=[2, 2],
         strides=[2, 2], ceil_mode=1)
    height, width = shape[2:]
    case("Resize", [image, None, one([1, 1, 1.5, 2])],
         [stretched(stretched(image, 2, int(height * 1.5), 1.5), 3, 2 * width, 2)], domain="", dims=OPEN, constants=(2,),
         mode="linear")
    case("Resize", [image, None, None, one([shape[0], 3, 9, 4], numpy.int64)],
         [stretched(stretched(image, 2, 9, 9 / height), 3, 4, 4 / width)], domain="", dims=OPEN, mode="linear")
# A scale that two dimensions share moves the coordinates of one that keeps its size: 3 times 1.1 are 3.
image = floats(3, 10)
for dims in ({}, {0: ["h", "w"]}):
    case("Resize", [image, None, None, one([3, 11], numpy.int64)], [stretched(stretched(image, 0, 3, 1.1), 1, 11, 1.1)], domain="",
         dims=dims, constants=(3,), mode="linear", keep_aspect_ratio_policy="not_smaller")


def scattered(x, at, updates):
    """Updates added at places along dimension 1."""
    made = x.copy()
    numpy.add.at(made, (numpy.arange(at.shape[0])[:, None], at), updates)
    return made


for rows in (4, 1):
    at = RANDOM.integers(-6, 6, (rows, 3))
    case("ScatterElements", [floats(rows, 6), at, floats(rows, 3)], [scattered], domain="",
         dims={0: ["n", 6], 1: ["n", 3], 2: ["n", 3]}, axis=1, reduction="add")


# Layers with a state: linear attention by its recurrence, the convolution before it.
def linear_attention(rule, heads, q, k, v, state=None, decay=None, beta=None, scale=0.0):
    q, k, v = split(q, heads[0]), split(k, heads[1]), split(v, heads[1])
    group, steps = heads[0] // heads[1], q.shape[2]
    decay = split(decay, heads[1]) if decay is not None else numpy.zeros((1, 1, steps, 1))
    beta = beta.transpose(0, 2, 1)[..., None] if beta is not None else None
    state = numpy.zeros((*k.shape[:2], k.shape[3], v.shape[3])) if state is None else state
    out = []
    for t in range(steps):
        value = v[:, :, t]
        if rule.startswith("gated"):
            state = numpy.exp(decay[:, :, t])[..., None] * state
        if rule.endswith("delta"):
            value = beta[:, :, t] * (value - numpy.einsum("bhkv,bhk->bhv", state, k[:, :, t]))
        state = state + k[:, :, t, :, None] * value[:, :, None]
        out.append(numpy.einsum("bhkv,bhk->bhv", numpy.repeat(state, group, 1), q[:, :, t]))
    return join(numpy.stack(out, 2) * (scale or 1 / numpy.sqrt(k.shape[3]))), state


def causal_conv(x, weight, bias=None, past=None, activation="none"):
    past = numpy.zeros((*x.shape[:2], weight.shape[2] - 1), numpy.float32) if past is None else past
    both = numpy.concatenate([past, x], 2)
    made = sum(both[:, :, j:j + x.shape[2]] * weight[:, 0, j:j + 1] for j in range(weight.shape[2]))
    made = made if bias is None else made + bias[:, None]
    made = made if activation == "none" else made / (1 + numpy.exp(-made))
    return made, both[:, :, both.shape[2] - past.shape[2]:]


for steps in (1, 5):
    q, k, v, gate = floats(2, steps, 16), floats(2, steps, 8), floats(2, steps, 6), floats(2, steps, 8)
    state, heads = floats(2, 2, 4, 3), {"q_num_heads": 4, "kv_num_heads": 2}
    for rule, more in (("linear", []), ("gated", [gate]), ("gated", [floats(2, steps, 2)]),
                       ("delta", [None, floats(2, steps, 2)]), ("gated_delta", [gate, floats(2, steps, 1)])):
        case("LinearAttention", [q, k, v, state, *more], linear_attention(rule, (4, 2), q, k, v, state, *more), domain="",
             opset=27, dims={i: ["b", "s", x.shape[2]] for i, x in enumerate([q, k, v])}, update_rule=rule, **heads)
    case("LinearAttention", [q, k, v], linear_attention("linear", (4, 2), q, k, v, scale=0.25), domain="", opset=27,
         update_rule="linear", scale=0.25, **heads)
    x, weight, bias, past = floats(2, 3, steps), floats(3, 1, 4), floats(3), floats(2, 3, 3)
    case("CausalConvWithState", [x, weight], causal_conv(x, weight), domain="", opset=27)
    for dims in ({}, {0: ["b", 3, "s"], 3: ["b", 3, 3]}):
        case("CausalConvWithState", [x, weight, bias, past], causal_conv(x, weight, bias, past, "silu"), domain="",
             opset=27, dims=dims, activation="silu")
case("SwiGLU", [floats(3, 4), floats(3, 4)], [lambda a, b: a / (1 + numpy.exp(-2 * a)) * b], domain="", opset=28, alpha=2.0)

# Attention with graphs that change scores, or weights.
q, k, v = floats(1, 4, 3, 8), floats(1, 2, 5, 8), floats(1, 2, 5, 6)
two = [numpy.repeat(one, 2, 1) for one in (k, v)]
scores = q @ two[0].transpose(0, 1, 3, 2)
case("FlexAttention", [q, k, v], [attend(q, k, v)], domain="ai.onnx.preview", opset=26)


def change(op, name):
    return ("graph", graph([node(op, ["x"], [name])], [value("x", 1, [1, 4, 3, 5])], [value(name, 1, [1, 4, 3, 5])]))


case("FlexAttention", [q, k, v], [softmax(numpy.tanh(scores / 2)) @ two[1]], domain="ai.onnx.preview", opset=26, scale=0.5,
     score_mod=change("Tanh", "y"))
case("FlexAttention", [q, k, v], [numpy.sqrt(softmax(scores / 2)) @ two[1]], domain="ai.onnx.preview", opset=26, scale=0.5,
     prob_mod=change("Sqrt", "y"))
case("FlexAttention", [q, k, v], [numpy.sqrt(softmax(numpy.tanh(scores / 2))) @ two[1]], domain="ai.onnx.preview",
     opset=26, scale=0.5, score_mod=change("Tanh", "y"), prob_mod=change("Sqrt", "z"))


def run(folder, target, op, inputs, outputs, domain, constants, dims, opset, attributes):
    """What is wrong with the results of a case, or nothing."""
    names = ["" if array is None else f"i{i}" for i, array in enumerate(inputs)]
    arguments = {name: array for i, (name, array) in enumerate(zip(names, inputs)) if name and i not in constants}
    given = [value(name, DATA_TYPES[array.dtype.name], dims.get(int(name[1:]), array.shape))
             for name, array in arguments.items()]
    wanted = [f"o{i}" for i, array in enumerate(outputs) if array is not None]
    results = ["" if array is None else f"o{i}" for i, array in enumerate(outputs)]
    numbers = [one for one in inputs if one is not None]
    expected = [one(*numbers) if callable(one) else one for one in outputs if one is not None]
    expected = [one.astype(numpy.float32) if one.dtype == numpy.float64 else one for one in expected]
    path = os.path.join(folder, "case.onnx")
    write(path, model(graph([node(op, names, results, domain=domain, **attributes)], given,
                            [value(name, DATA_TYPES[array.dtype.name], None) for name, array in zip(wanted, expected)], [tensor(names[i], inputs[i]) for i in constants]),
                      opset=opset, domains=[MS, "ai.onnx.preview"]))
    found = kiln.load(path, target)(*arguments.values())
    found = found if isinstance(found, tuple) else (found,)
    for number, (array, result) in enumerate(zip(map(numpy.asarray, found), expected)):
        if array.shape != result.shape:
            return f"result {number} has shape {array.shape}, expected {result.shape}"
        # The last bit of a quantised number depends on the order of roundings.
        slack = 1 if result.dtype == numpy.uint8 else 1e-4
        if not numpy.allclose(array.astype(float), result.astype(float), rtol=1e-4, atol=slack, equal_nan=True):
            return f"result {number} is off by {numpy.abs(array.astype(float) - result).max()}"
    return None

# Pictures of open sizes read at the points of a grid.
def reflected(at, size):
    """A place that is reflected at the outer edges of the first and the last element."""
    at = numpy.abs(at + 0.5) % (2 * size)
    return numpy.minimum(at, 2 * size - at) - 0.5


def sampled(x, grid, padding):
    height, width = x.shape[2:]
    made = numpy.zeros((*x.shape[:2], *grid.shape[1:3]), numpy.float32)
    for b, i, j in numpy.ndindex(grid.shape[:3]):
        column, row = (((grid[b, i, j, k] + 1) * size - 1) / 2 for k, size in enumerate((width, height)))
        if padding == "reflection":
            column, row = reflected(column, width), reflected(row, height)
        for r in (0, 1):
            for c in (0, 1):
                at = [int(numpy.floor(row)) + r, int(numpy.floor(column)) + c]
                weight = (1 - abs(row - at[0])) * (1 - abs(column - at[1]))
                if padding != "zeros":
                    at = [min(max(at[0], 0), height - 1), min(max(at[1], 0), width - 1)]
                if 0 <= at[0] < height and 0 <= at[1] < width:
                    made[b, :, i, j] += weight * x[b, :, at[0], at[1]]
    return made


for padding in ("zeros", "border", "reflection"):
    for shape in ((2, 3, 4, 5), (1, 2, 1, 3)):
        image, grid = floats(*shape), floats(shape[0], 2, 3, 2) * 1.5
        case("GridSample", [image, grid], [sampled(image, grid, padding)], domain="",
             dims={0: ["n", shape[1], "h", "w"], 1: ["n", "p", "q", 2]}, mode="linear", padding_mode=padding)


# Regions of open pictures, as many as there are.
def aligned(x, rois, batches, parts, samples, scale):
    made = numpy.zeros((len(rois), x.shape[1], parts, parts), numpy.float32)
    for r, i, j in numpy.ndindex(len(rois), parts, parts):
        corner, end = rois[r, :2] * scale - 0.5, rois[r, 2:] * scale - 0.5
        step = (end - corner) / parts
        for a, b in numpy.ndindex(samples, samples):
            column, row = corner + step * (numpy.array([j, i]) + (numpy.array([b, a]) + 0.5) / samples)
            if -1 <= row <= x.shape[2] and -1 <= column <= x.shape[3]:
                lines = stretched_at(stretched_at(x[batches[r]], 1, row), 1, column)
                made[r, :, i, j] += lines / samples ** 2
    return made


def stretched_at(x, dim, at):
    """Elements at one place of a dimension, linearly."""
    at = min(max(at, 0), x.shape[dim] - 1)
    low = int(at)
    return x.take(low, dim) * (1 - at + low) + x.take(min(low + 1, x.shape[dim] - 1), dim) * (at - low)


for shape, count in (((2, 3, 6, 5), 3), ((1, 2, 4, 7), 1)):
    corners = RANDOM.uniform(0, 4, (count, 2))
    rois = numpy.concatenate([corners, corners + RANDOM.uniform(1, 6, (count, 2))], 1).astype(numpy.float32)
    image, batches = floats(*shape), RANDOM.integers(0, shape[0], count)
    case("RoiAlign", [image, rois, batches], [aligned(image, rois, batches, 2, 2, 0.75)], domain="",
         dims={0: ["n", shape[1], "h", "w"], 1: ["r", 4], 2: ["r"]}, output_height=2, output_width=2, sampling_ratio=2,
         spatial_scale=0.75)


# Recurrent layers of open sizes: a loop.
def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def lstm(x, w, r, lengths, backwards):
    """One direction: outputs, last state and cell."""
    hidden, cell = numpy.zeros((2, x.shape[1], r.shape[1]))
    out = numpy.zeros((x.shape[0], *hidden.shape))
    for t in reversed(range(x.shape[0])) if backwards else range(x.shape[0]):
        i, o, f, c = numpy.split(x[t] @ w.T + hidden @ r.T, 4, 1)
        next_cell = sigmoid(f) * cell + sigmoid(i) * numpy.tanh(c)
        inside = (t < lengths)[:, None]
        next_hidden = sigmoid(o) * numpy.tanh(next_cell)
        out[t] = inside * next_hidden
        hidden, cell = numpy.where(inside, next_hidden, hidden), numpy.where(inside, next_cell, cell)
    return out, hidden, cell


def both_ways(x, w, r, lengths):
    """The results of an LSTM in both directions."""
    made = [lstm(x, w[d], r[d], lengths, d == 1) for d in range(2)]
    return [numpy.stack([one[k] for one in made], 1 if k == 0 else 0).astype(numpy.float32) for k in range(3)]


w, r = floats(2, 12, 5), floats(2, 12, 3)
for steps, dims in ((4, {0: ["t", "b", 5], 4: ["b"]}), (1, {0: ["t", "b", 5], 4: ["b"]}), (4, {0: [4, "b", 5], 4: ["b"]})):
    x, lengths = floats(steps, 2, 5), one([steps, steps - 1], numpy.int32)
    case("LSTM", [x, w, r, None, lengths], both_ways(x, w, r, lengths), domain="", dims=dims, hidden_size=3,
         direction="bidirectional")

x = floats(4, 2, 5)
narrow_w, narrow_r = (RANDOM.integers(-100, 100, (2, n, 12)).astype(numpy.int8) for n in (5, 3))
scales, zeros = one([0.01, 0.02]), one([3, -5], numpy.int8)
meant_w, meant_r = (((q.astype(numpy.float32) - zeros[:, None, None]) * scales[:, None, None]).transpose(0, 2, 1)
                    for q in (narrow_w, narrow_r))
case("DynamicQuantizeLSTM", [x, narrow_w, narrow_r, None, None, None, None, None, scales, zeros, scales, zeros],
     both_ways(x, meant_w, meant_r, one([4, 4])), dims={0: ["t", "b", 5]}, hidden_size=3, direction="bidirectional")


def main():
    folder, target = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    chosen = [one for one in CASES if re.search((sys.argv[3:] or [""])[0], one[0])]
    failed = 0
    for each in chosen:
        try:
            problem = run(folder, target, *each)
        except kiln.Error as error:
            problem = str(error)
        if problem:
            failed += 1
            print(f"{each[0]} {each[-1]}: {problem}")
    print(f"{len(chosen)} cases, {failed} failed")


if __name__ == "__main__":
    main()
