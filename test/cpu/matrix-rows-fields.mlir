// Micro-kernels honour each field of a row, or refuse the row and say why.
// RUN: kiln-opt %s --cpu-select-matrix-instructions | FileCheck %s

// Each copy of the row differs from one that is taken in one field.
// CHECK-LABEL: tile.kernel @fields
// CHECK: tile.dot {{.*}}kiln.reported = {declined = {{\[}}["signs", "it takes si8 * ui8 + i32, found f32 * f32 + f32"]
// CHECK-SAME: ["overwrites", "it does not add to its sums (accumulate = false)"]
// CHECK-SAME: ["keeps-rhs", "its rhs stays in the unit between uses, but here sums do"]
// CHECK-SAME: ["keeps-lhs", "its lhs stays in the unit between uses, but here sums do"]
// CHECK-SAME: ["rows", "its lhs lies as #kiln.order<row>, which micro-kernels do not have"]
// CHECK-SAME: ["columns", "its rhs lies as #kiln.order<col>, which micro-kernels do not have"]
// CHECK-SAME: ["turned", "its acc lies as #kiln.order<col>, which micro-kernels do not have"]
// CHECK-SAME: ["far", "its lhs lives in 'pad', which micro-kernels do not read"]
// CHECK-SAME: ["far-sums", "its acc lives in 'pad', which micro-kernels do not read"]
// CHECK-SAME: ["unknown", "no code is registered for it"]
// CHECK-SAME: split = #cpu.product<row = "fma.f32"
module attributes {kiln.target = #kiln.target<name = "cpu", chip = "made-up", family = "cpu",
  memories = [#kiln.memory<name = "l1", scope = core, kind = cached, size = 32768, line = 64>,
    #kiln.memory<name = "pad", scope = core, kind = explicit, size = 65536>,
    #kiln.memory<name = "main", scope = host, kind = cached>],
  units = [#kiln.unit<name = "v", kind = vector, bits = 256, registers = 16, types = [f32, i8, i32]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "signs", unit = "v", m = <1>, n = <8>, k = <4>, lhs = <types = [si8]>, rhs = <types = [ui8]>, acc = <types = [i32]>>,
    #kiln.matrix_instruction<name = "overwrites", unit = "v", m = <1>, n = <8>, k = <1>, lhs = <types = [f32]>, rhs = <types = [f32]>, acc = <types = [f32]>, accumulate = false>,
    #kiln.matrix_instruction<name = "keeps-rhs", unit = "v", m = <1>, n = <8>, k = <1>, lhs = <types = [f32]>, rhs = <types = [f32]>, acc = <types = [f32]>, stationary = rhs>,
    #kiln.matrix_instruction<name = "keeps-lhs", unit = "v", m = <1>, n = <8>, k = <1>, lhs = <types = [f32]>, rhs = <types = [f32]>, acc = <types = [f32]>, stationary = lhs>,
    #kiln.matrix_instruction<name = "rows", unit = "v", m = <1>, n = <8>, k = <1>, lhs = <types = [f32], layout = #kiln.order<row>>, rhs = <types = [f32]>, acc = <types = [f32]>>,
    #kiln.matrix_instruction<name = "columns", unit = "v", m = <1>, n = <8>, k = <1>, lhs = <types = [f32]>, rhs = <types = [f32], layout = #kiln.order<col>>, acc = <types = [f32]>>,
    #kiln.matrix_instruction<name = "turned", unit = "v", m = <1>, n = <8>, k = <1>, lhs = <types = [f32]>, rhs = <types = [f32]>, acc = <types = [f32], layout = #kiln.order<col>>>,
    #kiln.matrix_instruction<name = "far", unit = "v", m = <1>, n = <8>, k = <1>, lhs = <types = [f32], home = "pad">, rhs = <types = [f32]>, acc = <types = [f32]>>,
    #kiln.matrix_instruction<name = "far-sums", unit = "v", m = <1>, n = <8>, k = <1>, lhs = <types = [f32]>, rhs = <types = [f32]>, acc = <types = [f32], home = "pad">>,
    #kiln.matrix_instruction<name = "unknown", unit = "v", m = <1>, n = <8>, k = <1>, lhs = <types = [f32]>, rhs = <types = [f32]>, acc = <types = [f32]>>,
    #kiln.matrix_instruction<name = "fma.f32", unit = "v", m = <1>, n = <8>, k = <1>,
      lhs = <types = [f32], home = "l1", layout = #kiln.order<col>>, rhs = <types = [f32], home = "main", layout = #kiln.order<row>>,
      acc = <types = [f32], layout = #kiln.order<row>>, stationary = acc>]>} {
tile.kernel @fields(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<?x?xf32> -> tensor<32x32xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<?x?xf32> -> tensor<32x32xf32>
  %d = tile.dot %x, %y, %zero : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32>
}
}
