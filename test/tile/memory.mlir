// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s -canonicalize -cse | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: tile.kernel @access
tile.kernel @access(%a: !tile.view<?x?xf32>, %i: index, %z: f32, %ids: !tile.view<?xi32>, %s: !tile.view<f32>,
                    %y: !tile.view<?xf32>) {
  // CHECK: tile.load %arg0[%arg1, %arg1] : !tile.view<?x?xf32> -> tensor<64x32xf32>
  %0 = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<64x32xf32>
  // CHECK: tile.load %arg0 at [%arg1, %arg1] pad %arg2 : f32 : !tile.view<?x?xf32> -> tensor<32xf32>
  %1 = tile.load %a at [%i, %i] pad %z : f32 : !tile.view<?x?xf32> -> tensor<32xf32>
  // CHECK: tile.load %arg0[%arg1, %arg1] padding nan step [1, 2] : !tile.view<?x?xf32> -> tensor<f32>
  %2 = tile.load %a[%i, %i] padding nan step [1, 2] : !tile.view<?x?xf32> -> tensor<f32>
  // CHECK: tile.load %arg4[] padding any : !tile.view<f32> -> tensor<f32>
  %3 = tile.load %s[] padding any : !tile.view<f32> -> tensor<f32>
}

// CHECK-LABEL: tile.kernel @gather
// FOLD-LABEL: tile.kernel @gather
tile.kernel @gather(%a: !tile.view<?x?x?xf32>, %i: index, %z: f32, %ids: !tile.view<?x?xi32>, %y: !tile.view<?x?x?x?xf32>) {
  %idx = tile.load %ids[%i, %i] : !tile.view<?x?xi32> -> tensor<4x5xi32>
  // CHECK: tile.load_gather %arg0[%arg1, %arg1] dim 1 by %{{.*}} pad %arg2 : f32 : !tile.view<?x?x?xf32>, tensor<4x5xi32> -> tensor<2x4x5x8xf32>
  %g = tile.load_gather %a[%i, %i] dim 1 by %idx pad %z : f32 : !tile.view<?x?x?xf32>, tensor<4x5xi32> -> tensor<2x4x5x8xf32>
  // CHECK: tile.store %{{.*}}, %arg4[%arg1, %arg1, %arg1, %arg1] combine add : tensor<2x4x5x8xf32>, !tile.view<?x?x?x?xf32>
  tile.store %g, %y[%i, %i, %i, %i] combine add : tensor<2x4x5x8xf32>, !tile.view<?x?x?x?xf32>
  // CHECK: tile.store %{{.*}}, %arg4 at [%arg1, %arg1, %arg1, %arg1] step [1, 1, 1, 3]
  tile.store %g, %y at [%i, %i, %i, %i] step [1, 1, 1, 3] : tensor<2x4x5x8xf32>, !tile.view<?x?x?x?xf32>
}

// CHECK-LABEL: tile.kernel @scatter
// FOLD-LABEL: tile.kernel @scatter
tile.kernel @scatter(%a: !tile.view<?x?x?xf32>, %i: index, %ids: !tile.view<?x?xi32>, %x: !tile.view<?x?x?x?xf32>) {
  %idx = tile.load %ids[%i, %i] : !tile.view<?x?xi32> -> tensor<4x5xi32>
  %t = tile.load %x[%i, %i, %i, %i] : !tile.view<?x?x?x?xf32> -> tensor<2x4x5x8xf32>
  // CHECK: tile.store_scatter %{{.*}}, %arg0[%arg1, %arg1] dim 1 by %{{.*}} : tensor<2x4x5x8xf32>, !tile.view<?x?x?xf32>, tensor<4x5xi32>
  // FOLD: tile.store_scatter
  tile.store_scatter %t, %a[%i, %i] dim 1 by %idx : tensor<2x4x5x8xf32>, !tile.view<?x?x?xf32>, tensor<4x5xi32>
  // CHECK: tile.store_scatter %{{.*}}, %arg0[%arg1, %arg1] dim 1 by %{{.*}} combine mul volatile cache streaming : tensor
  // FOLD: tile.store_scatter {{.*}} combine mul
  tile.store_scatter %t, %a[%i, %i] dim 1 by %idx combine mul volatile cache streaming
    : tensor<2x4x5x8xf32>, !tile.view<?x?x?xf32>, tensor<4x5xi32>
}

// Unused loads go, stores and what lies between them stay in order.
// FOLD-LABEL: tile.kernel @effects
tile.kernel @effects(%a: !tile.view<?xf32>, %i: index) {
  // FOLD: %[[X:.*]] = tile.load
  // FOLD-NEXT: tile.store %[[X]]
  // FOLD-NEXT: %[[Y:.*]] = tile.load
  // FOLD-NEXT: tile.store %[[Y]]
  // FOLD-NEXT: }
  %unused = tile.load %a[%i] : !tile.view<?xf32> -> tensor<8xf32>
  %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32>
  tile.store %x, %a at [%i] : tensor<4xf32>, !tile.view<?xf32>
  %y = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32>
  tile.store %y, %a at [%i] : tensor<4xf32>, !tile.view<?xf32>
}

// FOLD-LABEL: tile.kernel @sizes
tile.kernel @sizes(%p: !tile.ptr<f32>, %n: index, %y: !tile.view<?xindex>, %i: index) {
  // CHECK: tile.make_view %arg0 sizes[%arg1] strides[%arg1] : !tile.ptr<f32> -> !tile.view<?x100xf32, strides = [?, 1]>
  %v = tile.make_view %p sizes [%n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x100xf32, strides = [?, 1]>
  // CHECK: tile.num_blocks %{{.*}}[1] by 64 : !tile.view<?x100xf32, strides = [?, 1]>
  %b = tile.num_blocks %v[1] by 64 : !tile.view<?x100xf32, strides = [?, 1]>
  %d = tile.dim %v[1] : !tile.view<?x100xf32, strides = [?, 1]>
  // FOLD-DAG: arith.constant dense<2> : tensor<1xindex>
  // FOLD-DAG: arith.constant dense<100> : tensor<1xindex>
  %bt = tile.splat %b : tensor<1xindex>
  %dt = tile.splat %d : tensor<1xindex>
  tile.store %bt, %y[%i] : tensor<1xindex>, !tile.view<?xindex>
  tile.store %dt, %y[%i] : tensor<1xindex>, !tile.view<?xindex>
}
