# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators whose lists (axes, shapes, pads, scales, steps) are inputs of an open length, against numpy.

Usage: open_lists.py FOLDER TARGET...    writes models to FOLDER, and runs each for several lists
"""
import os
import sys

import kiln
import numpy
from onnx_file import FLOAT, INT64, graph, model, node, value, write

RANDOM = numpy.random.default_rng(5)
X = RANDOM.standard_normal((2, 3, 4)).astype(numpy.float32)


def ints(*numbers):
    return numpy.array(numbers, numpy.int64)


def sliced(x, starts, ends, axes, steps):
    cut = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        cut[axis] = slice(start, end if end > -100 else None, step)
    return x[tuple(cut)]


def padded(x, pads, axes):
    widths = [(0, 0)] * x.ndim
    for k, axis in enumerate(axes):
        widths[axis] = (pads[k], pads[k + len(axes)])
    return numpy.pad(x, widths)


def middle(x, sizes):
    for d, to in enumerate(sizes):
        more = x.shape[d] - to
        widths = [(0, 0)] * x.ndim
        if more < 0:
            widths[d] = (-more // 2, -more - -more // 2)
            x = numpy.pad(x, widths)
        else:
            x = numpy.take(x, numpy.arange(to) + more // 2, d)
    return x


def nearest(x, scales):
    for d, scale in enumerate(scales):
        at = numpy.arange(int(x.shape[d] * scale))
        x = numpy.take(x, (at / scale).astype(int), d)
    return x


def one_hot(at, depth):
    return (numpy.arange(depth[0]) == at[..., None]).astype(numpy.float32)


def hann(size):
    return (0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(size) / size)).astype(numpy.float32)


def squared(keep, noop=False):
    def run(x, axes):
        axes = tuple(axes) if len(axes) or noop else None
        return (x * x).sum(axes, keepdims=keep)
    return run


def reshaped(x, shape):
    return x.reshape([x.shape[d] if size == 0 else size for d, size in enumerate(shape)])


#: Name: operator, attributes, rank of the result, numpy's function, and the inputs of each call.
CASES = {
    "reduce": ("ReduceSumSquare", {}, 3, squared(True), [(X, ints(1)), (X, ints(-1, 0)), (X, ints()), (X, ints(0, 1, 2))]),
    "noop": ("ReduceSumSquare", {"noop_with_empty_axes": 1}, 3, squared(True, True), [(X, ints(2)), (X, ints())]),
    "drop": ("ReduceSumSquare", {"keepdims": 0}, 1, squared(False), [(X, ints(0, 2)), (X, ints(2, -2)), (X, ints(0, 1))]),
    "slice": ("Slice", {}, 3, sliced, [(X, ints(1), ints(9), ints(1), ints(2)), (X, ints(-1, 9), ints(2**62, -2**62), ints(-1, 1), ints(1, -1)),
                                       (X, ints(3, 0, 0), ints(1, 0, -1), ints(2, 0, 1), ints(-2, 1, 1)), (X, ints(), ints(), ints(), ints())]),
    "pad": ("Pad", {}, 3, lambda x, pads, _, axes: padded(x, pads, axes),
            [(X, ints(1, 2), numpy.float32(0), ints(-1)), (X, ints(0, 1, 2, 3), numpy.float32(0), ints(2, 0)), (X, ints(), numpy.float32(0), ints())]),
    "middle": ("CenterCropPad", {}, 3, middle, [(X, ints(2, 3, 4)), (X, ints(1, 6, 1)), (X, ints(5, 0, 7))]),
    "resize": ("Resize", {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, 3, lambda x, _, scales: nearest(x, scales),
               [(X, numpy.zeros(0, "f4"), numpy.array(scales, "f4")) for scales in ([1, 2, 3], [0.5, 1, 1.5])]),
    "reshape": ("Reshape", {}, 2, reshaped, [(X, ints(4, 6)), (X, ints(-1, 2)), (X, ints(0, -1))]),
    "expand": ("Expand", {}, 3, lambda x, shape: x * numpy.ones(shape, "f4"), [(X[:, :1], ints(3, 1)), (X, ints(1)), (X[:1], ints(5, 1, 4))]),
    "tile": ("Tile", {}, 3, numpy.tile, [(X, ints(1, 2, 3)), (X, ints(0, 1, 1))]),
    "squeeze": ("Squeeze", {}, 2, lambda x, axes: x.squeeze(tuple(axes)), [(X[:, :1], ints(1)), (X[:1], ints(-3)), (X[..., :1], ints(2))]),
    "unsqueeze": ("Unsqueeze", {}, 5, lambda x, axes: numpy.expand_dims(x, tuple(axes)), [(X, ints(0, 1)), (X, ints(2, -1)), (X, ints(4, 1))]),
    "hot": ("OneHot", {}, 2, lambda at, depth, _: one_hot(at % depth, depth), [(ints(0, 2, -1), ints(4), numpy.array([0, 1], "f4"))]),
    "hann": ("HannWindow", {}, 1, hann, [(numpy.int64(size),) for size in (1, 2, 7)]),
}


def several():
    """Operators with more than one result: parts, and the largest."""
    parts = model(graph([node("Split", ["a0", "a1"], ["r", "s"], axis=1)], [value("a0", FLOAT, [None] * 3), value("a1", INT64, [None])],
                        [value(name, FLOAT, [None] * 3) for name in "rs"]))
    largest = model(graph([node("TopK", ["a0", "a1"], ["r", "s"])], [value("a0", FLOAT, [None] * 3), value("a1", INT64, [None])],
                          [value("r", FLOAT, [None] * 3), value("s", INT64, [None] * 3)]))

    def top(x, k):
        order = numpy.argsort(-x, -1)[..., :k[0]]
        return numpy.take_along_axis(x, order, -1), order
    return [("split", parts, lambda x, sizes: numpy.split(x, [sizes[0]], 1), [(X, ints(1, 2)), (X, ints(0, 3))]),
            ("top", largest, top, [(X, ints(1)), (X, ints(3)), (X, ints(4))])]


def recurrent():
    """RNN with weights of open sizes, of which an attribute gives the number of states."""
    data = model(graph([node("RNN", ["x", "w", "r", "b"], ["y", "last"], hidden_size=5)],
                       [value(name, FLOAT, [None] * rank) for name, rank in zip("xwrb", (3, 3, 3, 2))],
                       [value("y", FLOAT, [None] * 4), value("last", FLOAT, [None] * 3)]))

    def run(x, w, r, b):
        state, all_of = numpy.zeros((x.shape[1], 5), "f4"), []
        for step in x:
            state = numpy.tanh(step @ w[0].T + state @ r[0].T + b[0, :5] + b[0, 5:])
            all_of.append(state)
        return numpy.stack(all_of)[:, None], state[None]

    def given(width, steps, batch):
        return tuple(RANDOM.standard_normal(shape).astype("f4") for shape in ((steps, batch, width), (1, 5, width), (1, 5, 5), (1, 10)))
    return [("rnn", data, run, [given(3, 4, 2), given(2, 1, 1), given(6, 7, 3)])]


def convolution():
    """Filters of an open number and open channels, of which an attribute gives the window."""
    data = model(graph([node("Conv", ["x", "w"], ["y"], kernel_shape=[3], pads=[1, 1])], [value(name, FLOAT, [None] * 3) for name in "xw"],
                       [value("y", FLOAT, [None] * 3)]))

    def run(x, w):
        wide = numpy.pad(x, ((0, 0), (0, 0), (1, 1)))
        windows = numpy.lib.stride_tricks.sliding_window_view(wide, 3, 2)
        return numpy.einsum("nclk,mck->nml", windows, w)
    return [("conv", data, run, [tuple(RANDOM.standard_normal(shape).astype("f4") for shape in ((n, c, length), (m, c, 3)))
                                 for n, c, length, m in ((1, 2, 5, 3), (2, 1, 1, 1), (1, 8, 20, 16))])]


def open_windows():
    """Windows of open sizes: Conv with groups, and ConvTranspose."""
    kinds = [value(name, FLOAT, [None] * 3) for name in "xw"]
    conv = model(graph([node("Conv", ["x", "w"], ["y"], group=2, strides=[2], dilations=[3], pads=[2, 1])], kinds,
                       [value("y", FLOAT, [None] * 3)]))
    transposed = model(graph([node("ConvTranspose", ["x", "w"], ["y"], strides=[2], dilations=[2], pads=[1, 0], output_padding=[1])], kinds,
                             [value("y", FLOAT, [None] * 3)]))

    def convolved(x, w):
        wide, half, reach = numpy.pad(x, ((0, 0), (0, 0), (2, 1))), w.shape[0] // 2, 3 * (w.shape[2] - 1) + 1
        windows = numpy.lib.stride_tricks.sliding_window_view(wide, reach, 2)[:, :, ::2, ::3]
        parts = [numpy.einsum("nclk,mck->nml", windows[:, g * w.shape[1]:][:, :w.shape[1]], w[g * half:][:half]) for g in (0, 1)]
        return numpy.concatenate(parts, 1)

    def spread(x, w):
        whole = numpy.zeros((x.shape[0], w.shape[1], 2 * (x.shape[2] - 1) + 2 * (w.shape[2] - 1) + 2), "f4")
        for t, k in numpy.ndindex(x.shape[2], w.shape[2]):
            whole[:, :, 2 * t + 2 * k] += x[:, :, t] @ w[:, :, k]
        return whole[:, :, 1:]

    def given(*shapes):
        return tuple(RANDOM.standard_normal(shape).astype("f4") for shape in shapes)
    yield "windows", conv, convolved, [given((1, 4, 9), (6, 2, 3)), given((2, 2, 5), (2, 1, 1)), given((1, 6, 20), (4, 3, 5))]
    yield "transposed", transposed, spread, [given((1, 3, 5), (3, 2, 3)), given((2, 1, 1), (1, 4, 2)), given((1, 4, 7), (4, 1, 1))]


def masked():
    """Attention with a mask of fewer columns than there are keys, which leaves out the keys behind it."""
    data = model(graph([node("Attention", ["q", "k", "v", "m"], ["y"])],
                       [value(name, FLOAT, [None] * 4) for name in "qkv"] + [value("m", FLOAT, [None] * 2)],
                       [value("y", FLOAT, [None] * 4)]), 24)

    def run(q, k, v, m):
        columns = m.shape[1] if m.shape[1] > 1 else k.shape[2]
        scores = q @ k[:, :, :columns].swapaxes(2, 3) / numpy.sqrt(q.shape[3]).astype("f4") + m
        weights = numpy.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ v[:, :, :columns]

    def given(queries, keys, columns):
        shapes = ((2, 3, queries, 4), (2, 3, keys, 4), (2, 3, keys, 5), (queries, columns))
        return tuple(RANDOM.standard_normal(shape).astype("f4") for shape in shapes)
    yield "masked", data, run, [given(3, 6, 6), given(3, 6, 4), given(2, 5, 1), given(1, 1, 1)]


def models():
    for name, (op, attributes, rank, expected, calls) in CASES.items():
        names = [f"a{i}" for i in range(len(calls[0]))]
        inputs = [value(each, INT64 if one.dtype == numpy.int64 else FLOAT, [None] * numpy.ndim(one)) for each, one in zip(names, calls[0])]
        yield name, model(graph([node(op, names, ["r"], **attributes)], inputs, [value("r", FLOAT, [None] * rank)]), 20), expected, calls
    yield from [*several(), *recurrent(), *convolution(), *open_windows(), *masked()]


def main():
    folder, targets = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    count = 0
    for name, data, expected, calls in models():
        path = os.path.join(folder, name + ".onnx")
        write(path, data)
        for target in targets:
            program = kiln.load(path, target)
            for given in calls:
                wanted, found = expected(*given), program(*given)
                found, wanted = (one if isinstance(one, (tuple, list)) else (one,) for one in (found, wanted))
                for got, want in zip(found, wanted, strict=True):
                    got = numpy.asarray(got)
                    about = f"{name} of {[one.tolist() if one.dtype == numpy.int64 else one.shape for one in given]} on {target}"
                    assert got.shape == want.shape and got.dtype == want.dtype, f"{about}: {got.shape}, expected {want.shape}"
                    assert numpy.allclose(got, want, rtol=1e-5, atol=1e-5), f"{about}:\n{got}\nexpected\n{want}"
                count += 1
    print(f"{count} calls are right")


if __name__ == "__main__":
    main()
