// What follows from the variances of a batch norm is one kernel, because the kernels of the means leave the sums of squares in memory.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse))' | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=program | FileCheck %s --check-prefix=PROGRAM
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=tile --verify-semantics -o /dev/null
// RUN: kiln-run %s --target=amd:gfx942,device=sim --check --entry=norm
// RUN: kiln-run %s --target=amd:gfx942,device=sim --check --entry=alone

// The sums of squares are a group, and all numbers of the channels another one. It does not store the variance, which it alone reads.
// CHECK-LABEL: func.func @norm(
// CHECK: prim.fusion reduction(
// CHECK: %[[S:.*]] = prim.fusion reduction(
// CHECK: prim.sum
// CHECK-NEXT: prim.yield
// CHECK: :2 = prim.fusion elementwise({{.*}}%[[S]]
// CHECK: prim.div
// CHECK: prim.rsqrt
// CHECK: prim.fusion elementwise(
// CHECK-NOT: prim.fusion
// PROGRAM-LABEL: program.func @norm(
// PROGRAM: program.launch {{.*}}generic.reduction
// PROGRAM: program.launch {{.*}}generic.reduction
// PROGRAM: program.launch {{.*}}generic.siblings
// PROGRAM: program.launch {{.*}}generic.elementwise
// PROGRAM-NOT: program.launch
// PROGRAM: program.return
func.func @norm(%x: tensor<8x32x32x64xf32>, %running: tensor<64xf32>) -> (tensor<8x32x32x64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %n = prim.full 8192.0 : f32 : tensor<64xf32>
  %total = prim.sum %x dims [0, 1, 2] : tensor<8x32x32x64xf32> -> tensor<64xf32>
  %mean = prim.div %total, %n : tensor<64xf32>
  %means = prim.broadcast_in_dim %mean dims [3] : tensor<64xf32> -> tensor<8x32x32x64xf32>
  %apart = prim.sub %x, %means : tensor<8x32x32x64xf32>
  %squares = prim.mul %apart, %apart : tensor<8x32x32x64xf32>
  %sum = prim.sum %squares dims [0, 1, 2] : tensor<8x32x32x64xf32> -> tensor<64xf32>
  %var = prim.div %sum, %n : tensor<64xf32>
  %eps = prim.full 1.0e-5 : f32 : tensor<64xf32>
  %more = prim.add %var, %eps : tensor<64xf32>
  %rstd = prim.rsqrt %more : tensor<64xf32>
  %kept = prim.full 0.9 : f32 : tensor<64xf32>
  %old = prim.mul %running, %kept : tensor<64xf32>
  %new = prim.add %old, %var : tensor<64xf32>
  %rstds = prim.broadcast_in_dim %rstd dims [3] : tensor<64xf32> -> tensor<8x32x32x64xf32>
  %y = prim.mul %apart, %rstds : tensor<8x32x32x64xf32>
  return %y, %rstd, %new : tensor<8x32x32x64xf32>, tensor<64xf32>, tensor<64xf32>
}

// A variance that nothing else is computed from stays with its sum.
// CHECK-LABEL: func.func @alone(
// CHECK-COUNT-2: prim.fusion reduction(
// CHECK-NOT: prim.fusion
// PROGRAM-LABEL: program.func @alone(
func.func @alone(%x: tensor<8x32x32x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %n = prim.full 8192.0 : f32 : tensor<64xf32>
  %total = prim.sum %x dims [0, 1, 2] : tensor<8x32x32x64xf32> -> tensor<64xf32>
  %mean = prim.div %total, %n : tensor<64xf32>
  %means = prim.broadcast_in_dim %mean dims [3] : tensor<64xf32> -> tensor<8x32x32x64xf32>
  %apart = prim.sub %x, %means : tensor<8x32x32x64xf32>
  %squares = prim.mul %apart, %apart : tensor<8x32x32x64xf32>
  %sum = prim.sum %squares dims [0, 1, 2] : tensor<8x32x32x64xf32> -> tensor<64xf32>
  %var = prim.div %sum, %n : tensor<64xf32>
  return %mean, %var : tensor<64xf32>, tensor<64xf32>
}
