// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 64-bit integers that f64 does not hold are rounded once to bf16: a bit far below a tie decides it.
// RUN: %python -c "import numpy as np; x = [2**62 + 2**54, 2**62 + 2**54 + 1, 2**62 + 2**54 - 1, -2**62 - 2**54 - 1, 2**63 - 1, -2**63, 2**53 + 1, 257]; np.save('%t.x.npy', np.array(x))"
// RUN: kiln-run %s --target=cpu --entry=plain --no-fallback --arg=%t.x.npy | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=without_sign --no-fallback --arg=%t.x.npy | FileCheck %s --check-prefix=UNSIGNED

// CHECK: 8xf32: 4.61168602e+18, 4.64771482e+18, 4.61168602e+18, -4.64771482e+18, 9.22337204e+18, -9.22337204e+18, 9.00719925e+15, 256
func.func @plain(%x: tensor<8xi64>) -> tensor<8xf32> {
  %0 = prim.convert_element_type %x : tensor<8xi64> -> tensor<8xbf16>
  %1 = prim.convert_element_type %0 : tensor<8xbf16> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// UNSIGNED: 8xf32: 4.61168602e+18, 4.64771482e+18, 4.61168602e+18, 1.38350581e+19, 9.22337204e+18, 9.22337204e+18, 9.00719925e+15, 256
func.func @without_sign(%x: tensor<8xi64>) -> tensor<8xf32> {
  %0 = prim.convert_element_type %x from_unsigned : tensor<8xi64> -> tensor<8xbf16>
  %1 = prim.convert_element_type %0 : tensor<8xbf16> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
