# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rescaling, convolutions, products, pooling."""
from cases import *  # pylint: disable=wildcard-import,unused-wildcard-import


# Rescaling.

def rescale(label, x, out, multipliers, shifts, zi, zo, double=False, scale32=True,
            unsigned=(False, False)):
    channels = len(multipliers) > 1

    def value(*index):
        v = x[index]
        if unsigned[0]:
            v %= 1 << BITS[x.dtype]
        c = index[-1] if channels else 0
        v = apply_scale(v - zi, multipliers[c], shifts[c], double) + zo
        if unsigned[1]:
            return wrap(max(0, min((1 << BITS[out]) - 1, v)), BITS[out])
        return clip(v, out)

    r = build(out, x.shape, value)
    names = ["a0", "m", "s", "zi", "zo"]
    constants = [("m", Tensor("i32" if scale32 else "i16", (len(multipliers),), multipliers)),
                 ("s", Tensor("i8", (len(shifts),), shifts)),
                 ("zi", scalar(x.dtype, wrap(zi, BITS[x.dtype]))),
                 ("zo", scalar(out, wrap(zo, BITS[out])))]
    text = lambda b: "true" if b else "false"
    attrs = ("{input_unsigned = %s, output_unsigned = %s, per_channel = %s, rounding_mode = %s, "
             "scale32 = %s}" % (text(unsigned[0]), text(unsigned[1]), text(channels),
                                "DOUBLE_ROUND" if double else "SINGLE_ROUND", text(scale32)))
    Case(label, [x], [r], op("rescale", [x] + [c for _, c in constants], r, attrs, names=names),
         constants)


x8, x16 = random_tensor("i8", (3, 5, 4), 40), random_tensor("i16", (3, 5, 4), 41)
x32 = random_tensor("i32", (3, 5, 4), 42, -(1 << 20), 1 << 20)
rescale("rescale_i8_i32_double", x8, "i32", [1423433540], [32], -7, 0, True)
rescale("rescale_i32_i8_double", x32, "i8", [2011511696], [45], 0, -14, True)
rescale("rescale_i32_i8_single", x32, "i8", [1073741824], [43], 0, 5)
rescale("rescale_per_channel", x32, "i8", [2026291432, 1079222024, 1693132724, 1 << 30],
        [44, 43, 44, 42], 0, 27, True)
rescale("rescale_scale16", x32, "i16", [21845], [20], 0, 0, False, False)
rescale("rescale_i16_i8", x16, "i8", [1518500250], [39], 0, 3)
rescale("rescale_i8_u8", x8, "i8", [1 << 30], [30], -70, 58, False, True, (False, True))
rescale("rescale_u8_i8", x8, "i8", [1 << 30], [30], 200, -3, False, True, (True, False))


# Convolutions.

def conv(label, kind, x, w, bias, pad, stride, dilation, zi, zw):
    spatial = len(stride)
    out = []
    for d in range(spatial):
        extent = (w.shape[d + (kind != "depthwise_conv2d")] - 1) * dilation[d] + 1
        out.append((x.shape[d + 1] + pad[2 * d] + pad[2 * d + 1] - extent) // stride[d] + 1)
    depthwise = kind == "depthwise_conv2d"
    window = w.shape[:2] if depthwise else w.shape[1:-1]
    channels = w.shape[2] * w.shape[3] if depthwise else w.shape[0]

    def value(n, *rest):
        at, o = rest[:-1], rest[-1]
        total = bias.data[o if len(bias.data) > 1 else 0]
        for k in indices(window):
            i = tuple(p * s - pad[2 * d] + k[d] * dilation[d]
                      for d, (p, s) in enumerate(zip(at, stride)))
            if any(v < 0 or v >= size for v, size in zip(i, x.shape[1:])):
                continue
            if depthwise:
                c, m = divmod(o, w.shape[3])
                total += (x[(n,) + i + (c,)] - zi) * (w[k + (c, m)] - zw)
            else:
                total += sum((x[(n,) + i + (c,)] - zi) * (w[(o,) + k + (c,)] - zw)
                             for c in range(x.shape[-1]))
        return total

    r = build("i32" if x.dtype == "i8" else "f32", [x.shape[0]] + out + [channels], value)
    constants = [("zi", scalar(x.dtype, zi)), ("zw", scalar(w.dtype, zw))]
    attrs = "{acc_type = %s, pad = array<i64: %s>, stride = array<i64: %s>, dilation = array<i64: %s>}" % (
        r.dtype, *(", ".join(map(str, v)) for v in (pad, stride, dilation)))
    Case(label, [x, w, bias], [r],
         op(kind, [x, w, bias] + [c for _, c in constants], r, attrs,
            names=["a0", "a1", "a2", "zi", "zw"]), constants, 1e-5 if r.dtype == "f32" else None)


image = random_tensor("i8", (2, 7, 6, 3), 50)
conv("conv2d_i8", "conv2d", image, random_tensor("i8", (4, 3, 2, 3), 51),
     random_tensor("i32", (4,), 52, -500, 500), (1, 1, 1, 0), (2, 1), (1, 2), 11, -3)
conv("conv2d_bias_of_one", "conv2d", image, random_tensor("i8", (5, 1, 1, 3), 53),
     Tensor("i32", (1,), [17]), (0, 0, 0, 0), (1, 1), (1, 1), 0, 0)
conv("depthwise_i8", "depthwise_conv2d", image, random_tensor("i8", (3, 3, 3, 2), 54),
     random_tensor("i32", (6,), 55, -500, 500), (1, 1, 1, 1), (1, 1), (1, 1), -128, 2)
conv("conv2d_f32", "conv2d", random_tensor("f32", (1, 9, 9, 8), 56),
     random_tensor("f32", (16, 3, 3, 8), 57), random_tensor("f32", (16,), 58), (1, 1, 1, 1), (1, 1),
     (1, 1), 0.0, 0.0)
conv("conv3d_f32", "conv3d", random_tensor("f32", (1, 4, 5, 6, 2), 59),
     random_tensor("f32", (3, 2, 2, 3, 2), 60), random_tensor("f32", (3,), 61), (0, 1, 1, 0, 1, 1),
     (1, 2, 1), (1, 1, 1), 0.0, 0.0)


def transpose_conv(label, x, w, bias, pad, stride, zi, zw):
    high = (x.shape[1] - 1) * stride[0] + pad[0] + pad[1] + w.shape[1]
    wide = (x.shape[2] - 1) * stride[1] + pad[2] + pad[3] + w.shape[2]
    r = Tensor("i32", (x.shape[0], high, wide, w.shape[0]), 0)
    for n, y, v, o in indices(r.shape):
        r.data[position((n, y, v, o), r.shape)] = bias.data[o]
    for n, iy, ix, c in indices(x.shape):
        for o, ky, kx in indices(w.shape[:3]):
            y, v = iy * stride[0] + pad[0] + ky, ix * stride[1] + pad[2] + kx
            if 0 <= y < high and 0 <= v < wide:
                r.data[position((n, y, v, o), r.shape)] += (x[(n, iy, ix, c)] - zi) * (
                    w[(o, ky, kx, c)] - zw)
    constants = [("zi", scalar("i8", zi)), ("zw", scalar("i8", zw))]
    attrs = "{acc_type = i32, out_pad = array<i64: %s>, stride = array<i64: %s>}" % (
        ", ".join(map(str, pad)), ", ".join(map(str, stride)))
    Case(label, [x, w, bias], [r],
         op("transpose_conv2d", [x, w, bias] + [c for _, c in constants], r, attrs,
            names=["a0", "a1", "a2", "zi", "zw"]), constants)


transpose_conv("transpose_conv2d_i8", random_tensor("i8", (1, 4, 3, 2), 62),
               random_tensor("i8", (3, 3, 2, 2), 63), random_tensor("i32", (3,), 64, -9, 9),
               (-1, 0, 1, 2), (2, 3), 4, -1)

# Products of matrices.
for dtype, za, zb in (("i8", 3, -5), ("i8", 0, 0), ("f32", 0.0, 0.0)):
    a, b = random_tensor(dtype, (2, 5, 7), 65), random_tensor(dtype, (2, 7, 6), 66)
    r = build("i32" if dtype == "i8" else "f32", (2, 5, 6), lambda n, i, j: sum(
        (a[(n, i, k)] - za) * (b[(n, k, j)] - zb) for k in range(7)))
    zp = [("za", scalar(dtype, za)), ("zb", scalar(dtype, zb))]
    Case("matmul_%s_%d" % (dtype, za), [a, b], [r],
         op("matmul", [a, b] + [c for _, c in zp], r, names=["a0", "a1", "za", "zb"]), zp,
         1e-5 if dtype == "f32" else None)


# Pooling.

def pool(label, x, kernel, stride, pad, zi=0, zo=0, average=True):
    high = (x.shape[1] + pad[0] + pad[1] - kernel[0]) // stride[0] + 1
    wide = (x.shape[2] + pad[2] + pad[3] - kernel[1]) // stride[1] + 1

    def value(n, y, v, c):
        inside = [x[(n, i, j, c)]
                  for i in range(y * stride[0] - pad[0], y * stride[0] - pad[0] + kernel[0])
                  for j in range(v * stride[1] - pad[2], v * stride[1] - pad[2] + kernel[1])
                  if 0 <= i < x.shape[1] and 0 <= j < x.shape[2]]
        if not average:
            return max(inside)
        if x.dtype == "f32":
            return sum(inside) / len(inside)
        multiplier, shift = reciprocal_scale(len(inside))
        total = sum(inside) - zi * len(inside)
        return clip(apply_scale(total, multiplier, shift) + zo, x.dtype)

    r = build(x.dtype, (x.shape[0], high, wide, x.shape[3]), value)
    lists = ", ".join("%s = array<i64: %s>" % (n, ", ".join(map(str, v)))
                      for n, v in (("kernel", kernel), ("stride", stride), ("pad", pad)))
    if not average:
        Case(label, [x], [r], op("max_pool2d", [x], r, "{%s}" % lists))
        return
    zp = [("zi", scalar(x.dtype, zi)), ("zo", scalar(x.dtype, zo))]
    acc = "i32" if x.dtype in BITS else "f32"
    Case(label, [x], [r], op("avg_pool2d", [x] + [c for _, c in zp], r,
                             "{acc_type = %s, %s}" % (acc, lists), names=["a0", "zi", "zo"]), zp,
         None if acc == "i32" else 1e-5)


pool("avg_pool_i8_padded", image, (3, 3), (1, 1), (1, 1, 1, 1), -9, 4)
pool("avg_pool_i8_whole", image, (7, 6), (1, 1), (0, 0, 0, 0), 5, -5)
pool("avg_pool_i16", random_tensor("i16", (1, 5, 5, 2), 67), (2, 2), (1, 1), (1, 0, 1, 0))
pool("avg_pool_f32", random_tensor("f32", (1, 6, 6, 3), 68), (3, 2), (1, 2), (1, 1, 0, 0), 0.0, 0.0)
pool("max_pool_i8", image, (3, 2), (2, 2), (1, 1, 0, 0), average=False)
pool("max_pool_f32", random_tensor("f32", (1, 6, 6, 3), 69), (2, 2), (2, 2), (0, 0, 0, 0), average=False)
