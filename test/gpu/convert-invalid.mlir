// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the conversion cannot do it says, where it stands.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt)'

tile.kernel @no_layout(%x: !tile.view<128xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has a tile without a layout; run simt-assign-layouts before}}
  %a = tile.load %x[%c0] : !tile.view<128xf32> -> tensor<128xf32>
  tile.store %a, %x[%c0] : tensor<128xf32>, !tile.view<128xf32>
}

// -----

#l = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
tile.kernel @unknown(%x: !tile.view<128xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{unsupported: tensor.empty}}
  %a = tensor.empty() : tensor<128xf32, #l>
  tile.store %a, %x[%c0] : tensor<128xf32, #l>, !tile.view<128xf32>
}

// -----

#l = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
tile.kernel @chosen_view(%x: !tile.view<128xf32>, %y: !tile.view<128xf32>, %first: i1) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{unsupported: a view that 'arith.select' makes}}
  %v = arith.select %first, %x, %y : !tile.view<128xf32>
  %a = tile.load %v[%c0] : !tile.view<128xf32> -> tensor<128xf32, #l>
  tile.store %a, %y[%c0] : tensor<128xf32, #l>, !tile.view<128xf32>
}

// -----

// A slot is filled from a view.
!T = memref<64xf32, #stage.space<"shared">>
!R = !stage.ring<3 x (!T)>
tile.kernel @from_storage(%x: !tile.view<?xf32>, %i: index) {
  %a = stage.alloc {offset = 0 : i64} : !T
  %r = stage.ring {offset = 1024 : i64} : !R
  stage.produce %r -> (%s) : !R {
    // expected-error@+1 {{this copy}}
    stage.copy %a to %s : !T, !T
    stage.commit
  }
  %s = stage.consume %r : !R
  stage.release %r : !R
}

// -----

// expected-error@+1 {{unsupported: 9223372036854775807 warps of 32 lanes}}
tile.kernel @warps(%x: !tile.view<3xi32>) attributes {warps = 9223372036854775807 : i64} {
}
