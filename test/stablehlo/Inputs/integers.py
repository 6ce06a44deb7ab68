# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of StableHLO with values that numpy computes: integers without sign, indices outside of their dimension or that wrap,
bits of NaN, loops whose steps come when they run. Usage: integers.py KILN_COMPILE FOLDER TARGET...

All functions are entries of one module. Results must have the expected types, sizes and bits."""
import subprocess
import sys

import kiln
import numpy as np

ROW = 300
GATHER = "dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>"


def type_of(a):
    """The type of a numpy array as text."""
    kinds = {"f": "f", "i": "i", "u": "ui"}
    element = "i1" if a.dtype.kind == "b" else kinds[a.dtype.kind] + str(a.dtype.itemsize * 8)
    return "tensor<" + "".join(f"{d}x" for d in a.shape) + element + ">"


class Suite:
    """Cases: a body that computes %r of %a, %b and %c, their values, and what it gives."""

    def __init__(self):
        self.random = np.random.default_rng(77)
        self.cases = []

    def add(self, name, body, arguments, expected):
        self.cases.append((name, body, arguments, np.asarray(expected)))

    def integers(self, kind, most=32):
        info = np.iinfo(kind)
        values = self.random.integers(info.min, info.max, most, dtype=kind, endpoint=True)
        values[:5] = [0, 1, info.max, info.max // 2 + 1, info.min]
        return values


def combiner(element, kind="add"):
    return f"""({{
    ^bb0(%p: tensor<{element}>, %q: tensor<{element}>):
      %s = stablehlo.{kind} %p, %q : tensor<{element}>
      stablehlo.return %s : tensor<{element}>
    }})"""


def add_unsigned(suite, kind):
    a, b = suite.integers(kind), suite.integers(kind)[::-1].copy()
    nonzero = np.where(b == 0, kind(3), b)
    info, whole, one = np.iinfo(kind), type_of(a), type_of(a[0:1].reshape(()))
    low, high = np.full(32, 5, kind), np.full(32, info.max - 7, kind)
    suite.add("divide", f"%r = stablehlo.divide %a, %b : {whole}", [a, nonzero], a // nonzero)
    suite.add("remainder", f"%r = stablehlo.remainder %a, %b : {whole}", [a, nonzero], a % nonzero)
    suite.add("less", f"%r = stablehlo.compare LT, %a, %b, UNSIGNED : ({whole}, {whole}) -> tensor<32xi1>", [a, b], a < b)
    suite.add("maximum", f"%r = stablehlo.maximum %a, %b : {whole}", [a, b], np.maximum(a, b))
    suite.add("clamp", f"%r = stablehlo.clamp %b, %a, %c : {whole}", [a, low, high], np.clip(a, low, high))
    suite.add("shift", f"""%n = stablehlo.constant dense<{info.bits - 3}> : {whole}
    %r = stablehlo.shift_right_logical %a, %n : {whole}""", [a], a >> kind(info.bits - 3))
    for to in (np.float32, np.float64):
        suite.add(f"convert_{to.__name__}", f"%r = stablehlo.convert %a : ({whole}) -> {type_of(a.astype(to))}", [a], a.astype(to))
    suite.add("reduce", f"""%z = stablehlo.constant dense<0> : {one}
    %r = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0] : ({whole}, {one}) -> {one}""", [a], a.max())
    suite.add("sort", f"""%r = "stablehlo.sort"(%a) ({{
    ^bb0(%x: {one}, %y: {one}):
      %q = stablehlo.compare LT, %x, %y, UNSIGNED : ({one}, {one}) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    }}) {{dimension = 0 : i64, is_stable = true}} : ({whole}) -> {whole}""", [a], np.sort(a))


def add_indices(suite, kind):
    """Starts and indices are clamped by value; windows outside are not scattered."""
    row = np.arange(ROW, dtype=np.float32)
    info, indices = np.iinfo(kind), suite.integers(kind)
    whole, one = type_of(indices), type_of(indices[0:1].reshape(()))
    inside = lambda i, most: int(min(max(int(i), 0), most))  # noqa: E731
    for name, start in (("least", info.min), ("most", info.max - 5)):
        begin = inside(start, ROW - 4)
        suite.add(f"slice_{name}", f"%r = stablehlo.dynamic_slice %a, %b, sizes = [4] : (tensor<{ROW}xf32>, {one}) -> tensor<4xf32>",
                  [row, np.asarray(start, kind)], row[begin:begin + 4])
        part = np.asarray([7, 8, 9, 10], np.float32)
        changed = row.copy()
        changed[begin:begin + 4] = part
        suite.add(f"update_{name}", f"""%r = stablehlo.dynamic_update_slice %a, %c, %b
      : (tensor<{ROW}xf32>, tensor<4xf32>, {one}) -> tensor<{ROW}xf32>""", [row, np.asarray(start, kind), part], changed)
    suite.add("gather", f"""%r = "stablehlo.gather"(%a, %b) {{{GATHER}}} : (tensor<{ROW}xf32>, {whole}) -> tensor<32xf32>""",
              [row, indices], row[[inside(i, ROW - 1) for i in indices]])
    twice = (indices + indices).astype(kind)
    suite.add("gather_wrapped", f"""%s = stablehlo.add %b, %b : {whole}
    %r = "stablehlo.gather"(%a, %s) {{{GATHER}}} : (tensor<{ROW}xf32>, {whole}) -> tensor<32xf32>""",
              [row, indices], row[[inside(i, ROW - 1) for i in twice]])
    sums = np.zeros(ROW, np.float32)
    for i in indices:
        if 0 <= int(i) < ROW:
            sums[int(i)] += 1
    suite.add("scatter", f"""%r = "stablehlo.scatter"(%a, %b, %c) {combiner("f32")} {{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
      : (tensor<{ROW}xf32>, {whole}, tensor<32xf32>) -> tensor<{ROW}xf32>""",
              [np.zeros(ROW, np.float32), indices, np.ones(32, np.float32)], sums)
    counted = np.arange(ROW).astype(kind)
    suite.add("iota", f"""%s = stablehlo.iota dim = 0 : {type_of(counted)}
    %r = stablehlo.add %s, %a : {type_of(counted)}""", [np.zeros(ROW, kind)], counted)


def add_pairs(suite):
    pairs = np.array([[0, 0], [1, 9], [9, 1], [-1, 1], [2, 3]], np.int32)
    sums = np.zeros((4, 5), np.float32)
    sums[0, 0] = sums[2, 3] = 1
    suite.add("scatter_pairs", f"""%r = "stablehlo.scatter"(%a, %b, %c) {combiner("f32")} {{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}}
      : (tensor<4x5xf32>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<4x5xf32>""",
              [np.zeros((4, 5), np.float32), pairs, np.ones(5, np.float32)], sums)


def add_bits(suite, kind, bits, exponent):
    """What moves numbers, or changes their sign alone, keeps the payload of a NaN."""
    sign, quiet = 1 << (bits - 1), (exponent & -exponent) >> 1
    word, integer = np.dtype(f"u{bits // 8}"), f"i{bits // 8}"
    patterns = np.array([exponent | quiet | 5, exponent | quiet | 9 | sign, exponent | 1, sign | exponent | 3, 0, sign, exponent, 7], word)
    numbers, chosen = patterns.view(kind), np.array([1, 0] * 4, bool)
    floats, words = type_of(numbers), type_of(patterns.view(integer))
    shown = f"%r = stablehlo.bitcast_convert %s : ({floats}) -> {words}"
    for name, made, expected in (("reverse", f"stablehlo.reverse %a, dims = [0] : {floats}", patterns[::-1]),
                                 ("negate", f"stablehlo.negate %a : {floats}", patterns ^ word.type(sign)),
                                 ("abs", f"stablehlo.abs %a : {floats}", patterns & word.type(sign - 1)),
                                 ("select", f"stablehlo.select %b, %a, %a : tensor<8xi1>, {floats}", patterns)):
        suite.add(name, f"%s = {made}\n    {shown}", [numbers, chosen][:1 + (name == "select")], expected.copy().view(integer))
    suite.add("unequal", f"%r = stablehlo.compare NE, %a, %a, FLOAT : ({floats}, {floats}) -> tensor<8xi1>", [numbers], np.isnan(numbers))


def add_loop(suite, end, step, start):
    total, at = 0, start
    while at < end:
        total, at = (total * 3 + at) & 0xffffffff, at + step
    suite.add("loop", """%z = stablehlo.constant dense<0> : tensor<i32>
    %t = stablehlo.constant dense<3> : tensor<i32>
    %q:2 = stablehlo.while(%i = %c, %s = %z) : tensor<i32>, tensor<i32> cond {
      %l = stablehlo.compare LT, %i, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
    } do {
      %m = stablehlo.multiply %s, %t : tensor<i32>
      %o = stablehlo.add %m, %i : tensor<i32>
      %j = stablehlo.add %i, %b : tensor<i32>
      stablehlo.return %j, %o : tensor<i32>, tensor<i32>
    }
    %r = stablehlo.add %q#1, %z : tensor<i32>""", [np.asarray(n, np.int32) for n in (end, step, start)],
              np.asarray(total, np.uint32).view(np.int32))


def make_suite():
    suite = Suite()
    for bits in (8, 16, 32, 64):
        add_unsigned(suite, np.dtype(f"u{bits // 8}").type)
        add_indices(suite, np.dtype(f"u{bits // 8}").type)
        add_indices(suite, np.dtype(f"i{bits // 8}").type)
    add_pairs(suite)
    add_bits(suite, np.float16, 16, 0x7c00)
    add_bits(suite, np.float32, 32, 0x7f800000)
    add_bits(suite, np.float64, 64, 0x7ff0000000000000)
    for loop in ((17, 3, 0), (17, 40, 0), (5, 1, 5), (100, 7, -9), (0, 2, 1)):
        add_loop(suite, *loop)
    return suite


def main():
    tool, folder, targets = sys.argv[1], sys.argv[2], sys.argv[3:]
    cases = make_suite().cases
    with open(f"{folder}/cases.mlir", "w", encoding="utf-8") as file:
        for number, (name, body, arguments, expected) in enumerate(cases):
            parameters = ", ".join(f"%{letter}: {type_of(a)}" for letter, a in zip("abc", arguments))
            file.write(f"func.func @case{number}_{name}({parameters}) -> {type_of(expected)} {{\n    {body}\n    return %r : {type_of(expected)}\n}}\n")
    wrong = 0
    for target in targets:
        subprocess.run([tool, f"{folder}/cases.mlir", f"--target={target}", "-o", f"{folder}/cases.kiln"], check=True)
        program = kiln.load(f"{folder}/cases.kiln")
        for number, (name, _, arguments, expected) in enumerate(cases):
            found = np.asarray(program[f"case{number}_{name}"](*arguments))
            if (found.dtype, found.shape, found.tobytes()) != (expected.dtype, expected.shape, expected.tobytes()):
                wrong += 1
                print(f"case {number}, {name}, on {target}: expected {expected.dtype} {expected.ravel()[:8]}, found {found.dtype} {found.ravel()[:8]}")
    print(f"{len(cases)} cases on {len(targets)} targets, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        sys.exit(main())
