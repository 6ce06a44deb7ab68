// Panels of a left operand keep its rows where these are contiguous in memory and the processor spreads elements of memory over
// registers. What is left of the rows is a micro-kernel of its own, so that the result goes to its view at once.
// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=1 --print-ir-after=stage-split-products -o %t.kiln 2>&1 | FileCheck %s
// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=1 --print-ir-after=convert-stage-to-cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: kiln-compile %s --target=cpu:neoverse-n1,threads=1 --print-ir-after=stage-split-products -o %t.kiln 2>&1 | FileCheck %s --check-prefix=NEON
// RUN: for entry in rows columns pairs bytes doubles patches first_layer groups; do kiln-run %s --entry=$entry --target=cpu,threads=1 --check 2>&1; \
// RUN:   kiln-run %s --entry=$entry --target=cpu:x86-64-v3,threads=2 --check 2>&1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-16: result 0: ok:

// CHECK-LABEL: @rows_0_dot
// CHECK: stage.alloc : memref<{{.*}}, affine_map<(d0, d1) -> (d0 floordiv [[R:[0-9]+]], d1 floordiv [[D:[0-9]+]], d0 mod [[R]], d1 mod [[D]])>>
// 67 rows are no whole blocks. They are read where they lie, or from panels.
// KERNEL-LABEL: @rows_0_dot
// KERNEL: cpu.micro_kernel {{.*}} block[[[LAST:[0-9]+]], [[WIDE:[0-9]+]]] groups[301, 1]
// KERNEL-NEXT: } else {
// KERNEL-NOT: block[[[LAST]],
// KERNEL: cpu.micro_kernel {{.*}} block[[[MOST:[0-9]+]], [[WIDE]]] groups[301, 1]
// KERNEL: scf.if
// KERNEL-NEXT: cpu.micro_kernel {{.*}} block[[[LAST]], [[WIDE]]] groups[[[D:[0-9]+]], 1]
// KERNEL-NEXT: } else {
// KERNEL-NOT: block[[[LAST]],
// KERNEL: cpu.micro_kernel {{.*}} block[[[MOST]], [[WIDE]]] groups[[[D]], 1]
// NEON-LABEL: @rows_0_dot
// NEON-NOT: d0 mod {{[0-9]+}}, d1 mod
// NEON: stage.product
func.func @rows(%x: tensor<67x301xf32>, %w: tensor<301x64xf32>) -> tensor<67x64xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<67x301xf32>, tensor<301x64xf32> -> tensor<67x64xf32>
  return %0 : tensor<67x64xf32>
}

// Rows of the left operand lie side by side: panels have a step of all of them after another.
// CHECK-LABEL: @columns_0_dot
// CHECK-NOT: d0 mod {{[0-9]+}}, d1 mod
// CHECK: stage.product
func.func @columns(%x: tensor<301x67xf32>, %w: tensor<301x40xf32>) -> tensor<67x40xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [0] x [0] : tensor<301x67xf32>, tensor<301x40xf32> -> tensor<67x40xf32>
  return %0 : tensor<67x40xf32>
}

func.func @pairs(%x: tensor<31x97xbf16>, %w: tensor<97x40xbf16>) -> tensor<31x40xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<31x97xbf16>, tensor<97x40xbf16> -> tensor<31x40xf32>
  return %0 : tensor<31x40xf32>
}

func.func @bytes(%x: tensor<31x131xi8>, %w: tensor<131x40xi8>) -> tensor<31x40xi32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<31x131xi8>, tensor<131x40xi8> -> tensor<31x40xi32>
  return %0 : tensor<31x40xi32>
}

func.func @doubles(%x: tensor<3x29x67xf64>, %w: tensor<3x67x23xf64>) -> tensor<3x29x23xf64> {
  %0 = prim.dot_general %x, %w batch [0] x [0] contract [2] x [1] : tensor<3x29x67xf64>, tensor<3x67x23xf64> -> tensor<3x29x23xf64>
  return %0 : tensor<3x29x23xf64>
}

func.func @patches(%x: tensor<2x13x13x48xf32>, %w: tensor<40x3x3x48xf32>) -> tensor<2x13x13x40xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x13x13x48xf32>, tensor<40x3x3x48xf32> -> tensor<2x13x13x40xf32>
  return %0 : tensor<2x13x13x40xf32>
}

// Rows that come in short runs are kept, too: nine elements of each line of an image with three channels.
// CHECK-LABEL: @first_layer_0_conv
// CHECK: stage.alloc : memref<{{.*}}, affine_map<(d0, d1) -> (d0 floordiv [[R:[0-9]+]], d1 floordiv [[D:[0-9]+]], d0 mod [[R]], d1 mod [[D]])>>
// KERNEL-LABEL: @first_layer_0_conv
// KERNEL: cpu.micro_kernel {{.*}} groups[[[D:[0-9]+]], 1]
func.func @first_layer(%x: tensor<1x21x21x3xf32>, %w: tensor<40x3x3x3xf32>) -> tensor<1x11x11x40xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x21x21x3xf32>, tensor<40x3x3x3xf32> -> tensor<1x11x11x40xf32>
  return %0 : tensor<1x11x11x40xf32>
}

// So are eight channels of a group at each of nine positions.
// CHECK-LABEL: @groups_0_conv
// CHECK: stage.alloc : memref<{{.*}}, affine_map<(d0, d1) -> (d0 floordiv [[R:[0-9]+]], d1 floordiv [[D:[0-9]+]], d0 mod [[R]], d1 mod [[D]])>>
func.func @groups(%x: tensor<1x14x14x32xf32>, %w: tensor<32x3x3x8xf32>) -> tensor<1x14x14x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 4 : i64} : tensor<1x14x14x32xf32>, tensor<32x3x3x8xf32> -> tensor<1x14x14x32xf32>
  return %0 : tensor<1x14x14x32xf32>
}
