// Softmax of rows of up to 4096 elements in three passes: the load is computed again, the exponential kept.
!V = !tile.view<?x?xf32>
!E = tensor<4096xf32>
!K = memref<4096xf32, #stage.space<"l1">>
tile.kernel @fused_softmax(%x: !V, %y: !V) {
  %row = tile.program_id : index
  %c0 = arith.constant 0 : index
  %n = tile.dim %x[1] : !V
  %kept = stage.alloc : !K
  %max = stage.compute [4096] to [%n] safe [%n] -> f32 {
    %t = tile.load %x[%row, %c0] {stage.decided = #stage.clone<0, first>} : !V -> !E
    %r = tile.reduce %t axis 0 : !E -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      tile.yield %m : f32
    }
    stage.yield %r : tensor<f32>
  }
  %sum = stage.compute [4096] to [%n] safe [%n] -> f32 {
    %t = tile.load %x[%row, %c0] {stage.decided = #stage.clone<0>} : !V -> !E
    %m = tile.splat %max : !E
    %d = arith.subf %t, %m : !E
    %p = math.exp %d : !E
    stage.write %p, %kept : !E, !K
    %r = tile.reduce %p axis 0 : !E -> tensor<f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    stage.yield %r : tensor<f32>
  }
  stage.compute [4096] to [%n] safe [%n] {
    %p = stage.read %kept : !K -> !E
    %s = tile.splat %sum : !E
    %o = arith.divf %p, %s : !E
    tile.store %o, %y[%row, %c0] : !E, !V
  }
}
