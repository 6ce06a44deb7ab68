# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic of 8, 16 and 32 bits that wraps, from each frontend: wrapped.py KILN_RUN FOLDER. Values are NumPy's, --check has to agree,
and `reference` to give the same."""
import subprocess
import sys

import numpy as np

RUN, FOLDER = sys.argv[1:]
BITS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f32": np.float32}
CASES = []


def wrap(numbers, kind):
    """Exact integers as so many bits hold them."""
    dtype = BITS[kind]
    bits = 8 * np.dtype(dtype).itemsize
    exact = np.asarray(numbers, dtype=object)
    return np.asarray((exact + 2 ** (bits - 1)) % 2 ** bits - 2 ** (bits - 1)).astype(dtype)


def exact(array):
    return np.asarray(array).astype(object)


def values(kind, *shape, seed=3):
    """Every order of size, with the ends of the type among them."""
    info = np.iinfo(BITS[kind])
    made = np.random.default_rng(seed).integers(info.min, info.max, shape, dtype=BITS[kind], endpoint=True)
    made.flat[:5] = [info.min, info.max, -1, 0, info.min + 1]
    return made


def kind_of(a):
    return ("f" if a.dtype.kind == "f" else "i") + str(8 * a.dtype.itemsize)


def tensor(a):
    return "tensor<" + "".join(f"{d}x" for d in a.shape) + kind_of(a) + ">"


def vtensor(a):
    return "!torch.vtensor<[" + ",".join(map(str, a.shape)) + "]," + kind_of(a).replace("i", "si") + ">"


def function(name, body, arguments, expected):
    """`body` computes %r of %a, %b, %c."""
    parameters = ", ".join(f"%{letter}: {tensor(a)}" for letter, a in zip("abc", arguments))
    text = f"func.func @main({parameters}) -> {tensor(expected)} {{\n  {body}\n  return %r : {tensor(expected)}\n}}\n"
    CASES.append((name, "mlir", text, arguments, expected, []))


def onnx(name, nodes, arguments, expected):
    parameters = ", ".join(f"%{letter}: {vtensor(a)}" for letter, a in zip("abc", arguments))
    head = 'attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 20 : si64}'
    text = f"func.func @main({parameters}) -> {vtensor(expected)} {head} {{\n  {nodes}\n  return %r : {vtensor(expected)}\n}}\n"
    CASES.append(("onnx " + name, "mlir", text, arguments, expected, []))


def node(result, op, operands, types, to, attributes=""):
    return f'%{result} = torch.operator "onnx.{op}"({", ".join("%" + one for one in operands)}) {attributes} : ({", ".join(types)}) -> {to}'


def kernel(name, lines, expected, kind="i32", x=None, scalars=()):
    """A kernel of Triton with 16 lanes: %i are they, %xs pointers to x, %o the tile that it stores."""
    x = np.arange(400, dtype=np.int32) if x is None else x
    element = kind_of(x)
    head = f"tt.func public @k(%x: !tt.ptr<{element}>, %out: !tt.ptr<{kind}>" + "".join(f", %s{n}: i32" for n in range(len(scalars))) + ") {"
    text = "\n".join([
        head, "  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>",
        f"  %xs = tt.splat %x : !tt.ptr<{element}> -> tensor<16x!tt.ptr<{element}>>", *("  " + line for line in lines),
        f"  %os = tt.splat %out : !tt.ptr<{kind}> -> tensor<16x!tt.ptr<{kind}>>",
        f"  %op = tt.addptr %os, %i : tensor<16x!tt.ptr<{kind}>>, tensor<16xi32>", f"  tt.store %op, %o : tensor<16x!tt.ptr<{kind}>>",
        "  tt.return", "}", ""])
    CASES.append(("triton " + name, "ttir", text, [x, np.zeros(16, BITS[kind])], expected, [f"--arg=i32:{s}" for s in scalars]))


def load(offset, kind="i32", element="i32"):
    return [f"%xp = tt.addptr %xs, {offset} : tensor<16x!tt.ptr<{element}>>, tensor<16x{kind}>",
            f"%o = tt.load %xp : tensor<16x!tt.ptr<{element}>>"]


def add_triton():
    i = np.arange(16)
    x = np.arange(400, dtype=np.int32)
    large = 2 ** 31 - 1
    # ~i in 8 bits, moved into the buffer.
    kernel("complement", ["%m = arith.constant dense<-1> : tensor<16xi8>", "%n = arith.trunci %i : tensor<16xi32> to tensor<16xi8>",
                          "%v = arith.xori %n, %m : tensor<16xi8>", "%w = arith.extui %v : tensor<16xi8> to tensor<16xi32>", *load("%w")],
           x[255 - i])
    kernel("negation times", ["%z = arith.constant dense<0> : tensor<16xi16>", "%f = arith.constant dense<4681> : tensor<16xi16>",
                              "%n = arith.trunci %i : tensor<16xi32> to tensor<16xi16>", "%v = arith.subi %z, %n : tensor<16xi16>",
                              "%p = arith.muli %v, %f : tensor<16xi16>", "%q = arith.constant dense<15> : tensor<16xi16>",
                              "%r = arith.andi %p, %q : tensor<16xi16>", "%w = arith.extsi %r : tensor<16xi16> to tensor<16xi32>", *load("%w")],
           x[(wrap(-exact(i) * 4681, "i16") & 15).astype(int)])
    # A position that a test and a subtraction bring back, both of a sum that wraps.
    kernel("modulo by hand", ["%a = tt.splat %s0 : i32 -> tensor<16xi32>", "%s = arith.addi %i, %a : tensor<16xi32>",
                              "%c = arith.cmpi slt, %s, %a : tensor<16xi32>", "%d = arith.subi %s, %a : tensor<16xi32>",
                              "%h = arith.constant dense<100> : tensor<16xi32>", "%e = arith.addi %d, %h : tensor<16xi32>",
                              "%w = arith.select %c, %e, %d : tensor<16xi1>, tensor<16xi32>", *load("%w")],
           x[np.where(i > 6, i + 100, i)], scalars=[large - 6])
    kernel("while in 8 bits", ["%z = arith.constant 0 : i8", "%t = arith.constant 37 : i8", "%n = arith.constant 0 : i32", "%u = arith.constant 1 : i32",
                               "%q:2 = scf.while (%p = %t, %k = %n) : (i8, i32) -> (i8, i32) {", "  %g = arith.cmpi sgt, %p, %z : i8",
                               "  scf.condition(%g) %p, %k : i8, i32", "} do {", "^bb0(%p: i8, %k: i32):", "  %s = arith.addi %p, %t : i8",
                               "  %l = arith.addi %k, %u : i32", "  scf.yield %s, %l : i8, i32", "}",
                               "%b = tt.splat %q#1 : i32 -> tensor<16xi32>", "%w = arith.addi %i, %b : tensor<16xi32>", *load("%w")], x[i + 3])
    kernel("scan of 8 bits", ["%f = arith.constant dense<9> : tensor<16xi8>", "%n = arith.trunci %i : tensor<16xi32> to tensor<16xi8>",
                              "%p = arith.muli %n, %f : tensor<16xi8>",
                              '%o = "tt.scan"(%p) <{axis = 0 : i32, reverse = false}> ({', "^bb0(%u: i8, %v: i8):",
                              "  %s = arith.addi %u, %v : i8", "  tt.scan.return %s : i8", "}) : (tensor<16xi8>) -> tensor<16xi8>"],
           wrap(np.cumsum(i * 9), "i8"), kind="i8")
    y = values("i16", 16)
    kernel("sum of 16 bits", [*load("%i", element="i16")[:1], "%l = tt.load %xp : tensor<16x!tt.ptr<i16>>",
                              '%t = "tt.reduce"(%l) <{axis = 0 : i32}> ({', "^bb0(%u: i16, %v: i16):", "  %s = arith.addi %u, %v : i16",
                              "  tt.reduce.return %s : i16", "}) : (tensor<16xi16>) -> i16", "%o = tt.splat %t : i16 -> tensor<16xi16>"],
           np.full(16, wrap(exact(y).sum(), "i16")), kind="i16", x=y)
    z = values("i8", 16)
    kernel("absolute of the least", [*load("%i", element="i8")[:1], "%l = tt.load %xp : tensor<16x!tt.ptr<i8>>",
                                     "%m = math.absi %l : tensor<16xi8>", "%o = arith.extsi %m : tensor<16xi8> to tensor<16xi32>"],
           wrap(abs(exact(z)), "i8").astype(np.int32), x=z)
    kernel("rows of a stride that wraps", ["%a = tt.splat %s0 : i32 -> tensor<16xi32>", "%four = arith.constant dense<4> : tensor<16xi32>",
                                           "%r = arith.divsi %i, %four : tensor<16xi32>", "%c = arith.remsi %i, %four : tensor<16xi32>",
                                           "%p = arith.muli %r, %a : tensor<16xi32>", "%s = arith.muli %p, %four : tensor<16xi32>",
                                           "%w = arith.addi %s, %c : tensor<16xi32>", *load("%w")],
           x[(i // 4) * 20 + i % 4], scalars=[2 ** 30 + 5])


def add_stablehlo():
    for kind in ("i8", "i16", "i32"):
        a, b = values(kind, 40), values(kind, 40, seed=9)
        whole, one = tensor(a), f"tensor<{kind}>"
        function(f"stablehlo polynomial {kind}", f"%p = stablehlo.multiply %a, %b : {whole}\n  %q = stablehlo.subtract %p, %a : {whole}\n"
                 f"  %n = stablehlo.negate %q : {whole}\n  %r = stablehlo.abs %n : {whole}", [a, b],
                 wrap(abs(exact(wrap(exact(a) - exact(a) * exact(b), kind))), kind))
        function(f"stablehlo sum {kind}", f"%z = stablehlo.constant dense<0> : {one}\n  %r = stablehlo.reduce(%a init: %z) applies stablehlo.add "
                 f"across dimensions = [0] : ({whole}, {one}) -> {one}", [a], wrap(exact(a).sum(), kind))
        m, n = values(kind, 5, 33), values(kind, 33, 7, seed=9)
        function(f"stablehlo product {kind}", f"%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({tensor(m)}, {tensor(n)}) -> "
                 f"tensor<5x7x{kind}>", [m, n], wrap(exact(m) @ exact(n), kind))
    a, row = values("i8", 16), np.arange(300, dtype=np.int32)
    function("stablehlo slice at a sum", "%s = stablehlo.add %b, %b : tensor<i8>\n  %r = stablehlo.dynamic_slice %a, %s, sizes = [4] : "
             "(tensor<300xi32>, tensor<i8>) -> tensor<4xi32>", [row, np.asarray(-100, np.int8)], row[56:60])
    function("stablehlo running sum", """%z = stablehlo.constant dense<0> : tensor<i8>
  %r = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%p: tensor<i8>, %q: tensor<i8>):
    %s = stablehlo.add %p, %q : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) {window_dimensions = array<i64: 16>, padding = dense<[[15, 0]]> : tensor<1x2xi64>} : (tensor<16xi8>, tensor<i8>) -> tensor<16xi8>""",
             [a], wrap(np.cumsum(exact(a)), "i8"))
    function("stablehlo power", "%r = stablehlo.power %a, %b : tensor<16xi8>", [a, np.full(16, 5, np.int8)], wrap(exact(a) ** 5, "i8"))


def add_tosa():
    a, b = values("i32", 24), values("i32", 24, seed=9)
    function("tosa sum and difference", "%p = tosa.add %a, %b : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi32>\n"
             "  %r = tosa.sub %p, %a : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi32>", [a, b], b)
    function("tosa sum along", "%r = tosa.reduce_sum %a {axis = 0 : i32} : (tensor<24xi32>) -> tensor<1xi32>", [a],
             wrap([exact(a).sum()], "i32"))
    function("tosa product", '%s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>\n'
             "  %r = tosa.mul %a, %b, %s : (tensor<24xi32>, tensor<24xi32>, tensor<1xi8>) -> tensor<24xi32>", [a, b],
             wrap(exact(a) * exact(b), "i32"))
    for kind in ("i8", "i16"):
        c = values("i32", 24)
        function(f"tosa cast {kind}", f"%p = tosa.cast %a : (tensor<24xi32>) -> tensor<24x{kind}>\n"
                 f"  %r = tosa.cast %p : (tensor<24x{kind}>) -> tensor<24xi32>", [c], wrap(exact(c), kind).astype(np.int32))


def add_onnx():
    for kind, op, compute in (("i8", "Mul", lambda x, y: x * y), ("i16", "Sub", lambda x, y: x - y), ("i32", "Add", lambda x, y: x + y)):
        a, b = values(kind, 20), values(kind, 20, seed=9)
        onnx(f"{op} {kind}", node("r", op, "ab", [vtensor(a)] * 2, vtensor(a)), [a, b], wrap(compute(exact(a), exact(b)), kind))
    a = values("i32", 6, 5)
    onnx("CumSum i32", '%k = torch.operator "onnx.Constant"() {torch.onnx.value = dense<1> : tensor<si64>} : () -> !torch.vtensor<[],si64>\n  '
         + node("r", "CumSum", "ak", [vtensor(a), "!torch.vtensor<[],si64>"], vtensor(a)), [a], wrap(np.cumsum(exact(a), 1), "i32"))
    row, at = np.arange(50, dtype=np.float32), np.array([2 ** 31 - 1, -2 ** 31, 2 ** 31 - 3], np.int32)
    more = np.array([-2 ** 31, 2 ** 31 - 1, 13], np.int32)
    onnx("Gather at a sum", node("s", "Add", "bc", [vtensor(at)] * 2, vtensor(at)) + "\n  "
         + node("n", "Neg", "s", [vtensor(at)], vtensor(at)) + "\n  "
         + node("t", "BitwiseAnd", ["n", "k"], [vtensor(at), vtensor(at)], vtensor(at)).replace("%t =", "%t =", 1) + "\n  "
         + node("r", "Gather", "at", [vtensor(row), vtensor(at)], "!torch.vtensor<[3],f32>"), [row, at, more],
         row[(wrap(-exact(wrap(exact(at) + exact(more), "i32")), "i32") & 31).astype(int)])
    CASES[-1] = CASES[-1][:2] + (CASES[-1][2].replace(
        "  %s = ", '  %k = torch.operator "onnx.Constant"() {torch.onnx.value = dense<31> : tensor<3xsi32>} : () -> ' + vtensor(at) + "\n  %s = ", 1),
    ) + CASES[-1][3:]
    a = values("i8", 20)
    onnx("Abs and Neg", node("n", "Neg", "a", [vtensor(a)], vtensor(a)) + "\n  " + node("r", "Abs", "n", [vtensor(a)], vtensor(a)), [a],
         wrap(abs(exact(wrap(-exact(a), "i8"))), "i8"))


def main():
    for add in (add_triton, add_stablehlo, add_tosa, add_onnx):
        add()
    wrong = 0
    for number, (name, suffix, text, arguments, expected, more) in enumerate(CASES):
        path = f"{FOLDER}/case{number}.{suffix}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        words = []
        for place, a in enumerate(arguments):
            np.save(f"{FOLDER}/a{place}.npy", a)
            words.append(f"--arg={FOLDER}/a{place}.npy")
        words += more + (["--grid=1", f"--save=1:{FOLDER}/out.npy"] if suffix == "ttir" else [f"--result=0:{FOLDER}/out.npy"])
        for target in ("reference", "cpu"):
            done = subprocess.run([RUN, path, "--target=" + target, *words] + ["--check"] * (target == "cpu"), capture_output=True, text=True,
                                  check=False)
            found = np.load(f"{FOLDER}/out.npy") if done.returncode == 0 else done.stdout + done.stderr
            if done.returncode or found.dtype != expected.dtype or not np.array_equal(found, expected):
                print(f"{name} ({path}) on {target}: expected {expected}, found {found}")
                wrong += 1
    print(f"{len(CASES)} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
