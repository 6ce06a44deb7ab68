// Loads of a loop that stores are copied ahead where nothing it stores can be what is loaded.
// RUN: kiln-opt %s --split-input-file -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_80},tile.kernel(simt-assign-layouts,simt-stage-operands))' \
// RUN:   | FileCheck %s

// The stores go through a parameter that has no alias.
// CHECK-LABEL: tile.kernel @apart
// CHECK: stage.copy
// CHECK: } {stage.decided
tile.kernel @apart(%x: !tile.view<?x1024xbf16> {tile.align = 16 : i64}, %w: !tile.view<1024x?xbf16> {tile.align = 16 : i64, tile.stride_div = array<i64: 8, 1>},
    %out: !tile.view<?x?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%i, %k] : !tile.view<?x1024xbf16> -> tensor<64x64xbf16>
    %b = tile.load %w[%k, %c0] : !tile.view<1024x?xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    tile.store %d, %out[%i, %k] : tensor<64x64xf32>, !tile.view<?x?xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %out[%i, %c16] : tensor<64x64xf32>, !tile.view<?x?xf32>
}

// -----

// Nothing is known: an iteration may read what the one before stored.
// CHECK-LABEL: tile.kernel @unknown
// CHECK-NOT: stage.copy
tile.kernel @unknown(%x: !tile.view<?x1024xbf16> {tile.align = 16 : i64}, %w: !tile.view<1024x?xbf16> {tile.align = 16 : i64, tile.stride_div = array<i64: 8, 1>},
    %out: !tile.view<?x?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%i, %k] : !tile.view<?x1024xbf16> -> tensor<64x64xbf16>
    %b = tile.load %w[%k, %c0] : !tile.view<1024x?xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    tile.store %d, %out[%i, %k] : tensor<64x64xf32>, !tile.view<?x?xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %out[%i, %c16] : tensor<64x64xf32>, !tile.view<?x?xf32>
}

// -----

// The loop says that its iterations are independent. What it stores through the parameter of a load still counts:
// %w is copied ahead, %x is not.
// CHECK-LABEL: tile.kernel @hinted
// CHECK: scf.for
// CHECK-NEXT: tile.load %arg0
// CHECK-NOT: stage.copy %arg0
// CHECK: stage.copy %arg1
// CHECK-NOT: stage.copy %arg0
tile.kernel @hinted(%x: !tile.view<?x1024xbf16> {tile.align = 16 : i64}, %w: !tile.view<1024x64xbf16> {tile.align = 16 : i64},
    %out: !tile.view<?x?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%i, %k] : !tile.view<?x1024xbf16> -> tensor<64x64xbf16>
    %b = tile.load %w[%k, %c0] : !tile.view<1024x64xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %n = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %n, %x[%i, %k] : tensor<64x64xbf16>, !tile.view<?x1024xbf16>
    tile.store %d, %out[%i, %k] : tensor<64x64xf32>, !tile.view<?x?xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.loop = #tile.loop_hints<independent = true>}
  tile.store %sum, %out[%i, %c16] : tensor<64x64xf32>, !tile.view<?x?xf32>
}

// -----

// A product takes neither the tile that is added nor the row as they are. The tile is copied ahead like a factor, and threads read
// it where they add it; the row is loaded an iteration early, and waits in registers. What the loop itself writes is not.
// CHECK-LABEL: tile.kernel @rows
// CHECK: stage.copy %arg1
// CHECK: %[[TILE:.*]] = stage.alloc
// CHECK: stage.copy %arg4{{.*}} to %[[TILE]]
// CHECK: tile.load %arg2{{.*}}at = #stage.at<-2, 0>
// CHECK-NOT: #stage.at
// CHECK: tile.dot
// CHECK: %[[READ:.*]] = stage.read %[[TILE]]
// CHECK: arith.addf %{{.*}}, %[[READ]]
// CHECK: stage.decided
tile.kernel @rows(%x: !tile.view<64x64xbf16> {tile.align = 16 : i64, tile.readonly}, %w: !tile.view<1024x64xbf16> {tile.align = 16 : i64, tile.readonly},
    %row: !tile.view<?xf32> {tile.readonly}, %out: !tile.view<?x64xf32>, %tile: !tile.view<1024x64xf32> {tile.align = 16 : i64, tile.readonly}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<64x64xbf16> -> tensor<64x64xbf16>
  scf.for %k = %c0 to %c16 step %c1 {
    %b = tile.load %w[%k, %c0] : !tile.view<1024x64xbf16> -> tensor<64x64xbf16>
    %r = tile.load %row[%k] : !tile.view<?xf32> -> tensor<64xf32>
    %o = tile.load %out[%k, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %d = tile.dot %a, %b, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = tile.expand_dims %r axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %f = tile.broadcast %e : tensor<1x64xf32> -> tensor<64x64xf32>
    %g = arith.addf %d, %f : tensor<64x64xf32>
    %p = tile.load %tile[%k, %c0] : !tile.view<1024x64xf32> -> tensor<64x64xf32>
    %q = arith.addf %g, %p : tensor<64x64xf32>
    %h = arith.addf %q, %o : tensor<64x64xf32>
    tile.store %h, %out[%k, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}
