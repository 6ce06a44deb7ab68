// Bounds of regions.
// RUN: kiln-opt %s -convert-tile-to-stage -stage-bound -verify-stage-form | FileCheck %s
// RUN: kiln-opt %s -verify-semantics -convert-tile-to-stage -stage-bound -canonicalize -cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

!V = !tile.view<?xf32>

// What a store drops is not computed; a load of another view limits what is safe.
// CHECK-LABEL: tile.kernel @store
// CHECK-DAG: %[[x:.*]] = tile.dim %arg0[0]
// CHECK-DAG: %[[y:.*]] = tile.dim %arg1[0]
// CHECK: stage.compute [64] to[%[[to:.*]]] safe[%{{.*}}] {
tile.kernel @store(%x: !V {tile.readonly}, %y: !V) {
  %i = tile.program_id : index
  %t = tile.load %x[%i] : !V -> tensor<64xf32>
  %e = math.exp %t : tensor<64xf32>
  tile.store %e, %y[%i] : tensor<64xf32>, !V
}

// A reduction covers its dimension: only what is safe is said.
// CHECK-LABEL: tile.kernel @reduction
// CHECK: stage.compute [8, 64] safe[%{{.*}}, %{{.*}}] {
// CHECK: tile.reduce
// CHECK: stage.compute [8] to[%{{.*}}] safe[%{{.*}}] {
tile.kernel @reduction(%x: !tile.view<?x?xf32> {tile.readonly}, %y: !V) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%i, %c0] : !tile.view<?x?xf32> -> tensor<8x64xf32>
  %r = tile.reduce %t axis 1 : tensor<8x64xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %r, %y[%i] : tensor<8xf32>, !V
}

// What may start before its view has no safe corner.
// CHECK-LABEL: tile.kernel @before
// CHECK: stage.compute [64] to[%{{.*}}] {
tile.kernel @before(%x: !V {tile.readonly}, %y: !V, %n: index) {
  %i = tile.program_id : index
  %t = tile.load %x at [%n] : !V -> tensor<64xf32>
  tile.store %t, %y[%i] : tensor<64xf32>, !V
}
