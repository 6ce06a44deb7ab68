// Long rows with functions, and rows that are reduced, are computed as vectors of four registers: functions ask once
// whether all of their elements may take the short way. What is left of a row, and short rows, take one register.
//
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3,threads=1},tile-choose-blocks,tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products,stage-place{conflict=1024},stage-allocate),convert-stage-to-cpu)' | FileCheck %s
// RUN: kiln-run %s --target=cpu,threads=1 --entry=long --grid=3 --arg=random:1:f32:3x1003 --arg=zeros:f32:3x1003 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu,threads=1 --entry=long --grid=3 --arg=hurt:1:f32:3x1003 --arg=zeros:f32:3x1003 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu,threads=1 --entry=sums --grid=3 --arg=random:1:f32:3x1003 --arg=zeros:f32:3 --check --no-fallback | FileCheck %s --check-prefix=RESULT

// RESULT: largest error

// CHECK-LABEL: func.func @long(
// CHECK: scf.for {{.*}} step %c32_i64
// CHECK: llvm.load {{.*}} -> vector<32xf32>
// CHECK: %[[BITS:.*]] = arith.bitcast {{.*}} : vector<32xf32> to vector<32xi32>
// CHECK: arith.maxsi {{.*}} : vector<16xi32>
// CHECK: arith.maxsi {{.*}} : vector<8xi32>
// CHECK: %[[SMALL:.*]] = vector.reduction <and>, {{.*}} : vector<8xi1> into i1
// CHECK: %[[LIKELY:.*]] = llvm.intr.expect %[[SMALL]], {{.*}} : i1
// CHECK: scf.if %[[LIKELY]] -> (vector<32xf32>)
// CHECK: llvm.store {{.*}} : vector<32xf32>
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: scf.if {{.*}} -> (vector<8xf32>)
// CHECK: scf.for {{.*}} step %c8_i64
// CHECK: llvm.intr.masked.store
tile.kernel @long(%x: !tile.view<?x?xf32> {tile.readonly}, %y: !tile.view<?x?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x?xf32> -> tensor<1024xf32>
  %b = math.exp %a : tensor<1024xf32>
  tile.store %b, %y[%i, %c0] : tensor<1024xf32>, !tile.view<?x?xf32>
}

// CHECK-LABEL: func.func @short(
// CHECK-NOT: vector<16xf32>
// CHECK-NOT: vector<32xf32>
// CHECK: scf.if {{.*}} -> (vector<8xf32>)
tile.kernel @short(%x: !tile.view<?x?xf32> {tile.readonly}, %y: !tile.view<?x?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x?xf32> -> tensor<32xf32>
  %b = math.exp %a : tensor<32xf32>
  tile.store %b, %y[%i, %c0] : tensor<32xf32>, !tile.view<?x?xf32>
}

// What calls libm for each element has nothing to share.
// CHECK-LABEL: func.func @calls(
// CHECK-NOT: vector<8xf64>
// CHECK-NOT: vector<16xf64>
// CHECK: call @exp(
tile.kernel @calls(%x: !tile.view<?x?xf64> {tile.readonly}, %y: !tile.view<?x?xf64> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x?xf64> -> tensor<1024xf64>
  %b = math.exp %a : tensor<1024xf64>
  tile.store %b, %y[%i, %c0] : tensor<1024xf64>, !tile.view<?x?xf64>
}

// CHECK-LABEL: func.func @sums(
// CHECK: %[[WIDE:.*]] = scf.for {{.*}} -> (vector<32xf32>)
// CHECK: arith.addf {{.*}} : vector<32xf32>
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[WIDE]] {offsets = [0], sizes = [16]
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[WIDE]] {offsets = [16], sizes = [16]
// CHECK: arith.addf %[[LOW]], %[[HIGH]] : vector<16xf32>
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
tile.kernel @sums(%x: !tile.view<?x?xf32> {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x?xf32> -> tensor<1024xf32>
  %s = tile.reduce %a axis 0 : tensor<1024xf32> -> tensor<f32> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tile.yield %t : f32
  }
  tile.store %s, %y[%i] : tensor<f32>, !tile.view<?xf32>
}
