// A plug-in that registers the code of a matrix instruction alone is loaded, and a description that lists the
// instruction uses it.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %plugin_cxx %S/Inputs/rows-only.cpp -o %t/rows.so
// RUN: kiln-opt %s --load-target=%t/rows.so --cpu-select-matrix-instructions --mlir-print-local-scope | FileCheck %s

module attributes {kiln.target = #kiln.target<name = "mine", chip = "one", family = "cpu", triple = "x86_64-unknown-linux-gnu",
  memories = [#kiln.memory<name = "l1", scope = core, kind = cached, size = 32768>],
  units = [#kiln.unit<name = "simd", kind = vector, bits = 256, registers = 16>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "mine", unit = "simd", m = <1>, n = <8>, k = <1>,
      lhs = <types = [f32], home = "l1", layout = #kiln.interleave<1>>,
      rhs = <types = [f32], home = "l1", layout = #kiln.interleave<1>>,
      acc = <types = [f32], home = "l1">>]>} {
  // CHECK: split = #cpu.product<row = "mine"
  tile.kernel @product(%x: !tile.view<16x16xf32> {tile.readonly}, %y: !tile.view<16x16xf32> {tile.readonly}, %z: !tile.view<16x16xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %a = tile.load %x[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
    %b = tile.load %y[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
    %d = tile.dot %a, %b, %zero : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    tile.store %d, %z[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
  }
}
