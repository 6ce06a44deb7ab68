// Elementwise groups that read a tensor in common are one kernel with several results.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-fuse))' | FileCheck %s
// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s --check-prefix=PROGRAM
// RUN: kiln-run %s --target=cpu --check --entry=turned
// RUN: kiln-run %s --target=cpu --check --entry=chain
// RUN: kiln-run %s --target=cpu --check --entry=turned_rows
// RUN: kiln-compile %s --target=cpu --emit=program --verify-semantics -o /dev/null

// CHECK-LABEL: func.func @turned(
// CHECK: %[[R:.*]]:2 = prim.fusion elementwise(
// CHECK: prim.sub
// CHECK: prim.add
// CHECK: prim.yield {{.*}}, {{.*}} :
// CHECK-NOT: prim.fusion
// CHECK: prim.cat %[[R]]#0, %[[R]]#1

// Both are stored where the result is.
// PROGRAM-LABEL: program.func @turned(
// PROGRAM: %[[A:.*]] = program.alloc : memref<6x8xf32>
// PROGRAM: program.launch
// PROGRAM-NOT: program.launch
// PROGRAM: program.return %[[A]]
func.func @turned(%x: tensor<6x8xf32>, %c: tensor<6x4xf32>, %s: tensor<6x4xf32>) -> tensor<6x8xf32> {
  %a = prim.slice %x starts [0, 0] limits [6, 4] strides [1, 1] : tensor<6x8xf32> -> tensor<6x4xf32>
  %b = prim.slice %x starts [0, 4] limits [6, 8] strides [1, 1] : tensor<6x8xf32> -> tensor<6x4xf32>
  %0 = prim.mul %a, %c : tensor<6x4xf32>
  %1 = prim.mul %b, %s : tensor<6x4xf32>
  %2 = prim.sub %0, %1 : tensor<6x4xf32>
  %3 = prim.mul %b, %c : tensor<6x4xf32>
  %4 = prim.mul %a, %s : tensor<6x4xf32>
  %5 = prim.add %3, %4 : tensor<6x4xf32>
  %r = prim.cat %2, %5 dim 1 : tensor<6x4xf32>, tensor<6x4xf32> -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// The second one reads what is computed from the first.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: :2 = prim.fusion
func.func @chain(%x: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4xf32>, tensor<6x4xf32>) {
  %0 = prim.exp %x : tensor<6x4xf32>
  %1 = prim.sum %0 dims [0] : tensor<6x4xf32> -> tensor<4xf32>
  %2 = prim.broadcast_in_dim %1 dims [1] : tensor<4xf32> -> tensor<6x4xf32>
  %3 = prim.mul %x, %2 : tensor<6x4xf32>
  return %0, %1, %3 : tensor<6x4xf32>, tensor<4xf32>, tensor<6x4xf32>
}

// Tiles have one order of dimensions.
// CHECK-LABEL: func.func @turned_rows
// CHECK-NOT: :2 = prim.fusion
func.func @turned_rows(%x: tensor<6x6xf32>) -> (tensor<6x6xf32>, tensor<6x6xf32>) {
  %0 = prim.exp %x : tensor<6x6xf32>
  %t = prim.transpose %x permutation [1, 0] : tensor<6x6xf32> -> tensor<6x6xf32>
  %1 = prim.add %t, %x : tensor<6x6xf32>
  return %0, %1 : tensor<6x6xf32>, tensor<6x6xf32>
}

// A machine without f64 computes the exponentials all the same.
// CHECK-LABEL: func.func @widths
// CHECK: prim.fusion elementwise(
// CHECK: prim.exp
// CHECK-NOT: prim.mul
// CHECK: prim.fusion elementwise(
// CHECK: prim.mul
func.func @widths(%x: tensor<64x100xf32>) -> (tensor<64x100xf32>, tensor<64x100xf64>) {
  %e = prim.exp %x : tensor<64x100xf32>
  %d = prim.convert_element_type %x : tensor<64x100xf32> -> tensor<64x100xf64>
  %w = prim.mul %d, %d : tensor<64x100xf64>
  return %e, %w : tensor<64x100xf32>, tensor<64x100xf64>
}

// Where threads share out tiles, groups of few elements become one, whatever they read, also one of what another computes. What
// is read between them stays before its readers.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse))' | FileCheck %s --check-prefix=SMALL
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=small --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed
// SMALL-LABEL: func.func @small(
// SMALL: %[[S:.*]]:3 = prim.fusion elementwise(%arg0, %arg1)
// SMALL: %[[R:.*]] = prim.rsqrt
// SMALL: prim.convert_element_type %[[R]]
// SMALL: prim.mul
// SMALL: prim.fusion contraction({{.*}}%[[S]]#0
// SMALL: prim.fusion elementwise
// SMALL-NOT: prim.fusion
func.func @small(%v: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xbf16>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %r = prim.rsqrt %v : tensor<8x8xf32>
  %c = prim.convert_element_type %r : tensor<8x8xf32> -> tensor<8x8xbf16>
  %m = prim.mul %u, %u : tensor<8x8xf32>
  %d = prim.dot_general %r, %u batch [] x [] contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %e = prim.exp %d : tensor<8x8xf32>
  %f = prim.add %d, %e : tensor<8x8xf32>
  return %d, %c, %m, %f : tensor<8x8xf32>, tensor<8x8xbf16>, tensor<8x8xf32>, tensor<8x8xf32>
}
