// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mean, and the squared distances from it that another group adds up, come from one reading of the elements.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: for entry in channels uneven rows narrow other; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=rows
// Elements whose mean is large beside their deviation, and some that are not finite:
// RUN: %python -c "import numpy as np; np.save('%t.npy', (1000 + np.random.default_rng(1).standard_normal((64, 8, 1000))).astype(np.float32))"
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=channels --arg=%t.npy
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=channels --inputs=hurt

// Parts of the images each have a base of their own, near their mean, and say how many elements they have.
// CHECK-LABEL: tile.kernel private @channels_0_sum(
// CHECK: arith.sitofp {{.*}} : i64 to f32
// CHECK-COUNT-4: tile.store
// CHECK-LABEL: tile.kernel private @channels_0_sum_parts(
// CHECK: tile.reduce
// CHECK: arith.divf
// CHECK: arith.maximumf
// CHECK: tile.reduce
// CHECK-COUNT-2: tile.store
// The variance is left: it only divides.
// CHECK-LABEL: tile.kernel private @channels_1_sum(
// CHECK-NOT: tile.reduce
// CHECK: program.func @channels(
// CHECK-COUNT-3: program.launch
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @channels(%x: tensor<64x8x1000xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = prim.full 64000.0 : f32 : tensor<8xf32>
  %sum = prim.sum %x dims [0, 2] : tensor<64x8x1000xf32> -> tensor<8xf32>
  %mean = prim.div %sum, %n : tensor<8xf32>
  %m = prim.broadcast_in_dim %mean dims [1] : tensor<8xf32> -> tensor<64x8x1000xf32>
  %apart = prim.sub %x, %m : tensor<64x8x1000xf32>
  %square = prim.mul %apart, %apart : tensor<64x8x1000xf32>
  %squares = prim.sum %square dims [0, 2] : tensor<64x8x1000xf32> -> tensor<8xf32>
  %variance = prim.div %squares, %n : tensor<8xf32>
  return %variance, %mean : tensor<8xf32>, tensor<8xf32>
}
// Parts that do not have the same number of blocks.
// CHECK-LABEL: tile.kernel private @uneven_0_sum(
// CHECK: arith.sitofp
func.func @uneven(%x: tensor<101x8x1500xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = prim.full 151500.0 : f32 : tensor<8xf32>
  %sum = prim.sum %x dims [0, 2] : tensor<101x8x1500xf32> -> tensor<8xf32>
  %mean = prim.div %sum, %n : tensor<8xf32>
  %m = prim.broadcast_in_dim %mean dims [1] : tensor<8xf32> -> tensor<101x8x1500xf32>
  %apart = prim.sub %x, %m : tensor<101x8x1500xf32>
  %square = prim.mul %apart, %apart : tensor<101x8x1500xf32>
  %squares = prim.sum %square dims [0, 2] : tensor<101x8x1500xf32> -> tensor<8xf32>
  %variance = prim.div %squares, %n : tensor<8xf32>
  return %variance, %mean : tensor<8xf32>, tensor<8xf32>
}
// Rows in one block: the base is their mean.
// CHECK-LABEL: tile.kernel private @rows_0_sum(
// CHECK-COUNT-3: tile.reduce
// CHECK-LABEL: tile.kernel private @rows_1_sum(
// CHECK-NOT: tile.reduce
// CHECK: program.func @rows(
func.func @rows(%x: tensor<700x900xf32>) -> (tensor<700xf32>, tensor<700xf32>) {
  %n = prim.full 900.0 : f32 : tensor<700xf32>
  %sum = prim.sum %x dims [1] : tensor<700x900xf32> -> tensor<700xf32>
  %mean = prim.div %sum, %n : tensor<700xf32>
  %m = prim.broadcast_in_dim %mean dims [0] : tensor<700xf32> -> tensor<700x900xf32>
  %apart = prim.sub %x, %m : tensor<700x900xf32>
  %square = prim.mul %apart, %apart : tensor<700x900xf32>
  %squares = prim.sum %square dims [1] : tensor<700x900xf32> -> tensor<700xf32>
  %variance = prim.div %squares, %n : tensor<700xf32>
  return %variance, %mean : tensor<700xf32>, tensor<700xf32>
}
// Elements that both groups convert.
// CHECK-LABEL: tile.kernel private @narrow_1_sum(
// CHECK-NOT: tile.reduce
// CHECK: program.func @narrow(
func.func @narrow(%h: tensor<600x900xbf16>) -> (tensor<600xf32>, tensor<600xf32>) {
  %x = prim.convert_element_type %h : tensor<600x900xbf16> -> tensor<600x900xf32>
  %n = prim.full 900.0 : f32 : tensor<600xf32>
  %sum = prim.sum %x dims [1] : tensor<600x900xf32> -> tensor<600xf32>
  %mean = prim.div %sum, %n : tensor<600xf32>
  %m = prim.broadcast_in_dim %mean dims [0] : tensor<600xf32> -> tensor<600x900xf32>
  %apart = prim.sub %x, %m : tensor<600x900xf32>
  %square = prim.mul %apart, %apart : tensor<600x900xf32>
  %squares = prim.sum %square dims [1] : tensor<600x900xf32> -> tensor<600xf32>
  %variance = prim.div %squares, %n : tensor<600xf32>
  return %variance, %mean : tensor<600xf32>, tensor<600xf32>
}
// Distances of other elements are another sum.
// CHECK-LABEL: tile.kernel private @other_1_sum(
// CHECK: tile.reduce
func.func @other(%x: tensor<600x900xf32>, %y: tensor<600x900xf32>) -> (tensor<600xf32>, tensor<600xf32>) {
  %n = prim.full 900.0 : f32 : tensor<600xf32>
  %sum = prim.sum %x dims [1] : tensor<600x900xf32> -> tensor<600xf32>
  %mean = prim.div %sum, %n : tensor<600xf32>
  %m = prim.broadcast_in_dim %mean dims [0] : tensor<600xf32> -> tensor<600x900xf32>
  %apart = prim.sub %y, %m : tensor<600x900xf32>
  %square = prim.mul %apart, %apart : tensor<600x900xf32>
  %squares = prim.sum %square dims [1] : tensor<600x900xf32> -> tensor<600xf32>
  %variance = prim.div %squares, %n : tensor<600xf32>
  return %variance, %mean : tensor<600xf32>, tensor<600xf32>
}
// A norm of few channels: more instances share its statistics, which are read once, and what is left is elementwise.
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=norm
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=norm --inputs=hurt
// CHECK-LABEL: program.func @norm(
// CHECK: program.launch [@{{.*}}sum{{.*}}] grid(%c{{[0-9]+}}, %c{{[2-9]|[1-9][0-9]+}},
// CHECK: program.launch [@{{.*}}_parts]
// CHECK: program.launch [@norm_{{.*}}norm] {{.*}} {schedule = "generic.elementwise"}
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @norm(%x: tensor<64x8x9000xf32>) -> tensor<64x8x9000xf32> {
  %n = prim.full 576000.0 : f32 : tensor<8xf32>
  %sum = prim.sum %x dims [0, 2] : tensor<64x8x9000xf32> -> tensor<8xf32>
  %mean = prim.div %sum, %n : tensor<8xf32>
  %m = prim.broadcast_in_dim %mean dims [1] : tensor<8xf32> -> tensor<64x8x9000xf32>
  %apart = prim.sub %x, %m : tensor<64x8x9000xf32>
  %square = prim.mul %apart, %apart : tensor<64x8x9000xf32>
  %squares = prim.sum %square dims [0, 2] : tensor<64x8x9000xf32> -> tensor<8xf32>
  %variance = prim.div %squares, %n : tensor<8xf32>
  %factor = prim.rsqrt %variance : tensor<8xf32>
  %f = prim.broadcast_in_dim %factor dims [1] : tensor<8xf32> -> tensor<64x8x9000xf32>
  %result = prim.mul %apart, %f : tensor<64x8x9000xf32>
  return %result : tensor<64x8x9000xf32>
}
// A norm of groups of channels, with channels last: one instance has all groups of an image, whose elements it would go through one after the other.
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=groups
// CHECK-LABEL: program.func @groups(
// CHECK: program.launch [@{{.*}}sum{{.*}}] grid({{.*}}%c{{[2-9]|[1-9][0-9]+}},
// CHECK: program.launch [@{{.*}}_parts]
// CHECK: program.launch [@groups_{{.*}}norm] {{.*}} {schedule = "generic.elementwise"}
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @groups(%h: tensor<1024x16x6xf16>) -> tensor<1024x16x6xf32> {
  %x = prim.convert_element_type %h : tensor<1024x16x6xf16> -> tensor<1024x16x6xf32>
  %n = prim.full 6144.0 : f32 : tensor<16xf32>
  %sum = prim.sum %x dims [0, 2] : tensor<1024x16x6xf32> -> tensor<16xf32>
  %mean = prim.div %sum, %n : tensor<16xf32>
  %m = prim.broadcast_in_dim %mean dims [1] : tensor<16xf32> -> tensor<1024x16x6xf32>
  %apart = prim.sub %x, %m : tensor<1024x16x6xf32>
  %square = prim.mul %apart, %apart : tensor<1024x16x6xf32>
  %squares = prim.sum %square dims [0, 2] : tensor<1024x16x6xf32> -> tensor<16xf32>
  %variance = prim.div %squares, %n : tensor<16xf32>
  %factor = prim.rsqrt %variance : tensor<16xf32>
  %f = prim.broadcast_in_dim %factor dims [1] : tensor<16xf32> -> tensor<1024x16x6xf32>
  %result = prim.mul %apart, %f : tensor<1024x16x6xf32>
  return %result : tensor<1024x16x6xf32>
}

// Blocks of few rows say too little of the mean: an instance reads its rows twice, which a cache keeps, for distances from the
// mean of all of them.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=tile --entry=columns | FileCheck %s --check-prefix=TWICE
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --entry=columns --verify-semantics -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[0-9]+}} comparisons, 0 changed
// TWICE-LABEL: tile.kernel @columns_0_sum(
// TWICE: scf.for
// TWICE: %[[X:.*]] = tile.load
// TWICE-NEXT: arith.addf %{{.*}}, %[[X]]
// TWICE: arith.divf
// TWICE: scf.for
// TWICE-COUNT-4: tile.store
// TWICE-LABEL: tile.kernel @columns_0_sum_parts(
func.func @columns(%x: tensor<50000x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %n = prim.constant dense<5.0e+04> : tensor<64xf32>
  %s = prim.sum %x dims [0] : tensor<50000x64xf32> -> tensor<64xf32>
  %m = prim.div %s, %n : tensor<64xf32>
  %b = prim.broadcast_in_dim %m dims [1] : tensor<64xf32> -> tensor<50000x64xf32>
  %c = prim.sub %x, %b : tensor<50000x64xf32>
  %q = prim.mul %c, %c : tensor<50000x64xf32>
  %v = prim.sum %q dims [0] : tensor<50000x64xf32> -> tensor<64xf32>
  return %m, %v : tensor<64xf32>, tensor<64xf32>
}
