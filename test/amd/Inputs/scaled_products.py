# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multiplies operands with scales of all pairs of formats on the simulated device, and compares with numpy.

Usage: scaled_products.py SPEC
"""
import subprocess
import sys

import numpy as np

# The type of the elements, and how many of them share a byte.
FORMATS = {"e4m3": ("f8E4M3FN", 1), "e5m2": ("f8E5M2", 1), "e2m1": ("i8", 2), "e2m3": ("i8", 1), "e3m2": ("i8", 1)}
NIBBLES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
NIBBLES = np.concatenate([NIBBLES, -NIBBLES])


def bytes_of(exponent_bits, has_infinity):
    """The value of each byte."""
    fraction_bits = 7 - exponent_bits
    bias = 2 ** (exponent_bits - 1) - 1
    code = np.arange(256)
    exponent, fraction = code >> fraction_bits & 2**exponent_bits - 1, code & 2**fraction_bits - 1
    normal = (1 + fraction / 2**fraction_bits) * 2.0 ** (exponent - bias)
    value = np.where(exponent > 0, normal, fraction * 2.0 ** (1 - bias - fraction_bits))
    if has_infinity:
        value[exponent == 2**exponent_bits - 1] = np.nan
    value[code & 127 == 127] = np.nan
    return np.where(code < 128, value, -value)


def six_bits_of(exponent_bits):
    """The value of each byte, of which the low six bits count."""
    fraction_bits = 5 - exponent_bits
    bias = 2 ** (exponent_bits - 1) - 1
    code = np.arange(256)
    exponent, fraction = code >> fraction_bits & 2**exponent_bits - 1, code & 2**fraction_bits - 1
    normal = (1 + fraction / 2**fraction_bits) * 2.0 ** (exponent - bias)
    value = np.where(exponent > 0, normal, fraction * 2.0 ** (1 - bias - fraction_bits))
    return np.where(code & 32, -value, value)


VALUES = {"e4m3": bytes_of(4, False), "e5m2": bytes_of(5, True), "e2m3": six_bits_of(2), "e3m2": six_bits_of(3)}


def tensor(shape, element):
    return "x".join(map(str, shape)) + "x" + element


def kernel(views, lhs, rhs, plain):
    text = "tile.kernel @k(%s) {\n  %%c0 = arith.constant 0 : index\n" % ", ".join(
        "%%%s: !tile.view<%s>" % (name, tensor(*view)) for name, view in views.items())
    at = ", ".join(["%c0"] * len(views["out"][0]))
    for name, view in list(views.items())[:-1]:
        text += "  %%v%s = tile.load %%%s[%s] : !tile.view<%s> -> tensor<%s>\n" % (name, name, at, tensor(*view), tensor(*view))

    def scale(name, word):
        return " scale " + word if name in views else ""
    names = "%%va %s%s, %%vb %s%s" % (lhs, scale("sa", "%vsa"), rhs, scale("sb", "%vsb"))
    types = ["tensor<%s>%s" % (tensor(*views[name]), scale("s" + name, "tensor<%s>" % tensor(*views.get("s" + name, ((), "")))))
             for name in "ab"]
    sums = "tensor<%s>" % tensor(*views["c"])
    if plain:
        text += "  %%d = tile.dot %%va, %%vb, %%vc {max_imprecise_acc = 1073741824 : i64} : %s, %s, %s\n" % (*types, sums)
    else:
        text += "  %%d = tile.dot_scaled %s, %%vc : %s, %s, %s\n" % (names, *types, sums)
    return text + "  tile.store %%d, %%out[%s] : %s, !tile.view<%s>\n}\n" % (at, sums, tensor(*views["out"]))


def elements(random, shape, form):
    code = random.integers(0, 256, shape).astype(np.uint8)
    if form in ("e2m1", "e2m3", "e3m2"):
        return code
    size = np.abs(VALUES[form][code])
    return np.where((size > 2**-6) & (size < 1000), code, 0x38).astype(np.uint8)


def widen(code, form, axis):
    if form != "e2m1":
        return VALUES[form][code]
    pairs = np.moveaxis(np.stack([NIBBLES[code & 15], NIBBLES[code >> 4]]), 0, axis)
    return pairs.reshape([size * 2 if i == code.ndim + axis else size for i, size in enumerate(code.shape)])


def powers(scales):
    return np.where(scales == 255, np.nan, 2.0 ** (scales.astype(int) - 127))


def check(spec, seed, lhs, rhs, m, n, k, batch=(), scales="ab", element="i8", plain=False):
    random = np.random.default_rng(seed)
    (left, in_left), (right, in_right) = FORMATS[lhs], FORMATS[rhs]
    batch = list(batch)
    views = {"a": (batch + [m, k // in_left], left), "b": (batch + [k // in_right, n], right), "c": (batch + [m, n], "f32")}
    for name, size in zip("ab", (m, n)):
        if name in scales:
            views["s" + name] = (batch + [size, k // 32], element)
    views["out"] = views["c"]
    data = {"a": elements(random, views["a"][0], lhs), "b": elements(random, views["b"][0], rhs),
            "c": random.integers(-8, 8, views["c"][0]).astype(np.float32)}
    for name in ("sa", "sb"):
        if name in views:
            data[name] = random.integers(124, 131, views[name][0]).astype(np.uint8)
            data[name].flat[5] = 255 if seed % 3 == 0 else 127
    with open("k.mlir", "w", encoding="utf-8") as file:
        file.write(kernel(views, lhs, rhs, plain))
    command = ["kiln-run", "k.mlir", "--target=" + spec, "--grid=1", "--no-fallback"]
    for name, values in data.items():
        np.save(name + ".npy", values if name == "c" else values.view(np.int8))
        command.append("--arg=%s.npy+0" % name)
    command += ["--arg=zeros:f32:" + "x".join(map(str, views["out"][0])), "--save=%d:out.npy" % len(data)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    x, y = widen(data["a"], lhs, -1), widen(data["b"], rhs, -2)
    if "sa" in data:
        x = x * np.repeat(powers(data["sa"]), 32, axis=-1)
    if "sb" in data:
        y = y * np.swapaxes(np.repeat(powers(data["sb"]), 32, axis=-1), -1, -2)
    found, size = np.load("out.npy").reshape(views["out"][0]), np.abs(np.nan_to_num(x)) @ np.abs(np.nan_to_num(y)) + 8
    expected = data["c"] + x @ y
    assert np.array_equal(np.isnan(found), np.isnan(expected)), "NaN"
    assert np.nanmax(np.abs(found - expected) / size) < 1e-6, (lhs, rhs, m, n, k)


def main():
    spec = sys.argv[1]
    sizes = [(16, 16, 128), (32, 32, 64), (64, 32, 256)]
    own = ("e4m3", "e5m2", "e2m1")
    pairs = [(lhs, rhs) for lhs in own for rhs in own]
    pairs += [("e2m3", "e3m2"), ("e3m2", "e2m1"), ("e5m2", "e2m3"), ("e3m2", "e3m2")]
    for i, (lhs, rhs) in enumerate(pairs):
        check(spec, i, lhs, rhs, *sizes[i % 3])
    check(spec, 9, "e2m1", "e4m3", 16, 32, 128, batch=(2,))
    check(spec, 10, "e4m3", "e2m1", 32, 32, 128, scales="a", element="f8E8M0FNU")
    check(spec, 11, "e2m1", "e2m1", 32, 64, 128, scales="")
    check(spec, 12, "e4m3", "e5m2", 64, 64, 128, scales="", plain=True)
    print(len(pairs) + 4, "right")


main()
