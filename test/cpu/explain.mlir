// What the report says of products: that blocks were replaced, or why they could not be; where
// there was nothing to choose it says nothing.
// RUN: kiln-compile %s --entry=plain --entry=large --target=cpu -o %t.kiln --explain | FileCheck %s --check-prefix=PLAIN --implicit-check-not="declined by tile"
// PLAIN: function plain
// PLAIN: tile.dot -> cpu.dot.packed
// PLAIN: declined by fma.f64: it takes f64 * f64 + f64, found f32 * f32 + f32
// PLAIN: function large
// PLAIN: tile.dot -> cpu.dot.packed
// RUN: kiln-compile %s --entry=small --target=cpu -o %t.kiln --explain | FileCheck %s --check-prefix=SMALL --implicit-check-not="declined by tile"
// SMALL: retile     small: tile.kernel -> tile-choose-blocks [cpu]
// RUN: kiln-compile %s --entry=odd --target=cpu -o %t.kiln --explain | FileCheck %s --check-prefix=ODD
// ODD: retile     odd: tile.kernel -> as it is [cpu]
// ODD-NEXT: declined by tile-choose-blocks: {{.+}}
func.func @plain(%a: tensor<64x128xf32>, %b: tensor<128x96xf32>) -> tensor<64x96xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<64x128xf32>, tensor<128x96xf32> -> tensor<64x96xf32>
  return %0 : tensor<64x96xf32>
}
func.func @large(%a: tensor<1000x1200xf32>, %b: tensor<1200x900xf32>) -> tensor<1000x900xf32> {
  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1000x1200xf32>, tensor<1200x900xf32> -> tensor<1000x900xf32>
  return %0 : tensor<1000x900xf32>
}
tile.kernel @small(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.readonly},
                   %c: !tile.view<?x?xf32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %n = tile.num_blocks %a[1] by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<16x16xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<16x16xf32>
    %d = tile.dot %x, %y, %s : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
}
tile.kernel @odd(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.readonly},
                 %c: !tile.view<?x?xf32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %two = arith.constant 2 : index
  %n = tile.num_blocks %a[1] by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32>) {
    %q = arith.remui %k, %two : index
    %x = tile.load %a[%i, %q] : !tile.view<?x?xf32> -> tensor<16x16xf32>
    %y = tile.load %b[%q, %j] : !tile.view<?x?xf32> -> tensor<16x16xf32>
    %d = tile.dot %x, %y, %s : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
}
