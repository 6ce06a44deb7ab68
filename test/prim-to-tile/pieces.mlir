// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of columns that are no power of two are computed in pieces that are, which share the rows. 3072 columns are 16 blocks of 192:
// three rounds of the cores, as with 256, of three quarters of the work.
// RUN: kiln-compile %s --entry=square --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s
// CHECK-LABEL: tile.kernel {{.*}}@square_0_dot(
// CHECK: scf.for {{.*}} -> (tensor<128x128xf32>, tensor<128x64xf32>)
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<128x64xbf16>
// CHECK: tile.dot %[[X]], {{.*}} tensor<64x128xbf16>, tensor<128x128xf32>
// CHECK: tile.dot %[[X]], {{.*}} tensor<64x64xbf16>, tensor<128x64xf32>
// CHECK: tile.store {{.*}} tensor<128x128xbf16>
// CHECK: tile.store {{.*}} tensor<128x64xbf16>
// 1536 columns are 10 blocks of 160, which with 12 blocks of rows are one round of 120 cores; with 192 it is one of 96.
// RUN: kiln-compile %s --entry=short --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=SHORT
// SHORT: -> (tensor<128x128xf32>, tensor<128x32xf32>)
// A piece is read from memory as the product that it is a part of, where a product of so few columns alone is not.
// RUN: kiln-compile %s --entry=short --target=nvidia:sm_90a,ptxas=none --no-fallback --explain -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: tile.dot x2 -> wgmma.m64k16.f32.bf16
// RUN: kiln-compile %s --entry=wide --target=nvidia:sm_90a,ptxas=none,blocks=128x320x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=WIDE
// WIDE: -> (tensor<128x256xf32>, tensor<128x64xf32>)
// RUN: kiln-compile %s --entry=wide --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=THREE
// THREE: -> (tensor<128x128xf32>, tensor<128x64xf32>, tensor<128x32xf32>)
// The last block may end behind the last column: 4096 columns are 22 blocks of 192, which with six blocks of rows are one round of 132 cores.
// RUN: kiln-compile %s --entry=uneven --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: arith.constant 192
// UNEVEN: -> (tensor<128x128xf32>, tensor<128x64xf32>)
// Blocks of 64 rows have pieces, too.
// RUN: kiln-compile %s --entry=narrow --target=nvidia:sm_90a,ptxas=none,blocks=64x192x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=NARROW
// NARROW: -> (tensor<64x128xf32>, tensor<64x64xf32>)
// Pieces are no shorter than a line of memory where the rows of the right operand lie along them. Rows that
// lie across may have pieces of 32 columns, where asked for.
// RUN: kiln-compile %s --entry=across --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=ACROSS
// ACROSS: -> (tensor<64x128xf32>, tensor<64x64xf32>)
// RUN: kiln-compile %s --entry=along --target=nvidia:sm_90a,ptxas=none,blocks=64x160x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=ALONG
// ALONG: -> (tensor<64x128xf32>, tensor<64x32xf32>)
// Where the rounds are as many as with a power of two, blocks have one piece.
// RUN: kiln-compile %s --entry=whole --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile | FileCheck %s --check-prefix=WHOLE
// WHOLE: scf.for
// WHOLE: tile.dot
// WHOLE-NOT: tile.dot
// Of rows such blocks are an error, where an option asks for them.
// RUN: not kiln-compile %s --entry=whole --target=nvidia:sm_90a,ptxas=none,blocks=192x128x64 --no-fallback --emit=tile 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: pieces.mlir:[[#@LINE+31]]:8: error: unsupported: no schedule for dot
// REFUSED-NEXT: declined: threads share out blocks of powers of two, found a block of 192
// What follows the product is computed on each piece, and every pass keeps the results.
// RUN: kiln-compile %s --entry=small --target=nvidia:sm_90a,ptxas=none,blocks=128x192x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=SMALL
// SMALL-COUNT-2: tile.dot
// SMALL-COUNT-2: arith.maximumf
// RUN: kiln-compile %s --entry=small --target=nvidia:sm_90a,ptxas=none,blocks=128x192x64 --no-fallback --verify-semantics --verify-limit=0 -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: kiln-compile %s --entry=small --target=nvidia:sm_90a,ptxas=none,blocks=128x192x64,persistent=on --no-fallback --verify-semantics --verify-limit=0 -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: kiln-compile %s --entry=ragged --target=nvidia:sm_90a,ptxas=none,blocks=128x192x64 --no-fallback --verify-semantics --verify-limit=0 -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: kiln-compile %s --entry=small --target=nvidia:sm_90a,ptxas=none,blocks=128x160x64 --no-fallback --verify-semantics --verify-limit=0 -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: kiln-compile %s --entry=ragged --target=nvidia:sm_90a,ptxas=none,blocks=64x224x64 --no-fallback --verify-semantics --verify-limit=0 -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: kiln-run %s --entry=ragged --target=amd:gfx942,device=sim,blocks=64x96x64 --arg=random:1:bf16:72x128 --arg=random:2:bf16:200x128 --arg=random:3:bf16:200 --check --no-fallback | FileCheck %s --check-prefix=RIGHT
// RIGHT: result 0: ok
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
func.func @square(%a: tensor<3072x3072xbf16>, %b: tensor<3072x3072xbf16>) -> tensor<3072x3072xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<3072x3072xbf16>, tensor<3072x3072xbf16> -> tensor<3072x3072xbf16>
  return %r : tensor<3072x3072xbf16>
}
func.func @short(%a: tensor<1536x1536xbf16>, %b: tensor<1536x1536xbf16>) -> tensor<1536x1536xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<1536x1536xbf16>, tensor<1536x1536xbf16> -> tensor<1536x1536xbf16>
  return %r : tensor<1536x1536xbf16>
}
func.func @wide(%a: tensor<5120x5120xbf16>, %b: tensor<5120x5120xbf16>) -> tensor<5120x5120xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<5120x5120xbf16>, tensor<5120x5120xbf16> -> tensor<5120x5120xbf16>
  return %r : tensor<5120x5120xbf16>
}
func.func @uneven(%a: tensor<768x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<768x4096xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<768x4096xbf16>, tensor<4096x4096xbf16> -> tensor<768x4096xbf16>
  return %r : tensor<768x4096xbf16>
}
func.func @whole(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  return %r : tensor<4096x4096xbf16>
}
func.func @narrow(%a: tensor<2048x768xbf16>, %b: tensor<768x768xbf16>) -> tensor<2048x768xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<2048x768xbf16>, tensor<768x768xbf16> -> tensor<2048x768xbf16>
  return %r : tensor<2048x768xbf16>
}
func.func @across(%a: tensor<384x1536xbf16>, %b: tensor<1536x3072xbf16>) -> tensor<384x3072xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<384x1536xbf16>, tensor<1536x3072xbf16> -> tensor<384x3072xbf16>
  return %r : tensor<384x3072xbf16>
}
func.func @along(%a: tensor<384x1536xbf16>, %b: tensor<3072x1536xbf16>) -> tensor<384x3072xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<384x1536xbf16>, tensor<3072x1536xbf16> -> tensor<384x3072xbf16>
  return %r : tensor<384x3072xbf16>
}
func.func @small(%a: tensor<72x128xbf16>, %b: tensor<384x128xbf16>, %bias: tensor<384xbf16>) -> tensor<72x384xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<72x128xbf16>, tensor<384x128xbf16> -> tensor<72x384xbf16>
  %c = prim.broadcast_in_dim %bias dims [1] : tensor<384xbf16> -> tensor<72x384xbf16>
  %s = prim.add %r, %c : tensor<72x384xbf16>
  %z = prim.full 0.0 : bf16 : tensor<72x384xbf16>
  %m = prim.maximum %s, %z : tensor<72x384xbf16>
  return %m : tensor<72x384xbf16>
}
func.func @ragged(%a: tensor<72x128xbf16>, %b: tensor<200x128xbf16>, %bias: tensor<200xbf16>) -> tensor<72x200xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<72x128xbf16>, tensor<200x128xbf16> -> tensor<72x200xbf16>
  %c = prim.broadcast_in_dim %bias dims [1] : tensor<200xbf16> -> tensor<72x200xbf16>
  %s = prim.add %r, %c : tensor<72x200xbf16>
  return %s : tensor<72x200xbf16>
}
