// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=ds
// RUN: kiln-run %s --target=cpu --check --entry=dsrows --dim=9
// RUN: kiln-run %s --target=cpu --check --entry=dus
// RUN: kiln-run %s --target=cpu --check --entry=dusrow --dim=9
// RUN: kiln-run %s --target=cpu --check --entry=add
// RUN: kiln-run %s --target=cpu --check --entry=points
// RUN: kiln-run %s --target=cpu --check --entry=windows
// RUN: kiln-run %s --target=cpu --check --entry=unique --dim=700 --dim=600
// RUN: kiln-run %s --target=cpu --check --entry=unique --dim=7 --dim=0
// RUN: kiln-run %s --target=cpu --check --entry=bools
// RUN: kiln-run %s --target=cpu --check --entry=slices
// RUN: kiln-run %s --target=cpu --check --entry=slicesb --dim=9
// RUN: kiln-run %s --target=cpu --check --entry=argmin
// RUN: kiln-run %s --target=cpu --check --entry=chain

func.func @ds(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x3xf32> {
  %r = prim.dynamic_slice %x starts (%i, %j) : tensor<4x8xf32>, tensor<i32>, tensor<i32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @dsrows(%x: tensor<?x8xf32>, %i: tensor<i64>, %z: tensor<i64>) -> tensor<2x8xf32> {
  %r = prim.dynamic_slice %x starts (%i, %z) : tensor<?x8xf32>, tensor<i64>, tensor<i64> -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}
func.func @dus(%x: tensor<4x8xf32>, %u: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<4x8xf32> {
  %r = prim.dynamic_update_slice %x, %u starts (%i, %j) : tensor<4x8xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>
  return %r : tensor<4x8xf32>
}
func.func @dusrow(%x: tensor<?x300xf32>, %u: tensor<1x300xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<?x300xf32> {
  %r = prim.dynamic_update_slice %x, %u starts (%i, %j) : tensor<?x300xf32>, tensor<1x300xf32>, tensor<i32>, tensor<i32>
  return %r : tensor<?x300xf32>
}
func.func @add(%x: tensor<10x7xf32>, %k: tensor<30x1xi32>, %u: tensor<30x1x7xf32>) -> tensor<10x7xf32> {
  %c = prim.constant dense<9> : tensor<30x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<30x1xi32>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<10x7xf32>, tensor<30x1xi32>, tensor<30x1x7xf32>
  return %r : tensor<10x7xf32>
}
func.func @points(%x: tensor<10x7xi16>, %k: tensor<3x30x2xi64>, %u: tensor<3x30x1x1xi16>) -> tensor<10x7xi16> {
  %c = prim.constant dense<15> : tensor<3x30x2xi64>
  %i = prim.bitwise_and %k, %c : tensor<3x30x2xi64>
  %r = prim.scatter mul %x, %i, %u dims [1, 0] batch_dims 0 : tensor<10x7xi16>, tensor<3x30x2xi64>, tensor<3x30x1x1xi16>
  return %r : tensor<10x7xi16>
}
func.func @windows(%x: tensor<2x10x7xf16>, %k: tensor<2x5x1xi64>, %u: tensor<2x5x3x4xf16>) -> tensor<2x10x7xf16> {
  %c = prim.constant dense<15> : tensor<2x5x1xi64>
  %i = prim.bitwise_and %k, %c : tensor<2x5x1xi64>
  %r = prim.scatter max %x, %i, %u dims [1] batch_dims 1 : tensor<2x10x7xf16>, tensor<2x5x1xi64>, tensor<2x5x3x4xf16>
  return %r : tensor<2x10x7xf16>
}
func.func @unique(%x: tensor<?xf64>, %u: tensor<?x1xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %u, %c0 : tensor<?x1xf64>
  %i = prim.iota dim 0 sizes (%n) : tensor<?x1xi32>
  %r = prim.scatter set %x, %i, %u dims [0] batch_dims 0 unique : tensor<?xf64>, tensor<?x1xi32>, tensor<?x1xf64>
  return %r : tensor<?xf64>
}
func.func @bools(%x: tensor<10xi1>, %u: tensor<30x1xi1>, %k: tensor<30x1xi8>) -> tensor<10xi1> {
  %r = prim.scatter add %x, %k, %u dims [0] batch_dims 0 : tensor<10xi1>, tensor<30x1xi8>, tensor<30x1xi1>
  return %r : tensor<10xi1>
}
func.func @slices(%x: tensor<8x4x6xf32>, %i: tensor<5x2xi32>) -> tensor<5x1x4x2xf32> {
  %r = prim.gather_slices %x, %i dims [0, 2] batch_dims 0 slice_sizes [1, -1, 2] : tensor<8x4x6xf32>, tensor<5x2xi32> -> tensor<5x1x4x2xf32>
  return %r : tensor<5x1x4x2xf32>
}
func.func @slicesb(%x: tensor<2x?x6xf32>, %k: tensor<2x5x1xi32>) -> tensor<2x5x3x6xf32> {
  %c = prim.constant dense<15> : tensor<2x5x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<2x5x1xi32>
  %r = prim.gather_slices %x, %i dims [1] batch_dims 1 slice_sizes [3, -1] : tensor<2x?x6xf32>, tensor<2x5x1xi32> -> tensor<2x5x3x6xf32>
  return %r : tensor<2x5x3x6xf32>
}
func.func @argmin(%x: tensor<5x9xf32>, %y: tensor<5x9xi8>) -> (tensor<5xi32>, tensor<9xi64>) {
  %r = prim.argmin %x dim 1 : tensor<5x9xf32> -> tensor<5xi32>
  %s = prim.argmin %y dim 0 : tensor<5x9xi8> -> tensor<9xi64>
  return %r, %s : tensor<5xi32>, tensor<9xi64>
}
// What nobody else reads is written where it is.
// CHECK-LABEL: program.func @chain
// CHECK: program.copy
// CHECK-NOT: program.copy
// CHECK: program.return
func.func @chain(%x: tensor<8x4xf32>, %u: tensor<1x4xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<8x4xf32> {
  %0 = prim.dynamic_update_slice %x, %u starts (%i, %j) : tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>
  %1 = prim.dynamic_update_slice %0, %u starts (%j, %j) : tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>
  return %1 : tensor<8x4xf32>
}
