// Where threads share tiles, groups of few elements in the same rows are one kernel, whatever they read.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse))' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu},func.func(prim-fuse))' | FileCheck %s --check-prefix=CPU
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=program | FileCheck %s --check-prefix=PROGRAM
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=tile --verify-semantics -o /dev/null
// RUN: for entry in channels numbers long; do kiln-run %s --target=amd:gfx942,device=sim --check --inputs=hurt --entry=$entry || exit 1; done

// The numbers that the gradient of a norm of groups of channels has for each channel: two sums over the channels of a group, which read
// different tensors, and products that read neither.
// CHECK-LABEL: func.func @channels(
// CHECK: %[[R:.*]]:3 = prim.fusion reduction(
// CHECK-NOT: prim.fusion
// CHECK: return %[[R]]#{{[0-2]}}, %[[R]]#{{[0-2]}}, %[[R]]#{{[0-2]}} :
// CPU-LABEL: func.func @channels(
// CPU-COUNT-3: prim.fusion
// PROGRAM-LABEL: program.func @channels(
// PROGRAM-COUNT-1: program.launch {{.*}}generic.rows
// PROGRAM-NOT: program.launch
// PROGRAM: program.return
func.func @channels(%p: tensor<4x32x6xf32>, %g: tensor<4x32x6xf32>, %mean: tensor<4x32xf32>, %rstd: tensor<4x32xf32>, %w: tensor<32x6xf32>) -> (tensor<4x32x6xf32>, tensor<4x32x6xf32>, tensor<4x32x6xf32>) {
  %weights = prim.broadcast_in_dim %w dims [1, 2] : tensor<32x6xf32> -> tensor<4x32x6xf32>
  %r = prim.broadcast_in_dim %rstd dims [0, 1] : tensor<4x32xf32> -> tensor<4x32x6xf32>
  %scale = prim.mul %r, %weights : tensor<4x32x6xf32>
  %pw = prim.mul %p, %weights : tensor<4x32x6xf32>
  %gw = prim.mul %g, %weights : tensor<4x32x6xf32>
  %ps = prim.sum %pw dims [2] : tensor<4x32x6xf32> -> tensor<4x32xf32>
  %gs = prim.sum %gw dims [2] : tensor<4x32x6xf32> -> tensor<4x32xf32>
  %gm = prim.mul %gs, %mean : tensor<4x32xf32>
  %d = prim.sub %gm, %ps : tensor<4x32xf32>
  %slope = prim.mul %d, %rstd : tensor<4x32xf32>
  %sm = prim.mul %slope, %mean : tensor<4x32xf32>
  %shift = prim.sub %gs, %sm : tensor<4x32xf32>
  %slopes = prim.broadcast_in_dim %slope dims [0, 1] : tensor<4x32xf32> -> tensor<4x32x6xf32>
  %shifts = prim.broadcast_in_dim %shift dims [0, 1] : tensor<4x32xf32> -> tensor<4x32x6xf32>
  return %scale, %slopes, %shifts : tensor<4x32x6xf32>, tensor<4x32x6xf32>, tensor<4x32x6xf32>
}

// Views that add dimensions of size 1 keep elementwise groups alike.
// CHECK-LABEL: func.func @numbers(
// CHECK: %[[R:.*]]:2 = prim.fusion elementwise(
// CHECK-NOT: prim.fusion
// CHECK: return %[[R]]#0, %[[R]]#1 :
// PROGRAM-LABEL: program.func @numbers(
// PROGRAM-COUNT-1: program.launch {{.*}}generic.siblings
// PROGRAM-NOT: program.launch
// PROGRAM: program.return
func.func @numbers(%mean: tensor<4x32xf32>, %rstd: tensor<4x32xf32>, %w: tensor<32x6xf32>, %b: tensor<32x6xf32>) -> (tensor<4x32x6xf32>, tensor<4x32x6xf32>) {
  %r1 = prim.reshape %rstd : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %r = prim.broadcast_in_dim %r1 dims [0, 1, 2] : tensor<4x32x1xf32> -> tensor<4x32x6xf32>
  %weights = prim.broadcast_in_dim %w dims [1, 2] : tensor<32x6xf32> -> tensor<4x32x6xf32>
  %scale = prim.mul %r, %weights : tensor<4x32x6xf32>
  %m1 = prim.reshape %mean : tensor<4x32xf32> -> tensor<4x32x1xf32>
  %m = prim.broadcast_in_dim %m1 dims [0, 1, 2] : tensor<4x32x1xf32> -> tensor<4x32x6xf32>
  %ms = prim.mul %m, %scale : tensor<4x32x6xf32>
  %added = prim.broadcast_in_dim %b dims [1, 2] : tensor<32x6xf32> -> tensor<4x32x6xf32>
  %shift = prim.sub %added, %ms : tensor<4x32x6xf32>
  return %scale, %shift : tensor<4x32x6xf32>, tensor<4x32x6xf32>
}

// Sums of many elements that read different tensors stay apart: each is bound by what it reads.
// CHECK-LABEL: func.func @long(
// CHECK-COUNT-2: prim.fusion reduction(
// PROGRAM-LABEL: program.func @long(
func.func @long(%p: tensor<64x512xf32>, %g: tensor<64x512xf32>) -> (tensor<64xf32>, tensor<64x512xf32>) {
  %ps = prim.sum %p dims [1] : tensor<64x512xf32> -> tensor<64xf32>
  %gs = prim.sum %g dims [1] : tensor<64x512xf32> -> tensor<64xf32>
  %both = prim.add %ps, %gs : tensor<64xf32>
  %all = prim.broadcast_in_dim %both dims [0] : tensor<64xf32> -> tensor<64x512xf32>
  return %ps, %all : tensor<64xf32>, tensor<64x512xf32>
}
