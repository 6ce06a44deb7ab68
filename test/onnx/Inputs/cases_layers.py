# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of com.microsoft as ONNX files, and operators of ONNX at open sizes, against numpy.

Usage: cases_layers.py FOLDER TARGET [FILTER]"""
import numpy

import cases_file
from cases_file import attend, bytes_, case, floats, gelu, join, layer_norm, one, softmax, split

cases_file.CASES.clear()


# Experts: each row takes what the two of four give that score highest.
def experts(rows, scores, first, first_bias, second, second_bias, act, normalized, given=None):
    shares = numpy.zeros_like(scores)
    for row, best in enumerate(numpy.argsort(-scores, 1, kind="stable")[:, :2]):
        if given is not None:
            shares[row, best] = given[row, best] / (given[row, best].sum() if normalized else 1)
        else:
            shares[row, best] = softmax(scores[row, best]) if normalized else softmax(scores[row])[best]
    inner = act(numpy.einsum("th,eih->tei", rows, first) + first_bias)
    outer = numpy.einsum("tei,eoi->teo", inner, second) + second_bias
    return numpy.einsum("teo,te->to", outer, shares)


def silu(x):
    return x / (1 + numpy.exp(-x))


def gated(x):
    gate, linear = numpy.minimum(x[..., ::2], 1), numpy.clip(x[..., 1::2], -1, 1)
    return gate / (1 + numpy.exp(-1.5 * gate)) * (linear + 1)


scores = floats(5, 4)
for kind, act, width, more in (("relu", lambda x: numpy.maximum(x, 0), 6, {}), ("silu", silu, 6, {"normalize_routing_weights": 1}),
                               ("swiglu", gated, 12, {"swiglu_fusion": 1, "swiglu_limit": 1.0, "activation_alpha": 1.5,
                                                      "activation_beta": 1.0})):
    layers = [floats(4, width, 8), floats(4, width), floats(4, 8, 6), floats(4, 8)]
    case("MoE", [floats(5, 8), scores, *layers],
         [lambda x, s, *all, act=act, more=more: experts(x, s, *all, act, bool(more.get("normalize_routing_weights")))],
         dims={0: ["n", 8], 1: ["n", 4]}, constants=(2, 3, 4, 5), k=2, activation_type=kind, **more)


def halves(packed):
    return numpy.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1).astype(numpy.float32)


first, second = bytes_(4, 6, 4), bytes_(4, 8, 3)
first_scale, second_scale, first_bias, second_bias = floats(4, 6), floats(4, 8), floats(4, 6), floats(4, 8)
layers = [(halves(first) - 8) * first_scale[..., None], first_bias, (halves(second) - 8) * second_scale[..., None], second_bias]
# What is quantised always weighs experts by the softmax of the chosen scores, or by weights of their own.
for normalized in (0, 1):
    for own in ([], [numpy.abs(floats(5, 4))]):
        case("QMoE", [floats(5, 8), scores, first, first_scale, first_bias, second, second_scale, second_bias,
                      *([None] * 6 if own else []), *own],
             [lambda x, s, *all, own=own, normalized=normalized: experts(x, s, *layers, silu, normalized or not own,
                                                                         all[-1] if own else None)],
             dims={0: ["n", 8], 1: ["n", 4]}, constants=(2, 3, 4, 5, 6, 7), k=2, activation_type="silu", expert_weight_bits=4,
             normalize_routing_weights=normalized)

# Activations behind a product and a convolution.
a, b, c = floats(3, 4), floats(5, 4), floats(5)
case("FusedGemm", [a, b, c], [lambda a, b, c: (lambda x: numpy.where(x < 0, x * numpy.float32(0.2), x))(a @ b.T / 2 + c)],
     dims={0: ["n", 4]}, transB=1, alpha=0.5, activation="LeakyRelu", activation_alpha=0.2)
x, filters, added = floats(2, 3, 4, 4), floats(5, 3, 1, 1), floats(2, 5, 4, 4)
mixed = numpy.einsum("nchw,oc->nohw", x, filters[:, :, 0, 0])
case("FusedConv", [x, filters], [numpy.clip(mixed, -0.5, 1)], activation="Clip", activation_params=[-0.5, 1.0])
case("FusedConv", [x, filters, c, added], [numpy.maximum(mixed + c[:, None, None] + added, 0)], activation="Relu")

# Rows of a table of 4 bits, with blocks of 16.
table, scale, points = bytes_(6, 16), floats(6, 2), bytes_(6, 1)
at = numpy.array([[1, -1], [0, 5]])
for zeros, given in ((8, []), (halves(points)[..., None], [points])):
    meant = ((halves(table).reshape(6, 2, 16) - zeros) * scale[..., None]).reshape(6, 32)
    case("GatherBlockQuantized", [table, at, scale, *given], [meant[at]], dims={1: ["n", 2]}, constants=(0, 2, 3)[:2 + len(given)],
         block_size=16, quantize_axis=1)

# Attention and embeddings of integers.
x, weights, bias = bytes_(2, 5, 16), cases_file.RANDOM.integers(-100, 100, (16, 48)).astype(numpy.int8), floats(48)
kept = numpy.array([[1, 1, 1, 0, 0], [1] * 5], numpy.int32)
scale, point = one(0.02), one(130, numpy.uint8)
parts = numpy.split((x.astype(numpy.float32) - 130) * scale @ (weights * numpy.float32(0.01)) + bias, 3, -1)
case("QAttention", [x, weights, bias, scale, one(0.01), kept, point, one(0, numpy.int8)],
     [join(attend(*[split(part, 4) for part in parts], -10000 * (1 - kept)[:, None, None]))], dims={0: ["b", "s", 16]}, num_heads=4)
ids, words, places, gamma, beta = numpy.array([[1, 3, 0]], numpy.int32), bytes_(6, 16), bytes_(4, 16), bytes_(16), bytes_(16)


def meant(q):
    return (q.astype(numpy.float32) - 130) * scale


case("QEmbedLayerNormalization", [ids, None, words, places, None, gamma, beta, None, scale, scale, None, scale, scale, point,
                                  point, None, point, point],
     [layer_norm(meant(words)[ids] + meant(places)[None, :3], meant(gamma), meant(beta))])

# A cache of an open size that is written round its end, and frames of signals of open lengths.
cache, updates, start = floats(2, 3, 6, 4), floats(2, 3, 2, 4), numpy.array([5, 1])
written = cache.copy()
for batch, begin in enumerate(start):
    written[batch][:, (begin + numpy.arange(2)) % 6] = updates[batch]
for dims in ({}, {0: ["b", 3, "n", 4], 1: ["b", 3, "t", 4], 2: ["b"]}):
    case("TensorScatter", [cache, updates, start], [written], domain="", opset=24, dims=dims, axis=2, mode="circular")
for length in (8, 21):
    signal, window = floats(2, length, 1), floats(8)
    frames = numpy.stack([signal[:, k:k + 8, 0] * window for k in range(0, length - 7, 3)], 1)
    made = numpy.fft.rfft(frames)
    case("STFT", [signal, one(3, numpy.int64), window], [numpy.stack([made.real, made.imag], -1).astype(numpy.float32)], domain="",
         constants=(1,), dims={0: ["b", "t", 1]})
# Fourier transforms, and blocks that are put together, of as many signals and pictures as there are.
signal = floats(3, 10, 4, 2)
made = numpy.fft.ifft(signal[..., 0] + 1j * signal[..., 1], axis=1)
case("DFT", [signal, None, one(1, numpy.int64)], [numpy.stack([made.real, made.imag], -1)], domain="", constants=(2,),
     dims={0: ["b", 10, "c", 2]}, inverse=1)
made = numpy.fft.rfft(signal[..., 0], axis=1)
case("DFT", [signal[..., :1], None, one(1, numpy.int64)], [numpy.stack([made.real, made.imag], -1)], domain="", constants=(2,),
     dims={0: ["b", 10, "c", 1]}, onesided=1)
pictures = floats(3, 2, 4, 6)
blocks = pictures.reshape(3, 2, 2, 2, 3, 2).transpose(0, 1, 3, 5, 2, 4).reshape(3, 8, 6)
case("Col2Im", [blocks, numpy.array([4, 6]), numpy.array([2, 2])], [pictures], domain="", constants=(1, 2),
     dims={0: ["b", 8, 6]}, strides=[2, 2])
# Operators that ONNX has taken over from com.microsoft, and distances of rows.
case("Trilu", [pictures], [numpy.tril(pictures)], dims={0: ["b", 2, 4, 6]}, upper=0)
case("GatherND", [pictures, numpy.array([[1, 0], [2, 1]])], [pictures[[1, 2], [0, 1]]], dims={0: ["b", 2, 4, 6]})
a, b = floats(3, 4), floats(5, 4)
away = numpy.square(a[:, None] - b).sum(-1)
case("CDist", [a, b], [numpy.sqrt(away)], dims={0: ["m", 4], 1: ["n", 4]}, metric="euclidean")
case("CDist", [a, b], [away])
case("BiasGelu", [floats(3, 4), floats(4)], [lambda x, b: gelu(x + b)], dims={0: ["n", 4]})

# What auto_pad adds to open sizes, places of maxima in them, and pictures that become as many times as large.
def windows(x, sizes, steps, how, filler):
    """The windows that auto_pad makes: their positions, then the window."""
    pads = [(0, 0), (0, 0)]
    for size, window, step in zip(x.shape[2:], sizes, steps):
        total = max((-(-size // step) - 1) * step + window - size, 0)
        pads.append((total // 2, total - total // 2)[::1 if how == "SAME_UPPER" else -1])
    padded = numpy.pad(x, pads, constant_values=filler)
    return numpy.lib.stride_tricks.sliding_window_view(padded, sizes, (2, 3))[:, :, ::steps[0], ::steps[1]]


for how, shape in (("SAME_UPPER", (2, 2, 6, 7)), ("SAME_LOWER", (1, 2, 5, 9)), ("SAME_UPPER", (1, 2, 1, 1))):
    image, filters = floats(*shape), floats(3, 2, 3, 4)
    form = {"domain": "", "dims": {0: ["n", 2, "h", "w"]}, "opset": 19, "auto_pad": how, "strides": [2, 3]}
    parts, inside = windows(image, (3, 4), (2, 3), how, 0), windows(numpy.ones_like(image), (3, 4), (2, 3), how, 0)
    lowest = windows(image, (3, 4), (2, 3), how, -numpy.inf)
    places = windows(numpy.arange(image.size).reshape(shape), (3, 4), (2, 3), how, -1)
    flat = [each.reshape(*each.shape[:4], 12) for each in (lowest, places)]
    best = flat[0].argmax(-1)[..., None]
    case("Conv", [image, filters], [numpy.einsum("nchwij,ocij->nohw", parts, filters)], **form)
    case("MaxPool", [image], [flat[0].max(-1), numpy.take_along_axis(flat[1], best, -1)[..., 0]], kernel_shape=[3, 4], **form)
    case("MaxPool", [image], [flat[0].max(-1)], kernel_shape=[3, 4], **form)
    case("AveragePool", [image], [parts.sum((4, 5)) / inside.sum((4, 5))], kernel_shape=[3, 4], **form)
    case("AveragePool", [image], [parts.mean((4, 5))], kernel_shape=[3, 4], count_include_pad=1, **form)
    case("LpPool", [image], [numpy.sqrt((parts * parts).sum((4, 5)))], kernel_shape=[3, 4], p=2, **form)
    spread, filters = numpy.zeros((shape[0], 3, 2 * shape[2] + 1, 2 * shape[3] + 1)), floats(2, 3, 3, 3)
    for y, x in numpy.ndindex(3, 3):
        spread[:, :, y:y + 2 * shape[2]:2, x:x + 2 * shape[3]:2] += numpy.einsum("nchw,co->nohw", image, filters[:, :, y, x])
    start = 0 if how == "SAME_UPPER" else 1
    case("ConvTranspose", [image, filters], [spread[:, :, start:, start:][:, :, :2 * shape[2], :2 * shape[3]]],
         **{**form, "strides": [2, 2]})
# A result that output_shape makes larger than all windows ends with columns that none of them reaches.
image, filters, bias = floats(1, 2, 3, 4), floats(2, 3, 3, 3), floats(3)
spread = numpy.zeros((1, 3, 8, 13))
for y, x in numpy.ndindex(3, 3):
    spread[:, :, y:y + 5:2, x:x + 10:3] += numpy.einsum("nchw,co->nohw", image, filters[:, :, y, x])
for how in ("SAME_UPPER", "SAME_LOWER", "NOTSET"):
    case("ConvTranspose", [image, filters, bias], [spread + bias[:, None, None]], domain="", opset=11, strides=[2, 3],
         auto_pad=how, output_shape=[8, 13])
# The nearest element of operator set 10: the next one where the image shrinks, the one before where it grows.
image = floats(1, 2, 20, 5)
rows = numpy.ceil(numpy.arange(12, dtype=numpy.float32) / numpy.float32(0.6)).astype(int)
case("Resize", [image, numpy.array([1, 1, 0.6, 1.5], numpy.float32)], [image[:, :, rows][..., [0, 0, 1, 2, 2, 3, 4]]], domain="",
     constants=(1,), opset=10)
# The coordinates of operator set 11 that later ones lack.
for mode, columns in (("nearest", [0, 1, 1, 2, 3, 3, 4]), ("linear", None)):
    at = numpy.minimum((numpy.arange(7) + 0.5) / 1.5, 4)
    before = numpy.floor(at).astype(int)
    after = numpy.minimum(before + 1, 4)
    lines = image[..., before] * (1 - at + before) + image[..., after] * (at - before)
    case("Resize", [image, numpy.array([], numpy.float32), numpy.array([1, 1, 1, 1.5], numpy.float32)],
         [image[..., columns] if columns else lines], domain="", constants=(1, 2), opset=11, mode=mode,
         coordinate_transformation_mode="tf_half_pixel_for_nn", **({"nearest_mode": "floor"} if columns else {}))
# As many maps as there are.
theta = floats(3, 2, 3)
ys, xs = numpy.meshgrid((2 * numpy.arange(4) + 1) / 4 - 1, (2 * numpy.arange(5) + 1) / 5 - 1, indexing="ij")
grid = numpy.einsum("nij,hwj->nhwi", theta, numpy.stack([xs, ys, numpy.ones_like(xs)], -1))
case("AffineGrid", [theta, numpy.array([3, 2, 4, 5])], [grid], domain="", constants=(1,), dims={0: ["n", 2, 3]})
# What is different among as many numbers, rows and none.
for numbers in (numpy.rint(floats(3, 7) * 3), floats(2, 0)):
    made = numpy.unique(numbers, return_index=True, return_inverse=True, return_counts=True)
    made = [made[0], made[1], made[2].reshape(-1), made[3]]
    came = numpy.argsort(made[1])
    in_order = [made[0][came], made[1][came], numpy.argsort(came)[made[2]] if len(came) else made[2], made[3][came]]
    case("Unique", [numbers], made, domain="", dims={0: ["n", "m"]})
    case("Unique", [numbers], in_order, domain="", dims={0: ["n", "m"]}, sorted=0)
    case("Unique", [numbers.reshape(-1)], [in_order[0], *in_order[2:]], dims={0: ["n"]})
rows = numpy.rint(floats(9, 2) * 2)
made = numpy.unique(rows, axis=0, return_index=True, return_inverse=True, return_counts=True)
case("Unique", [rows], [*made[:2], made[2].reshape(-1), made[3]], domain="", dims={0: ["n", 2]}, axis=0)
# Of com.microsoft: a range by steps of 1, pads that are a row, and matrices that are inverted.
case("Range", [one(2), one(6.5)], [numpy.arange(2, 6.5, dtype=numpy.float32)], constants=(0, 1))
case("Range", [one(-2, numpy.int64), one(3, numpy.int64)], [numpy.arange(-2, 3)])
case("Pad", [a, numpy.array([[0, 1, 2, 0]])], [numpy.pad(a, ((0, 2), (1, 0)))], constants=(1,), dims={0: ["n", 4]})
case("Pad", [a, numpy.array([[0, 1, 2, 0]])], [numpy.pad(a, ((0, 2), (1, 0)), "edge")], dims={0: ["n", 4]}, mode="edge")
matrices = floats(3, 2, 5, 5) + 3 * numpy.eye(5, dtype=numpy.float32)[::-1]
case("Inverse", [matrices], [numpy.linalg.inv(matrices)], dims={0: ["n", 2, 5, 5]})
case("Inverse", [matrices[0, 0]], [numpy.linalg.inv(matrices[0, 0])], dims={0: ["n", "n"]})
# Of ai.onnx.ml: features that are scaled, filled in and weighed, as many rows as there are.
numbers = floats(3, 4)
holes = numpy.where(floats(3, 4) > 0, numbers, numpy.nan).astype(numpy.float32)
parts, many = [0.5, -1.0, 2.0, 0.25], [2.0, 0.5, 1.0, -3.0]
case("Scaler", [numbers], [(numbers - parts) * many], domain="ai.onnx.ml", dims={0: ["n", 4]}, offset=parts, scale=many)
case("Scaler", [numpy.arange(6).reshape(2, 3)], [(numpy.arange(6.0).reshape(2, 3) - 1.5) * 2], domain="ai.onnx.ml", offset=[1.5],
     scale=[2.0])
case("Imputer", [holes], [numpy.where(numpy.isnan(holes), parts, holes)], domain="ai.onnx.ml", dims={0: ["n", 4]},
     imputed_value_floats=parts, replaced_value_float=float("nan"))
case("Imputer", [numpy.rint(numbers)], [numpy.where(numpy.rint(numbers) == 1, 7, numpy.rint(numbers))], domain="ai.onnx.ml",
     imputed_value_floats=[7.0], replaced_value_float=1.0)
case("LinearRegressor", [numbers], [numbers @ numpy.reshape(parts + many, (2, 4)).T + [1, -1]], domain="ai.onnx.ml",
     dims={0: ["n", 4]}, coefficients=parts + many, intercepts=[1.0, -1.0], targets=2)
case("LinearRegressor", [numbers], [numbers @ numpy.reshape(many, (4, 1))], domain="ai.onnx.ml", coefficients=many)

cases_file.main()
