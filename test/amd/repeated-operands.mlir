// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of RDNA3 hold their operands twice, as the layouts of the description say: these take twice the registers, and blocks are smaller
// than those of RDNA4, so that no register is spilled.
// RUN: kiln-compile %s --target=amd:gfx1201 --emit=tile -o - | FileCheck %s --check-prefix=ONCE
// RUN: kiln-compile %s --target=amd:gfx1100 --emit=tile -o - | FileCheck %s --check-prefix=TWICE
// RUN: kiln-compile %s --target=amd:gfx1100 -o %t.kiln 2>&1 | count 0
// ONCE-LABEL: tile.kernel {{.*}}@large
// ONCE-SAME: -> 256x128x32"
// TWICE-LABEL: tile.kernel {{.*}}@large
// TWICE-SAME: -> 128x128x16"
func.func @large(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<4096x4096xf16>, tensor<4096x4096xf16> -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}

// Blocks that need more registers than there are cost accesses to scratch memory: smaller ones are faster.
// ONCE-LABEL: tile.kernel {{.*}}@middling
// ONCE-SAME: -> 128x128x32"
func.func @middling(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x1024xf16>, tensor<1024x1024xf16> -> tensor<1024x1024xf16>
  return %0 : tensor<1024x1024xf16>
}

// A step has four instructions for integers of 8 bits, and LLVM reads the operands of all of them first.
// ONCE-LABEL: tile.kernel {{.*}}@whole
// ONCE-SAME: -> 256x128x64"
// TWICE-LABEL: tile.kernel {{.*}}@whole
// TWICE-SAME: -> 128x128x32"
func.func @whole(%a: tensor<4096x4096xi8>, %b: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<4096x4096xi8>, tensor<4096x4096xi8> -> tensor<4096x4096xi32>
  return %0 : tensor<4096x4096xi32>
}
