// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of filters share the depth between as many instances as an option says, and between enough of them without one. The kernel
// states how many there are.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s --check-prefix=CHOSEN
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x64x64x1 --no-fallback --emit=program | FileCheck %s --check-prefix=ONE
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=64x64x64x2 --no-fallback --emit=program | FileCheck %s --check-prefix=TWO
// RUN: for blocks in 64x64x64x1 64x64x64x2 64x64x64x?; do kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=$blocks --no-fallback --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME || exit 1; done
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed

// CHOSEN: tiling = "contraction {{.*}} -> 64x64x64x3"
// CHOSEN: program.launch [@gradient_0_conv_parts]
// ONE: tiling = "contraction {{.*}} -> 64x64x64"
// ONE-NOT: program.launch [@gradient_0_conv_parts]
// TWO: tiling = "contraction {{.*}} -> 64x64x64x2"
// TWO: program.launch [@gradient_0_conv_parts]
func.func @gradient(%x: tensor<64x9x7x8xf16>, %y: tensor<64x9x7x8xf16>) -> tensor<64x3x3x64xf16> {
  %r = prim.conv %x, %y {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<64x9x7x8xf16>, tensor<64x9x7x8xf16> -> tensor<64x3x3x64xf16>
  return %r : tensor<64x3x3x64xf16>
}
