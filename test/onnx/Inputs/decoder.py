# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates tokens with a small decoder of two layers whose keys and values are kept: of weights of four bits and ONNX
Runtime's operators, and of ONNX's own operators. One program takes the prompt and every later token.

Usage: decoder.py FOLDER TARGET"""
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


def layer():
    return {"norm1": 1 + floats(HIDDEN), "norm2": 1 + floats(HIDDEN), "q": Matrix(HIDDEN, HEADS * SIZE),
            "k": Matrix(HIDDEN, KV_HEADS * SIZE), "v": Matrix(HIDDEN, KV_HEADS * SIZE),
            "o": Matrix(HEADS * SIZE, HIDDEN), "gate": Matrix(HIDDEN, INNER), "up": Matrix(HIDDEN, INNER),
            "down": Matrix(INNER, HIDDEN)}


WEIGHTS = [layer() for _ in range(LAYERS)]
EMBEDDING, NORM, HEAD = floats(WORDS, HIDDEN, scale=1), 1 + floats(HIDDEN), Matrix(HIDDEN, WORDS)


class Builder:
    """The nodes and initializers of a model."""

    def __init__(self, is_quantized):
        self.nodes, self.initializers, self.is_quantized = [], [], is_quantized

    def add(self, op, inputs, count=1, domain="", **attributes):
        outputs = [f"t{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(node(op, inputs, outputs, domain=domain, **attributes))
        return outputs if count > 1 else outputs[0]

    def constant(self, array, data_type=None):
        name = f"c{len(self.initializers)}"
        self.initializers.append(tensor(name, array, data_type=data_type))
        return name

    def matmul(self, x, weights):
        if not self.is_quantized:
            return self.add("MatMul", [x, self.constant(weights.values)])
        return self.add("MatMulNBits", [x, *map(self.constant, (weights.packed, weights.scales, weights.zeros))],
                        domain=MS, K=weights.inner, N=weights.outer, bits=4, block_size=BLOCK)

    def norm(self, x, scale):
        op = "SimplifiedLayerNormalization" if self.is_quantized else "RMSNormalization"
        return self.add(op, [x, self.constant(scale)], axis=-1, epsilon=1e-5)

    def attention(self, q, k, v, past):
        if self.is_quantized:
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
        tables = [self.add("Unsqueeze", [self.add("Slice", [self.constant(table), start, end]), self.constant(
            numpy.array([0]))]) for table in (COS, SIN)]
        q = self.add("RotaryEmbedding", [q, *tables], num_heads=HEADS)
        k = self.add("RotaryEmbedding", [k, *tables], num_heads=KV_HEADS)
        return self.add("Attention", [q, k, v, "", *past], 3, is_causal=1, q_num_heads=HEADS, kv_num_heads=KV_HEADS)

    def build(self):
        x = self.add("Gather", [self.constant(EMBEDDING), "ids"])
        presents = []
        for i, weights in enumerate(WEIGHTS):
            h = self.norm(x, weights["norm1"])
            q, k, v = (self.matmul(h, weights[name]) for name in "qkv")
            out, key, value_ = self.attention(q, k, v, [f"key{i}", f"value{i}"])
            presents += [key, value_]
            x = self.add("Add", [x, self.matmul(out, weights["o"])])
            h = self.norm(x, weights["norm2"])
            gate = self.matmul(h, weights["gate"])
            gate = self.add("Mul", [gate, self.add("Sigmoid", [gate])])
            x = self.add("Add", [x, self.matmul(self.add("Mul", [gate, self.matmul(h, weights["up"])]),
                                                weights["down"])])
        logits = self.matmul(self.norm(x, NORM), HEAD)
        self.nodes += [node("Identity", [a], [b]) for a, b in zip([logits, *presents], self.outputs())]
        inputs = [value("ids", INT64, ["batch", "sequence"])]
        if self.is_quantized:
            inputs.append(value("mask", INT64, ["batch", "total"]))
        inputs += [value(f"{kind}{i}", FLOAT, ["batch", KV_HEADS, "past", SIZE])
                   for i in range(LAYERS) for kind in ("key", "value")]
        outputs = [value(name, FLOAT, None) for name in self.outputs()]
        return model(graph(self.nodes, inputs, outputs, self.initializers, "decoder"), opset=23, domains=[MS])

    @staticmethod
    def outputs():
        return ["logits", *(f"present.{kind}{i}" for i in range(LAYERS) for kind in ("key", "value"))]


def reference(ids):
    """The logits behind the last token, without a cache."""
    def norm(x, scale):
        return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale

    def heads(x, count):
        return x.reshape(*x.shape[:2], count, SIZE).transpose(0, 2, 1, 3)

    def turn(x):
        a, b = x[..., :SIZE // 2], x[..., SIZE // 2:]
        cos, sin = COS[:ids.shape[1]], SIN[:ids.shape[1]]
        return numpy.concatenate([a * cos - b * sin, a * sin + b * cos], -1)

    x = EMBEDDING[ids]
    hidden = numpy.triu(numpy.full((ids.shape[1], ids.shape[1]), -numpy.inf), 1)
    for weights in WEIGHTS:
        h = norm(x, weights["norm1"])
        q = turn(heads(h @ weights["q"].values, HEADS))
        k, v = (heads(h @ weights[name].values, KV_HEADS) for name in "kv")
        k, v = (numpy.repeat(one, HEADS // KV_HEADS, 1) for one in (turn(k), v))
        scores = q @ k.transpose(0, 1, 3, 2) / numpy.sqrt(SIZE) + hidden
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        out = scores / scores.sum(-1, keepdims=True) @ v
        x = x + out.transpose(0, 2, 1, 3).reshape(x.shape) @ weights["o"].values
        h = norm(x, weights["norm2"])
        gate = h @ weights["gate"].values
        x = x + (gate / (1 + numpy.exp(-gate)) * (h @ weights["up"].values)) @ weights["down"].values
    return (norm(x, NORM) @ HEAD.values)[:, -1]


def generate(step, prompt, count):
    ids = prompt
    for _ in range(count):
        ids = numpy.concatenate([ids, step(ids).argmax(-1)[:, None]], 1)
    return ids


def cached(program, is_quantized):
    """A function that gives the logits behind the last token, of those tokens that it has not seen."""
    state = {"seen": 0, "cache": None}

    def step(ids):
        batch, total = ids.shape
        cache = state["cache"] or [numpy.zeros((batch, KV_HEADS, 0, SIZE), numpy.float32)] * 2 * LAYERS
        mask = [numpy.ones((batch, total), numpy.int64)] if is_quantized else []
        logits, *state["cache"] = program(numpy.ascontiguousarray(ids[:, state["seen"]:]), *mask, *cache)
        state["seen"] = total
        return numpy.asarray(logits)[:, -1]
    return step


folder, target = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
for name, is_quantized in (("quantised", True), ("plain", False)):
    path = os.path.join(folder, name + ".onnx")
    write(path, Builder(is_quantized).build())
    program = kiln.load(path, target)
    for batch, length in ((1, 5), (2, 1)):
        prompt = RANDOM.integers(0, WORDS, (batch, length))
        expected = generate(reference, prompt, 8)
        found = generate(cached(program, is_quantized), prompt, 8)
        print(f"{name}, {batch} x {length}: {'the same tokens' if (found == expected).all() else (found, expected)}")
