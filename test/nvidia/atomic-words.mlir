// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours of 16 bits that are added atomically share a word, and one instruction adds both; bf16 from sm_90 on. What is found
// before the sum, or compared, goes element by element. Each instruction that orders other accesses waits for them, so it adds as many
// words as it can.
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=asm -o - | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: kiln-compile %s --target=nvidia:sm_80 --emit=asm -o - | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: kiln-run %s --entry=halves --target=reference,threads=nvidia:sm_90a --grid=3 --arg=random:1:f16:1024 --arg=random:2:f16:1024 --check
// RUN: kiln-run %s --entry=ordered --target=reference,threads=nvidia:sm_90a --grid=3 --arg=random:1:f16:1024 --arg=random:2:f16:1024 --check

// CHECK-LABEL: .entry halves(
// CHECK-COUNT-4: red.relaxed.gpu.global.add.noftz.f16x2
// CHECK-NOT: atom.
// CHECK-LABEL: .entry brains(
// NEW-COUNT-4: red.relaxed.gpu.global.add.noftz.bf16x2
// OLD-NOT: bf16x2
// CHECK-LABEL: .entry found(
// CHECK-NOT: f16x2
// CHECK: atom.global.add.noftz.f16
// CHECK-LABEL: .entry ordered(
// NEW: red.release.gpu.global.add.noftz.v4.f16x2
// OLD-COUNT-4: red.release.gpu.global.add.noftz.f16x2
// CHECK-NOT: red.
// CHECK-NOT: atom.

tile.kernel @halves(%x: !tile.ptr<f16> {tile.align = 16 : i64}, %y: !tile.ptr<f16> {tile.align = 16 : i64}) {
  %i = tile.iota 0 : tensor<1024xi32>
  %px = tile.splat %x : tensor<1024x!tile.ptr<f16>>
  %from = tile.ptr_add %px, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %v = tile.load_ptr %from : tensor<1024x!tile.ptr<f16>> -> tensor<1024xf16>
  %py = tile.splat %y : tensor<1024x!tile.ptr<f16>>
  %to = tile.ptr_add %py, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %old = tile.atomic_rmw fadd relaxed device %to, %v : tensor<1024x!tile.ptr<f16>>, tensor<1024xf16>
}

tile.kernel @brains(%x: !tile.ptr<bf16> {tile.align = 16 : i64}, %y: !tile.ptr<bf16> {tile.align = 16 : i64}) {
  %i = tile.iota 0 : tensor<1024xi32>
  %px = tile.splat %x : tensor<1024x!tile.ptr<bf16>>
  %from = tile.ptr_add %px, %i : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %v = tile.load_ptr %from : tensor<1024x!tile.ptr<bf16>> -> tensor<1024xbf16>
  %py = tile.splat %y : tensor<1024x!tile.ptr<bf16>>
  %to = tile.ptr_add %py, %i : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %old = tile.atomic_rmw fadd relaxed device %to, %v : tensor<1024x!tile.ptr<bf16>>, tensor<1024xbf16>
}

tile.kernel @found(%x: !tile.ptr<f16> {tile.align = 16 : i64}, %y: !tile.ptr<f16> {tile.align = 16 : i64}, %z: !tile.ptr<f16> {tile.align = 16 : i64}) {
  %i = tile.iota 0 : tensor<1024xi32>
  %px = tile.splat %x : tensor<1024x!tile.ptr<f16>>
  %from = tile.ptr_add %px, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %v = tile.load_ptr %from : tensor<1024x!tile.ptr<f16>> -> tensor<1024xf16>
  %py = tile.splat %y : tensor<1024x!tile.ptr<f16>>
  %to = tile.ptr_add %py, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %old = tile.atomic_rmw fadd relaxed device %to, %v : tensor<1024x!tile.ptr<f16>>, tensor<1024xf16>
  %pz = tile.splat %z : tensor<1024x!tile.ptr<f16>>
  %out = tile.ptr_add %pz, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  tile.store_ptr %out, %old : tensor<1024x!tile.ptr<f16>>, tensor<1024xf16>
}

tile.kernel @ordered(%x: !tile.ptr<f16> {tile.align = 16 : i64}, %y: !tile.ptr<f16> {tile.align = 16 : i64}) {
  %i = tile.iota 0 : tensor<1024xi32>
  %px = tile.splat %x : tensor<1024x!tile.ptr<f16>>
  %from = tile.ptr_add %px, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %v = tile.load_ptr %from : tensor<1024x!tile.ptr<f16>> -> tensor<1024xf16>
  %py = tile.splat %y : tensor<1024x!tile.ptr<f16>>
  %to = tile.ptr_add %py, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %old = tile.atomic_rmw fadd acq_rel device %to, %v : tensor<1024x!tile.ptr<f16>>, tensor<1024xf16>
}
