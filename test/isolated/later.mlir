// A wire form of a later version: what an older program does not read becomes what it reads, or is declined by name.
// RUN: kiln-opt %s --load-target=%build/test/isolated/libisolated-later.so --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(tile-to-wire{version=1})' | FileCheck %s
// RUN: kiln-opt %s --load-target=%build/test/isolated/libisolated-later.so --split-input-file \
// RUN:   --pass-pipeline='builtin.module(tile-to-wire{version=5})' | FileCheck %s --check-prefix=NEW

// CHECK-LABEL: tile.kernel @least
// CHECK: %[[A:.*]] = arith.negf %{{.*}} : tensor<64xf32>
// CHECK: %[[B:.*]] = arith.negf %{{.*}} : tensor<64xf32>
// CHECK: %[[C:.*]] = arith.maximumf %[[A]], %[[B]]
// CHECK: %[[D:.*]] = arith.negf %[[C]]
// CHECK: tile.store %[[D]]
// NEW: arith.minimumf
tile.kernel @least(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %b = tile.load %y[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %c = arith.minimumf %a, %b : tensor<64xf32>
  tile.store %c, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}

// -----

// NEW: math.exp
tile.kernel @exp(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  // expected-error @below {{unsupported: 'math.exp' came with version 5 of the wire form, the target reads version 1}}
  %b = math.exp %a : tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
