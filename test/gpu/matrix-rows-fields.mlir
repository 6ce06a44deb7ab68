// A product goes by the first row that it honours every field of: each row before that differs from it in one.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' | FileCheck %s
// CHECK-LABEL: tile.kernel @floats
// CHECK: tile.dot {{.*}}simt.decided = {row = "fits"}
// CHECK-LABEL: tile.kernel @signed
// CHECK: tile.dot {{.*}}simt.decided = {row = "signed"}
// CHECK-LABEL: tile.kernel @mixed
// CHECK: tile.dot {{.*}}simt.decided = {row = "mixed"}
#l = #simt.layout<rank = 2, register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#r = #simt.layout<rank = 2, register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#s = #simt.layout<rank = 2, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
module attributes {kiln.target = #kiln.target<name = "made-up", chip = "rows",
  memories = [#kiln.memory<name = "registers", scope = thread, kind = register>,
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = 65536>,
    #kiln.memory<name = "host", scope = host, kind = cached>],
  units = [#kiln.unit<name = "tensor", kind = matrix>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "overwrites", unit = "tensor", m = <16>, n = <8>, k = <16>, lhs = <types = [f16], layout = #l>,
      rhs = <types = [f16], layout = #r>, acc = <types = [f32], layout = #s>, accumulate = false>,
    #kiln.matrix_instruction<name = "keeps-rhs", unit = "tensor", m = <16>, n = <8>, k = <16>, lhs = <types = [f16], layout = #l>,
      rhs = <types = [f16], layout = #r>, acc = <types = [f32], layout = #s>, stationary = rhs>,
    #kiln.matrix_instruction<name = "far", unit = "tensor", m = <16>, n = <8>, k = <16>, lhs = <types = [f16], layout = #l>,
      rhs = <types = [f16], layout = #r>, acc = <types = [f32], home = "host", layout = #s>>,
    #kiln.matrix_instruction<name = "half", unit = "tensor", m = <16>, n = <8>, k = <16>, lhs = <types = [f16], home = "shared", layout = #l>,
      rhs = <types = [f16], home = "registers", layout = #r>, acc = <types = [f32], layout = #s>>,
    #kiln.matrix_instruction<name = "rows", unit = "tensor", m = <16>, n = <8>, k = <16>, lhs = <types = [f16], layout = #kiln.order<row>>,
      rhs = <types = [f16], layout = #r>, acc = <types = [f32], layout = #s>>,
    #kiln.matrix_instruction<name = "nowhere", unit = "tensor", m = <16>, n = <8>, k = <16>, lhs = <types = [f16], layout = #l>,
      rhs = <types = [f16]>, acc = <types = [f32], layout = #s>>,
    #kiln.matrix_instruction<name = "fits", unit = "tensor", m = <16>, n = <8>, k = <16>, lhs = <types = [f16], home = "registers", layout = #l>,
      rhs = <types = [f16], home = "registers", layout = #r>, acc = <types = [f32], home = "registers", layout = #s>, stationary = acc>,
    #kiln.matrix_instruction<name = "mixed", unit = "tensor", m = <16>, n = <8>, k = <16>, lhs = <types = [si8], layout = #l>,
      rhs = <types = [ui8], layout = #r>, acc = <types = [i32], layout = #s>>,
    #kiln.matrix_instruction<name = "signed", unit = "tensor", m = <16>, n = <8>, k = <16>, lhs = <types = [si8], layout = #l>,
      rhs = <types = [si8], layout = #r>, acc = <types = [si32], layout = #s>>]>} {
tile.kernel @floats(%a: !tile.view<32x32xf16>, %b: !tile.view<32x32xf16>, %c: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xf16> -> tensor<32x32xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x32xf16> -> tensor<32x32xf16>
  %d = tile.dot %x, %y, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}
tile.kernel @signed(%a: !tile.view<32x32xi8>, %b: !tile.view<32x32xi8>, %c: !tile.view<32x32xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xi8> -> tensor<32x32xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x32xi8> -> tensor<32x32xi8>
  %d = tile.dot %x, %y, %zero : tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xi32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xi32>, !tile.view<32x32xi32>
}
tile.kernel @mixed(%a: !tile.view<32x32xi8>, %b: !tile.view<32x32xi8>, %c: !tile.view<32x32xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xi8> -> tensor<32x32xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x32xi8> -> tensor<32x32xi8>
  %d = tile.dot %x, %y, %zero rhs_unsigned : tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xi32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xi32>, !tile.view<32x32xi32>
}
}
