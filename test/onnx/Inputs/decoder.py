# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates tokens with a small decoder of two layers whose keys and values are kept: of weights of four bits and ONNX
Runtime's operators, of weights and activations of eight bits (QuantizeLinear, DequantizeLinear) and ONNX's own operators, and of
these alone. One program takes the prompt and every later token.

Usage: decoder.py FOLDER TARGET"""
import functools
import os
import sys

import kiln
import numpy

from onnx_file import FLOAT, INT64, graph, model, node, tensor, value, write

LAYERS, HIDDEN, HEADS, KV_HEADS, SIZE, INNER, WORDS, BLOCK, LONGEST = 2, 64, 4, 2, 16, 96, 61, 32, 32
RANDOM = numpy.random.default_rng(5)
MS = "com.microsoft"


def floats(*shape, scale=0.3):
    return RANDOM.uniform(-scale, scale, shape).astype(numpy.float32)


angles = numpy.outer(numpy.arange(LONGEST), 1 / 100 ** (numpy.arange(SIZE // 2) / (SIZE // 2)))
COS, SIN = numpy.cos(angles).astype(numpy.float32), numpy.sin(angles).astype(numpy.float32)


class Matrix:
    """A matrix [inner, outer] of numbers of four bits, with a scale and a zero point for each block of a column."""
    __array_ufunc__ = None  # products with arrays are this class'

    def __init__(self, inner, outer):
        blocks = inner // BLOCK
        self.inner, self.outer = inner, outer
        q = RANDOM.integers(0, 16, (outer, inner), dtype=numpy.uint8)
        self.packed = (q[:, 0::2] | q[:, 1::2] << 4).reshape(outer, blocks, BLOCK // 2)
        self.scales = RANDOM.uniform(0.01, 0.06, (outer, blocks)).astype(numpy.float32)
        zeros = RANDOM.integers(6, 10, (outer, blocks), dtype=numpy.uint8)
        padded = numpy.pad(zeros, ((0, 0), (0, blocks % 2)))
        self.zeros = padded[:, 0::2] | padded[:, 1::2] << 4
        apart = q.reshape(outer, blocks, BLOCK).astype(numpy.float32) - zeros[:, :, None]
        self.values = (apart * self.scales[:, :, None]).reshape(outer, inner).T

    def write(self, builder, x):
        return builder.add("MatMulNBits", [x, *map(builder.constant, (self.packed, self.scales, self.zeros))],
                           domain=MS, K=self.inner, N=self.outer, bits=4, block_size=BLOCK)

    def __rmatmul__(self, x):
        return x @ self.values


class Plain(Matrix):
    """The same numbers as floats."""

    def write(self, builder, x):
        return builder.add("MatMul", [x, builder.constant(self.values)])


class Bytes:
    """A matrix of numbers of eight bits with a scale for each column, for factors of eight bits."""
    __array_ufunc__ = None
    SCALE, ZERO = numpy.float32(1 / 32), numpy.uint8(121)

    def __init__(self, inner, outer):
        self.bytes = RANDOM.integers(-127, 128, (inner, outer), dtype=numpy.int8)
        self.scales = RANDOM.uniform(0.0005, 0.004, outer).astype(numpy.float32)

    def write(self, builder, x):
        scale = [builder.constant(numpy.array(self.SCALE)), builder.constant(numpy.array(self.ZERO))]
        x = builder.add("DequantizeLinear", [builder.add("QuantizeLinear", [x, *scale]), *scale])
        return builder.add("MatMul", [x, builder.add("DequantizeLinear", [*map(builder.constant, (
            self.bytes, self.scales, numpy.zeros(len(self.scales), numpy.int8)))], axis=1)])

    def __rmatmul__(self, x):
        zero = numpy.float32(self.ZERO)
        rounded = numpy.clip(numpy.round(x / self.SCALE) + zero, 0, 255) - zero
        return rounded * self.SCALE @ (self.bytes * self.scales)


def layer(matrix):
    return {"norm1": 1 + floats(HIDDEN), "norm2": 1 + floats(HIDDEN), "q": matrix(HIDDEN, HEADS * SIZE),
            "k": matrix(HIDDEN, KV_HEADS * SIZE), "v": matrix(HIDDEN, KV_HEADS * SIZE),
            "o": matrix(HEADS * SIZE, HIDDEN), "gate": matrix(HIDDEN, INNER), "up": matrix(HIDDEN, INNER),
            "down": matrix(INNER, HIDDEN)}


class Weights:
    def __init__(self, matrix):
        self.layers = [layer(matrix) for _ in range(LAYERS)]
        self.embedding, self.norm, self.head = floats(WORDS, HIDDEN, scale=1), 1 + floats(HIDDEN), matrix(HIDDEN, WORDS)


class Builder:
    """The nodes and initializers of a model, with ONNX Runtime's operators or without."""

    def __init__(self, weights, of_runtime):
        self.nodes, self.initializers, self.weights, self.of_runtime = [], [], weights, of_runtime

    def add(self, op, inputs, count=1, domain="", **attributes):
        outputs = [f"t{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(node(op, inputs, outputs, domain=domain, **attributes))
        return outputs if count > 1 else outputs[0]

    def constant(self, array, data_type=None):
        name = f"c{len(self.initializers)}"
        self.initializers.append(tensor(name, array, data_type=data_type))
        return name

    def norm(self, x, scale):
        op = "SimplifiedLayerNormalization" if self.of_runtime else "RMSNormalization"
        return self.add(op, [x, self.constant(scale)], axis=-1, epsilon=1e-5)

    def attention(self, q, k, v, past):
        if self.of_runtime:
            lengths = self.add("Cast", [self.add("Sub", [self.add("ReduceSum", ["mask", self.constant(
                numpy.array([1]))], keepdims=0), self.constant(numpy.array(1))])], to=6)
            total = self.add("Cast", [self.add("Gather", [self.add("Shape", ["mask"]), self.constant(
                numpy.array(1))])], to=6)
            return self.add("GroupQueryAttention",
                            [q, k, v, *past, lengths, total, self.constant(COS), self.constant(SIN)], 3, MS,
                            num_heads=HEADS, kv_num_heads=KV_HEADS, do_rotary=1)
        # Positions behind those that are kept.
        start = self.add("Gather", [self.add("Shape", [past[0]]), self.constant(numpy.array([2]))])
        count = self.add("Gather", [self.add("Shape", [q]), self.constant(numpy.array([1]))])
        end = self.add("Add", [start, count])
        batch = self.add("Gather", [self.add("Shape", [q]), self.constant(numpy.array([0]))])
        shape = self.add("Concat", [batch, self.constant(numpy.array([1, 1]))], axis=0)
        tables = [self.add("Expand", [self.add("Slice", [self.constant(table), start, end]), shape]) for table in (COS, SIN)]
        q = self.add("RotaryEmbedding", [q, *tables], num_heads=HEADS)
        k = self.add("RotaryEmbedding", [k, *tables], num_heads=KV_HEADS)
        return self.add("Attention", [q, k, v, "", *past], 3, is_causal=1, q_num_heads=HEADS, kv_num_heads=KV_HEADS)

    def build(self):
        x = self.add("Gather", [self.constant(self.weights.embedding), "ids"])
        presents = []
        for i, weights in enumerate(self.weights.layers):
            h = self.norm(x, weights["norm1"])
            q, k, v = (weights[name].write(self, h) for name in "qkv")
            out, key, value_ = self.attention(q, k, v, [f"key{i}", f"value{i}"])
            presents += [key, value_]
            x = self.add("Add", [x, weights["o"].write(self, out)])
            h = self.norm(x, weights["norm2"])
            gate = weights["gate"].write(self, h)
            gate = self.add("Mul", [gate, self.add("Sigmoid", [gate])])
            inner = self.add("Mul", [gate, weights["up"].write(self, h)])
            x = self.add("Add", [x, weights["down"].write(self, inner)])
        logits = self.weights.head.write(self, self.norm(x, self.weights.norm))
        self.nodes += [node("Identity", [a], [b]) for a, b in zip([logits, *presents], self.outputs())]
        inputs = [value("ids", INT64, ["batch", "sequence"])]
        if self.of_runtime:
            inputs.append(value("mask", INT64, ["batch", "total"]))
        inputs += [value(f"{kind}{i}", FLOAT, ["batch", KV_HEADS, "past", SIZE])
                   for i in range(LAYERS) for kind in ("key", "value")]
        outputs = [value(name, FLOAT, None) for name in self.outputs()]
        return model(graph(self.nodes, inputs, outputs, self.initializers, "decoder"), opset=23, domains=[MS])

    @staticmethod
    def outputs():
        return ["logits", *(f"present.{kind}{i}" for i in range(LAYERS) for kind in ("key", "value"))]


def reference(every, ids):
    """The logits behind the last token, without a cache."""
    def norm(x, scale):
        return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale

    def heads(x, count):
        return x.reshape(*x.shape[:2], count, SIZE).transpose(0, 2, 1, 3)

    def turn(x):
        a, b = x[..., :SIZE // 2], x[..., SIZE // 2:]
        cos, sin = COS[:ids.shape[1]], SIN[:ids.shape[1]]
        return numpy.concatenate([a * cos - b * sin, a * sin + b * cos], -1)

    x = every.embedding[ids]
    hidden = numpy.triu(numpy.full((ids.shape[1], ids.shape[1]), -numpy.inf), 1)
    for weights in every.layers:
        h = norm(x, weights["norm1"])
        q = turn(heads(h @ weights["q"], HEADS))
        k, v = (heads(h @ weights[name], KV_HEADS) for name in "kv")
        k, v = (numpy.repeat(one, HEADS // KV_HEADS, 1) for one in (turn(k), v))
        scores = q @ k.transpose(0, 1, 3, 2) / numpy.sqrt(SIZE) + hidden
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        out = scores / scores.sum(-1, keepdims=True) @ v
        x = x + out.transpose(0, 2, 1, 3).reshape(x.shape) @ weights["o"]
        h = norm(x, weights["norm2"])
        gate = h @ weights["gate"]
        x = x + (gate / (1 + numpy.exp(-gate)) * (h @ weights["up"])) @ weights["down"]
    return (norm(x, every.norm) @ every.head)[:, -1]


def generate(step, prompt, count):
    ids = prompt
    for _ in range(count):
        ids = numpy.concatenate([ids, step(ids).argmax(-1)[:, None]], 1)
    return ids


def cached(program, of_runtime):
    """A function that gives the logits behind the last token, of those tokens that it has not seen."""
    state = {"seen": 0, "cache": None}

    def step(ids):
        batch, total = ids.shape
        cache = state["cache"] or [numpy.zeros((batch, KV_HEADS, 0, SIZE), numpy.float32)] * 2 * LAYERS
        mask = [numpy.ones((batch, total), numpy.int64)] if of_runtime else []
        logits, *state["cache"] = program(numpy.ascontiguousarray(ids[:, state["seen"]:]), *mask, *cache)
        state["seen"] = total
        return numpy.asarray(logits)[:, -1]
    return step


folder, target = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
for name, matrix, of_runtime in (("quantised", Matrix, True), ("plain", Plain, False), ("bytes", Bytes, False)):
    path = os.path.join(folder, name + ".onnx")
    weights = Weights(matrix)
    write(path, Builder(weights, of_runtime).build())
    program = kiln.load(path, target)
    for batch, length in ((1, 5), (2, 1)):
        prompt = RANDOM.integers(0, WORDS, (batch, length))
        expected = generate(functools.partial(reference, weights), prompt, 8)
        found = generate(cached(program, of_runtime), prompt, 8)
        print(f"{name}, {batch} x {length}: {'the same tokens' if (found == expected).all() else (found, expected)}")
