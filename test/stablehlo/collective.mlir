// RUN: kiln-compile %s --target=cpu --emit=prim | FileCheck %s
// RUN: kiln-run %s --target=cpu --ranks=4 --check

module attributes {mhlo.num_partitions = 4 : i32} {
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4x6xf32>, %b: tensor<3xui8>, %c: tensor<2xcomplex<f32>>) -> (tensor<4x6xf32>, tensor<3xui8>, tensor<16x6xf32>, tensor<4x3xf32>, tensor<2x12xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2xcomplex<f32>>, tensor<ui32>, tensor<ui32>) {
  // CHECK: prim.all_reduce add %{{.*}} groups {{\[\[}}0, 1], [2, 3]] : tensor<4x6xf32>
  // CHECK: prim.all_reduce umax %{{.*}} groups {{\[\[}}0, 1, 2, 3]] : tensor<3xi8>
  // CHECK: prim.all_gather %{{.*}} dim 0
  // CHECK: prim.reduce_scatter mul %{{.*}} dim 1
  // CHECK: prim.all_to_all %{{.*}} split 0 concat 1
  // CHECK: prim.broadcast %{{.*}} groups {{\[\[}}1, 0], [2, 3]]
  // CHECK: prim.permute %{{.*}} pairs {{\[\[}}0, 1], [1, 2], [2, 3]]
  // CHECK-COUNT-2: prim.all_reduce add
  // CHECK: prim.rank
  %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = "stablehlo.all_reduce"(%b) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
  ^bb0(%l: tensor<ui8>, %r: tensor<ui8>):
    %s = stablehlo.maximum %l, %r : tensor<ui8>
    stablehlo.return %s : tensor<ui8>
  }) : (tensor<3xui8>) -> tensor<3xui8>
  %2 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x6xf32>) -> tensor<16x6xf32>
  %3 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.multiply %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %4 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
  %5 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[1, 0], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %6 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %7 = "stablehlo.all_reduce"(%c) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
  ^bb0(%l: tensor<complex<f32>>, %r: tensor<complex<f32>>):
    %s = stablehlo.add %l, %r : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %8 = stablehlo.partition_id : tensor<ui32>
  %9 = stablehlo.replica_id : tensor<ui32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<4x6xf32>, tensor<3xui8>, tensor<16x6xf32>, tensor<4x3xf32>, tensor<2x12xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<2xcomplex<f32>>, tensor<ui32>, tensor<ui32>
}
}
