// Elementwise groups of one shape of which the second alone reads the first are one kernel: values between them stay in registers.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu},func.func(prim-fuse))' | FileCheck %s
// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s --check-prefix=PROGRAM
// RUN: for entry in rounds read few shapes; do kiln-run %s --target=cpu --check --entry=$entry || exit 1; done
// RUN: kiln-compile %s --target=cpu --emit=tile --verify-semantics -o /dev/null

// Rounds of a generator of random bits: both values of each are read by both of the next one.
// CHECK-LABEL: func.func @rounds(
// CHECK: %[[R:.*]]:2 = prim.fusion elementwise(
// CHECK: prim.yield %{{[^,]*}}, %{{[^,]*}} :
// CHECK-NOT: prim.fusion
// CHECK: return %[[R]]#0, %[[R]]#1 :
// PROGRAM-LABEL: program.func @rounds(
// PROGRAM-COUNT-1: program.launch {{.*}}generic.siblings
// PROGRAM-NOT: program.launch
// PROGRAM: program.return
func.func @rounds(%x: tensor<9000xi32>, %y: tensor<9000xi32>) -> (tensor<9000xi32>, tensor<9000xi32>) {
  %k = prim.constant dense<13> : tensor<9000xi32>
  %a0 = prim.add %x, %y : tensor<9000xi32>
  %s0 = prim.shift_left %y, %k : tensor<9000xi32>
  %b0 = prim.bitwise_xor %a0, %s0 : tensor<9000xi32>
  %a1 = prim.add %a0, %b0 : tensor<9000xi32>
  %s1 = prim.shift_left %b0, %k : tensor<9000xi32>
  %b1 = prim.bitwise_xor %a1, %s1 : tensor<9000xi32>
  %a2 = prim.add %a1, %b1 : tensor<9000xi32>
  %s2 = prim.shift_left %b1, %k : tensor<9000xi32>
  %b2 = prim.bitwise_xor %a2, %s2 : tensor<9000xi32>
  return %a2, %b2 : tensor<9000xi32>, tensor<9000xi32>
}

// What something else reads is a result as well.
// CHECK-LABEL: func.func @read(
// CHECK: prim.fusion elementwise(
// CHECK: return
func.func @read(%x: tensor<9000xi32>, %y: tensor<9000xi32>) -> (tensor<9000xi32>, tensor<9000xi32>, tensor<i32>) {
  %k = prim.constant dense<13> : tensor<9000xi32>
  %a0 = prim.add %x, %y : tensor<9000xi32>
  %s0 = prim.shift_left %y, %k : tensor<9000xi32>
  %b0 = prim.bitwise_xor %a0, %s0 : tensor<9000xi32>
  %a1 = prim.add %a0, %b0 : tensor<9000xi32>
  %s1 = prim.shift_left %b0, %k : tensor<9000xi32>
  %b1 = prim.bitwise_xor %a1, %s1 : tensor<9000xi32>
  %sum = prim.sum %b0 dims [0] : tensor<9000xi32> -> tensor<i32>
  return %a1, %b1, %sum : tensor<9000xi32>, tensor<9000xi32>, tensor<i32>
}

// Few elements are one kernel whatever they read, as a launch takes longer than they do.
// CHECK-LABEL: func.func @few(
// CHECK: %[[R:.*]]:2 = prim.fusion elementwise(
// CHECK-NOT: prim.fusion
// CHECK: return %[[R]]#{{[01]}}, %[[R]]#{{[01]}} :
func.func @few(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = prim.exp %x : tensor<8xf32>
  %b = prim.neg %y : tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Kernels have results of one shape.
// CHECK-LABEL: func.func @shapes(
// CHECK-NOT: :2 = prim.fusion
func.func @shapes(%x: tensor<8xf32>, %y: tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
  %a = prim.exp %x : tensor<8xf32>
  %b = prim.neg %y : tensor<9xf32>
  return %a, %b : tensor<8xf32>, tensor<9xf32>
}
