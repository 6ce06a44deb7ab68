// What depends on no argument is evaluated as the program is compiled, where it includes a function that is worth storing.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-precompute))' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-precompute{max-elements=8}))' | FileCheck %s --check-prefix=FEW
// RUN: kiln-run %s --target=cpu --check --entry=table
// RUN: kiln-run %s --target=cpu --check --entry=narrow

// The table is that of the cosines: repeated elements are not stored.
// CHECK-LABEL: func.func @table
// CHECK-NOT: prim.cos
// CHECK-NOT: prim.exp
// CHECK: %[[C:.*]] = prim.constant dense<{{.*}}> : tensor<4x2xf32>
// CHECK-NEXT: %[[B:.*]] = prim.broadcast_in_dim %[[C]] dims [1, 2]
// CHECK-NEXT: prim.mul %arg0, %[[B]]

// Of values that are too large, those that they are computed from.
// FEW-LABEL: func.func @table
// FEW: prim.constant dense<{{.*}}> : tensor<4x2xf32>
// FEW: prim.broadcast_in_dim
func.func @table(%x: tensor<3x4x2xf32>) -> tensor<3x4x2xf32> {
  %i = prim.iota dim 0 : tensor<2xf32>
  %e = prim.exp %i : tensor<2xf32>
  %p = prim.iota dim 0 : tensor<4x2xf32>
  %eb = prim.broadcast_in_dim %e dims [1] : tensor<2xf32> -> tensor<4x2xf32>
  %a = prim.mul %p, %eb : tensor<4x2xf32>
  %c = prim.cos %a : tensor<4x2xf32>
  %b = prim.broadcast_in_dim %c dims [1, 2] : tensor<4x2xf32> -> tensor<3x4x2xf32>
  %r = prim.mul %x, %b : tensor<3x4x2xf32>
  return %r : tensor<3x4x2xf32>
}

// A table has the type with the fewest bits.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[C:.*]] = prim.constant dense<{{.*}}> : tensor<4xbf16>
// CHECK: prim.convert_element_type %[[C]]
func.func @narrow(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = prim.iota dim 0 : tensor<4xf32>
  %s = prim.sin %i : tensor<4xf32>
  %n = prim.convert_element_type %s : tensor<4xf32> -> tensor<4xbf16>
  %w = prim.convert_element_type %n : tensor<4xbf16> -> tensor<4xf32>
  %r = prim.mul %x, %w : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Masks stay computations.
// CHECK-LABEL: func.func @mask
// CHECK: prim.iota
// CHECK: prim.ge
func.func @mask(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %i = prim.iota dim 0 : tensor<4x4xi32>
  %j = prim.iota dim 1 : tensor<4x4xi32>
  %m = prim.ge %i, %j : tensor<4x4xi32> -> tensor<4x4xi1>
  %z = prim.full 0.0 : f32 : tensor<4x4xf32>
  %r = prim.where %m, %x, %z : tensor<4x4xi1>, tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// A table that is larger than the limit of this run is one of its operand.
// FEW-LABEL: func.func @large
// FEW: prim.constant dense<{{.*}}> : tensor<8xf32>
// FEW: prim.cos {{.*}} : tensor<2x8xf32>
func.func @large(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %i = prim.iota dim 0 : tensor<8xf32>
  %e = prim.exp %i : tensor<8xf32>
  %eb = prim.broadcast_in_dim %e dims [1] : tensor<8xf32> -> tensor<2x8xf32>
  %c = prim.cos %eb : tensor<2x8xf32>
  %r = prim.mul %x, %c : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}
