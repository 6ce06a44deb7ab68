// Descriptions from elsewhere: rows whose code is known are taken, others are passed over, or an error where somebody
// asks for them.
// RUN: kiln-opt %s --cpu-select-matrix-instructions -split-input-file | FileCheck %s
// RUN: not kiln-opt %S/Inputs/unknown-row.mlir --cpu-lower-micro-kernels 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown-row.mlir:2:3: error: unsupported: no plug-in has registered code for matrix instruction 'mystery'

// CHECK: tile.dot {{.*}}#cpu.product<row = "fma.f32", rows = {{[0-9]+}}, columns = {{4|8|12|16}}
module attributes {kiln.target = #kiln.target<name = "board", chip = "b1", family = "cpu",
  memories = [#kiln.memory<name = "l1", scope = core, kind = cached, size = 32768>],
  units = [#kiln.unit<name = "v", kind = vector, bits = 128, registers = 32, homes = ["l1"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "mystery", unit = "v", m = <4>, n = <4>, k = <1>, lhs = <types = [f32], home = "l1">,
      rhs = <types = [f32], home = "l1">, acc = <types = [f32]>>,
    #kiln.matrix_instruction<name = "fma.f32", unit = "v", m = <1>, n = <4>, k = <1>, lhs = <types = [f32], home = "l1">,
      rhs = <types = [f32], home = "l1">, acc = <types = [f32]>>]>} {
  tile.kernel @k() {
    %x = arith.constant dense<0.0> : tensor<64x64xf32>
    %d = tile.dot %x, %x, %x : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
}

// -----
// CHECK: tile.dot {{.*}}#cpu.product<rows =
tile.kernel @none() {
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %x, %x, %x : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
