// What came with version 3 of the wire form: a number that is read of a tile, the first elements in order, Fourier transforms. Programs
// of version 2 decline each by name.
// RUN: kiln-opt %s --split-input-file --tile-to-wire | FileCheck %s
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile-to-wire{version=2})'
// RUN: kiln-opt %s --split-input-file --tile-to-wire --mlir-print-op-generic | FileCheck %s --check-prefix=TEXT

// CHECK-LABEL: tile.kernel @weighted
// CHECK: tensor.extract
// CHECK: tile.store {{.*}} combine add
// TEXT: "tensor.extract"(%{{.*}}, %{{.*}}) : (tensor<64xi32>, index) -> i32
// TEXT: "tile.store"({{.*}}combine = 1 : i32
tile.kernel @weighted(%bins: !tile.view<?xi32>, %weights: !tile.view<?xf32>, %sums: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %i = tile.program_id : index
  %b = tile.load %bins[%i] : !tile.view<?xi32> -> tensor<64xi32>
  %first = arith.muli %i, %c64 : index
  scf.for %j = %c0 to %c64 step %c1 {
    // expected-error @below {{unsupported: 'tensor.extract' came with version 3 of the wire form, the target reads version 2}}
    %bin = tensor.extract %b[%j] : tensor<64xi32>
    %place = arith.index_cast %bin : i32 to index
    %at = arith.addi %first, %j : index
    %w = tile.load %weights at [%at] : !tile.view<?xf32> -> tensor<1xf32>
    tile.store %w, %sums at [%place] combine add : tensor<1xf32>, !tile.view<?xf32>
  }
}

// -----

// CHECK: tile.top_k
// TEXT: "tile.top_k"(%{{.*}}) <{axis = 0 : i64, smallest}>
tile.kernel @best(%x: !tile.view<64xf32>, %y: !tile.view<4xf32>, %p: !tile.view<4xi32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error @below {{unsupported: 'tile.top_k' came with version 3 of the wire form, the target reads version 2}}
  %v, %i = tile.top_k %a axis 0 smallest : tensor<64xf32> -> tensor<4xf32>, tensor<4xi32>
  tile.store %v, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>
  tile.store %i, %p[%c0] : tensor<4xi32>, !tile.view<4xi32>
}

// -----

// CHECK: tile.fourier
// TEXT: "tile.fourier"(%{{.*}}) <{axis = 0 : i64}>
tile.kernel @spectrum(%x: !tile.view<64xf32>, %re: !tile.view<33xf32>, %im: !tile.view<33xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error @below {{unsupported: 'tile.fourier' came with version 3 of the wire form, the target reads version 2}}
  %r, %i = tile.fourier %a axis 0 : tensor<64xf32> -> tensor<33xf32>, tensor<33xf32>
  tile.store %r, %re[%c0] : tensor<33xf32>, !tile.view<33xf32>
  tile.store %i, %im[%c0] : tensor<33xf32>, !tile.view<33xf32>
}
