// RUN: kiln-compile %s --target=cpu:icelake-server,threads=1 --emit=asm -o - | FileCheck %s

// A row of 17 16-bit floats ends with one: LLVM 22 would store 4 bytes of a
// truncated vector of which one lane is left.
// CHECK-LABEL: {{^}}round:
// CHECK: vpmovdw %zmm
// CHECK-NOT: vmovd %xmm{{.*}}(
// CHECK: .Lfunc_end
tile.kernel @round(%x: !tile.view<33x17xf32> {tile.readonly}, %y: !tile.view<33x17xbf16> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<33x17xf32> -> tensor<33x17xf32>
  %b = arith.truncf %a : tensor<33x17xf32> to tensor<33x17xbf16>
  tile.store %b, %y[%c0, %c0] : tensor<33x17xbf16>, !tile.view<33x17xbf16>
}
