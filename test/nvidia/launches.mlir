// What the launches of a kernel have in common, its grid and what memory is aligned to, holds if nobody else runs it: not
// of an entry. That has a variant for memory that is aligned, which is asked at each launch.
// RUN: kiln-compile %s --target=nvidia:sm_90,ptxas=none --no-fallback --emit=tile | FileCheck %s
// CHECK: tile.kernel @own({{.*}}most_instances = array<i64: 4, 1, 1>
// CHECK: tile.kernel @entry(%{{.*}}: !tile.view<?xf32> {tile.facts = {noalias}}) attributes {variants = [@entry_aligned]} {
// CHECK: tile.kernel @entry_aligned({{.*}}align = 16
// CHECK-NOT: most_instances
tile.kernel private @own(%x: !tile.view<?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c = arith.constant dense<1.0> : tensor<32xf32>
  tile.store %c, %x[%i] : tensor<32xf32>, !tile.view<?xf32>
}
tile.kernel @entry(%x: !tile.view<?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c = arith.constant dense<2.0> : tensor<32xf32>
  tile.store %c, %x[%i] : tensor<32xf32>, !tile.view<?xf32>
}
program.func @both(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %y = program.alloc sizes (%n) : memref<?xf32>
  program.launch [@own] grid (%c4, %c1, %c1) args (%y) writes [0] : memref<?xf32>
  program.launch [@entry] grid (%c4, %c1, %c1) args (%y) writes [0] : memref<?xf32>
  program.return %y : memref<?xf32>
}
