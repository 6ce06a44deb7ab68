// What came with version 4 of the wire form: stores by index that combine, and products. For version 3 the former are a loop of
// stores; what has no older form is declined by name.
// RUN: kiln-opt %s --split-input-file --tile-to-wire | FileCheck %s
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile-to-wire{version=3})' | FileCheck %s --check-prefix=OLD
// RUN: kiln-opt %s --split-input-file --tile-to-wire --mlir-print-op-generic | FileCheck %s --check-prefix=TEXT

// CHECK-LABEL: tile.kernel @weighted
// CHECK: tile.store_scatter {{.*}} combine max
// TEXT: "tile.store_scatter"({{.*}}combine = 2 : i32
// OLD-LABEL: tile.kernel @weighted(
// OLD-SAME: %[[X:.*]]: !tile.view<64xf32>, %{{.*}}, %[[Y:.*]]: !tile.view<?xf32>)
// OLD: %[[C64:.*]] = arith.constant 64
// OLD: scf.for %[[N:.*]] = %{{.*}} to %[[C64]]
// OLD: %[[BIN:.*]] = tensor.extract %{{.*}}[%[[N]]] : tensor<64xi32>
// OLD: %[[AT:.*]] = arith.index_cast %[[BIN]] : i32 to index
// OLD: %[[V:.*]] = tensor.extract %{{.*}}[%[[N]]] : tensor<64xf32>
// OLD: %[[S:.*]] = tile.splat %[[V]] : tensor<1xf32>
// OLD: tile.store %[[S]], %[[Y]] at [%[[AT]]] combine max : tensor<1xf32>
// OLD-NOT: tile.store_scatter
tile.kernel @weighted(%x: !tile.view<64xf32>, %k: !tile.view<64xi32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %i = tile.load %k[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  tile.store_scatter %v, %y[] dim 0 by %i combine max : tensor<64xf32>, !tile.view<?xf32>, tensor<64xi32>
}

// -----

// CHECK-LABEL: tile.kernel @plain
// OLD-LABEL: tile.kernel @plain
// OLD: tile.store_scatter
tile.kernel @plain(%x: !tile.view<64xf32>, %k: !tile.view<64xi32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %i = tile.load %k[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  tile.store_scatter %v, %y[] dim 0 by %i : tensor<64xf32>, !tile.view<?xf32>, tensor<64xi32>
}

// -----

// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%x: !tile.view<4x8xf32>, %k: !tile.view<4xi32>, %y: !tile.view<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : !tile.view<4x8xf32> -> tensor<4x8xf32>
  %i = tile.load %k[%c0] : !tile.view<4xi32> -> tensor<4xi32>
  // expected-error @below {{unsupported: attribute 'combine' of 'tile.store_scatter' came with version 4 of the wire form, and this one has no form in version 3}}
  tile.store_scatter %v, %y[%c0] dim 0 by %i combine add : tensor<4x8xf32>, !tile.view<?x8xf32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: tile.kernel @product
// TEXT: "tile.store"({{.*}}combine = 11 : i32
tile.kernel @product(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error @below {{unsupported: a value of attribute 'combine' of 'tile.store' came with version 4 of the wire form, the target reads version 3}}
  tile.store %v, %y[%c0] combine mul : tensor<64xf32>, !tile.view<64xf32>
}
