// An encoding says where elements are, never what they are: operations, verifiers, folds and passes let it stand.
// RUN: kiln-opt %s -canonicalize -cse -verify-tile-form | FileCheck %s
// RUN: kiln-opt %s -verify-tile-form -tile-retile="kernel=retiled sizes=32" | FileCheck %s --check-prefix=RETILED
// RUN: kiln-run %s --target=reference --entry=everything --grid=1 --arg=random:1:f32:16x16 --arg=zeros:f32:16x16 --check

#rows = affine_map<(i, j) -> (i, j floordiv 4, j mod 4)>
#columns = affine_map<(i, j) -> (j, i)>
#vector = affine_map<(i) -> (i mod 8, i floordiv 8)>

// CHECK-LABEL: tile.kernel @everything
tile.kernel @everything(%v: !tile.view<?x?xf32>, %w: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.load {{.*}} -> tensor<16x16xf32, #map{{[0-9]*}}>
  %x = tile.load %v[%c0, %c0] : !tile.view<?x?xf32> -> tensor<16x16xf32, #rows>
  // A transposition that permutes nothing changes the layout, so it stays.
  // CHECK: tile.transpose {{.*}} [0, 1] : tensor<16x16xf32, #[[ROWS:.*]]> -> tensor<16x16xf32, #[[COLUMNS:.*]]>
  %t = tile.transpose %x [0, 1] : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #columns>
  // CHECK: tile.reduce {{.*}} : tensor<16x16xf32, #[[COLUMNS]]> -> tensor<16xf32, #{{.*}}>
  %r = tile.reduce %t axis 1 : tensor<16x16xf32, #columns> -> tensor<16xf32, #vector> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  }
  // CHECK: tile.scan {{.*}} : tensor<16xf32, #{{.*}}> -> tensor<16xf32>
  %s = tile.scan %r axis 0 : tensor<16xf32, #vector> -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  }
  %j = tile.join %s, %s : tensor<16xf32> -> tensor<16x2xf32, #rows>
  %f, %g = tile.split %j : tensor<16x2xf32, #rows> -> tensor<16xf32, #vector>
  %i = tile.iota 0 : tensor<16xi32, #vector>
  %k = tile.gather %f by %i axis 0 : tensor<16xf32, #vector>, tensor<16xi32, #vector> -> tensor<16xf32>
  %e = tile.expand_dims %k axis 1 : tensor<16xf32> -> tensor<16x1xf32, #columns>
  %d = tile.broadcast %e : tensor<16x1xf32, #columns> -> tensor<16x16xf32, #columns>
  %p = tile.reshape %d : tensor<16x16xf32, #columns> -> tensor<16x16xf32, #rows>
  // CHECK: tile.dot {{.*}} : tensor<16x16xf32, #[[ROWS]]>, tensor<16x16xf32, #[[COLUMNS]]>, tensor<16x16xf32, #[[COLUMNS]]>
  %q = tile.dot %p, %t, %d : tensor<16x16xf32, #rows>, tensor<16x16xf32, #columns>, tensor<16x16xf32, #columns>
  // CHECK: tile.store {{.*}} : tensor<16x16xf32, #[[COLUMNS]]>
  tile.store %q, %w[%c0, %c0] : tensor<16x16xf32, #columns>, !tile.view<?x?xf32>
}

// RETILED-LABEL: tile.kernel @retiled
// RETILED: tile.load {{.*}} -> tensor<32xf32, #{{.*}}>
tile.kernel @retiled(%v: !tile.view<?xf32>, %w: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %x = tile.load %v[%i] : !tile.view<?xf32> -> tensor<16xf32, #vector>
  tile.store %x, %w[%i] : tensor<16xf32, #vector>, !tile.view<?xf32>
}
