// Scatters whose kernel computes updates and indices from what it updates: the result lies in memory of its own, so that no thread reads what
// another one has stored. And windows of several elements along dimensions that an index moves, whose numbers are added to the index.
// RUN: for entry in updates indices loop two; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=windows --arg=random:1:f32:7x4x1000 --arg=random:5:i64:100x2 --arg=random:2:f32:100x7x4x1
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=rows --arg=random:1:f32:1000x4 --arg=random:5:i64:100x1 --arg=random:2:f32:100x2x4
func.func @updates(%a: tensor<1000x8xf32>, %k: tensor<1000x1xi64>) -> tensor<1000xf32> {
  %c = prim.constant dense<1023> : tensor<1000x1xi64>
  %t = prim.bitwise_and %k, %c : tensor<1000x1xi64>
  %y = prim.sum %a dims [1] : tensor<1000x8xf32> -> tensor<1000xf32>
  %w = prim.neg %y : tensor<1000xf32>
  %v = prim.reshape %w : tensor<1000xf32> -> tensor<1000x1xf32>
  %r = prim.scatter add %y, %t, %v dims [0] batch_dims 0 : tensor<1000xf32>, tensor<1000x1xi64>, tensor<1000x1xf32>
  return %r : tensor<1000xf32>
}
func.func @indices(%a: tensor<1000x8xi64>, %v: tensor<1000x1xi64>) -> tensor<1000xi64> {
  %y = prim.sum %a dims [1] : tensor<1000x8xi64> -> tensor<1000xi64>
  %c = prim.constant dense<1023> : tensor<1000xi64>
  %w = prim.bitwise_and %y, %c : tensor<1000xi64>
  %t = prim.reshape %w : tensor<1000xi64> -> tensor<1000x1xi64>
  %r = prim.scatter add %y, %t, %v dims [0] batch_dims 0 : tensor<1000xi64>, tensor<1000x1xi64>, tensor<1000x1xi64>
  return %r : tensor<1000xi64>
}
func.func @loop(%x: tensor<1000x1xf32>, %k: tensor<1000x1xi64>) -> tensor<1000x1xf32> {
  %c = prim.constant dense<1023> : tensor<1000x1xi64>
  %t = prim.bitwise_and %k, %c : tensor<1000x1xi64>
  %n = prim.full 3 : i64 : tensor<i64>
  %zero = prim.full 0 : i64 : tensor<i64>
  %r:2 = prim.while (%zero, %x) : (tensor<i64>, tensor<1000x1xf32>) -> (tensor<i64>, tensor<1000x1xf32>) {
  ^bb0(%i: tensor<i64>, %y: tensor<1000x1xf32>):
    %goes = prim.lt %i, %n : tensor<i64> -> tensor<i1>
    prim.yield %goes : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %y: tensor<1000x1xf32>):
    %w = prim.neg %y : tensor<1000x1xf32>
    %v = prim.reshape %w : tensor<1000x1xf32> -> tensor<1000x1x1xf32>
    %s = prim.scatter add %y, %t, %v dims [0] batch_dims 0 : tensor<1000x1xf32>, tensor<1000x1xi64>, tensor<1000x1x1xf32>
    %one = prim.full 1 : i64 : tensor<i64>
    %j = prim.add %i, %one : tensor<i64>
    prim.yield %j, %s : tensor<i64>, tensor<1000x1xf32>
  }
  return %r#1 : tensor<1000x1xf32>
}
func.func @windows(%x: tensor<7x4x1000xf32>, %t: tensor<100x2xi64>, %u: tensor<100x7x4x1xf32>) -> tensor<7x4x1000xf32> {
  %r = prim.scatter add %x, %t, %u dims [1, 2] batch_dims 0 : tensor<7x4x1000xf32>, tensor<100x2xi64>, tensor<100x7x4x1xf32>
  return %r : tensor<7x4x1000xf32>
}
func.func @rows(%x: tensor<1000x4xf32>, %t: tensor<100x1xi64>, %u: tensor<100x2x4xf32>) -> tensor<1000x4xf32> {
  %r = prim.scatter add %x, %t, %u dims [0] batch_dims 0 : tensor<1000x4xf32>, tensor<100x1xi64>, tensor<100x2x4xf32>
  return %r : tensor<1000x4xf32>
}
func.func @two(%x: tensor<300x5x4xf32>, %k: tensor<100x2xi64>, %u: tensor<100x1x5x4xf32>) -> tensor<300x5x4xf32> {
  %c = prim.constant dense<[511, 1]> : tensor<2xi64>
  %m = prim.broadcast_in_dim %c dims [1] : tensor<2xi64> -> tensor<100x2xi64>
  %t = prim.bitwise_and %k, %m : tensor<100x2xi64>
  %v = prim.neg %u : tensor<100x1x5x4xf32>
  %r = prim.scatter add %x, %t, %v dims [0, 2] batch_dims 0 : tensor<300x5x4xf32>, tensor<100x2xi64>, tensor<100x1x5x4xf32>
  return %r : tensor<300x5x4xf32>
}
