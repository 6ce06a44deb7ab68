// Products whose attribute has ways for small numbers get conditions on what their factors hold.
// REQUIRES: x86_64
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(convert-tile-to-stage,stage-guard-products))' | FileCheck %s
// RUN: kiln-opt %s -verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(convert-tile-to-stage,stage-guard-products,stage-split-products,stage-place,stage-allocate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

!A = !tile.view<?x?xi8>
!C = !tile.view<?x?xi32>

// Unsigned numbers fit in 7 bits if their union has no other bit, signed ones if that holds 64 higher.
// CHECK-LABEL: tile.kernel @bytes
// CHECK: %[[joint:.*]] = stage.alloc : memref<32xi8>
// CHECK: stage.compute [32, 32] {
// CHECK: %[[x:.*]] = tile.load
// CHECK: %[[columns:.*]] = tile.reduce %[[x]] axis 0
// CHECK: arith.ori
// CHECK: stage.write %[[columns]], %[[joint]]
// CHECK: %[[all:.*]] = stage.compute [32] -> i8
// CHECK: stage.read %[[joint]]
// CHECK: arith.ori
// CHECK: %[[limit:.*]] = arith.constant -128 : i8
// CHECK: %[[fits:.*]] = arith.cmpi ult, %[[all]], %[[limit]] : i8
// CHECK: scf.if %[[fits]] {
// CHECK: tile.dot {{.*}} {split = #cpu.product<row = "vpmaddubsw.lhs7", rows = 4, columns = 16, depth = 32, bounded = true>}
// CHECK: } else {
// CHECK: stage.compute [32, 32] {
// CHECK: %[[y:.*]] = tile.load
// CHECK: %[[more:.*]] = arith.constant dense<64> : tensor<32x32xi8>
// CHECK: arith.addi %[[y]], %[[more]]
// CHECK: scf.if
// CHECK: row = "vpmaddubsw", rows
// CHECK: } else {
// CHECK: row = "vpmaddwd"
// CHECK: }
// CHECK: tile.store
tile.kernel @bytes(%a: !A {tile.readonly}, %b: !A {tile.readonly}, %c: !C {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %x = tile.load %a[%i, %c0] : !A -> tensor<32x32xi8>
  %y = tile.load %b[%c0, %j] : !A -> tensor<32x32xi8>
  %d = tile.dot %x, %y, %zero lhs_unsigned {split = #cpu.product<row = "vpmaddwd", rows = 3, columns = 16, depth = 32,
    narrow = [#cpu.product<row = "vpmaddubsw.lhs7", rows = 4, columns = 16, depth = 32, bounded = true>,
              #cpu.product<row = "vpmaddubsw", rows = 3, columns = 16, depth = 32, bounded = true>]>}
    : tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xi32>
  tile.store %d, %c[%i, %j] : tensor<32x32xi32>, !C
}

// Of batches dimension by dimension.
// CHECK-LABEL: tile.kernel @batches
// CHECK: stage.compute [2, 32, 32] {
// CHECK: tile.reduce %{{.*}} axis 0 : tensor<2x32x32xi8> -> tensor<32x32xi8>
// CHECK: stage.compute [32, 32] {
// CHECK: tile.reduce %{{.*}} axis 0 : tensor<32x32xi8> -> tensor<32xi8>
// CHECK: stage.compute [32] -> i8
// CHECK: scf.if
tile.kernel @batches(%a: !tile.view<?x?x?xi8> {tile.readonly}, %b: !tile.view<?x?x?xi8> {tile.readonly}, %c: !tile.view<?x?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<2x32x32xi32>
  %x = tile.load %a[%i, %c0, %c0] : !tile.view<?x?x?xi8> -> tensor<2x32x32xi8>
  %y = tile.load %b[%i, %c0, %c0] : !tile.view<?x?x?xi8> -> tensor<2x32x32xi8>
  %d = tile.dot %x, %y, %zero lhs_unsigned {split = #cpu.product<row = "vpmaddwd", rows = 3, columns = 16, depth = 32,
    narrow = [#cpu.product<row = "vpmaddubsw.lhs7", rows = 4, columns = 16, depth = 32, bounded = true>]>}
    : tensor<2x32x32xi8>, tensor<2x32x32xi8>, tensor<2x32x32xi32>
  tile.store %d, %c[%i, %c0, %c0] : tensor<2x32x32xi32>, !tile.view<?x?x?xi32>
}

// Others stay as they are.
// CHECK-LABEL: tile.kernel @other
// CHECK-NOT: scf.if
// CHECK: tile.dot
tile.kernel @other(%a: !A {tile.readonly}, %b: !A {tile.readonly}, %c: !C {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %x = tile.load %a[%i, %c0] : !A -> tensor<32x32xi8>
  %y = tile.load %b[%c0, %j] : !A -> tensor<32x32xi8>
  %d = tile.dot %x, %y, %zero {split = #cpu.product<row = "vpmaddwd", rows = 3, columns = 16, depth = 32>}
    : tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xi32>
  tile.store %d, %c[%i, %j] : tensor<32x32xi32>, !C
}
