// One line of a script decided about two operations. A pass has replaced the second: its decision is missed, although the
// first still has one of the same line.
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage))' 2>&1 | FileCheck %s
// CHECK: keep.script:4:5: error: unsupported: a pass replaced the operation before its 'storage' was decided
tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) attributes {kiln.asked = {inside = [["storage", loc("keep.script":4:5)], ["storage", loc("keep.script":4:5)]]}} {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %b = math.exp %a {kiln.asked = {storage = ["keep", loc("keep.script":4:5), 0]}} : tensor<64xf32>
  %c = math.exp %b : tensor<64xf32>
  tile.store %c, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
