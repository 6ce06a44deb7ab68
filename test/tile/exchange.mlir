// RUN: kiln-opt %s -canonicalize | FileCheck %s
// RUN: kiln-run %s --entry=places --target=reference --grid=1 --arg=zeros:i32:4x8 --save=0:%t.npy && %python -c "import numpy; a = numpy.load(r'%t.npy'); assert a.tolist() == [[10 * i + (j ^ 5) for j in range(8)] for i in (2, 3, 0, 1)], a"
// RUN: kiln-run %s --entry=places --target=cpu --grid=1 --arg=zeros:i32:4x8 --check
// RUN: kiln-run %s --entry=partial --target=cpu --grid=1 --arg=random:1:i8:3x40 --arg=zeros:i8:3x40 --check

// CHECK-LABEL: tile.kernel @places
// CHECK: tile.exchange %{{.*}} axis 1 mask 5 : tensor<4x8xi32>
// CHECK: tile.exchange %{{.*}} axis 0 mask 2 : tensor<4x8xi32>
tile.kernel @places(%out: !tile.view<4x8xi32>) {
  %z = arith.constant 0 : index
  %ten = arith.constant dense<10> : tensor<4x8xi32>
  %i = tile.iota 0 : tensor<4x8xi32>
  %j = tile.iota 1 : tensor<4x8xi32>
  %rows = arith.muli %i, %ten : tensor<4x8xi32>
  %t = arith.addi %rows, %j : tensor<4x8xi32>
  %x = tile.exchange %t axis 1 mask 5 : tensor<4x8xi32>
  %y = tile.exchange %x axis 0 mask 2 : tensor<4x8xi32>
  tile.store %y, %out[%z, %z] : tensor<4x8xi32>, !tile.view<4x8xi32>
}

// Two of one dimension are one, or none.
// CHECK-LABEL: tile.kernel @folds
tile.kernel @folds(%in: !tile.view<16xf32>, %out: !tile.view<16xf32>, %same: !tile.view<16xf32>) {
  %z = arith.constant 0 : index
  // CHECK: %[[T:.*]] = tile.load
  %t = tile.load %in[%z] : !tile.view<16xf32> -> tensor<16xf32>
  %x = tile.exchange %t axis 0 mask 3 : tensor<16xf32>
  // CHECK: %[[Y:.*]] = tile.exchange %[[T]] axis 0 mask 5 : tensor<16xf32>
  %y = tile.exchange %x axis 0 mask 6 : tensor<16xf32>
  %w = tile.exchange %x axis 0 mask 3 : tensor<16xf32>
  // CHECK: tile.store %[[Y]], %arg1
  tile.store %y, %out[%z] : tensor<16xf32>, !tile.view<16xf32>
  // CHECK: tile.store %[[T]], %arg2
  tile.store %w, %same[%z] : tensor<16xf32>, !tile.view<16xf32>
}

// Rows that are no whole vectors.
// CHECK-LABEL: tile.kernel @partial
tile.kernel @partial(%in: !tile.view<3x40xi8> {tile.readonly}, %out: !tile.view<3x40xi8>) {
  %z = arith.constant 0 : index
  %t = tile.load %in[%z, %z] : !tile.view<3x40xi8> -> tensor<3x40xi8>
  %x = tile.exchange %t axis 1 mask 5 : tensor<3x40xi8>
  tile.store %x, %out[%z, %z] : tensor<3x40xi8>, !tile.view<3x40xi8>
}
