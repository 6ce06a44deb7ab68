# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Movement, indexing, resizing, transforms, and operations of other dialects."""
import cmath

from cases import *  # pylint: disable=wildcard-import,unused-wildcard-import

x = random_tensor("i8", (2, 3, 4), 70)
y = random_tensor("i8", (2, 2, 4), 71)

r = build("i8", (2, 5, 4), lambda a, b, c: x[(a, b, c)] if b < 3 else y[(a, b - 3, c)])
Case("concat", [x, y], [r], op("concat", [x, y], r, "{axis = 1 : i32}"))
r = build("i8", (4, 2, 3), lambda a, b, c: x[(b, c, a)])
Case("transpose", [x], [r], op("transpose", [x], r, "{perms = array<i32: 2, 0, 1>}"))
r = build("i8", (2, 3, 4), lambda a, b, c: x[(a, b, 3 - c)])
Case("reverse", [x], [r], op("reverse", [x], r, "{axis = 2 : i32}"))
r = build("i8", (1, 2, 3), lambda a, b, c: x[(a + 1, b + 1, c)])
Case("slice", [x], [r], shape_op("st", (1, 1, 0)) + shape_op("sz", (1, 2, 3)) +
     op("slice", [x, "!tosa.shape<3>", "!tosa.shape<3>"], r, names=["a0", "st", "sz"]))
r = build("i8", (4, 3, 8), lambda a, b, c: x[(a % 2, b, c % 4)])
Case("tile", [x], [r], shape_op("m", (2, 1, 2)) +
     op("tile", [x, "!tosa.shape<3>"], r, names=["a0", "m"]))
r = build("i8", (3, 5, 4), lambda a, b, c: x[(a - 1, b, c)] if a and b < 3 else -7)
Case("pad", [x], [r], shape_op("p", (1, 0, 0, 2, 0, 0)) +
     op("pad", [x, "!tosa.shape<6>", "tensor<1xi8>"], r, names=["a0", "p", "v"]),
     [("v", scalar("i8", -7))])
r = Tensor("i8", (6, 4), x.data)
Case("reshape", [x], [r], shape_op("s", (-1, 4)) +
     op("reshape", [x, "!tosa.shape<2>"], r, names=["a0", "s"]))

# Indices.
values, at = random_tensor("f32", (2, 6, 3), 72), random_tensor("i32", (2, 4), 73, 0, 5)
r = build("f32", (2, 4, 3), lambda n, w, c: values[(n, at[(n, w)], c)])
Case("gather", [values, at], [r], op("gather", [values, at], r))
rows = Tensor("i32", (2, 4), [5, 0, 3, 1, 2, 4, 0, 5])
new = random_tensor("f32", (2, 4, 3), 74)
r = Tensor("f32", values.shape, values.data)
for n, w, c in indices(new.shape):
    r.data[position((n, rows[(n, w)], c), r.shape)] = new[(n, w, c)]
Case("scatter", [values, rows, new], [r], op("scatter", [values, rows, new], r))


# Resizing.

def resize(label, image, scale, offset, border, bilinear):
    def along(i, size, n, d, start):
        base, rest = divmod(i * d + start, n)
        inside = lambda v: max(0, min(size - 1, v))
        return inside(base), inside(base + 1), rest

    sizes = [((image.shape[i + 1] - 1) * scale[2 * i] - offset[i] + border[i]) // scale[2 * i + 1] + 1
             for i in range(2)]

    def value(n, oy, ox, c):
        y0, y1, dy = along(oy, image.shape[1], scale[0], scale[1], offset[0])
        x0, x1, dx = along(ox, image.shape[2], scale[2], scale[3], offset[1])
        if not bilinear:
            return image[(n, y1 if 2 * dy >= scale[0] else y0, x1 if 2 * dx >= scale[2] else x0, c)]
        uy, ux = scale[0], scale[2]
        total = (image[(n, y0, x0, c)] * (uy - dy) * (ux - dx) + image[(n, y0, x1, c)] * (uy - dy) * dx
                 + image[(n, y1, x0, c)] * dy * (ux - dx) + image[(n, y1, x1, c)] * dy * dx)
        return total / (uy * ux) if image.dtype == "f32" else total

    out = image.dtype if not bilinear or image.dtype == "f32" else "i32"
    r = build(out, [image.shape[0]] + sizes + [image.shape[3]], value)
    mode = "BILINEAR" if bilinear else "NEAREST_NEIGHBOR"
    Case(label, [image], [r], shape_op("s", scale) + shape_op("o", offset) + shape_op("b", border) +
         op("resize", [image, "!tosa.shape<4>", "!tosa.shape<2>", "!tosa.shape<2>"], r,
            "{mode = %s}" % mode, names=["a0", "s", "o", "b"]),
         tolerance=1e-5 if out == "f32" else None)


small = random_tensor("i8", (1, 4, 5, 2), 75)
resize("resize_nearest", small, (4, 2, 4, 2), (-1, -1), (1, 1), False)
resize("resize_bilinear_i8", small, (4, 2, 4, 2), (-1, -1), (1, 1), True)
resize("resize_down", small, (2, 3, 2, 4), (0, 0), (0, 0), True)
resize("resize_bilinear_f32", random_tensor("f32", (1, 3, 4, 2), 76), (4, 2, 6, 2), (-1, -2), (1, 2), True)


# Fourier transforms.

def transform(real, imaginary, width, sign):
    n, high, wide = real.shape
    out = {}
    for b, ky, kx in indices((n, high, width)):
        out[(b, ky, kx)] = sum(
            complex(real[(b, i, j)], imaginary[(b, i, j)]) *
            cmath.exp(sign * 2j * cmath.pi * (i * ky / high + j * kx / wide))
            for i, j in indices((high, wide)))
    shape = (n, high, width)
    return [build("f32", shape, lambda *i, p=part: getattr(out[i], p)) for part in ("real", "imag")]


re, im = random_tensor("f32", (2, 4, 8), 77), random_tensor("f32", (2, 4, 8), 78)
zero = Tensor("f32", re.shape, 0.0)
for inverse in (False, True):
    results = transform(re, im, 8, 1 if inverse else -1)
    Case("fft2d_%s" % ("inverse" if inverse else "forward"), [re, im], results,
         "%%r0, %%r1 = tosa.fft2d %%a0, %%a1 {inverse = %s} : (%s, %s) -> (%s, %s)" % (
             "true" if inverse else "false", *[re.type] * 4), tolerance=1e-4)
results = transform(re, zero, 5, -1)
Case("rfft2d", [re], results, "%%r0, %%r1 = tosa.rfft2d %%a0 : (%s) -> (%s, %s)" % (
    re.type, results[0].type, results[1].type), tolerance=1e-4)

# Sizes that are known at run time only.
p, q = random_tensor("f32", (3, 4), 79), random_tensor("f32", (1, 4), 80)
r = reduce(elementwise("f32", lambda a, b: f32(a + b), p, q), 1, max)
Case("dynamic_sizes", [p, q], [r], """%s = tosa.add %a0, %a1 : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %m = tosa.reduce_max %s {axis = 1 : i32} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %r0 = tensor.cast %m : tensor<?x1xf32> to tensor<3x1xf32>""", types=["tensor<?x4xf32>", "tensor<1x4xf32>"])


# linalg and tensor.

def source(text, **names):
    for name, value in names.items():
        text = text.replace("$" + name, value if isinstance(value, str) else value.type)
    return text


a, b = random_tensor("f32", (4, 6), 81), random_tensor("f32", (6, 5), 82)
r = build("f32", (4, 5), lambda i, j: 1.0 + sum(a[(i, k)] * b[(k, j)] for k in range(6)))
Case("linalg_matmul", [a, b], [r], source("""%one = arith.constant dense<1.0> : $r
  %r0 = linalg.matmul ins(%a0, %a1 : $a, $b) outs(%one : $r) -> $r""", a=a, b=b, r=r), tolerance=1e-5)
r = build("f32", (5, 4), lambda j, i: sum(a[(i, k)] * b[(k, j)] for k in range(6)))
Case("linalg_contraction", [a, b], [r], source("""%zero = arith.constant dense<0.0> : $r
  %r0 = linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k)>,
      affine_map<(i, k, j) -> (k, j)>, affine_map<(i, k, j) -> (j, i)>],
      iterator_types = ["parallel", "reduction", "parallel"]} ins(%a0, %a1 : $a, $b) outs(%zero : $r) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %y, %x : f32
    %s = arith.addf %p, %z : f32
    linalg.yield %s : f32
  } -> $r""", a=a, b=b, r=r), tolerance=1e-5)
v = random_tensor("f32", (6,), 83)
r = build("f32", (6, 4), lambda k, i: f32(f32(a[(i, k)] - v[(k,)]) * 2.0 + i))
Case("linalg_elementwise", [a, v], [r], source("""%e = tensor.empty() : $r
  %two = arith.constant 2.0 : f32
  %r0 = linalg.generic {indexing_maps = [affine_map<(k, i) -> (i, k)>, affine_map<(k, i) -> (k)>,
      affine_map<(k, i) -> (k, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0, %a1 : $a, $v) outs(%e : $r) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %d = arith.subf %x, %y : f32
    %p = arith.mulf %d, %two : f32
    %n = linalg.index 1 : index
    %w = arith.index_cast %n : index to i32
    %f = arith.sitofp %w : i32 to f32
    %s = arith.addf %p, %f : f32
    linalg.yield %s : f32
  } -> $r""", a=a, v=v, r=r), tolerance=1e-6)
image, window = random_tensor("f32", (1, 6, 7, 2), 84), random_tensor("f32", (3, 2, 2, 3), 85)
r = build("f32", (1, 2, 6, 3), lambda n, i, j, o: sum(
    image[(n, 2 * i + k, j + l, c)] * window[(k, l, c, o)] for k, l, c in indices((3, 2, 2))))
Case("linalg_conv", [image, window], [r], source("""%zero = arith.constant dense<0.0> : $r
  %r0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%a0, %a1 : $image, $window) outs(%zero : $r) -> $r""", image=image, window=window, r=r), tolerance=1e-5)
r = build("f32", (1, 5, 3, 2), lambda n, i, j, c: max(
    image[(n, i + k, 2 * j + l, c)] for k, l in indices((2, 2))))
Case("linalg_pool", [image], [r], source("""%low = arith.constant dense<-1.0e30> : $r
  %w = tensor.empty() : tensor<2x2xf32>
  %r0 = linalg.pooling_nhwc_max {strides = dense<[1, 2]> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%a0, %w : $image, tensor<2x2xf32>) outs(%low : $r) -> $r""", image=image, r=r))
block = random_tensor("f32", (2, 3), 86)
r = build("f32", (4, 6), lambda i, j: block[(i - 1, j - 2)] if 1 <= i < 3 and 2 <= j < 5 else a[(i, j)])
Case("tensor_insert_slice", [a, block], [r], source(
    "%r0 = tensor.insert_slice %a1 into %a0[1, 2] [2, 3] [1, 1] : $block into $a", a=a, block=block))
r = build("f32", (2, 2), lambda i, j: a[(1 + 2 * i, 1 + 3 * j)])
Case("tensor_extract_slice", [a], [r], source(
    "%r0 = tensor.extract_slice %a0[1, 1] [2, 2] [2, 3] : $a to $r", a=a, r=r))
