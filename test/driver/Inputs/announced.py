# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""announced.py FOLDER: compiles inputs that announce much in few bytes, and says what became of each. None may take
more than 10 seconds of a processor or 1 GiB."""
import os
import resource
import subprocess
import sys

MANY = 1 << 32
BODY = "^bb0(%a: tensor<f32>, %b: tensor<f32>): %s = stablehlo.add %a, %b : tensor<f32> stablehlo.return %s : tensor<f32>"
SPLAT = f"%s = stablehlo.constant dense<1> : tensor<{MANY}xi64>"


def function(signature, *lines):
    return f"func.func @main({signature} {{\n" + "".join(line + "\n" for line in lines) + "}\n"


def kernel(*lines):
    return "tt.func public @k(%x: !tt.ptr<f32>, %n: i32) {\n" + "".join(line + "\n" for line in lines) + "tt.return\n}\n"


def doubled(count, line):
    return [line.format(to=i, source=i - 1) for i in range(1, count)]


def pointers(tile, *lines):
    """A copy through pointers whose offsets are %v63."""
    return kernel("%r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>", *lines,
                  f"%b = tt.splat %x : !tt.ptr<f32> -> tensor<{tile}x!tt.ptr<f32>>",
                  f"%p = tt.addptr %b, %v63 : tensor<{tile}x!tt.ptr<f32>>, tensor<{tile}xi32>",
                  f"%ns = tt.splat %n : i32 -> tensor<{tile}xi32>", f"%m = arith.cmpi slt, %v63, %ns : tensor<{tile}xi32>",
                  f"%c = tt.load %p, %m : tensor<{tile}x!tt.ptr<f32>>", f"tt.store %p, %c, %m : tensor<{tile}x!tt.ptr<f32>>")


def exchanges():
    """A network that sorts, whose numbers of lanes are differences of the same differences."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "triton", "sort.mlir"), encoding="utf-8") as file:
        text = file.read()
    first, chain = "  %first = arith.subf %one, %second : tensor<1x2x1xf32>\n", "%v{to} = arith.subf %v{source}, %v{source} : tensor<1x2x1xf32>\n"
    lines = [first.replace("%first", "%v0"), *doubled(63, chain), "%first = arith.subf %v62, %v62 : tensor<1x2x1xf32>\n"]
    assert first in text
    return text.replace(first, "".join(lines))


WIDE = ["%e = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>",
        "%v0 = tt.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>"]
ROWS = """tile.kernel @k(%a: !tile.view<33554432x64xf32>, %b: !tile.view<64x16xf32>, %c: !tile.view<33554432x16xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<33554432x64xf32> -> tensor<33554432x64xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x16xf32> -> tensor<64x16xf32>
  %z = tile.load %c[%c0, %c0] : !tile.view<33554432x16xf32> -> tensor<33554432x16xf32>
  %d = tile.dot %x, %y, %z : tensor<33554432x64xf32>, tensor<64x16xf32>, tensor<33554432x16xf32>
  tile.store %d, %c[%c0, %c0] : tensor<33554432x16xf32>, !tile.view<33554432x16xf32>
}
"""
INPUTS = {
    "hint.ttir": kernel("%p = tt.get_program_id x : i32",
                        f"%s = arith.muli %p, %p {{tt.divisibility = dense<64> : tensor<{MANY}xi32>}} : i32",
                        "%q = tt.addptr %x, %s : !tt.ptr<f32>, i32", "%v = tt.load %q : !tt.ptr<f32>",
                        "tt.store %q, %v : !tt.ptr<f32>"),
    "sums.ttir": pointers("64", "%v0 = arith.addi %r, %r : tensor<64xi32>",
                          *doubled(64, "%v{to} = arith.addi %v{source}, %v{source} : tensor<64xi32>")),
    "products.ttir": pointers("64x64", *WIDE,
                              *doubled(64, "%v{to} = arith.muli %v{source}, %v{source} : tensor<64x64xi32>")),
    "squares.ttir": pointers("64", "%s = tt.splat %n : i32 -> tensor<64xi32>", "%v0 = arith.muli %r, %s : tensor<64xi32>",
                             *doubled(64, "%v{to} = arith.muli %v{source}, %v{source} : tensor<64xi32>")),
    "others.ttir": pointers("64x64", *WIDE,
                            *doubled(64, "%v{to} = arith.minui %v{source}, %v{source} : tensor<64x64xi32>")),
    "exchanges.ttir": exchanges(),
    "rows.mlir": ROWS,
    "constant.mlir": function(f"%x: tensor<{MANY}xf32>) -> tensor<{MANY}xf32>",
                              f"%c = stablehlo.constant dense<1.0> : tensor<{MANY}xf32>",
                              f"%0 = stablehlo.add %x, %c : tensor<{MANY}xf32>", f"return %0 : tensor<{MANY}xf32>"),
    "reshape.mlir": function("%x: tensor<4xf32>) -> tensor<?xf32>", SPLAT,
                             f"%0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<{MANY}xi64>) -> tensor<?xf32>",
                             "return %0 : tensor<?xf32>"),
    "broadcast.mlir": function(
        "%x: tensor<f32>) -> tensor<?xf32>", SPLAT,
        f"%0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : (tensor<f32>, tensor<{MANY}xi64>) -> tensor<?xf32>",
        "return %0 : tensor<?xf32>"),
    "iota.mlir": function(f"%s: tensor<{MANY}xi64>) -> tensor<?xf32>",
                          f"%0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<{MANY}xi64>) -> tensor<?xf32>",
                          "return %0 : tensor<?xf32>"),
    "slice.mlir": function("%x: tensor<?xf32>) -> tensor<?xf32>", SPLAT, "%0 = stablehlo.real_dynamic_slice %x, %s, %s, %s : "
                           f"(tensor<?xf32>, {', '.join([f'tensor<{MANY}xi64>'] * 3)}) -> tensor<?xf32>",
                           "return %0 : tensor<?xf32>"),
    "sizes.mlir": function(
        "%x: tensor<?xf32>) -> tensor<?xf32>", "%d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>",
        "%v0 = stablehlo.reshape %d : (tensor<i32>) -> tensor<1xi32>",
        *doubled(64, "%v{to} = stablehlo.add %v{source}, %v{source} : tensor<1xi32>"),
        "%0 = stablehlo.dynamic_reshape %x, %v63 : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>",
        "return %0 : tensor<?xf32>"),
    "convolution.mlir": function(
        "%x: tensor<1x8x8x1xf32>, %w: tensor<3x3x1x1xf32>) -> tensor<1x8x8x1xf32>",
        '%0 = "stablehlo.convolution"(%x, %w) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, '
        f"batch_group_count = 1 : i64, feature_group_count = 1 : i64, padding = dense<1> : tensor<{MANY}x2xi64>}} : "
        "(tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x8x8x1xf32>", "return %0 : tensor<1x8x8x1xf32>"),
    "groups.mlir": function(
        "%x: tensor<8xf32>) -> tensor<8xf32>", f'%0 = "stablehlo.all_reduce"(%x) ({{ {BODY} }}) {{replica_groups = dense<0> : '
        f"tensor<1x{MANY}xi64>}} : (tensor<8xf32>) -> tensor<8xf32>", "return %0 : tensor<8xf32>"),
    "pairs.mlir": function(
        "%x: tensor<8xf32>) -> tensor<8xf32>", '%0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<0> : '
        f"tensor<{MANY}x2xi64>}} : (tensor<8xf32>) -> tensor<8xf32>", "return %0 : tensor<8xf32>"),
    "processes.mlir": f"module attributes {{mhlo.num_replicas = {MANY} : i64}} {{\n" + function(
        "%x: tensor<8xf32>) -> tensor<8xf32>", f'%0 = "stablehlo.all_reduce"(%x) ({{ {BODY} }}) {{replica_groups = dense<> : '
        "tensor<0x0xi64>} : (tensor<8xf32>) -> tensor<8xf32>", "return %0 : tensor<8xf32>") + "}\n",
    "shape.mlir": function(
        "%x: tensor<4xf32>) -> tensor<*xf32>",
        "%s = tosa.const_shape {values = dense<1> : tensor<1000000000xindex>} : () -> !tosa.shape<1000000000>",
        "%0 = tosa.reshape %x, %s : (tensor<4xf32>, !tosa.shape<1000000000>) -> tensor<*xf32>", "return %0 : tensor<*xf32>"),
    "types.mlir": "!t0 = tuple<i1>\n" + "".join(f"!t{i} = tuple<!t{i - 1}, !t{i - 1}>\n" for i in range(1, 64)) + function(
        "%x: !t63)", "return"),
    "index.mlir": "!i = index\n" + function(
        "%x: tensor<?x?xf32>) -> tensor<?x?xf32>",
        "%0 = tosa.transpose %x {perms = array<!i: 1, 0>} : (tensor<?x?xf32>) -> tensor<?x?xf32>",
        "return %0 : tensor<?x?xf32>"),
}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


os.chdir(sys.argv[1])
for name, text in INPUTS.items():
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    child = subprocess.Popen(["kiln-compile", name, "--target=cpu", "-o", name + ".kiln"], stderr=subprocess.PIPE,
                             preexec_fn=limit)
    said = child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    assert used.ru_maxrss < 1 << 20, f"{name}: {used.ru_maxrss} KiB"
    assert status in (0, 256), f"{name}: {said}"
    print(said if status else f"{name}: compiled")
