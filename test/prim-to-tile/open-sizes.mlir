// Sizes of a group's result that follow from index values of the function around it, which the host program has as its own.
// RUN: kiln-compile %s --target=cpu --entry=joined --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=joined --arg=random:1:i64:1x7 --arg=random:2:i64:1x8 --arg=random:3:i64:1x1 --check --no-fallback
// RUN: kiln-run %s --target=cpu --entry=joined --arg=random:1:i64:1x0 --arg=random:2:i64:1x1 --arg=random:3:i64:1x1 --check --no-fallback
// RUN: not kiln-run %s --target=cpu --entry=joined --arg=random:1:i64:1x7 --arg=random:2:i64:1x9 --arg=random:3:i64:1x1 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: kiln-compile %s --target=cpu --entry=alone --emit=program | FileCheck %s --check-prefix=ALONE
// RUN: kiln-run %s --target=cpu --entry=alone --arg=random:1:f32:1 --check --no-fallback
// RUN: kiln-run %s --target=cpu --entry=around --arg=random:1:f32:3x0 --check --no-fallback
// RUN: kiln-run %s --target=cpu --entry=nothing --arg=random:1:i64:3x2x0 --check --no-fallback
// RUN: kiln-run %s --target=cpu --entry=behind --arg=random:1:i64:2x2 --check --no-fallback
// RUN: kiln-run %s --target=cpu --entry=joined_of_nothing --arg=random:1:f32:3x1 --check --no-fallback
// RUN: kiln-run %s --target=cpu --entry=reshaped --arg=random:1:f32:3x7 --arg=random:2:f32:21 --check --no-fallback

// The difference has one size, which is computed once: that of the second argument was checked to be the same.
// CHECK-LABEL: program.func @joined
// CHECK: %[[N:.*]] = memref.dim %arg0
// CHECK: %[[SUM:.*]] = arith.addi %[[N]],
// CHECK: program.check
// CHECK: program.alloc sizes(%[[SUM]])
func.func @joined(%a: tensor<1x?xi64>, %b: tensor<1x?xi64>, %first: tensor<1x1xi64>) -> tensor<1x?xi64> {
  %all = prim.cat %first, %a dim 1 : tensor<1x1xi64>, tensor<1x?xi64> -> tensor<1x?xi64>
  %r = prim.sub %all, %b : tensor<1x?xi64>
  return %r : tensor<1x?xi64>
}
// SIZES: does not match

func.func @reshaped(%a: tensor<?x7xf32>, %b: tensor<?xf32>) -> tensor<?x7xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %rows = tensor.dim %a, %c0 : tensor<?x7xf32>
  %all = arith.muli %rows, %c7 : index
  %flat = prim.reshape %a sizes(%all) : tensor<?x7xf32> -> tensor<?xf32>
  %sum = prim.add %flat, %b : tensor<?xf32>
  %r = prim.reshape %sum sizes(%rows) : tensor<?xf32> -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

// A result of open sizes may turn out to have known ones; where it lies in memory of its own there is no copy.
// ALONE-LABEL: program.func @alone
// ALONE-COUNT-2: program.launch
// ALONE-NOT: program.launch
// ALONE: program.return %{{.*}}, %{{.*}} : memref<f32>, memref<?xf32>
func.func @alone(%a: tensor<?xf32>) -> (tensor<f32>, tensor<?xf32>) {
  %one = prim.reshape %a : tensor<?xf32> -> tensor<f32>
  %sum = prim.add %a, %a : tensor<?xf32>
  %r = prim.neg %one : tensor<f32>
  return %r, %sum : tensor<f32>, tensor<?xf32>
}

// Nothing of an empty operand is read, though its only index is known.
func.func @around(%a: tensor<?x0xf32>) -> tensor<?x1xf32> {
  %r = prim.pad %a low [1, 0] high [2, 1] value 1.0 : f32 : tensor<?x0xf32> -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// A size that is computed as 0 has no tiles.
func.func @nothing(%a: tensor<?x2x0xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %a, %c0 : tensor<?x2x0xi64>
  %none = arith.muli %rows, %c0 : index
  %flat = prim.reshape %a sizes (%none) : tensor<?x2x0xi64> -> tensor<?xi64>
  %r = prim.neg %flat : tensor<?xi64>
  return %r : tensor<?xi64>
}

// An empty slice of a slice may begin behind the first one's end.
func.func @behind(%a: tensor<2x2xi64>) -> tensor<0x2xi64> {
  %row = prim.slice %a starts [1, 0] limits [2, 2] strides [2, 1] : tensor<2x2xi64> -> tensor<1x2xi64>
  %r = prim.slice %row starts [1, 0] limits [1, 2] strides [1, 1] : tensor<1x2xi64> -> tensor<0x2xi64>
  return %r : tensor<0x2xi64>
}

// Parts of no elements are not copied.
func.func @joined_of_nothing(%a: tensor<?x1xf32>) -> tensor<?x0xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %a, %c0 : tensor<?x1xf32>
  %none = prim.broadcast_in_dim %a dims [0, 1] sizes (%rows) : tensor<?x1xf32> -> tensor<?x0xf32>
  %large = prim.maximum %none, %none : tensor<?x0xf32>
  %r = prim.cat %large, %large dim 1 : tensor<?x0xf32>, tensor<?x0xf32> -> tensor<?x0xf32>
  return %r : tensor<?x0xf32>
}
